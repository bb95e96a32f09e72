"""Global recoding: each column by one map, as in the article, with its rules put right.

Columns that no tree uses become one constant; categories group by what the nodes tell apart
(`categories`); numbers become few values with the same thresholds (`numbers`). Every recoding only
joins what the trees keep together and keeps all orders, so the same tree grows again
(docs/guarantees/same-tree.md).
"""

from collections.abc import Mapping, Sequence

from privet.preserve.categories import recode_categories
from privet.preserve.census import Census
from privet.preserve.number_cells import Numbers
from privet.preserve.numbers import recode_numbers
from privet.preserve.recoding import ColumnRecoding, from_numbers, suppressed
from privet.schema import Kind

Groups = Mapping[str, Mapping[str, Sequence[str]]]


def recode_globally(
    census: Census, columns: Sequence[str], groups: Groups | None = None
) -> dict[str, ColumnRecoding]:
    """A recoding for each of the columns; those that the trees do not use are suppressed."""
    used = set(census.columns)
    recodings = {}
    for column in columns:
        domain = census.domains[column]
        if column not in used:
            recodings[column] = suppressed(column, domain)
        elif domain.kind is Kind.CATEGORY:
            recodings[column] = recode_categories(census, column, (groups or {}).get(column))
        else:
            records = census.records(column)[: len(domain.values)]
            numbers = Numbers(domain.values, records, census.gaps(column))
            recodings[column] = from_numbers(column, domain, recode_numbers(numbers))
    return recodings
