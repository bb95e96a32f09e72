"""Blocks of at least k records: Mondrian inside the groups of a tree, or in the whole table.

Blocks are cut level by level. On each level every block that is large enough is cut along the
column in which it is widest, at the legal cut nearest to the middle (`cuts`). Columns whose nearest
cut is refused by a criterion come after the others, with their next nearest; a block without a
legal cut is finished. Nothing depends on the order of rows, and nothing is drawn at random.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.criteria.groups import Groups
from privet.engine.blocks import Blocks, Cuts, SomeBlocks, portions
from privet.preserve.rich.counts import CellValues, count_cells
from privet.preserve.rich.cuts import Admits, Axis, Cells, LegalCuts, nearest_cuts, spreads
from privet.preserve.rich.gains import BestGains
from privet.tree.choose import NEAR

_B = TypeVar("_B", bound=Blocks)


@dataclass(frozen=True, eq=False)
class Condition:
    """What both sides of a cut must satisfy in one column (l, t, k with the target known)."""

    column: str
    keeps: Callable[[Groups], Booleans]


@dataclass(frozen=True)
class Rule:
    """What blocks must be: at least k records, and with `mixed` no single value of any target."""

    k: int
    targets: Sequence[str]
    mixed: bool = True
    conditions: Sequence[Condition] = ()
    first: frozenset[str] = field(default_factory=frozenset)  # columns that are cut first
    by_gain: bool = False  # cut where most is learned of the target, while anything is


def partition(blocks: _B, columns: Sequence[str], rule: Rule) -> _B:
    """The blocks cut as finely as the rule allows."""
    return cut_along(blocks, axes_of(blocks, columns), rule)


def axes_of(blocks: Blocks, columns: Sequence[str]) -> list[Axis]:
    """The columns along which blocks can be cut at all; they depend on the whole table alone."""
    axes = [_axis(blocks, column) for column in columns]
    return [axis for axis in axes if axis.whole > 0]


def cut_along(blocks: _B, axes: Sequence[Axis], rule: Rule) -> _B:
    """The same along known axes: large blocks where they lie, small ones in memory.

    What becomes of a block depends on its own records and on the axes alone.
    """
    coarse = _cut_down(blocks, axes, rule, max(2 * rule.k, blocks.finished_below))
    return coarse.finished(lambda small: _cut_down(small, axes, rule, 2 * rule.k))


def _cut_down(blocks: _B, axes: Sequence[Axis], rule: Rule, least: int) -> _B:
    """Blocks of at least so many records cut until none of them can be."""
    open_ = np.flatnonzero(blocks.sizes >= least)
    while len(open_) and axes:
        chosen, cut = _level(blocks, open_, axes, rule)
        taken = np.flatnonzero(chosen >= 0)
        divided = open_[taken]
        if not len(divided):
            break
        names, places = [a.column for a in axes], [a.place for a in axes]
        blocks = blocks.divide(divided, Cuts(names, places, chosen[taken], cut[taken]))
        parts = divided + np.arange(len(divided))  # each cut moves what follows by one
        parts = np.concatenate([parts, parts + 1])
        open_ = np.sort(parts[blocks.sizes[parts] >= least])
    return blocks


def _axis(blocks: Blocks, column: str) -> Axis:
    return Axis.of(column, blocks.domain(column).kind.is_ordered, blocks.records(column))


def _level(
    blocks: Blocks, open_: Integers, axes: Sequence[Axis], rule: Rule
) -> tuple[Integers, Integers]:
    """For each open block the number of the axis that it is cut along (-1: none) and the cut."""
    parts = portions(blocks.sizes[open_], blocks.at_once)
    found = [_best_cuts(blocks, open_[first:last], axes, rule) for first, last in parts]
    chosen, cuts = zip(*found, strict=True)
    return np.concatenate(chosen), np.concatenate(cuts)


def _best_cuts(
    blocks: Blocks, open_: Integers, axes: Sequence[Axis], rule: Rule
) -> tuple[Integers, Integers]:
    """The same for blocks that are counted together."""
    scores = np.full((len(open_), len(axes)), -1.0)
    cuts = np.full((len(open_), len(axes)), -1, dtype=np.int64)
    freely = np.zeros(cuts.shape, dtype=bool)  # where the nearest cut is the one that may be made
    some = blocks.some(open_)
    for target in rule.targets:
        some.keep(target)
    gains = BestGains(some, next(iter(rule.targets), ""))
    for number, axis in enumerate(axes):
        cells, *by_target = (count_cells(some, axis, t) for t in (rule.targets or (None,)))
        legal = LegalCuts.of(cells, rule.k, rule.mixed)
        for further in by_target if rule.mixed else ():
            legal = legal.also_mixed(further)
        admits = _admits(some, axis, cells, rule)
        if rule.by_gain:
            gains.look_along(number, axis, legal, admits)
        cuts[:, number], freely[:, number] = nearest_cuts(legal, admits)
        scores[:, number] = np.where(cuts[:, number] >= 0, spreads(axis, cells), -1.0)
    # cuts that criteria push away from the middle wait, and all others for a column named first
    preferred = np.array([axis.column in rule.first for axis in axes])
    for sooner in (preferred[None, :] & (scores >= 0), freely):
        sooner = sooner & (scores >= 0)
        scores[np.asarray(sooner.any(axis=1))[:, None] & ~sooner] = -1.0
    chosen = scores.argmax(axis=1)
    for place in _undecided(scores):
        chosen[place] = _widest(blocks, int(open_[place]), axes, scores[place])
    chosen = np.where(scores.max(axis=1) >= 0, chosen, -1)
    return gains.preferred_to(chosen, cuts[np.arange(len(open_)), chosen])


def _admits(some: SomeBlocks, axis: Axis, cells: Cells, rule: Rule) -> Admits | None:
    """What the conditions say of cuts after some cells."""
    if not rule.conditions:
        return None
    counted = [CellValues.count(some, axis, cells, c.column) for c in rule.conditions]

    def admits(asked: Integers) -> Booleans:
        admitted = np.ones(len(asked), dtype=bool)
        for condition, values in zip(rule.conditions, counted, strict=True):
            admitted &= values.judged(asked, condition.keeps)
        return admitted

    return admits


def _undecided(scores: Floats) -> list[int]:
    """Blocks of which floats cannot tell the widest column."""
    best = scores.max(axis=1, keepdims=True)
    near = (scores >= best * (1 - NEAR)) & (best >= 0)
    return np.flatnonzero(near.sum(axis=1) > 1).tolist()


def _widest(blocks: Blocks, block: int, axes: Sequence[Axis], scores: Floats) -> int:
    """The first of the widest columns of one block, exactly."""
    best, found = Fraction(-1), -1
    for number in np.flatnonzero(scores >= scores.max() * (1 - NEAR)).tolist():
        axis = axes[number]
        counts = blocks.some(np.array([block])).count([axis.column])
        spread = axis.exact_spread(axis.place[counts.keys[:, 1]], counts.n)
        score = Fraction(spread, axis.whole)
        if score > best:
            best, found = score, number
    return found
