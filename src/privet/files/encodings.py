"""Text tables in other encodings than UTF-8: brought into UTF-8, and read from there."""

import codecs
import gzip
from pathlib import Path

from privet.documents import check_regular
from privet.errors import InputError, InvalidParameter

_PIECE = 1 << 20
_MOST_LETTERS = 1 << 32  # of a file that unfolds without end
_TEXTS = (".csv", ".tsv", ".txt", ".arff")


def is_text(path: Path) -> bool:
    """Whether a table is a text, by its name: only texts have an encoding."""
    return path.name.lower().removesuffix(".gz").endswith(_TEXTS)


def in_utf8(path: Path, encoding: str, folder: Path) -> Path:
    """A copy of a text table in UTF-8, in a folder of the caller, under the same name."""
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        codec = None
    if codec is None or not codec._is_text_encoding:
        raise InvalidParameter(
            "encoding", "the name of an encoding", encoding, "such as latin-1, cp1252 or utf-16."
        )
    if not is_text(path):
        raise InputError(
            f"{path.name} is no text, so it has no encoding.", "leave the encoding out."
        )
    check_regular(path, "table")
    copy = folder / "utf-8" / path.name.removesuffix(".gz").removesuffix(".GZ")
    copy.parent.mkdir()
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    letters = 0
    try:
        with (
            opener(path, "rt", encoding=codec.name, newline="") as source,
            copy.open("x", encoding="utf-8", newline="") as target,
        ):
            while piece := source.read(_PIECE):
                letters += len(piece)
                if letters > _MOST_LETTERS:
                    raise InputError(f"{path.name} is too long.", "split it into smaller files.")
                target.write(piece)
    except UnicodeError:
        raise InputError(
            f"{path.name} is not in the encoding {codec.name}.", "name the right one, or none."
        ) from None
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise InputError(f"{path.name} cannot be read: {reason}.", "check the file.") from None
    return copy
