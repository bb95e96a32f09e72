"""`recode --nearest`: new rows look like the nearest released rows of their leaf."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles.nearest_row import nearest_place
from privet.cli.main import main
from privet.errors import InputError, UnknownColumn, UsageError
from privet.files import table_of

ROWS = 160
CELLS: dict[str, list[Any]] = {
    "age": [None if i % 23 == 0 else 20 + (7 * i) % 50 for i in range(ROWS)],
    "income": [round(10.5 + (11 * i) % 37 / 7, 3) for i in range(ROWS)],
    "town": [("Aix", "Bonn", "Cork", None)[i % 4] for i in range(ROWS)],
    "note": [f"n{i % 5}" for i in range(ROWS)],
    "y": [("no", "yes")[(7 * i) % 50 > 24 or i % 7 == 0] for i in range(ROWS)],
}
TREATED = {"age": True, "income": True, "town": False}  # whether it is ordered
NEW = st.fixed_dictionaries(
    {
        "age": st.none() | st.integers(-5, 120),
        "income": st.sampled_from([*CELLS["income"][:9], -1.0, 12.25, 1e9]),
        "town": st.sampled_from(["Aix", "Bonn", "Cork", None, "Dole"]),
        "note": st.sampled_from(["n1", "mine"]),
    }
)


@cache
def published_once() -> privet.Release:
    return privet.publish(CELLS, target="y", other="note", k=4, leaves=4)


@pytest.fixture
def release() -> privet.Release:
    return published_once()


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def rows_of(table: privet.Table) -> list[dict[str, Any]]:
    cells = {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


@settings(max_examples=80, deadline=None)
@given(st.lists(NEW, min_size=1, max_size=12))
def test_it_is_the_first_of_the_least_distance(new: list[dict[str, Any]]) -> None:
    published = published_once()
    assert published.tree is not None
    kinds = {"age": "integer", "income": "decimal", "town": "category", "note": "category"}
    table = table_of(columns(new), kinds=kinds)
    leaf_of_new = published.tree.leaf_of_rows(table)
    leaves = published.tree.leaf_of_rows(published.rows.table)
    released = rows_of(published.rows.table)
    found = privet.recode(published, columns(new), nearest=True, kinds=kinds)
    for place, row in enumerate(new):
        rivals = [r for r, leaf in zip(released, leaves, strict=True) if leaf == leaf_of_new[place]]
        best = rivals[nearest_place(row, rivals, released, TREATED)]
        assert {n: found[n][place] for n in TREATED} == {n: best[n] for n in TREATED}
        assert found["note"][place] == row["note"]


def test_released_rows_come_out_as_they_are(release: privet.Release) -> None:
    rows = release.rows.table
    again = privet.recode(release, rows, nearest=True)
    assert rows_of(again) == rows_of(rows)


def test_new_rows_leave_every_equivalence_class_at_k(release: privet.Release) -> None:
    found = privet.recode(release, CELLS, nearest=True)
    rows = Counter(zip(*(found[name] for name in TREATED), strict=True))
    known = Counter(zip(*(release.data[name] for name in TREATED), strict=True))
    assert set(rows) <= set(known)


def test_what_cannot_be_is_told(release: privet.Release) -> None:
    by_leaf = privet.publish(CELLS, target="y", other="note", k=4, leaves=4, recoding="leaf")
    with pytest.raises(UsageError, match="rich"):
        privet.recode(by_leaf, CELLS, nearest=True)
    with pytest.raises(UnknownColumn, match="town"):
        privet.recode(release, {n: c for n, c in CELLS.items() if n != "town"}, nearest=True)
    numbers = {**CELLS, "town": list(range(ROWS))}
    with pytest.raises(InputError, match="town"):
        privet.recode(release, table_of(numbers), nearest=True)


def test_suppressed_columns_tell_nothing() -> None:
    """New rows may have them or not, of whatever kind."""
    published = privet.publish(CELLS, target="y", sensitive="note", k=4, leaves=4)
    assert published.manifest.recoding["columns"]["note"]["treatment"] == "suppressed"
    without = {name: cells for name, cells in CELLS.items() if name != "note"}
    found = [
        privet.recode(published, table_of({**without, **more}), nearest=True)
        for more in ({}, {"note": CELLS["note"]}, {"note": list(range(ROWS))})
    ]
    assert rows_of(found[0]) == rows_of(found[1]) == rows_of(found[2])
    assert {row["note"] for row in rows_of(found[0])} == {None}


def test_the_command(release: privet.Release, tmp_path: Path, capsys: Any) -> None:
    release.save(tmp_path / "r")
    privet.write_table(table_of(CELLS), tmp_path / "new.csv")
    words = ["recode", str(tmp_path / "r"), str(tmp_path / "new.csv"), "--nearest", "--out"]
    assert main([*words, str(tmp_path / "out.csv")]) == 0
    assert "160 rows recoded" in capsys.readouterr().out
    written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    found = privet.recode(release, CELLS, nearest=True)
    assert [line.split(",")[2] for line in written[1:]] == [t or "" for t in found["town"]]
