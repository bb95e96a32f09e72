"""What the records of each block have in one column: the ground of its fill and of its repair.

A value is `near` a block if the block may be given it: a number between its smallest and largest
one, or missing where some record has none; a category that some record has. Records lie in one
leaf, so a near value never leaves the leaf's path.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine.protocol import Counts
from privet.table import Domain


@dataclass(frozen=True, eq=False)
class Members:
    """Counts of (block, code) of one column, sorted by block and code.

    `group` is the leaf of each block (with several trees: the intersection of leaves).
    """

    domain: Domain
    group: Integers
    block: Integers
    code: Integers
    n: Integers

    @classmethod
    def of(cls, counts: Counts, domain: Domain, group: Integers) -> "Members":
        return cls(domain, group, counts.keys[:, 0], counts.keys[:, 1], counts.n)

    @property
    def n_blocks(self) -> int:
        return len(self.group)

    @cached_property
    def starts(self) -> Integers:
        return np.searchsorted(self.block, np.arange(self.n_blocks))

    @cached_property
    def sizes(self) -> Integers:
        return np.add.reduceat(self.n, self.starts)

    @cached_property
    def some_missing(self) -> Booleans:
        last = self.code[np.append(self.starts[1:], len(self.code)) - 1]
        return np.asarray(last == _none(self.domain))

    @cached_property
    def lowest(self) -> Integers:
        """The smallest code of a block: its smallest number, or missing if it has none."""
        return self.code[self.starts]

    @cached_property
    def highest(self) -> Integers:
        """The largest number of a block; below `lowest` if it has none."""
        ends = np.append(self.starts[1:], len(self.code)) - 1
        all_missing = self.some_missing & (ends == self.starts)
        return np.asarray(self.code[ends - (self.some_missing & ~all_missing)] - all_missing)

    def of_block(self, block: int) -> slice:
        first = int(self.starts[block])
        last = int(self.starts[block + 1]) if block + 1 < self.n_blocks else len(self.code)
        return slice(first, last)

    def near(self, blocks: Integers, code: int) -> Booleans:
        """Which of some blocks may be given a value."""
        if not self.domain.kind.is_ordered:
            return np.isin(blocks, self.block[self.code == code])
        if code == self.domain.missing_code:
            return np.asarray(self.some_missing[blocks])
        return np.asarray((self.lowest[blocks] <= code) & (code <= self.highest[blocks]))

    def are_near(self, codes: Integers) -> Booleans:
        """Which blocks may have the value that each is given."""
        if self.domain.kind.is_ordered:
            missing = codes == _none(self.domain)
            inside = (self.lowest <= codes) & (codes <= self.highest)
            return np.where(missing, self.some_missing, inside)
        has = np.zeros(self.n_blocks, dtype=bool)
        has[self.block[self.code == codes[self.block]]] = True
        return has

    def clipped(self, codes: Integers) -> Integers:
        """For each block the value nearest to the one given that it may have."""
        missing = _none(self.domain)
        wants_none = codes == missing
        clipped = np.clip(codes, self.lowest, np.maximum(self.highest, self.lowest))
        clipped = np.where(wants_none, np.maximum(self.highest, self.lowest), clipped)
        return np.where(wants_none & self.some_missing, missing, clipped)

    def group_sums(self) -> dict[int, tuple[Integers, Integers]]:
        """For each group the codes that occur, ascending, and their records."""
        group = self.group[self.block]
        key = group * self.domain.size + self.code
        distinct, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, place, self.n)
        of_group = distinct // self.domain.size
        found = {}
        for number in np.unique(self.group).tolist():
            here = slice(*np.searchsorted(of_group, [number, number + 1]).tolist())
            found[number] = distinct[here] % self.domain.size, total[here]
        return found


def _none(domain: Domain) -> int:
    """The code of missing, or one that no record has."""
    return -1 if domain.missing_code is None else domain.missing_code
