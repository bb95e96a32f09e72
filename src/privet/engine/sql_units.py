"""How runs of codes fill units of so many records, worked out inside the database.

A guard fills units value by value from the lowest value on, so whether a unit ends behind a value
depends on all values before it. Of a run of values it depends on one number: the records that the
unfinished unit has before the run. There are few such numbers, so each run is followed for all of
them at once, and nothing but what is left behind it comes back. `tree.guarded_runs` links the runs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.arrays import Integers
from privet.engine.predicates import within_all
from privet.engine.protocol import Region
from privet.engine.workplace import Arrays

if TYPE_CHECKING:
    from privet.engine.sql import SqlEngine

MOST = 64  # records of a unit: each number below is followed


@dataclass(frozen=True, eq=False)
class Fillings:
    """`records[i]` of run i, which begins at `codes[i]`, have a number; if an unfinished unit has
    s records before the run, one has `left[i, s]` behind it. Missing cells fill no unit."""

    codes: Integers
    records: Integers
    left: Integers

    @classmethod
    def of_values(cls, codes: Integers, records: Integers, least: int) -> "Fillings":
        """The same for single values."""
        reached = np.arange(least) + records[:, None]
        return cls(codes, records, np.where(reached >= least, 0, reached))


def fillings(
    engine: "SqlEngine",
    column: str,
    region: Region,
    length: int,
    least: int,
    only: tuple[int, Integers] | None = None,
) -> Fillings:
    """The runs of `length` codes of a column, for units of `least` records, at most `MOST`. `only`
    some runs: their length, which `length` divides, and their numbers."""
    code, domain, place = engine.sql[column], engine.domain(column), engine.place
    where, relation, given = within_all(region, engine.sql), engine.relation, dict[str, Arrays]()
    if domain.missing_code is not None:
        where += f" AND {code} <> {domain.missing_code}"
    if only is not None:
        given["runs"] = {"run": only[1]}
        relation += f" JOIN runs ON runs.run = {code} // {only[0]}"
    values = (
        f"SELECT {code} // {length} AS own, {code} AS code, {engine.records} AS records "
        f"FROM {relation} WHERE {where} GROUP BY 1, 2"
    )
    # a value of more records than a unit fills one, too: small numbers are enough
    capped = f"CAST(LEAST(records, {least}) AS USMALLINT)"
    lists = (
        f"SELECT own, CAST(SUM(records) AS BIGINT) AS records, "
        f"{place.list_sql(capped, 'code')} AS listed FROM ({values}) GROUP BY own"
    )
    step = f"CASE WHEN a + x >= {least} THEN 0 ELSE a + x END"
    left = [f"{place.fold_sql('listed', start, step)} AS s{start}" for start in range(least)]
    found = place.ask(
        f"SELECT own, records, {', '.join(left)} FROM ({lists}) ORDER BY own", **given
    )
    ends = np.stack([found[f"s{start}"] for start in range(least)], axis=1)
    codes, records = (found[name].astype(np.int64) for name in ("own", "records"))
    return Fillings(codes * length, records, ends.astype(np.int64))
