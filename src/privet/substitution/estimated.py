"""Trees grown from estimated counts, without rebuilding any record.

An engine for `privet.tree.grow`: a grower needs only counts, and the counts of a region of
originals can be estimated without bias from perturbed records (`regions`). The values of the column
that is looked at are inverted within the node. Two things keep noise from growing branches: the
running sums along an ordered column are made to rise (single values are never cut off), and a
column is offered only where some cut of it differs between classes by several standard errors.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats, Integers
from privet.engine.protocol import Region, Tally
from privet.mechanism.substitution import Substitution
from privet.substitution.estimate import onto_simplex, whole_counts
from privet.substitution.perturbed_counts import PerturbedCounts
from privet.substitution.regions import PerturbedRows, weights_of_codes
from privet.table import Domain, Table
from privet.tree import Tree

EVIDENCE = 4.0  # standard errors: one false cut in about 16,000 that are looked at


class EstimatedCounts(PerturbedCounts):
    """Estimated counts of regions of the originals, as whole numbers."""

    def __init__(self, table: Table, mechanism: Substitution, target: str) -> None:
        self._rows = PerturbedRows(table, mechanism)
        super().__init__(table, target)
        self._classes = self._rows.class_weights(target)

    def domain(self, column: str) -> Domain:
        return self._rows.domain(column)

    def _tally(self, column: str, region: Region) -> Tally:
        block = self._rows.block(column)
        domain = self.domain(column)
        name = column if block is None else block.name
        weights = self._rows.weights(region, without=name)
        wanted = self._rows.wanted(region).get(name)
        seen = self._table[column].codes if block is None else self._rows.codes[name]
        size = domain.size if block is None else block.matrix.size
        active = np.flatnonzero(weights)
        seen, weights = seen[active], weights[active]
        classes = self._classes[active]
        counts: Floats = np.stack(
            [np.bincount(seen, weights * own, size).astype(np.float64) for own in classes.T], axis=1
        )
        originals = counts if block is None else block.matrix.solve(counts)
        if wanted is not None:
            originals = np.where(wanted[:, None], originals, 0.0)
        if block is not None and len(block.columns) > 1:
            axis = block.columns.index(column)
            others = tuple(a for a in range(len(block.sizes)) if a != axis)
            originals = originals.reshape(*block.sizes, -1).sum(axis=others)
        whole = _as_counts(originals, domain.kind.is_ordered)
        occurs = np.flatnonzero(whole.any(axis=1))
        if len(occurs) > 1 and not self._evident(column, seen, weights, classes, wanted):
            occurs = occurs[:1]
            whole = whole.sum(axis=0, keepdims=True).repeat(len(whole), axis=0)
        return Tally(occurs, whole[occurs])

    def _evident(
        self,
        column: str,
        seen: npt.NDArray[Any],
        weights: Floats,
        classes: Floats,
        wanted: npt.NDArray[np.bool_] | None,
    ) -> bool:
        """Whether some cut of the column tells the classes apart by several standard errors."""
        block = self._rows.block(column)
        size = self.domain(column).size if block is None else block.matrix.size
        inside = np.ones(size) if wanted is None else wanted.astype(np.float64)
        if block is not None:
            sides = np.stack(
                [weights_of_codes(block.matrix, cut) for cut in self._cuts(column, size, wanted)]
            )
            inside = weights_of_codes(block.matrix, inside > 0)
        total = float((inside[seen] * weights).sum())
        for own in classes.T:
            share = float((inside[seen] * weights * own).sum()) / max(total, 1.0)
            parts = weights * (own - share)
            if block is not None:
                found = sides @ np.bincount(seen, parts, size)
                squares = sides**2 @ np.bincount(seen, parts**2, size)
            else:  # as it is: sums along the values, or each value by itself
                found = np.bincount(seen, parts * inside[seen], size).astype(np.float64)
                squares = np.bincount(seen, (parts * inside[seen]) ** 2, size).astype(np.float64)
                if self.domain(column).kind.is_ordered:
                    found, squares = np.cumsum(found)[:-1], np.cumsum(squares)[:-1]
            if (found**2 > EVIDENCE**2 * squares).any():
                return True
        return False

    def _cuts(
        self, column: str, size: int, wanted: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.bool_]:
        """The sets of codes to look at: every beginning of an ordered column, else every value."""
        domain = self.domain(column)
        one_by_one = np.eye(domain.size, dtype=bool)
        sets = np.tri(domain.size, dtype=bool)[:-1] if domain.kind.is_ordered else one_by_one
        block = self._rows.block(column)
        if block is not None and len(block.columns) > 1:
            sets = np.stack([self._rows.lifted(block, column, one) for one in sets])
        if wanted is not None:
            sets = sets & wanted
        proper = sets.any(axis=1) & (sets != (True if wanted is None else wanted)).any(axis=1)
        return np.asarray(sets[proper])


def _as_counts(originals: Floats, ordered: bool) -> Integers:
    """Whole counts from estimates, for each class; totals of classes stay."""
    columns = []
    for own in originals.T:
        total = max(float(own.sum()), 0.0)
        if ordered:
            running = np.clip(np.cumsum(own), 0.0, total)
            upper = np.maximum.accumulate(running)
            lower = np.minimum.accumulate(running[::-1])[::-1]
            rising = np.rint((upper + lower) / 2).astype(np.int64)
            columns.append(np.diff(rising, prepend=0))
        else:
            ends = np.rint(np.cumsum(onto_simplex(own, total))).astype(np.int64)
            columns.append(np.diff(ends, prepend=0))
    return np.stack(columns, axis=1)


def adding_up(tree: Tree) -> Tree:
    """The tree with counts of children that add up to those of their parents.

    Each node's counts were estimated through the columns of its own path, so that those of children
    are more or fewer than those of their parent. The leaves keep their shares of each class, and
    all of them together have the records of the root. No leaf is left without a record.
    """
    leaves = [leaf.id for leaf in tree.leaves]
    estimates = np.array([tree.nodes[leaf].weights for leaf in leaves], dtype=np.float64)
    root = tree.root.weights
    of_classes = zip(estimates.T, root, strict=True)
    dealt = np.stack([whole_counts(own, total) for own, total in of_classes], axis=1)
    for place in np.flatnonzero(dealt.sum(axis=1) == 0):
        fullest, own = np.unravel_index(dealt.argmax(), dealt.shape)
        dealt[fullest, own] -= 1
        dealt[place, own] += 1
    weights = dict(zip(leaves, (tuple(row) for row in dealt.tolist()), strict=True))
    for node in reversed(tree.nodes):  # children come after their parents
        if node.children:
            below = zip(*(weights[child] for child in node.children), strict=True)
            weights[node.id] = tuple(map(sum, below))
    return replace(tree, nodes=tuple(replace(n, weights=weights[n.id]) for n in tree.nodes))
