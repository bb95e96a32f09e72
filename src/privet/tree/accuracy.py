"""How well a tree fits records: those that grew it, or those of any table. Rounded once."""

from fractions import Fraction

import numpy as np

from privet.engine.protocol import Engine
from privet.table import Table, stretches_of
from privet.tree.model import Node, Tree
from privet.tree.response import on_grid


def training_accuracy(tree: Tree) -> float:
    """The share of records that a decision tree classifies rightly."""
    return float(Fraction(tree.correct(), tree.records(tree.root)))


def accuracy_on(tree: Tree, table: Table) -> float:
    """The share of the records of any table that a decision tree classifies rightly."""
    assert tree.classes is not None
    column = table[tree.target]
    code_of = {column.domain.value(code): code for code in range(column.domain.size)}
    predicted = np.full(len(tree.nodes), -1, dtype=np.int64)
    for leaf in tree.leaves:
        predicted[leaf.id] = code_of.get(tree.prediction(leaf), -1)
    right = sum(
        int((predicted[tree.leaf_of_rows(part)] == part[tree.target].codes).sum())
        for part in stretches_of(table)
    )
    return right / max(table.n_rows, 1)


def training_r2(tree: Tree, engine: Engine) -> float:
    """The share of the response's squared deviations that a regression tree explains."""
    counts = engine.count([tree.target])
    units = on_grid(engine.domain(tree.target), tree.step or 1.0).tolist()
    codes = counts.keys[:, 0].tolist()
    squares = sum(n * units[c] ** 2 for c, n in zip(codes, counts.n.tolist(), strict=True))
    of_leaves = sum((_square_of_sum(leaf) for leaf in tree.leaves), Fraction(0))
    of_mean = _square_of_sum(tree.root)
    return float((of_leaves - of_mean) / (squares - of_mean)) if squares != of_mean else 0.0


def _square_of_sum(node: Node) -> Fraction:
    records, total = node.weights
    return Fraction(total * total, records)
