"""Every exception of Privet.

    PrivetError
    ├── UsageError             exit 2   the caller asked for something that cannot be
    │   ├── UnknownColumn
    │   └── InvalidParameter
    ├── InputError             exit 3   a file or frame that is no table, schema or release
    ├── CriterionNotReached    exit 1   the privacy asked for cannot be had from this table
    ├── TreeChanged            exit 1   the tree that grows from the written file is another one
    ├── ClaimNotBorneOut       exit 1   the written file does not show what was to be claimed
    └── OutputError            exit 2   the release cannot be written where it should go

A message is one sentence that names the parameter or column, what it must be and what it got;
the hint says what to do next. No message ever holds a cell value.
"""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST_SHOWN = 80


class PrivetError(Exception):
    """Anything that Privet reports to its user on purpose."""

    exit_status = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message


class UsageError(PrivetError):
    """The call cannot be carried out as it was made."""


class UnknownColumn(UsageError):
    """A column was named that the table does not have."""

    def __init__(self, name: str, known: Iterable[str], where: str = "") -> None:
        names = list(known)
        near = get_close_matches(name, names, n=1)
        place = f" (named in {where})" if where else ""
        hint = f"did you mean '{near[0]}'?" if near else "the columns are: " + _some(names)
        super().__init__(f"The table has no column '{name}'{place}.", hint)


class InvalidParameter(UsageError):
    """A parameter lies outside what it may be."""

    def __init__(self, name: str, must: str, got: object, hint: str = "") -> None:
        shown = str(got)
        shown = shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "..."
        super().__init__(
            f"{name} must be {must}, got {shown}.",
            hint or "the command's --help says what can be given.",
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


def _some(names: list[str], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
