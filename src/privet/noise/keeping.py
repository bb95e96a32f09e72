"""Noise drawn again, where it must be, until the same tree grows from the released rows.

Permuting classes and values within leaves leaves the gain of every split of the tree as it was;
only other splits can overtake. So where the regrown tree parts from the original one, records below
that node are drawn again: of the column of the rival split alone, leaf by leaf, kept if the rival's
lead shrinks; then a few classes within a leaf are permuted once more, on the same condition; and
now and then all columns are drawn again. `framework` next door draws.

What is released is then a draw on the condition that the tree is kept: its law is not quite the one
that mechanism.json states.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from privet.engine import MemoryEngine
from privet.noise.draws import replaced
from privet.noise.streams import another_seed
from privet.randomness import generator
from privet.schema import Schema
from privet.table import Coded, Table
from privet.tree.grow import grow
from privet.tree.grower import Impurity
from privet.tree.impurity import RULES
from privet.tree.leaves import Leaves
from privet.tree.model import Node, Tree
from privet.tree.similar import Part, tree_likeness

MOST_REDRAWS = 60
_AFRESH = 15  # every so often all columns are drawn again
_PERMUTATIONS = 60  # tried in one redraw
_FEW = 8  # a part in so many of a leaf

Draw = Callable[[int], Table]  # a whole table, by the number of the redraw
Grow = Callable[[Table], Tree]


@dataclass(frozen=True)
class Kept:
    """Whether the tree grows again, after how many redraws, and the node that resists if not."""

    redraws: int
    resists: int | None = None
    how: str = ""


def kept(
    tree: Tree,
    schema: Schema,
    leaves: Leaves,
    released: Table,
    draw: Draw,
    regrow: Grow,
    seed: int | None,
    permutes_classes: bool,
) -> tuple[Table, Kept]:
    """The released table with records drawn again until the tree grows from it."""
    parts: tuple[Part, ...] = ()
    for number in range(MOST_REDRAWS + 1):
        again = regrow(released)
        parts = tree_likeness(tree, again, released).parts
        if not parts:
            return released, Kept(number)
        if number == MOST_REDRAWS:
            break
        fresh = draw(number)
        rng = generator(another_seed(seed, number), "keep the tree")
        for part in parts:
            node, rival = tree.nodes[part.first], again.nodes[part.second].split
            if node.split is None or rival is None or number % _AFRESH == _AFRESH - 1:
                below = np.isin(leaves.rank, _leaves_below(tree, node))
                released = _mixed(released, fresh, below, released.names)
                continue
            contest = _Contest(tree, schema, leaves, node, rival.attribute)
            released = contest.with_fresh_column(released, fresh)
            if permutes_classes:
                released = contest.with_classes_permuted(released, rng)
    return released, Kept(MOST_REDRAWS, parts[0].first, parts[0].how)


@dataclass(frozen=True, eq=False)
class _Contest:
    """A node of the tree whose split another one has overtaken, and the records below it."""

    tree: Tree
    schema: Schema
    leaves: Leaves
    node: Node
    rival: str

    @cached_property
    def below(self) -> list[int]:
        return _leaves_below(self.tree, self.node)

    @cached_property
    def rows(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(np.isin(self.leaves.rank, self.below))

    def lead(self, released: Table) -> float:
        """How far the best split on the rival column is ahead of the original one."""
        tree, rows = self.tree, released.take(self.rows)
        split = self.node.split
        assert split is not None
        column, target = rows[split.attribute], rows[tree.target]
        goes = split.child_of_codes(column.domain, tree.default_child(self.node))[column.codes]
        counts = np.zeros((split.n_children, target.domain.size), dtype=np.int64)
        np.add.at(counts, (goes, target.codes), 1)
        return _best_of(tree, self.schema, rows, self.rival) - _worth(tree, counts)

    def with_fresh_column(self, released: Table, fresh: Table) -> Table:
        """The rival's column from a fresh draw, in those leaves where that makes its lead less."""
        lead = self.lead(released)
        for leaf in self.below:
            tried = _mixed(released, fresh, self.leaves.rank == leaf, [self.rival])
            new = self.lead(tried)
            if new <= lead:
                released, lead = tried, new
        return released

    def with_classes_permuted(self, released: Table, rng: np.random.Generator) -> Table:
        """A few classes of a leaf permuted once more, wherever that makes the lead less."""
        lead = self.lead(released)
        mixed = [place for place in self.below if self.leaves.heterogeneous[place]]
        for _ in range(_PERMUTATIONS if mixed else 0):
            if lead < 0:
                break
            here = np.flatnonzero(self.leaves.rank == mixed[int(rng.integers(len(mixed)))])
            few = rng.choice(here, max(2, len(here) // _FEW), replace=False)
            column = released[self.tree.target]
            codes = column.codes.copy()
            codes[few] = codes[rng.permutation(few)]
            tried = released.replace({self.tree.target: Coded(column.domain, codes)})
            new = self.lead(tried)
            if new < lead:
                released, lead = tried, new
        return released


def _leaves_below(tree: Tree, node: Node) -> list[int]:
    place = {leaf.id: number for number, leaf in enumerate(tree.leaves)}
    found, waiting = [], [node]
    for one in waiting:
        waiting += [tree.nodes[child] for child in one.children]
        if one.id in place:
            found.append(place[one.id])
    return found


def _mixed(
    released: Table, fresh: Table, rows: npt.NDArray[np.bool_], columns: Collection[str]
) -> Table:
    chosen = np.flatnonzero(rows)
    return released.replace(
        {
            name: replaced(released[name], chosen, fresh[name].codes[chosen], fresh[name].domain)
            for name in columns
        }
    )


def _best_of(tree: Tree, schema: Schema, rows: Table, column: str) -> float:
    grower = replace(
        tree.grower,
        attributes=(column,),
        leaves=None,
        depth=1,
        impurity=_by_itself(tree),
        mdl=False,
    )
    if len(np.unique(rows[tree.target].codes)) < 2:
        return 0.0
    stump = grow(
        MemoryEngine(rows.select([column, tree.target])), schema, replace(grower, mdl=False)
    )
    if stump.root.split is None:
        return 0.0
    return _worth(stump, np.array([stump.nodes[c].weights for c in stump.root.children]))


def _worth(tree: Tree, children: npt.NDArray[np.int64]) -> float:
    """The gain of a split, by the rule of the tree, from the counts of its children."""
    rule = RULES[_by_itself(tree)]
    parts = [child[None, :] for child in children if child.sum()]
    if len(parts) < 2:
        return 0.0
    return float(rule.approximate(parts, children.sum(axis=0)).scores[0])


def _by_itself(tree: Tree) -> Impurity:
    """The rule that scores one split; that of C4.5 scores them by their gain first."""
    return "entropy" if tree.grower.impurity == "c45" else tree.grower.impurity
