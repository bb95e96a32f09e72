"""The SQL engine: a table of codes in a database, for tables that are larger than memory.

Values enter at one door, the readers of `privet.files`, and are codes from then on. So the database
holds whole numbers from 0 on and nothing else: no NULL, no NaN, no rounding, no text. A relation
may hold rows that are alike only once, with their number `n`; a recoded table is mostly small that
way. `workplace` keeps the database, `predicates` words the conditions of regions, `sql_tallies` the
questions of growers, `sql_answers` makes counts of what comes back.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.engine import small_regions
from privet.engine.few_rows import FewRows, Heard
from privet.engine.predicates import Children, children_of, number_of_region, within_all
from privet.engine.protocol import Between, Counts, Region, Response, RunTally, Tally
from privet.engine.relations import are_alike, create, first, table_of, type_of
from privet.engine.small_regions import SmallRegions
from privet.engine.sql_answers import counts_of, cut_between, in_runs, with_finer
from privet.engine.sql_tallies import tallied
from privet.engine.workplace import Arrays, Workplace
from privet.errors import UsageError
from privet.schema import Kind
from privet.table import Domain, Table, code_type, stretches

if TYPE_CHECKING:
    from privet.engine.sql_blocks import SqlBlocks

_NOTHING = np.zeros(0, dtype=np.int64)
_MOST_SETS = 32  # columns that one question counts side by side
_SAMPLE = 100_000  # rows by which it is judged whether many are alike
_ROWS_AT_ONCE = 1 << 20
PORTION = 1 << 18  # combinations that are held at once


class SqlEngine:
    """An engine over a relation of a `Workplace`: column i of the table is `ci`, in codes."""

    def __init__(
        self,
        place: Workplace,
        relation: str,
        domains: Mapping[str, Domain],
        counted: bool,
        part_of: "SqlEngine | None" = None,
    ) -> None:
        """`part_of`: the relation is a question about that of another engine, which must stay."""
        self.place = place
        self.relation = relation
        self._domains = dict(domains)
        self.sql = {name: f"c{number}" for number, name in enumerate(self._domains)}
        self.is_counted = counted  # whether rows alike are joined, with their number n
        size = place.ask(f"SELECT {self.records} AS n, COUNT(*) AS stored FROM {relation}")
        self._n_rows, self._n_stored = int(size["n"][0]), int(size["stored"][0])
        self._part_of = part_of
        self._small = SmallRegions(self._n_rows)
        self._few: FewRows | None = None
        self._heard = Heard()
        if part_of is None:
            weakref.finalize(self, place.forget, relation)

    @classmethod
    def holding(cls, table: Table, place: Workplace, counts: Integers | None = None) -> "SqlEngine":
        """An engine that holds a table, copied stretch by stretch; with `counts`, row i is there
        counts[i] times."""
        relation = place.new_name()
        domains = {name: table[name].domain for name in table}
        columns = [f"c{number}" for number in range(len(domains))]
        parts = zip(*(stretches(table[name].codes, _ROWS_AT_ONCE) for name in table), strict=True)
        create(place, relation, domains.values())
        is_alike = counts is not None
        for number, part in enumerate(parts):
            start = number * _ROWS_AT_ONCE
            place.tell(f"{start:,} of {len(table):,} rows on disk")
            given = dict(zip(columns, part, strict=True))
            if counts is not None:
                given["n"] = counts[start : start + _ROWS_AT_ONCE]
            elif number == 0:
                is_alike = are_alike(place, "part", columns, part=given)
            n = "1" if counts is None else "n"
            n, by = (f"SUM({n})", "GROUP BY ALL") if is_alike else (n, "")
            listed = ", ".join([*columns, f"{n} AS n"])
            place.do(f"INSERT INTO {relation} SELECT {listed} FROM part {by}", part=given)
        place.tell()
        return cls(place, relation, domains, is_alike)

    @property
    def records(self) -> str:
        """How many records some rows of the relation are; 0 where there are none."""
        return "CAST(COALESCE(SUM(n), 0) AS BIGINT)" if self.is_counted else "COUNT(*)"

    def columns(self) -> tuple[str, ...]:
        return tuple(self._domains)

    def n_rows(self) -> int:
        return self._n_rows

    def domain(self, column: str) -> Domain:
        return self._domains[column]

    def table(self) -> Table:
        raise UsageError(
            "This needs every row in memory, and the table is counted on disk.",
            "leave it out, or count the table in memory.",
        )

    # -- counting --------------------------------------------------------------------------------

    def count(self, by: Sequence[str], within: Region = ()) -> Counts:
        if (few := self._few_rows()) is not None:
            return few.count(by, within)
        known = self._heard.count(by, within)
        return self._heard.keep(self._counted(by, within), within) if known is None else known

    def _counted(self, by: Sequence[str], within: Region) -> Counts:
        keys = [f"{self.sql[name]} AS k{place}" for place, name in enumerate(by)]
        listed = ", ".join([*keys, f"{self.records} AS n"])
        grouped = f"GROUP BY {first(len(by))} ORDER BY {first(len(by))}" if by else ""
        found = self.place.ask(
            f"SELECT {listed} FROM {self.relation} WHERE {self._where(within)} {grouped}"
        )
        return counts_of(by, found) if by or found["n"][0] else counts_of(by, {"n": _NOTHING})

    def portions(self, by: Sequence[str], whole: int) -> Iterator[Counts]:
        """The counts in order, a bearable number at a time; see `Engine.portions`."""
        if not by or not self._n_rows or self._few_rows() is not None:
            yield self.count(by)
            return
        relation = self.place.new_name()
        keys = ", ".join(f"{self.sql[name]} AS k{place}" for place, name in enumerate(by))
        self.place.create_in_order(
            relation,
            f"SELECT {keys}, {self.records} AS n FROM {self.relation} GROUP BY {first(len(by))}",
            ", ".join(f"k{place}" for place in range(len(by))),
        )
        try:
            yield from cut_between(self._numbered(relation, by), whole)
        finally:
            self.place.forget(relation)

    def _numbered(self, relation: str, by: Sequence[str]) -> Iterator[Counts]:
        """The rows of a relation along its numbers."""
        start, rows, number = 0, PORTION, self.place.row_number
        while rows == PORTION:
            found = self.place.ask(
                f"SELECT * FROM {relation} WHERE {number} BETWEEN {start} AND "
                f"{start + PORTION - 1} ORDER BY {number}"
            )
            rows = len(found["n"])
            start += rows
            if rows:
                yield counts_of(by, found)

    def tally(
        self,
        columns: Sequence[str],
        regions: Sequence[Region],
        target: str | Response,
        beside: Sequence[Region] = (),
        lengths: Mapping[str, int] = MappingProxyType({}),
    ) -> list[dict[str, Tally]]:
        """As `CountSource.tally`; of columns in `lengths` runs of so many codes are counted."""
        near = self._small.tally(self._rows_of, columns, regions, target, beside)
        if near is not None:
            return near
        if (few := self._few_rows()) is not None:
            return few.tally(columns, regions, target)
        known = None if lengths else self._heard.tally(columns, regions, target)
        if known is not None:
            return known
        together = children_of(regions, self._domains)
        parts = [together] if together else [Children.alone(region) for region in regions]
        answers: list[dict[str, Tally]] = []
        for part in parts:
            found: list[dict[str, Tally]] = [{} for _ in range(part.number)]
            for start in range(0, len(columns), _MOST_SETS):
                some = columns[start : start + _MOST_SETS]
                more = tallied(self, some, part, target, lengths)
                for answer, its_own in zip(found, more, strict=True):
                    answer.update(its_own)
            answers += found
        for region, tallies in zip(regions, answers, strict=True):
            self._small.learn(region, tallies, target)
        if not lengths:
            self._heard.keep_tally(answers, columns, regions, target)
        return [in_runs(answer, lengths) for answer in answers]

    def _few_rows(self) -> FewRows | None:
        """All rows of the relation, if they are few."""
        if self._few is None and self._n_stored <= small_regions.FEW:
            self._few = self._fetched(())
        return self._few

    def _rows_of(self, region: Region) -> Table:
        """The records of a region."""
        few = None if region else self._few_rows()
        return (few or self._fetched(region)).whole()

    def _fetched(self, region: Region) -> FewRows:
        listed = ", ".join([*self.sql.values(), "n"])
        found = self.place.ask(f"SELECT {listed} FROM {self.relation} WHERE {self._where(region)}")
        return FewRows(table_of(self._domains, self.sql, found), found["n"])

    def finer(
        self,
        column: str,
        region: Region,
        target: str | Response,
        known: RunTally,
        those: Booleans,
        length: int,
    ) -> RunTally:
        """Those of the known runs, which are equally long, counted in shorter ones of `length`
        codes, which divides theirs; the others as they are."""
        whole = int(known.lengths[those][0])
        runs = known.codes[those] // whole
        ends = Between(column, int(runs[0]) * whole, (int(runs[-1]) + 1) * whole - 1)
        here = Children.alone((*region, ends))
        (found,) = tallied(self, [column], here, target, {column: length}, (whole, runs))
        return with_finer(known, those, found[column], length)

    def _where(self, region: Region) -> str:
        return within_all(region, self.sql)

    def spread(self, column: str, regions: Sequence[Region]) -> Integers:
        """How many records of each region, which do not overlap, have each value of a column."""
        counts = np.zeros((len(regions), self._domains[column].size), dtype=np.int64)
        if (few := self._few_rows()) is not None:
            for place, region in enumerate(regions):
                here = few.count([column], region)
                counts[place, here.keys[:, 0]] = here.n
            return counts
        number = number_of_region(regions, self.sql)
        found = self.place.ask(
            f"SELECT {number} AS region, {self.sql[column]} AS code, {self.records} AS n "
            f"FROM {self.relation} GROUP BY 1, 2"
        )
        inside = found["region"] >= 0
        counts[found["region"][inside], found["code"][inside]] = found["n"][inside]
        return counts

    def folds(self, order: Sequence[str], number: int) -> "Iterator[tuple[SqlEngine, SqlEngine]]":
        """The records dealt in turn along their order by all columns, `order` first: for each fold
        the others, and its own."""
        rest = [name for name in self._domains if name not in order]
        by = ", ".join(self.sql[name] for name in (*order, *rest))
        columns = ", ".join(self.sql.values())
        start = (
            f"SUM(n) OVER (ORDER BY {by} ROWS UNBOUNDED PRECEDING) - n" if self.is_counted else "0"
        )
        made = self.place.new_name()
        self.place.create_in_order(
            made, f"SELECT {columns}, n, CAST({start} AS BIGINT) AS start FROM {self.relation}", by
        )
        whole = SqlEngine(self.place, made, self._domains, self.is_counted)
        for fold in range(number):
            own = f"CASE WHEN {self.place.row_number} % {number} = {fold} THEN 1 ELSE 0 END"
            if self.is_counted:  # how many of the places from start to start + n - 1 are the fold's
                shift = number - 1 - fold
                own = f"(start + n + {shift}) // {number} - (start + {shift}) // {number}"
            dealt = f"(SELECT {columns}, {own} AS own, n FROM {made})"
            parts = [
                f"(SELECT {columns}, {n} AS n FROM {dealt} WHERE {n} > 0)"
                for n in ("n - own", "own")
            ]
            others, mine = (
                SqlEngine(self.place, part, self._domains, self.is_counted, whole) for part in parts
            )
            yield others, mine

    # -- recoding --------------------------------------------------------------------------------

    def recode(
        self,
        edits: Mapping[str, tuple[npt.NDArray[Any], Domain]],
        regions: Sequence[Region] | None = None,
    ) -> "SqlEngine":
        domains = {name: self._domains[name] for name in self._domains}
        chosen = dict(self.sql)
        relation, given = self.relation, dict[str, Arrays]()
        if regions is not None:
            number = number_of_region(regions, self.sql)
            relation = f"(SELECT *, {number} AS region FROM {relation})"
        for name, (new_of_old, domain) in edits.items():
            domains[name] = domain
            new = np.asarray(new_of_old).astype(code_type(domain.size))
            own, column = f"m{len(given)}", self.sql[name]
            if (new == new.flat[0]).all():
                chosen[name] = str(new.flat[0])
                continue
            given[own] = {"new": new.ravel(), "old": np.arange(new.size, dtype=np.int64)}
            size = self._domains[name].size
            place = column if regions is None else f"region * {size} + {column}"
            relation += f" JOIN {own} ON {own}.old = {place}"
            chosen[name] = f"{own}.new"
        return self.chosen(domains, chosen, relation, given)

    def chosen(
        self,
        domains: Mapping[str, Domain],
        chosen: Mapping[str, str],
        relation: str,
        given: Mapping[str, Arrays],
        joins_alike: bool = True,
    ) -> "SqlEngine":
        """A table of what is chosen from a relation, which has the rows of this one and whatever
        is joined to them; rows alike are joined if they are many, unless no new ones can be."""
        listed = ", ".join(
            f"CAST({chosen[name]} AS {type_of(domain)}) AS c{number}"
            for number, (name, domain) in enumerate(domains.items())
        )
        columns = [f"c{number}" for number in range(len(domains))]
        is_alike = self.is_counted
        if joins_alike and not is_alike:
            some = f"(SELECT {listed} FROM {relation} LIMIT {_SAMPLE})"
            is_alike = are_alike(self.place, some, columns, **given)
        made = self.place.new_name()
        grouped = joins_alike and is_alike
        n = f"{self.records} AS n" if grouped else "n"
        by = f"GROUP BY {first(len(columns))}" if grouped and columns else ""
        self.place.do(f"CREATE TABLE {made} AS SELECT {listed}, {n} FROM {relation} {by}", **given)
        return SqlEngine(self.place, made, domains, is_alike)

    def part(self, region: Region) -> "SqlEngine":
        here = f"(SELECT * FROM {self.relation} WHERE {self._where(region)})"
        return SqlEngine(self.place, here, self._domains, self.is_counted, self)

    def numbered(self, name: str, regions: Sequence[Region]) -> "SqlEngine":
        """The same table with a column more: the number of the region that a record is in. Regions
        must divide the table."""
        domains = {**self._domains, name: Domain(Kind.INTEGER, np.arange(len(regions)))}
        chosen = {**self.sql, name: number_of_region(regions, self.sql)}
        return self.chosen(domains, chosen, self.relation, {}, joins_alike=False)

    def blocks(self, regions: Sequence[Region]) -> "SqlBlocks":
        from privet.engine.sql_blocks import SqlBlocks  # which makes engines

        return SqlBlocks.dealt(self, number_of_region(regions, self.sql), len(regions))
