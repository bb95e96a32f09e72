"""Leaf recoding: the records of a leaf become equal, and the same trees still grow.

Each used column is a task of its own (docs/guarantees/leaf-recoding.md). For each, the first
attempt that succeeds wins: local search over few values, then the constraint solver, with every
rival split strictly worse; then both with ties left to the rule of ties; then pieces of groups
(`fallback`), never worse than the global recoding. Every success is checked exactly (`conditions`).
Columns that no tree uses stay as in the global recoding: one constant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from privet.engine.protocol import Engine, Integers
from privet.preserve import fallback, solver
from privet.preserve.census import Census
from privet.preserve.conditions import Atoms, ColumnTask, Form
from privet.preserve.local_search import Landscape, more_values, own_values, search
from privet.preserve.recoding import ColumnRecoding, Treatment, relabelled
from privet.table import Domain, Value
from privet.tree.model import Split, Subset, Tree

FORMS: tuple[Form, ...] = ("strict", "index")


@dataclass(frozen=True, eq=False)
class LeafColumn:
    """One column's recoding: the new code of each old code in each group.

    `form` says why the trees stay: every rival split is worse (strict), or ties are lost by the
    rule of ties (index), or it is the global recoding. `whole`: each group has one value.
    `complete_lists`: the lists of categories that a tree prints come out complete.
    """

    column: str
    new: Integers
    domain: Domain
    treatment: Treatment
    form: Literal["strict", "index", "global"]
    whole: bool = True
    complete_lists: bool = True
    found_by: str = ""


@dataclass(frozen=True, eq=False)
class LeafRecoding:
    """The recoding of a table: used columns by leaf, the others by one map."""

    census: Census
    columns: Mapping[str, LeafColumn]
    others: Mapping[str, ColumnRecoding]
    base: Mapping[str, ColumnRecoding]

    @property
    def whole(self) -> bool:
        """Whether each group has one value in every column: then K is the smallest group."""
        return all(column.whole for column in self.columns.values())

    @property
    def strict(self) -> bool:
        return all(column.form == "strict" for column in self.columns.values())

    def apply(self, engine: Engine) -> Engine:
        """The table with its columns recoded."""
        by_leaf = {name: (c.new, c.domain) for name, c in self.columns.items()}
        if by_leaf:
            engine = engine.recode(by_leaf, regions=self.census.regions)
        changed = {
            name: (r.new_of_old, r.domain)
            for name, r in self.others.items()
            if r.treatment is not Treatment.KEPT
        }
        return engine.recode(changed) if changed else engine

    def expected(self, number: int = 0) -> Tree:
        """A tree in the words of the released table, as it will grow there."""
        tree = self.census.trees[number]
        grown = relabelled(tree, self.base, self.census.domains)
        carried = {(p.tree, p.node.id): p.sides for p in self.census.places()}
        nodes = tuple(
            replace(node, split=self._carried(node.split, carried[number, node.id]))
            if node.split is not None
            else node
            for node in grown.nodes
        )
        return replace(grown, nodes=nodes)

    def _carried(self, split: Split, sides: Sequence[Integers]) -> Split:
        """A list of categories without those that no record below carries any more."""
        column = self.columns.get(split.attribute)
        if column is None or not isinstance(split, Subset):
            return split

        def labels(side: Integers) -> tuple[Value, ...]:
            codes: set[int] = set()
            for group in side.tolist():
                tally = self.census.tallies[group][split.attribute]
                codes.update(column.new[group][tally.codes].tolist())
            return tuple(column.domain.value(code) for code in sorted(codes))

        return Subset(split.attribute, labels(sides[0]), labels(sides[1]))


@dataclass(frozen=True, eq=False)
class _Found:
    """A recoding of one column that passed the exact check."""

    atoms: Atoms
    domain: Domain
    codes: Integers
    form: Literal["strict", "index", "global"]
    by: str


def recode_by_leaf(
    census: Census,
    base: Mapping[str, ColumnRecoding],
    float32_safe: bool = False,
    use_solver: bool = True,
) -> LeafRecoding:
    """A recoding by leaf of the columns that `base`, the global recoding, recodes."""
    used = [column for column in census.columns if column in base]
    columns: dict[str, LeafColumn] = {}
    divided: set[int] = set()  # groups that some column keeps in pieces
    for name in used:
        task = ColumnTask(census, name, base[name], float32_safe)
        found = _recode(task, divided, use_solver and solver.is_installed())
        columns[name] = _as_column(task, found)
        for group in np.unique(found.atoms.group).tolist():
            if len(np.unique(found.codes[found.atoms.group == group])) > 1:
                divided.add(group)
    others = {name: recoding for name, recoding in base.items() if name not in columns}
    return LeafRecoding(census, columns, others, base)


# -- attempts ----------------------------------------------------------------------------------


def _recode(task: ColumnTask, divided: set[int], use_solver: bool) -> _Found:
    whole = task.whole_groups()
    for form in FORMS:
        for complete in (True,) if task.ordered else (True, False):
            for found in _attempts(task, whole, form, complete, use_solver):
                return found
    return _in_pieces(task, divided, use_solver)


def _attempts(
    task: ColumnTask, atoms: Atoms, form: Form, complete: bool, use_solver: bool
) -> Iterator[_Found]:
    """What the attempts of one form find and the exact check confirms, best first."""
    own, more = own_values(task), more_values(task)
    if not task.ordered and complete and not _can_be_complete(task, atoms):
        return
    for by, domain in (("search M", own), ("search R", more)):
        if by == "search R" and domain.size == own.size:
            continue
        landscape = Landscape(task, atoms, domain, form, complete)
        codes = search(landscape, task.column)
        if codes is not None:
            found = _confirmed(task, atoms, domain, codes, form, by)
            if found:
                yield found
    if use_solver:
        for by, domain, codes in solver.solutions(task, atoms, more, form, complete):
            found = _confirmed(task, atoms, domain, codes, form, by)
            if found:
                yield found


def _confirmed(
    task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers, form: Form, by: str
) -> _Found | None:
    reached = task.form(atoms, domain, codes)
    if reached is None or (form == "strict" and reached != "strict"):
        return None
    return _Found(atoms, domain, codes, reached, by)


def _in_pieces(task: ColumnTask, divided: set[int], use_solver: bool) -> _Found:
    """Pieces of groups, as large as possible; at the least the global recoding itself."""
    best: tuple[int, _Found] | None = None
    for least in fallback.piece_sizes(task):
        if best is not None and best[0] >= least:
            break
        for whole in (divided, set()) if divided else (set(),):
            atoms = fallback.pieces_of(task, least, whole)
            for form in FORMS:
                for found in _attempts(task, atoms, form, not task.ordered, use_solver):
                    return _better(best, found)
    cells = task.single_cells()
    domain = own_values(task)
    for form in FORMS:
        merged = fallback.merge_greedily(task, cells, domain, form)
        if merged is not None:
            found = _confirmed(task, cells, domain, merged, form, "greedy")
            if found:
                return found
    return _Found(cells, domain, fallback.identity(cells), "global", "global")


def _better(best: tuple[int, _Found] | None, found: _Found) -> _Found:
    return found if best is None else max(best, (0, found), key=lambda b: b[0])[1]


def _can_be_complete(task: ColumnTask, atoms: Atoms) -> bool:
    """Whether there are enough atoms below each side to carry all categories of its list."""
    for stop in task.own:
        for number, side in enumerate(stop.sides):
            carriers = int(np.isin(atoms.group, side).sum())
            if carriers < int(task.side(stop, number, task.base.domain).sum()):
                return False
    return True


# -- results -----------------------------------------------------------------------------------


def _as_column(task: ColumnTask, found: _Found) -> LeafColumn:
    used = np.unique(found.codes)
    place = np.zeros(found.domain.size, dtype=np.int64)
    place[used] = np.arange(len(used))
    missing = found.domain.missing_code in used.tolist()
    kept = used[:-1] if missing else used
    domain = Domain(found.domain.kind, found.domain.values[kept], missing)
    codes = place[found.codes]
    cell_of = task.base.new_of_old
    new = np.zeros((len(task.census.leaves), task.domain.size), dtype=np.int64)
    whole = True
    for group in range(len(new)):
        members = np.flatnonzero(found.atoms.group == group).tolist()
        by_cell = {c: int(codes[m]) for m in members for c in found.atoms.cells[m]}
        whole &= len(set(by_cell.values())) == 1
        known = np.array(sorted(by_cell))
        # cells that the group does not have go with the nearest that it has
        cells = np.arange(task.base.domain.size)
        nearest = known[np.abs(known[None, :] - cells[:, None]).argmin(axis=1)]
        of_cell = np.array([by_cell[c] for c in nearest.tolist()], dtype=np.int64)
        new[group] = of_cell[cell_of]
    truthful = _is_truthful(task, found)
    return LeafColumn(
        task.column,
        new,
        domain,
        Treatment.GENERALISED if truthful else Treatment.CODED,
        found.form,
        whole,
        task.ordered or _is_complete(task, found),
        found.by,
    )


def _is_truthful(task: ColumnTask, found: _Found) -> bool:
    """Whether every atom's new value lies in the one global cell that holds all its old values."""
    base = task.base.domain
    values = {base.value(code): code for code in range(base.size)}
    for cells, code in zip(found.atoms.cells, found.codes.tolist(), strict=True):
        if len(cells) > 1 or values.get(found.domain.value(code)) != cells[0]:
            return False
    return True


def _is_complete(task: ColumnTask, found: _Found) -> bool:
    for stop in task.own:
        for number, side in enumerate(stop.sides):
            listed = np.flatnonzero(task.side(stop, number, found.domain))
            carried = found.codes[np.isin(found.atoms.group, side)]
            if not np.isin(listed, carried).all():
                return False
    return True
