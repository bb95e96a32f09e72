"""Values handed down from a smaller tree: a leaf that is divided gives its parts what it had.

A column that the new splits do not ask stays as it is: the parts of a leaf have one value, so the
nodes above see what they saw, and in the node that was the leaf there is nothing to cut. In the
columns that they ask, the parts of divided leaves must move, and what stands nearby with them; so
does what a leaf has in pieces, where a cut between them would win. A search that starts from what
was handed down has little to repair, and where it fails the solver has few atoms to move. What is
found is checked exactly (`conditions`). This is for one tree: the leaves of several trees meet in
groups, and a leaf that has several groups may be cut by any column.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers, distinct
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.column import LeafColumn
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import search
from privet.preserve.by_leaf.new_values import mirrored, more_values
from privet.preserve.by_leaf.recode import (
    Found,
    LeafRecoding,
    as_global,
    can_be_complete,
    confirmed,
    first_found,
    in_pieces,
    ways_of,
)
from privet.preserve.by_leaf.refinement import Detail
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts
from privet.table import Domain

_STEPS = 200  # of the search that repairs what was handed down
_MOST_FREE = 60  # atoms that the solver may move


@dataclass(frozen=True, eq=False)
class Heirs:
    """The leaves of a tree, as parts of those of a beginning of it that has been recoded."""

    before: LeafRecoding  # of the smaller tree
    parents: Integers  # for each leaf the one that it is part of
    new: Mapping[int, str]  # the inner nodes that the smaller tree has not, and what they ask
    solver: Solver | None
    in_vain: set[str]  # columns in which one value for each leaf has been looked for

    @classmethod
    def of(
        cls,
        before: LeafRecoding,
        leaf_counts: LeafCounts,
        solver: Solver | None = None,
        in_vain: Collection[str] = (),
    ) -> "Heirs":
        old = {node.id for node in before.leaf_counts.trees[0].inner}
        inner = leaf_counts.trees[0].inner
        new = {n.id: n.split.attribute for n in inner if n.split is not None and n.id not in old}
        return cls(before, _parents(before, leaf_counts), new, solver, set(in_vain))

    def found(self, task: ColumnTask, least: int, divided: Collection[int]) -> Found:
        """Values of a column that keep the tree, with little changed if that can be; else one for
        each leaf, or for pieces of leaves, if possible of none that are `divided`. Where leaves had
        pieces, pieces come first; where they were as the global recoding has them, they stay so."""
        if self.solver is not None:
            self.solver.begin_anew()  # no column takes the time of another
        found = self.values_of(task)
        if found is not None and found.smallest_piece >= least:
            return found
        known = self.before.columns.get(task.column)
        if known is not None and known.form == "global":  # all else has been looked for in vain
            found = as_global(task)
            if found.smallest_piece >= least:
                return found
        if known is None or known.whole:
            return self._whole(task) or in_pieces(task, set(divided), self.solver, least)
        found = in_pieces(task, set(divided), self.solver, least)
        if found.smallest_piece >= least and found.divided().isdisjoint(divided):
            return found
        return self._whole(task) or found

    def _whole(self, task: ColumnTask) -> Found | None:
        """One value for each leaf."""
        if task.column in self.in_vain:
            return None
        found = first_found(task, task.whole_groups(), self.solver)
        if found is None:
            self.in_vain.add(task.column)
        return found

    def values_of(self, task: ColumnTask) -> Found | None:
        """Values of a column that keep the tree, with little changed; None where none are found."""
        column = self.before.columns.get(task.column)
        if column is None:
            found = _of_one_value(task)
        else:
            found = self._as_they_were(task, column)
            if column.whole and task.column not in self.new.values():
                return found
        start = None if found is None else _moved_across(task, found)
        if start is None:
            return None
        return _repaired(task, *start) or self._solved(task, *start)

    def detail_for(self, plain: LeafRecoding) -> Detail:
        """What leaves that have not been divided have of detail in columns whose cells are the
        same; divided ones have what `plain` has."""
        divided = np.bincount(self.parents)[self.parents] > 1
        columns: dict[str, LeafColumn] = {}
        for name, now in plain.columns.items():
            old = self.before.columns.get(name)
            if old is None or "global" in (old.form, now.form):
                continue
            if not plain.base[name].has_the_cells_of(self.before.base[name]):
                continue
            domain = old.domain.union(now.domain)
            was, is_ = (c.domain.places_in(domain)[c.of_cell] for c in (old, now))
            of_cell = np.where(divided[:, None], is_, was[self.parents])
            columns[name] = replace(now, domain=domain, of_cell=of_cell, found_by=old.found_by)
        return Detail(columns, divided)

    def _as_they_were(self, task: ColumnTask, column: LeafColumn) -> Found | None:
        """What the leaves had; None where they had the global recoding, or several values in what
        is one cell now."""
        if column.form == "global":
            return None
        if column.whole:
            codes = column.of_cell[self.parents, 0].astype(np.int64)
            return Found(task.whole_groups(), column.domain, codes, column.form, column.found_by)
        value_of: list[dict[int, int]] = []  # for each leaf the value of each cell
        for group, parent in enumerate(self.parents.tolist()):
            old = task.leaf_counts.tallies[group][task.column].codes
            values = column.of_cell[parent, column.cell_of_old[old]].tolist()
            pairs = set(zip(task.base.new_of_old[old].tolist(), values, strict=True))
            value_of.append(dict(pairs))
            if len(value_of[-1]) < len(pairs):
                return None

        def divide(group: int, cells: list[int], _: dict[int, int]) -> list[list[int]]:
            parts: dict[int, list[int]] = {}
            for cell in cells:
                parts.setdefault(value_of[group][cell], []).append(cell)
            return list(parts.values())

        atoms = task.pieces(divide)
        firsts = zip(atoms.group.tolist(), atoms.cells, strict=True)
        codes = np.array([value_of[group][cells[0]] for group, cells in firsts], dtype=np.int64)
        return Found(atoms, column.domain, codes, column.form, column.found_by)

    def _solved(
        self, task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers
    ) -> Found | None:
        """The same with the solver, which moves what is near to the new splits, then more."""
        if self.solver is None:
            return None
        for free in self._ever_more(task, atoms):
            for form, complete in ways_of(task):
                drafts = self.solver.nearby(task, atoms, (domain, codes), free, form, complete)
                for by, other, solved in drafts:
                    found = confirmed(task, atoms, other, solved, form, by)
                    if found is not None:
                        return found
        return None

    def _ever_more(self, task: ColumnTask, atoms: Atoms) -> Iterator[set[int]]:
        """The atoms below the new nodes that ask the column (or all new ones, if none does), then
        below those above them, as long as they are few; each time twice as many at least."""
        nodes = task.leaf_counts.trees[0].nodes
        seen = {one.node.id: one for one in task.nodes_seen}
        at = {node for node, column in self.new.items() if column == task.column} or set(self.new)
        tried = 0
        while at:
            free = {atom for node in at for atom in atoms.below(seen[node]).tolist()}
            if len(free) > _MOST_FREE and tried:
                return
            if len(free) >= 2 * tried:
                yield free
                tried = len(free)
            above = (nodes[node].parent for node in at)
            at = {node for node in above if node is not None}


def _of_one_value(task: ColumnTask) -> Found | None:
    """A column of numbers that was not asked before: all of them just below its first threshold."""
    threshold = task.own[0].threshold if task.ordered else None
    if threshold is None:
        return None
    domain, atoms = task.base.domain, task.whole_groups()
    below = max(0, int(np.searchsorted(domain.values, threshold, side="right")) - 1)
    return Found(atoms, domain, np.full(len(atoms), below, dtype=np.int64), "strict", "one value")


def _repaired(task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers) -> Found | None:
    """What a short search makes of codes."""
    for form, complete in ways_of(task):
        if task.ordered or not complete or can_be_complete(task, atoms):
            counter = FaultCounter(task, atoms, domain, form, complete)
            repaired = search(counter, task.column, _STEPS, 1, codes)
            if repaired is not None:
                found = confirmed(task, atoms, domain, repaired, form, "handed down")
                if found is not None:
                    return found
    return None


def _moved_across(task: ColumnTask, inherited: Found) -> tuple[Atoms, Domain, Integers] | None:
    """What was inherited, moved across a new threshold where it must be; None where that cannot be.
    The domain has room for what a search may want to try."""
    atoms, domain, images = inherited.atoms, task.base.domain, _images(task, inherited)
    if task.ordered:
        mirrors = np.array(sorted(set(images.values())), dtype=domain.values.dtype)
        used = inherited.domain.values[distinct(inherited.codes[_is_number(inherited)])]
        wanted = (Domain(domain.kind, values) for values in (mirrors, used))
        domain = more_values(task).union(*wanted)
    codes = inherited.domain.places_in(domain)[inherited.codes]
    if (codes < 0).any():  # the group of categories that it named is another one now
        return None
    for atom, image in images.items():
        codes[atom] = np.searchsorted(domain.values, image)
    allowed = task.allowed(atoms, domain)
    astray = np.flatnonzero(~allowed[np.arange(len(atoms)), codes])
    if not allowed[astray].any(axis=1).all():
        return None
    codes[astray] = allowed[astray].argmax(axis=1)
    return atoms, domain, codes


def _is_number(found: Found) -> Booleans:
    return np.asarray(found.codes != found.domain.missing_code)


def _images(task: ColumnTask, inherited: Found) -> dict[int, Any]:
    """For each atom that a new threshold parts from its number, the one as far behind it."""
    images = {}
    atoms, domain, codes = inherited.atoms, inherited.domain, inherited.codes
    for seen in task.own if task.ordered else ():
        if seen.threshold is None:
            continue
        for number, groups in enumerate(seen.sides):
            astray = np.isin(atoms.group, groups) & ~task.side(seen, number, domain)[codes]
            for atom in np.flatnonzero(astray).tolist():
                if codes[atom] != domain.missing_code:
                    value = domain.values[codes[atom]].item()
                    image = mirrored(value, seen.threshold, task.domain)
                    if image is not None:
                        images[atom] = image
    return images


def _parents(before: LeafRecoding, leaf_counts: LeafCounts) -> Integers:
    """For each leaf of the larger tree the one of the smaller tree that it is part of."""
    group_of = {leaf: group for group, (leaf,) in enumerate(before.leaf_counts.leaves)}
    nodes = leaf_counts.trees[0].nodes
    parents = []
    for (leaf,) in leaf_counts.leaves:
        at = leaf
        while at not in group_of:
            above = nodes[at].parent
            assert above is not None
            at = above
        parents.append(group_of[at])
    return np.array(parents, dtype=np.int64)
