"""What jobs do: each function here runs in a process of its own and makes one public call.

The first argument is told how far the work is; the others are plain data. What comes back is plain
data as well, with pieces of the page that are made here, so that the server has nothing to compute.
"""

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import privet
from privet.criteria.uniqueness import uniqueness
from privet.engine import engine_of
from privet.errors import in_options
from privet.files import read_table
from privet.preserve.exploration import Exploration
from privet.report.advice import advice_charts
from privet.report.trade_off import trade_off_charts
from privet.schema import Schema
from privet.studio.archives import pack, unpack
from privet.studio.fragments import fragment
from privet.studio.jobs import Reporter
from privet.studio.look import look_at
from privet.studio.preview import preview_of
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
        exact=True,  # whoever clicks on a size publishes just that
    )
    return _drawn(found)


def _drawn(found: Exploration) -> dict[str, Any]:
    """The trade-off as the page shows it, without columns that say nothing."""
    cells = [found.cells(line) for line in found.lines]
    shown = [n for n in range(1, len(found.head)) if any(row[n] != "-" for row in cells)]
    html = fragment(
        "trade_off_found.html.j2",
        found=found,
        charts=trade_off_charts(found, POINT) if found.lines else [],
        point=POINT,
        shown=shown,
    )
    return {
        "html": html,
        "chosen": found.chosen,
        "sizes": [line.leaves for line in found.lines],
        "explored": pickle.dumps(found),  # for the job that publishes; the server does not look
    }


def advice(reporter: Reporter, table: Path, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What settings of random substitution would give: right answers against epsilon."""
    found = privet.advise(
        table,
        **arguments,
        progress=lambda share: reporter.say(share, "Trying settings of substitution ..."),
    )
    best = found.best()
    html = fragment(
        "advice_found.html.j2", found=found, best=best, charts=advice_charts(found, None)
    )
    return {"html": html, "tried": [(trial.gamma, trial.bins) for trial in found.trials]}


def preview(
    reporter: Reporter,
    table: Path,
    call: str,
    arguments: Mapping[str, Any],
    folder: Path,
    report: str,
) -> str:
    """A release as it would be published, written to a private place and checked there. `report`
    is the address of its report."""
    release = _made(reporter, table, call, arguments)
    reporter.say(None, "Writing it to a private place and checking it ...")
    release.save(folder)
    return preview_of(release, folder, report)


def publish(
    reporter: Reporter,
    table: Path,
    call: str,
    arguments: Mapping[str, Any],
    places: Mapping[str, Any],
    archive: Path,
    explored: bytes | None = None,
) -> dict[str, Any]:
    """A release and its audit, each in its place, checked from the written files; an archive of
    the release to hand out. Sizes that the trade-off has tried are not tried again."""
    told = {name: places[name] for name in ("title", "publisher", "licence") if name in places}
    if explored is not None:
        told["explored"] = pickle.loads(explored)
    release = _made(reporter, table, call, {**arguments, **told})
    reporter.say(None, "Writing the release and its audit, and checking them ...")
    out = places["out"]
    fingerprint = release.save(
        out, audit=places.get("audit"), format=places.get("format", "parquet"), inputs=[table]
    )
    reporter.say(None, "Verifying what was written ...")
    outcome = privet.verify(out, fingerprint)
    pack(Path(out), archive)
    return {
        "fingerprint": fingerprint,
        "content_sha256": release.manifest.content_sha256,
        "checks": fragment("checks.html.j2", outcome=outcome, fingerprint=fingerprint),
        "holds": outcome.holds,
        "notes": [in_options(note) for note in release.said],
    }


def verify(
    reporter: Reporter,
    folder: Path | None = None,
    archive: Path | None = None,
    into: Path | None = None,
    fingerprint: str | None = None,
) -> dict[str, Any]:
    """Every claim of a release that its files can show."""
    if archive is not None and into is not None:
        reporter.say(None, "Unpacking ...")
        folder = unpack(archive, into)
    assert folder is not None
    reporter.say(None, "Counting again and growing the tree again ...")
    outcome = privet.verify(folder, fingerprint)
    html = fragment("checks.html.j2", outcome=outcome, fingerprint=fingerprint)
    return {"html": html, "holds": outcome.holds}


def _made(
    reporter: Reporter, table: Path, call: str, arguments: Mapping[str, Any]
) -> privet.Release:
    """The release of one of the calls that publish."""
    reporter.say(None, "Making the release ...")
    given = dict(arguments)
    if call == "publish":
        given["progress"] = lambda done, sizes, leaves: reporter.say(
            done / sizes, f"Recoding for {leaves} leaves ..."
        )
    made: privet.Release = getattr(privet, call)(table, **given)
    return made
