"""What the steward asks for when publishing."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal

from privet.criteria import KINDS, Criterion, LDiversity, TCloseness
from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.schema import Schema
from privet.tree.grower import CategorySplits, Impurity

Recoding = Literal["rich", "leaf", "global"]
RECODINGS: tuple[Recoding, ...] = ("rich", "leaf", "global")
OneClass = Literal["forbid", "allow"]
Level = int | float | str  # a decimal text is exact
_MOST_LEAVES_ASKED = 1_000  # of a table with fewer records than that
MOST_LEAVES = 32  # looked at when no number of leaves is asked for

_LEAST = {
    "k": (1, f"{param('k', 1)} asks for no k-anonymity."),
    "leaves": (2, "a tree needs a split."),
    "guard": (1, "1 is growth without guard."),
}
_CHOICES: dict[str, tuple[str, Sequence[str]]] = {
    "recoding": ("rich, leaf or global", RECODINGS),
    "one_class": ("forbid or allow", ("forbid", "allow")),
    "l_kind": ("one of " + ", ".join(KINDS), KINDS),
}


@dataclass(frozen=True)
class PublishSettings:
    """Privacy asked for, and how the tree is grown and kept.

    Sensitive columns are released as they are where l or t is asked for (and so holds), or with
    `release_sensitive`; otherwise they are suppressed. `use_sensitive` offers them to the tree.
    `one_class` says whether equivalence classes of a rich release may have one target value alone,
    `keep` which columns it shall keep best.
    `target_known` counts the target among what an attacker knows. `leaves` None lets
    cross-validation choose among the sizes that pass. `min_leaf` None is 1 for global recoding and
    k for the others. `guard` is the least number of records on which a split may depend
    (`tree.guard`); None is 1, no guard, for global recoding and k for the others. `float32_safe`
    is for growers that work in single precision (scikit-learn): decimals are rounded to it before
    growing, and only values that they read exactly are released.
    """

    k: int = 1
    l: Level | None = None  # noqa: E741
    l_kind: str = "strong"
    t: Level | None = None
    leaves: int | None = None
    impurity: Impurity | None = None
    categories: CategorySplits = "subset"
    min_leaf: int | None = None
    guard: int | None = None
    recoding: Recoding = "rich"
    refine: bool = True
    one_class: OneClass = "forbid"
    keep: str | Sequence[str] = ()
    float32_safe: bool = False
    release_sensitive: bool = False
    use_sensitive: bool = False
    target_known: bool = False

    def __post_init__(self) -> None:
        for name in ("k", "leaves", "min_leaf", "guard"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        for name, (least, hint) in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InvalidParameter(name, f"at least {least}", value, hint)
        for name, (said, choices) in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InvalidParameter(name, said, getattr(self, name))
        named = [self.keep] if isinstance(self.keep, str) else self.keep
        object.__setattr__(self, "keep", tuple(named))

    @property
    def by_leaf(self) -> bool:
        """Whether leaves are recoded on their own: then each of them must be safe alone."""
        return self.recoding != "global"

    @property
    def rich(self) -> bool:
        return self.recoding == "rich"

    @property
    def smallest_leaf(self) -> int:
        if self.min_leaf is not None:
            return self.min_leaf
        return self.k if self.by_leaf else 1

    @property
    def guard_in_force(self) -> int:
        if self.guard is not None:
            return self.guard
        return self.k if self.by_leaf else 1

    def diversity(self) -> LDiversity | None:
        return None if self.l is None else LDiversity(self.l, self.l_kind)

    def closeness(self, ordered: bool) -> TCloseness | None:
        return None if self.t is None else TCloseness(self.t, ordered)

    def criteria_for(self, ordered: bool) -> list[Criterion]:
        """The criteria that a sensitive column must satisfy."""
        asked: list[Criterion | None] = [self.diversity(), self.closeness(ordered)]
        return [criterion for criterion in asked if criterion is not None]

    @property
    def shows_sensitive(self) -> bool:
        """Whether sensitive columns are released as they are: where l or t holds for them."""
        return self.release_sensitive or self.l is not None or self.t is not None

    def asked(self) -> dict[str, Any]:
        """The levels asked for, as the manifest's claims hold them."""
        return {
            "k": self.k if self.k > 1 else None,
            "l": None if self.l is None else _plain(self.l),
            "l_kind": self.l_kind,
            "t": None if self.t is None else _plain(self.t),
            "target_known": self.target_known,
        }

    def check(self, schema: Schema, records: int) -> None:
        """Refuse what cannot be meant."""
        if self.k > records:
            raise InvalidParameter(
                "k", f"at most the number of records ({records})", self.k, "choose a smaller k."
            )
        if self.leaves is not None and self.leaves > max(records, _MOST_LEAVES_ASKED):
            raise InvalidParameter(
                "leaves",
                f"at most {max(records, _MOST_LEAVES_ASKED)}",
                self.leaves,
                "people read trees of tens of leaves; more take long and protect fewer.",
            )
        for name in self.keep:
            if name not in schema.names():
                raise UnknownColumn(name, schema.names())
            if name not in schema.quasi or not self.rich:
                raise UsageError(
                    f"Column '{name}' cannot be kept best: it is no quasi-identifier of a rich "
                    "release.",
                    f"{param('keep')} is for columns that {param('recoding', 'rich')} fills.",
                )
        if (self.l is not None or self.t is not None) and not schema.sensitive:
            what = "l" if self.l is not None else "t"
            raise UsageError(
                f"{what} is asked for, but no sensitive column is named.",
                f"name the columns that nobody should learn: {param('sensitive', 'COLUMN')}.",
            )


def _whole(name: str, value: Any) -> int | None:
    """A setting that is a whole number; all but k may be left open."""
    if value is None and name != "k":
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidParameter(name, "a whole number", value)
    return int(value)


def _plain(value: Level) -> int | float:
    exact = Fraction(str(value))
    return int(exact) if exact.denominator == 1 else float(exact)
