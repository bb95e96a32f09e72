"""Values handed down from a smaller tree: a leaf that is divided gives both parts what it had.

A column that the new splits do not ask stays as it is: both parts of a leaf have one value, so the
nodes above see what they saw, and in the node that was the leaf there is nothing to cut. In the
columns that they ask, only the parts of divided leaves must move, and a search that starts from
what was handed down has little to repair; `conditions` decides exactly. So a size follows from a
smaller one in much less time than anew, but it may find other values: sketches of sizes are made
so, releases never. This is for one tree: the leaves of several trees meet in groups, and a leaf
that has several groups may be cut by any column.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers, distinct
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.column import LeafColumn, as_column
from privet.preserve.by_leaf.conditions import ColumnTask
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import search
from privet.preserve.by_leaf.new_values import mirrored, more_values
from privet.preserve.by_leaf.recode import (
    Found,
    LeafRecoding,
    can_be_complete,
    confirmed,
    first_found,
    ways_of,
)
from privet.preserve.by_leaf.solver import Solver
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding
from privet.table import Domain

_STEPS = 200  # of the search that repairs what was handed down


def handed_down(
    before: LeafRecoding | None,
    leaf_counts: LeafCounts,
    base: Mapping[str, ColumnRecoding],
    float32_safe: bool = False,
    solver: Solver | None = None,
) -> LeafRecoding | None:
    """A recoding of whole leaves of a tree after one of a beginning of it; None where some column
    has none."""
    heirs = None if before is None else _Heirs.of(before, leaf_counts)
    columns = {}
    for name in leaf_counts.columns:
        if name not in base:  # released as it is
            continue
        task = ColumnTask(leaf_counts, name, base[name], float32_safe)
        inherited = None if heirs is None else heirs.values_of(task)
        found = inherited or first_found(task, task.whole_groups(), solver)
        if found is None:
            return None
        columns[name] = as_column(
            task, found.atoms, found.domain, found.codes, found.form, found.by
        )
    others = {name: recoding for name, recoding in base.items() if name not in columns}
    return LeafRecoding(leaf_counts, columns, others, base)


@dataclass(frozen=True, eq=False)
class _Heirs:
    """The leaves of the larger tree, as parts of those of the smaller one."""

    columns: Mapping[str, LeafColumn]  # of the smaller tree
    parents: Integers  # for each leaf the one that it is part of
    asked: frozenset[str]  # columns that the new splits ask

    @classmethod
    def of(cls, before: LeafRecoding, leaf_counts: LeafCounts) -> "_Heirs":
        old = {node.id for node in before.leaf_counts.trees[0].inner}
        new = [node.split for node in leaf_counts.trees[0].inner if node.id not in old]
        asked = frozenset(split.attribute for split in new if split is not None)
        return cls(before.columns, _parents(before, leaf_counts), asked)

    def values_of(self, task: ColumnTask) -> Found | None:
        """What the leaves have of a column; None where the smaller tree does not ask it, or where
        it has nothing that does."""
        column = self.columns.get(task.column)
        if column is None:
            return None
        codes = column.of_cell[self.parents, 0].astype(np.int64)  # all cells of a leaf are alike
        found = Found(task.whole_groups(), column.domain, codes, column.form, column.found_by)
        return _repaired(task, found) if task.column in self.asked else found


def _repaired(task: ColumnTask, inherited: Found) -> Found | None:
    """What was inherited, with the parts of divided leaves moved; None where that does not do."""
    atoms = inherited.atoms
    start = _moved_across(task, atoms, inherited)
    if start is None:
        return None
    domain, codes = start
    for form, complete in ways_of(task):
        if task.ordered or not complete or can_be_complete(task, atoms):
            counter = FaultCounter(task, atoms, domain, form, complete)
            repaired = search(counter, task.column, _STEPS, 1, codes)
            if repaired is not None:
                found = confirmed(task, atoms, domain, repaired, form, "handed down")
                if found is not None:
                    return found
    return None


def _moved_across(
    task: ColumnTask, atoms: Atoms, inherited: Found
) -> tuple[Domain, Integers] | None:
    """What was inherited, moved across a new threshold where it must be; None where that cannot be.
    The domain has room for what a search may want to try."""
    domain, images = task.base.domain, _images(task, inherited)
    if task.ordered:
        mirrors = np.array(sorted(set(images.values())), dtype=domain.values.dtype)
        used = inherited.domain.values[distinct(inherited.codes[_is_number(inherited)])]
        wanted = (Domain(domain.kind, values) for values in (mirrors, used))
        domain = more_values(task).union(*wanted)
    codes = inherited.domain.places_in(domain)[inherited.codes]
    if (codes < 0).any():  # the group of categories that it named is another one now
        return None
    for group, image in images.items():
        codes[group] = np.searchsorted(domain.values, image)
    allowed = task.allowed(atoms, domain)
    astray = np.flatnonzero(~allowed[np.arange(len(atoms)), codes])
    if not allowed[astray].any(axis=1).all():
        return None
    codes[astray] = allowed[astray].argmax(axis=1)
    return domain, codes


def _is_number(found: Found) -> Booleans:
    return np.asarray(found.codes != found.domain.missing_code)


def _images(task: ColumnTask, inherited: Found) -> dict[int, Any]:
    """For each leaf that a new threshold parts from its number, the one as far behind it."""
    images = {}
    domain, codes = inherited.domain, inherited.codes
    for seen in task.own if task.ordered else ():
        if seen.threshold is None:
            continue
        for number, groups in enumerate(seen.sides):
            goes = task.side(seen, number, domain)
            for group in groups[~goes[codes[groups]]].tolist():
                if codes[group] != domain.missing_code:
                    value = domain.values[codes[group]].item()
                    image = mirrored(value, seen.threshold, task.domain)
                    if image is not None:
                        images[group] = image
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
