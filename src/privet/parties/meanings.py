"""What a number in a result is to a column: a value, a mean, a spread, a cut, or nothing of it.

A JSON value or a table says so by the names of its fields, or its owner says it; a number that
might be anything is not decoded. `decode_json` and `decode_table` use this.
"""

import math
from enum import StrEnum
from fractions import Fraction
from typing import Any

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.number_mask import NumberMask
from privet.schema import Kind
from privet.table import iso_text, text_of

FLOAT32 = 2.0**-24  # many programs compute with floats of 32 bits


class Meaning(StrEnum):
    """What numbers under the name of a column are."""

    VALUES = "values"  # cells of it, or what was chosen among them: a minimum, a mode
    MEANS = "means"  # averages of cells: means, centres, quantiles
    SPREADS = "spreads"  # differences of cells: standard deviations, ranges
    CUTS = "cuts"
    COUNTS = "counts"  # of records: no unit of the column, but where records stand, so may cells
    NOTHING = "nothing"  # importances: no unit of the column


GIVEN = (Meaning.VALUES, Meaning.MEANS)  # what a caller may say of numbers without a field

_WORDS = {
    Meaning.VALUES: "value values min max minimum maximum mode lowest highest",
    Meaning.MEANS: "mean means avg average averages centre centres center centers centroid "
    "centroids cluster_centers cluster_centers_ mean_ means_ median 25% 50% 75% q1 q2 q3",
    Meaning.SPREADS: "std sd stdev stddev std_dev sigma range iqr",
    Meaning.CUTS: "threshold thresholds cut cuts cutpoint cutpoints split_point split_value",
    Meaning.COUNTS: "count counts n size support samples n_samples records missing",
    Meaning.NOTHING: "weight_sum importance importances feature_importance feature_importances "
    "feature_importances_ gain gains",
}
_BY_WORD = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}


def meaning_of(field: str) -> Meaning | None:
    """What the name of a field says of the numbers in it."""
    return _BY_WORD.get(field.strip().lower().replace(" ", "_").replace("._", "_").rstrip("."))


class Undecodable(Exception):
    """A number or label of a column that cannot be decoded; the text says why."""


def decode_cell(value: Any, mask: ColumnMask, meaning: Meaning) -> Any:
    """A number or label of a column; None, and what has no unit, stays as it is."""
    if value is None or isinstance(value, bool) or meaning is Meaning.NOTHING:
        return value
    if meaning is Meaning.COUNTS:
        return _count(value, mask)
    if isinstance(mask, CategoryMask):
        if not mask.knows(value):
            raise Undecodable("a label that the codebook does not hold")
        return mask.value_of(value)
    value = _number(value)
    if meaning is Meaning.VALUES:
        found = mask.value_of(value)
        if found is None:
            raise Undecodable("numbers that are no values of it; if they are means, say so")
        return found if mask.kind in (Kind.INTEGER, Kind.DECIMAL) else text_of(found, mask.kind)
    if meaning is Meaning.CUTS:
        return decode_threshold(value, mask)[0]
    return _linear(value, mask, meaning)


def _count(value: Any, mask: ColumnMask) -> Any:
    """A count, or a share of records; what is not whole, and masks a value, may be a cell."""
    number = _number(value)
    is_cell = isinstance(mask, NumberMask) and mask.value_of(number) is not None
    if is_cell and not number.is_integer():
        raise Undecodable("a number where a count should be")
    return value


def _number(value: Any) -> float:
    """A number, or what a text says of one; masks are finite."""
    if not isinstance(value, int | float | str):
        raise Undecodable("a form that is not known")
    try:
        number = float(value)
    except ValueError:
        raise Undecodable("a text where a number should be") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Undecodable("a number that its mask cannot give")
    return number


def _linear(value: float, mask: NumberMask, meaning: Meaning) -> Any:
    if not mask.is_affine:
        raise Undecodable("means and spreads of unequal groups cannot be decoded")
    low, high = float(mask.masked[0]), float(mask.masked[-1])
    if meaning is Meaning.SPREADS:
        low, high = 0.0, high - low
    off = FLOAT32 * float(mask.masked[-1])
    if not low - off <= value <= high + off:
        raise Undecodable("a number that is no mean or spread of its values")
    exact = Fraction(value)
    if meaning is Meaning.SPREADS:
        return float(mask.spread_of(exact))
    mean = mask.mean_of(exact)
    if mask.kind in (Kind.DATE, Kind.DATETIME):
        return iso_text(round(mean), mask.kind)
    return float(mean)


def decode_threshold(value: Any, mask: NumberMask, *, strict: bool = False) -> tuple[Any, bool]:
    """A cut that a program computed, and whether it is certain."""
    found = mask.threshold_near(_number(value), strict=strict, slack=FLOAT32)
    if found is None:
        raise Undecodable("a number that its mask cannot give")
    threshold, certain = found
    if mask.kind in (Kind.DATE, Kind.DATETIME):
        return iso_text(threshold, mask.kind), certain
    return threshold, certain
