"""Refinement: detail given back after leaf recoding, as far as every equivalence class allows.

Whole leaves of one value each say little to other methods of analysis. Here pieces of groups get
the value of the global recoding back, the largest first, while every equivalence class keeps at
least k records (and what else is asked, l or t), and while the column still keeps the trees. K is
then at least k, but no longer the smallest leaf.

It needs joint counts of cells (`count_cells`); like everything else it never looks at rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import Counts, Engine, Region
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.column import LeafColumn, as_column
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import Trials
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, apply, relabelled
from privet.table import Domain
from privet.tree.grow import Admissible

_LARGEST = 1 << 62  # numbers that rows may be mixed into


@dataclass(frozen=True, eq=False)
class CellCounts:
    """How many records of each group have each combination of global cells."""

    columns: tuple[str, ...]
    group: Integers
    keys: Integers  # combinations x columns
    n: Integers
    sensitive: Mapping[str, Integers]  # combinations x values, for each sensitive column


def count_cells(
    engine: Engine,
    leaf_counts: LeafCounts,
    base: Mapping[str, ColumnRecoding],
    sensitive: Sequence[str] = (),
) -> CellCounts:
    """Count the cells of the used columns together, group by group."""
    counter = _CellCounter(engine, leaf_counts, base, sensitive)
    groups, keys, n = [], [], []
    by_value: dict[str, list[Integers]] = {column: [] for column in sensitive}
    for group, region in enumerate(counter.regions):
        distinct, records = counter.cells(region)
        groups.append(np.full(len(distinct), group, dtype=np.int64))
        keys.append(distinct)
        n.append(records)
        for column in sensitive:
            by_value[column].append(counter.by_value(column, region, len(distinct)))
    stacked = {column: np.concatenate(tables) for column, tables in by_value.items()}
    return CellCounts(
        counter.columns, np.concatenate(groups), np.concatenate(keys), np.concatenate(n), stacked
    )


class _CellCounter:
    """Counts cells of the global recoding; a sensitive column is only recoded in the keys, for l
    and t speak of its original values."""

    def __init__(
        self,
        engine: Engine,
        leaf_counts: LeafCounts,
        base: Mapping[str, ColumnRecoding],
        sensitive: Sequence[str],
    ) -> None:
        self.columns = tuple(c for c in leaf_counts.columns if c in base)
        self._base = base
        self._asked = [c for c in self.columns if c in sensitive]
        coarsened = {name: r for name, r in base.items() if name not in sensitive}
        self._engine = apply(engine, coarsened)
        domains = {name: self._engine.domain(name) for name in self._engine.columns()}
        of_trees = [
            relabelled(t, coarsened, leaf_counts.domains).regions(domains)
            for t in leaf_counts.trees
        ]
        self.regions = [
            sum((of[leaf] for of, leaf in zip(of_trees, leaves, strict=True)), ())
            for leaves in leaf_counts.leaves
        ]

    def cells(self, region: Region) -> tuple[Integers, Integers]:
        """The combinations of cells that occur in a region, and the records of each."""
        counts, cells = self._counted((), region)
        distinct, row = np.unique(cells, axis=0, return_inverse=True)
        return distinct, np.bincount(row.ravel(), weights=counts.n).astype(np.int64)

    def by_value(self, column: str, region: Region, combinations: int) -> Integers:
        """The same records by the values of a sensitive column."""
        is_asked = column in self._asked
        joint, cells = self._counted([] if is_asked else [column], region)
        _, row = np.unique(cells, axis=0, return_inverse=True)
        place = self.columns.index(column) if is_asked else len(self.columns)
        table = np.zeros((combinations, self._engine.domain(column).size), dtype=np.int64)
        np.add.at(table, (row.ravel(), joint.keys[:, place]), joint.n)
        return table

    def _counted(self, extra: Sequence[str], region: Region) -> tuple[Counts, Integers]:
        counts = self._engine.count([*self.columns, *extra], within=region)
        cells = counts.keys[:, : len(self.columns)].copy()
        for column in self._asked:
            place = self.columns.index(column)
            cells[:, place] = self._base[column].new_of_old[cells[:, place]]
        return counts, cells


def refine(
    recoding: LeafRecoding,
    cells: CellCounts,
    k: int,
    admissible: Admissible | None = None,
    float32_safe: bool = False,
) -> LeafRecoding:
    """The recoding with detail given back; each of its equivalence classes has k records or more
    and is admissible, where those of the recoding were."""
    classes = _Classes(recoding, cells, k, admissible)
    refined = dict(recoding.columns)
    for place, name in enumerate(cells.columns):
        if refined[name].form != "global":
            refined[name] = _refined(recoding, refined[name], classes, place, float32_safe)
    return replace(recoding, columns=refined)


def _refined(
    recoding: LeafRecoding,
    column: LeafColumn,
    classes: "_Classes",
    place: int,
    float32_safe: bool,
) -> LeafColumn:
    base = recoding.base[column.column]
    task = ColumnTask(recoding.leaf_counts, column.column, base, float32_safe)
    atoms = task.single_cells()
    domain, codes, back = _in_one_domain(task, column, atoms)
    form: Form = "index" if column.form == "index" else "strict"
    counter = FaultCounter(task, atoms, domain, form, column.complete_lists and not task.ordered)
    if not counter.possible:
        return column
    trials = Trials(counter, codes.copy())
    if trials.faults.any():
        return column
    classes.begin(place, atoms, codes)
    for atom in np.argsort(-atoms.records, kind="stable").tolist():
        new = int(back[atom])
        if new == trials.codes[atom] or not counter.allowed[atom, new]:
            continue
        if not classes.may_be_parted(atom, new, trials.codes):
            continue
        (faults,) = trials.faults_with(atom, [new])
        if not faults.any() and classes.accept(atom, new):
            trials.move(atom, new, faults)
    reached = task.form(atoms, domain, trials.codes)
    if reached is None or (form == "strict" and reached != "strict"):
        classes.begin(place, atoms, codes)
        return column
    return as_column(task, atoms, domain, trials.codes, reached, column.found_by + ", refined")


def _in_one_domain(
    task: ColumnTask, column: LeafColumn, atoms: Atoms
) -> tuple[Domain, Integers, Integers]:
    """One domain of the values now and of the global values; codes of both for each atom."""
    base = task.base.domain
    domain = base.union(column.domain)
    old_of_cell = np.zeros(base.size, dtype=np.int64)
    old_of_cell[task.base.new_of_old] = np.arange(len(task.base.new_of_old))
    cell = np.array([cells[0] for cells in atoms.cells], dtype=np.int64)
    old = old_of_cell[cell]
    now = column.domain.places_in(domain)[column.new[atoms.group, old]]
    return domain, now, base.places_in(domain)[cell]


class _Classes:
    """The equivalence classes of the recoding as it stands, and whether a change may be made."""

    def __init__(
        self, recoding: LeafRecoding, cells: CellCounts, k: int, admissible: Admissible | None
    ) -> None:
        self.cells, self.k, self.admissible = cells, k, admissible
        self.values = np.zeros_like(cells.keys)
        groups = range(int(cells.group.max(initial=-1)) + 1)
        self._rows = [np.flatnonzero(cells.group == group) for group in groups]
        for place, name in enumerate(cells.columns):
            column = recoding.columns[name]
            base = recoding.base[name]
            old_of_cell = np.zeros(base.domain.size, dtype=np.int64)
            old_of_cell[base.new_of_old] = np.arange(len(base.new_of_old))
            self.values[:, place] = column.new[cells.group, old_of_cell[cells.keys[:, place]]]

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
        group, cell = int(self.atoms.group[atom]), self.atoms.cells[atom][0]
        rows = self._rows[group]
        changed = rows[self.cells.keys[rows, self.place] == cell]
        before = self.values[changed, self.place].copy()
        self.values[changed, self.place] = new
        if self._good(rows):
            return True
        self.values[changed, self.place] = before
        return False

    def _good(self, rows: Integers) -> bool:
        codes = self.values[rows, self.place]
        keys = self._rest[rows] * (int(codes.max()) + 1) + codes
        _, inverse = np.unique(keys, return_inverse=True)
        if np.bincount(inverse, weights=self.cells.n[rows]).min() < self.k:
            return False
        if self.admissible is None:
            return True
        for column in self.admissible.columns:
            by_value = self.cells.sensitive[column][rows]
            classes = np.zeros((int(inverse.max()) + 1, by_value.shape[1]), dtype=np.int64)
            np.add.at(classes, inverse, by_value)
            if not self.admissible(column, classes[None])[0]:
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
