"""A small fixed part of `make fuzz`, and checks that its judge can say no."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from fuzz import judge
from fuzz.cases import CASES
from fuzz.mutations import WAYS, spoilt
from privet.cli.main import COMMANDS

SEED = 20
RUNS = 32
PLACES = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
ORIGINALS = {
    "csv": b"a,b\n1,x\n2,y\n",
    "arff": b"@relation r\n@attribute a {x,y}\n@data\nx\ny\n",
    "json": b'{"a": [1, 2.5, {"b": "x"}], "c": null}',
    "pmml": b'<PMML version="4.4"><Node id="0" score="1.5"><a/>text</Node></PMML>',
    "toml": b'[columns.a]\nkind = "integer"\n',
}


@dataclass(frozen=True)
class Ended:
    """A small campaign that got a hangup at its start and was ended when it had done enough."""

    status: int
    out: str
    err: str
    log: list[str]
    folder: Path

    def alive(self) -> list[str]:
        """Processes that still work in the folder."""
        seen = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
        return [str(line) for line in seen if os.fsencode(self.folder) in line]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyreadstat")
    folder = tmp_path_factory.mktemp("fuzz")
    log = folder / "log"
    asked = f"-m fuzz --seed {SEED} --quick --faults {folder}/faults --log {log}".split()
    campaign = subprocess.Popen(
        [sys.executable, *asked],
        env=os.environ | {"PYTHONPATH": PLACES, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert campaign.stdout is not None
    first = campaign.stdout.readline()
    campaign.send_signal(signal.SIGHUP)
    while campaign.poll() is None and not (log.exists() and log.read_text().count("\n") >= RUNS):
        time.sleep(0.1)
    campaign.send_signal(signal.SIGTERM)
    out, err = campaign.communicate(timeout=60)
    return Ended(campaign.returncode, first + out, err, log.read_text().splitlines(), folder)


def test_spoilt_files_end_with_an_answer_or_one_sentence(ended: Ended) -> None:
    told = [path.read_text() for path in ended.folder.glob("faults/*/what-happened.txt")]
    assert told == []
    assert len(ended.log) >= RUNS


def test_a_campaign_that_is_ended_tells_what_it_found(ended: Ended) -> None:
    """A hangup must not end it: it was sent before the first run."""
    assert ended.status == 130, ended.err
    assert ended.err == ""
    assert "Ended early." in ended.out
    assert f"{len(ended.log)} runs on spoilt files" in ended.out
    assert "Faults: 0." in ended.out


def test_a_campaign_that_is_ended_leaves_nothing(ended: Ended) -> None:
    assert ended.alive() == []
    assert list(ended.folder.glob("privet-fuzz-*")) == []


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test makes the files, and the others find them."""
    return tmp_path_factory.mktemp("whole") / "originals"


@pytest.mark.slow
@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_commands_take_the_files_before_they_are_spoilt(
    name: str, originals: Path, tmp_path: Path
) -> None:
    asked = f"--whole --seed {SEED} --only {name} --originals {originals}".split()
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", *asked],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": PLACES},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_command_is_tried() -> None:
    tried = {command.split()[0] for case in CASES for command in (*case.commands, *case.slow)}
    by_its_own_tests = {"studio"}  # it does not end with an answer: files are spoilt in its page
    assert tried | by_its_own_tests == set(COMMANDS)


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


GREEDY = "import time; x = b'1' * ENOUGH; time.sleep(99)"
FAULTS = {
    "raise KeyError('x')": "status 70",
    "sys.stderr.write('Traceback')": "a traceback",
    "os.kill(os.getpid(), 9)": "ended by signal 9",
    "return 5": "status 5",
    "return 2": "an error without a hint",
    "x = b'1' * ENOUGH": "took too much memory",
    GREEDY: "took too much memory",
    f"subprocess.run([sys.executable, '-c', {GREEDY!r}])": "took too much memory",
    "while True: pass": "took too long",
    "time.sleep(99)": "took too long",
    "subprocess.Popen(['sleep', '99'])": "left a process running",
    "pass": "",
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs to see processes")
@pytest.mark.parametrize("code", FAULTS)
def test_the_judge_sees_every_kind_of_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """Whoever waits while it holds too much memory is stopped; nobody waits for its end."""
    import privet.cli.main as command

    own = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    bound = own + (100 << 20)  # the child begins with as much as this process has by now
    lines: dict[str, object] = {"os": os, "sys": sys, "subprocess": subprocess, "time": time}
    exec(f"def app(*_, **__):\n    {code}".replace("ENOUGH", str(bound + (200 << 20))), lines)
    monkeypatch.setattr(command, "app", lines["app"])
    if FAULTS[code] == "took too long":
        monkeypatch.setattr(judge, "SECONDS", 1)
    if "ENOUGH" in code:
        monkeypatch.setattr(judge, "MEMORY", bound >> 10)
    start = time.monotonic()
    assert judge.judged(["schema"], tmp_path).fault == FAULTS[code]
    assert time.monotonic() - start < 50


def test_a_judge_that_is_told_to_end_while_it_starts_a_child_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork, children = os.fork, []

    def fork_and_be_told() -> int:
        child = fork()
        if child:
            children.append(child)
            # to this thread, which holds it back until the child has its own signals; the runner
            # may have others, which would not
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return child

    monkeypatch.setattr(os, "fork", fork_and_be_told)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # runners may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            judge.start(["schema", "no-such-table.csv"], tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    (child,) = children
    with pytest.raises(ChildProcessError):  # it was waited for
        os.waitpid(child, 0)


def test_the_bounds_are_those_that_are_promised() -> None:
    assert (judge.SECONDS, judge.MEMORY) == (60, 2 * 1024 * 1024)
