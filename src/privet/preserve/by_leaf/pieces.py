"""Where whole groups cannot have one value each: pieces of groups, never worse than global.

Pieces are made of cells of the global recoding, so the recoding stays a function of group and
global cell: its equivalence classes are unions of those of the global recoding. `pieces_of` makes
pieces of at least so many records; the fewer records a piece needs, the more freedom there is,
down to single cells, where the global recoding itself is a solution. `merge_greedily` starts from
that one and joins what it can.
"""

from collections.abc import Collection, Iterator

import numpy as np

from privet.arrays import Integers, distinct
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.faults import FaultCounter
from privet.table import Domain

_MOST_CELLS = 400  # atoms beyond which the greedy walk would take longer than it is worth


def piece_sizes(task: ColumnTask) -> list[int]:
    """Sizes that pieces may be asked to have, the largest first: the smallest group, halved."""
    size = int(task.whole_groups().records.min())
    sizes = []
    while size >= 1:
        sizes.append(size)
        size //= 2
    return sizes


def pieces_of(task: ColumnTask, least: int, whole: Collection[int] = ()) -> Atoms:
    """Neighbouring cells of a group joined until a piece has `least` records; groups named in
    `whole` stay in one piece."""

    def divide(group: int, cells: list[int], records: dict[int, int]) -> list[list[int]]:
        if group in whole:
            return [cells]
        parts: list[list[int]] = [[]]
        held = 0
        for cell in cells:
            if held >= least:
                parts.append([])
                held = 0
            parts[-1].append(cell)
            held += records[cell]
        if held < least and len(parts) > 1:
            last = parts.pop()
            parts[-1] += last
        return parts

    return task.pieces(divide)


def identity(atoms: Atoms) -> Integers:
    """The global recoding: each single cell keeps its value."""
    return np.array([cells[0] for cells in atoms.cells], dtype=np.int64)


def smallest_piece(atoms: Atoms, codes: Integers) -> int:
    """The smallest number of records that share a group and a value."""
    keys = np.stack([atoms.group, codes], axis=1)
    _, inverse = np.unique(keys, axis=0, return_inverse=True)
    return int(np.bincount(inverse.ravel(), weights=atoms.records).min())


def merge_greedily(task: ColumnTask, atoms: Atoms, domain: Domain, form: Form) -> Integers | None:
    """From the global recoding: whole groups to one value where no fault comes of it, else single
    cells to a value that their group has already. None if the global recoding has a fault."""
    counter = FaultCounter(task, atoms, domain, form, complete=not task.ordered)
    codes = identity(atoms)
    if not counter.possible or len(atoms) > _MOST_CELLS:
        return None
    merging = _Merging(counter, codes)
    if merging.is_faulty:
        return None
    sizes = np.bincount(atoms.group, weights=atoms.records)
    for group in np.argsort(sizes, kind="stable").tolist():
        members = np.flatnonzero(atoms.group == group)
        if len(members) < 2:
            continue
        for trial in _trials(merging, members, atoms):
            if merging.takes(trial, members) and len(distinct(merging.codes[members])) == 1:
                break
    return merging.codes


class _Merging:
    """A recoding without faults, and whether it has some after a group was changed.

    Only nodes above the group can have got one, so only those are looked at.
    """

    def __init__(self, counter: FaultCounter, codes: Integers) -> None:
        self.counter = counter
        self.codes = codes
        self._histograms = counter.histograms(codes)

    @property
    def is_faulty(self) -> bool:
        blocks = zip(self.counter.blocks, self._histograms, strict=True)
        return any(self.counter.faults(b, slice(None), h).any() for b, h in blocks)

    def takes(self, trial: Integers, members: Integers) -> bool:
        """Take a trial, which changes members of one group alone, if no fault comes of it."""
        changed = members[self.codes[members] != trial[members]]
        found = []
        for block, histogram in zip(self.counter.blocks, self._histograms, strict=True):
            nodes = np.flatnonzero(block.inside[:, members[0]])
            changes = self.codes, trial
            moved = self.counter.moved(block, nodes, histogram, changed, changes)
            if len(nodes) and self.counter.faults(block, nodes, moved).any():
                return False
            found.append((nodes, moved))
        for histogram, (nodes, moved) in zip(self._histograms, found, strict=True):
            histogram[nodes] = moved
        self.codes = trial
        return True


def _trials(merging: _Merging, members: Integers, atoms: Atoms) -> Iterator[Integers]:
    codes = merging.codes
    for code in np.flatnonzero(merging.counter.allowed[members[0]]).tolist():
        trial = codes.copy()
        trial[members] = code
        yield trial
    by_size = members[np.argsort(atoms.records[members], kind="stable")]
    for member in by_size.tolist():
        for code in distinct(codes[members]).tolist():
            if code != codes[member]:
                trial = codes.copy()
                trial[member] = code
                yield trial
