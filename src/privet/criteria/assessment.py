"""A whole table assessed at once: its k, its l and t for each sensitive column, and who is exposed.

The criteria themselves are next door; here each is given the counts that it reads, and records
that break more than one of them are counted once. An engine may give the equivalence classes in
portions: what is found of each is then put together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.criteria.k_anonymity import KAnonymity, measure_k
from privet.criteria.l_diversity import LDiversity, measure_l
from privet.criteria.people import (
    KINDS_OF_PEOPLE,
    Presence,
    judge_of_people,
    judge_people,
    measure_people,
    require_kind_of_people,
)
from privet.criteria.t_closeness import TCloseness, measure_t, totals_of
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
    t: Mapping[str, Figure]
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
    categories. With `person`, a column that tells people apart, k, l and t are of people.
    """
    require_columns(engine.columns(), quasi, sensitive)
    if person is not None:
        _require_person(engine, quasi, person, criteria)
    require_sensitive(sensitive, criteria)
    _require_enough(engine, criteria)
    asked = _Asked(engine, tuple(quasi), tuple(sensitive), tuple(criteria), person)
    return _of_all([asked.assessed(portion) for portion in asked.portions()])


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of a table, whose equivalence classes may come in portions."""

    engine: Engine
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    person: str | None

    def portions(self) -> Iterator[dict[str, Counts]]:
        """Counts by quasi-identifiers and one further column each, of the same classes; under ""
        those of the classes alone, if there is no sensitive column."""
        beside = [*self.sensitive, *([] if self.person is None else [self.person])]
        whole = len(self.quasi)
        streams = {name: self.engine.portions([*self.quasi, name], whole) for name in beside}
        if self.person is not None:
            for name in self.sensitive:
                both = [*self.quasi, name, self.person]
                streams[self._of_people(name)] = self.engine.portions(both, whole)
        if not self.sensitive:
            streams[""] = self.engine.portions(self.quasi, whole)
        return in_step(streams, whole)

    def _of_people(self, name: str) -> str:
        """Where counts by a sensitive column and by people are kept."""
        return f"{name}\0{self.person}"

    @cached_property
    def _whole(self) -> dict[str, Presence]:
        """The people of the whole table by sensitive value."""
        counted = {n: self.engine.count([n, str(self.person)]) for n in self.sensitive}
        return {name: Presence.of(counts) for name, counts in counted.items()}

    @cached_property
    def totals(self) -> dict[str, Integers]:
        """The records of the whole table by sensitive value."""
        return {name: totals_of(self.engine.count([name])) for name in self.sensitive}

    def assessed(self, portion: Mapping[str, Counts]) -> Assessment:
        by_column = {name: portion[name] for name in self.sensitive}
        first = next(iter(by_column.values()), None)
        classes = portion[""] if first is None else first.over(len(self.quasi))
        people = None if self.person is None else portion[self.person]
        broken = np.zeros(len(classes.n), dtype=bool)
        findings = []
        for column, criterion in self._judgements():
            if column is not None and isinstance(criterion, LDiversity | TCloseness) and people:
                counts = portion[self._of_people(column)]
                verdict = judge_of_people(criterion, counts, self._whole[column])
            elif column is not None:
                verdict = criterion.judge(by_column[column], self.totals[column])
            elif people is not None and isinstance(criterion, KAnonymity):
                verdict = judge_people(criterion.k, people)
            else:
                verdict = criterion.judge(classes)
            findings.append(Finding(column, verdict))
            broken |= verdict.broken
        return Assessment(
            records=classes.records,
            equivalence_classes=len(classes.n),
            unique_records=int((classes.n == 1).sum()),
            k=measure_k(classes),
            l={name: self._diversity(name, portion) for name in self.sensitive},
            t={name: self._closeness(name, portion) for name in self.sensitive},
            findings=tuple(findings),
            violating_records=int(classes.n[broken].sum()),
            violating_classes=int(broken.sum()),
            k_people=None if people is None else measure_people(people),
        )

    def _diversity(self, name: str, portion: Mapping[str, Counts]) -> dict[str, Figure]:
        """l of every kind; of people, only those that are of people."""
        if self.person is None:
            return _diversity(portion[name], self.criteria)
        counts = portion[self._of_people(name)]
        kinds = (LDiversity(1, kind) for kind in KINDS_OF_PEOPLE)
        return {one.kind: judge_of_people(one, counts).worst for one in kinds}

    def _closeness(self, name: str, portion: Mapping[str, Counts]) -> Figure:
        ordered = _is_ordered(self.engine, name)
        if self.person is None:
            return measure_t(portion[name], ordered, self.totals[name])
        counts = portion[self._of_people(name)]
        return judge_of_people(TCloseness(1, ordered), counts, self._whole[name]).worst

    def _judgements(self) -> Iterator[tuple[str | None, Criterion]]:
        """Each criterion with the sensitive column that it is about."""
        for asked in self.criteria:
            if isinstance(asked, KAnonymity):
                yield None, asked
                continue
            for name in self.sensitive:
                criterion = asked
                if isinstance(asked, TCloseness):
                    criterion = replace(asked, ordered=_is_ordered(self.engine, name))
                yield name, criterion


def _of_all(parts: Sequence[Assessment]) -> Assessment:
    """The assessment of a table from those of its portions."""
    if len(parts) == 1:
        return parts[0]
    figures = [part.l for part in parts]
    added = ("records", "equivalence_classes", "unique_records")
    broken = ("violating_records", "violating_classes")
    sums = {name: sum(getattr(part, name) for part in parts) for name in (*added, *broken)}
    return Assessment(
        **sums,
        k=min(part.k for part in parts),
        l={name: _least([kinds[name] for kinds in figures]) for name in parts[0].l},
        t={name: max(part.t[name] for part in parts) for name in parts[0].t},
        findings=tuple(
            Finding(same[0].column, Verdict.on_all([finding.verdict for finding in same]))
            for same in zip(*(part.findings for part in parts), strict=True)
        ),
        k_people=_least([{"people": part.k_people} for part in parts])["people"],
    )


def _least(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The smallest figure under each name; None where there is none in any."""
    return {
        name: None if one is None else min(each[name] for each in figures)
        for name, one in figures[0].items()
    }


def in_step(streams: Mapping[str, Iterator[Counts]], whole: int) -> Iterator[dict[str, Counts]]:
    """Portions of several counts, cut so that all are of the same combinations of the first
    `whole` columns."""
    held = {name: next(stream, None) for name, stream in streams.items()}
    while all(counts is not None for counts in held.values()):
        portion = {name: counts for name, counts in held.items() if counts is not None}
        starts = {name: counts.runs(whole) for name, counts in portion.items()}
        least = min(map(len, starts.values()))
        for name, counts in portion.items():
            own = starts[name]
            end = int(own[least]) if least < len(own) else len(counts.n)
            portion[name], left = counts.part(0, end), counts.part(end)
            held[name] = left if len(left.n) else next(streams[name], None)
        yield portion


def _require_person(
    engine: Engine, quasi: Sequence[str], person: str, criteria: Sequence[Criterion]
) -> None:
    """Refuse what does not count people."""
    if person not in engine.columns():
        raise UnknownColumn(person, engine.columns(), where=param("person"))
    if person in quasi:
        raise UsageError(
            f"Column '{person}' tells people apart and is a quasi-identifier as well.",
            "every person would be alone: leave it out of the quasi-identifiers.",
        )
    for asked in criteria:
        if isinstance(asked, LDiversity):
            require_kind_of_people(asked.kind)


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


def _require_enough(engine: Engine, criteria: Sequence[Criterion]) -> None:
    """Refuse a k that no table of so few records can have."""
    for asked in criteria:
        if isinstance(asked, KAnonymity) and asked.k > engine.n_rows():
            raise InvalidParameter(
                "k",
                f"at most the number of records ({engine.n_rows()})",
                asked.k,
                "no table satisfies k-anonymity with a k larger than itself.",
            )


def _diversity(counts: Counts, criteria: Sequence[Criterion]) -> dict[str, Figure]:
    """l of every kind; of the recursive one, which needs a c, only where it was asked for."""
    found = {kind: measure_l(counts, kind) for kind in ("strong", "distinct", "entropy")}
    for asked in criteria:
        if isinstance(asked, LDiversity) and asked.kind == "recursive":
            found["recursive"] = measure_l(counts, asked.kind, asked.c)
    return found


def _is_ordered(engine: Engine, column: str) -> bool:
    return engine.domain(column).kind.is_ordered
