"""What an owner may tell of a column, and is told itself.

The usual value of a column (about its mean, or its most frequent label, masked where the column is)
fills rows of people whom the owner does not know. `about_mask` tells of a mask, but no value.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.schema import Kind
from privet.table import Coded, Domain, Value, parse_iso
from privet.tree.response import looks_numeric


def usual_value(column: Coded) -> Value:
    """The most frequent label; the mean of numbers, of the same sort as the numbers are.

    Whole numbers have a whole one. Classes by numbers (`looks_numeric`) and dates have the value
    nearest to the mean, so that what is filled in is no new class.
    """
    domain = column.domain
    counts = column.counts()[: len(domain.values)]
    if not counts.any():
        return None
    if domain.kind is Kind.CATEGORY:
        return str(domain.values[int(counts.argmax())])
    present = domain.values[counts > 0]
    mean = _mean(domain.values, counts)
    if not looks_numeric(Domain(domain.kind, present)):
        small, exponent = _scaled(present)
        nearest = int(np.abs(small - math.ldexp(mean, -exponent)).argmin())
        return domain.value(int(np.flatnonzero(counts)[nearest]))
    if domain.kind is Kind.DECIMAL:
        return mean
    return min(max(round(mean), int(present[0])), int(present[-1]))


def masked_usual_value(chosen: ColumnMask, column: Coded) -> Value:
    """The mask of the usual value (not the mean of the masks, which differs)."""
    usual = usual_value(column)
    if isinstance(chosen, CategoryMask):
        return chosen.aliases[str(usual)][0]
    if isinstance(usual, str):
        usual = parse_iso(usual, chosen.kind)
    return float(chosen.grading.apply(np.array([usual]))[0])


def _mean(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> float:
    """The mean of values that occur so often, within them whatever is rounded."""
    small, exponent = _scaled(values)
    mean = float((small * counts).sum() / counts.sum())
    return math.ldexp(min(max(mean, float(small.min())), float(small.max())), exponent)


def _scaled(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], int]:
    """Values divided by a power of two so that all are below 1: then no sum of them overflows."""
    floats = values.astype(np.float64)
    exponent = math.frexp(float(np.abs(floats).max(initial=0.0)))[1]
    return np.ldexp(floats, -exponent), exponent


def about_mask(chosen: ColumnMask, column: Coded, masked: Coded) -> dict[str, Any]:
    """What the owner is told of a masked column: no value, no bound, no alias."""
    if isinstance(chosen, CategoryMask):
        n_aliases = len(chosen.label_of)
        return {
            "column": chosen.column,
            "masked": chosen.masked_name,
            "method": "homophones" if chosen.has_homophones else "aliases",
            "values": len(chosen.aliases),
            "aliases": n_aliases,
        }
    present = column.domain.values
    now = masked.domain.values
    counts = column.counts()[: len(present)]
    if len(now) == len(present):
        related: float | None = _correlation(present.astype(np.float64), now, counts)
    else:
        related = None
    return {
        "column": chosen.column,
        "masked": chosen.masked_name,
        "method": f"graded, {chosen.grading.mode}",
        "groups": chosen.grading.groups,
        "affine": chosen.grading.is_affine,
        "correlation": related,
        "same_sort": _is_of_the_same_sort(column, masked),
        "whole_steps": chosen.grading.is_affine and not (now % 1).any(),
    }


def _is_of_the_same_sort(column: Coded, masked: Coded) -> bool:
    """Whether a miner takes the masked column, as a response, for classes or numbers as the clear
    one is. Bounds that the owner gives can change that. Dates are left out: they become numbers."""
    if column.domain.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return True
    return looks_numeric(column.domain) == looks_numeric(masked.domain)


def _correlation(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> float | None:
    """Pearson's correlation of values that occur so often."""
    (first, _), (second, _) = _scaled(first), _scaled(second)
    a, b = first - _mean(first, counts), second - _mean(second, counts)
    spread = float((a * a * counts).sum() * (b * b * counts).sum()) ** 0.5
    return float((a * b * counts).sum() / spread) if spread else None
