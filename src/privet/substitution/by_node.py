"""The local way of Agrawal and Srikant: values are assigned again at every node of a growing tree.

An engine for `privet.tree.grow`. At a node, the counts of each perturbed column are estimated
within each class from the records that reached it. When a column is split, its estimated values are
assigned to the node's records in the order of what is seen (`dealing`); they decide which child a
record goes to, and stay settled for the column below. Unchanged columns are counted as they are.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.protocol import Region, Tally
from privet.errors import UsageError, param
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.dealing import dealt, with_codes
from privet.substitution.estimate import Method, estimate, whole_counts
from privet.substitution.perturbed_counts import PerturbedCounts
from privet.table import Codes, Domain, Table
from privet.tree import Grower, Tree, grow

_LEAVES = 64  # of the tree behind a table rebuilt by node
_SHARE_OF_A_LEAF = 200  # a leaf has at least one record in so many


class ByNodeCounts(PerturbedCounts):
    """Counts by estimating and dealing within the node; each block must be one column."""

    def __init__(
        self, table: Table, mechanism: Substitution, target: str, method: Method = "simplex",
        seed: int = 0,
    ) -> None:  # fmt: skip
        joint = [b.name for b in mechanism.blocks if len(b.columns) > 1]
        if joint:
            raise UsageError(
                f"Columns perturbed together ({joint[0]}) cannot be rebuilt by node.",
                f"use {param('way', 'modelled')} or {param('way', 'by-class')}.",
            )
        super().__init__(table, target)
        self._method = method
        self._seed = seed
        self._blocks = {b.name: b for b in mechanism.blocks if b.name != target}
        self._seen = {name: block.encode(table) for name, block in self._blocks.items()}
        self._classes = table[target].codes
        self._rows: dict[Region, npt.NDArray[np.int64]] = {(): np.arange(table.n_rows)}
        self._settled: dict[Region, dict[str, Codes]] = {(): {}}

    def domain(self, column: str) -> Domain:
        if column in self._blocks:
            return self._blocks[column].domains[0].shown
        return self._table[column].domain

    def _tally(self, column: str, region: Region) -> Tally:
        self._open(region)
        rows = self._rows[region]
        classes = self._classes[rows]
        width = self.domain(self._target).size
        settled = self._settled[region]
        size = self.domain(column).size
        if column in self._blocks and column not in settled:
            weights = self._estimated(column, rows, classes, width)
        else:
            codes = settled[column] if column in settled else self._table[column].codes[rows]
            index = codes.astype(np.int64) * width + classes
            weights = np.bincount(index, minlength=size * width).reshape(size, width)
        occurs = np.flatnonzero(weights.any(axis=1))
        return Tally(occurs, weights[occurs])

    def _estimated(
        self, column: str, rows: npt.NDArray[np.int64], classes: Codes, width: int
    ) -> Integers:
        matrix = self._blocks[column].matrix
        seen = self._seen[column][rows]
        weights = np.zeros((matrix.size, width), dtype=np.int64)
        for code in range(width):
            own = seen[classes == code]
            if len(own):
                counts = np.bincount(own, minlength=matrix.size)
                weights[:, code] = whole_counts(estimate(counts, matrix, self._method), len(own))
        return weights

    def _open(self, region: Region) -> None:
        """Send the records of the parent node to the child that is this region."""
        if region in self._rows:
            return
        above, condition = region[:-1], region[-1]
        self._open(above)
        rows, settled = self._rows[above], dict(self._settled[above])
        column = condition.column
        if column in self._blocks and column not in settled:
            settled[column] = self.dealt_by_class(column, rows)
            self._settled[above] = settled
        codes = settled[column] if column in settled else self._table[column].codes[rows]
        here = condition.allowed(self.domain(column).size)[codes]
        self._rows[region] = rows[here]
        self._settled[region] = {name: own[here] for name, own in settled.items()}

    def dealt_by_class(self, column: str, rows: npt.NDArray[np.int64]) -> Codes:
        """The column's values in a node, assigned within each class."""
        seen, classes = self._seen[column][rows], self._classes[rows]
        order = generator(self._seed, f"ties:{column}").permutation(len(rows))
        new = np.empty_like(seen)
        for code in np.unique(classes):
            own = classes == code
            new[own] = dealt(seen[own], self._blocks[column].matrix, order[own], self._method)
        return new

    def settle(self, region: Region) -> tuple[npt.NDArray[np.int64], dict[str, Codes]]:
        """The records of a leaf and their rebuilt values in every block."""
        self._open(region)
        rows, settled = self._rows[region], self._settled[region]
        return rows, {
            name: settled[name] if name in settled else self.dealt_by_class(name, rows)
            for name in self._blocks
        }


def rebuild_by_node(
    table: Table, mechanism: Substitution, target: str, method: Method = "simplex", seed: int = 0
) -> Table:
    """A table whose records have the values assigned to them in the leaf they ended in."""
    engine = ByNodeCounts(table, mechanism, target, method, seed)
    schema = table.schema().with_roles(target=target)
    least = max(1, table.n_rows // _SHARE_OF_A_LEAF)
    tree = grow_by_node(engine, schema, Grower(impurity="entropy", leaves=_LEAVES, min_leaf=least))
    regions = tree.regions({name: engine.domain(name) for name in engine._table.names})
    codes = {b.name: b.encode(table) for b in mechanism.blocks if b.name != target}
    for leaf in tree.leaves:
        rows, values = engine.settle(regions[leaf.id])
        for name, own in values.items():
            codes[name][rows] = own
    return with_codes(table, mechanism, codes)


def grow_by_node(engine: ByNodeCounts, schema: Schema, grower: Grower) -> Tree:
    return grow(engine, schema, replace(grower, response_step=None))
