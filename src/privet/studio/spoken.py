"""A call as a person would type it: a command line, and lines of Python.

Both are made of the arguments that the library gets, so that whoever runs them gets the same
release. Options are spelled by `errors.param`, as in every message.
"""

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from privet.errors import in_options, param

_COMMANDS = {"add_noise": "noise"}  # commands that are called otherwise than their function


def command(call: str, table: str, arguments: Mapping[str, Any], places: Mapping[str, str]) -> str:
    """`privet publish t.csv --target y -k 10 --out release`"""
    words = ["privet", _COMMANDS.get(call, call), f"./{table}" if table[:1] == "-" else table]
    for name, value in (*arguments.items(), *places.items()):
        words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> Iterator[str]:
    if name == "kinds":  # categories are all that a page can ask for
        yield from _option("category", list(value))
    elif name == "missing":
        for mark in value:
            yield from _with_value("missing", mark)
    elif value is True:
        yield in_options(param(name))
    elif isinstance(value, list | tuple):
        yield from _with_value(name, _listed(value))
    else:
        yield from _with_value(name, str(value))


def _with_value(name: str, value: str) -> list[str]:
    option = in_options(param(name))
    joined = value.startswith("-") and len(option) > 2  # it is no option itself
    return [f"{option}={value}"] if joined else [option, value]


def _listed(names: Sequence[str]) -> str:
    """Names as an option that takes several reads them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def python(call: str, table: str, arguments: Mapping[str, Any], places: Mapping[str, str]) -> str:
    """The same as Python."""
    given = [f"    {name}={_literal(value)}," for name, value in arguments.items()]
    saved = [repr(places["out"]), *(f"{n}={v!r}" for n, v in places.items() if n in _SAVED)]
    told = [f"    {n}={v!r}," for n, v in places.items() if n not in (*_SAVED, "out")]
    lines = [
        "import privet",
        "",
        f"release = privet.{call}(",
        f"    {table!r},",
        *given,
        *told,
        ")",
        f"fingerprint = release.save({', '.join(saved)})",
    ]
    return "\n".join(lines)


_SAVED = ("audit", "format")


def _literal(value: Any) -> str:
    return repr(str(value) if isinstance(value, Path) else value)


def can_be_named(column: str) -> bool:
    """Whether an option can name a column: spaces at its ends, and breaks, are lost there."""
    return column == column.strip() and bool(column) and column.isprintable()
