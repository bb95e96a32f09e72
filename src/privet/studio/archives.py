"""Releases as zip archives: one to hand out, and those that come in, believed in nothing.

Of an archive only what a release can hold is unpacked: few plain files of bearable size, with names
that stay where they are put. What an archive says of its sizes is not believed; bytes are counted.
"""

import errno
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from privet.errors import InputError

MOST_FILES = 2000
MOST_BYTES = 8 << 30
_PIECE = 1 << 20
_MIDNIGHT = (1980, 1, 1, 0, 0, 0)  # an archive tells no hour
_NAME = re.compile(r"\w[\w .()-]{0,150}")
# What the library raises for archives that were damaged, or made to do damage.
_UNSOUND = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
_HINT = "ask for the release again; an archive holds the files of one release folder."


def pack(folder: Path, archive: Path) -> Path:
    """The files of a release in one archive, below a folder of its name."""
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
                entry = zipfile.ZipInfo(name, _MIDNIGHT)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as source, made.open(entry, "w") as target:
                    while piece := source.read(_PIECE):
                        target.write(piece)
    archive.chmod(0o600)
    return archive


def unpack(archive: Path, folder: Path, most_bytes: int = MOST_BYTES) -> Path:
    """The release in an archive, in a new folder."""
    try:
        with zipfile.ZipFile(archive) as found:
            entries = found.infolist()
            if len(entries) > MOST_FILES:
                raise InputError(f"The archive has more than {MOST_FILES:,} files.", _HINT)
            places = _places(entries)
            left = most_bytes
            for entry, place in zip(entries, places, strict=True):
                if place is not None:
                    left -= _put(found, entry, folder, place, left)
    except _UNSOUND:
        raise _unsound() from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # nothing of the disk: it says that bytes lie before 0
            raise
        raise _unsound() from None
    return folder


def _unsound() -> InputError:
    return InputError("The archive cannot be read: it is no sound zip file.", _HINT)


def _places(entries: list[zipfile.ZipInfo]) -> list[PurePosixPath | None]:
    """Where each entry goes below the folder; None for folders. One folder around all is passed."""
    names = [_checked(entry) for entry in entries]
    files = [name for name in names if name is not None]
    if not files:
        raise InputError("The archive holds no file.", _HINT)
    tops = {name.parts[0] for name in files}
    inside = len(tops) == 1 and all(len(name.parts) > 1 for name in files)
    found = [
        None if name is None else PurePosixPath(*name.parts[1:]) if inside else name
        for name in names
    ]
    known: set[str] = set()
    for place in found:
        if place is not None and str(place).lower() in known:
            raise InputError("The archive holds a file twice.", _HINT)
        if place is not None:
            known.add(str(place).lower())
    return found


def _checked(entry: zipfile.ZipInfo) -> PurePosixPath | None:
    """The name of an entry, if it is a plain file or a folder with a name that is only a name."""
    mode = entry.external_attr >> 16
    if entry.flag_bits & 1:
        raise InputError("The archive is encrypted.", "ask for it without a password.")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InputError("The archive holds a link or a device.", _HINT)
    parts = entry.filename.rstrip("/").split("/")
    if len(parts) > 3 or not all(_NAME.fullmatch(part) for part in parts):
        raise InputError("The archive holds a name that no release has.", _HINT)
    return None if entry.is_dir() else PurePosixPath(*parts)


def _put(
    found: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, place: PurePosixPath, left: int
) -> int:
    """Write one file; how many bytes it took."""
    target = folder / place
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    size = 0
    with target.open("xb") as file:
        for piece in _pieces(found, entry):
            size += len(piece)
            if size > left:
                raise InputError("The archive holds more than a release may.", _HINT)
            file.write(piece)
    return size


def _pieces(found: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with found.open(entry) as source:
        while piece := source.read(_PIECE):
            yield piece
