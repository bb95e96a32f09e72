"""Every exception of Privet.

    PrivetError
    ├── UsageError             exit 2   the caller asked for something that cannot be
    │   ├── UnknownColumn
    │   ├── InvalidParameter
    │   └── MissingExtra
    ├── InputError             exit 3   a file or frame that is no table, schema or release
    ├── CriterionNotReached    exit 1   the privacy asked for cannot be had from this table
    ├── TreeChanged            exit 1   the tree that grows from the written file is another one
    ├── ClaimNotBorneOut       exit 1   the written file does not show what was to be claimed
    └── OutputError            exit 2   the release cannot be written where it should go

A message is one sentence that names the parameter or column, what it must be and what it got;
the hint says what to do next. No message ever holds a cell value.

Whoever calls from Python knows parameters, whoever types a command knows options. A message names
them once, with `param`, and is worded for either: `leaves=6` and `--leaves 6`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

_EITHER = re.compile("\ue000([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue002")
_LETTERS = ("k", "l", "t")  # options of one letter
_OTHERWISE = {  # options that are called otherwise than their parameter
    "class_noise": "--class",
    "program": "--with",
    "representative": "--show",
    "spikes": "--spike",
    "scales": "--scale",
    "trees": "--tree",
}


def either(python: str, options: str) -> str:
    """A piece of a message that is worded for Python, and for the command line."""
    return f"\ue000{python}\ue001{options}\ue002"


def param(name: str, value: object = None) -> str:
    """A parameter in a message, with a value if it is to be given one."""
    option = f"-{name}" if name in _LETTERS else f"--{name.replace('_', '-')}"
    option = _OTHERWISE.get(name, option)
    if value is None:
        return either(name, option)
    if value is False:
        return either(f"{name}=False", f"--no-{name.replace('_', '-')}")
    if value is True:
        return either(f"{name}=True", option)
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    return either(f"{name}={shown}", f"{option} {value}")


def read_as_category(column: str) -> str:
    """What makes a column be read as categories."""
    return either(f'kinds={{"{column}": "category"}}', f"--category {column}")


def in_python(text: str) -> str:
    """A message for those who call from Python."""
    return _EITHER.sub(r"\1", text)


def in_options(text: str) -> str:
    """A message for those who type commands."""
    return _EITHER.sub(r"\2", text)


_LONGEST_SHOWN = 80


class PrivetError(Exception):
    """Anything that Privet reports to its user on purpose.

    >>> try:
    ...     privet.read_table("absent.csv")
    ... except privet.PrivetError as error:
    ...     print(error.exit_status, error.hint)
    3 check the path, and that you may read the file.
    """

    exit_status = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(in_python(message))
        self.raw = message, hint

    @property
    def message(self) -> str:
        return in_python(self.raw[0])

    @property
    def hint(self) -> str:
        return in_python(self.raw[1])

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message


class UsageError(PrivetError):
    """The call cannot be carried out as it was made."""


class UnknownColumn(UsageError):
    """A column was named that the table does not have."""

    def __init__(self, name: str, known: Iterable[str], where: str = "") -> None:
        names = list(known)
        cut_at_commas = [one for one in names if name in map(str.strip, one.split(","))]
        near = cut_at_commas or get_close_matches(name, names, n=1)
        place = f" (named in {where})" if where else ""
        hint = f"did you mean '{_typed(near[0])}'?" if near else "the columns are: " + _some(names)
        super().__init__(f"The table has no column '{name}'{place}.", hint)


class InvalidParameter(UsageError):
    """A parameter lies outside what it may be."""

    def __init__(self, name: str, must: str, got: object, hint: str = "") -> None:
        shown = str(got)
        shown = shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "..."
        if isinstance(got, str):  # "5" is not 5, but who types commands gives texts only
            shown = either(f'"{shown}"', shown)
        named = param(name) if name.isidentifier() and name.islower() else name
        either_way = either(
            "its documentation says what can be given.",
            "the command's --help says what can be given.",
        )
        super().__init__(f"{named} must be {must}, got {shown}.", hint or either_way)


class MissingExtra(UsageError, ImportError):
    """Something was asked for that needs a library which only an extra of Privet installs."""

    def __init__(self, what: str, library: str, extra: str, besides: str = "") -> None:
        super().__init__(
            f"{what} {library}, which is not installed.",
            f'install it with: pip install "privet[{extra}]"{besides}',
        )


class InputError(PrivetError):
    """A file, frame or release cannot be read."""

    exit_status = 3


class CriterionNotReached(PrivetError):
    """No release of this table satisfies the criteria."""

    exit_status = 1


class TreeChanged(PrivetError):
    """The tree grown from the released table is not the published one; nothing was published."""

    exit_status = 1


class ClaimNotBorneOut(PrivetError):
    """The written release does not show what it claims; nothing was published."""

    exit_status = 1


class OutputError(PrivetError):
    """The result cannot be written to the place that was named."""


class Loss(UserWarning):
    """Something is left out on the way, and said: the warnings that are Privet's own."""


def _typed(name: str) -> str:
    """A column as it is typed in a list: quoted where a comma or a space would be lost."""
    is_plain = "," not in name and name == name.strip()
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def _some(names: list[str], most: int = 12) -> str:
    shown = ", ".join(map(_typed, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
