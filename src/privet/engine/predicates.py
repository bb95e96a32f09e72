"""Conditions of regions as SQL: which codes they let through, and which region a row is in.

A set of codes is worded as ranges where it has few of them. Children of one node, who share all
conditions but the last, are told apart by the codes of one column. `sql` asks the questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from privet.engine.protocol import AnyOf, Between, Condition, Region
from privet.engine.regions import above_of, child_of_code
from privet.engine.workplace import Arrays
from privet.table import Domain

_FEW_RANGES = 8
_FEW_CHILDREN = 4


@dataclass(frozen=True, eq=False)
class Children:
    """Regions that divide part of one above them; `by` are their conditions on one column."""

    above: Region
    by: tuple[Condition, ...]
    given: Mapping[str, Arrays] = field(default_factory=dict)  # a child for each code, if many

    @classmethod
    def alone(cls, region: Region) -> "Children":
        return cls(region, ())

    @property
    def number(self) -> int:
        return len(self.by) or 1

    def number_sql(self, columns: Mapping[str, str]) -> str:
        """The number of the child that a row is in, -1 if it is in none."""
        if not self.by:
            return "0"
        if self.given:
            return "children.child"
        return _cases([worded(condition, columns) for condition in self.by])

    def join_sql(self, columns: Mapping[str, str]) -> str:
        if not self.given:
            return ""
        return f"JOIN children ON children.code = {columns[self.by[0].column]}"


def children_of(regions: Sequence[Region], domains: Mapping[str, Domain]) -> Children | None:
    """Regions as children of one node, if that is what they are and no two overlap."""
    above = above_of(regions[0])
    if above is None or any(above_of(region) != above for region in regions):
        return None
    conditions = tuple(region[-1] for region in regions)
    name = conditions[0].column
    if any(condition.column != name for condition in conditions):
        return None
    child_of = child_of_code(conditions, domains[name].size)
    if child_of is None:
        return None
    if len(conditions) <= _FEW_CHILDREN:
        return Children(above, conditions)
    codes = np.flatnonzero(child_of < len(conditions))
    child = child_of[codes].astype(np.int64)
    return Children(above, conditions, {"children": {"code": codes, "child": child}})


def within_all(region: Region, columns: Mapping[str, str]) -> str:
    """The condition that a row is in a region."""
    return " AND ".join(worded(condition, columns) for condition in region) or "TRUE"


def number_of_region(regions: Sequence[Region], columns: Mapping[str, str]) -> str:
    """The number of the region that a row is in, -1 if it is in none."""
    return _cases([within_all(region, columns) for region in regions])


def worded(condition: Condition, columns: Mapping[str, str]) -> str:
    """One condition."""
    column = columns[condition.column]
    match condition:
        case Between(low=low, high=high):
            return f"{column} BETWEEN {low} AND {high}"
        case AnyOf(codes=codes):
            return _any_of(column, sorted(codes))


def _any_of(column: str, codes: Sequence[int]) -> str:
    if not codes:
        return "FALSE"
    breaks = [i for i in range(1, len(codes)) if codes[i] != codes[i - 1] + 1]
    if len(breaks) >= _FEW_RANGES:
        return f"{column} IN ({', '.join(map(str, codes))})"
    ends = zip([0, *breaks], [*breaks, len(codes)], strict=True)
    ranges = [f"{column} BETWEEN {codes[a]} AND {codes[b - 1]}" for a, b in ends]
    return f"({' OR '.join(ranges)})"


def _cases(conditions: Sequence[str]) -> str:
    whens = " ".join(f"WHEN {words} THEN {number}" for number, words in enumerate(conditions))
    return f"CASE {whens} ELSE -1 END"
