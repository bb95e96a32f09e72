"""Names and labels that would mean two things once decoded.

`H_age` becomes `age` when it is decoded: where another `age` stands in the same result, two columns
would be one. An alias that is also a value or the name of another column would be decoded there as
well. `join`, which sees all columns, refuses such tables; decoders leave such a mask on.
"""

from collections.abc import Collection, Iterable, Sequence

from privet.errors import UsageError, either
from privet.parties.category_mask import ColumnMask
from privet.parties.number_mask import PREFIX
from privet.schema import Kind
from privet.table import Table

NAME_IS_TAKEN = "another column of the result has its clear name already"


def with_taken_names(masks: Iterable[ColumnMask], names: Collection[str]) -> dict[str, str]:
    """The masked names among these whose clear name is among them, too, and why they stay."""
    both = (mask for mask in masks if mask.masked_name in names and mask.column in names)
    return {mask.masked_name: NAME_IS_TAKEN for mask in both}


def refuse_common_names(
    tables: Sequence[Table], parties: Sequence[str], masked: Iterable[str]
) -> None:
    """Refuse files that have a column in common, or one a column and another its mask.

    Only `masked` names are decoded some day: a clear column may be called `H_index`.
    """
    owner: dict[str, str] = {}
    for table, party in zip(tables, parties, strict=True):
        for name in table:
            if name in owner:
                raise UsageError(
                    f"Column '{name}' is in {owner[name]} and in {party}.",
                    "one of the two parties must rename or drop it; for the same columns about "
                    f"different people, {either('stack them', 'give --stack')}.",
                )
            owner[name] = party
    for name in masked:
        clear, party = name.removeprefix(PREFIX), owner[name]
        if clear in owner:
            raise UsageError(
                f"Column '{name}' of {party} would be called '{clear}' once decoded, as a column "
                f"of {owner[clear]} is already.",
                f"{owner[clear]} must rename or drop its '{clear}', or {party} rename its own "
                "before masking.",
            )


def refuse_common_labels(table: Table, masked: Iterable[str]) -> None:
    """Refuse a joined table in which an alias of a masked column is anything else as well."""
    owner: dict[str, str] = {}
    for name in masked:
        owner |= dict.fromkeys(_labels(table, name), name)
    for name in table:
        common = {owner[label] for label in (name, *_labels(table, name)) if label in owner}
        for mask in sorted(common - {name}):
            raise UsageError(
                f"Aliases of the masked column '{mask}' are also values or the name of column "
                f"'{name}', so they could not be told apart in a result.",
                f"the owner of '{mask}' must mask it again under another name, or the owner of "
                f"'{name}' rename.",
            )


def _labels(table: Table, name: str) -> list[str]:
    domain = table[name].domain
    return domain.values.tolist() if domain.kind is Kind.CATEGORY else []


def masked_names(pieces: Iterable[tuple[Table, Sequence[str]]]) -> list[str]:
    """The masked columns of files, each with the maskings that it names."""
    return [name for table, known in pieces if known for name in table if name.startswith(PREFIX)]
