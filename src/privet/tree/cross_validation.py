"""Ten-fold cross-validation of a growing tree: its error at every number of leaves.

Each fold is grown once to the largest size; smaller sizes are its beginnings. Folds are dealt along
the sorted records, so that the order of rows does not matter.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from privet.arrays import Floats, Integers
from privet.engine import AnyOf, Between, Condition, Engine, Region, SqlEngine
from privet.schema import Schema
from privet.table import Domain, Table
from privet.tree.model import Tree

FOLDS = 10


@dataclass(frozen=True)
class Score:
    """The mean loss of a size over all records (share of wrong classes, or squared error of the
    response scaled to about one), and its standard error. `quality` is the accuracy, or R2."""

    loss: float
    standard_error: float
    quality: float


def cross_validate(
    table: Table, schema: Schema, sizes: list[int], grow_on: Callable[[Table], Tree]
) -> dict[int, Score]:
    """For each size the cross-validated score; `grow_on` grows a tree from nine folds."""
    folds = deal_folds(table, schema, min(FOLDS, table.n_rows))

    def trees() -> Iterator[tuple[Tree, Floats]]:
        for fold in range(int(folds.max()) + 1):
            tree = grow_on(table.take(np.flatnonzero(folds != fold)))
            held_out = table.take(np.flatnonzero(folds == fold))
            yield tree, _counts_by_node(tree, _counts_by_leaf(tree, held_out))

    return _scores(table[schema.target].domain, table.n_rows, sizes, trees())


def cross_validate_on_disk(
    engine: SqlEngine, schema: Schema, sizes: list[int], grow_on: Callable[[Engine], Tree]
) -> dict[int, Score]:
    """The same for a table on disk, with the same folds."""
    target, number = schema.target, min(FOLDS, engine.n_rows())
    others = [name for name in schema.names() if name != target and name in engine.columns()]

    def trees() -> Iterator[tuple[Tree, Floats]]:
        for training, held_out in engine.folds((target, *others), number):
            tree = grow_on(training)
            regions = leaf_regions(tree, {name: engine.domain(name) for name in engine.columns()})
            counts = np.zeros((len(tree.nodes), engine.domain(target).size))
            counts[list(regions)] = held_out.spread(target, list(regions.values()))
            yield tree, _counts_by_node(tree, counts)

    return _scores(engine.domain(target), engine.n_rows(), sizes, trees())


def leaf_regions(tree: Tree, domains: Mapping[str, Domain]) -> dict[int, Region]:
    """The region of each leaf among any records: values that a node has not seen go to its larger
    child, as in `Tree.leaf_of_rows`."""
    regions: dict[int, Region] = {0: ()}
    for node in tree.nodes:
        if node.split is None:
            continue
        name, above = node.split.attribute, regions.pop(node.id)
        child_of = node.split.child_of_codes(domains[name], tree.default_child(node))
        for number, child in enumerate(node.children):
            codes = np.flatnonzero(child_of == number).tolist()
            condition: Condition = AnyOf(name, frozenset(codes))
            if codes and codes[-1] - codes[0] + 1 == len(codes):
                condition = Between(name, codes[0], codes[-1])
            regions[child] = (*above, condition)
    return regions


def _scores(
    target: Domain, n: int, sizes: list[int], trees: Iterable[tuple[Tree, Floats]]
) -> dict[int, Score]:
    """The scores from the tree of each fold and the counts, by node, of those left out of it."""
    total = {size: np.zeros(2) for size in sizes}  # sum of losses, sum of their squares
    truth_total = np.zeros(3)
    exponent = _exponent(target)
    for tree, counts in trees:
        numbers = _scaled(target, exponent) if tree.is_regression else None
        losses = _losses_by_node(tree, counts, numbers, exponent)
        for size in sizes:
            total[size] += losses[tree.leaves_of_prefix(size)].sum(axis=0)
        if numbers is not None:
            here = counts[0]
            truth_total += [here.sum(), (here * numbers).sum(), (here * numbers**2).sum()]
    deviation = truth_total[2] - truth_total[1] ** 2 / max(truth_total[0], 1)
    return {size: _score(sums, n, deviation) for size, sums in total.items()}


def one_standard_error(scores: Mapping[int, Score]) -> int:
    """The smallest size whose loss is within one standard error of the least."""
    best = min(scores.values(), key=lambda score: score.loss)
    return min(s for s, score in scores.items() if score.loss <= best.loss + best.standard_error)


def deal_folds(table: Table, schema: Schema, folds: int) -> Integers:
    """The fold of each record: dealt in turn along the sorted records."""
    others = [name for name in schema.names() if name != schema.target and name in table]
    keys = [table[name].codes for name in (schema.target, *others)]
    order = np.lexsort(keys[::-1])
    dealt = np.empty(table.n_rows, dtype=np.int64)
    dealt[order] = np.arange(table.n_rows) % folds
    return dealt


def _counts_by_leaf(tree: Tree, table: Table) -> Floats:
    """Records of each target value that reach each leaf; a row of zeros for other nodes."""
    size = table[tree.target].domain.size
    index = tree.leaf_of_rows(table) * size + table[tree.target].codes
    counts = np.bincount(index, minlength=len(tree.nodes) * size)
    return counts.reshape(-1, size).astype(float)


def _counts_by_node(tree: Tree, counts: Floats) -> Floats:
    """Records of each target value that pass through each node, from those of the leaves."""
    for node in reversed(tree.nodes):
        if node.parent is not None:
            counts[node.parent] += counts[node.id]
    return counts


def _losses_by_node(tree: Tree, counts: Floats, numbers: Floats | None, exponent: int) -> Floats:
    """If each node were a leaf: the sum of its losses and of their squares."""
    losses = np.zeros((len(tree.nodes), 2))
    for node in tree.nodes:
        here = counts[node.id]
        if numbers is None:
            assert tree.classes is not None
            wrong = here.sum() - here[tree.classes.index(tree.prediction(node))]
            losses[node.id] = wrong
        else:
            squared = (numbers - math.ldexp(tree.mean(node), -exponent)) ** 2
            losses[node.id] = (here * squared).sum(), (here * squared**2).sum()
    return losses


def _exponent(domain: Domain) -> int:
    """The power of two that the largest number of a response is near to; 0 for classes."""
    if not domain.kind.is_ordered or len(domain.values) == 0:
        return 0
    return math.frexp(float(np.abs(domain.values.astype(np.float64)).max()))[1]


def _scaled(domain: Domain, exponent: int) -> Floats:
    """A response divided by a power of two, so that fourth powers of errors fit into floats."""
    return np.ldexp(domain.values.astype(np.float64), -exponent)


def _score(sums: Floats, n: int, deviation: float) -> Score:
    mean = float(sums[0]) / n
    variance = max(float(sums[1]) / n - mean * mean, 0.0)
    regression = deviation > 0
    quality = 1 - float(sums[0]) / deviation if regression else 1 - mean
    return Score(mean, math.sqrt(variance / n), quality)
