"""What the steward asks for when publishing a table with its tree."""

from dataclasses import dataclass
from typing import Literal

from privet.errors import InvalidParameter, UsageError, param
from privet.preserve.privacy import ONE_CLASS, Level, OneClass, PrivacySettings
from privet.schema import Schema
from privet.tree.grower import CategorySplits, Impurity

__all__ = ["MOST_LEAVES", "RECODINGS", "Level", "OneClass", "PublishSettings", "Recoding"]
Recoding = Literal["rich", "leaf", "global"]
RECODINGS: tuple[Recoding, ...] = ("rich", "leaf", "global")
_MOST_LEAVES_ASKED = 1_000  # of a table with fewer records than that
MOST_LEAVES = 32  # looked at when no number of leaves is asked for


@dataclass(frozen=True)
class PublishSettings(PrivacySettings):
    """Privacy asked for (`PrivacySettings`), and how the tree is grown and kept.

    `use_sensitive` offers sensitive columns to the tree.
    `one_class` says whether equivalence classes of a rich release may have one target value alone,
    `keep` which columns it shall keep best. `leaves` None lets
    cross-validation choose among the sizes that pass. `min_leaf` None is 1 for global recoding and
    k for the others. `guard` is the least number of records on which a split may depend
    (`tree.guard`); None is 1, no guard, for global recoding and k for the others. `float32_safe`
    is for growers that work in single precision (scikit-learn): decimals are rounded to it before
    growing, and only values that they read exactly are released. After `time_limit` seconds, or an
    interrupt where one is given, the best tree so far is taken.
    """

    leaves: int | None = None
    impurity: Impurity | None = None
    categories: CategorySplits = "subset"
    min_leaf: int | None = None
    guard: int | None = None
    recoding: Recoding = "rich"
    refine: bool = True
    one_class: OneClass = "forbid"
    float32_safe: bool = False
    use_sensitive: bool = False
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._be_whole("leaves", "a tree needs a split.", least=2)
        self._be_whole("min_leaf", least=None)
        self._be_whole("guard", "1 is growth without guard.")
        self._be_one_of("recoding", RECODINGS)
        if self.time_limit is not None and not 0 < self.time_limit < float("inf"):
            raise InvalidParameter(
                "time_limit", "a number of seconds above 0", self.time_limit, "60 is a minute."
            )
        self._be_one_of("one_class", ONE_CLASS)

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

    def check(self, schema: Schema, records: int) -> None:
        """Refuse what cannot be meant."""
        super().check(schema, records)
        if self.leaves is not None and self.leaves > max(records, _MOST_LEAVES_ASKED):
            raise InvalidParameter(
                "leaves",
                f"at most {max(records, _MOST_LEAVES_ASKED)}",
                self.leaves,
                "people read trees of tens of leaves; more take long and protect fewer.",
            )
        if self.keep and not self.rich:
            raise UsageError(
                f"Column '{self.keep[0]}' cannot be kept best: this is no rich release.",
                f"{param('keep')} is for columns that {param('recoding', 'rich')} fills.",
            )
