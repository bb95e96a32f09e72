"""A whole table assessed at once: its k, its l and t for each sensitive column, and who is exposed.

The criteria themselves are next door; here each is given the counts that it reads, and records
that break more than one of them are counted once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from privet.criteria.k_anonymity import KAnonymity, measure_k
from privet.criteria.l_diversity import LDiversity, measure_l
from privet.criteria.people import counts_no_people, judge_people, measure_people
from privet.criteria.t_closeness import TCloseness, measure_t
from privet.criteria.verdict import Criterion, Figure, Verdict, plain
from privet.engine import Counts, Engine
from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.shown import html_table


@dataclass(frozen=True)
class Finding:
    """The verdict on one criterion that was asked for, and the sensitive column it is about."""

    column: str | None  # None: k-anonymity is about quasi-identifiers alone
    verdict: Verdict


@dataclass(frozen=True)
class Assessment:
    """Plain figures of a table. `holds` is true if nothing was asked for or everything holds."""

    records: int
    equivalence_classes: int
    unique_records: int
    k: int
    l: Mapping[str, Mapping[str, Figure]]  # noqa: E741
    t: Mapping[str, Fraction]
    findings: tuple[Finding, ...]
    violating_records: int
    violating_classes: int
    k_people: int | None = None  # the fewest people of an equivalence class, where asked for

    def __repr__(self) -> str:
        asked = f", {'YES' if self.holds else 'NO'}" if self.findings else ""
        return f"<Assessment of {self.records:,} records: k = {self.k:,}{asked}>"

    def _repr_html_(self) -> str:
        rows = [
            ("records", f"{self.records:,}"),
            ("equivalence classes", f"{self.equivalence_classes:,}"),
            ("records alone in theirs", f"{self.unique_records:,}"),
            ("k", f"{self.k:,}"),
            *([] if self.k_people is None else [("k in people", f"{self.k_people:,}")]),
        ]
        for column, kinds in self.l.items():
            rows += [(f"l of {column}, {kind}", f"{float(x):.6g}") for kind, x in kinds.items()]
        rows += [(f"t of {column}", f"{float(x):.6g}") for column, x in self.t.items()]
        if self.findings:
            rows.append(("all that was asked for holds", "YES" if self.holds else "NO"))
        return html_table([("figure", "value"), *rows])

    @property
    def holds(self) -> bool:
        return all(finding.verdict.holds for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The assessment as JSON holds it."""
        return {
            "k": self.k,
            **({} if self.k_people is None else {"k_people": self.k_people}),
            "l": {c: {kind: plain(x) for kind, x in ls.items()} for c, ls in self.l.items()},
            "t": {column: plain(x) for column, x in self.t.items()},
            "records": self.records,
            "equivalence_classes": self.equivalence_classes,
            "unique_records": self.unique_records,
            "violating_records": self.violating_records,
            "violating_classes": self.violating_classes,
            "holds": self.holds,
        }


def assess(
    engine: Engine,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    criteria: Sequence[Criterion] = (),
    person: str | None = None,
) -> Assessment:
    """Judge a table by every criterion; l and t are judged for each sensitive column.

    The distance of t follows the kind of the column: ordered for numbers and dates, equal for
    categories. With `person`, a column that tells people apart, k counts people; l and t do not.
    """
    require_columns(engine.columns(), quasi, sensitive)
    people = None if person is None else _by_person(engine, quasi, person, criteria)
    require_sensitive(sensitive, criteria)
    by_column = {name: engine.count([*quasi, name]) for name in sensitive}
    first = next(iter(by_column.values()), None)
    classes = engine.count(quasi) if first is None else first.over(len(quasi))
    broken = np.zeros(len(classes.n), dtype=bool)
    findings = []
    for column, criterion, counts in _judgements(engine, criteria, classes, by_column):
        if people is not None and isinstance(criterion, KAnonymity):
            verdict = judge_people(criterion.k, people)
        else:
            verdict = criterion.judge(counts)
        findings.append(Finding(column, verdict))
        broken |= verdict.broken
    return Assessment(
        records=classes.records,
        equivalence_classes=len(classes.n),
        unique_records=int((classes.n == 1).sum()),
        k=measure_k(classes),
        l={name: _diversity(counts, criteria) for name, counts in by_column.items()},
        t={name: measure_t(n, _is_ordered(engine, name)) for name, n in by_column.items()},
        findings=tuple(findings),
        violating_records=int(classes.n[broken].sum()),
        violating_classes=int(broken.sum()),
        k_people=None if people is None else measure_people(people),
    )


def _by_person(
    engine: Engine, quasi: Sequence[str], person: str, criteria: Sequence[Criterion]
) -> Counts:
    """Counts by quasi-identifiers and person; refuses what does not count people."""
    if person not in engine.columns():
        raise UnknownColumn(person, engine.columns(), where=param("person"))
    if person in quasi:
        raise UsageError(
            f"Column '{person}' tells people apart and is a quasi-identifier as well.",
            "every person would be alone: leave it out of the quasi-identifiers.",
        )
    for criterion, letter in ((LDiversity, "l"), (TCloseness, "t")):
        if any(isinstance(asked, criterion) for asked in criteria):
            raise counts_no_people(letter)
    return engine.count([*quasi, person])


def require_columns(known: Sequence[str], quasi: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse unknown columns, and a column that is both quasi-identifier and sensitive."""
    for role, names in (("quasi", quasi), ("sensitive", sensitive)):
        for name in names:
            if name not in known:
                raise UnknownColumn(name, known, where=param(role))
    both = [name for name in sensitive if name in quasi]
    if both:
        raise UsageError(
            f"Column '{both[0]}' is named both as quasi-identifier and as sensitive.",
            "a sensitive value hides nobody who is known by it: name the column once.",
        )


def require_sensitive(sensitive: Sequence[str], criteria: Sequence[Criterion]) -> None:
    """Refuse l-diversity and t-closeness where no sensitive column is named."""
    for criterion, name in ((LDiversity, "l"), (TCloseness, "t")):
        if not sensitive and any(isinstance(asked, criterion) for asked in criteria):
            raise UsageError(
                f"{name} is asked for, but no sensitive column is named.",
                f"name the columns that nobody should learn: {param('sensitive', 'COLUMN')}.",
            )


def _judgements(
    engine: Engine, criteria: Sequence[Criterion], classes: Counts, by_column: Mapping[str, Counts]
) -> list[tuple[str | None, Criterion, Counts]]:
    """Each criterion with the counts that it is judged on."""
    found: list[tuple[str | None, Criterion, Counts]] = []
    for asked in criteria:
        if isinstance(asked, KAnonymity):
            if asked.k > classes.records:
                raise InvalidParameter(
                    "k",
                    f"at most the number of records ({classes.records})",
                    asked.k,
                    "no table satisfies k-anonymity with a k larger than itself.",
                )
            found.append((None, asked, classes))
            continue
        for name, counts in by_column.items():
            criterion = asked
            if isinstance(asked, TCloseness):
                criterion = replace(asked, ordered=_is_ordered(engine, name))
            found.append((name, criterion, counts))
    return found


def _diversity(counts: Counts, criteria: Sequence[Criterion]) -> dict[str, Figure]:
    """l of every kind; of the recursive one, which needs a c, only where it was asked for."""
    found = {kind: measure_l(counts, kind) for kind in ("strong", "distinct", "entropy")}
    for asked in criteria:
        if isinstance(asked, LDiversity) and asked.kind == "recursive":
            found["recursive"] = measure_l(counts, asked.kind, asked.c)
    return found


def _is_ordered(engine: Engine, column: str) -> bool:
    return engine.domain(column).kind.is_ordered
