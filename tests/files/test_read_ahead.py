"""Files that are given up half way: Arrow reads ahead in a thread, and must not hold us up."""

import gzip
import io
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from privet.files import read_table
from privet.files.read_ahead import _Unpacked, read_ahead


class Slow(io.BytesIO):
    """A file that takes its time."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.inside = threading.Event()
        self.left = False

    def read(self, size: int | None = -1) -> bytes:
        self.inside.set()
        time.sleep(0.1)
        self.left = True
        return super().read(size)


def test_who_leaves_waits_for_who_reads() -> None:
    slow = Slow(b"x" * 100)
    unpacked = _Unpacked(slow)

    def reading() -> None:
        while unpacked.read(10):
            pass

    thread = threading.Thread(target=reading)
    thread.start()
    slow.inside.wait()
    unpacked.stop()
    assert slow.left
    assert thread.ident not in sys._current_frames()
    assert unpacked.read(10) == b""


def test_one_that_fails_is_not_waited_for() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("broken")

    unpacked = _Unpacked(Broken())
    with pytest.raises(OSError, match="broken"):
        unpacked.read(1)
    before = time.monotonic()
    unpacked.stop()
    assert time.monotonic() - before < 0.5


@pytest.mark.parametrize("packed", [False, True])
def test_the_same_bytes(tmp_path: Path, packed: bool) -> None:
    text = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i % 3) for i in range(1000))
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    with read_ahead(path) as (stream, taken):
        assert stream.read(len(text) + 1) == text
        assert taken() == path.stat().st_size
    assert read_table(path).n_rows == 1000


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_given_up_ends_the_command(tmp_path: Path, packed: bool) -> None:
    text = b'a,b\n"' + b"x" * (100 << 20)
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    asked = ["check", str(path), "--quasi", "a", "-k", "2"]
    for _ in range(20):  # one in ten aborted, or hung, while Arrow read through Python
        ended = subprocess.run(
            [sys.executable, "-m", "privet", *asked],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 3, ended.stderr
        assert "more than 8 MB" in ended.stderr


@pytest.mark.parametrize(("asked", "status"), [("--version", 0), ("check nowhere.csv", 2)])
def test_a_command_ends_though_a_thread_is_still_at_work(asked: str, status: int) -> None:
    code = (
        "import sys, threading, time; threading.Thread(target=time.sleep, args=(50,)).start();"
        f"sys.argv = ['privet', *{asked.split()}]; from privet.cli.main import run; run()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert ended.returncode == status
    assert ended.stderr if status else ended.stdout  # nothing that was said is lost
