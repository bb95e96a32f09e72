"""Attacks on a release, row by row and in fractions: slow twins of `privet.attack`.

Rows are dicts of cells by column (None is missing), as any CSV reader gives them.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, Any]


def classes_of(rows: Sequence[Row], known: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """The equivalence classes: rows that agree in what is known."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in known)].append(row)
    return found


def homogeneity(rows: Sequence[Row], known: Sequence[str], column: str) -> dict[str, Any]:
    """Whom equivalence classes of one value tell."""
    groups = [Counter(row[column] for row in g) for g in classes_of(rows, known).values()]
    alone = [group for group in groups if len(group) == 1]
    right = sum(max(group.values()) for group in groups)
    return {
        "one_value_classes": len(alone),
        "people_told": sum(group.total() for group in alone),
        "share_told": Fraction(sum(group.total() for group in alone), len(rows)),
        "guessed_right": Fraction(right, len(rows)),
        "blind": Fraction(max(Counter(row[column] for row in rows).values()), len(rows)),
        "surest_guess": max(Fraction(max(g.values()), g.total()) for g in groups),
    }
