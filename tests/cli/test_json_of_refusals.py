"""A program that asked for JSON gets it when a command is refused, too."""

import json
from pathlib import Path

import pytest

from privet.cli.main import main

ASKED = {
    "check nowhere.csv --quasi a -k 2": 3,
    "check t.csv -k 2": 2,
    "publish t.csv --target z -k 2 --out out": 2,
    "publish t.csv --target y -k 90 --out out": 2,
    "verify nowhere": 3,
    "tree t.csv --target y --leaves many": 2,
}


@pytest.mark.parametrize("asked", ASKED)
def test_error_hint_and_status(
    asked: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,u\n2,v\n1,u\n2,v\n")
    status = main([*asked.split(), "--json"])
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert found.keys() == {"error", "hint", "exit_status"}
    assert found["exit_status"] == status == ASKED[asked]
    assert f"Error: {found['error']}" in shown.err
    assert found["hint"] in shown.err
    assert main(asked.split()) == status
    assert capsys.readouterr().out == ""
