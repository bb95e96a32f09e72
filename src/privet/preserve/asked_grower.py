"""By which program a tree shall be grown: what can be asked of each, and what it is called.

With "privet" (the default) a tree is grown for the release: with a guard, and with l and t in its
leaves. With another program it is the tree that this program grows from the original table, and the
program must grow it again from the release (`outside`).
"""

from typing import TYPE_CHECKING, Any, Literal

from privet.errors import UsageError, param
from privet.tree.foreign import require
from privet.tree.foreign.fitted import FittedTree

if TYPE_CHECKING:
    from privet.preserve.settings import PublishSettings

GrowerName = Literal["privet", "sklearn", "rpart", "j48"]
AskedGrower = GrowerName | FittedTree | Any  # Any: a fitted estimator of scikit-learn
GROWERS: tuple[GrowerName, ...] = ("privet", "sklearn", "rpart", "j48")
PROGRAMS = {"sklearn": "sklearn", "rpart": "rpart", "j48": "weka"}  # as `privet verify` names them
TITLES = {"sklearn": "scikit-learn", "rpart": "rpart", "j48": "J48"}
_IMPURITIES = {
    "sklearn": (None, "gini", "entropy", "deviance"),
    "rpart": (None, "gini", "entropy", "deviance"),
    "j48": (None, "c45"),  # J48 has this rule alone, a branch for each category, and no theorem
}


def follows_from(settings: "PublishSettings") -> dict[str, Any]:
    """What the program decides of the other settings; refuses what it cannot be asked for."""
    name, fitted = settings.program, settings.fitted
    if name == "privet":
        return {}
    title = TITLES[name]
    if settings.guard not in (None, 1):
        raise UsageError(
            f"{title} grows its tree without a guard.",
            f"leave out {param('guard')}, or take {param('grower', 'privet')}.",
        )
    asked = [(settings.impurity, settings.categories)]
    asked += [(tree.impurity, tree.categories or "subset") for tree in settings.further]
    for impurity, categories in asked:
        _refuse_impurity(name, impurity)
        if categories == "multiway" and name != "j48":
            raise UsageError(
                f"{title} does not know splits with a branch for each category.",
                f"take {param('categories', 'subset')}.",
            )
    if fitted is not None:
        return _of_fitted(settings, fitted)
    if name == "sklearn":
        return {"float32_safe": True}
    if name == "rpart":
        return {}
    if settings.recoding == "leaf":
        raise UsageError(
            "Leaf recoding keeps no tree of J48: its average gain couples the columns.",
            f"{param('recoding', 'global')} is tried, and J48 asked.",
        )
    return {"impurity": "c45", "categories": "multiway", "recoding": "global", "keep": ()}


def _refuse_impurity(name: str, impurity: str | None) -> None:
    if impurity not in _IMPURITIES[name]:
        known = [word for word in _IMPURITIES[name] if word is not None]
        raise UsageError(
            f"{TITLES[name]} does not grow trees by {impurity}.", f"known are {', '.join(known)}."
        )


def _of_fitted(settings: "PublishSettings", fitted: FittedTree) -> dict[str, Any]:
    """A fitted tree says itself how it was grown; of its leaves fewer may be asked for."""
    for name in ("impurity", "min_leaf"):
        if getattr(settings, name) not in (None, getattr(fitted, name)):
            raise UsageError(
                f"The fitted tree was grown with another {param(name)}.",
                f"leave out {param(name)}: the fitted tree says it.",
            )
    if settings.further:
        raise UsageError(
            "A fitted tree is kept alone, without further trees.",
            f"{param('grower', 'sklearn')} grows several.",
        )
    return {
        "float32_safe": True,
        "impurity": fitted.impurity,
        "min_leaf": fitted.min_leaf,
        "leaves": settings.leaves or fitted.leaves,
    }


def require_grower(settings: "PublishSettings") -> None:
    """An error with a hint if the program is not on this machine."""
    if settings.program != "privet":
        require(PROGRAMS[settings.program])
