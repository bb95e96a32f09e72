"""Global recoding: each column by one map, as in the article, with its rules put right.

Columns that no tree uses become one constant; categories group by what the nodes tell apart
(`categories`); numbers become few values with the same thresholds (`numbers`). Every recoding only
joins what the trees keep together and keeps all orders, so the same tree grows again
(docs/guarantees/same-tree.md).
"""

from collections.abc import Mapping, Sequence

from privet.preserve.by_column.categories import recode_categories
from privet.preserve.by_column.number_cells import Numbers
from privet.preserve.by_column.numbers import recode_numbers
from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, from_numbers, suppressed
from privet.schema import Kind

Groups = Mapping[str, Mapping[str, Sequence[str]]]


def recode_globally(
    leaf_counts: LeafCounts,
    columns: Sequence[str],
    groups: Groups | None = None,
    single: bool = False,
) -> dict[str, ColumnRecoding]:
    """A recoding for each of the columns; those that the trees do not use are suppressed. With
    `single` the thresholds stay for growers in single precision too."""
    used = set(leaf_counts.columns)
    recodings = {}
    for column in columns:
        domain = leaf_counts.domains[column]
        if column not in used:
            recodings[column] = suppressed(column, domain)
        elif domain.kind is Kind.CATEGORY:
            recodings[column] = recode_categories(leaf_counts, column, (groups or {}).get(column))
        else:
            records = leaf_counts.records(column)[: len(domain.values)]
            numbers = Numbers(domain.values, records, leaf_counts.gaps(column), single)
            recodings[column] = from_numbers(column, domain, recode_numbers(numbers))
    return recodings
