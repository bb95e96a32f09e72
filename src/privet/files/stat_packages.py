"""Files of SPSS (.sav, .zsav, .por), Stata (.dta) and SAS (.sas7bdat, .xpt): reading.

Value labels become categories, if every value that occurs has one; user-defined missing values
become missing. A catalogue of SAS formats is used if it lies beside its table under the same name.
`stat_packages_write` writes SPSS and Stata. pyreadstat does the work on the bytes; a damaged
file can crash it, so `cells` runs in a process of its own (`apart`).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import MissingExtra
from privet.files.apart import Cells, read_apart
from privet.files.encode import ColumnBuilder
from privet.files.fence import check_columns, fence
from privet.files.frames import check_names
from privet.files.losses import tell
from privet.schema import Kind
from privet.table import Coded, Table

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
STATISTICS = tuple(_READERS)
_SAS = (".sas7bdat", ".xpt")
_WITHOUT_DECIMALS = re.compile(r"F\d+(\.0)?|%\d+\.0f")


def pyreadstat_or_hint() -> Any:
    """The library, or an error that says how to get it."""
    _check_library()
    import pyreadstat

    return pyreadstat


def _check_library() -> None:
    if find_spec("pyreadstat") is None:
        raise MissingExtra("Files of SPSS, Stata and SAS need", "pyreadstat", "stat")


def read_statistics(
    path: Path,
    kinds: Mapping[str, Kind],
    missing: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Table:
    """Read a file of a statistical package; only the named columns, if some are named."""
    _check_library()
    found = read_apart("statistics", path, columns)
    for names, what in found.notes:
        tell(names, what)
    table: dict[str, Coded] = {}
    for name, cells in zip(found.columns.column_names, found.columns.columns, strict=True):
        builder = ColumnBuilder(name, kinds.get(name), missing)
        for piece in cells.chunks:
            builder.add(piece)
        table[name] = builder.finish()
    return Table(table)


def statistics_names(path: Path) -> list[str]:
    """The names of the columns, without reading any of them."""
    _check_library()
    return list(read_apart("statistics", path, names_only=True).columns.column_names)


def cells(path: Path, columns: Sequence[str] | None, names_only: bool) -> Cells:
    """The columns of a file, and notes on what they lose."""
    with fence(path, "statistics"):
        if names_only:
            _, about = _read(path, metadataonly=True)
            return Cells(pa.table({name: pa.array([], pa.null()) for name in about.column_names}))
        return _cells(path, None if columns is None else list(columns))


def _cells(path: Path, wanted: list[str] | None) -> Cells:
    data, about = _read(path, usecols=wanted)
    check_names(list(data), f"The file {path.name}")
    check_columns(len(data), path)
    partly: list[str] = []
    times: list[str] = []
    arrays: dict[str, pa.Array] = {}
    for name, cells in data.items():
        labels = about.variable_value_labels.get(name)
        present = {cell for cell in cells if cell is not None}
        if labels and present <= set(labels):
            arrays[name] = _labelled(cells, labels)
        else:
            if labels:
                partly.append(name)
            if any(isinstance(cell, time) for cell in present):
                times.append(name)
            arrays[name] = _array(cells, present, _counts_whole(about, name, path))
    notes = (
        (
            tuple(partly),
            "only some values have labels; the labels are left out and the values kept",
        ),
        (tuple(times), "times of day become texts"),
    )
    return Cells(pa.table(arrays), notes)


def _read(path: Path, **options: Any) -> tuple[dict[str, list[Any]], Any]:
    import pyreadstat

    suffix = path.suffix.lower()
    catalogue = path.with_suffix(".sas7bcat")
    if suffix == ".sas7bdat" and catalogue.is_file():
        options["catalog_file"] = str(catalogue)
    read = getattr(pyreadstat, _READERS[suffix])
    data, about = read(str(path), output_format="dict", **options)
    return data, about


def _labelled(cells: list[Any], labels: Mapping[Any, str]) -> pa.Array:
    """Each value as its label; values that share a label are told apart by their value."""
    often = Counter(labels.values())
    texts = {
        value: f"{label} ({_plain(value)})" if often[label] > 1 or not label else label
        for value, label in labels.items()
    }
    return pa.array([None if cell is None else texts[cell] for cell in cells], pa.large_string())


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _counts_whole(about: Any, name: str, path: Path) -> bool:
    """Whether the file means whole numbers: by type, or by a format without decimals."""
    if path.suffix.lower() in _SAS:
        return True  # SAS has one type of number and rarely says more
    kind = about.readstat_variable_types.get(name, "")
    shown = about.original_variable_types.get(name, "") or ""
    return kind.startswith("int") or _WITHOUT_DECIMALS.fullmatch(shown) is not None


def _array(cells: list[Any], present: set[Any], whole: bool) -> pa.Array:
    if all(isinstance(cell, int | float) for cell in present):
        if whole and all(abs(cell) <= 2**53 and cell == int(cell) for cell in present):
            return pa.array([None if c is None else int(c) for c in cells], pa.int64())
        return pa.array(cells, pa.float64())
    if all(type(cell) is date for cell in present):
        return pa.array(cells, pa.date32())
    if all(isinstance(cell, datetime) for cell in present):
        return pa.array(cells, pa.timestamp("us"))
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.large_string())
