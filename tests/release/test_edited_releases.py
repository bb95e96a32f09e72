"""Releases that were edited: who uses one without verifying gets an answer or one sentence."""

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from fuzz.mutations import json_structure
from privet.cli.main import main

TABLE = "age,sex,y\n" + "".join(
    f"{20 + i % 30},{'fm'[i % 2]},{'ab'[i % 30 > 14]}\n" for i in range(60)
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("releases")
    (home / "t.csv").write_text(TABLE)
    table = str(home / "t.csv")
    assert main(["publish", table, "--target", "y", "-k", "3", "--out", str(home / "leaf")]) == 0
    noisy = ["--target", "y", "--seed", "5", "--out", str(home / "noise")]
    assert main(["noise", table, *noisy]) in (0, 1)
    return home


@pytest.mark.parametrize("release", ["leaf", "noise"])
@pytest.mark.parametrize("command", ["report", "predict", "recode", "verify"])
def test_edited_manifests(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], release: str, command: str
) -> None:
    folder = tmp_path / "edited"
    shutil.copytree(home / release, folder)
    whole = (folder / "manifest.json").read_bytes()
    chance = random.Random(f"{release} {command}")
    new = [str(home / "t.csv")] if command in ("predict", "recode") else []
    out = [] if command == "verify" else ["--force", "--out", str(tmp_path / "out.csv")]
    statuses = []
    for _ in range(25):
        spoilt = json_structure(whole, chance)
        (folder / "manifest.json").write_bytes(spoilt)
        statuses.append(main([command, str(folder), *new, *out]))
        assert statuses[-1] in (0, 1, 2, 3), (spoilt, capsys.readouterr().err)
    assert {1, 2, 3} & set(statuses)


def test_a_manifest_of_odd_figures_is_no_fault_of_privet(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report multiplied whatever stood there: a traceback where it was an object."""
    folder = tmp_path / "edited"
    shutil.copytree(home / "noise", folder)
    data = json.loads((folder / "manifest.json").read_text())
    for claim in data["claims"]:
        claim["measured"] = {"a": 1}
    (folder / "manifest.json").write_text(json.dumps(data))
    assert main(["report", str(folder), "--out", str(tmp_path / "r.html")]) == 3
    err = capsys.readouterr().err
    assert "cannot be read as a release" in err
    assert "privet verify" in err


@pytest.mark.parametrize("name", ["manifest.json", "model.json", "model.pmml", "data.parquet"])
@pytest.mark.parametrize("command", ["verify", "report", "predict"])
def test_nobody_waits_for_a_pipe_in_a_release(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, command: str
) -> None:
    folder = tmp_path / "edited"
    shutil.copytree(home / "leaf", folder)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    new = [str(home / "t.csv")] if command == "predict" else []
    out = [] if command == "verify" else ["--out", str(tmp_path / "out.csv")]
    status = main([command, str(folder), *new, *out])  # a test that hangs is a test that fails
    assert status in ((1, 3) if command == "verify" else (0, 3))
    if name == "manifest.json":
        said = "".join(capsys.readouterr())
        assert "no regular file" in said or "special file" in said
