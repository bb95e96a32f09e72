"""Occurrence numbers by a dictionary: how often each row was seen before."""

from collections import Counter
from collections.abc import Hashable, Sequence


def occurrences_by_dictionary(rows: Sequence[Hashable]) -> list[int]:
    seen: Counter[Hashable] = Counter()
    found = []
    for row in rows:
        found.append(seen[row])
        seen[row] += 1
    return found
