"""What a release by leaf must be, said in rows: the slow twin of the conditions on counts.

`released_cells` recodes row by row; `grows_the_same` lets the slow grower, which calls nothing of
`privet.tree`, grow from those rows and compares node by node.
"""

from collections import Counter
from typing import Any

from oracles.random_tables import TARGET, PlainTable
from oracles.slow_grower import SlowGrowth, SlowSettings
from privet.engine import MemoryEngine
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.tree.model import Multiway, Subset, Threshold, Tree


def released_cells(recoding: LeafRecoding, plain: PlainTable) -> dict[str, list[Any]]:
    """The released table as plain cells, by looking up each row's groups one by one."""
    table = plain.table()
    trees = recoding.leaf_counts.trees
    leaves = list(zip(*(tree.leaf_of_rows(table).tolist() for tree in trees), strict=True))
    group_of = {leaf: group for group, leaf in enumerate(recoding.leaf_counts.leaves)}
    cells: dict[str, list[Any]] = {}
    for name in plain.attributes:
        codes = table[name].codes.tolist()
        if name in recoding.columns:
            column = recoding.columns[name]
            pairs = zip(leaves, codes, strict=True)
            new = [int(column.new[group_of[leaf], code]) for leaf, code in pairs]
            cells[name] = [_plain(column.domain, code) for code in new]
        else:
            other = recoding.others[name]
            cells[name] = [_plain(other.domain, int(other.new_of_old[code])) for code in codes]
    cells[TARGET] = plain.cells[TARGET]
    return cells


def _plain(domain: Any, code: int) -> Any:
    if code == domain.missing_code:
        return None
    value = domain.values[code]
    return value if isinstance(value, str) else value.item()


def grows_the_same(expected: Tree, cells: dict[str, list[Any]], ordered: set[str]) -> bool:
    """Whether the slow grower makes the expected tree of these cells."""
    grower = expected.grower
    settings = SlowSettings(
        grower.impurity,
        grower.categories,
        grower.leaves,
        grower.depth,
        grower.min_leaf,
        grower.min_gain,
        grower.response_step or 1.0,
    )
    grown = SlowGrowth(cells, ordered, grower.attributes or (), expected.target, settings).grow()
    if len(grown) != len(expected.nodes):
        return False
    return all(
        (one.weights, one.children, _split(one)) == (two.weights, two.children, two.split)
        for one, two in zip(expected.nodes, grown, strict=True)
    )


def _split(node: Any) -> Any:
    match node.split:
        case Threshold(attribute, _, threshold):
            return ("threshold", attribute, threshold)
        case Subset(attribute, left, right):
            return ("subset", attribute, left, right)
        case Multiway(attribute, branches):
            return ("multiway", attribute, branches)
    return None


def smallest_class(cells: dict[str, list[Any]], columns: list[str]) -> int:
    """K, by counting equal rows."""
    return min(Counter(zip(*(cells[c] for c in columns), strict=True)).values())


def strong_l(cells: dict[str, list[Any]], columns: list[str], sensitive: list[Any]) -> float:
    """L: the least of (records / most frequent sensitive value) over equivalence classes."""
    classes: dict[tuple[Any, ...], Counter[Any]] = {}
    for key, value in zip(zip(*(cells[c] for c in columns), strict=True), sensitive, strict=True):
        classes.setdefault(key, Counter())[value] += 1
    return min(sum(c.values()) / max(c.values()) for c in classes.values())


def engine_of(plain: PlainTable) -> MemoryEngine:
    return MemoryEngine(plain.table())
