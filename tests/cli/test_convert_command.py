"""`privet convert`: every pair of formats, and what is lost is said."""

import json
import sys
import warnings
from pathlib import Path

import pytest

from privet import Grower, MemoryEngine, grow, read_pmml, read_table, table_of, write_table
from privet.cli.main import main
from privet.errors import Loss
from privet.tree.exchange.model_file import read_model
from privet.tree.exchange.write import write_tree

TABLE = table_of(
    {
        "age": [31, 45, None, 60],
        "height": [1.5, 1.75, 1.8, None],
        "town": ["north", "south", "north", None],
        "seen": ["2020-01-01", "2020-02-29", None, "1999-12-31"],
        "y": ["no", "yes", "no", "yes"],
    },
    kinds={"seen": "date"},
)
WRITTEN = [".csv", ".tsv", ".parquet", ".arff", ".sav", ".dta"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    tree = grow(MemoryEngine(TABLE), TABLE.schema().with_roles(target="y"), Grower())
    write_tree(tree, tmp_path / "model.json")
    return tmp_path / "model.json"


def same(one, other) -> bool:
    return one.names == other.names and all(
        one[n].domain == other[n].domain and (one[n].codes == other[n].codes).all() for n in one
    )


@pytest.mark.parametrize("source", WRITTEN)
@pytest.mark.parametrize("out", WRITTEN)
def test_tables_between_all_formats(source: str, out: str, tmp_path: Path, capsys) -> None:
    write_table(TABLE, tmp_path / f"in{source}")
    status = main(["convert", str(tmp_path / f"in{source}"), str(tmp_path / f"out{out}")])
    told = capsys.readouterr()
    assert status == 0
    assert told.err == ""
    assert "4 rows, 5 columns" in told.out
    assert same(read_table(tmp_path / f"out{out}"), TABLE)


def test_excel_comes_in(tmp_path: Path, capsys) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, "x"])
    book.save(tmp_path / "in.xlsx")
    assert main(["convert", str(tmp_path / "in.xlsx"), str(tmp_path / "out.csv")]) == 0
    assert (tmp_path / "out.csv").read_text() == "a,b\n1,x\n"
    assert main(["convert", str(tmp_path / "out.csv"), str(tmp_path / "out.xlsm")]) == 2
    assert "Hint: Privet writes" in capsys.readouterr().err


def test_what_is_lost_is_told(tmp_path: Path, capsys) -> None:
    source = tmp_path / "in.parquet"
    write_table(table_of({"post code": ["70", "123"], "mixed": ["1", "a"]}), source)
    assert main(["convert", str(source), str(tmp_path / "out.sav")]) == 0
    assert "Note: Column 'post code': renamed to post_code" in capsys.readouterr().err
    assert main(["convert", str(source), str(tmp_path / "out.csv")]) == 0
    assert "Note: Without a schema the file cannot be read again" in capsys.readouterr().err
    write_table(table_of({"post code": ["70", "123"]}), source)
    assert main(["convert", str(source), str(tmp_path / "one.csv")]) == 0
    assert "'post code' is of kind category" in capsys.readouterr().err


def test_options_say_how_a_table_is_read(tmp_path: Path, capsys) -> None:
    (tmp_path / "in.csv").write_text("a,b\n1,x\n-9,y\n")
    arguments = ["convert", str(tmp_path / "in.csv"), str(tmp_path / "out.arff")]
    assert main([*arguments, "--missing", "-9", "--category", "a"]) == 0
    assert "@attribute a {1}" in (tmp_path / "out.arff").read_text()
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert "@attribute a integer" in (tmp_path / "out.arff").read_text()


def test_trees_between_all_formats(model: Path, tmp_path: Path, capsys) -> None:
    tree = read_model(model)
    for suffix in (".pmml", ".dot", ".txt", ".png", ".svg", ".pdf"):
        out = tmp_path / f"tree{suffix}"
        assert main(["convert", str(model), str(out)]) == 0
        assert out.stat().st_size > 100
    assert read_pmml(tmp_path / "tree.pmml") == tree
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tree.dot").read_text().startswith("digraph")
    assert main(["convert", str(tmp_path / "tree.pmml"), str(tmp_path / "back.json")]) == 0
    assert (tmp_path / "back.json").read_bytes() == model.read_bytes()
    assert capsys.readouterr().err == ""
    assert main(["convert", str(model), str(tmp_path / "tree.csv")]) == 2
    assert "trees are written as" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "status"), [("none.csv", 3), ("none.json", 3), ("none.pmml", 3), ("bad.json", 3)]
)
def test_unreadable_input(name: str, status: int, tmp_path: Path, capsys) -> None:
    (tmp_path / "bad.json").write_text(json.dumps({"format": 1}))
    assert main(["convert", str(tmp_path / name), str(tmp_path / "out.txt")]) == status
    assert "Hint:" in capsys.readouterr().err
    assert not (tmp_path / "out.txt").exists()


def test_help_stays_light() -> None:
    import subprocess

    code = (
        "import sys, privet.cli.main; print('pyreadstat' in sys.modules, 'sklearn' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_what_other_libraries_warn_of_is_no_note(tmp_path: Path, model: Path, monkeypatch, capsys):
    from privet.tree.exchange import write

    class OfAnotherLibrary(UserWarning):
        pass

    def noisy(tree, out):
        warnings.warn("an old name of ours is used", OfAnotherLibrary, stacklevel=1)
        warnings.warn("another", DeprecationWarning, stacklevel=1)
        warnings.warn("what is lost", Loss, stacklevel=1)
        return "digraph {}"

    monkeypatch.setattr(write, "tree_bytes", noisy)
    assert main(["convert", str(model), str(tmp_path / "out.dot")]) == 0
    assert capsys.readouterr().err == "Note: what is lost\n"
