"""Lies in the data: other cells, other records, another order, always sorted and hashed anew."""

from collections.abc import Callable
from typing import Any

from falsehoods.telling import (
    BY_CLASSES,
    EVERY,
    WITH_A_TREE,
    Falsehood,
    Folder,
    NothingToChange,
    rewrite,
)
from privet.engine import MemoryEngine
from privet.files import table_of
from privet.release import Rows
from privet.release.columns import field_metadata
from privet.release.opened import OpenedRelease

Records = list[dict[str, Any]]


def _edit(change: Callable[[Records], object]) -> Callable[[Folder], None]:
    """Other records, written as Privet writes them."""

    def tell(folder: Folder) -> None:
        opened = OpenedRelease.at(folder.path)
        table, schema = opened.table, opened.manifest.schema
        columns = {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}
        records = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        before = [dict(record) for record in records]
        change(records)
        if records == before:
            raise NothingToChange
        cells = {name: [record[name] for record in records] for name in columns}
        new = table_of(cells, kinds={column.name: column.kind for column in schema})
        rows = Rows.of(MemoryEngine(new), new.names)
        rows.write(folder.data, field_metadata(opened.manifest))

    return tell


def _first(**cells: Any) -> Callable[[Folder], None]:
    return _edit(lambda records: records[0].update(cells))


def _as_in_the_last(column: str) -> Callable[[Folder], None]:
    return _edit(lambda records: records[0].update({column: records[-1][column]}))


def _exchange(column: str) -> Callable[[Folder], None]:
    def change(records: Records) -> None:
        one, *others = sorted(records, key=lambda record: record["age"])
        for other in reversed(others):  # from the other end of the ages, so in another leaf
            if other["y"] != one["y"] and other["age"] != one["age"]:
                one[column], other[column] = other[column], one[column]
                return
        raise NothingToChange

    return _edit(change)


def _renamed(records: Records) -> None:
    for record in records:
        record["y"] = f"{record['y']}!" if isinstance(record["y"], str) else record["y"] + 1


def _out_of_order(folder: Folder) -> None:
    path = folder.data
    if path.suffix == ".parquet":
        rewrite(path, lambda table: table.take([*range(1, table.num_rows), 0]))
        return
    header, first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + b"".join(others) + first)


NAMED = ("leaf", "leaf, hidden", "global", "noise")
CHECKED = (*WITH_A_TREE, "noise")

LIES = [
    Falsehood("a suppressed cell has a value", WITH_A_TREE, _first(unused="l")),
    Falsehood("a hidden cell is shown", ("mondrian",), _first(illness="flu")),
    Falsehood("a cell of the target", CHECKED, _as_in_the_last("y")),
    Falsehood("a cell of a used column", WITH_A_TREE, _as_in_the_last("age")),
    Falsehood("a cell that nobody released", (*BY_CLASSES, "substitution"), _first(age=1234)),
    Falsehood("a missing cell", (*BY_CLASSES, "substitution"), _first(age=None)),
    Falsehood("targets exchanged between leaves", CHECKED, _exchange("y")),
    Falsehood("records exchanged between leaves", WITH_A_TREE, _exchange("age")),
    Falsehood("a record less", EVERY, _edit(lambda records: records.pop())),
    Falsehood("a record twice", EVERY, _edit(lambda records: records.append(records[0]))),
    Falsehood("targets renamed", CHECKED, _edit(_renamed)),
    Falsehood("another class", NAMED, _first(y="maybe")),
    Falsehood("a value beside the grid", ("noise", "loose noise"), _first(height=1.50001)),
    Falsehood("a value beyond the ends", ("noise", "loose noise"), _first(height=99.0)),
    Falsehood("a town that no law draws", ("noise", "loose noise"), _first(town="Atlantis")),
    Falsehood(
        "rows in another order",
        (*BY_CLASSES, "noise", "substitution"),
        _out_of_order,
        about_files=True,
    ),
]
