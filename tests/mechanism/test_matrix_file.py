"""Matrices of one's own: read exactly, refused kindly, and their epsilon from the cells alone."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.errors import PrivetError, UnknownColumn, UsageError
from privet.mechanism.matrices import TransitionMatrix
from privet.mechanism.matrix_file import read_matrix

PEOPLE = {
    "town": ["a", "b", "c"] * 200,
    "age": list(range(6)) * 100,
    "class": ["n", "n", "n", "y", "y", "y"] * 100,
}
ROWS = "0.8,0.1,1/10\n0.1,0.8,0.1\n0.1,0.1,0.8\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        ",".join(PEOPLE),
        *map(",".join, zip(*(map(str, v) for v in PEOPLE.values()), strict=True)),
    ]
    Path("people.csv").write_text("\n".join(lines) + "\n")
    Path("town.csv").write_text(ROWS)
    return tmp_path


@st.composite
def columns_of_weights(draw: st.DrawFn) -> list[list[int]]:
    """Columns of one sum with a heavy diagonal, so that there is an inverse."""
    size = draw(st.integers(2, 5))
    cells = [draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)) for _ in range(size)]
    return [
        [cell + (120 - sum(column) if h == k else 0) for h, cell in enumerate(column)]
        for k, column in enumerate(cells)
    ]


@given(columns_of_weights(), st.booleans())
def test_every_cell_is_read_as_it_is_written(
    tmp_path_factory: pytest.TempPathFactory, columns: list[list[int]], as_json: bool
) -> None:
    exact = [[Fraction(cell, sum(column)) for cell in column] for column in columns]
    rows = [list(map(str, row)) for row in zip(*exact, strict=True)]
    path = tmp_path_factory.mktemp("matrix") / ("m.json" if as_json else "m.csv")
    path.write_text(json.dumps(rows) if as_json else "\n".join(map(",".join, rows)))
    found = read_matrix(path)
    assert [[Fraction(int(w), found.total) for w in row] for row in found.weights] == [
        list(row) for row in zip(*exact, strict=True)
    ]
    # epsilon from the cells alone: the largest ratio within a row
    factor: Fraction | float = max(
        max(row) / min(row) if min(row) else math.inf
        for row in zip(*exact, strict=True)
        if max(row)
    )
    assert found.amplification == factor


def test_it_is_drawn_by_published_and_verified(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["substitute", "people.csv", "--domain-from-data", "--target", "class", "--seed", "1"]
    assert main([*asked, "--matrix", "town=town.csv", "--out", "release", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    town, age = figures["blocks"]
    assert town["epsilon"] == pytest.approx(math.log(8))
    assert age["epsilon"] == pytest.approx(math.log(9))
    assert figures["epsilon_of_a_record"] == pytest.approx(math.log(72))
    written = json.loads((home / "release" / "mechanism.json").read_text())
    assert written["blocks"][0]["matrix"] == {
        "kind": "weights",
        "total": 10,
        "weights": [[8, 1, 1], [1, 8, 1], [1, 1, 8]],
    }
    assert privet.verify("release")
    assert main(["tree", "release", "--target", "class"]) == 0
    assert main(["rebuild", "release", "--target", "class", "--out", "rebuilt.csv"]) == 0
    capsys.readouterr()
    # an epsilon that the cells do not give is found out
    manifest = json.loads((home / "release" / "manifest.json").read_text())
    for claim in manifest["claims"]:
        if claim["parameters"].get("columns") == ["town"]:
            claim["measured"] = 1.0
    (home / "release" / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", "release"]) == 1
    assert "claimed 1.0, the files show 2.07" in capsys.readouterr().out


def test_one_matrix_serves_every_column(home: Path) -> None:
    rows = [["0.7", "0.1", "0.2"], ["0.2", "0.7", "0.1"], ["0.1", "0.2", "0.7"]]
    both = {"a": ["x", "y", "z"] * 50, "b": ["u", "v", "w"] * 50}
    perturber = privet.RandomSubstitution(matrix=rows, domain_from_data=True)
    done = perturber.fit(privet.table_of(both)).mechanism_
    assert [block.matrix.amplification for block in done.blocks] == [7, 7]
    even = [["0.8", "0.1", "0.1"], ["0.1", "0.8", "0.1"], ["0.1", "0.1", "0.8"]]
    mixed = privet.RandomSubstitution(matrix=rows, matrices={"b": even}, domain_from_data=True)
    blocks = mixed.fit(privet.table_of(both)).mechanism_.blocks
    assert [block.matrix.amplification for block in blocks] == [7, 8]
    # its cost is taken off a budget; nothing is left for gamma to decide
    spent = privet.RandomSubstitution(matrices={"a": rows}, epsilon=3, domain_from_data=True).fit(
        privet.table_of(both)
    )
    assert spent.mechanism_.epsilon_of_a_record <= 3
    with pytest.raises(UsageError, match="gamma decides nothing"):
        privet.substitute(both, matrix=rows, gamma=9, domain_from_data=True)
    with pytest.raises(UsageError, match="does not go round"):
        privet.substitute(both, matrix=rows, epsilon=1, domain_from_data=True)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("0.8,0.1,0.1\n0.1,0.8,0.1\n0.1,0.2,0.8\n", "column 2 does not", "no cell below 0"),
        ("0.8,0.2,0\n0.1,0.8,0.1\n0.3,0.3,0.4\n", "column 1 does not", "write rows as columns"),
        ("1.1,0.1,0.1\n-0.2,0.8,0.1\n0.1,0.1,0.8\n", "column 1 does not", "no cell below 0"),
        ("0.5,0.5\n0.5,0.5\n", "singular", "inverse"),
        ("0.8,0.1\n0.2,0.9\n0,0\n", "3 rows of 2 cells", "one column"),
        ("0.9,0.1\n0.1\n", "2 rows of 1 or 2 cells", "one column"),
        ("1\n", "1 rows of 1 cells", "one column"),
        ("", "got none", "one column"),
        ("0.8,many\n0.2,0.5\n", "must be a number or a fraction", ""),
        ("0.8,1/0\n0.2,0.5\n", "must be a number or a fraction", ""),
        ("0.8,nan\n0.2,0.5\n", "must be a number or a fraction", ""),
    ],
)
def test_what_is_no_matrix_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], text: str, said: str, hint: str
) -> None:
    Path("wrong.csv").write_text(text)
    asked = ["substitute", "people.csv", "--domain-from-data", "--target", "class"]
    assert main([*asked, "--matrix", "town=wrong.csv", "--out", "release"]) == 2
    told = capsys.readouterr().err
    assert "The matrix wrong.csv cannot be used." in told
    assert said in told
    assert "many" not in told  # nor any other cell: a table may have been named instead
    assert hint in told.partition("Hint:")[2]
    assert not Path("release").exists()


@pytest.mark.parametrize("text", ["{}", "[1, 2]", "[[true, false], [false, true]]", "3", "[[[1]]]"])
def test_other_json_is_refused(home: Path, text: str) -> None:
    Path("wrong.json").write_text(text)
    with pytest.raises(PrivetError, match="no list of rows"):
        read_matrix(Path("wrong.json"))


def test_the_wrong_size_and_column_are_refused(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["substitute", "people.csv", "--domain-from-data", "--target", "class", "--out", "r"]
    assert main([*asked, "--matrix", "town.csv"]) == 2
    told = capsys.readouterr().err
    assert "The matrix of age has 3 columns, its domain 6 values." in told
    assert "--matrix COLUMN=FILE" in told
    assert main([*asked, "--matrix", "shoes=town.csv"]) == 2
    assert "no column 'shoes' (named in --matrix)" in capsys.readouterr().err
    assert main([*asked, "--matrix", "town=town.csv", "--matrix", "town=town.csv"]) == 2
    assert "Two matrices" in capsys.readouterr().err
    assert main([*asked, "--matrix", "town=none.csv"]) == 3
    assert "none.csv cannot be read" in capsys.readouterr().err
    with pytest.raises(UnknownColumn):
        privet.substitute(PEOPLE, matrices={"shoes": [[1, 0], [0, 1]]}, domain_from_data=True)
    Path("large.csv").write_text("0\n" * 1_001)
    with pytest.raises(PrivetError, match="at most 1,000"):
        read_matrix(Path("large.csv"))


def test_a_matrix_is_never_overwritten(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["substitute", "people.csv", "--domain-from-data", "--target", "class", "--force"]
    assert main([*asked, "--matrix", "town=town.csv", "--out", "town.csv"]) == 2
    assert Path("town.csv").read_text() == ROWS


def test_a_matrix_that_is_one_stays() -> None:
    matrix = TransitionMatrix.of([["0.8", "0.3"], ["0.2", "0.7"]])
    assert TransitionMatrix.of(matrix) is matrix
