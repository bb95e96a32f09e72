"""When a recoding by leaf keeps the trees: the conditions of one column, checked exactly.

A column is recoded alone: a candidate split concerns one column, and its gain depends only on
which records it sends where. `ColumnTask` holds what the trees ask of a column. `violations` walks
over every node and lets the grower's own `candidates_of` list the splits that the recoded column
offers there; each of them must lose against the split that the tree has, and in a leaf against
every split that was made after the leaf was born (`rivals` compares). `local_search` and `solver`
look for recodings, `fallback` divides groups where whole ones do not work.
A recoding is a domain of new values and a code for each atom (`atoms`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from privet.arrays import Booleans, Integers, distinct
from privet.engine.protocol import Tally
from privet.exact import in_single_precision
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.contests import (
    NodeSeen,
    Offered,
    Standing,
    Violation,
)
from privet.preserve.by_leaf.nodes_seen import nodes_seen
from privet.preserve.by_leaf.screen import Screens
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding
from privet.table import Domain, code_type
from privet.tree.candidates import candidates_of, rank_in
from privet.tree.impurity import RULES
from privet.tree.model import Multiway, Threshold

_AT_ONCE = 1 << 16  # values of all groups that are summed up together
_MANY = 16  # codes for each atom, beyond which it is quicker to sort than to look into a list

Form = Literal["strict", "index"]
Divide = Callable[[int, list[int], dict[int, int]], list[list[int]]]


class ColumnTask:
    """What the trees ask of one column, in counts of groups and cells of its global recoding."""

    def __init__(
        self, leaf_counts: LeafCounts, column: str, base: ColumnRecoding, float32_safe: bool = False
    ) -> None:
        self.leaf_counts = leaf_counts
        self.column = column
        self.base = base
        self.domain = leaf_counts.domains[column]
        self.ordered = self.domain.kind.is_ordered
        self.float32_safe = float32_safe
        self.responses = leaf_counts.responses
        self.index = {
            number: tree.grower.attributes.index(column)
            for number, tree in enumerate(leaf_counts.trees)
            if tree.grower.attributes and column in tree.grower.attributes
        }
        self.nodes_seen = [
            seen for number in self.index for seen in nodes_seen(leaf_counts, number, column)
        ]
        self.own = [seen for seen in self.nodes_seen if seen.own]
        self.multiway = any(isinstance(s.node.split, Multiway) for s in self.own)
        self._equal_gains = self._pairs_of_equal_gain()
        self.neighbours: dict[tuple[int, float | None], tuple[Domain, Booleans]] = {}

    # -- what the trees are ------------------------------------------------------------------------

    def _pairs_of_equal_gain(self) -> list[tuple[NodeSeen, NodeSeen]]:
        """Own nodes of equal gain that were open together, the one that was split first first.

        Only left sets of categories can change their order by recoding.
        """
        if self.ordered or self.multiway:
            return []
        pairs = []
        for one in self.own:
            for two in self.own:
                open_together = (
                    one.tree == two.tree
                    and two.node.id < one.node.children[0] < two.node.children[0]
                )
                if not open_together:
                    continue
                a, b = one.kept_splits[0], two.kept_splits[0]
                if abs(a.score - b.score) <= a.slack(b.score, b.error) and a.exact == b.exact:
                    pairs.append((one, two))
        return pairs

    @cached_property
    def stored_orders(self) -> dict[int, tuple[str | None, ...]]:
        """The order of the released categories, by the number of each tree that cuts a stored one
        of its own."""
        asked = {
            number: order
            for number in self.index
            if (order := self._tree_order(number)) is not None
        }
        if not asked:  # as for every number, which may have as many values as there are records
            return {}
        labels = {self.domain.value(c): c for c in range(self.domain.size)}
        orders = {}
        for number, order in asked.items():
            codes = [int(self.base.new_of_old[labels[label]]) for label in order]
            values = [self.base.domain.value(c) for c in dict.fromkeys(codes)]
            orders[number] = tuple(None if v is None else str(v) for v in values)
        return orders

    def _tree_order(self, number: int) -> tuple[str | None, ...] | None:
        return self.leaf_counts.trees[number].grower.category_orders.get(self.column)

    def rank(self, domain: Domain, tree: int) -> Integers | None:
        """The place of each code in the stored order of a tree, as the grower computes it."""
        order = self.stored_orders.get(tree)
        return None if order is None else rank_in(domain, order)

    def common_rank(self, domain: Domain) -> Integers | None:
        """The same where all trees have one order in common."""
        orders = {self.stored_orders.get(number) for number in self.index}
        return self.rank(domain, min(self.index)) if len(orders) == 1 else None

    @cached_property
    def inside(self) -> Booleans:
        """Which groups are below each node that it sees (nodes x groups)."""
        inside = np.zeros((len(self.nodes_seen), len(self.leaf_counts.leaves)), dtype=bool)
        for row, seen in enumerate(self.nodes_seen):
            inside[row, seen.groups] = True
        return inside

    # -- atoms -------------------------------------------------------------------------------------

    def whole_groups(self) -> Atoms:
        """One atom for each group."""
        group, cell, weights = self._cells
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        members = (tuple(some.tolist()) for some in np.split(cell, starts[1:]))
        return self._atoms(group[starts], members, np.add.reduceat(weights, starts, axis=0))

    def single_cells(self) -> Atoms:
        """One atom for each cell of the global recoding in each group."""
        group, cell, weights = self._cells
        return self._atoms(group, ((one,) for one in cell.tolist()), weights)

    def pieces(self, divide: Divide) -> Atoms:
        """Atoms by a rule: `divide(group, cells, records of each)` gives lists of cells."""
        groups, members, weights = [], [], []
        _, cell, weight = self._cells
        records, starts = self.records_of(weight), np.flatnonzero(np.diff(self._cells[0]) > 0) + 1
        for group, places in enumerate(np.split(np.arange(len(cell)), starts)):
            cells = cell[places].tolist()
            by_cell = dict(zip(cells, weight[places], strict=True))
            known = dict(zip(cells, records[places].tolist(), strict=True))
            for part in divide(group, cells, known):
                groups.append(group)
                members.append(tuple(part))
                weights.append(sum(by_cell[one] for one in part))
        group_of = np.array(groups, dtype=np.int64)
        return self._atoms(group_of, members, np.array(weights, dtype=np.int64))

    @cached_property
    def _cells(self) -> tuple[Integers, Integers, Integers]:
        """Group, cell and weights of the cells that groups have: by group, then by cell."""
        size, new_of_old = self.base.domain.size, self.base.new_of_old
        tallies = (of_group[self.column] for of_group in self.leaf_counts.tallies)
        parts = [(new_of_old[tally.codes], tally.weights) for tally in tallies]
        if sum(len(cells) for cells, _ in parts) > _AT_ONCE:  # to take less memory
            parts = [_summed_by_code(cells, weights, size) for cells, weights in parts]
        group = np.repeat(np.arange(len(parts)), [len(cells) for cells, _ in parts])
        mixed = group * size + np.concatenate([cells for cells, _ in parts])
        weights = np.concatenate([weights for _, weights in parts])
        present, summed = _summed_by_code(mixed, weights, size * len(parts))
        return present // size, present % size, summed.astype(np.int64, copy=False)

    def _atoms(self, group: Integers, members: Iterable[tuple[int, ...]], weights: Any) -> Atoms:
        return Atoms(group, tuple(members), weights, self.records_of(weights))

    def records_of(self, weights: Integers) -> Integers:
        return np.asarray(self.responses.records(weights))

    def allowed(self, atoms: Atoms, domain: Domain) -> Booleans:
        """Condition 1: which new values keep each atom on its path (atoms x codes)."""
        by_group = np.ones((len(self.leaf_counts.leaves), domain.size), dtype=bool)
        for seen in self.own:
            for number, side in enumerate(seen.sides):
                by_group[side] &= self.side(seen, number, domain)
        if self.float32_safe and self.ordered:
            exact = in_single_precision(domain.values).tolist()
            by_group &= np.array([*exact, *([True] if domain.missing else [])], dtype=bool)
        return np.asarray(by_group[atoms.group])

    def side(self, seen: NodeSeen, number: int, domain: Domain) -> Booleans:
        """The new values that go to one child of an own node."""
        if not self.ordered:
            cells = self.base.new_of_old[self.leaf_counts.codes_in(self.column, seen.sides[number])]
            goes = np.zeros(domain.size, dtype=bool)
            goes[cells] = True
            return goes
        threshold = seen.threshold
        left = [threshold is None or value <= threshold for value in domain.values.tolist()]
        goes = np.array([*left, *([False] if domain.missing else [])], dtype=bool)
        return goes if number == 0 else ~goes

    # -- the check ---------------------------------------------------------------------------------

    def form(self, atoms: Atoms, domain: Domain, codes: Integers) -> Form | None:
        """How the recoding keeps the trees: strictly, by the tie rule (index), or not (None)."""
        if not self.allowed(atoms, domain)[np.arange(len(atoms)), codes].all():
            return None
        strict = True
        for violation in self.violations(atoms, domain, codes):
            if not violation.tie:
                return None
            strict = False
        return "strict" if strict else "index"

    def violations(self, atoms: Atoms, domain: Domain, codes: Integers) -> Iterator[Violation]:
        """Every candidate that beats a split of the trees; with `tie`, one that merely equals it
        and comes later by the rule of ties. Codes must keep the paths (`allowed`)."""
        calm = self._calm(atoms, domain, codes)
        standings = [
            self.standing(seen, atoms, domain, codes)
            for number, seen in enumerate(self.nodes_seen)
            if number not in calm
        ]
        yield from self.broken(standings)
        for standing in standings:
            yield from standing.winners(codes)

    def _calm(self, atoms: Atoms, domain: Domain, codes: Integers) -> set[int]:
        """The places of nodes that need no look: no candidate comes near."""
        present, places = _numbered(codes, domain.size)
        counted = self.screens.counted(atoms.group, atoms.weights, places, len(present))
        if counted is None:
            return set()
        return self.screens.calm_nodes(counted, domain, present, on_path=True)

    @cached_property
    def screens(self) -> Screens:
        """What tells nodes that need no look."""
        orders = self.stored_orders
        return Screens(self.nodes_seen, self.leaf_counts, self.index, self.ordered, orders)

    def standing(self, seen: NodeSeen, atoms: Atoms, domain: Domain, codes: Integers) -> Standing:
        """What the recoded column offers in one node, and the tree's own split among it."""
        inside = atoms.below(seen)
        offered = self._offered(seen, atoms, domain, codes, inside)
        chosen = None
        if seen.own and offered is not None:
            chosen = self._find(offered, seen, atoms, codes)
        return Standing(seen, inside, offered, chosen)

    def broken(self, standings: Sequence[Standing]) -> Iterator[Violation]:
        """Own splits that are not offered as they should be, or that changed places in a tie."""
        nothing = np.zeros(0, dtype=np.int64)
        keys: dict[tuple[int, int], Any] = {}
        for standing in standings:
            seen = standing.seen
            if standing.is_lost:
                yield Violation(seen, nothing, nothing)
            elif seen.own:
                keys[seen.tree, seen.node.id] = standing.key
        for one, two in self._equal_gains:
            first, second = (keys.get((s.tree, s.node.id)) for s in (one, two))
            if first is None or second is None:
                continue
            if (second, two.node.id) < (first, one.node.id):
                yield Violation(two, nothing, nothing)

    def _offered(
        self,
        seen: NodeSeen,
        atoms: Atoms,
        domain: Domain,
        codes: Integers,
        inside: Integers,
    ) -> Offered | None:
        own = self.responses.own(atoms.weights[inside], seen.tree)
        present, weights = _summed_by_code(codes[inside], own, domain.size)
        if len(present) < 2:
            return None
        tree = self.leaf_counts.trees[seen.tree]
        candidates = candidates_of(
            self.column,
            self.index[seen.tree],
            domain,
            Tally(present, weights),
            tree.grower.categories == "multiway",
            tree.is_regression,
            self.rank(domain, seen.tree),
        )
        if candidates is None:
            return None
        children = candidates.spread(weights)
        records = np.stack([RULES[tree.grower.impurity].records(child) for child in children])
        legal = records.min(axis=0) >= tree.grower.min_leaf
        return Offered(seen, candidates, children, legal)

    def _find(self, offered: Offered, seen: NodeSeen, atoms: Atoms, codes: Integers) -> int | None:
        """The number of the candidate that is the tree's own split, printed the same."""
        if isinstance(seen.node.split, Multiway):
            wanted = sum(len(set(codes[np.isin(atoms.group, s)].tolist())) for s in seen.sides)
            return 0 if wanted == len(seen.sides) and offered.legal[0] else None
        left = distinct(codes[atoms.going_left(seen)])
        for number in np.flatnonzero(offered.legal).tolist():
            if np.array_equal(offered.left_codes(number), left):
                if not self.ordered:
                    return int(number)
                split = offered.candidates.split(number)
                assert isinstance(split, Threshold)
                return int(number) if split.threshold == seen.threshold else None
        return None


def _numbered(codes: Integers, size: int) -> tuple[Integers, Integers]:
    """The codes that occur, ascending, and the place of each atom's code among them."""
    if size > _MANY * len(codes):
        present, places = np.unique(codes, return_inverse=True)
        return present, places
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (occurs.cumsum() - 1)[codes]


def _summed_by_code(codes: Integers, weights: Integers, size: int) -> tuple[Integers, Integers]:
    """The codes that occur, ascending, and the weights of all atoms that have each."""
    if not len(codes):
        return codes, weights
    if (codes[1:] < codes[:-1]).any():
        short = codes.astype(code_type(size)) if size <= 1 << 32 else codes
        order = np.argsort(short, kind="stable")
        codes, weights = codes[order], weights[order]
    starts = np.concatenate(([0], np.flatnonzero(codes[1:] != codes[:-1]) + 1))
    return codes[starts], np.add.reduceat(weights, starts, axis=0)
