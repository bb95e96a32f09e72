"""One call for every command on a release: new rows recoded or classified, its report again.

Reading and verifying a release are calls of `release` itself; publishing one is in `pipeline`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.arguments import AnyPath, Kinds
from privet.files import as_given, as_table
from privet.schema import Role
from privet.table import Table, Value

if TYPE_CHECKING:
    from privet.release import Release


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
    kinds: Kinds | None = None,
    missing: Sequence[str] = (),
) -> list[Value]:
    """What the tree of a release predicts for each new row.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3, leaves=2)
    >>> privet.predict(release, {"age": [25, 70]})
    ['no', 'yes']
    """
    from privet.release.new_rows import predict_rows

    published = _release(release)
    table = _new_rows(published, rows, kinds, missing)
    return predict_rows(table, published.manifest, published.tree)


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
