"""The slow way to the nearest released row: every pair, in fractions, by the words of the rule."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]


def nearest_place(
    row: Row, rivals: Sequence[Row], released: Sequence[Row], ordered: Mapping[str, bool]
) -> int:
    """The place of the first rival at the least distance; ranges are those of all that is released.

    Cells are numbers, texts or None.
    """
    spans = {name: _span([r[name] for r in released]) for name, is_ in ordered.items() if is_}
    distances = [
        sum((_apart(row[n], other[n], spans.get(n)) for n in ordered), Fraction(0))
        for other in rivals
    ]
    return distances.index(min(distances))


def _span(values: Sequence[Any]) -> Fraction:
    numbers = [Fraction(v) for v in values if v is not None]
    return (max(numbers) - min(numbers) if numbers else Fraction(0)) or Fraction(1)


def _apart(one: Any, two: Any, span: Fraction | None) -> Fraction:
    if span is None or one is None or two is None:
        return Fraction(int(one != two))
    return abs(Fraction(one) - Fraction(two)) / span
