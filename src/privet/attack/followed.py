"""Where the people of the original table went in a release: the group of each, by number.

The audit of a release says which equivalence class each row is in. Without it people are followed
by `linking`: what the release itself shows to whoever knows the original quasi-identifiers.
`intersection` follows people through two releases; `privet measure` looks at how wide groups are.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers
from privet.attack.linking import linked
from privet.attack.seen import Seen
from privet.engine.grouping import added_up, numbers_of_rows
from privet.errors import InputError
from privet.release.audit import classes_in_audit
from privet.table import Table, Value


@dataclass(frozen=True, eq=False)
class Followed:
    """The group of each released row, of which there are `counts` records, and of each person."""

    by: str
    rows: Table
    counts: Integers
    of_rows: Integers
    of_people: Integers

    @property
    def size(self) -> int:
        return int(max(self.of_rows.max(), self.of_people.max())) + 1

    @property
    def records(self) -> Integers:
        return added_up(self.of_rows, self.counts, self.size)

    @property
    def is_there(self) -> Booleans:
        """For each person, whether the group has any record."""
        return np.asarray(self.records[self.of_people] > 0)

    @property
    def k(self) -> int:
        return int(self.records[self.records > 0].min())

    @property
    def groups(self) -> int:
        return int((self.records > 0).sum())

    def values(self, column: str) -> list[set[Value]]:
        """The values of a column in each group."""
        coded = self.rows[column]
        found: list[set[Value]] = [set() for _ in range(self.size)]
        pairs = np.column_stack([self.of_rows, coded.codes.astype(np.int64)])
        for group, code in np.unique(pairs, axis=0).tolist():
            found[group].add(coded.domain.value(code))
        return found


def followed(seen: Seen, table: Table, audit: Any) -> Followed:
    """Follow the rows of the original table: by the audit of the release, or without one."""
    if audit is None:
        groups = linked(seen, table)
        return Followed("groups", seen.rows, seen.counts, groups.of_rows, groups.of_people)
    of_people = np.array(classes_in_audit(Path(audit)), dtype=np.int64)
    columns = [seen.rows[name] for name in seen.known]
    of_rows = numbers_of_rows([c.codes for c in columns], [c.domain.size for c in columns])
    sizes = added_up(of_rows, seen.counts, int(of_rows.max(initial=-1)) + 1)
    same = len(of_people) == len(table) and np.array_equal(np.bincount(of_people), sizes)
    if not same:
        raise InputError(
            "An audit is not of its release, or the original has other rows.",
            "name the audits in the order of their releases, and the table they were made from.",
        )
    return Followed("classes", seen.rows, seen.counts, of_rows, of_people)
