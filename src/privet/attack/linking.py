"""Linking: which released records and which outside people nothing known tells apart.

An outside person and a released record *agree* if no known column contradicts:

- a column released as it is must have the same value;
- a column recoded by a map (generalised, or coded by leaf) must have the value that `privet recode`
  gives the person; a category that the release never names agrees with nothing;
- if all columns that the tree asks are known, both must be in the same leaf;
- an aggregated or suppressed column contradicts nobody: its cells need not be true.

Agreeing is an equivalence, so people and records fall into *groups*. `linkage`, `membership` and
`intersection` next door count in them.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.arrays import Booleans, Integers
from privet.attack.seen import Seen
from privet.engine.grouping import numbers_of_rows
from privet.errors import UsageError, either
from privet.files import as_table, names_in
from privet.release import Release
from privet.release.new_rows import (
    InLeaves,
    drawn_at_random,
    groups_of,
    never_seen,
    recode_column,
    refuse_other_kind,
)
from privet.release.recoded import entry_of
from privet.table import Coded, Table


@dataclass(frozen=True, eq=False)
class Linked:
    """Groups by number: that of each released record, that of each outside person."""

    columns: tuple[str, ...]  # compared
    by_leaf: bool  # whether leaves were compared as well
    of_records: Integers
    of_people: Integers

    @property
    def records(self) -> Integers:
        """The released records of each group."""
        return np.bincount(self.of_records, minlength=self._size)

    @property
    def people(self) -> Integers:
        """The outside people of each group."""
        return np.bincount(self.of_people, minlength=self._size)

    @property
    def _size(self) -> int:
        both = (self.of_records, self.of_people)
        return max((int(numbers.max()) + 1 for numbers in both if len(numbers)), default=0)


def outside_table(given: Any, seen: Seen, missing: Sequence[str] = (), kinds: Any = None) -> Table:
    """A table of people from outside, its columns of the kinds that the release has."""
    if isinstance(given, Table):
        return given
    given = Path(given) if isinstance(given, str | os.PathLike) else given
    in_table = set(names_in(given))
    known = {name: seen.table[name].domain.kind for name in seen.table if name in in_table}
    return as_table(given, kinds={**known, **(kinds or {})}, missing=missing)


def linked(seen: Seen, outside: Table) -> Linked:
    """The groups of the known columns that the outside table has."""
    known = [name for name in seen.known if name in outside]
    if not known:
        raise UsageError(
            "The outside table has none of the columns that the attacker knows.",
            f"name columns that both have: {either('known', '--known')}.",
        )
    trees = () if seen.release is None else seen.release.trees
    asked = {name for tree in trees for name in tree.attributes_used}
    by_leaf = bool(trees) and asked <= set(known)
    compared = list(_compared(seen, outside, known, by_leaf))
    everybody = np.zeros(len(seen.table) + len(outside), dtype=np.int64)
    codes, sizes = [everybody], [1]
    impossible = np.zeros(len(outside), dtype=bool)
    for _, released, new, never in compared:
        domain = released.domain.union(new.domain)
        codes.append(np.concatenate([coded.into(domain).codes for coded in (released, new)]))
        sizes.append(domain.size)
        impossible |= never
    if by_leaf and seen.release is not None:
        groups, number = _leaves(seen.release, outside)
        of_people_by_tree = np.array(groups, dtype=np.int64).reshape(-1, len(trees))[number]
        for place, tree in enumerate(trees):
            leaves = [tree.leaf_of_rows(seen.table), of_people_by_tree[:, place]]
            codes.append(np.concatenate(leaves))
            sizes.append(len(tree.nodes))
    numbers = numbers_of_rows(codes, sizes)
    of_records, of_people = numbers[: len(seen.table)], numbers[len(seen.table) :]
    of_people = np.where(impossible, int(numbers.max(initial=0)) + 1, of_people)  # of no record
    return Linked(tuple(name for name, *_ in compared), by_leaf, of_records, of_people)


def _leaves(release: Release, outside: Table) -> InLeaves:
    return groups_of(outside, release.manifest, release.trees)


def _compared(
    seen: Seen, outside: Table, known: Sequence[str], by_leaf: bool
) -> Iterator[tuple[str, Coded, Coded, Booleans]]:
    """Each column that can contradict: as released, as outside people would have it there, and
    whose value cannot be there at all."""
    nobody = np.zeros(len(outside), dtype=bool)
    release = seen.release
    if release is None:
        for name in known:
            refuse_other_kind(name, outside[name].domain.kind, seen.table[name].domain.kind)
            yield name, seen.table[name], outside[name], nobody
        return
    manifest = release.manifest
    if drawn_at_random(manifest):
        raise UsageError(
            "This release draws at random, so that nobody can be linked for certain.",
            "`privet attack` has other attacks for it; give a release that recodes.",
        )
    leaves = _leaves(release, outside) if by_leaf else groups_of(outside, manifest, ())
    for name in known:
        entry = entry_of(manifest.recoding, name)
        treatment = entry.get("treatment", "kept")
        coded_by_leaf = "by_leaf" in entry
        unsure = coded_by_leaf and (not by_leaf or entry.get("given_back") is not None)
        if treatment in ("suppressed", "aggregated") or unsure:
            continue
        column = manifest.schema[name]
        refuse_other_kind(name, outside[name].domain.kind, column.kind)
        new = recode_column(outside[name], column, manifest, leaves)
        yield name, seen.table[name], new, never_seen(outside[name], column, manifest)
