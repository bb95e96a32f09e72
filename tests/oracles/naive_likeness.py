"""How like two columns, or two pairs of columns, are: cell by cell, as the textbook has it."""

from typing import Any

Cells = list[Any]


def kolmogorov(one: Cells, two: Cells) -> float:
    """The largest distance of two distribution functions; None is above every number."""

    def upto(cells: Cells, end: Any) -> float:
        return sum(c is not None and c <= end for c in cells) / len(cells)

    ends = {c for c in (*one, *two) if c is not None}
    return max((abs(upto(one, end) - upto(two, end)) for end in ends), default=0.0)


def total_variation(one: Cells, two: Cells) -> float:
    shares = [{v: cells.count(v) / len(cells) for v in set(cells)} for cells in (one, two)]
    every = set(one) | set(two)
    return sum(abs(shares[0].get(v, 0) - shares[1].get(v, 0)) for v in every) / 2


def fifths(original: Cells, cells: Cells) -> Cells:
    """Numbers by how many of the original's four inner fifths' ends lie below them."""
    known = sorted(c for c in original if c is not None)
    ends = {known[-(-len(known) * part // 5) - 1] for part in range(1, 5)} if known else set()
    return [None if c is None else sum(end < c for end in ends) for c in cells]


def cramers_v(one: Cells, two: Cells) -> float:
    rows, columns = sorted(set(one), key=str), sorted(set(two), key=str)
    if min(len(rows), len(columns)) < 2:
        return 0.0
    n, chi = len(one), 0.0
    pairs = list(zip(one, two, strict=True))
    for row in rows:
        for column in columns:
            expected = one.count(row) * two.count(column) / n
            chi += (pairs.count((row, column)) - expected) ** 2 / expected
    return float((chi / n / (min(len(rows), len(columns)) - 1)) ** 0.5)
