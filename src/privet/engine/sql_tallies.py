"""The question that growers ask of a database: all columns of a node, against a target.

All columns and all children of a node are counted in one pass. In place of each code of a column
there may be the number of the run of codes that it lies in. `sql` asks, `sql_answers` tells the
columns and children apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from privet.arrays import Integers
from privet.engine.predicates import Children, within_all
from privet.engine.protocol import Response, Tally
from privet.engine.sql_answers import tallies_of
from privet.engine.workplace import Arrays

if TYPE_CHECKING:
    from privet.engine.sql import SqlEngine


def tallied(
    engine: "SqlEngine",
    columns: Sequence[str],
    children: Children,
    target: str | Response,
    lengths: Mapping[str, int],
    only: tuple[int, Integers] | None = None,
) -> list[dict[str, Tally]]:
    """The tallies of some columns in all children; of columns in `lengths` those of the numbers of
    runs of so many codes. `only` some runs of the one column: their length and their numbers."""
    names = [f"a{place}" for place in range(len(columns))]
    runs = [_run(engine, column, lengths.get(column)) for column in columns]
    seen = [f"{run} AS {name}" for run, name in zip(runs, names, strict=True)]
    asked = _asked_of(engine, target)
    seen += [f"{children.number_sql(engine.sql)} AS child", "n", asked.seen]
    relation = f"{engine.relation} {children.join_sql(engine.sql)} {asked.join}"
    given: dict[str, Arrays] = {**children.given, **asked.given}
    if only is not None:
        given["runs"] = {"run": only[1]}
        relation += f" JOIN runs ON runs.run = {_run(engine, columns[0], only[0])}"
    counted = _stacked if engine.place.stacks else _in_sets
    found = engine.place.ask(
        f"WITH seen AS (SELECT {', '.join(seen)} FROM {relation} "
        f"WHERE {within_all(children.above, engine.sql)}) {counted(names, asked)}",
        **given,
    )
    width = engine.domain(target).size if isinstance(target, str) else None
    return tallies_of(columns, children.number, found, width)


def _run(engine: "SqlEngine", column: str, length: int | None) -> str:
    """The code of a column, or the number of the run that it lies in."""
    return engine.sql[column] if length is None else f"{engine.sql[column]} // {length}"


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of a target: what is seen of it in each row, and made of it in each group."""

    seen: str
    weights: str
    by: str = ""
    join: str = ""
    given: Mapping[str, Arrays] = field(default_factory=dict)


def _in_sets(names: Sequence[str], asked: _Asked) -> str:
    """Columns of `seen` counted side by side, by a database that passes over the rows once."""
    sets = ", ".join(f"(child, {name}{asked.by})" for name in names)
    code = f"COALESCE({', '.join(names)})" if len(names) > 1 else names[0]
    which = " ".join(f"WHEN GROUPING({n}) = 0 THEN {place}" for place, n in enumerate(names))
    return (
        f"SELECT child, CASE {which} END AS which, {code} AS code, {asked.weights} "
        f"FROM seen WHERE child >= 0 GROUP BY GROUPING SETS ({sets})"
    )


def _stacked(names: Sequence[str], asked: _Asked) -> str:
    """The same, where each row would be copied for each set, with all columns: so it becomes a
    short row for each column, and groups have few keys."""
    pairs = ", ".join(f"{place}, CAST({name} AS BIGINT)" for place, name in enumerate(names))
    return (
        f"SELECT child, which, code, {asked.weights} FROM (SELECT *, "
        f"stack({len(names)}, {pairs}) AS (which, code) FROM seen WHERE child >= 0) "
        f"GROUP BY child, which, code{asked.by}"
    )


def _asked_of(engine: "SqlEngine", target: str | Response) -> _Asked:
    if isinstance(target, str):
        return _Asked(f"{engine.sql[target]} AS y", f"y, {engine.records} AS n", by=", y")
    codes = np.arange(len(target.units), dtype=np.uint32)
    steps = "CAST(units AS HUGEINT)" + (" * n" if engine.is_counted else "")
    return _Asked(
        "steps.units AS units",
        f"{engine.records} AS n, CAST(SUM({steps}) AS BIGINT) AS s",
        join=f"JOIN steps ON {engine.sql[target.column]} = steps.code",
        given={"steps": {"code": codes, "units": target.units.astype(np.int64)}},
    )
