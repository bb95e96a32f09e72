"""Clauses made shorter the plain way: every placement of the atoms left out is weighed each time.

The twin of `privet.preserve.by_leaf.strengthening`, which keeps placements from one atom to the
next and weighs those of two classes in whole numbers.
"""

from itertools import product

import numpy as np

from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import Violation

MOST_DROPPED = 9


def slowly_strengthened(
    task: ColumnTask, atoms: Atoms, form: Form, categories: bool, violation: Violation
) -> tuple[list[int], list[int]]:
    left, right = violation.left.tolist(), violation.right.tolist()
    dropped: list[int] = []
    for atom in sorted([*left, *right], key=lambda a: (atoms.records[a], a)):
        if len(dropped) == MOST_DROPPED:
            break
        gone = {*dropped, atom}
        less = [a for a in left if a not in gone], [a for a in right if a not in gone]
        if not all(less) or _says_the_chosen(violation, atoms, categories, less):
            continue
        if _wins_wherever(task, atoms, form, violation, less[0], sorted(gone)):
            dropped.append(atom)
    return [a for a in left if a not in dropped], [a for a in right if a not in dropped]


def _says_the_chosen(
    violation: Violation, atoms: Atoms, categories: bool, less: tuple[list[int], list[int]]
) -> bool:
    if not violation.seen.own:
        return False
    first, second = (set(side.tolist()) for side in violation.seen.sides)
    left, right = ({int(atoms.group[a]) for a in side} for side in less)
    if left <= first and right <= second:
        return True
    return categories and left <= second and right <= first


def _wins_wherever(
    task: ColumnTask,
    atoms: Atoms,
    form: Form,
    violation: Violation,
    left: list[int],
    free: list[int],
) -> bool:
    seen = violation.seen
    weights = task.responses.own(atoms.weights, seen.tree)
    parent = np.array(seen.node.weights)
    lefts = np.array(
        [
            weights[[*left, *(a for a, goes in zip(free, placed, strict=True) if goes)]].sum(axis=0)
            for placed in product((True, False), repeat=len(free))
        ]
    )
    kept = min(seen.kept_splits, key=lambda split: split.score)
    found = kept.rule.approximate([lefts, parent - lefts], parent)
    slack = kept.slack(kept.score, found.error)
    floor = kept.score + (slack if form == "index" else -slack)
    least = task.leaf_counts.trees[seen.tree].grower.min_leaf
    for one, score in zip(lefts, found.scores.tolist(), strict=True):
        n = [int(kept.rule.records(side[None])[0]) for side in (one, parent - one)]
        if min(n) < least or score <= floor:
            return False
    return True
