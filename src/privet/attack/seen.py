"""What an attacker on a release holds: its records, the columns known beforehand, those sought.

Every attack on a release starts here; the attacks themselves are next door, one file for each. A
plain table can stand in the place of a release, so that an attack is tried before anything was
done: what it finds there is what the release must keep from it.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.engine import Counts, Engine, engine_of
from privet.errors import UnknownColumn, UsageError, param
from privet.files import as_table
from privet.release import Release, read_release
from privet.release.claims.privacy import shown_sensitive
from privet.release.recoded import entry_of
from privet.roles import Names, listed
from privet.schema import Role, Schema
from privet.table import Table


@dataclass(frozen=True, eq=False)
class Seen:
    """The records, as released or as they are; equal `known` cells make an equivalence class.

    `rows` has records that are alike once, as far as they are known to be, and `counts` how often.
    """

    rows: Table
    counts: Integers
    known: tuple[str, ...]
    sought: tuple[str, ...]
    release: Release | None = None  # None where the records are those of a plain table

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def engine(self) -> Engine:
        return engine_of(self.rows, self.counts)

    @cached_property
    def classes(self) -> Counts:
        """The equivalence classes, each with its records."""
        return self.engine.count(self.known)


def what_is_seen(
    given: "Release | str | os.PathLike[str] | Any",
    known: Names = None,
    sought: Names = None,
    missing: "tuple[str, ...] | list[str]" = (),
    kinds: Any = None,
) -> Seen:
    """A release, its folder, or a table of any shape, as an attacker sees it.

    Unless they are named, the known columns of a release are its quasi-identifiers, and sought are
    the target and the sensitive columns that it shows, but for what is known. Of a plain table,
    `known` must be named.
    """
    if isinstance(given, str | os.PathLike) and Path(given).is_dir():
        given = read_release(given)
    if isinstance(given, Release):
        table, counts = given.rows.table, given.rows.counts
        schema = given.manifest.schema
        named = listed(known) or list(schema.quasi)
        wanted = listed(sought) or [n for n in _shown(given, schema) if n not in named]
        release: Release | None = given
    else:
        table, release = as_table(given, missing=missing, kinds=kinds), None
        counts = np.ones(len(table), dtype=np.int64)
        named, wanted = listed(known), listed(sought)
        if not named:
            raise UsageError(
                "Of a plain table nobody knows what an attacker knows.",
                f"name the columns: {param('known', 'COLUMNS')}.",
            )
    for name in (*named, *wanted):
        if name not in table:
            raise UnknownColumn(name, table.names)
    both = [name for name in wanted if name in named]
    if both:
        raise UsageError(
            f"Column '{both[0]}' is known and sought as well.",
            f"leave it out of {param('known')} or of {param('sought')}.",
        )
    return Seen(table, counts, tuple(named), tuple(wanted), release)


def _shown(release: Release, schema: Schema) -> list[str]:
    """The targets and the sensitive columns, but for what is suppressed."""
    recoding = release.manifest.recoding
    targets = schema.names(Role.TARGET)
    found = dict.fromkeys([*targets, *shown_sensitive(schema, recoding)])
    return [n for n in found if entry_of(recoding, n).get("treatment") != "suppressed"]


def require_sought(seen: Seen) -> None:
    """Refuse an attack that has nothing to learn."""
    if not seen.sought:
        raise UsageError(
            "There is nothing that the attacker wants to learn.",
            f"name a column: {param('sought', 'COLUMNS')}.",
        )
