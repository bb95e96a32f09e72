"""Relations of codes in a database: how their columns are called, made, and counted as alike.

Column i of a table is `ci`; `n` says how many records a row stands for. `sql` asks the questions.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from privet.engine.workplace import Arrays, Workplace
from privet.table import Coded, Domain, Table, code_type

_WORTH_JOINING = 4  # rows alike are joined where they are so many times fewer
_SQL_TYPES = {np.uint8: "UTINYINT", np.uint16: "USMALLINT", np.uint32: "UINTEGER"}


def type_of(domain: Domain) -> str:
    """The type of the codes of a domain."""
    return _SQL_TYPES[code_type(domain.size)]


def first(n: int) -> str:
    """The first n columns of a question, by their numbers."""
    return ", ".join(str(number + 1) for number in range(n))


def create(place: Workplace, relation: str, domains: Iterable[Domain]) -> None:
    """An empty relation for a table."""
    columns = [f"c{number} {type_of(domain)}" for number, domain in enumerate(domains)]
    place.do(f"CREATE TABLE {relation} ({', '.join([*columns, 'n BIGINT'])})")


def table_of(domains: Mapping[str, Domain], sql: Mapping[str, str], fetched: Arrays) -> Table:
    """Rows that were fetched, rows alike once; `sql` says what the columns are called there."""
    coded = {
        name: Coded(domain, fetched[sql[name]].astype(code_type(domain.size), copy=False))
        for name, domain in domains.items()
    }
    return Table(coded)


def are_alike(place: Workplace, relation: str, columns: Sequence[str], **given: Arrays) -> bool:
    """Whether many rows of a relation are alike."""
    if not columns:
        return True
    listed = ", ".join(columns)
    found = place.ask(
        f"WITH alike AS (SELECT {listed}, COUNT(*) AS n FROM {relation} GROUP BY {listed}) "
        "SELECT COUNT(*) AS kinds, CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM alike",
        **given,
    )
    return int(found["kinds"][0]) * _WORTH_JOINING <= int(found["n"][0])
