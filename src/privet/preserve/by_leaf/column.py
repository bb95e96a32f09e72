"""One column recoded by leaf: the new code of each cell, and so of each old code, in each group."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from privet.arrays import Integers, distinct
from privet.exact import in_single_precision
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.recoding import Treatment
from privet.table import Codes, Domain, code_type


@dataclass(frozen=True, eq=False)
class LeafColumn:
    """One column's recoding: `of_cell[group]` has the new code of each cell of the global recoding,
    whose `cell_of_old` has the cell of each old code.

    `form` says why the trees stay: every rival split is worse (strict), or ties are lost by the
    rule of ties (index), or it is the global recoding. `whole`: each group has one value.
    `complete_lists`: the lists of categories that a tree prints come out complete.
    """

    column: str
    of_cell: Codes
    cell_of_old: Integers
    domain: Domain
    treatment: Treatment
    form: Literal["strict", "index", "global"]
    whole: bool = True
    complete_lists: bool = True
    found_by: str = ""

    @cached_property
    def new(self) -> Codes:
        """The new code of each old code in each group; there may be as many as the table has rows,
        so it is made when it is asked for."""
        return self.of_cell.take(self.cell_of_old, axis=1)

    @property
    def is_single_precision(self) -> bool:
        """Whether single precision holds its values; the global recoding may have others."""
        ordered = self.domain.kind.is_ordered
        return not ordered or bool(in_single_precision(self.domain.values).all())


def as_column(
    task: ColumnTask,
    atoms: Atoms,
    domain: Domain,
    codes: Integers,
    form: Literal["strict", "index", "global"],
    found_by: str,
) -> LeafColumn:
    """The recoding of a column from the value of each atom; values that nobody has are dropped."""
    used = distinct(codes)
    place = np.zeros(domain.size, dtype=np.int64)
    place[used] = np.arange(len(used))
    missing = domain.missing_code in used.tolist()
    kept = used[:-1] if missing else used
    of_cell = np.full((len(task.leaf_counts.leaves), task.base.domain.size), -1)
    member = np.repeat(np.arange(len(atoms)), [len(cells) for cells in atoms.cells])
    cell = [cell for cells in atoms.cells for cell in cells]
    of_cell[atoms.group[member], cell] = place[codes[member]]
    highest = of_cell.max(axis=1)
    whole = bool((np.where(of_cell < 0, highest[:, None], of_cell).min(axis=1) == highest).all())
    truthful = _is_truthful(task, atoms, domain, codes)
    return LeafColumn(
        task.column,
        _nearest(of_cell).astype(code_type(len(used))),
        task.base.new_of_old,
        Domain(domain.kind, domain.values[kept], missing),
        Treatment.GENERALISED if truthful else Treatment.CODED,
        form,
        whole,
        task.ordered or _is_complete(task, atoms, codes),
        found_by,
    )


def _nearest(of_cell: Integers) -> Integers:
    """The values of cells by group, where cells that a group does not have (-1) go with the nearest
    that it has, the lower one of two; each group has some."""
    groups, size = of_cell.shape
    cells, known = np.arange(size), of_cell >= 0
    below = np.maximum.accumulate(np.where(known, cells, -size), axis=1)
    above = np.minimum.accumulate(np.where(known, cells, 2 * size)[:, ::-1], axis=1)[:, ::-1]
    nearest = np.where(cells - below <= above - cells, below, above)
    return np.asarray(of_cell[np.arange(groups)[:, None], nearest])


def _is_truthful(task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers) -> bool:
    """Whether every atom's new value is that of the one global cell with all its old values."""
    base = task.base.domain
    values = {base.value(code): code for code in range(base.size)}
    return all(
        len(cells) == 1 and values.get(domain.value(code)) == cells[0]
        for cells, code in zip(atoms.cells, codes.tolist(), strict=True)
    )


def _is_complete(task: ColumnTask, atoms: Atoms, codes: Integers) -> bool:
    """Whether every category of a printed list is carried below its node (codes are global)."""
    for seen in task.own:
        for number, side in enumerate(seen.sides):
            listed = np.flatnonzero(task.side(seen, number, task.base.domain))
            carried = codes[np.isin(atoms.group, side)]
            if not np.isin(listed, carried).all():
                return False
    return True
