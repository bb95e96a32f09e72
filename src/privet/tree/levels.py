"""A tree looked at ahead, level by level: the best split of every node that will ever be grown.

A tree without a limit on its leaves splits whatever can be split, in whatever order; so all nodes
of a level can be looked at in one compiled call, and the best-first order put on afterwards
(`grow`). That saves most of what a deep tree costs, which is calls and not records. A node whose
candidates the compiled scores cannot tell apart is decided as elsewhere, by `choose`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine.memory import SMALL, WIDE
from privet.engine.protocol import Tally
from privet.engine.side_by_side import Layout
from privet.schema import Kind
from privet.table import Coded, Domain, Table
from privet.tree.candidates import Candidates, Cuts, OneBranchEach, separable
from privet.tree.choose import Choice
from privet.tree.cut_gains import MOST, log_table
from privet.tree.grower import Grower
from privet.tree.impurity import RULES, Weights

WORTH_IT = 15_000  # cells from which looking ahead pays for the compiled loops

MOST_CLASSES = 2000
_BY_LOGS = ("entropy", "gain-ratio")

Decide = Callable[[Weights, dict[str, Tally]], Choice | None]


@dataclass(frozen=True, eq=False)
class Ahead:
    """All nodes, numbered level by level: the children of a node side by side, in their order."""

    weights: Integers  # records by class
    first_child: Integers  # -1 for a node that is not split
    n_children: Integers
    made: Callable[[int], Choice]  # the split of a node that is split

    def choice(self, node: int) -> Choice | None:
        return None if self.first_child[node] < 0 else self.made(node)

    def children(self, node: int) -> range:
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))


def can_look_ahead(table: Table, grower: Grower, attributes: Sequence[str], target: str) -> bool:
    """Whether a tree is one that is grown to the end, of a kind that the compiled loops know."""
    if grower.leaves is not None or grower.min_gain or grower.impurity not in _BY_LOGS:
        return False
    cells = table.n_rows * len(attributes)
    if cells < WORTH_IT or table.n_rows >= MOST or table[target].domain.size > MOST_CLASSES:
        return False
    return all(_is_plain(table[name].domain, grower) for name in attributes)


def _is_plain(domain: Domain, grower: Grower) -> bool:
    """Categories with a branch each, or numbers of which any two neighbours can be told apart."""
    if domain.kind is Kind.CATEGORY:
        return grower.categories == "multiway"
    return len(separable(domain, np.arange(domain.size))) == max(domain.size - 1, 0)


class LevelByLevel:
    """Growth of one tree; `decide` chooses for one node where the compiled loops cannot."""

    def __init__(
        self,
        table: Table,
        grower: Grower,
        attributes: Sequence[str],
        target: str,
        decide: Decide,
    ) -> None:
        self.grower, self.attributes, self.decide = grower, attributes, decide
        self.columns = [table[name] for name in attributes]
        self.target: Coded = table[target]
        self.layout = Layout(tuple(attributes), tuple(self.columns), 0)
        most = max(c.domain.size for c in self.columns)
        fits = np.uint16 if most <= 1 << 16 else np.uint32
        self.by_column = np.stack([c.codes.astype(fits) for c in self.columns])
        self.codes = np.ascontiguousarray(self.by_column.T)
        self.classes = self.target.codes.astype(np.uint16)
        self.sizes = np.array([c.domain.size for c in self.columns], dtype=np.int64)
        self.ordered = np.array([c.domain.kind.is_ordered for c in self.columns])
        self.rule = RULES[grower.impurity]
        cells = self.sizes * self.target.domain.size
        narrow = cells <= WIDE
        self.n_narrow, self.cells = int(narrow.sum()), int(cells[narrow].sum())
        self.offsets = np.where(narrow, np.cumsum(cells * narrow) - cells, -1)

    def run(self) -> Ahead:
        from privet.compiled import dealing

        n_classes = self.target.domain.size
        rows = np.arange(len(self.codes), dtype=np.uint32)
        starts = np.array([0, len(rows)])
        weights = np.bincount(self.classes, minlength=n_classes)[None, :].astype(np.int64)
        level = self._begun(rows, starts, weights, 0)
        if len(level.tables):
            dealing.count(rows, *self._counted, 1, level.tables[0])
        levels = []
        while len(level.weights):
            self._look(level)
            levels.append(level)
            level = self._next(level, len(levels))
        return _put_together(levels, self._made)

    @property
    def _counted(self) -> tuple[Any, Integers, Any, int]:
        """What counting rows into a table asks."""
        return self.codes, self.offsets, self.classes, self.target.domain.size

    def _begun(self, rows: Any, starts: Integers, weights: Integers, depth: int) -> "_Level":
        """A level of which nothing is known yet but the nodes."""
        looked = np.flatnonzero(self._worth_looking(weights, depth))
        begins, ends = starts[looked], starts[looked + 1]
        large = self.cells <= SMALL * self.n_narrow * (ends - begins)
        return _Level(weights, looked, rows, begins, ends, large, self.cells)

    def _look(self, level: "_Level") -> None:
        from privet.compiled.levels import look
        from privet.compiled.near import ASK

        table, bits = log_table(len(self.codes))
        look(
            level.rows,
            level.starts,
            level.ends,
            self.codes,
            self.sizes,
            self.ordered,
            self.classes,
            level.weights[level.looked],
            level.slots,
            level.tables,
            self.offsets,
            self.grower.min_leaf,
            self.grower.impurity == "gain-ratio",
            table,
            2.0**-bits,
            int((level.ends - level.starts).max(initial=0)),
            level.state,
            level.column,
            level.low,
            level.high,
            level.n_children,
            level.score,
            level.error,
        )
        for place in np.flatnonzero(level.state == ASK).tolist():
            self._ask(level, place)

    def _ask(self, level: "_Level", place: int) -> None:
        """Have one node decided exactly."""
        rows = level.rows[level.starts[place] : level.ends[place]]
        own: Weights = tuple(level.weights[level.looked[place]].tolist())
        tallies = self.layout.tallies_within(0, rows, self.classes, len(own), by_class=True)
        choice = self.decide(own, tallies)
        level.state[place] = choice is not None
        if choice is not None:
            level.asked[place] = choice
            level.column[place] = choice.candidates.index
            level.n_children[place] = len(choice.children)
            if isinstance(choice.candidates, Cuts):
                level.low[place] = choice.candidates.codes[choice.candidates.after[choice.number]]

    def _worth_looking(self, weights: Integers, depth: int) -> Booleans:
        if self.grower.depth is not None and depth >= self.grower.depth:
            return np.zeros(len(weights), dtype=bool)
        mixed = np.count_nonzero(weights, axis=1) > 1
        return np.asarray(mixed & (weights.sum(axis=1) >= 2 * self.grower.min_leaf))

    def _next(self, level: "_Level", depth: int) -> "_Level":
        """The next level: the children of nodes that are split, and the tables of large ones."""
        from privet.compiled import dealing

        split = np.flatnonzero(level.state == 1)
        column = np.full(len(level.looked), -1)
        column[split] = level.column[split]
        first = np.concatenate([[0], np.cumsum(level.n_children[split])])
        n_children = int(first[-1])
        dealt = np.empty(int((level.ends - level.starts)[split].sum()), dtype=np.uint32)
        begins = np.zeros(n_children + 1, dtype=np.int64)
        level.code_of_child = np.empty(n_children, dtype=np.int64)
        weights = np.zeros((n_children, level.weights.shape[1]), dtype=np.int64)
        dealing.deal(
            level.rows,
            level.starts,
            level.ends,
            self.by_column,
            self.sizes,
            self.classes,
            level.weights[level.looked],
            column,
            level.low,
            self.ordered[column],
            dealt,
            begins,
            level.code_of_child,
            weights,
        )
        below = self._begun(dealt, begins, weights, depth)
        if len(below.tables):
            slots = np.full(n_children, -1)
            slots[below.looked] = below.slots
            dealing.divide_tables(
                dealt,
                begins,
                first,
                level.slots[split],
                level.tables,
                *self._counted,
                slots,
                below.tables,
            )
        level.tables = level.tables[:0]  # they have served
        return below

    def _made(self, level: "_Level", place: int, below: Integers, codes: Integers) -> Choice:
        """The choice of a node from what the loops found."""
        if place in level.asked:
            return level.asked[place]
        index = int(level.column[place])
        name, domain = self.attributes[index], self.columns[index].domain
        candidates: Candidates
        if self.ordered[index]:
            ends = np.array([level.low[place], level.high[place]])
            candidates = Cuts(name, index, domain, ends, None, None, ends)
        else:
            candidates = OneBranchEach(name, index, domain, codes)
        return Choice(
            candidates,
            0,
            tuple(map(tuple, below.tolist())),
            tuple(level.weights[level.looked[place]].tolist()),
            float(level.score[place]),
            float(level.error[place]),
            self.rule,
        )


@dataclass(eq=False)
class _Level:
    """The nodes of one level: those that are looked at, and what is found of these."""

    weights: Integers  # of all nodes
    looked: Integers  # the places of those that are looked at; all that follows is of these
    rows: Any
    starts: Integers
    ends: Integers
    large: Booleans  # which of them have a table
    cells: int  # of a table: records by value of narrow columns and class

    def __post_init__(self) -> None:
        n = len(self.looked)
        self.slots = np.where(self.large, np.cumsum(self.large) - 1, -1)  # in the tables
        self.tables = np.zeros((int(self.large.sum()), self.cells), dtype=np.int64)
        self.state = np.zeros(n, dtype=np.int8)
        self.column, self.low, self.high, self.n_children = np.zeros((4, n), dtype=np.int64)
        self.score, self.error = np.zeros((2, n))
        self.asked: dict[int, Choice] = {}  # choices made one by one
        self.code_of_child = np.zeros(0, dtype=np.int64)


def _put_together(
    levels: Sequence[_Level], made: Callable[["_Level", int, Integers, Integers], Choice]
) -> Ahead:
    lengths = [len(level.weights) for level in levels]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    weights = np.concatenate([level.weights for level in levels])
    first_child, n_children = np.full(len(weights), -1), np.zeros(len(weights), dtype=np.int64)
    place_of = np.zeros(len(weights), dtype=np.int64)
    for depth, level in enumerate(levels):
        split = np.flatnonzero(level.state == 1)
        nodes = starts[depth] + level.looked[split]
        number = level.n_children[split]
        n_children[nodes] = number
        first_child[nodes] = starts[depth + 1] + np.cumsum(number) - number
        place_of[nodes] = split

    def choice_of(node: int) -> Choice:
        depth = int(np.searchsorted(starts, node, side="right")) - 1
        first, number = int(first_child[node]), int(n_children[node])
        codes = levels[depth].code_of_child[first - starts[depth + 1] :][:number]
        return made(levels[depth], int(place_of[node]), weights[first : first + number], codes)

    return Ahead(weights, first_child, n_children, choice_of)
