"""`privet anonymise` and what can be done with its release, through the command line alone."""

import json
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.cli.main import main
from privet.datasets import hospital
from privet.files import write_table

ROLES = ["--identifier", "patient_id", "--sensitive", "diagnosis"]


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table(hospital(600, seed=3), tmp_path / "patients.csv")
    return tmp_path / "patients.csv"


def told(capsys: pytest.CaptureFixture[str], *asked: str) -> dict[str, Any]:
    status = main([*asked, "--json"])
    said = capsys.readouterr()
    assert status == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_a_table_goes_out_and_is_verified(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["anonymise", "patients.csv", *ROLES, "-k", "5", "-l", "1.5", "--drop", "readmitted"]
    found = told(capsys, *asked, "--out", "r", "--audit", "a", "--title", "Patients")
    assert found["k"] >= 5
    assert found["l"] >= 1.5
    assert found["method"] == "mondrian"
    assert found["one_class"] is found["k_with_target"] is None
    assert found["columns"]["kept"] == ["diagnosis"]
    assert main(["verify", "r", "--fingerprint", found["fingerprint"]]) == 0
    said = capsys.readouterr().out
    assert "k-anonymity" in said
    assert "same-tree" not in said
    assert main(["report", "r", "--out", "again.html"]) == 0
    again, first = (Path(name).read_bytes() for name in ("again.html", "r/report.html"))
    assert again == first
    assert b"Patients" in first
    assert sorted(path.name for path in Path("a").iterdir()) == ["audit.json", "steward.html"]
    assert main([*asked, "--out", "r"]) == 2
    assert main([*asked, "--out", "r", "--force"]) == 0


def test_command_and_function_give_the_same(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--target", "readmitted", "--method", "infogain", "--one-class", "allow", "-k", "8"]
    found = told(capsys, "anonymise", "patients.csv", *ROLES, *asked, "--out", "r")
    release = privet.anonymise(
        patients,
        identifier="patient_id",
        sensitive="diagnosis",
        target="readmitted",
        method="infogain",
        one_class="allow",
        k=8,
    )
    assert release.save("twin") == found["fingerprint"]


def test_people_read_what_is_protected_and_what_is_exposed(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*ROLES, "--target", "readmitted", "--other", "bmi", "-k", "8", "--out", "r"]
    assert main(["anonymise", "patients.csv", *asked, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "would be published in r, without a tree (mondrian)" in said
    assert "guessing readmitted" in said
    assert "counted nowhere                    1  bmi" in said
    assert "Dry run, nothing written." in said
    assert not Path("r").exists()


def test_options_are_written_and_read_again(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["anonymise", "patients.csv", *ROLES, "-k", "6", "--target", "readmitted"]
    first = told(capsys, *asked, "--method", "infogain", "--save-config", "c.toml", "--out", "a")
    assert 'method = "infogain"' in Path("c.toml").read_text()
    again = told(capsys, "anonymise", "--config", "c.toml", "--out", "b")
    assert again["fingerprint"] == first["fingerprint"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--method", "infogain"], "--method infogain needs a target, and none is named."),
        (["--one-class", "forbid"], "--one-class forbid needs a target, and none is named."),
        (["--target-known"], "--target-known needs a target, and none is named."),
        (
            ["--target", "stay_days", "--method", "infogain"],
            "--method infogain needs a target of categories; 'stay_days' is of kind integer.",
        ),
        (["--quasi", "sex"], "columns have no role"),
    ],
)
def test_errors_are_kind(
    patients: Path, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
) -> None:
    assert main(["anonymise", "patients.csv", "-k", "5", *asked, "--out", "r"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "\nHint: " in err
    assert not Path("r").exists()


def test_a_release_without_a_tree_says_so_to_those_who_want_one(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "anonymise", "patients.csv", *ROLES, "-k", "6", "--out", "r")
    assert main(["predict", "r", "patients.csv", "--out", "p.csv"]) == 2
    assert "has no tree" in capsys.readouterr().err
    assert main(["verify", "r", "--with", "sklearn"]) == 2
    assert "has no tree" in capsys.readouterr().err
    assert main(["tree", "r", "--target", "sex"]) == 2
    assert "`privet tree r/data.parquet --target COLUMN`" in capsys.readouterr().err
    assert main(["recode", "r", "patients.csv", "--nearest", "--out", "n.csv"]) == 0
