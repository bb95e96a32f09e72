"""publish, verify, explore, recode and predict, through the command line alone."""

import csv
import json
import stat
from collections import Counter
from pathlib import Path

import pytest

from privet.cli.main import main
from privet.datasets import adult_like, hospital, houses
from privet.files import write_table

FIELDS = [
    "leaves",
    "k",
    "k_with_target",
    "l",
    "t",
    "equivalence_classes",
    "records",
    "same_tree",
    "release",
    "fingerprint",
]


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    write_table(hospital(1200, 5), path)
    return path


ROLES = ["--target", "readmitted", "--identifier", "patient_id", "--sensitive", "diagnosis"]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(a) for a in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def published(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, object]:
    status, out, err = run(capsys, "publish", *arguments, "--json")
    assert status == 0, err
    found = json.loads(out)
    assert list(found)[: len(FIELDS)] == FIELDS
    return found


@pytest.mark.parametrize("recoding", ["global", "leaf"])
def test_publish_and_verify(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], recoding: str
) -> None:
    folder = tmp_path / "release"
    found = published(
        capsys, patients, *ROLES, "-k", 10, "-l", "1.5", "--leaves", 4, "--recoding", recoding,
        "--format", "csv", "--out", folder,
    )  # fmt: skip
    assert {p.name for p in folder.iterdir()} >= {
        "data.csv", "model.json", "manifest.json", "report.html",
    }  # fmt: skip
    with (folder / "data.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    quasi = [c for c in rows[0] if c not in ("diagnosis", "readmitted")]
    assert "patient_id" not in rows[0]
    classes = Counter(tuple(row[c] for c in quasi) for row in rows)
    assert min(classes.values()) == found["k"] >= 10
    assert len(classes) == found["equivalence_classes"]
    assert len({row["diagnosis"] for row in rows}) > 1  # l was asked for and holds
    assert found["same_tree"] is True
    assert found["l"] >= 1.5
    status, out, _ = run(capsys, "verify", folder, "--fingerprint", found["fingerprint"], "--json")
    verified = json.loads(out)
    assert status == 0
    assert verified["holds"]
    assert verified["same_tree"]
    answers = {check["name"]: check["answer"] for check in verified["checks"]}
    assert answers["l-diversity of diagnosis"] == "yes"
    assert answers["k-anonymity"] == "yes"
    status, out, _ = run(capsys, "verify", folder, "--fingerprint", "00" * 32)
    assert status == 1
    assert "NO" in out


def test_a_smaller_tree_is_published_and_said(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(
        capsys, "publish", patients, *ROLES, "-k", 200, "--leaves", 30, "--recoding", "global",
        "--no-report", "--out", tmp_path / "r",
    )  # fmt: skip
    assert status == 0
    assert "30 leaves were asked for" in out


def test_released_sensitive_columns_can_be_counted_by_anyone(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published(
        capsys, patients, *ROLES, "-k", 10, "-l", 2, "--leaves", 3, "--release-sensitive",
        "--no-report", "--out", tmp_path / "r",
    )  # fmt: skip
    _, out, _ = run(capsys, "verify", tmp_path / "r", "--json")
    answers = {check["name"]: check["answer"] for check in json.loads(out)["checks"]}
    assert answers["l-diversity of diagnosis"] == "yes"


def test_sensitive_target_is_judged(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = published(
        capsys, patients, "--target", "readmitted", "--identifier", "patient_id",
        "--sensitive", "readmitted,diagnosis", "-k", 5, "-l", "1.1", "--leaves", 3,
        "--no-report", "--out", tmp_path / "r",
    )  # fmt: skip
    assert set(found["l_by_column"]) == {"readmitted", "diagnosis"}  # type: ignore[call-overload]
    assert min(found["l_by_column"].values()) >= 1.1  # type: ignore[attr-defined]


def test_target_known_counts_the_target(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = published(
        capsys, patients, *ROLES, "-k", 10, "--leaves", 5, "--target-known", "--no-report",
        "--out", tmp_path / "r",
    )  # fmt: skip
    assert found["k_with_target"] >= 10  # type: ignore[operator]


def test_the_same_input_gives_the_same_release(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [patients, *ROLES, "-k", 10, "--leaves", 6]
    first = published(capsys, *asked, "--out", tmp_path / "a")
    second = published(capsys, *asked, "--out", tmp_path / "b")
    assert first["fingerprint"] == second["fingerprint"]


def test_audit_is_for_its_owner_alone(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = tmp_path / "audit"
    published(
        capsys, patients, *ROLES, "-k", 10, "--leaves", 3, "--audit", audit, "--no-report",
        "--out", tmp_path / "r",
    )  # fmt: skip
    assert {p.name for p in audit.iterdir()} == {"audit.json", "steward.html"}
    assert stat.S_IMODE(audit.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in audit.iterdir())
    sizes = json.loads((audit / "audit.json").read_text())["sizes"]
    assert [line["leaves"] for line in sizes] == [2, 3]


def test_cross_validation_chooses_the_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "houses.parquet"
    write_table(houses(800, 2), table)
    target = houses(5, 2).names[-1]
    found = published(capsys, table, "--target", target, "-k", 20, "--no-report",
                      "--out", tmp_path / "r")  # fmt: skip
    assert 2 <= found["leaves"] <= 32  # type: ignore[operator]
    assert found["k"] >= 20  # type: ignore[operator]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--target", "nobody", "-k", 5], 2, "nobody"),
        (["-k", 5], 2, "target"),
        ([*ROLES, "-k", 0], 2, "k must be"),
        ([*ROLES, "-k", -3], 2, "k must be"),
        ([*ROLES, "-k", 100_000], 2, "number of records"),
        ([*ROLES, "-k", 5, "-l", "0.5"], 2, "l must be"),
        ([*ROLES, "-k", 5, "-t", "7"], 2, "t must be"),
        ([*ROLES, "-k", 5, "--leaves", 1], 2, "leaves must be"),
        ([*ROLES, "-k", 5, "--impurity", "guess"], 2, "--impurity"),
        ([*ROLES, "-k", 5, "--format", "xls"], 2, "--format"),
        ([*ROLES, "-k", 5, "--drop", "readmitted"], 2, "dropped"),
        (["--target", "readmitted", "-k", 5, "-l", 2], 2, "sensitive"),
        ([*ROLES, "-k", 1000], 1, "reaches k ="),
        ([*ROLES, "-k", 5, "-l", "50"], 1, "No release of this table can reach"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    patients: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[object],
    status: int,
    words: str,
) -> None:
    got, _out, err = run(
        capsys, "publish", patients, *arguments, "--recoding", "global", "--out", tmp_path / "r"
    )
    assert got == status
    assert words in err
    assert "Hint:" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_leaf_recoding_says_what_cannot_be_reached(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = run(
        capsys, "publish", patients, *ROLES, "-k", 5, "-l", 50, "--out", tmp_path / "r"
    )
    assert status in (1, 2)
    assert "Hint:" in err
    assert not (tmp_path / "r").exists()


def test_existing_folders_stay(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "mine.txt").write_text("keep me")
    asked = [patients, *ROLES, "-k", 10, "--leaves", 2, "--no-report", "--out", folder]
    for force in ([], ["--force"]):  # even by force, only releases are replaced
        status, _, err = run(capsys, "publish", *asked, *force)
        assert status == 2
        assert "Hint:" in err
        assert (folder / "mine.txt").read_text() == "keep me"
    (folder / "mine.txt").unlink()
    assert run(capsys, "publish", *asked)[0] == 2
    assert run(capsys, "publish", *asked, "--force")[0] == 0  # an empty folder
    first = (folder / "manifest.json").read_bytes()
    asked[asked.index(10)] = 20
    assert run(capsys, "publish", *asked)[0] == 2
    assert (folder / "manifest.json").read_bytes() == first
    assert run(capsys, "publish", *asked, "--force")[0] == 0
    assert (folder / "manifest.json").read_bytes() != first


def test_explore(patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "plot.png"
    asked = [patients, *ROLES, "-k", 20, "--leaves", 5, "--recoding", "global"]
    status, out, _ = run(capsys, "explore", *asked, "--plot", plot, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["measure"] == "accuracy"
    assert [line["leaves"] for line in found["sizes"]] == [2, 3, 4, 5]
    assert set(found["sizes"][0]) >= {
        "k", "k_with_target", "l", "t", "training", "cross_validated", "passes",
        "marginal_error", "association_error", "columns_repaired", "one_class_share",
    }  # fmt: skip
    assert {line["columns_repaired"] for line in found["sizes"]} == {None}
    ks = [line["k"] for line in found["sizes"]]
    assert ks == sorted(ks, reverse=True)
    assert plot.read_bytes().startswith(b"\x89PNG")
    status, out, _ = run(capsys, "explore", *asked)
    assert status == 0
    assert out.splitlines()[0].split()[:2] == ["leaves", "K"]
    assert "told" in out.splitlines()[0].split()
    assert not (tmp_path / "report.html").exists()


def test_explore_takes_the_roles_that_publish_takes(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [patients, "--target", "readmitted", "--quasi", "stay_days,sex", "-k", 10]
    status, _, err = run(capsys, "explore", *asked)
    assert status == 2
    assert "--rest" in err
    status, out, _ = run(capsys, "explore", *asked, "--rest", "drop", "--leaves", 3, "--json")
    assert status == 0
    assert json.loads(out)["sizes"]


def test_recode_and_predict(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "release"
    published(capsys, patients, *ROLES, "-k", 10, "--leaves", 5, "--format", "csv", "--no-report",
              "--recoding", "leaf", "--out", folder)  # fmt: skip
    recoded, predicted = tmp_path / "recoded.csv", tmp_path / "predicted.csv"
    assert run(capsys, "recode", folder, patients, "--out", recoded)[0] == 0
    assert sorted(recoded.read_text().splitlines()) == sorted(
        (folder / "data.csv").read_text().splitlines()
    )
    assert run(capsys, "predict", folder, patients, "--out", predicted)[0] == 0
    with predicted.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1200
    assert {row["predicted"] for row in rows} <= {"no", "yes"}
    status, _, err = run(capsys, "predict", folder, patients, "--out", predicted)
    assert status == 2
    assert "--force" in err
    other = tmp_path / "other.csv"
    write_table(adult_like(20, 1), other)
    status, _, err = run(capsys, "predict", folder, other, "--out", tmp_path / "p2.csv")
    assert status == 2
    assert "has no column" in err


@pytest.mark.parametrize("command", ["verify", "report", "recode", "predict"])
def test_a_folder_that_is_no_release(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    more = [patients, "--out", tmp_path / "x.csv"] if command in ("recode", "predict") else []
    for folder in (tmp_path, tmp_path / "absent", patients):
        status, _, err = run(capsys, command, folder, *more)
        assert status == 3
        assert "Hint:" in err
        assert "Traceback" not in err


def test_people_told_by_boundaries_are_shown_and_guarded(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [patients, *ROLES, "-k", 3, "--leaves", 12, "--format", "csv"]
    free = published(capsys, *asked, "--guard", 1, "--out", tmp_path / "free")
    assert free["told_by_boundaries"] > 0
    assert any("alone next to a threshold" in message for message in free["messages"])
    page = (tmp_path / "free" / "report.html").read_text(encoding="utf-8")
    assert f"{free['told_by_boundaries']} people stand alone next to a threshold" in page
    guarded = published(capsys, *asked, "--out", tmp_path / "guarded")
    assert guarded["told_by_boundaries"] == 0
    page = (tmp_path / "guarded" / "report.html").read_text(encoding="utf-8")
    assert "units of at least 3 records" in page
    assert "stand alone next to a threshold" not in page
    status, out, _ = run(capsys, "publish", *asked, "--guard", 1, "--out", tmp_path / "words")
    assert status == 0
    (line,) = (line for line in out.splitlines() if line.startswith("  told by boundaries"))
    assert line.split()[3] == str(free["told_by_boundaries"])
    assert run(capsys, "publish", *asked, "--guard", 0, "--out", tmp_path / "none")[0] == 2
