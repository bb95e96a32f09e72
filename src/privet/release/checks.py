"""What verifying answers: a `Check` for each thing that was looked at, and all of them together."""

from dataclasses import dataclass
from typing import Any, Literal

from privet.shown import html_table

Answer = Literal["yes", "no", "attested"]

SAME_TREE = "same-tree"
_LONGEST = 400  # characters of a name or a figure that a stranger wrote


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and the answer; fit to be shown on any terminal."""

    name: str
    answer: Answer
    detail: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", printable(self.name))
        object.__setattr__(self, "detail", printable(self.detail))

    def to_data(self) -> dict[str, str]:
        return {"name": self.name, "answer": self.answer, "detail": self.detail}


@dataclass(frozen=True)
class Verification:
    """All checks of a release. It holds if none of them says no."""

    checks: tuple[Check, ...]

    def __repr__(self) -> str:
        wrong = sum(check.answer == "no" for check in self.checks)
        found = f"NO: {wrong} of {len(self.checks)} checks failed" if wrong else "YES"
        return f"<Verification of {len(self.checks)} checks: {found}>"

    def _repr_html_(self) -> str:
        rows = [(check.answer, check.name, check.detail) for check in self.checks]
        return html_table([("answer", "check", "detail"), *rows])

    @property
    def holds(self) -> bool:
        return all(check.answer != "no" for check in self.checks)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def first_no(self) -> Check | None:
        return next((check for check in self.checks if check.answer == "no"), None)

    def to_data(self) -> dict[str, Any]:
        same = [c.answer == "yes" for c in self.checks if is_of_tree(c.name)]
        return {
            "holds": self.holds,
            "same_tree": bool(same) and all(same),
            "checks": [check.to_data() for check in self.checks],
        }


def is_of_tree(name: str) -> bool:
    """Whether a check is that a tree grows again; where there are several, each has its own."""
    return name.partition(" (")[0] == SAME_TREE


def yes_or_no(name: str, holds: bool, if_yes: str, if_no: str) -> Check:
    return Check(name, "yes", if_yes) if holds else Check(name, "no", if_no)


def printable(text: str) -> str:
    """A text that moves no cursor and breaks no line, however it came into a file."""
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:_LONGEST])
    shown = shown.encode("utf-8", "backslashreplace").decode()
    return shown + (" ..." if len(text) > _LONGEST else "")
