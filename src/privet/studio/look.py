"""What is seen of a table before anything is asked of it, as plain data for the page.

Everything here is for the eyes of the person who has the table: first rows, and how the values of
each column lie. The proposal of roles is `privet.propose`, as in `privet schema`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from privet.engine.distribution import Ranges, Share
from privet.errors import UnknownColumn
from privet.proposal import Proposal, numbers_among_words
from privet.report.plots import histogram
from privet.schema import Column, Role, Schema
from privet.table import Coded, Table
from privet.words import count

FIRST_ROWS = 8
_MOST_BARS = 12
_LONGEST = 60  # letters of a cell that is shown


def look_at(table: Table, proposal: Proposal, declared: Schema | None) -> dict[str, Any]:
    """The table as the page shows it."""
    if declared is not None:
        for name in declared.names():
            if name not in table:
                raise UnknownColumn(name, table.names, where="the schema")
    return {
        "records": table.n_rows,
        "columns": [_column(table, proposal, column, declared) for column in proposal.schema],
        "rows": first_rows(table, range(min(FIRST_ROWS, table.n_rows))),
        "mixed": [name for name in table if numbers_among_words(table[name].domain)],
        "declared": {column.name: str(column.role) for column in declared or ()},
    }


def first_rows(table: Table, rows: Sequence[int]) -> list[list[str | None]]:
    """Some rows as texts; None is missing."""
    columns = [_cells(table[name], rows) for name in table]
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(column: Coded, rows: Sequence[int]) -> list[str | None]:
    values = [column.domain.value(int(column.codes[row])) for row in rows]
    return [None if value is None else shortened(str(value)) for value in values]


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _column(
    table: Table, proposal: Proposal, proposed: Column, declared: Schema | None
) -> dict[str, Any]:
    name = proposed.name
    seen, role, why = proposal.looks[name], proposed.role, proposal.looks[name].why
    if declared is not None:
        role = declared[name].role if name in declared else Role.QUASI
        why = "as the schema says" if name in declared else "not named in the schema"
    shares = distribution_of(table[name])
    words = "; ".join(f"{_text(one)}: {one.records:,}" for one in shares)
    return {
        "name": name,
        "kind": str(proposed.kind),
        "role": str(role),
        "why": why.partition(" because ")[2] or why,
        "distinct": seen.distinct,
        "missing": seen.missing,
        "range": None if seen.range is None else [shortened(end) for end in seen.range],
        "remarks": list(proposal.remarks.get(name, ())),
        "histogram": str(histogram([one.records for one in shares], f"Records by value. {words}")),
        "most": [(_text(one), one.records) for one in sorted(shares, key=_by_records)[:3]],
        "ranges": _is_ranged(table[name]),
    }


def _by_records(share: Share) -> int:
    return -share.records


def _text(share: Share) -> str:
    return "missing" if share.text is None else shortened(share.text)


def _is_ranged(column: Coded) -> bool:
    return column.domain.kind.is_ordered and column.domain.size > _MOST_BARS


def distribution_of(column: Coded) -> list[Share]:
    """How records lie: by ten ranges, or by the most frequent values and all others together."""
    domain = column.domain
    records = np.bincount(column.codes, minlength=domain.size)
    ranges = Ranges.over([domain]) if _is_ranged(column) else None
    if ranges is not None:
        return ranges.shares(domain, records)
    most = sorted(np.argsort(-records, kind="stable")[:_MOST_BARS].tolist())
    values = [(domain.value(code), int(records[code])) for code in most]
    shares = [Share(None if value is None else str(value), n) for value, n in values]
    left = int(records.sum()) - sum(share.records for share in shares)
    if left:
        others = count(domain.size - len(most), "other value")
        shares.append(Share(others, left))
    return shares
