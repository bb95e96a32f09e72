"""The single ways to grow a tree of originals from perturbed records, under one face.

`choose` tries several and takes one; `evidence` says how large the tree may be.
"""

from typing import Any, Literal, get_args

from privet.engine import MemoryEngine
from privet.mechanism.substitution import Substitution
from privet.schema import Schema
from privet.substitution.by_node import ByNodeCounts
from privet.substitution.estimated import EstimatedCounts, adding_up
from privet.substitution.rebuild import modelled, sorted_and_dealt
from privet.substitution.stacked import grow_from_best_stack
from privet.table import Table
from privet.tree import Grower, Tree, grow

Way = Literal[
    "perturbed", "global", "by-class", "by-node", "modelled", "stacked", "estimated", "auto"
]
CLASSES_OF_NUMBERS = 20  # a target of more numbers is no target of classes
WAYS: tuple[str, ...] = get_args(Way)
_LEAF_SHARE = 200  # a leaf has at least one record in so many,
_LEAST_LEAF = 50  # and in small tables so many records, as far as they go round;
_LEAST_STACKED = 25  # fewer for a tree that is pruned afterwards


def settings_for_perturbed(n: int, leaves: int | None = None, way: str = "") -> Grower:
    """Stopping that suits perturbed records: entropy, and no leaf under half a per cent of them."""
    fewest = _LEAST_STACKED if way == "stacked" else _LEAST_LEAF
    least = max(1, n // _LEAF_SHARE, min(fewest, n // 10))
    return Grower(impurity="entropy", leaves=leaves, min_leaf=least)


def grown(
    table: Table, mechanism: Substitution, schema: Schema, grower: Grower, way: str, seed: int
) -> Tree:
    """The tree by one way, as large as the grower lets it become."""
    target = schema.target
    if way == "stacked":
        return grow_from_best_stack(table, mechanism, schema, grower, seed)[0]
    engine: Any
    if way == "by-node":
        engine = ByNodeCounts(table, mechanism, target, seed=seed)
    elif way == "estimated":
        return adding_up(grow(EstimatedCounts(table, mechanism, target), schema, grower))
    elif way == "modelled":
        engine = MemoryEngine(modelled(table, mechanism, target, seed))
    elif way == "perturbed":
        engine = MemoryEngine(table)
    else:
        engine = MemoryEngine(
            sorted_and_dealt(table, mechanism, target, way == "by-class", seed=seed)
        )
    return grow(engine, schema, grower)
