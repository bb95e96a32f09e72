"""The criteria as their definitions say, row by row and in fractions: slow twins of the judges.

Rows are tuples of hashable cells (None is missing); `quasi` and `sensitive` are places in a row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

Rows = Sequence[tuple[Any, ...]]
Group = Counter[Any]


def equivalence_classes(rows: Rows, quasi: Sequence[int], sensitive: int) -> list[Group]:
    """The sensitive values of each equivalence class."""
    found: dict[tuple[Any, ...], Group] = defaultdict(Counter)
    for row in rows:
        found[tuple(row[place] for place in quasi)][row[sensitive]] += 1
    return list(found.values())


def keeps_k(group: Group, k: int) -> bool:
    return group.total() >= k


def strong_l(group: Group) -> Fraction:
    return Fraction(group.total(), max(group.values()))


def distinct_l(group: Group) -> int:
    return len(group)


def keeps_entropy(group: Group, level: Fraction) -> bool:
    """n^n >= l^n c1^c1 ... cm^cm, in whole numbers."""
    size = group.total()
    left = Fraction(size) ** size
    right = level**size
    for n in group.values():
        right *= n**n
    return left >= right


def keeps_recursive(group: Group, level: int, c: Fraction) -> bool:
    counts = sorted(group.values(), reverse=True)
    return counts[0] < c * sum(counts[level - 1 :])


def recursive_l(group: Group, c: Fraction) -> int:
    level = 0
    while keeps_recursive(group, level + 1, c):
        level += 1
    return level


def equal_distance(group: Group, table: Group) -> Fraction:
    return sum((abs(_share(group, v) - _share(table, v)) for v in table), Fraction(0)) / 2


def ordered_distance(group: Group, table: Group, order: Iterable[Any]) -> Fraction:
    """Earth mover's distance; `order` names the values of the table from first to last."""
    carried = moved = Fraction(0)
    values = [value for value in order if table[value]]
    for value in values:
        carried += _share(group, value) - _share(table, value)
        moved += abs(carried)
    return moved / max(1, len(values) - 1)


def _share(group: Group, value: Any) -> Fraction:
    return Fraction(group[value], group.total())
