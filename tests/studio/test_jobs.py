"""Work runs in a process of its own: it tells how far it is, can be ended, and dies with the
server."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from privet.studio.jobs import Job
from privet.studio.spares import Spares
from studio.visiting import table_text

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes of POSIX")
LONG = 40_000


@pytest.fixture
def spares() -> Iterator[Spares]:
    waiting = Spares(1)
    yield waiting
    waiting.close()


def alive(pid: int) -> bool:
    """Whether a process is there and not only waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_a_job_gives_what_its_function_gives(tmp_path: Path, spares: Spares) -> None:
    table = tmp_path / "t.csv"
    table.write_text(table_text())
    job = Job.start("look", {"table": table, "reading": {}}, tmp_path, spares).wait(60)
    assert job.state == "done"
    assert job.found["records"] == 80
    assert gone(job.process.pid)


def test_a_refusal_is_a_sentence_and_a_hint(tmp_path: Path, spares: Spares) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n")
    job = Job.start("look", {"table": table, "reading": {}}, tmp_path, spares).wait(60)
    assert job.state == "failed"
    assert job.message == "The file t.csv has no rows, only column names."
    assert job.hint


def test_a_fault_of_our_own_tells_nothing_of_the_table(tmp_path: Path, spares: Spares) -> None:
    job = Job.start("look", {"table": "secret-value", "reading": 3}, tmp_path, spares).wait(60)
    assert job.state == "failed"
    assert "fault of its own (TypeError)" in job.message
    assert "secret-value" not in job.message + job.hint


def long_job(tmp_path: Path, spares: Spares) -> Job:
    """A job that takes very long, and has begun."""
    table = tmp_path / "t.csv"
    table.write_text(table_text(LONG))
    arguments = {"target": "readmitted", "identifier": ["id"], "k": 3}
    job = Job.start("trade_off", {"table": table, "arguments": arguments}, tmp_path, spares)
    end = time.monotonic() + 60
    while not job.said and time.monotonic() < end:
        time.sleep(0.01)
    assert job.is_running
    return job


def test_cancel_really_ends_the_process(tmp_path: Path, spares: Spares) -> None:
    job = long_job(tmp_path, spares)
    begun = time.monotonic()
    job.cancel()
    assert time.monotonic() - begun < 0.5  # nobody waits for it
    assert job.state == "cancelled"
    assert gone(job.process.pid, 5)
    assert job.wait(5).found is None or job.state == "cancelled"
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv"}


def test_a_process_that_does_not_listen_is_killed(tmp_path: Path, spares: Spares) -> None:
    job = long_job(tmp_path, spares)
    os.kill(job.process.pid, signal.SIGSTOP)  # it cannot even hear that it is to end
    job.cancel()
    assert gone(job.process.pid, 5)


def test_a_process_that_dies_is_told_of(tmp_path: Path, spares: Spares) -> None:
    job = long_job(tmp_path, spares)
    os.kill(job.process.pid, signal.SIGKILL)
    assert job.wait(10).state == "failed"
    assert "ended before it was done" in job.message


def test_work_ends_with_its_server(tmp_path: Path, spares: Spares) -> None:
    """Also where the server was killed and could say nothing."""
    (tmp_path / "t.csv").write_text(table_text(LONG))
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from privet.studio.jobs import Job\n"
        "from privet.studio.spares import Spares\n"
        "if __name__ == '__main__':\n"
        "    arguments = {'target': 'readmitted', 'k': 3}\n"
        "    job = Job.start('trade_off', {'table': Path('t.csv'), 'arguments': arguments},\n"
        "                    Path('.'), Spares(0))\n"
        "    print(job.process.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    (tmp_path / "program.py").write_text(program)
    server = subprocess.Popen(
        [sys.executable, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    assert alive(pid)
    server.kill()
    server.wait()
    server.stdout.close()
    assert gone(pid)
