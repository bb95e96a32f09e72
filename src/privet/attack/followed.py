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
from privet.engine.grouping import numbers_of_rows
from privet.errors import InputError
from privet.release.audit import classes_in_audit
from privet.table import Table, Value


@dataclass(frozen=True, eq=False)
class Followed:
    """The group of each released record and of each person, by number."""

    by: str
    table: Table
    of_records: Integers
    of_people: Integers

    @property
    def size(self) -> int:
        return int(max(self.of_records.max(), self.of_people.max())) + 1

    @property
    def records(self) -> Integers:
        return np.bincount(self.of_records, minlength=self.size)

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
        coded = self.table[column]
        found: list[set[Value]] = [set() for _ in range(self.size)]
        pairs = np.column_stack([self.of_records, coded.codes.astype(np.int64)])
        for group, code in np.unique(pairs, axis=0).tolist():
            found[group].add(coded.domain.value(code))
        return found


def followed(seen: Seen, table: Table, audit: Any) -> Followed:
    """Follow the rows of the original table: by the audit of the release, or without one."""
    if audit is None:
        groups = linked(seen, table)
        return Followed("groups", seen.table, groups.of_records, groups.of_people)
    of_people = np.array(classes_in_audit(Path(audit)), dtype=np.int64)
    columns = [seen.table[name] for name in seen.known]
    of_records = numbers_of_rows([c.codes for c in columns], [c.domain.size for c in columns])
    sizes = np.bincount(of_records)
    same = len(of_people) == len(table) and np.array_equal(np.bincount(of_people), sizes)
    if not same:
        raise InputError(
            "An audit is not of its release, or the original has other rows.",
            "name the audits in the order of their releases, and the table they were made from.",
        )
    return Followed("classes", seen.table, of_records, of_people)
