"""One call for every command on a release: new rows, its report again, its figures.

Reading and verifying a release are calls of `release` itself; publishing one is in `pipeline`.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.arguments import AnyPath, Kinds
from privet.errors import UnknownColumn, UsageError, param
from privet.files import as_given, as_table
from privet.roles import target_of, with_one_target
from privet.schema import Role
from privet.table import Table, Value

if TYPE_CHECKING:
    from privet.measure.measured import Measured
    from privet.measure.miners import Utility
    from privet.release import Release
    from privet.tree import Tree


def recode(
    release: "Release | AnyPath",
    rows: Any,
    *,
    nearest: bool = False,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> Any:
    """New rows recoded like those of a release, as a frame of the kind that was given.

    `nearest` gives each row the values of the nearest released row of its leaf (rich releases), so
    that it looks like k released records.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3, leaves=2)
    >>> len(privet.recode(release, {"age": [25, 70]})["age"])
    2
    """
    from privet.release.nearest import nearest_rows
    from privet.release.new_rows import recode_rows

    published = _release(release)
    table = _new_rows(published, rows, kinds, missing)
    about = published.manifest, published.trees
    if nearest:
        return as_given(nearest_rows(table, published.rows.table, *about), rows)
    return as_given(recode_rows(table, *about), rows)


def predict(
    release: "Release | AnyPath",
    rows: Any,
    *,
    tree: int = 1,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> list[Value]:
    """What a tree of a release predicts for each new row; trees are counted from 1.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3, leaves=2)
    >>> privet.predict(release, {"age": [25, 70]})
    ['no', 'yes']
    """
    from privet.release.new_rows import predict_rows

    published = _release(release)
    table = _new_rows(published, rows, kinds, missing)
    return predict_rows(table, published.manifest, published.trees, tree)


def write_report(folder: AnyPath, path: AnyPath, *, force: bool = False) -> Path:
    """Make the report of a release again, from its files alone, and write it elsewhere.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3, leaves=2)
    >>> fingerprint = release.save("release")
    >>> privet.write_report("release", "report.html").name
    'report.html'
    """
    from privet.files.outputs import write_text
    from privet.report.html import render_report

    write_text(path, render_report(Path(folder)), inputs=[folder], force=force)
    return Path(path)


def measure_release(
    original: Any,
    release: "Release | AnyPath",
    *,
    target: str | None = None,
    test: Any = None,
    audit: AnyPath | None = None,
    utility: bool = True,
    seed: int = 0,
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> "Measured":
    """A release beside its original: risk, distortion by column, utility for other miners.

    `test` has rows that were not published, to test miners on; without it the original's rows are
    tested in turn, and these people are in the release. `audit` says which class each row is in.
    The miners need scikit-learn; `utility=False` leaves them out.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3, leaves=2)
    >>> found = privet.measure_release(people, release, utility=False)
    >>> found.distortion.discernibility, round(found.distortion.ncp["age"], 4)
    (18, 0.0625)
    """
    from privet.attack.against import attacks_against
    from privet.attack.followed import followed
    from privet.attack.linking import outside_table
    from privet.attack.seen import what_is_seen
    from privet.engine import engine_of
    from privet.engine.likeness import Likened
    from privet.engine.workplace import at_work
    from privet.measure.distortion import distortion
    from privet.measure.measured import Measured
    from privet.release.new_rows import drawn_at_random
    from privet.release.target_values import with_targets_as_released

    if utility and at_work() is not None:
        raise UsageError(
            "Miners need every row in memory, and the table is counted on disk.",
            f"leave them out with {param('utility', False)}, or count the table in memory.",
        )
    published = _release(release)
    manifest = published.manifest
    seen = what_is_seen(published)
    table = with_targets_as_released(outside_table(original, seen, missing, kinds), manifest)
    for name in manifest.schema.names():
        if name not in table:
            raise UnknownColumn(name, table.names, where="the release")
    if len(table) != seen.n_records:
        raise UsageError(
            f"The original has {len(table):,} rows, the release {seen.n_records:,} records.",
            "measure a release beside the table that it was made from.",
        )
    groups = None if drawn_at_random(manifest) else followed(seen, table, audit)
    of_people = np.zeros(len(table), dtype=np.int64) if groups is None else groups.of_people
    wanted = target or (published.tree.target if published.tree else target_of(manifest.schema))
    tested = None if test is None else outside_table(test, seen, missing, kinds)
    return Measured(
        risk={name: one.to_data() for name, one in attacks_against(published, table).items()},
        distortion=distortion(table, manifest, of_people, seen.classes.n),
        followed_by="nothing" if groups is None else groups.by,
        likeness=Likened(engine_of(table), manifest.schema.names()).to(seen.engine),
        utility=_utility(published, table, wanted, tested, seed) if utility and wanted else None,
    )


def _utility(
    release: "Release", original: Table, target: str, test: Table | None, seed: int
) -> "Utility":
    from privet.engine import MemoryEngine
    from privet.measure.miners import Contest
    from privet.release.new_rows import drawn_at_random, recode_rows
    from privet.tree import default_impurity, grow

    manifest = release.manifest
    if target not in manifest.schema:
        raise UnknownColumn(target, manifest.schema.names(), where=param("target"))
    own = next((tree for tree in release.trees if tree.target == target), None)
    if own is not None:
        regression = own.is_regression
    else:
        regression = default_impurity(MemoryEngine(original), target) == "deviance"

    def grown(training: Table) -> "Tree":
        assert own is not None
        grower = replace(own.grower, category_orders={})
        return grow(MemoryEngine(training), with_one_target(manifest.schema, target), grower)

    def recoded(rows: Table) -> Table:
        return rows if drawn_at_random(manifest) else recode_rows(rows, manifest, release.trees)

    columns = tuple(name for name in manifest.schema.names() if name != target)
    contest = Contest(target, columns, regression, own, grown, seed)
    return contest.utility(original, release.rows.records(), recoded, test)


def _release(given: "Release | AnyPath") -> "Release":
    from privet.release import Release, read_release

    return given if isinstance(given, Release) else read_release(given)


def _new_rows(release: "Release", rows: Any, kinds: Kinds | None, missing: Sequence[str]) -> Table:
    from privet.files import column_names

    if isinstance(rows, Table):
        return rows
    of_release = {c.name: c.kind for c in release.manifest.schema if c.role is not Role.IDENTIFIER}
    if isinstance(rows, str | os.PathLike):
        known = set(column_names(Path(rows)))
        of_release = {name: kind for name, kind in of_release.items() if name in known}
    return as_table(rows, kinds={**of_release, **(kinds or {})}, missing=missing)
