"""Further trees to keep in the same table: what is asked of each, and how it is written.

The first tree is what the other settings ask for (`settings`). A further one is written as a
mapping, or as a text such as "target=income, leaves=6, impurity=entropy".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from privet.errors import UsageError, param
from privet.tree.grower import CATEGORY_SPLITS, IMPURITIES, CategorySplits, Impurity

_WHOLE = ("leaves", "min_leaf")


@dataclass(frozen=True)
class TreeAsked:
    """One further tree: a target and how it is grown.

    Without a target it is that of the first tree. `impurity` None follows from the target, `leaves`
    None lets cross-validation choose; what else is left open is as in the first tree.
    """

    target: str | None = None
    leaves: int | None = None
    impurity: Impurity | None = None
    categories: CategorySplits | None = None
    min_leaf: int | None = None

    def __post_init__(self) -> None:
        for name, choices in (("impurity", IMPURITIES), ("categories", CATEGORY_SPLITS)):
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise UsageError(
                    f"A further tree cannot have {name} '{str(value)[:40]}'.",
                    f"{name} is one of {', '.join(choices)}.",
                )

    @classmethod
    def of(cls, given: "TreeAsked | Mapping[str, Any] | str") -> "TreeAsked":
        """A tree from a mapping of its settings, or from a text."""
        if isinstance(given, TreeAsked):
            return given
        settings = _settings_of(given) if isinstance(given, str) else dict(given)
        unknown = sorted(set(map(str, settings)) - set(_names()))
        if unknown:
            raise UsageError(
                f"A tree has no setting '{unknown[0][:40]}'.",
                f"{param('trees')} takes {', '.join(_names())}.",
            )
        return cls(**settings)


Trees = str | Mapping[str, Any] | TreeAsked | Sequence[str | Mapping[str, Any] | TreeAsked]


def asked_trees(given: Trees) -> tuple[TreeAsked, ...]:
    """Further trees as they were given, one or several."""
    several = [given] if isinstance(given, str | Mapping | TreeAsked) else given
    return tuple(map(TreeAsked.of, several or ()))


def _names() -> list[str]:
    return [field.name for field in fields(TreeAsked)]


def _settings_of(text: str) -> dict[str, Any]:
    """ "target=income,leaves=6" by its settings; a comma inside a name of a column is no end. A
    name that looks like settings, or has a space at an end, is quoted; a quote in it is doubled."""
    found: dict[str, Any] = {}
    names = "|".join(_names()).replace("_", "[-_]")
    setting = re.compile(
        rf'\s*([\w-]+)\s*=\s*(?:"((?:[^"]|"")+)"|(.+?))\s*(?:\Z|,(?=\s*(?:{names})\s*=))'
    )
    end = 0
    while end < len(text) or not found:
        part = setting.match(text, end)
        name = "" if part is None else part[1].replace("-", "_")
        if part is None or name in found:
            raise UsageError(
                "A tree is written as settings with their values, each once.",
                'for example "target=income,leaves=6,impurity=entropy".',
            )
        value = part[3] if part[2] is None else part[2].replace('""', '"')
        found[name] = _whole(name, value) if name in _WHOLE else value
        end = part.end()
    return found


def _whole(name: str, text: str) -> int:
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise UsageError(
            f"A further tree cannot have {name} '{text[:40]}'.", f"{name} takes a whole number."
        )
    return int(text)
