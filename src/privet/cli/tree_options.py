"""How trees are grown: the options that `tree`, `publish`, `explore` and `noise` share.

What happens without an option differs between commands, so the options that say it in their help
are made by functions.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from privet.cli.choices import CategorySplits, Impurity, Pruning
from privet.cli.options import flag, option
from privet.errors import InvalidParameter, UsageError
from privet.words import SETTINGS

if TYPE_CHECKING:
    from privet.tree import Grower

DEFAULT_LEAVES = 16
LEAVES_TO_PRUNE = 256


def leaves_option(otherwise: str) -> Any:
    return option("--leaves", "M", f"At most M leaves{otherwise}.")


def min_leaf_option(otherwise: str = "") -> Any:
    return option("--min-leaf", "N", f"At least N records in each leaf{otherwise}.")


def guard_option(otherwise: str = "") -> Any:
    return option(
        "--guard",
        "G",
        f"{SETTINGS['guard']}{otherwise}.",
    )


ImpurityOption = Annotated[
    Impurity | None,
    option(
        "--impurity",
        "NAME",
        "gini, entropy, gain-ratio, c45 or deviance; gini for classes, deviance for numbers.",
    ),
]
CategoriesOption = Annotated[
    CategorySplits, option("--categories", "MODE", "Category splits: subset or multiway.")
]
MdlOption = Annotated[
    bool, flag("--mdl", "With c45: a cut between numbers pays for being chosen among many.")
]
DepthOption = Annotated[int | None, option("--depth", "D", "At most D splits on a path.")]


@dataclass(frozen=True, kw_only=True)
class GrowthOptions:
    """How the tree of `privet tree` is grown."""

    impurity: ImpurityOption = None
    categories: CategoriesOption = "subset"
    leaves: Annotated[
        int | None,
        leaves_option(
            f"; {DEFAULT_LEAVES} when nothing else limits the growth "
            f"({LEAVES_TO_PRUNE} when the tree is pruned)"
        ),
    ] = None
    min_leaf: Annotated[
        int | None, min_leaf_option("; with c45 without it 2, or 1 % of the table if that is more")
    ] = None
    depth: DepthOption = None
    min_gain: Annotated[
        float | None, option("--min-gain", "G", "Least gain of a split, per record.")
    ] = None
    guard: Annotated[int, guard_option()] = 1
    mdl: MdlOption = False

    @property
    def limits(self) -> dict[str, Any]:
        """What limits the growth, by the names of a grower."""
        given = {
            "leaves": self.leaves,
            "depth": self.depth,
            "min_leaf": self.min_leaf,
            "min_gain": self.min_gain,
        }
        return {name: value for name, value in given.items() if value is not None}

    def check(self) -> None:
        """Refuse wrong settings before a table is read."""
        from privet.tree.guard import Guard

        Guard(self.guard)
        self.grower(self.impurity or "gini", to_prune=False, records=0)

    def grower(self, impurity: Impurity, to_prune: bool, records: int) -> "Grower":
        """The settings of the tree of a table with so many records."""
        from privet.tree import Grower
        from privet.tree.natural import min_leaf_of_c45

        limits = self.limits or {"leaves": LEAVES_TO_PRUNE if to_prune else DEFAULT_LEAVES}
        if impurity == "c45":
            limits = {"min_leaf": min_leaf_of_c45(records), **limits}
        return Grower(impurity, self.categories, **limits, mdl=self.mdl)


@dataclass(frozen=True, kw_only=True)
class PruningOptions:
    """How the tree of `privet tree` is pruned."""

    prune: Annotated[
        Pruning | None,
        option(
            "--prune",
            "METHOD",
            "none, pessimistic or cost-complexity; none, but pessimistic with c45 when nothing "
            "limits the growth.",
        ),
    ] = None
    alpha: Annotated[
        float | None, option("--alpha", "A", "Of cost-complexity; else cross-validated.")
    ] = None

    def check(self) -> None:
        """Refuse an alpha that means nothing."""
        if self.alpha is not None and self.prune != "cost-complexity":
            raise UsageError(
                "--alpha is for cost-complexity pruning alone.",
                "give --prune cost-complexity as well.",
            )
        if self.alpha is not None and not 0 <= self.alpha < float("inf"):
            raise InvalidParameter(
                "--alpha", "a number from 0 on", self.alpha, "0.01 is a usual start."
            )

    def method(self, growth: GrowthOptions) -> Pruning:
        """How a tree of this growth is pruned: C4.5 grows to the end and prunes."""
        if self.prune is not None:
            return self.prune
        return "pessimistic" if growth.impurity == "c45" and not growth.limits else "none"
