"""`privet check` from outside: the answer, the figures, the exit status, and what is refused."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles import naive_criteria as naive
from privet.cli.main import main

PATIENTS = """name,age,sex,disease,stay
a,30,m,flu,1
b,30,m,cold,2
c,30,m,flu,3
d,40,f,flu,4
e,40,f,flu,5
f,,f,cold,6
"""
BY = ["--quasi", "age,sex"]


@pytest.fixture
def patients(tmp_path: Path) -> str:
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS)
    return str(path)


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["check", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_json_without_thresholds(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = figures(capsys, patients, *BY, "--sensitive", "disease,stay")
    assert status == 0
    assert found == {
        "k": 1,
        "l": {
            "disease": {"strong": 1, "distinct": 1, "entropy": 1},
            "stay": {"strong": 1, "distinct": 1, "entropy": 1},
        },
        "t": {"disease": 2 / 3, "stay": 0.5},
        "records": 6,
        "equivalence_classes": 3,
        "unique_records": 1,
        "violating_records": 0,
        "violating_classes": 0,
        "holds": True,
    }


def test_a_missing_quasi_identifier_is_a_value(
    patients: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = figures(capsys, patients, *BY, "-k", "2")
    assert (status, found["k"], found["violating_records"], found["holds"]) == (1, 1, 1, False)
    assert found["l"] == found["t"] == {}


@pytest.mark.parametrize(
    ("asked", "violating", "status"),
    [
        (["-k", "1"], 0, 0),
        (["-k", "3"], 3, 1),
        (["-l", "1.5"], 3, 1),
        (["-l", "1.51"], 6, 1),
        (["-k", "3", "-l", "1.5"], 3, 1),  # the same records break both and count once
        (["-k", "2", "-l", "1.51"], 6, 1),
        (["-l", "2", "--l-kind", "distinct"], 3, 1),
        (["-l", "1", "--l-kind", "entropy"], 0, 0),
        (["-l", "1.88", "--l-kind", "entropy"], 3, 1),
        (["-l", "2", "--l-kind", "recursive", "--c", "3"], 3, 1),
        (["-l", "2", "--l-kind", "recursive", "--c", "2"], 6, 1),
        (["-l", "1", "--l-kind", "recursive"], 0, 0),
        (["-t", "0.34"], 1, 1),
        (["-t", "0.66"], 1, 1),
        (["-t", "0.67"], 0, 0),
        (["-t", "0"], 3, 1),
    ],
)
def test_who_breaks_what(
    asked: list[str],
    violating: int,
    status: int,
    patients: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result, found = figures(capsys, patients, *BY, "--sensitive", "disease", *asked)
    assert (found["violating_records"], result) == (violating, status)
    assert found["holds"] is (status == 0)


def test_words_for_people(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", patients, "--quasi", "sex", "-k", "3"]) == 0
    yes = capsys.readouterr()
    assert yes.out.startswith(
        "YES: patients.csv satisfies k-anonymity with k = 3, for these columns."
    )
    assert main(["check", patients, *BY, "--sensitive", "disease", "-k", "3", "-l", "1"]) == 1
    no = capsys.readouterr()
    assert no.out.startswith("NO: patients.csv does not satisfy k-anonymity with k = 3, for")
    assert "3 of 6 records" in no.out
    assert main(["check", patients, *BY]) == 0
    neither = capsys.readouterr()
    assert "YES" not in neither.out
    assert "NO" not in neither.out
    for printed in (yes, no, neither):
        assert printed.err == ""
        assert "\x1b" not in printed.out
        assert "anonymous" not in printed.out


def test_schema_names_the_columns_and_options_go_first(
    patients: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / "s.toml"
    roles = {"name": "identifier", "age": "quasi", "sex": "quasi", "disease": "sensitive"}
    schema.write_text(
        'missing = ["flu"]\n'
        + "".join(f'[columns.{c}]\nkind = "category"\nrole = "{r}"\n' for c, r in roles.items())
    )
    status, found = figures(capsys, patients, "--schema", str(schema))
    assert (status, found["equivalence_classes"], list(found["l"])) == (0, 3, ["disease"])
    _, found = figures(capsys, patients, "--schema", str(schema), "--quasi", "sex")
    assert found["equivalence_classes"] == 2
    _, found = figures(capsys, patients, "--schema", str(schema), "--sensitive", "sex")
    assert (found["equivalence_classes"], list(found["l"])) == (3, ["sex"])


def test_kinds_decide_the_distance_of_t(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, as_number = figures(capsys, patients, "--quasi", "sex", "--sensitive", "stay")
    _, as_label = figures(
        capsys, patients, "--quasi", "sex", "--sensitive", "stay", "--category", "stay"
    )
    assert as_number["t"] == {"stay": 0.3}
    assert as_label["t"] == {"stay": 0.5}


def test_markers_of_missing_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "marked.csv"
    path.write_text("q,r\nx,a\nx,a\n?,b\n,b\n")
    assert figures(capsys, str(path), "--quasi", "q")[1]["k"] == 1
    assert figures(capsys, str(path), "--quasi", "q", "--missing", "?")[1]["k"] == 2


def test_columns_that_are_not_needed_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("q,rest\n1,inf\n1,2\n")
    assert figures(capsys, str(path), "--quasi", "q")[1]["k"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "No quasi-identifier is named"),
        (["--quasi", "agee"], "no column 'agee'"),
        ([*BY, "--sensitive", "illness"], "no column 'illness'"),
        ([*BY, "-k", "0"], "k must be"),
        ([*BY, "-k", "-4"], "k must be"),
        ([*BY, "-k", "five"], "k must be a whole number of at least 1, got five"),
        ([*BY, "-k", "7"], "k must be at most the number of records"),
        ([*BY, "-l", "2"], "no sensitive column is named"),
        ([*BY, "-t", "0.2"], "no sensitive column is named"),
        ([*BY, "--sensitive", "disease", "-l", "0.5"], "l must be"),
        ([*BY, "--sensitive", "disease", "-l", "two"], "l must be"),
        ([*BY, "--sensitive", "disease", "-l", "2", "--l-kind", "weak"], "is not one of 'strong'"),
        ([*BY, "--sensitive", "disease", "-l", "2.5", "--l-kind", "recursive"], "whole number"),
        ([*BY, "--sensitive", "disease", "-l", "2", "--c", "-1"], "c must be"),
        ([*BY, "--sensitive", "disease", "-t", "1.2"], "t must be"),
        ([*BY, "--sensitive", "disease", "-t", "nan"], "t must be"),
        ([*BY, "--sensitive", "sex"], "both as quasi-identifier and as sensitive"),
        ([*BY, "--category", "agee"], "no column 'agee'"),
    ],
)
def test_wrong_usage_is_refused_with_a_hint(
    arguments: list[str], message: str, patients: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", patients, *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert "Hint: " in printed.err
    assert "Traceback" not in printed.err


def test_an_unreadable_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "absent.csv"), *BY]) == 3
    header_only = tmp_path / "header.csv"
    header_only.write_text("age,sex\n")
    assert main(["check", str(header_only), *BY]) == 3
    assert capsys.readouterr().out == ""


cells = st.sampled_from(["", "1", "2", "x"])


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=20).filter(
        lambda rows: any("".join(row) for row in rows)  # a file of missing cells only is refused
    )
)
def test_figures_agree_with_an_independent_count(
    rows: list[tuple[str, str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "random.csv"
    path.write_text("a,b,s\n" + "".join(",".join(row) + "\n" for row in rows))
    options = ["--quasi", "b,a", "--sensitive", "s", "--category", "a,b,s"]
    _, found = figures(capsys, str(path), *options, "-k", "1")
    classes = naive.equivalence_classes(rows, (0, 1), 2)
    whole = sum(classes, Counter[Any]())
    assert found["records"] == len(rows)
    assert found["equivalence_classes"] == len(classes)
    assert found["k"] == min(group.total() for group in classes)
    assert found["l"]["s"]["strong"] == float(min(map(naive.strong_l, classes)))
    assert found["l"]["s"]["distinct"] == min(map(naive.distinct_l, classes))
    assert found["t"]["s"] == float(max(naive.equal_distance(g, whole) for g in classes))
