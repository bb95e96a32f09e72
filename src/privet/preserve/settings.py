"""What the steward asks for when publishing a table with its tree."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

from privet.errors import InvalidParameter, UsageError, param
from privet.preserve.asked_grower import GROWERS, AskedGrower, follows_from
from privet.preserve.asked_trees import TreeAsked, Trees, asked_trees
from privet.preserve.privacy import ONE_CLASS, Level, OneClass, PrivacySettings
from privet.schema import Schema
from privet.tree.foreign.fitted import FittedTree, fitted_tree
from privet.tree.grower import CategorySplits, Impurity

__all__ = [
    "MOST_LEAVES",
    "RECODINGS",
    "Level",
    "OneClass",
    "PublishSettings",
    "Recoding",
    "TreeAsked",
    "Trees",
]
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
    interrupt where one is given, the best tree so far is taken. `trees` are further trees that the
    same table keeps (`TreeAsked`, a mapping or a text each). Before anything is grown, a numeric
    target (of the first tree) is rounded to steps of `target_step` and, with `normalise_target`,
    brought between 0 and 1. `grower` is the program whose tree is kept (`asked_grower`), or
    a fitted tree of scikit-learn.
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
    trees: Trees = ()
    target_step: Level | None = None
    normalise_target: bool = False
    grower: AskedGrower = "privet"
    rounds_targets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._be_whole("leaves", "a tree needs a split.", least=2)
        self._be_whole("min_leaf", least=None)
        self._be_whole("guard", "1 is growth without guard.")
        self._be_one_of("recoding", RECODINGS)
        object.__setattr__(self, "trees", asked_trees(self.trees))
        self._take_from_grower()
        if self.impurity == "c45" and self.program != "j48":
            raise UsageError(
                "The same tree cannot be promised with the impurity c45: its average gain couples "
                "the columns.",
                f"{param('impurity', 'gain-ratio')} scores every split by itself; `privet tree` "
                "and `privet noise` know c45.",
            )
        if self.time_limit is not None and not 0 < self.time_limit < float("inf"):
            raise InvalidParameter(
                "time_limit", "a number of seconds above 0", self.time_limit, "60 is a minute."
            )
        self._be_one_of("one_class", ONE_CLASS)
        if self.target_step is not None:
            _ = self.step  # refuses what is none
        self.of_each_tree()  # refuses what cannot be asked of a further one

    def _take_from_grower(self) -> None:
        """The program whose tree is kept, and what follows from it for other settings."""
        if not isinstance(self.grower, str | FittedTree):
            object.__setattr__(self, "grower", fitted_tree(self.grower))
        if isinstance(self.grower, str):
            self._be_one_of("grower", GROWERS)
        for name, value in follows_from(self).items():
            object.__setattr__(self, name, value)

    @property
    def program(self) -> str:
        """The name of the program whose tree is kept."""
        return "sklearn" if isinstance(self.grower, FittedTree) else str(self.grower)

    @property
    def fitted(self) -> FittedTree | None:
        """The tree that is to be kept as it was fitted."""
        return self.grower if isinstance(self.grower, FittedTree) else None

    @property
    def outside(self) -> bool:
        """Whether the tree is that of another program."""
        return self.program != "privet"

    @property
    def step(self) -> Fraction | None:
        """The step of the target, exactly."""
        if self.target_step is None:
            return None
        try:
            step = Fraction(str(self.target_step))
        except (ValueError, ZeroDivisionError):
            step = Fraction(0)
        if step <= 0 or isinstance(self.target_step, bool):
            raise InvalidParameter(
                "target_step", "a number above 0", self.target_step, "10 rounds to tens."
            )
        return step

    @property
    def reshapes_target(self) -> bool:
        return self.target_step is not None or self.normalise_target

    def of_each_tree(self) -> list["PublishSettings"]:
        """The settings of the first tree and of each further one, as if each were alone."""
        if not self.further:
            return [self]
        first = replace(self, trees=())
        others = [
            replace(
                first,
                leaves=tree.leaves,
                impurity=tree.impurity,
                categories=tree.categories or self.categories,
                min_leaf=self.min_leaf if tree.min_leaf is None else tree.min_leaf,
            )
            for tree in self.further
        ]
        return [first, *others]

    @property
    def further(self) -> tuple[TreeAsked, ...]:
        """The trees that are kept besides the first."""
        return asked_trees(self.trees)

    @property
    def more_targets(self) -> list[str]:
        return [tree.target for tree in self.further if tree.target is not None]

    def targets(self, first: str) -> list[str]:
        """The target of each tree."""
        return [first, *(tree.target or first for tree in self.further)]

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
        return self.k if self.by_leaf and not self.outside else 1

    def check(self, schema: Schema, records: int) -> None:
        """Refuse what cannot be meant."""
        super().check(schema, records)
        most = max(records, _MOST_LEAVES_ASKED)
        for leaves in (asked.leaves for asked in self.of_each_tree()):
            if leaves is not None and leaves > most:
                raise InvalidParameter(
                    "leaves",
                    f"at most {most}",
                    leaves,
                    "people read trees of tens of leaves; more take long and protect fewer.",
                )
        if self.keep and not self.rich:
            raise UsageError(
                f"Column '{self.keep[0]}' cannot be kept best: this is no rich release.",
                f"{param('keep')} is for columns that {param('recoding', 'rich')} fills.",
            )
