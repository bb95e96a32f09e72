"""Every target that somebody who holds the tree can think possible for each record.

All ways to give the targets of each leaf to its records are tried, and those kept from which the
slow grower grows the very same tree. Nothing of `privet.tree` is called.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import factorial, prod
from typing import Any

from oracles.slow_grower import AdmissibleRows, Cells, SlowGrowth, SlowNode, SlowSettings


def arrangements(values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Every different order of some values."""
    if not values:
        yield ()
        return
    for value in dict.fromkeys(values):
        rest = list(values)
        rest.remove(value)
        for others in arrangements(rest):
            yield (value, *others)


def how_many(answers: Sequence[Any], leaves: Sequence[int]) -> int:
    """The number of ways to give the targets of each leaf to its records."""
    inside = [[a for a, x in zip(answers, leaves, strict=True) if x == i] for i in set(leaves)]
    return prod(
        factorial(len(a)) // prod(factorial(n) for n in Counter(a).values()) for a in inside
    )


def possible_targets(
    cells: Cells,
    ordered: set[str],
    attributes: Sequence[str],
    target: str,
    settings: SlowSettings,
    leaves: Sequence[int],
    admissible: Callable[[list[Any]], AdmissibleRows] | None = None,
) -> list[set[Any]]:
    """For each record the targets that it has in some world that looks the same from outside.

    `leaves` are the leaves of the records in the tree of these settings. `admissible` says which
    splits may be made in the world with some targets.
    """

    def growth(answers: list[Any]) -> SlowGrowth:
        world = {**cells, target: answers}
        test = None if admissible is None else admissible(answers)
        return SlowGrowth(world, ordered, attributes, target, settings, test)

    truth = growth(list(cells[target]))
    tree = truth.grow()
    rows_at = _rows_at(tree, leaves)
    members = [[r for r, x in enumerate(leaves) if x == leaf] for leaf in sorted(set(leaves))]
    possible: list[set[Any]] = [set() for _ in leaves]
    for world in product(*(list(arrangements([cells[target][r] for r in m])) for m in members)):
        answers: list[Any] = [None] * len(leaves)
        for rows, given in zip(members, world, strict=True):
            for row, answer in zip(rows, given, strict=True):
                answers[row] = answer
        other = growth(answers)
        if other.stored == truth.stored and _same(other, tree, rows_at):
            for row, answer in enumerate(answers):
                possible[row].add(answer)
    return possible


def _same(growth: SlowGrowth, tree: list[SlowNode], rows_at: dict[int, list[int]]) -> bool:
    """Whether the same tree grows; the splits one by one first, since most worlds fail there."""
    for node in tree:
        if node.split is not None:
            best = growth.best_of_node(node, rows_at[node.id])
            if best is None or best.split != node.split:
                return False
    return growth.grow() == tree


def _rows_at(tree: list[SlowNode], leaves: Sequence[int]) -> dict[int, list[int]]:
    rows_at: dict[int, list[int]] = {node.id: [] for node in tree}
    for row, leaf in enumerate(leaves):
        at: int | None = leaf
        while at is not None:
            rows_at[at].append(row)
            at = tree[at].parent
    return rows_at
