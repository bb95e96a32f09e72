"""How much a perturbed record counts in a region of the originals.

A region is a conjunction of conditions. For the block of columns that a condition is about, the
wanted originals are a set S of codes, and a record seen as h counts w[h], the sum over S of column
h of the inverse matrix. Over the draws its mean is 1 for originals in S and 0 for others. Blocks
are drawn independently, so weights of several blocks multiply, and the sum over records estimates
the region's count without bias. For gamma-diagonal matrices w is (1[h in S] - q) / (p - q).
`estimated` grows trees by such weights, `choose` judges trees by them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.engine.protocol import Condition, Region
from privet.mechanism.matrices import GammaDiagonal, Matrix
from privet.mechanism.substitution import Block, Substitution
from privet.table import Codes, Domain, Table


def weights_of_codes(matrix: Matrix, wanted: npt.NDArray[np.bool_]) -> Floats:
    """For each seen code how much it counts towards a set of originals."""
    indicator = wanted.astype(np.float64)
    if isinstance(matrix, GammaDiagonal):
        return matrix.solve(indicator)  # symmetric: its inverse is its own transpose
    return np.asarray(np.linalg.solve(matrix.dense().T, indicator), dtype=np.float64)


class PerturbedRows:
    """The records of a perturbed table, as codes of blocks, with what their regions weigh."""

    def __init__(self, table: Table, mechanism: Substitution) -> None:
        self.table = table
        self.mechanism = mechanism
        self.codes: dict[str, Codes] = {b.name: b.encode(table) for b in mechanism.blocks}
        self._block: dict[str, Block] = {c: b for b in mechanism.blocks for c in b.columns}

    def domain(self, column: str) -> Domain:
        """The domain that conditions speak of: the public one, or that of an unchanged column."""
        if column not in self._block:
            return self.table[column].domain
        block = self._block[column]
        return block.domains[block.columns.index(column)].shown

    def block(self, column: str) -> Block | None:
        """The block that a column is perturbed in; None if it is unchanged."""
        return self._block.get(column)

    def wanted(self, region: Sequence[Condition]) -> dict[str, npt.NDArray[np.bool_]]:
        """For each block or unchanged column of a region, the codes that it lets through."""
        found: dict[str, npt.NDArray[np.bool_]] = {}
        for condition in region:
            column = condition.column
            allowed = condition.allowed(self.domain(column).size)
            block = self._block.get(column)
            name = column
            if block is not None:
                name = block.name
                allowed = self.lifted(block, column, allowed)
            found[name] = found[name] & allowed if name in found else allowed
        return found

    @staticmethod
    def lifted(block: Block, column: str, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Codes of one column, as codes of all combinations of its block."""
        shape = [1] * len(block.sizes)
        shape[block.columns.index(column)] = -1
        return np.broadcast_to(allowed.reshape(shape), block.sizes).ravel()

    def weights(self, region: Region, without: str = "") -> Floats:
        """How much each record counts in a region; `without` leaves out one block."""
        weights = np.ones(self.table.n_rows)
        for name, allowed in self.wanted(region).items():
            if name == without:
                continue
            if name in self.codes:
                matrix = self._matrices()[name]
                weights *= weights_of_codes(matrix, allowed)[self.codes[name]]
            else:
                weights *= allowed[self.table[name].codes]
        return weights

    def class_weights(self, target: str) -> Floats:
        """records x classes: how much each record counts towards each class."""
        block = self._block.get(target)
        size = self.domain(target).size
        if block is None:
            return np.eye(size)[self.table[target].codes]
        by_code = np.stack(
            [
                weights_of_codes(block.matrix, self.lifted(block, target, one))
                for one in np.eye(size, dtype=bool)
            ],
            axis=1,
        )
        return by_code[self.codes[block.name]]

    def _matrices(self) -> Mapping[str, Matrix]:
        return {block.name: block.matrix for block in self.mechanism.blocks}
