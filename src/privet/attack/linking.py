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
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.attack.seen import Seen
from privet.engine.grouping import added_up, numbers_of_rows
from privet.errors import UsageError, either
from privet.files import as_table, names_in
from privet.files.on_disk import Pieces
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
from privet.schema import Kind
from privet.table import Coded, Domain, Table, Value, code_type, stretches, stretches_of
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class Linked:
    """Groups by number: that of each released row, that of each outside person."""

    columns: tuple[str, ...]  # compared
    by_leaf: bool  # whether leaves were compared as well
    counts: Integers  # the records of each released row
    of_rows: Integers
    of_people: npt.NDArray[Any]  # on disk, where the people are
    size: int  # how many groups there are

    @property
    def records(self) -> Integers:
        """The released records of each group."""
        return added_up(self.of_rows, self.counts, self.size)

    @property
    def people(self) -> Integers:
        """The outside people of each group."""
        found = np.zeros(self.size, dtype=np.int64)
        for numbers in stretches(self.of_people):
            found += np.bincount(numbers, minlength=self.size)
        return found


class _Groups:
    """Groups, numbered as they come: rows that show the same values are of one group."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...] | None, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, length: int, columns: Sequence[Coded], never: Booleans | None = None) -> Integers:
        """The group of each of some rows; those whose value can `never` be there are of one."""
        everybody = np.zeros(length, dtype=np.int64)
        sizes = [1, *(column.domain.size for column in columns)]
        here = numbers_of_rows([everybody, *(column.codes for column in columns)], sizes)
        _, first = np.unique(here, return_index=True)
        shown = [_values(column, first) for column in columns]
        keys = list(zip(*shown, strict=True)) if shown else [()] * len(first)
        numbers = np.array([self._number(key) for key in keys], dtype=np.int64)
        found = numbers[here] if length else here
        if never is not None and never.any():
            found = np.where(never, self._number(None), found)
        return found

    def _number(self, key: tuple[Any, ...] | None) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _values(column: Coded, rows: Integers) -> list[Value]:
    """The values of some rows."""
    codes = column.codes[rows].tolist()
    known = {code: column.domain.value(code) for code in set(codes)}
    return [known[code] for code in codes]


def outside_table(given: Any, seen: Seen, missing: Sequence[str] = (), kinds: Any = None) -> Table:
    """A table of people from outside, its columns of the kinds that the release has."""
    if isinstance(given, Table):
        return given
    given = Path(given) if isinstance(given, str | os.PathLike) else given
    in_table = set(names_in(given))
    known = {name: seen.rows[name].domain.kind for name in seen.rows if name in in_table}
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
    groups, pieces = _Groups(), Pieces()
    released = [seen.rows[name] for name in _comparable(seen, known, by_leaf)]
    if by_leaf:
        released += [_leaf(tree, tree.leaf_of_rows(seen.rows)) for tree in trees]
    of_rows = groups.of(len(seen.rows), released)
    for part in stretches_of(outside):
        pieces.append(_of_people(groups, seen, part, known, by_leaf).astype(np.uint32))
    of_people = pieces.joined(pieces.taken(), np.uint32, len(outside))
    names = tuple(_comparable(seen, known, by_leaf))
    return Linked(names, by_leaf, seen.counts, of_rows, of_people, len(groups))


def _of_people(
    groups: _Groups, seen: Seen, people: Table, known: Sequence[str], by_leaf: bool
) -> Integers:
    """The groups of some people from outside, as they would be released."""
    columns, never = [], np.zeros(len(people), dtype=bool)
    for new, impossible in _compared(seen, people, known, by_leaf):
        columns.append(new)
        never |= impossible
    if by_leaf and seen.release is not None:
        trees = seen.release.trees
        found, number = _leaves(seen.release, people)
        of_tree = np.array(found, dtype=np.int64).reshape(-1, len(trees))[number]
        columns += [_leaf(tree, of_tree[:, place]) for place, tree in enumerate(trees)]
    return groups.of(len(people), columns, never)


def _leaf(tree: Tree, leaves: Integers) -> Coded:
    """The leaves of some rows as a column."""
    domain = Domain(Kind.INTEGER, np.arange(len(tree.nodes)))
    return Coded(domain, leaves.astype(code_type(domain.size)))


def _leaves(release: Release, outside: Table) -> InLeaves:
    return groups_of(outside, release.manifest, release.trees)


def _comparable(seen: Seen, known: Sequence[str], by_leaf: bool) -> list[str]:
    """The columns that can contradict."""
    if seen.release is None:
        return list(known)
    manifest = seen.release.manifest
    if drawn_at_random(manifest):
        raise UsageError(
            "This release draws at random, so that nobody can be linked for certain.",
            "`privet attack` has other attacks for it; give a release that recodes.",
        )
    found = []
    for name in known:
        entry = entry_of(manifest.recoding, name)
        unsure = "by_leaf" in entry and (not by_leaf or entry.get("given_back") is not None)
        if entry.get("treatment", "kept") not in ("suppressed", "aggregated") and not unsure:
            found.append(name)
    return found


def _compared(
    seen: Seen, people: Table, known: Sequence[str], by_leaf: bool
) -> Iterator[tuple[Coded, Booleans]]:
    """Each column that can contradict as people from outside would have it in the release, and
    whose value cannot be there at all."""
    names, release = _comparable(seen, known, by_leaf), seen.release
    if release is None:
        for name in names:
            refuse_other_kind(name, people[name].domain.kind, seen.rows[name].domain.kind)
            yield people[name], np.zeros(len(people), dtype=bool)
        return
    manifest = release.manifest
    leaves = _leaves(release, people) if by_leaf else groups_of(people, manifest, ())
    for name in names:
        column = manifest.schema[name]
        refuse_other_kind(name, people[name].domain.kind, column.kind)
        new = recode_column(people[name], column, manifest, leaves)
        yield new, never_seen(people[name], column, manifest)
