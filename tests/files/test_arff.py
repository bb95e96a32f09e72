"""ARFF: what is written comes back, WEKA's quotes are understood, damage is told."""

import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.tables_by_hand import cells_of, plain_tables
from privet.errors import InputError
from privet.files import FormatLoss, column_names, read_table, table_of, write_table
from privet.schema import Kind


def read(text: str, folder: Path, **options):
    path = folder / "t.arff"
    path.write_text(text, encoding="utf-8")
    return read_table(path, **options)


@pytest.mark.parametrize("suffix", [".arff", ".arff.gz"])
@given(drawn=plain_tables())
def test_tables_come_back(suffix: str, drawn) -> None:
    table = table_of(drawn[0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            write_table(table, path)
        assert column_names(path) == list(table.names)
        again = read_table(path)
    lossy = {n for n in table if any(f"'{n}'" in str(w.message) for w in told)}
    for name in table:
        if len(table[name].domain.values) == 0:
            assert again[name].domain.missing
        elif name not in lossy:
            assert again[name].domain == table[name].domain
            assert (again[name].codes == table[name].codes).all()


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=6))
def test_every_label_and_name_comes_back(labels: list[str]) -> None:
    table = table_of({labels[0]: labels, f"not {labels[0]}": list(range(len(labels)))})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.arff"
        write_table(table, path)
        again = read_table(path)
    assert again.names == table.names
    assert cells_of(again, labels[0]) == labels


def test_nominal_values_are_listed_in_sorted_order(tmp_path: Path) -> None:
    table = table_of({"the town": ["b", "a c", None, "?", "B"], "n": [1, 2, 3, None, 5]})
    write_table(table, tmp_path / "t.arff")
    assert (tmp_path / "t.arff").read_text() == (
        "@relation table\n\n"
        "@attribute 'the town' {'?',B,'a c',b}\n"
        "@attribute n integer\n\n"
        "@data\nb,1\n'a c',2\n?,3\n'?',?\nB,5\n"
    )


WEKA = """% a comment
@RELATION 'heart disease'

@Attribute age NUMERIC
@attribute "chest pain" {typ_angina, 'non anginal', "asympt", 'it\\'s'}
@attribute when date "dd.MM.yyyy HH:mm"
@attribute day date yyyy-MM-dd
@attribute note string
@attribute ratio real

@DATA
% another
28, typ_angina, "01.02.2020 10:30", 2020-02-01, 'a, b', 1
29 'non anginal' ? ? ? 2.5
30,'it\\'s','03.02.2020 00:00',?,"50\\% \\\\ \\"x\\"\\n",?
"""


def test_files_of_weka_are_read(tmp_path: Path) -> None:
    table = read(WEKA, tmp_path)
    kinds = [table[name].domain.kind for name in table]
    assert table.names == ("age", "chest pain", "when", "day", "note", "ratio")
    assert kinds == [
        Kind.INTEGER,
        Kind.CATEGORY,
        Kind.DATETIME,
        Kind.DATE,
        Kind.CATEGORY,
        Kind.DECIMAL,
    ]
    assert cells_of(table, "chest pain") == ["typ_angina", "non anginal", "it's"]
    assert cells_of(table, "note") == ["a, b", None, '50% \\ "x"\n']
    assert table["when"].domain.texts == ["2020-02-01T10:30:00", "2020-02-03T00:00:00", ""]
    assert table["day"].domain.texts == ["2020-02-01", ""]
    assert cells_of(table, "ratio") == [1.0, 2.5, None]


def test_some_columns_other_kinds_and_markers(tmp_path: Path) -> None:
    table = read(WEKA, tmp_path, columns=["age", "note"], kinds={"age": "category"})
    assert table.names == ("age", "note")
    assert cells_of(table, "age") == ["28", "29", "30"]
    marked = read("@relation r\n@attribute a numeric\n@data\n1\n-9\n", tmp_path, missing=["-9"])
    assert cells_of(marked, "a") == [1, None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@relation r\n@attribute a numeric\n@data\n{0 1}\n", "sparse"),
        ("@relation r\n@attribute a numeric\n@data\n1,2\n", "Row 1"),
        ("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n1,,2\n", "Row 2"),
        ("@relation r\n@attribute a numeric\n@data\n1,{5}\n", "Row 1"),
        ("@relation r\n@attribute a string\n@data\n'open\n", "Row 1"),
        ("@relation r\n@attribute a {x,y}\n@data\nz\n", "list does not name"),
        ("@relation r\n@attribute a numeric\n@data\nword\n", "'a'"),
        ("@relation r\n@attribute a relational\n@data\n1\n", "relational"),
        ("@relation r\n@attribute a date 'G yyyy'\n@data\n1\n", "pattern"),
        ("@relation r\n@attribute a date\n@data\n2020\n", "pattern"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", "more than one"),
        ("a,b\n1,2\n", "header"),
        ("@relation r\n@attribute a numeric\n", "header"),
        ("@relation r\n@data\n", "no columns"),
        ("@relation r\n@attribute a numeric\n@data\n", "no rows"),
    ],
)
def test_damage_is_told_without_a_cell(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read(text, tmp_path)
    assert "word" not in caught.value.message
    assert "z" not in caught.value.message.split()


def test_text_of_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_bytes("@relation r\n@attribute a {ä}\n@data\nä\n".encode("latin-1"))
    with pytest.raises(InputError):
        read_table(path)


def test_times_finer_than_arff_are_told(tmp_path: Path) -> None:
    table = table_of(
        {"t": ["2020-01-01T10:00:00.123456", "2020-01-01T10:00:00"]}, {"t": "datetime"}
    )
    with pytest.warns(FormatLoss, match="'t'.*millisecond"):
        write_table(table, tmp_path / "t.arff")
    assert read_table(tmp_path / "t.arff")["t"].domain.texts == [
        "2020-01-01T10:00:00",
        "2020-01-01T10:00:00.123000",
    ]


def test_weka_reads_and_writes_the_same_table(tmp_path: Path) -> None:
    jar = Path(os.environ.get("PRIVET_WEKA_JAR", "/usr/share/java/weka.jar"))
    if shutil.which("java") is None or not jar.is_file():
        pytest.skip("WEKA is not here")
    table = table_of(
        {
            "the name": [
                "it's",
                'say "x"',
                "50% off",
                "a,b {c}",
                "?",
                None,
                "back\\slash",
                "tab\t",
            ],
            "n": [1, -2, None, 4, 5, 6, 7, 2**40],
            "d": [0.5, 0.25, 3.0, 1e6, None, 2.0, 1.5, 8.125],
            "day": ["2020-02-29", None, *["1999-12-31"] * 6],
        },
        kinds={"day": "date"},
    )
    write_table(table, tmp_path / "in.arff")
    command = ["java", "-cp", str(jar), "weka.filters.AllFilter", "-i", "in.arff", "-o", "out.arff"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    again = read_table(tmp_path / "out.arff", kinds={"d": "decimal"})
    assert again.names == table.names
    for name in table:
        assert cells_of(again, name) == cells_of(table, name)
