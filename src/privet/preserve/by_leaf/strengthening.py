"""Shorter clauses for the constraint solver: a candidate that wins need not name every atom.

An atom may be left out of a clause if the candidate wins wherever it is put, and with it those left
out before. Their placements are kept from one atom to the next, so that each is weighed once:
in whole numbers where that is exact, by the rule of the tree elsewhere.
"""

from collections.abc import Mapping

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import KeptSplit, NodeSeen, Violation
from privet.tree.impurity import Gini

_MOST_DROPPED = 9  # atoms left out of a clause
_ONE_BY_ONE = 32  # placements up to which whole numbers of Python are quicker than arrays
_SQUARES_EXACT = 1 << 26  # records: floats hold the sum of the squares of their classes


def strengthened(
    task: ColumnTask, atoms: Atoms, form: Form, categories: bool, violation: Violation
) -> tuple[list[int], list[int]]:
    """The atoms to the left and right of a candidate that are enough for it to win, the smallest
    left out first; never so few that the tree's own split is among what they say."""
    sides = dict.fromkeys(violation.left.tolist(), 0)
    sides |= dict.fromkeys(violation.right.tolist(), 1)
    stays = _Stays(violation.seen, atoms, categories, sides)
    placements = placements_of(task, atoms, form, violation)
    dropped: set[int] = set()
    for atom in sorted(sides, key=atoms.smallest_first.tolist().__getitem__):
        if len(dropped) == _MOST_DROPPED:
            break
        if stays.a_candidate_without(atom) and placements.win_without(atom, sides[atom]):
            dropped.add(atom)
            stays.drop(atom)
    kept = [(a, s) for a, s in sides.items() if a not in dropped]
    return [a for a, s in kept if s == 0], [a for a, s in kept if s == 1]


class _Stays:
    """Whether a clause still has two sides, and is not one that the chosen split would break."""

    def __init__(
        self, seen: NodeSeen, atoms: Atoms, categories: bool, sides: Mapping[int, int]
    ) -> None:
        self._sides, self._own, self._categories = sides, seen.own, categories
        self._on = [0, 0]  # atoms on each side
        for side in sides.values():
            self._on[side] += 1
        self._agrees: dict[int, bool] = {}
        if seen.own:
            left = set(seen.sides[0].tolist())
            groups = atoms.group.tolist()
            self._agrees = {a: (groups[a] in left) == (s == 0) for a, s in sides.items()}
        self._agreeing = sum(self._agrees.values())
        self._disagreeing = len(self._agrees) - self._agreeing

    def a_candidate_without(self, atom: int) -> bool:
        on = self._on[self._sides[atom]] - 1
        if on == 0 or not self._on[1 - self._sides[atom]]:
            return False
        if not self._own:
            return True
        agreeing = self._agreeing - self._agrees[atom]
        disagreeing = self._disagreeing - (not self._agrees[atom])
        return disagreeing > 0 and not (self._categories and agreeing == 0)

    def drop(self, atom: int) -> None:
        self._on[self._sides[atom]] -= 1
        if self._own:
            self._agreeing -= self._agrees[atom]
            self._disagreeing -= not self._agrees[atom]


class Placements:
    """Every way to place the atoms that were left out: what goes left, and whether it wins.

    This is the plain way: all placements are weighed again for each atom.
    """

    def __init__(self, task: ColumnTask, atoms: Atoms, form: Form, violation: Violation) -> None:
        seen = violation.seen
        self.weights: Integers = task.responses.own(atoms.weights, seen.tree)
        self.left = self.weights[violation.left].sum(axis=0)[None]
        self.parent = np.array(seen.node.weights, dtype=np.int64)
        self.split: KeptSplit = min(seen.kept_splits, key=lambda o: o.score)
        self.least = task.leaf_counts.trees[seen.tree].grower.min_leaf
        self.index_form = form == "index"

    def win_without(self, atom: int, side: int) -> bool:
        """Leave an atom out if the candidate wins wherever it is put."""
        moved = self.left + (self.weights[atom] if side else -self.weights[atom])
        every = np.concatenate([self.left, moved])
        if not self.all_win(every):
            return False
        self.left = every
        return True

    def all_win(self, left: Integers) -> bool:
        rule = self.split.rule
        children = [left, self.parent - left]
        records = np.minimum(*(rule.records(child) for child in children))
        found = rule.approximate(children, self.parent)
        reached = (found.scores > self.floor(found.error)) & (records >= self.least)
        return bool(reached.all())

    def floor(self, error: float) -> float:
        """What a candidate must gain more than to win for sure."""
        slack = self.split.slack(self.split.score, error)
        return self.split.score + (slack if self.index_form else -slack)


class _TwoClasses(Placements):
    """The same for Gini's gain of two classes, whose bound of error is one for all placements: so
    those that won once need not be weighed again."""

    def __init__(self, task: ColumnTask, atoms: Atoms, form: Form, violation: Violation) -> None:
        super().__init__(task, atoms, form, violation)
        error = self.split.rule.error_of_stream(self.parent)  # that of any two children
        assert error is not None
        self._floor = self.floor(error)
        a, b = self.parent.tolist()
        self._whole, self._n = (a, b), a + b
        self._purity = (a * a + b * b) / (a + b)
        self._lefts: list[tuple[int, int]] = [tuple(self.left[0].tolist())]
        self._wins = self._each_wins(self._lefts)

    def win_without(self, atom: int, side: int) -> bool:
        if not self._wins:
            return False
        a, b = self.weights[atom].tolist()
        if not side:
            a, b = -a, -b
        moved = [(x + a, y + b) for x, y in self._lefts]
        won = self._each_wins(moved[:_ONE_BY_ONE]) and self._all_win(moved[_ONE_BY_ONE:])
        if won:
            self._lefts += moved
        return won

    def _all_win(self, lefts: list[tuple[int, int]]) -> bool:
        return not lefts or self.all_win(np.array(lefts, dtype=np.int64))

    def _each_wins(self, lefts: list[tuple[int, int]]) -> bool:
        whole_a, whole_b = self._whole
        n, least, floor, purity = self._n, self.least, self._floor, self._purity
        for a, b in lefts:
            n_left = a + b
            n_right = n - n_left
            if n_left < least or n_right < least:
                return False
            c, d = whole_a - a, whole_b - b
            if (a * a + b * b) / n_left + (c * c + d * d) / n_right - purity <= floor:
                return False
        return True


def placements_of(task: ColumnTask, atoms: Atoms, form: Form, violation: Violation) -> Placements:
    """The quickest way to weigh placements that is exactly the plain one."""
    seen = violation.seen
    rule, parent = seen.kept_splits[0].rule, seen.node.weights
    quick = isinstance(rule, Gini) and len(parent) == 2 and 0 < sum(parent) < _SQUARES_EXACT
    least = task.leaf_counts.trees[seen.tree].grower.min_leaf
    kind = _TwoClasses if quick and least > 0 else Placements
    return kind(task, atoms, form, violation)
