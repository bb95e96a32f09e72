"""Whole tables of strange content, as other programs write them: each a surprise, none broken.

Columns of every type of Arrow, names and texts that nobody expects, cells of a workbook that hold
formulas and errors, labels and missing values of the statistical packages. A table also has the
columns that the commands ask for, more often than not, so that they do not end at once.
"""

import contextlib
import datetime
import decimal
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORMS = ("csv", "parquet", "xlsx", "sav", "dta")
VARIANTS = 3
_ASKED_FOR = ("id", "age", "sex", "y", "day", "diag", "cost")
_NAMES = (
    "", " ", "a,b", 'a"b', "a\nb", "=1+1", "é" * 40, "\u202ex", "y ", "Y", "H_age", "__count__",
    "count", "x" * 3000, "1", "a.b", "a=b", "[a]", "{a}", "None", "nan", "--k", "%s", "a\x00b",
)  # fmt: skip
_TEXTS = (
    "", " ", "NA", "nan", "None", "-", "0", "007", "1e400", "1,5", "=A1", "2020-02-30", "é",
    "\u0000", "a" * 5000, "\u202e", "[20, 30)", "20-30", "*", "{a, b}", "?", "TRUE", "12:00",
    "\ufeff", "9" * 40,
)  # fmt: skip
_NUMBERS = (0, 1, -1, 2**31, 2**53 + 1, -(2**63), 2**63 - 1, 7)
_DECIMALS = (0.0, -0.0, 0.1, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, 1 / 3, 2.0**60)
_EARLY, _LATE = datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)


def make(folder: Path, seed: int) -> None:
    """Some odd tables of every form; what a writer refuses is made less odd."""
    for form in FORMS:
        for number in range(VARIANTS):
            chance = random.Random(f"{seed} {form} {number}")
            path = folder / f"odd{number}.{form}"
            for _ in range(50):
                with contextlib.suppress(Exception):  # writers refuse in many ways
                    _WRITERS[form](path, chance)
                    break
            else:
                raise RuntimeError(f"no odd table of the form {form}")


def _names(chance: random.Random, odd: int) -> list[str]:
    names = [name for name in _ASKED_FOR if chance.random() < 0.9]
    names += chance.choices(_NAMES, k=chance.randrange(odd + 1))
    chance.shuffle(names)
    return names or ["y"]


def _few(chance: random.Random, choices: tuple[Any, ...], rows: int) -> list[Any]:
    """Values of a column: of few kinds, so that there is something to group and to split by."""
    kinds = [chance.choice(choices) for _ in range(chance.choice((1, 2, 4)))]
    if chance.random() < 0.4:
        kinds.append(None)
    return [chance.choice(kinds) for _ in range(rows)]


def _rows(chance: random.Random) -> int:
    return chance.choice((0, 1, 2, 20, 60, 60, 60))


def _plain(chance: random.Random, rows: int) -> list[Any]:
    return _few(chance, chance.choice((_TEXTS, _NUMBERS, _DECIMALS, ("f", "m"))), rows)


def _csv(path: Path, chance: random.Random) -> None:
    import csv

    names, rows = _names(chance, 4), _rows(chance)
    columns = [_plain(chance, rows) for _ in names]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=chance.choice(",,;\t"), quoting=chance.choice((0, 1)))
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))


def _parquet(path: Path, chance: random.Random) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, rows = _names(chance, 4), _rows(chance)
    columns = [_arrow(chance, rows) for _ in names]
    kind = chance.choice(("none", "snappy", "gzip", "zstd"))
    table = pa.Table.from_arrays(columns, names=names)
    if chance.random() < 0.3:
        metadata = chance.choice(
            (b"{}", b"[", b'{"columns": 7}', b"\xff", b'{"index_columns": [3]}')
        )
        table = table.replace_schema_metadata({"pandas": metadata, "privet": metadata})
    pq.write_table(table, path, compression=kind, row_group_size=chance.choice((1, 7, 1000)))


def _arrow(chance: random.Random, rows: int) -> Any:
    """A column of any type that Parquet knows."""
    import pyarrow as pa

    texts = _few(chance, _TEXTS, rows)
    times = _few(chance, (_EARLY, _LATE, datetime.datetime(2020, 2, 29)), rows)
    days = [t and t.date() for t in times]
    makers: tuple[Callable[[], Any], ...] = (
        lambda: pa.array(texts),
        lambda: pa.array(texts).dictionary_encode(),
        lambda: pa.array(texts, pa.large_string()),
        lambda: pa.array([t and t.encode() for t in texts], pa.binary()),
        lambda: pa.array(_few(chance, _NUMBERS, rows), pa.int64()),
        lambda: pa.array(_few(chance, (0, 2**64 - 1), rows), pa.uint64()),
        lambda: pa.array(_few(chance, (0, 255), rows), pa.uint8()),
        lambda: pa.array(_few(chance, _DECIMALS, rows), pa.float64()),
        lambda: pa.array(_few(chance, (0.1, math.nan, 3e38), rows), pa.float32()),
        lambda: pa.array(_few(chance, (decimal.Decimal("1.50"), None), rows), pa.decimal128(38, 9)),
        lambda: pa.array(_few(chance, (decimal.Decimal(10) ** 70,), rows), pa.decimal256(76, 0)),
        lambda: pa.array(_few(chance, (True, False), rows), pa.bool_()),
        lambda: pa.array(days, pa.date32()),
        lambda: pa.array(days, pa.date64()),
        lambda: pa.array(times, pa.timestamp("us")),
        lambda: pa.array([2**62, *[None] * rows][:rows], pa.timestamp("ms")),
        lambda: pa.array(times, pa.timestamp("us", tz="Europe/Berlin")),
        lambda: pa.array(_few(chance, (datetime.time(23, 59),), rows), pa.time64("us")),
        lambda: pa.array(_few(chance, (7, -7), rows), pa.duration("us")),
        lambda: pa.array([[1, None]] * rows, pa.list_(pa.int64())),
        lambda: pa.array([{"a": 1}] * rows, pa.struct([("a", pa.int64())])),
        lambda: pa.array([[("a", 1)]] * rows, pa.map_(pa.string(), pa.int64())),
        lambda: pa.nulls(rows),
    )
    return chance.choice(makers)()


def _workbook(path: Path, chance: random.Random) -> None:
    import openpyxl

    odd = (*_TEXTS, "=SUM(A1:A9)", "#N/A", "#DIV/0!", _LATE, datetime.time(1), True, 1e308, 2**53)
    book = openpyxl.Workbook()
    sheet = book.active
    names, rows = _names(chance, 4), _rows(chance)
    sheet.append(chance.choice((names, names, [None, *names], [])))
    for _ in range(rows):
        sheet.append(
            [chance.choice(odd if chance.random() < 0.1 else (1, 2.5, "f")) for _ in names]
        )
    if chance.random() < 0.3:
        sheet.merge_cells("A1:B2")
    if chance.random() < 0.3:
        book.create_sheet("\u202e").append(["y"])
    if chance.random() < 0.2:
        sheet.sheet_state = "hidden"
    if chance.random() < 0.2:
        sheet.cell(1_048_576, 16_384, "far away")
    book.save(path)


def _frame(chance: random.Random) -> Any:
    import pandas

    rows = _rows(chance)
    columns = {}
    for name in dict.fromkeys(_names(chance, 1)):
        columns[name] = _few(
            chance,
            chance.choice(
                (
                    ("f", "m"),
                    ("é", "a" * 300),
                    (1.0, 2.0),
                    (1e300, -5e-324),
                    (1, 2),
                    (_LATE.date(),),
                )
            ),
            rows,
        )
    return pandas.DataFrame(columns)


def _labels(chance: random.Random, frame: Any) -> dict[str, dict[float, str]]:
    odd = ({1.0: "one", 2.0: "one"}, {1.0: ""}, {9e9: "x"}, {1.0: "a" * 120})
    numbers = [name for name in frame.columns if frame[name].dtype == "float64"]
    return {name: chance.choice(odd) for name in numbers if chance.random() < 0.5}


def _spss(path: Path, chance: random.Random) -> None:
    import pyreadstat

    frame = _frame(chance)
    labels = _labels(chance, frame)
    ranges: dict[str, list[Any]] = {
        name: chance.choice(([1], [{"lo": 1, "hi": 5}], [2, {"lo": -1e300, "hi": 0}]))
        for name in frame.columns
        if frame[name].dtype == "float64" and chance.random() < 0.3
    }
    pyreadstat.write_sav(
        frame, str(path), variable_value_labels=labels, missing_ranges=ranges,
        column_labels=[chance.choice(_TEXTS[:12]) for _ in frame.columns],
    )  # fmt: skip


def _stata(path: Path, chance: random.Random) -> None:
    import pyreadstat

    frame = _frame(chance)
    pyreadstat.write_dta(
        frame, str(path), version=chance.choice((8, 12, 13, 14, 15)),
        column_labels=[chance.choice(_TEXTS[:12]) for _ in frame.columns],
    )  # fmt: skip


_WRITERS: dict[str, Callable[[Path, random.Random], None]] = {
    "csv": _csv,
    "parquet": _parquet,
    "xlsx": _workbook,
    "sav": _spss,
    "dta": _stata,
}
