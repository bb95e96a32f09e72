"""Workbooks that are written come back, and no text in them is a formula."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.files.safe_cells import with_safe_cells

openpyxl = pytest.importorskip("openpyxl")

TABLE = {
    "id": ["=1+1", "+cmd", "-x", "@a", None],
    "n": [1, -2, 3, None, 5],
    "x": [0.5, -1.25, None, 3.0, 2.0],
}


def test_a_workbook_comes_back(tmp_path: Path) -> None:
    table = privet.table_of(TABLE)
    privet.write_table(table, tmp_path / "t.xlsx")
    again = privet.read_table(tmp_path / "t.xlsx")
    for name in table:
        assert again[name].domain == table[name].domain
        assert again[name].codes.tolist() == table[name].codes.tolist()
    cells = [c for row in openpyxl.load_workbook(tmp_path / "t.xlsx").active for c in row]
    assert "f" not in {cell.data_type for cell in cells}


def test_safe_cells_of_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    privet.write_table(privet.table_of(TABLE), "t.csv")
    assert main(["convert", "t.csv", "safe.csv", "--safe-cells"]) == 0
    lines = Path("safe.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == ["id", "'=1+1", "'+cmd", "'-x", "'@a", ""]
    assert lines[2].split(",")[1] == "-2"  # a number is no formula
    privet.convert("t.csv", "again.csv", safe_cells=True)
    assert Path("again.csv").read_bytes() == Path("safe.csv").read_bytes()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("=+-@'a", min_size=1, max_size=4), min_size=1, max_size=8))
def test_no_two_texts_become_one(texts: list[str]) -> None:
    column = with_safe_cells(privet.table_of({"c": texts, "n": list(range(len(texts)))}))["c"]
    shown = [column.domain.value(code) for code in column.codes.tolist()]
    assert len(set(shown)) == len(set(texts))
    assert not any(str(text).startswith(("=", "+", "-", "@")) for text in shown)


def test_sheets_have_an_end(tmp_path: Path) -> None:
    table = privet.table_of({"n": range(1_048_576)})
    with pytest.raises(privet.PrivetError, match="no room"):
        privet.write_table(table, tmp_path / "t.xlsx")
    assert not list(tmp_path.iterdir())
