"""The data of a release: its distinct rows, sorted, each with its count.

A release is a multiset of rows: order says nothing, so rows are sorted by all columns, and writing,
hashing and checking cost what the distinct rows cost.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from privet.documents import opened
from privet.engine import Engine, MemoryEngine, engine_of
from privet.files import read_table
from privet.files.csv import csv_bytes, write_csv
from privet.files.parquet import write_parquet
from privet.files.parquet_told import tells_nothing_else
from privet.files.portions import portions
from privet.release import layout
from privet.schema import Schema
from privet.table import Coded, Table, code_type, stretches

_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows in sorted order (`table`) and how often each occurs (`counts`)."""

    table: Table
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, engine: Engine, columns: tuple[str, ...]) -> "Rows":
        """The distinct rows of some columns of an engine."""
        counted = engine.count(columns)
        coded = {}
        for place, name in enumerate(columns):
            domain = engine.domain(name)
            codes = counted.keys[:, place].astype(code_type(domain.size))
            coded[name] = Coded(domain, codes)
        return cls(Table(coded), counted.n)

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

    def content_sha256(self) -> str:
        """A hash of the content, whatever wrote the file: of the header line, then one line for
        each distinct row (canonical CSV, a comma, its count), the lines sorted as bytes."""
        text = b"".join(csv_bytes(self.table))
        header, *lines = _records_of(text, self.table.n_rows)
        counted = [b"%b,%d\n" % pair for pair in zip(lines, self.counts.tolist(), strict=True)]
        counted.sort()
        digest = hashlib.sha256(header + b",count\n")
        digest.update(b"".join(counted))
        return digest.hexdigest()


class RowsInOrder(Rows):
    """Rows in an order that was asked to be kept; their content is that of the sorted ones."""

    @classmethod
    def keep(cls, table: Table) -> "RowsInOrder":
        return cls(table, np.ones(table.n_rows, dtype=np.int64))

    def content_sha256(self) -> str:
        return Rows.of(MemoryEngine(self.table), self.table.names).content_sha256()


def _records_of(text: bytes, expected: int) -> list[bytes]:
    """The header and the records of a CSV text; a quoted cell may hold line ends."""
    lines = text.split(b"\n")[:-1]
    if len(lines) == expected + 1:
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
