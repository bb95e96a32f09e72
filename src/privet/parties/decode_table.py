"""Tables of results read back: cluster centres, predictions, representative records.

A column of masked numbers is decoded if all of them are values of the column, or if its owner says
that they are means; otherwise it stays masked.
"""

from collections.abc import Collection

import numpy as np

from privet.errors import UsageError
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.clashes import with_taken_names
from privet.parties.codebook import Codebook
from privet.parties.meanings import Meaning, Undecodable, decode_cell
from privet.parties.number_mask import PREFIX
from privet.parties.outcome import Outcome
from privet.schema import Kind
from privet.table import Coded, Domain, Table, parse_iso


def decode_table(
    table: Table,
    codebook: Codebook,
    *,
    maskings: Collection[str] = (),
    unchecked: bool = False,
    numbers: Meaning | str = Meaning.VALUES,
) -> Outcome[Table]:
    """A table with masked columns: those of the codebook decoded."""
    masks = codebook.by_masked_name()
    if not any(name in masks for name in table):
        raise UsageError(
            "The codebook holds none of the columns of this table.",
            "masked columns are called H_ and their old name.",
        )
    codebook.check_identity(maskings, unchecked=unchecked)
    columns: dict[str, Coded] = {}
    undecoded = with_taken_names(masks.values(), table.names)
    for name in table:
        mask = masks.get(name)
        if mask is None or name in undecoded:
            columns[name] = table[name]
            continue
        try:
            columns[mask.column] = _decoded(table[name], mask, Meaning(numbers))
        except Undecodable as error:
            undecoded[name] = str(error)
            columns[name] = table[name]
    others = tuple(n for n in table if n.startswith(PREFIX) and n not in masks)
    return Outcome(Table(columns), undecoded, others)


def _decoded(column: Coded, mask: ColumnMask, meaning: Meaning) -> Coded:
    domain = column.domain
    decoded = [decode_cell(value, mask, meaning) for value in domain.values.tolist()]
    kind = Kind.CATEGORY if isinstance(mask, CategoryMask) else mask.kind
    if kind in (Kind.DATE, Kind.DATETIME):
        decoded = [parse_iso(text, kind) for text in decoded]
    elif kind is Kind.INTEGER and any(value != int(value) for value in decoded):
        kind = Kind.DECIMAL  # a mean of whole numbers
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    values = np.array(decoded, dtype=types.get(kind, np.int64))
    distinct, places = np.unique(values, return_inverse=True)
    lookup = np.append(places, len(distinct)) if domain.missing else places
    return column.merged(lookup, Domain(kind, distinct, domain.missing))
