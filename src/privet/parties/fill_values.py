"""What an owner may tell of a column, and is told itself.

The usual value of a column (its mean or its most frequent label, masked where the column is) fills
rows of people whom the owner does not know. `about_mask` describes a mask without a value of it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.number_mask import NumberMask
from privet.schema import Kind
from privet.table import Coded, Value


def usual_value(column: Coded) -> Value:
    """The mean of a number column (rounded where values are whole), the mode of categories."""
    domain = column.domain
    counts = column.counts()[: len(domain.values)]
    if not counts.any():
        return None
    if domain.kind is Kind.CATEGORY:
        return str(domain.values[int(counts.argmax())])
    mean = _mean(domain.values, counts)
    if domain.kind is Kind.DECIMAL:
        return mean
    nearest = int(np.abs(domain.values - mean).argmin())
    return domain.value(nearest) if domain.kind is not Kind.INTEGER else round(mean)


def masked_usual_value(chosen: ColumnMask, column: Coded) -> Value:
    """The mask of the mean (not the mean of the masks, which differs), or an alias of the mode."""
    domain = column.domain
    counts = column.counts()[: len(domain.values)]
    if isinstance(chosen, NumberMask):
        return float(chosen.grading.apply(np.array([_mean(domain.values, counts)]))[0])
    return chosen.aliases[str(domain.values[int(counts.argmax())])][0]


def _mean(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> float:
    return float((values.astype(np.float64) * counts).sum() / counts.sum())


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
    }


def _correlation(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> float | None:
    """Pearson's correlation of values that occur so often."""
    a, b = first - _mean(first, counts), second - _mean(second, counts)
    spread = float((a * a * counts).sum() * (b * b * counts).sum()) ** 0.5
    return float((a * b * counts).sum() / spread) if spread else None
