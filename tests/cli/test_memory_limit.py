"""A limit on memory set from outside: an answer, or a sentence about memory, never a crash. And
without one: memory that was freed is used again."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from privet.cli import memory_limit
from privet.cli.memory_limit import is_lack_of_memory

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = (f"{i % 40},{i % 7},{'yes' if i % 40 > 20 else 'no'}" for i in range(400))
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age,town,y", *rows]))
    return path


def limited(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    wrap = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({megabytes}000000,) * 2);"
        "sys.argv[0] = 'privet'; from privet.cli.main import run; run()"
    )
    return subprocess.run(
        [sys.executable, "-c", wrap, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("megabytes", [250, 499])
def test_too_little_to_start_is_said_at_once(table: Path, megabytes: int) -> None:
    ended = limited(megabytes, "check", str(table), "--quasi", "age", "-k", "2")
    assert ended.returncode == 3
    assert f"may have {megabytes} MB" in ended.stderr
    assert "ulimit -v" in ended.stderr


def test_help_needs_nothing(table: Path) -> None:
    assert limited(250, "--version").returncode == 0


def test_a_command_answers_under_a_limit(table: Path) -> None:
    ended = limited(620, "check", str(table), "--quasi", "age", "-k", "2")
    assert ended.returncode == 0, ended.stderr
    assert "yes" in ended.stdout.lower()


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", range(500, 1000, 25))
def test_every_limit_ends_with_an_answer_or_the_reason(
    table: Path, tmp_path: Path, megabytes: int
) -> None:
    out = tmp_path / "out"
    ended = limited(megabytes, "publish", str(table), "--target", "y", "-k", "5", "--out", str(out))
    if ended.returncode == 0:
        assert (out / "manifest.json").exists()
    else:
        assert ended.returncode == 3, ended.stderr
        assert "emory ran out" in ended.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_which_errors_are_about_memory(monkeypatch) -> None:
    assert is_lack_of_memory(OSError(errno.ENOMEM, "Cannot allocate memory"))
    monkeypatch.setattr(memory_limit, "limit", lambda: None)
    assert not is_lack_of_memory(ImportError("failed to map segment from shared object"))
    monkeypatch.setattr(memory_limit, "limit", lambda: 10**9)
    assert is_lack_of_memory(ImportError("failed to map segment from shared object"))
    assert not is_lack_of_memory(OSError(errno.ENOSPC, "No space left on device"))
    assert is_lack_of_memory(RuntimeError("can't start new thread"))
    assert not is_lack_of_memory(RuntimeError("something else"))


@pytest.mark.parametrize("limited_to", [None, 2_000_000_000])
def test_freed_memory_is_kept_for_the_next_array_unless_there_is_a_limit(
    limited_to: int | None,
) -> None:
    """A page that the system has to clear again is a fault; arrays of a column have thousands."""
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({limited_to},) * 2)" if limited_to else ""
    faults = f"""
import resource
import numpy as np
from privet.cli.memory_limit import keep_what_is_freed

def faults_of_ten_columns():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for i in range(10):
        held = [np.ones(2_000_000) for _ in range(6)]
        held.clear()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

{limit}
keep_what_is_freed()
faults_of_ten_columns()
print(faults_of_ten_columns())
"""
    # the kernel's huge pages would hide how many pages are asked for
    plain = {**os.environ, "NUMPY_MADVISE_HUGEPAGE": "0", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", faults]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    assert int(done.stdout) > 50_000 if limited_to else int(done.stdout) < 5_000
