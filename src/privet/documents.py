"""Documents from outside: bytes, text, JSON and TOML, read within bounds.

Whoever wrote a file may have been careless or hostile. So this is the one place that reads JSON and
TOML: only regular files (a pipe or device would hang), no more bytes and no deeper nesting than the
caller allows, UTF-8, and of JSON only what has one meaning: no repeated keys, no NaN or infinity,
no half characters. Whatever goes wrong is an `InputError` that names the file and tells nothing of
its content. `privet.files` reads tables.
"""

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from privet.errors import InputError

MOST_BYTES = 64 << 20
MOST_DEPTH = 64
_MOST_TOML = 16 << 20
_COMPLETE = "take the file as it was written; it may be damaged, cut short or another file."
_QUOTES = "check quotes, brackets and names that occur twice."
_SAY_WHICH = "check the path, and that you may read the file."

# A pattern that also eats a text that is never closed, so that no input makes it slow.
_JSON_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?"{0,2}\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'''|'{0,2}\Z)"
    r'|"(?:[^"\\\n]|\\.)*+(?:"|\\?$|\n)'
    r"|'[^'\n]*+(?:'|$|\n)|\#[^\n]*+",
    re.DOTALL,
)
_BRACKETS = re.compile(r"[\[\]{}]")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_TOML_DOTTED = re.compile(r"[^\n=]*+")


def check_regular(path: Path, what: str = "file") -> None:
    """Refuse what is no regular file, without opening it."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise _unreadable(path, what, getattr(error, "strerror", None)) from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise InputError(
            f"The {what} {_name(path)} cannot be read: it is {kind}.",
            "give a file; what comes through a pipe must be saved to a file first.",
        )


@contextmanager
def opened(path: Path, what: str = "file") -> Iterator[BufferedReader]:
    """A regular file, open for reading bytes; opening never waits for anybody."""
    check_regular(path, what)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise _unreadable(path, what, error.strerror) from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # changed since it was looked at
            raise _unreadable(path, what, "it is no regular file")
        yield file


def read_bytes(path: Path, what: str = "file", *, most_bytes: int = MOST_BYTES) -> bytes:
    """All bytes of a file, if there are no more than `most_bytes`."""
    try:
        with opened(path, what) as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(path, what, error.strerror) from None
    if len(data) > most_bytes:
        raise InputError(
            f"The {what} {_name(path)} is larger than {most_bytes:,} bytes, the most that is read.",
            "such a file is far smaller where Privet wrote it; check that it is the right one.",
        )
    return data


def read_text(
    path: Path, what: str = "file", *, hint: str = _COMPLETE, most_bytes: int = MOST_BYTES
) -> str:
    """The text of a file in UTF-8."""
    try:
        return read_bytes(path, what, most_bytes=most_bytes).decode("utf-8")
    except UnicodeDecodeError:
        raise _unreadable(path, what, "it is not UTF-8 text", hint) from None


def read_json(
    path: Path,
    what: str = "file",
    *,
    hint: str = _COMPLETE,
    most_bytes: int = MOST_BYTES,
    most_depth: int = MOST_DEPTH,
) -> Any:
    """The data of a JSON file; `what` names it in errors ("model", "codebook")."""
    text = read_text(path, what, hint=hint, most_bytes=most_bytes)
    return json_of(text, f"{what} {_name(path)}", hint=hint, most_depth=most_depth)


def read_toml(
    path: Path,
    what: str = "file",
    *,
    hint: str = _QUOTES,
    most_bytes: int = _MOST_TOML,
    most_depth: int = MOST_DEPTH,
) -> dict[str, Any]:
    """The data of a TOML file."""
    text = read_text(path, what, hint=hint, most_bytes=most_bytes).removeprefix("\ufeff")
    return toml_of(text, f"{what} {_name(path)}", hint=hint, most_depth=most_depth)


def json_of(text: str, what: str, *, hint: str = _COMPLETE, most_depth: int = MOST_DEPTH) -> Any:
    """The data of a JSON text; `what` names it in errors ("codebook book.json")."""
    _check_depth(_JSON_TEXT.sub("", text), what, most_depth)
    try:
        data = json.loads(
            text, object_pairs_hook=_object, parse_float=_number, parse_constant=_no_number
        )
    except _Refused as error:
        raise InputError(f"The {what} is not plain JSON: {error}.", hint) from None
    except (ValueError, RecursionError):
        raise InputError(f"The {what} cannot be read as JSON; it may be cut short.", hint) from None
    if "\\u" in text and _has_half_character(data):
        raise InputError(f"The {what} is not plain JSON: it holds half a character.", hint)
    return data


def toml_of(
    text: str, what: str, *, hint: str = _QUOTES, most_depth: int = MOST_DEPTH
) -> dict[str, Any]:
    """The data of a TOML text; `what` names it in errors."""
    bare = _TOML_TEXT.sub("", text)
    _check_depth(bare, what, most_depth)
    if any(line[0].count(".") > most_depth for line in _TOML_DOTTED.finditer(bare)):
        raise _too_deep(what, most_depth)
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
        where = f" ({place[1]})" if place else ""
        raise InputError(f"The {what} is not valid TOML{where}.", hint) from None
    except (ValueError, RecursionError):
        raise InputError(f"The {what} cannot be read as TOML.", hint) from None


class _Refused(ValueError):
    """JSON that can be read, and means different things to different readers."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise _Refused("a name occurs twice in one object")
    return data


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Refused("it holds a number beyond what a float can hold")
    return value


def _no_number(text: str) -> float:
    raise _Refused(f"it holds {text.lstrip('-')}, which is no number")


def _has_half_character(data: Any) -> bool:
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if _HALF_CHARACTER.search(item):
                return True
        elif isinstance(item, dict):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False


def _check_depth(bare: str, what: str, most: int) -> None:
    """Brackets within brackets, counted before any reader descends into them."""
    if bare.count("[") + bare.count("{") <= most:
        return
    depth = 0
    for bracket in _BRACKETS.finditer(bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > most:
            raise _too_deep(what, most)


def _too_deep(what: str, most: int) -> InputError:
    return InputError(f"The {what} is nested more than {most} deep.", _COMPLETE)


def _unreadable(path: Path, what: str, reason: str | None, hint: str = _SAY_WHICH) -> InputError:
    why = reason or "no reason given"
    return InputError(f"The {what} {_name(path)} cannot be read: {why}.", hint)


def _name(path: Path) -> str:
    return path.name or str(path)
