"""The data of a release: its distinct rows, sorted, each with its count.

A release is a multiset of rows: order says nothing, so rows are sorted by all columns, and writing,
hashing and checking cost what the distinct rows cost.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from privet.documents import opened
from privet.engine import Engine, engine_of
from privet.files import read_table
from privet.files.csv import csv_bytes, write_csv
from privet.files.lines_in_order import lines_in_order
from privet.files.parquet import write_parquet
from privet.files.parquet_told import tells_nothing_else
from privet.files.portions import portions
from privet.release import layout
from privet.release.sorted_lines import sorted_lines
from privet.schema import Schema
from privet.table import Coded, Codes, Table, code_type, stretches

_ROWS_AT_ONCE = 1 << 20
_LINES_AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows in sorted order (`table`) and how often each occurs (`counts`)."""

    table: Table
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, engine: Engine, columns: tuple[str, ...]) -> "Rows":
        """The distinct rows of some columns of an engine; what comes is made small at once."""
        types = [code_type(engine.domain(name).size) for name in columns]
        codes: list[list[Codes]] = [[np.empty(0, dtype=kind)] for kind in types]
        n = [np.empty(0, dtype=np.int64)]
        for counted in engine.portions(columns, len(columns)):
            n.append(counted.n)
            for place, (column, kind) in enumerate(zip(codes, types, strict=True)):
                column.append(counted.keys[:, place].astype(kind))
        coded = {name: Coded(engine.domain(name), np.concatenate(codes.pop(0))) for name in columns}
        return cls(Table(coded), np.concatenate(n))

    @classmethod
    def read(cls, path: Path, schema: Schema) -> "Rows":
        """The rows of a data file, its kinds given by the manifest."""
        kinds = {column.name: column.kind for column in schema}
        table = read_table(path, kinds=kinds, exact=True)
        return cls.of(engine_of(table), table.names)

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    def write(self, path: Path, metadata: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """Write the records; `metadata` goes into the fields of a Parquet file."""
        if path.suffix == ".parquet":
            write_parquet(self.table, path, self.counts, fields=metadata)
        else:
            write_csv(self.table, path, self.counts)

    def parts(self) -> "Iterator[Rows]":
        """The same rows in order, some records at a time."""
        for rows, repeats in portions(len(self.counts), self.counts, layout.ROWS_PER_PART):
            assert repeats is not None
            coded = {n: Coded(self.table[n].domain, self.table[n].codes[rows]) for n in self.table}
            yield Rows(Table(coded), repeats)

    def is_written_in(self, path: Path, metadata: Mapping[str, Mapping[str, str]]) -> bool:
        """Whether a Parquet file, from which these rows come, says nothing else than `write`."""
        return tells_nothing_else(path, self.table, self.counts, metadata)

    def have_in_order(self, name: str, column: Coded) -> bool:
        """Whether a column of as many records, wherever it lies, is one of these rows' in order."""
        written = portions(len(self.counts), self.counts, _ROWS_AT_ONCE)
        return all(
            np.array_equal(np.repeat(self.table[name].codes[rows], repeats), codes)
            for (rows, repeats), codes in zip(
                written, stretches(column.codes, _ROWS_AT_ONCE), strict=True
            )
            if repeats is not None
        )

    def records(self) -> Table:
        """Every record, sorted."""
        return self.table.take(np.repeat(np.arange(len(self.counts)), self.counts))

    def some(self, most: int) -> Table:
        """At most so many records, as far from each other as can be, sorted."""
        step = max(1, -(-self.n_records // most))
        places = np.arange(0, self.n_records, step)
        return self.table.take(np.searchsorted(np.cumsum(self.counts), places, side="right"))

    def content_sha256(self) -> str:
        """A hash of the content, whatever wrote the file: of the header line, then one line for
        each distinct row (canonical CSV, a comma, its count), the lines sorted as bytes."""
        texts = csv_bytes(self.table)
        digest = hashlib.sha256(next(texts)[:-1] + b",count\n")
        quickly = lines_in_order(self.table, self.counts)
        for some in self._sorted(texts) if quickly is None else quickly:
            digest.update(some)
        return digest.hexdigest()

    def _sorted(self, texts: Iterator[bytes]) -> Iterator[bytes]:
        """The lines sorted as what they are, some together, whatever they are."""
        lines = sorted_lines(self._counted_lines(texts))
        while some := b"".join(islice(lines, _LINES_AT_ONCE)):
            yield some

    def _counted_lines(self, texts: Iterator[bytes]) -> Iterator[bytes]:
        """The lines of the rows, each with its count."""
        done = 0
        for text in texts:
            records = _records_of(text)
            counts = self.counts[done : done + len(records)].tolist()
            done += len(records)
            yield from (b"%b,%d\n" % pair for pair in zip(records, counts, strict=True))


class RowsInOrder(Rows):
    """Rows in an order that was asked to be kept; their content is that of the sorted ones."""

    @classmethod
    def keep(cls, table: Table) -> "RowsInOrder":
        return cls(table, np.ones(table.n_rows, dtype=np.int64))

    def content_sha256(self) -> str:
        return Rows.of(engine_of(self.table), self.table.names).content_sha256()


def _records_of(text: bytes) -> list[bytes]:
    """The records of a CSV text; a quoted cell may hold line ends."""
    lines = text.split(b"\n")[:-1]
    if b'"' not in text:
        return lines
    records: list[bytes] = []
    inside = False
    for line in lines:
        if inside:
            records[-1] += b"\n" + line
        else:
            records.append(line)
        if line.count(b'"') % 2:
            inside = not inside
    return records


def sha256_of(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
