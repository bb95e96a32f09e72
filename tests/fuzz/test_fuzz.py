"""A small fixed part of `make fuzz`, and checks that its judge can say no."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import judge
from fuzz.cases import CASES
from fuzz.mutations import WAYS, spoilt

SEED = 20
ORIGINALS = {
    "csv": b"a,b\n1,x\n2,y\n",
    "arff": b"@relation r\n@attribute a {x,y}\n@data\nx\ny\n",
    "json": b'{"a": [1, 2.5, {"b": "x"}], "c": null}',
    "pmml": b'<PMML version="4.4"><Node id="0" score="1.5"><a/>text</Node></PMML>',
    "toml": b'[columns.a]\nkind = "integer"\n',
}


def test_spoilt_files_end_with_an_answer_or_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyreadstat")
    asked = ["-m", "fuzz", "--seed", str(SEED), "--runs", "60", "--quick", "--faults", "faults"]
    places = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *asked],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )
    told = [path.read_text() for path in tmp_path.glob("faults/*/what-happened.txt")]
    assert told == []
    assert done.returncode == 0, done.stderr
    assert "60 runs on spoilt files" in done.stdout


def test_every_form_has_ways_to_be_spoilt() -> None:
    assert {case.form for case in CASES} == WAYS.keys()


@pytest.mark.parametrize("form", ORIGINALS)
def test_every_way_to_spoil_spoils(form: str) -> None:
    whole = ORIGINALS[form]
    for way in WAYS[form]:
        chance = random.Random(SEED)
        assert any(way(whole, chance) != whole for _ in range(20)), way
    chance = random.Random(SEED)
    assert len({spoilt(whole, form, chance) for _ in range(50)}) > 30


FAULTS = {
    "raise KeyError('x')": "status 70",
    "sys.stderr.write('Traceback')": "a traceback",
    "os.kill(os.getpid(), 9)": "ended by signal 9",
    "return 5": "status 5",
    "return 2": "an error without a hint",
    "x = b'1' * (800 << 20)": "took too much memory",
    "while True: pass": "took too long",
    "pass": "",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("code", FAULTS)
def test_the_judge_sees_every_kind_of_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    import privet.cli.main as command

    lines: dict[str, object] = {"os": os, "sys": sys}
    exec(f"def app(*_, **__):\n    {code}", lines)
    monkeypatch.setattr(command, "app", lines["app"])
    monkeypatch.setattr(judge, "SECONDS", 1)
    if "<< 20" in code:
        own = int(Path("/proc/self/statm").read_text().split()[1]) * 4
        monkeypatch.setattr(judge, "MEMORY", own + (100 << 10))
    assert judge.judged(["schema"], tmp_path).fault == FAULTS[code]
