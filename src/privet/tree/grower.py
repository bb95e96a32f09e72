"""A grower's settings: everything that another program must know to grow the same tree."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from privet.errors import InputError, InvalidParameter

Impurity = Literal["gini", "entropy", "gain-ratio", "c45", "deviance"]
CategorySplits = Literal["subset", "multiway"]

IMPURITIES: tuple[str, ...] = get_args(Impurity)
CATEGORY_SPLITS: tuple[str, ...] = get_args(CategorySplits)
EXHAUSTIVE_UP_TO = 12  # categories, with three classes or more; beyond, a stored order


@dataclass(frozen=True)
class Grower:
    """Settings of the best-first grower. `privet.tree.grow` does the growing.

    `attributes` are the columns offered, in the order that breaks ties. `category_orders` holds,
    for columns with too many categories to try all subsets, the order they are cut in.
    `response_step` is the grid of a numeric response; None lets the grower choose and record it.
    `mdl`, for the impurity c45, makes a cut between numbers pay for being chosen among many.

    >>> grower = privet.Grower(impurity="entropy", leaves=8, min_leaf=5)
    >>> grower.leaves
    8
    """

    impurity: Impurity = "gini"
    categories: CategorySplits = "subset"
    leaves: int | None = None
    depth: int | None = None
    min_leaf: int = 1
    min_gain: float = 0.0
    attributes: tuple[str, ...] | None = None
    category_orders: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    response_step: float | None = None
    mdl: bool = False

    def __post_init__(self) -> None:
        if self.impurity not in IMPURITIES:
            raise InvalidParameter("impurity", "one of " + ", ".join(IMPURITIES), self.impurity)
        if self.categories not in CATEGORY_SPLITS:
            must = "one of " + ", ".join(CATEGORY_SPLITS)
            raise InvalidParameter("categories", must, self.categories)
        for name, least in (("leaves", 1), ("depth", 0), ("min_leaf", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InvalidParameter(name, f"at least {least}", value)
        if not 0 <= self.min_gain < float("inf"):
            raise InvalidParameter("min_gain", "a number from 0 on", self.min_gain)
        if self.mdl and self.impurity != "c45":
            raise InvalidParameter("mdl", "left out, but with the impurity c45", self.mdl)
        if self.response_step is not None and math.frexp(self.response_step)[0] != 0.5:
            raise InvalidParameter("response_step", "a power of two", self.response_step)

    def describe(self) -> dict[str, Any]:
        """The settings as plain data, as model.json and the manifest hold them."""
        described = {
            "name": "privet-best-first",
            "impurity": self.impurity,
            "categories": self.categories,
            "leaves": self.leaves,
            "depth": self.depth,
            "min_leaf": self.min_leaf,
            "min_gain": self.min_gain,
            "attributes": list(self.attributes or ()),
            "category_orders": {c: list(o) for c, o in self.category_orders.items()},
            "response_step": self.response_step,
        }
        return {**described, "mdl": self.mdl} if self.impurity == "c45" else described

    @classmethod
    def from_description(cls, raw: Mapping[str, Any]) -> "Grower":
        if raw.get("name") != "privet-best-first":
            raise InputError(
                "The grower of this model is not one that Privet knows.",
                "a newer Privet may have written it.",
            )
        try:
            _check_types(raw)
            return cls(
                impurity=raw["impurity"],
                categories=raw["categories"],
                leaves=raw["leaves"],
                depth=raw["depth"],
                min_leaf=raw["min_leaf"],
                min_gain=raw["min_gain"],
                attributes=tuple(raw["attributes"]),
                category_orders={c: tuple(o) for c, o in raw["category_orders"].items()},
                response_step=raw["response_step"],
                mdl=raw.get("mdl", False),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, InvalidParameter):
            raise InputError(
                "The grower of this model lacks a setting or holds one of a wrong type.",
                "the file may have been edited; ask for the original release.",
            ) from None


def _check_types(raw: Mapping[str, Any]) -> None:
    """Refuse settings of a wrong type: they were read from a file."""
    whole: tuple[type, ...] = (int, type(None))
    types: dict[str, tuple[type, ...]] = {
        "leaves": whole,
        "depth": whole,
        "min_leaf": (int,),
        "min_gain": (int, float),
        "response_step": (int, float, type(None)),
        "attributes": (list,),
    }
    if not isinstance(raw.get("mdl", False), bool):
        raise TypeError("mdl")
    for name, allowed in types.items():
        if not isinstance(raw[name], allowed) or isinstance(raw[name], bool):
            raise TypeError(name)
    labels = [label for order in raw["category_orders"].values() for label in order]
    names = [*raw["attributes"], *raw["category_orders"]]
    if not all(isinstance(name, str) for name in [*names, *(x for x in labels if x is not None)]):
        raise TypeError("names and categories are texts")
    if len(set(raw["attributes"])) < len(raw["attributes"]):
        raise ValueError("each attribute is named once")
