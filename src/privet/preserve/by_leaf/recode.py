"""Leaf recoding: the records of a leaf become equal, and the same trees still grow.

Each used column is a task of its own (docs/guarantees/leaf-recoding.md). For each, the first
draft that succeeds wins: local search over few values, then the constraint solver, with every
rival split strictly worse; then both with ties left to the rule of ties; then pieces of groups
(`fallback`), never worse than the global recoding. Every success is checked exactly (`conditions`).
Columns that no tree uses stay as in the global recoding: one constant.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from privet.arrays import Integers, distinct
from privet.engine.protocol import Engine
from privet.preserve.by_leaf import pieces as fallback
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.column import LeafColumn, as_column
from privet.preserve.by_leaf.compiled_search import pays
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.local_search import LONG, SHORT, search
from privet.preserve.by_leaf.new_values import more_values, own_values
from privet.preserve.by_leaf.solver import Solution, Solver
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, apply, relabelled
from privet.table import Domain, Value
from privet.tree.model import Split, Subset, Tree

FORMS: tuple[Form, ...] = ("strict", "index")


@dataclass(frozen=True, eq=False)
class LeafRecoding:
    """The recoding of a table: used columns by leaf, the others by one map."""

    leaf_counts: LeafCounts
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

    @property
    def is_single_precision(self) -> bool:
        return all(column.is_single_precision for column in self.columns.values())

    def apply(self, engine: Engine, besides: Sequence[str] = ()) -> Engine:
        """The table with its columns recoded, but for some."""
        edits = {n: (c.new, c.domain) for n, c in self.columns.items() if n not in besides}
        engine = engine.recode(edits, self.leaf_counts.regions) if edits else engine
        return apply(engine, self.others, besides)

    def expected(self, number: int = 0) -> Tree:
        """A tree in the words of the released table, as it will grow there."""
        tree = self.leaf_counts.trees[number]
        grown = relabelled(tree, self.base, self.leaf_counts.domains)

        def labels(attribute: str, side: Integers) -> tuple[Value, ...] | None:
            column = self.columns.get(attribute)
            if column is None:
                return None
            codes: set[int] = set()
            for group in side.tolist():
                tally = self.leaf_counts.tallies[group][attribute]
                codes.update(column.new[group][tally.codes].tolist())
            return tuple(column.domain.value(code) for code in sorted(codes))

        return with_lists_carried(grown, self.leaf_counts, number, labels)


Labels = Callable[[str, Integers], tuple[Value, ...] | None]


def with_lists_carried(grown: Tree, leaf_counts: LeafCounts, number: int, labels: Labels) -> Tree:
    """A tree whose lists of categories name what records below still carry; what none carries any
    more is set apart. `labels(column, groups)`: what some groups carry, None if not recoded."""
    sides = {p.node.id: p.sides for p in leaf_counts.inner_nodes if p.tree == number}

    def carried(split: Split | None, node: int) -> Split | None:
        if not isinstance(split, Subset):
            return split
        left, right = (labels(split.attribute, side) for side in sides[node])
        if left is None or right is None:
            return split
        more = (
            tuple(label for label in split.left if label not in left),
            tuple(label for label in split.right if label not in right),
        )
        return Subset(split.attribute, left, right, *more)

    nodes = tuple(replace(node, split=carried(node.split, node.id)) for node in grown.nodes)
    return replace(grown, nodes=nodes)


@dataclass(frozen=True, eq=False)
class Found:
    """A recoding of one column that passed the exact check: a code for each atom."""

    atoms: Atoms
    domain: Domain
    codes: Integers
    form: Literal["strict", "index", "global"]
    by: str

    @property
    def smallest_piece(self) -> int:
        return fallback.smallest_piece(self.atoms, self.codes)

    def divided(self) -> set[int]:
        """The groups that it keeps in pieces."""
        groups = distinct(self.atoms.group).tolist()
        return {g for g in groups if len(distinct(self.codes[self.atoms.group == g])) > 1}


class Inherited(Protocol):
    """What a smaller tree hands down (`handed_down`)."""

    def found(self, task: ColumnTask, least: int, divided: Collection[int]) -> Found:
        """Values of a column that keep the tree, near to what it had if that can be."""


def recode_by_leaf(
    leaf_counts: LeafCounts,
    base: Mapping[str, ColumnRecoding],
    float32_safe: bool = False,
    solver: Solver | None = None,
    least: int = 1,
    suspects: list[str] | None = None,
    inherited: Inherited | None = None,
) -> LeafRecoding | None:
    """A recoding by leaf of the columns that `base`, the global recoding, recodes.

    None as soon as a column needs pieces of fewer than `least` records. Without a solver, local
    search has to do alone; it looks longer then. `suspects` are columns that failed for trees
    like these, the latest first: they are looked at before all others, and the list is kept.
    What is `inherited` from a smaller tree says what becomes of a column instead.
    """
    if leaf_counts.smallest_group < least:
        return None
    used = [column for column in leaf_counts.columns if column in base]
    suspects = [] if suspects is None else suspects

    def found_for(name: str, divided: Collection[int] = ()) -> Found:
        task = ColumnTask(leaf_counts, name, base[name], float32_safe)
        if inherited is not None:
            return inherited.found(task, least, divided)
        return recode_column(task, solver, least, divided)

    known: dict[str, Found] = {}
    for name in filter(used.__contains__, suspects if inherited is None else ()):
        known[name] = found_for(name)
        if known[name].smallest_piece < least:
            _suspect_first(suspects, name)
            return None
    columns: dict[str, LeafColumn] = {}
    divided: set[int] = set()  # groups that some column keeps in pieces
    for name in used:
        found = known.get(name)
        if found is None or divided:
            found = found_for(name, divided)
        if found.smallest_piece < least:
            _suspect_first(suspects, name)
            return None
        task = ColumnTask(leaf_counts, name, base[name], float32_safe)
        columns[name] = as_column(
            task, found.atoms, found.domain, found.codes, found.form, found.by
        )
        divided |= found.divided()
    others = {name: recoding for name, recoding in base.items() if name not in columns}
    return LeafRecoding(leaf_counts, columns, others, base)


def _suspect_first(suspects: list[str], name: str) -> None:
    suspects[:] = [name, *(other for other in suspects if other != name)]


# -- drafts ----------------------------------------------------------------------------------


def recode_column(
    task: ColumnTask, solver: Solver | None, least: int = 1, divided: Collection[int] = ()
) -> Found:
    """One value for each group if that can be; else for pieces of groups, if possible of none
    that are `divided`."""
    found = first_found(task, task.whole_groups(), solver)
    return in_pieces(task, set(divided), solver, least) if found is None else found


def first_found(task: ColumnTask, atoms: Atoms, solver: Solver | None) -> Found | None:
    """The first of all drafts for some atoms that the exact check confirms."""
    if solver is not None:
        solver.deadline.check()
    # Mostly it is the thresholds alone that cannot be kept, which the solver knows at once: sooner
    # than a search ends in vain, but not than a compiled one.
    hope = _Hope(task, atoms, solver)
    if not pays() and hope.is_lost:
        hope.search_is_in_vain = True
    for form, complete in ways_of(task):
        if not task.ordered and complete and not can_be_complete(task, atoms):
            continue
        for by, domain, codes in _drafts(hope, form, complete):
            found = confirmed(task, atoms, domain, codes, form, by)
            if found is not None:
                return found
    return None


class _Hope:
    """One column's atoms, and whether paths and thresholds leave them any alphabet; asked once."""

    def __init__(self, task: ColumnTask, atoms: Atoms, solver: Solver | None) -> None:
        self.task, self.atoms, self.solver = task, atoms, solver
        self.more = more_values(task)
        self.search_is_in_vain = False

    @cached_property
    def is_lost(self) -> bool:
        solver = self.solver
        return solver is not None and solver.finds_hopeless(self.task, self.atoms, self.more)


def _drafts(hope: _Hope, form: Form, complete: bool) -> Iterator[Solution]:
    """What searches and the solver propose, best first."""
    task, atoms, solver = hope.task, hope.atoms, hope.solver
    own = own_values(task)
    for by, domain in (("search M", own), ("search R", hope.more)):
        if hope.search_is_in_vain or (by == "search R" and domain.size == own.size):
            continue
        counter = FaultCounter(task, atoms, domain, form, complete)
        codes = search(counter, task.column, *(SHORT if solver else LONG))
        if codes is not None:
            yield by, domain, codes
    if solver is not None:
        hope.search_is_in_vain = hope.is_lost
        alphabet = None if hope.is_lost else hope.more
        yield from solver.solutions(task, atoms, alphabet, form, complete)


def confirmed(
    task: ColumnTask, atoms: Atoms, domain: Domain, codes: Integers, form: Form, by: str
) -> Found | None:
    reached = task.form(atoms, domain, codes)
    if reached is None or (form == "strict" and reached != "strict"):
        return None
    return Found(atoms, domain, codes, reached, by)


def in_pieces(task: ColumnTask, divided: set[int], solver: Solver | None, least: int) -> Found:
    """Pieces of groups, as large as possible and if possible of none of the `divided` ones; at the
    least the global recoding itself.

    Pieces of fewer than `least` records are of no use, so they are not searched for.
    """
    greedy = _merged(task)
    reached = 0 if greedy is None else greedy.smallest_piece
    for size in fallback.piece_sizes(task):
        if size <= reached or size < least:
            break
        for whole in (divided, set()) if divided else (set(),):
            atoms = fallback.pieces_of(task, size, whole)
            if len(atoms) == len(task.leaf_counts.leaves):
                continue
            found = first_found(task, atoms, solver)
            if found is not None:
                return found
    return greedy or as_global(task)


def as_global(task: ColumnTask) -> Found:
    """Leaves as the global recoding has them."""
    cells = task.single_cells()
    return Found(cells, own_values(task), fallback.identity(cells), "global", "global")


def _merged(task: ColumnTask) -> Found | None:
    """The global recoding with what can be joined without a search."""
    cells, domain = task.single_cells(), own_values(task)
    for form in FORMS:
        codes = fallback.merge_greedily(task, cells, domain, form)
        if codes is not None:
            found = confirmed(task, cells, domain, codes, form, "greedy")
            if found is not None:
                return found
    return None


def ways_of(task: ColumnTask) -> list[tuple[Form, bool]]:
    """Forms in the order of preference; for categories with complete lists first."""
    if task.ordered:
        return [(form, True) for form in FORMS]
    return [(form, complete) for complete in (True, False) for form in FORMS]


def can_be_complete(task: ColumnTask, atoms: Atoms) -> bool:
    """Whether there are enough atoms below each side to carry all categories of its list."""
    for seen in task.own:
        for number, side in enumerate(seen.sides):
            carriers = int(np.isin(atoms.group, side).sum())
            if carriers < int(task.side(seen, number, task.base.domain).sum()):
                return False
    return True
