"""What jobs do: each function here runs in a process of its own and makes one public call.

The first argument is told how far the work is; the others are plain data. What comes back is plain
data as well, with pieces of the page that are made here, so that the server has nothing to compute.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import privet
from privet.criteria.uniqueness import uniqueness
from privet.engine import engine_of
from privet.files import read_table
from privet.preserve.explore import Exploration
from privet.report.trade_off import trade_off_charts
from privet.schema import Schema
from privet.studio.fragments import fragment
from privet.studio.jobs import Reporter
from privet.studio.look import look_at
from privet.table import Table

POINT = "size-"  # the button of a size is called so


def look(reporter: Reporter, table: Path, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Read a table, and propose a role for each column."""
    found, declared, missing = _read(reporter, table, reading)
    reporter.say(None, "Looking at its columns ...")
    return look_at(found, privet.propose(found, missing=missing), declared)


def _read(
    reporter: Reporter,
    path: Path,
    reading: Mapping[str, Any],
    columns: Sequence[str] | None = None,
) -> tuple[Table, Schema | None, list[str]]:
    """The table, its schema if one was loaded, and what stands for missing cells.

    Columns that mix numbers and words become categories here, and the page says so.
    """
    declared = Schema.read(reading["schema"]) if "schema" in reading else None
    kinds = {column.name: str(column.kind) for column in declared or ()}
    kinds |= reading.get("kinds", {})
    missing = [*(declared.missing if declared else ()), *reading.get("missing", ())]
    found = read_table(
        path,
        kinds={name: kinds[name] for name in kinds if columns is None or name in columns},
        missing=missing,
        columns=columns,
        progress=lambda share: reporter.say(share, "Reading the table ..."),
        mixed=True,
    )
    return found, declared, missing


def risk(
    reporter: Reporter, table: Path, reading: Mapping[str, Any], columns: list[str], k: int
) -> str:
    """Who is alone on the columns that others may know."""
    found, _, _ = _read(reporter, table, reading, columns)
    told = uniqueness(
        engine_of(found),
        columns,
        k,
        lambda share: reporter.say(share, "Counting who is alone ..."),
    )
    return fragment("risk_found.html.j2", found=told, k=k)


def trade_off(reporter: Reporter, table: Path, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What each size of the tree would give; the picture grows while it is made."""
    reporter.say(None, "Growing the tree ...")
    found = privet.explore(
        table,
        **arguments,
        progress=lambda done, sizes: reporter.say(
            done / sizes, f"{done} of {sizes} sizes of the tree are tried ..."
        ),
        seen=lambda so_far: reporter.show(_drawn(so_far)),
    )
    return _drawn(found)


def _drawn(found: Exploration) -> dict[str, Any]:
    """The trade-off as the page shows it."""
    html = fragment(
        "trade_off_found.html.j2",
        found=found,
        charts=trade_off_charts(found, POINT) if found.lines else [],
        point=POINT,
    )
    return {"html": html, "chosen": found.chosen, "sizes": [line.leaves for line in found.lines]}
