"""The law of a moved number, worked out from mechanism.json as a reader would: step by step.

The bars of the curve are stretched until the rounded noise has the stated deviation; every move has
the chance of its interval under the bars; every move is walked back from the ends.
"""

from fractions import Fraction
from typing import Any


def slow_fold(unit: int, low: int, high: int, ends: str) -> int:
    """Step by step: walk from the nearer end, and turn or jump whenever it is passed."""
    while not low <= unit <= high:
        if ends == "clamp":
            unit = max(low, min(unit, high))
        elif ends == "wrap":
            unit += (high - low + 1) * (1 if unit < low else -1)
        elif ends == "reflect":
            unit = 2 * low - 1 - unit if unit < low else 2 * high + 1 - unit
        elif low == high:
            unit = low
        else:
            unit = 2 * low - unit if unit < low else 2 * high - unit
    return unit


def slow_law(bars: list[int], entry: dict[str, Any], unit: int) -> dict[int, float]:
    """The chance of each released unit, from the bars and a column's entry."""
    size = abs(unit) if entry["relative_to"] == "the value" else entry["relative_to"]
    deviation = entry["sd"] * size
    moves = {0: 1.0} if deviation == 0 else _moves(bars, _stretch(bars, deviation))
    law: dict[int, float] = {}
    for move, chance in moves.items():
        to = slow_fold(unit + move, entry["low"], entry["high"], entry["ends"])
        law[to] = law.get(to, 0.0) + chance
    return law


def _stretch(bars: list[int], deviation: float) -> float:
    """The width of a bar, in steps of the grid, that gives the rounded noise its deviation."""
    total, middle = sum(bars), Fraction(len(bars) - 1, 2)
    square = sum(
        Fraction(c, total) * ((i - middle) ** 2 + Fraction(1, 12)) for i, c in enumerate(bars)
    )
    if deviation >= 8:
        return ((deviation**2 - 1 / 12) / float(square)) ** 0.5
    low, high = 0.0, (deviation + 1) / float(square) ** 0.5
    for _ in range(100):
        width = (low + high) / 2
        variance = sum(move * move * chance for move, chance in _moves(bars, width).items())
        low, high = (width, high) if variance < deviation**2 else (low, width)
    return high


def _moves(bars: list[int], width: float) -> dict[int, float]:
    """The chance of each move, bars of this width lying side by side about zero."""
    found: dict[int, float] = {}
    for place, chance in enumerate(bars):
        start = (place - len(bars) / 2) * width
        end = start + width
        move = round(start) - 1
        while move - 0.5 < end:
            share = min(end, move + 0.5) - max(start, move - 0.5)
            if share > 0:
                found[move] = found.get(move, 0.0) + chance / sum(bars) * share / width
            move += 1
    return found
