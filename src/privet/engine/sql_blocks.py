"""Blocks of a table in a database: the number of its block is one column more of each row.

So blocks are counted like any other column. Large ones are cut inside the database. Those of fewer
than `SMALL` records are fetched, a batch of whole blocks at a time, cut in memory and put back; of
other counts no more than one column's are held at once. `blocks` says what a division can do.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.blocks import Cuts, Filling, Refine, portions
from privet.engine.distribution import records_of
from privet.engine.memory import COMPILE_FROM
from privet.engine.memory_blocks import MemoryBlocks
from privet.engine.protocol import AnyOf, Between, Condition, Counts, Response
from privet.engine.relations import table_of
from privet.engine.sql import SqlEngine
from privet.engine.workplace import Arrays
from privet.schema import Kind
from privet.table import Domain

SMALL = 64_000  # records of a block that is cut in memory
BATCH = 1 << 20  # records that are fetched, or counted by all values of a column, at once


class SqlBlocks:
    """A division of a table in a database. The last column of `engine` numbers the blocks."""

    def __init__(self, engine: SqlEngine, n_blocks: int) -> None:
        self._engine = engine
        self._number = engine.columns()[-1]
        self._length = n_blocks
        counts = engine.count([self._number])
        self.sizes = np.zeros(n_blocks, dtype=np.int64)
        self.sizes[counts.keys[:, 0]] = counts.n
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @classmethod
    def dealt(cls, engine: SqlEngine, number_sql: str, n_blocks: int) -> "SqlBlocks":
        """The rows of an engine with the number that an expression gives to each."""
        name = max(engine.columns(), key=len) + " block"  # no column has this name
        domains = {column: engine.domain(column) for column in engine.columns()}
        chosen = {**engine.sql, name: number_sql}
        numbers = {name: _numbers(n_blocks)}
        made = engine.chosen(domains | numbers, chosen, engine.relation, {}, joins_alike=False)
        return cls(made, n_blocks)

    @property
    def finished_below(self) -> int:
        return SMALL

    @property
    def at_once(self) -> int:
        return BATCH

    def __len__(self) -> int:
        return self._length

    def domain(self, column: str) -> Domain:
        return self._engine.domain(column)

    def records(self, column: str) -> Integers:
        return records_of(self._engine, column)

    def some(self, blocks: Integers) -> "SomeOnDisk":
        return SomeOnDisk(self, blocks)

    def count(self, columns: Sequence[str]) -> Counts:
        """Counted in portions, so that the database needs little room to sort."""
        found = [
            self.counted(Between(self._number, first, end - 1), columns)
            for first, end in portions(self.sizes, BATCH)
        ]
        keys = [np.zeros((0, 1 + len(columns)), dtype=np.int64), *(counts.keys for counts in found)]
        n = [np.zeros(0, dtype=np.int64), *(counts.n for counts in found)]
        return Counts(("block", *columns), np.concatenate(keys), np.concatenate(n))

    def counted(self, within: Condition, columns: Sequence[str]) -> Counts:
        """The records of some blocks by their values, the block first."""
        return self._engine.count([self._number, *columns], (within,))

    def among(self, blocks: Integers) -> Condition:
        """The condition that a row is in one of some blocks, which ascend."""
        if len(blocks) and blocks[-1] - blocks[0] == len(blocks) - 1:
            return Between(self._number, int(blocks[0]), int(blocks[-1]))
        return AnyOf(self._number, frozenset(blocks.tolist()))

    def weights(self, target: str | Response) -> Integers:
        if isinstance(target, Response):
            (tallies,) = self._engine.tally([self._number], [()], target)
            return tallies[self._number].weights
        counts = self.count([target])
        weights = np.zeros((len(self), self.domain(target).size), dtype=np.int64)
        weights[counts.keys[:, 0], counts.keys[:, 1]] = counts.n
        return weights

    def divide(self, blocks: Integers, cuts: Cuts) -> "SqlBlocks":
        engine, total = self._engine, len(self) + len(blocks)
        axis, last = np.full(len(self), -1), np.zeros(len(self), dtype=np.int64)
        axis[blocks], last[blocks] = cuts.column, cuts.last_left
        first = np.arange(len(self)) + np.cumsum(axis >= 0) - (axis >= 0)
        parts: Arrays = {"old": np.arange(len(self)), "new": first, "axis": axis, "upto": last}
        given, sides = {"parts": parts}, []
        relation = f"{engine.relation} JOIN parts ON parts.old = {engine.sql[self._number]}"
        for number in np.unique(cuts.column).tolist():
            place = engine.sql[cuts.columns[number]]
            places = cuts.place[number]
            if not np.array_equal(places, np.arange(len(places))):
                given[f"p{number}"] = {"code": np.arange(len(places)), "place": places}
                relation += f" JOIN p{number} ON p{number}.code = {place}"
                place = f"p{number}.place"
            sides.append(f"WHEN {number} THEN CAST({place} > parts.upto AS INTEGER)")
        number_sql = f"parts.new + CASE parts.axis {' '.join(sides)} ELSE 0 END"
        domains = {c: engine.domain(c) for c in engine.columns()} | {self._number: _numbers(total)}
        chosen = {**engine.sql, self._number: number_sql}
        return SqlBlocks(engine.chosen(domains, chosen, relation, given, joins_alike=False), total)

    # -- small blocks, cut in memory -------------------------------------------------------------

    def finished(self, refine: Refine) -> "SqlBlocks":
        engine, columns = self._engine, list(self._engine.sql.values())
        made, number = engine.place.new_name(), columns[-1]
        *others, _ = columns
        listed = ", ".join([*others, f"CAST({number} AS UINTEGER) AS {number}", "n"])
        engine.place.do(f"CREATE TABLE {made} AS SELECT {listed} FROM {engine.relation} LIMIT 0")
        total = 0
        for first, end, small in self._runs():
            engine.place.tell(f"{self.starts[first]:,} of {self.starts[-1]:,} records in blocks")
            where = f"FROM {engine.relation} WHERE {number} BETWEEN {first} AND {end - 1}"
            if not small:
                listed = ", ".join([*others, f"{number} - {first} + {total}", "n"])
                engine.place.do(f"INSERT INTO {made} SELECT {listed} {where}")
                total += end - first
                continue
            fetched = engine.place.ask(f"SELECT {', '.join([*columns, 'n'])} {where}")
            refined = refine(self._in_memory(fetched, first))
            fetched[number] = (total + refined.block_of_row).astype(np.uint32)
            engine.place.do(f"INSERT INTO {made} SELECT * FROM part", part=fetched)
            total += len(refined)
        engine.place.tell()
        domains = {c: engine.domain(c) for c in engine.columns()} | {self._number: _numbers(total)}
        return SqlBlocks(SqlEngine(engine.place, made, domains, engine.is_counted), total)

    def _runs(self) -> Iterator[tuple[int, int, bool]]:
        """Blocks that follow one another, first and end: batches of small ones, and large ones."""
        small = self.sizes < SMALL
        turns = np.flatnonzero(np.diff(small, prepend=~small[:1])).tolist()
        for first, end in zip(turns, [*turns[1:], len(self)], strict=True):
            if not small[first]:
                yield first, end, False
                continue
            for a, b in portions(self.sizes[first:end], BATCH):
                yield first + a, first + b, True

    def _in_memory(self, fetched: Arrays, first: int) -> MemoryBlocks:
        """Rows that were fetched, dealt out to their blocks; rows alike are there once, and their
        numbers as often as there are records."""
        *columns, number = self._engine.columns()
        sql = self._engine.sql
        table = table_of({name: self.domain(name) for name in columns}, sql, fetched)
        block = fetched[sql[number]].astype(np.int64) - first
        rows = np.argsort(block.astype(np.uint32), kind="stable")
        if self._engine.is_counted:
            rows = np.repeat(rows, fetched["n"][rows])
        starts = np.concatenate([[0], np.cumsum(np.bincount(block[rows]))]).astype(np.int64)
        return MemoryBlocks(table, rows.astype(np.uint32), starts, len(rows) >= COMPILE_FROM)

    def fill(self, values: Mapping[str, Filling]) -> SqlEngine:
        engine = self._engine
        *columns, number = engine.columns()
        domains = {name: engine.domain(name) for name in columns}
        chosen = {name: f"own.{engine.sql[name]}" for name in columns}
        filled: dict[str, npt.NDArray[Any]] = {"number": np.arange(len(self))}
        for name, (codes, domain) in values.items():
            filled[engine.sql[name]] = codes
            chosen[name], domains[name] = f"filled.{engine.sql[name]}", domain
        own = f"{engine.relation} AS own JOIN filled ON filled.number = own.{engine.sql[number]}"
        return engine.chosen(domains, chosen, own, {"filled": filled})


class SomeOnDisk:
    """Some blocks of a division in a database."""

    def __init__(self, division: SqlBlocks, blocks: Integers) -> None:
        self.blocks = blocks
        self._division = division

    def count(self, columns: Sequence[str]) -> Counts:
        counts = self._division.counted(self._division.among(self.blocks), columns)
        keys = counts.keys.copy()  # the engine may keep what it has counted
        keys[:, 0] = np.searchsorted(self.blocks, keys[:, 0])
        return Counts(counts.by, keys, counts.n)

    def size_of(self, column: str) -> int:
        return self._division.domain(column).size

    def keep(self, name: str) -> None:
        """Columns stay where they are."""


def _numbers(n: int) -> Domain:
    return Domain(Kind.INTEGER, np.arange(n))
