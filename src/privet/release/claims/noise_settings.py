"""The settings of noise as the manifest states them, and whether they are settings at all.

`privet.noise` reads them to draw again; here, below it, a stranger's manifest is held against the
words and numbers that each may be.
"""

from collections.abc import Callable, Mapping
from typing import Any, get_args

from privet.errors import PrivetError
from privet.mechanism.class_laws import TECHNIQUES
from privet.mechanism.noise_laws import ENDS, MOST_SD, Influence, RelativeTo, Scale, Where, Which
from privet.mechanism.shapes import LAWS
from privet.schema import Schema
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings
from privet.tree.relatives import MOST_COUSINS

ORDERS = ("sorted", "kept")
_FORMAT_1 = ("name", "class", "innocent", "influential", "detective", "participation", "strict")


def are_settings(method: Mapping[str, Any], form: int, schema: Schema) -> bool:
    """Whether `method` of a manifest of some format states all settings, and nothing else."""
    may = _what_each_may_be(schema)
    if form == 1:  # stated some of them, and the pruning alone of the trees
        may = {name: may[name] for name in (*_FORMAT_1, "order")} | {"prune": _is_text}
    return set(method) == set(may) and all(may[name](value) for name, value in method.items())


def trees_of(method: Mapping[str, Any]) -> NoiseTreeSettings:
    return NoiseTreeSettings(**method["trees"])


def is_grown_by(tree: Tree, method: Mapping[str, Any], records: int) -> bool:
    """Whether a tree can have been grown from so many records by the settings of the trees."""
    trees = trees_of(method)
    usual = trees.grower(records, tree.grower.attributes or ())
    alike = ("impurity", "categories", "depth", "min_leaf", "min_gain", "mdl")
    return (
        all(getattr(tree.grower, name) == getattr(usual, name) for name in alike)
        and tree.records(tree.root) == records
        and tree.n_leaves <= (trees.leaves or tree.n_leaves)
    )


def _what_each_may_be(schema: Schema) -> dict[str, Callable[[Any], bool]]:
    columns = set(schema.names())
    return {
        "name": lambda v: v == "noise",
        "class": _one_of(TECHNIQUES),
        "innocent": lambda v: v is None or _is_sd(v),
        "which": _one_of(get_args(Which)),
        "where": _one_of(get_args(Where)),
        "ends": _one_of(ENDS),
        "law": _one_of(LAWS),
        "relative_to": _one_of(get_args(RelativeTo)),
        "influential": lambda v: v is None or v in get_args(Influence),
        "influential_sd": _is_sd,
        "influential_scale": _one_of(get_args(Scale)),
        "detective": lambda v: v is None or _is_share(v),
        "participation": _is_share,
        "random_value": _is_share,
        "cousins": lambda v: type(v) is int and 0 <= v <= MOST_COUSINS,
        "floor": _is_share,
        "strict": lambda v: isinstance(v, bool),
        "inside": lambda v: isinstance(v, bool),
        "keep_tree": lambda v: isinstance(v, bool),
        "scales": lambda v: _is_of(v, columns, lambda size: is_number(size) and size > 0),
        "spikes": lambda v: _is_of(v, columns, lambda some: all(map(is_number, some))),
        "together": lambda v: v is None or all(set(group) <= columns for group in v),
        "draw": lambda v: v is None or (isinstance(v, list) and set(v) <= columns),
        "trees": _are_tree_settings,
        "order": _one_of(ORDERS),
    }


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_sd(value: Any) -> bool:
    return is_number(value) and 0 < value <= MOST_SD


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _one_of(words: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _is_of(value: Any, columns: set[str], fits: Callable[[Any], bool]) -> bool:
    """Whether something is told of some columns, and fits for each."""
    return isinstance(value, Mapping) and set(value) <= columns and all(map(fits, value.values()))


def _are_tree_settings(value: Any) -> bool:
    whole = (value["min_leaf"], value["leaves"], value["depth"])
    if not all(number is None or type(number) is int for number in whole):
        return False
    try:
        NoiseTreeSettings(**value)
    except (PrivetError, TypeError):
        return False
    return True
