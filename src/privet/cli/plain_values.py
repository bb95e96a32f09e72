"""What was typed, read without Typer's own reader where there is nothing to doubt.

Typer reads every value by way of a library that takes longer to load than a small table takes to be
judged. A text, a path, a whole number or one of some words needs none of it. Whatever is not plain,
and all that is wrong, is left to Typer, whose words people get.
"""

import os
import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)

LEFT = object()  # to Typer


def read_plainly(params: list[Any]) -> list[Any]:
    """These parameters, whose values are now read here as far as they are plain. A Typer of another
    make, without the place where its reader is kept, goes on as it does."""
    for param in params:
        if getattr(param, "_runtime_param", LEFT) is None and hasattr(param, "get_runtime_param"):
            param._runtime_param = _Plainly()
    return params


class _Plainly:
    """In the place of Typer's reader of a parameter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        about = param.type_descriptor
        many = param.multiple or param.nargs == -1
        found = plain_value(value, about.annotation, many, is_plain(about.parameter_info))
        if found is not LEFT:
            return found
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def is_plain(about: Any) -> bool:
    """Whether nothing is asked of a value besides its type."""
    limits = (about.parser, about.min, about.max, about.path_type)
    usual = about.case_sensitive and about.readable and about.file_okay and about.dir_okay
    unusual = about.exists or about.writable or about.resolve_path or about.allow_dash
    return bool(usual and not unusual and all(limit is None for limit in limits))


def plain_value(value: Any, annotation: Any, many: bool, plain: bool = True) -> Any:
    """The value that Typer would give, or `LEFT`."""
    if value is None:
        return () if many else None
    if not plain or (many and isinstance(value, str)):
        return LEFT
    if get_origin(annotation) is not list:
        return LEFT if many else _one(value, annotation)
    if not isinstance(value, list | tuple):
        return LEFT
    found = [_one(each, get_args(annotation)[0]) for each in value]
    return LEFT if any(each is LEFT for each in found) else found


def _one(value: Any, annotation: Any) -> Any:
    if type(value) is annotation and annotation in (int, float):
        return value
    if type(value) is not str or not _is_text(value):
        return LEFT
    if annotation is str:
        return value
    if annotation is int:
        return int(value) if _WHOLE.fullmatch(value) else LEFT
    if annotation is float:
        return float(value) if _DECIMAL.fullmatch(value) else LEFT
    if annotation is Path:
        return Path(value) if _is_free(value) else LEFT
    if get_origin(annotation) is Literal:
        return value if value in get_args(annotation) else LEFT
    return LEFT


def _is_text(value: str) -> bool:
    """Whether a text can be written down: names of files may hold bytes that cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_free(path: str) -> bool:
    """Whether nothing stands at a path, or something that may be read."""
    try:
        Path(path).stat()
    except OSError:
        return bool(path)
    except ValueError:
        return False
    return bool(path) and os.access(path, os.R_OK)
