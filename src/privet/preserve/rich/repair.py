"""Repair of one filled column until the exact check passes: renames, moves, joins, in this order.

Each step is the least harmful that helps. Ties that the rule of ties decides for the tree are
first moved away, for growers with another rule, and left as they are where that does not help.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from privet.arrays import Booleans, Integers
from privet.preserve.by_leaf.conditions import Form
from privet.preserve.by_leaf.contests import Violation
from privet.preserve.rich.joins import join
from privet.preserve.rich.members import Members
from privet.preserve.rich.moves import move, rename
from privet.preserve.rich.watch import Watch

_MOST_ROUNDS = 400
_MOST_VISITS = 8  # to one cut


@dataclass(eq=False)
class Repaired:
    """A column that passes: its values by block, and what was done to it."""

    codes: Integers
    form: Form
    moved: set[int] = field(default_factory=set)  # blocks
    joined: list[tuple[int, int]] = field(default_factory=list)  # (stays, went)


def repair(watch: Watch, members: Members, fixed: Booleans) -> Repaired | None:
    """The column repaired, from the root down or from the leaves up, whichever changes fewer
    records; None where no step helps."""
    ways = []
    start = watch.state()
    for upwards in (False, True):
        watch.back_to(start)
        done = _repaired(watch, members, fixed, upwards)
        if done is not None:
            ways.append((_cost(watch, start.codes, done), upwards, done))
            if not done.moved and not done.joined:
                break
    return min(ways, key=lambda way: way[:2])[2] if ways else None


def _cost(watch: Watch, start: Integers, done: Repaired) -> int:
    return int(watch.atoms.records[done.codes != start].sum())


def _repaired(watch: Watch, members: Members, fixed: Booleans, upwards: bool) -> Repaired | None:
    done = Repaired(watch.codes, "strict")
    visits: Counter[tuple[int, ...]] = Counter()
    left_alone: set[tuple[int, ...]] = set()  # ties that no move cures
    for _ in range(_MOST_ROUNDS):
        found = _next(watch, left_alone, upwards)
        if found is None:
            done.form = "index" if any(True for _ in watch.violations()) else "strict"
            done.codes = watch.codes.copy()
            return done
        violation, cut = found
        if not len(violation.left):
            moved = rename(watch, members, fixed, violation.seen)
            if moved is None:
                return None
            done.moved |= set(moved.tolist())
            visits[cut] += 1
            if visits[cut] > _MOST_VISITS:
                return None
            continue
        visits[cut] += 1
        moved = move(watch, members, fixed, violation) if visits[cut] <= _MOST_VISITS else None
        if moved is not None:
            done.moved |= set(moved.tolist())
        elif violation.tie:
            left_alone.add(cut)
        else:
            pairs = join(watch, fixed, violation)
            if not pairs:
                return None
            done.joined += pairs
    return None


def _next(
    watch: Watch, left_alone: set[tuple[int, ...]], upwards: bool
) -> tuple[Violation, tuple[int, ...]] | None:
    """What to mend next: what breaks the tree, then ties that were not given up."""
    found = list(watch.violations())
    if upwards:
        found.reverse()
    for violation in found:
        if not len(violation.left):
            return violation, _name(watch, violation)
    for tie in (False, True):
        for violation in found:
            cut = _name(watch, violation)
            if violation.tie == tie and not (tie and cut in left_alone):
                return violation, cut
    return None


def _name(watch: Watch, violation: Violation) -> tuple[int, ...]:
    """What tells one cut from another, whatever moves."""
    seen, codes = violation.seen, watch.codes
    if not len(violation.left):
        return seen.tree, seen.node.id
    if watch.task.ordered:
        return seen.tree, seen.node.id, int(codes[violation.left].max())
    return (seen.tree, seen.node.id, *np.unique(codes[violation.left]).tolist())
