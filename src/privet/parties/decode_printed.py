"""Results of any miner read back: printed trees and rules, JSON, tables of cluster centres.

An alias is a name that occurs nowhere else, so it can be found in any text; `H_age <= 3.375` is
found by its form. `decode` does Privet's own trees, exactly and as trees.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.errors import UsageError
from privet.parties.codebook import CategoryMask, Codebook, ColumnMask, NumberMask
from privet.schema import Kind
from privet.table import Coded, Domain, Table, text_of

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PRINTED_TO = 1e-6
_SIGNS = r"<=|>=|≤|≥|<|>|=="


def decode_text(text: str, codebook: Codebook) -> str:
    """A printed result with every alias, cut and name that the codebook holds decoded.

    `H_age <= 3.375` becomes `age <= 35`, with the interval of equivalent cuts behind it.
    """
    for mask in _longest_first(codebook):
        if isinstance(mask, CategoryMask):
            text = _decode_aliases(text, mask)
        else:
            text = _decode_cuts(text, mask)
        text = re.sub(rf"(?<!\w){re.escape(mask.masked_name)}(?!\w)", mask.column, text)
    return text


def decode_data(data: Any, codebook: Codebook) -> Any:
    """A result as JSON holds it: texts decoded, and values under the name of a masked column."""
    masks = codebook.by_masked_name()
    if isinstance(data, str):
        return decode_text(data, codebook)
    if isinstance(data, Mapping):
        return {
            decode_text(str(name), codebook): _decode_value(value, masks[name])
            if name in masks
            else decode_data(value, codebook)
            for name, value in data.items()
        }
    if isinstance(data, list | tuple | set | frozenset):
        return type(data)(decode_data(item, codebook) for item in data)
    return data


def decode_table(table: Table, codebook: Codebook) -> Table:
    """A table with masked columns (cluster centres, say): those of the codebook decoded."""
    masks = codebook.by_masked_name()
    if not any(name in masks for name in table):
        raise UsageError(
            "The codebook holds none of the columns of this table.",
            "masked columns are called H_ and their old name.",
        )
    columns: dict[str, Coded] = {}
    for name in table:
        mask = masks.get(name)
        columns[mask.column if mask else name] = (
            _decode_column(table[name], mask) if mask else table[name]
        )
    return Table(columns)


def _decode_column(column: Coded, mask: ColumnMask) -> Coded:
    domain = column.domain
    absent = column.codes == domain.missing_code if domain.missing else np.zeros(len(column.codes))
    missing = np.asarray(absent, dtype=bool)
    decoded = [_decode_value(value, mask) for value in domain.values.tolist()]
    kind = Kind.CATEGORY if isinstance(mask, CategoryMask) else mask.kind
    if kind.is_integral and any(value != int(value) for value in decoded):
        kind = Kind.DECIMAL  # a mean of whole numbers
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    values = np.array([*decoded, *decoded[:1]], dtype=types.get(kind, np.int64))
    distinct, places = np.unique(values[: len(decoded)], return_inverse=True)
    lookup = np.append(places, len(distinct)) if domain.missing else places
    return column.merged(lookup, Domain(kind, distinct, bool(missing.any())))


def _decode_value(value: Any, mask: ColumnMask) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_decode_value(item, mask) for item in value)
    if value is None or isinstance(mask, CategoryMask):
        return mask.value_of(value)
    try:
        number = mask.value_of(float(value))
    except (TypeError, ValueError):
        return value
    return int(number) if mask.kind is Kind.INTEGER and number == int(number) else number


def _decode_aliases(text: str, mask: CategoryMask) -> str:
    # One-hot columns glue names together with an underscore: H_sex_sex_2.
    either = "|".join(re.escape(alias) for alias in sorted(mask.label_of, key=len, reverse=True))
    glued = rf"(?<!\w){re.escape(mask.masked_name)}_(?=(?:{either})(?!\w))"
    text = re.sub(glued, f"{mask.column}=", text)
    pattern = rf"(?<!\w)(?:{either})(?!\w)"
    return re.sub(pattern, lambda found: mask.label_of[found[0]], text)


def _decode_cuts(text: str, mask: NumberMask) -> str:
    pattern = rf"(?<!\w){re.escape(mask.masked_name)}(\s*)({_SIGNS}|=)(\s*)({_NUMBER})"

    def decoded(found: re.Match[str]) -> str:
        before, sign, after, number = found.groups()
        if sign in ("=", "=="):
            value = _decode_value(_nearest_value(float(number), mask), mask)
            return f"{mask.column}{before}{sign}{after}{value}"
        cut = mask.cut_at(_nearest_value(float(number), mask))
        if cut.at_most is None or cut.below is None or cut.below < cut.at_most:
            return f"{mask.column}{before}{sign}{after}{cut.threshold!r}"
        low, high = text_of(cut.at_most, mask.kind), text_of(cut.below, mask.kind)
        shown = high if sign in ("<", ">=", "≥") else low
        return f"{mask.column}{before}{sign}{after}{shown} [{low}, {high})"

    return re.sub(pattern, decoded, text)


def _nearest_value(number: float, mask: NumberMask) -> float:
    """A masked value that was printed with six digits after the point, unrounded."""
    gaps = np.abs(mask.masked - number)
    nearest = int(gaps.argmin())
    return float(mask.masked[nearest]) if gaps[nearest] <= _PRINTED_TO else number


def _longest_first(codebook: Codebook) -> list[ColumnMask]:
    return sorted(codebook.columns.values(), key=lambda mask: -len(mask.column))
