"""What the disk does for outputs: signals that wait, files that are there at every moment."""

import os
import signal
import threading
from pathlib import Path

import pytest

from kills.trial import at_step
from kills.waiting import started
from privet.files import disk

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Told(BaseException):
    """What a handler raises."""


def test_signals_wait_where_there_are_other_threads() -> None:
    """A thread that does not block a signal takes it; the handler then ran at once."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    steps = []

    def tell(number: int, frame: object) -> None:
        raise Told

    def work() -> None:
        with disk.undisturbed():
            os.kill(os.getpid(), signal.SIGTERM)
            done.wait(0.2)
            steps.append("all")

    before = signal.signal(signal.SIGTERM, tell)
    try:
        with pytest.raises(Told):
            work()
        assert signal.getsignal(signal.SIGTERM) is tell
    finally:
        signal.signal(signal.SIGTERM, before)
        done.set()
        other.join()
    assert steps == ["all"]


def test_other_threads_are_not_asked_to_wait() -> None:
    seen = []

    def work() -> None:
        with disk.undisturbed():
            seen.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


@needs_fork
def test_a_file_is_there_at_every_moment_without_an_exchange_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old systems and some disks cannot exchange two names: there was a moment without any file."""
    monkeypatch.setattr(disk, "_rename", lambda *_: None)
    stage, target = tmp_path / "stage", tmp_path / "target"
    seen = set()
    for step in range(1, 20):
        stage.write_bytes(b"new")
        target.write_bytes(b"old")
        child = os.fork()
        if child == 0:
            at_step(step, signal.SIGKILL)
            disk.exchange(stage, target)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        seen.add(target.read_bytes())
        if status == 0:
            break
    assert step > 2
    assert seen == {b"old", b"new"}
    assert stage.read_bytes() == b"old"


def test_what_nobody_keeps_is_gone_after_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = (
        "import sys, tempfile, time\nfrom privet.files.disk import passing_folder\n"
        "tempfile.tempdir = sys.argv[1]\n"
        "with passing_folder('input') as folder:\n"
        "    (folder / 'table.csv').write_text('in clear')\n"
        "    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    killed = started(program, tmp_path)
    with disk.passing_folder("input") as folder:
        assert folder.stat().st_mode & 0o077 == 0
        assert len(list(tmp_path.iterdir())) == 2  # the other run is alive
    killed.kill()
    killed.wait()
    assert len(list(tmp_path.iterdir())) == 1
    with disk.passing_folder("input"):
        pass
    assert list(tmp_path.iterdir()) == []
