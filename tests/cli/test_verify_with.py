"""`privet verify FOLDER --with PROGRAM`: its answers and exit statuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from privet import publish
from privet.cli.main import main
from privet.errors import InvalidParameter
from privet.release.verify_with import verify_each_with, verify_with
from privet.tree.foreign.agreement import Agreement
from report.releases import people
from tree.foreign.outside import needs


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with") / "release"
    people().save(folder)
    return folder


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["verify", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "program", ["privet", "sklearn", pytest.param("rpart", marks=needs("rpart"))]
)
def test_the_same_tree_grows(
    program: str, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = answer(capsys, str(release), "--with", program)
    assert status == 0
    assert found["with"] == program
    assert found["outcome"] in ("same", "same, with help", "tie")
    assert found["holds"] is True


@needs("weka")
def test_settings_that_cannot_be_expressed(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = answer(capsys, str(release), "--with", "weka")
    assert (status, found["outcome"]) == (2, "inexpressible")
    assert main(["verify", str(release), "--with", "weka"]) == 2
    assert "OPEN: weka cannot be told" in capsys.readouterr().out


def test_people_read_a_sentence(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(release), "--with", "sklearn"]) == 0
    assert "YES: sklearn grows the same tree" in capsys.readouterr().out


def test_without_the_option_nothing_is_added(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = answer(capsys, str(release))
    assert status == 0
    assert "with" not in found


@pytest.mark.parametrize(
    ("outcome", "status", "word"),
    [
        ("same, with help", 0, "with help"),
        ("tie", 0, "up to a tie"),
        ("different", 1, "another tree"),
        ("inexpressible", 2, "OPEN"),
    ],
)
def test_every_outcome_has_its_status(
    outcome: Any,
    status: int,
    word: str,
    release: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = Agreement("sklearn", outcome, "node 1: so it is", ("and so",), 1)
    monkeypatch.setattr("privet.release.verify_with.verify_each_with", lambda *_: [told])
    assert main(["verify", str(release), "--with", "sklearn"]) == status
    said = capsys.readouterr().out
    assert word in said
    assert "node 1: so it is" in said
    assert "and so" in said


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [(["same", "tie"], 0), (["same", "different"], 1), (["inexpressible", "different"], 1)],
)
def test_of_several_trees_the_worst_answer_counts(
    outcomes: list[Any],
    status: int,
    release: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [Agreement("sklearn", outcome, "so it is") for outcome in outcomes]
    monkeypatch.setattr("privet.release.verify_with.verify_each_with", lambda *_: told)
    found, data = answer(capsys, str(release), "--with", "sklearn")
    assert found == status
    assert data["outcome"] == outcomes[0]
    assert [more["outcome"] for more in data["more_trees"]] == outcomes[1:]


def test_every_tree_of_a_release_is_grown(tmp_path: Path) -> None:
    rows = {
        "age": [20, 30, 40, 50] * 10,
        "y": ["no", "no", "yes", "yes"] * 10,
        "z": ["a", "b", "b", "b"] * 10,
    }
    publish(rows, target="y", k=2, trees="target=z").save(tmp_path / "r")
    first, second = verify_each_with(tmp_path / "r", "sklearn")
    assert (first.outcome, second.outcome) == ("same", "same")
    assert verify_with(tmp_path / "r", "sklearn", tree=2) == second
    with pytest.raises(InvalidParameter, match="from 1 to 2"):
        verify_with(tmp_path / "r", "sklearn", tree=3)


def test_a_release_that_does_not_hold_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people().save(tmp_path / "release")
    (tmp_path / "release" / "model.json").write_text("{}", encoding="utf-8")
    status, found = answer(capsys, str(tmp_path / "release"), "--with", "sklearn")
    assert status == 1
    assert (found["with"], found["outcome"]) == ("sklearn", None)


def test_a_missing_program_stops_before_any_work(
    release: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVET_RSCRIPT", "/no/such/Rscript")
    assert main(["verify", str(release), "--with", "rpart"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "PRIVET_RSCRIPT" in said.err
    assert "Hint:" in said.err
    assert main(["verify", str(release), "--with", "cart"]) == 2
