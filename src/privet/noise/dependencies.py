"""Columns that determine one another, and groups of columns drawn together as one category.

Noise on a column is undone by another column that determines it: `education_num` gives away
`education`. Columns that determine each other are therefore drawn together; where only one side
does, a warning says so.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt

from privet.engine.combinations import Combinations
from privet.errors import UsageError
from privet.files.on_disk import Pieces
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table, code_type, stretches, stretches_of

_SAMPLE = 5000  # rows on which most pairs fail at once
_REPEATS = 4  # records that a determining value must have on average: fewer prove nothing
MOST_TOGETHER = 1000  # values of columns that are drawn together


@dataclass(frozen=True)
class Dependency:
    """Each value of `given` goes with one value of `found`; `mutual` if the reverse holds too."""

    given: str
    found: str
    mutual: bool


def dependencies(table: Table, schema: Schema) -> tuple[Dependency, ...]:
    """The categories that another released column determines."""
    released = [
        c.name
        for c in schema
        if c.name in table and c.role in (Role.QUASI, Role.SENSITIVE, Role.OTHER)
    ]
    telling = [n for n in released if 1 < table[n].domain.size <= table.n_rows // _REPEATS]
    sample = table.take(np.arange(min(_SAMPLE, table.n_rows)))
    found = []
    for given in telling:
        for other in released:
            column = table[other]
            if other == given or column.domain.kind is not Kind.CATEGORY or column.domain.size < 2:
                continue
            if all(_determines(part[given], part[other]) for part in (sample, table)):
                mutual = _determines(column, table[given])
                found.append(Dependency(given, other, mutual))
    return tuple(found)


def _determines(given: Coded, found: Coded) -> bool:
    """Whether records equal in one column are equal in the other."""
    one = np.zeros(given.domain.size, dtype=found.codes.dtype)
    for codes, others in zip(stretches(given.codes), stretches(found.codes), strict=True):
        one[codes] = others  # the last record of each value; all must agree with it
    both = zip(stretches(given.codes), stretches(found.codes), strict=True)
    return all(bool((one[codes] == others).all()) for codes, others in both)


def groups_of(found: Sequence[Dependency], table: Table) -> tuple[tuple[str, ...], ...]:
    """The columns that determine each other, in the order of the table."""
    group_of: dict[str, set[str]] = {}
    for dependency in found:
        if dependency.mutual and table[dependency.given].domain.size <= MOST_TOGETHER:
            joined = group_of.get(dependency.given, {dependency.given})
            joined |= group_of.get(dependency.found, {dependency.found})
            group_of |= dict.fromkeys(joined, joined)
    distinct = {tuple(n for n in table if n in group) for group in group_of.values()}
    return tuple(sorted(distinct))


def warnings_of(
    found: Sequence[Dependency], groups: Sequence[tuple[str, ...]], drawn: Sequence[str]
) -> tuple[str, ...]:
    """What to say about dependencies that are not drawn together."""
    together = [set(group) for group in groups]
    messages = []
    for d in found:
        if d.found in drawn and not any({d.given, d.found} <= group for group in together):
            messages.append(
                f"Column '{d.given}' determines '{d.found}': noise on '{d.found}' alone can be "
                f"undone. Draw the two together, or drop one."
            )
    return tuple(messages)


@dataclass(frozen=True, eq=False)
class Together:
    """Columns drawn as one: each of their combinations that occurs is a category."""

    columns: tuple[str, ...]
    combinations: npt.NDArray[np.int64] = field(repr=False)  # a row of codes for each category
    domains: tuple[Domain, ...]
    domain: Domain  # of the categories

    @property
    def name(self) -> str:
        return self.columns[0] if len(self.columns) == 1 else " + ".join(self.columns)

    @classmethod
    def of(cls, columns: Sequence[str], table: Table) -> "Together":
        domains = tuple(table[name].domain for name in columns)
        if len(columns) == 1:
            codes = np.arange(domains[0].size, dtype=np.int64)[:, None]
            return cls(tuple(columns), codes, domains, domains[0])
        if prod(d.size for d in domains) >= 1 << 62:
            raise _too_many(columns, "too many")
        occurring = Combinations([d.size for d in domains])
        for part in stretches_of(table.select(columns)):
            occurring.add([part[name].codes for name in columns])
        codes = occurring.keys
        if len(codes) > MOST_TOGETHER:
            raise _too_many(columns, str(len(codes)))
        labels = [
            json.dumps([d.texts[c] for d, c in zip(domains, row, strict=True)], ensure_ascii=False)
            for row in codes.tolist()
        ]
        order = sorted(range(len(labels)), key=labels.__getitem__)
        values = np.array([labels[i] for i in order], dtype=object)
        return cls(tuple(columns), codes[order], domains, Domain(Kind.CATEGORY, values))

    def coded(self, table: Table) -> Coded:
        """The category of each row of the table that it was made of; it lies where tables do."""
        own = (self.codes_of(part) for part in stretches_of(table.select(self.columns)))
        codes = Pieces().joined(own, code_type(self.domain.size), table.n_rows)
        return Coded(self.domain, codes)

    def codes_of(self, table: Table) -> npt.NDArray[np.int64]:
        """For each row of any table its category, -1 for one that was never seen."""
        if len(self.columns) == 1 and table[self.columns[0]].domain == self.domain:
            return table[self.columns[0]].codes.astype(np.int64)
        columns = [
            table[n].domain.places_in(d)[table[n].codes]
            for n, d in zip(self.columns, self.domains, strict=True)
        ]
        sizes = [d.size for d in self.domains]
        known = np.asarray(np.ravel_multi_index(tuple(self.combinations.T), sizes))
        order = np.argsort(known)
        keys = np.zeros(table.n_rows, dtype=np.int64)
        seen = np.ones(table.n_rows, dtype=bool)
        for codes, size in zip(columns, sizes, strict=True):
            keys = keys * size + np.maximum(codes, 0)
            seen &= codes >= 0
        place = np.minimum(np.searchsorted(known[order], keys), len(known) - 1)
        found = np.asarray(order[place])
        return np.where(seen & (known[found] == keys), found, -1)


def _too_many(columns: Sequence[str], number: str) -> UsageError:
    return UsageError(
        f"{' and '.join(columns)} have {number} combinations; at most {MOST_TOGETHER} can be drawn "
        "together.",
        "draw fewer columns together, or drop one.",
    )
