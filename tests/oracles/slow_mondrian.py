"""Blocks by the book: Mondrian over rows, with fractions. The slow twin of `preserve.rich`."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from oracles.slow_grower import two_to_the_entropy

Cells = dict[str, list[Any]]
Rows = list[int]


def slow_blocks(
    cells: Cells,
    ordered: set[str],
    columns: Sequence[str],
    target: str,
    groups: Sequence[Rows],
    k: int,
    mixed: bool,
    admits: Callable[[Rows], bool] = lambda rows: True,
    first: Sequence[str] = (),
    by_gain: bool = False,
) -> list[Rows]:
    """The blocks, left parts before right ones."""
    axes = {c: _places(cells[c], c in ordered) for c in columns}

    def legal(part: Rows) -> bool:
        values = {repr(cells[target][row]) for row in part}
        return len(part) >= k and (len(values) > 1 or not mixed) and admits(part)

    def gain(*sides: Rows) -> Fraction:
        """Two to the gain in bits: it compares like the gain, and is a fraction."""
        whole, left, right = (
            two_to_the_entropy(tuple(Counter(cells[target][row] for row in part).values()))
            for part in sides
        )
        return whole / (left * right)

    def divided(rows: Rows) -> list[Rows]:
        found, learned = [], []
        for number, column in enumerate(columns):
            place, whole = axes[column], list(range(len(cells[column])))
            cuts, nearest = [], []
            for cut in sorted({place[row] for row in rows})[:-1]:
                left = [row for row in rows if place[row] <= cut]
                right = [row for row in rows if place[row] > cut]
                distance = abs(len(left) - len(right))
                if min(len(left), len(right)) >= k:
                    nearest.append((distance, cut))
                if legal(left) and legal(right):
                    cuts.append((distance, cut, left, right))
                    if by_gain:
                        told = gain(rows, left, right)
                        learned.append((-told, number, distance, cut, left, right))
            if cuts:
                distance, cut, left, right = min(cuts)
                pushed = (distance, cut) != min(nearest)
                wide = _width(place, rows, column in ordered, len(whole))
                of_table = _width(place, whole, column in ordered, len(whole))
                found.append((column not in first, pushed, -wide / of_table, number, left, right))
        if not found:
            return [rows]
        *_, left, right = min(found)
        if learned and min(learned)[0] < -1:
            *_, left, right = min(learned)
        return divided(left) + divided(right)

    return [block for group in groups for block in divided(list(group))]


def _places(cells: list[Any], ordered: bool) -> list[Fraction]:
    """Where each row stands along a column: its mid-rank; of categories, by frequency."""
    count = Counter(cells)
    if ordered:
        values = sorted(v for v in count if v is not None) + [None] * (None in count)
    else:
        values = sorted(count, key=lambda v: (-count[v], v is None, v or ""))
    at, before = {}, 0
    for value in values:
        at[value] = before + Fraction(count[value], 2)
        before += count[value]
    return [at[cell] for cell in cells]


def _width(place: list[Fraction], rows: Rows, ordered: bool, n: int) -> Fraction:
    """Variance of mid-ranks, or 1 - sum of squared shares."""
    m = len(rows)
    if ordered:
        mean = sum((place[row] for row in rows), Fraction(0)) / m
        return sum(((place[row] - mean) ** 2 for row in rows), Fraction(0)) / m
    count = Counter(place[row] for row in rows)
    return 1 - sum((Fraction(c, m) ** 2 for c in count.values()), Fraction(0))
