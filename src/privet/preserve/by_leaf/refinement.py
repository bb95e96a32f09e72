"""Refinement: detail given back after leaf recoding, as far as every equivalence class allows.

Whole leaves of one value each say little to other methods of analysis. Here pieces of groups get
the value of the global recoding back, the largest first, while every equivalence class keeps at
least k records (and what else is asked, l or t), and while the column still keeps the trees. K is
then at least k, but no longer the smallest leaf.

It needs joint counts of cells (`cell_counts`); like everything else it never looks at rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.cell_counts import CellCounts
from privet.preserve.by_leaf.column import LeafColumn, as_column
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import Trials, quick_of
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.table import Domain
from privet.tree.grow import Admissible

_LARGEST = 1 << 62  # numbers that rows may be mixed into
_REFINED = ", refined"


@dataclass(frozen=True, eq=False)
class Detail:
    """What a smaller tree's refinement hands down: columns as it had them in the leaves that have
    not been divided, and as they are now in the `open` ones."""

    columns: Mapping[str, LeafColumn]
    open: Booleans  # for each group whether more detail is looked for


def refine(
    recoding: LeafRecoding,
    cells: CellCounts,
    k: int,
    admissible: Admissible | None = None,
    float32_safe: bool = False,
    detail: Detail | None = None,
) -> LeafRecoding:
    """The recoding with detail given back; each of its equivalence classes has k records or more
    and is admissible, where those of the recoding were.

    With `detail` it goes on from there, where that is good enough.
    """
    known = {} if detail is None else dict(detail.columns)
    every = np.ones(len(recoding.leaf_counts.leaves), dtype=bool)
    open_ = every if detail is None else detail.open
    classes = _Classes({**recoding.columns, **known}, cells, k, admissible)
    refined = dict(recoding.columns)
    for place, name in enumerate(cells.columns):
        plain, found = refined[name], None
        if plain.form == "global":
            continue
        task = ColumnTask(recoding.leaf_counts, name, recoding.base[name], float32_safe)
        if name in known:
            found = _refined(task, known[name], classes, place, open_)
        refined[name] = found or _refined(task, plain, classes, place, every) or plain
    # Where a column lost its detail again, what that had joined is apart.
    if known and not classes.all_good():
        return refine(recoding, cells, k, admissible, float32_safe)
    return replace(recoding, columns=refined)


def _refined(
    task: ColumnTask, column: LeafColumn, classes: "_Classes", place: int, open_: Booleans
) -> LeafColumn | None:
    """A column with detail given back in the groups that are open; None where that cannot be, and
    then the classes have it as it was."""
    atoms = task.single_cells()
    domain, codes, back = _in_one_domain(task, column, atoms)
    classes.begin(place, atoms, codes)
    form: Form = "index" if column.form == "index" else "strict"
    counter = FaultCounter(task, atoms, domain, form, column.complete_lists and not task.ordered)
    if not counter.possible:
        return None
    trials = Trials(counter, codes.copy(), quick_of(counter))
    if trials.faults.any():
        return None
    for atom in np.argsort(-atoms.records, kind="stable").tolist():
        new = int(back[atom])
        if new == trials.codes[atom] or not counter.allowed[atom, new]:
            continue
        if not open_[atoms.group[atom]] or not classes.may_be_parted(atom, new, trials.codes):
            continue
        if not classes.accept(atom, new):
            continue
        (faults,) = trials.faults_with(atom, np.array([new]))
        if faults.any():
            classes.take_back(atom, int(trials.codes[atom]))
        else:
            trials.move(atom, new, faults)
    reached = task.form(atoms, domain, trials.codes)
    if reached is None or (form == "strict" and reached != "strict"):
        classes.begin(place, atoms, codes)
        return None
    found_by = column.found_by.removesuffix(_REFINED) + _REFINED
    return as_column(task, atoms, domain, trials.codes, reached, found_by)


def _in_one_domain(
    task: ColumnTask, column: LeafColumn, atoms: Atoms
) -> tuple[Domain, Integers, Integers]:
    """One domain of the values now and of the global values; codes of both for each atom."""
    base = task.base.domain
    domain = base.union(column.domain)
    cell = np.array([cells[0] for cells in atoms.cells], dtype=np.int64)
    now = column.domain.places_in(domain)[column.of_cell[atoms.group, cell]]
    return domain, now, base.places_in(domain)[cell]


class _Classes:
    """The equivalence classes of the recoding as it stands, and whether a change may be made."""

    def __init__(
        self,
        columns: Mapping[str, LeafColumn],
        cells: CellCounts,
        k: int,
        admissible: Admissible | None,
    ) -> None:
        self.cells, self.k, self.admissible = cells, k, admissible
        self.values = np.zeros_like(cells.keys)
        groups = range(int(cells.group.max(initial=-1)) + 1)
        self._rows = [np.flatnonzero(cells.group == group) for group in groups]
        for place, name in enumerate(cells.columns):
            of_cell = columns[name].of_cell
            self.values[:, place] = of_cell[cells.group, cells.keys[:, place]]

    def begin(self, place: int, atoms: Atoms, codes: Integers) -> None:
        """Turn to a column whose atoms are single cells; its values are written in new codes."""
        self.place, self.atoms = place, atoms
        self._members = [
            np.flatnonzero(atoms.group == group) for group in range(int(atoms.group.max()) + 1)
        ]
        own = self.cells.keys[:, place]
        code_of = np.zeros((len(self._members), int(own.max()) + 1), dtype=np.int64)
        code_of[atoms.group, [of[0] for of in atoms.cells]] = codes
        self.values[:, place] = code_of[self.cells.group, own]
        others = np.delete(self.values, place, axis=1)
        # one number for the other columns together
        self._rest = numbered(np.column_stack([self.cells.group, others]))

    def all_good(self) -> bool:
        """Whether every class of every group is good enough."""
        each = numbered(np.column_stack([self.cells.group, self.values]))
        return self._are_good(each, np.arange(len(each)))

    def may_be_parted(self, atom: int, new: int, codes: Integers) -> bool:
        """Whether k records of the group would have the new value, and k or none the old one;
        where not, no equivalence class could be large enough."""
        members = self._members[int(self.atoms.group[atom])]
        records = self.atoms.records[members]
        own = int(self.atoms.records[atom])
        with_new = own + int(records[codes[members] == new].sum())
        with_old = int(records[codes[members] == codes[atom]].sum()) - own
        return with_new >= self.k and (with_old == 0 or with_old >= self.k)

    def accept(self, atom: int, new: int) -> bool:
        """Give an atom a value if every class of its group stays good enough."""
        rows, changed = self._rows_of(atom)
        before = self.values[changed, self.place].copy()
        self.values[changed, self.place] = new
        if self._good(rows):
            return True
        self.values[changed, self.place] = before
        return False

    def take_back(self, atom: int, code: int) -> None:
        """Give an atom the value again that it had before it was accepted."""
        self.values[self._rows_of(atom)[1], self.place] = code

    def _rows_of(self, atom: int) -> tuple[Integers, Integers]:
        """The combinations of an atom's group, and those of its own cell."""
        rows = self._rows[int(self.atoms.group[atom])]
        return rows, rows[self.cells.keys[rows, self.place] == self.atoms.cells[atom][0]]

    def _good(self, rows: Integers) -> bool:
        if self.k <= 1 and self.admissible is None:
            return True
        codes = self.values[rows, self.place]
        keys = self._rest[rows] * (int(codes.max()) + 1) + codes
        _, inverse = np.unique(keys, return_inverse=True)
        return self._are_good(inverse, rows)

    def _are_good(self, classes: Integers, rows: Integers) -> bool:
        """Whether some classes are good enough; `classes` has the number of each row's."""
        if np.bincount(classes, weights=self.cells.n[rows]).min() < self.k:
            return False
        if self.admissible is None:
            return True
        for column in self.admissible.columns:
            by_value = self.cells.sensitive[column][rows]
            counts = np.zeros((int(classes.max()) + 1, by_value.shape[1]), dtype=np.int64)
            np.add.at(counts, classes, by_value)
            if not self.admissible(column, counts[None])[0]:
                return False
        return True


def numbered(rows: Integers) -> Integers:
    """For each row the number of what it holds, equal rows alike, in their order; none is below
    zero. Columns are mixed into one, which is numbered before it could overflow."""
    found = np.zeros(len(rows), dtype=np.int64)
    most = 1
    for column in rows.T:
        size = int(column.max(initial=0)) + 1
        if most * size >= _LARGEST:
            found = np.unique(found, return_inverse=True)[1].ravel().astype(np.int64)
            most = int(found.max(initial=0)) + 1
        found = found * size + column
        most *= size
    return np.unique(found, return_inverse=True)[1].ravel().astype(np.int64)
