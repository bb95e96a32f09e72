"""Every benchmark runs, at a size that measures nothing.

What they print at their real sizes is read by people (`make bench`); here it is only seen that none
of them calls a name that is gone. Peers that are not installed are left out by the benchmarks.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = sorted((ROOT / "benchmarks").glob("bench_*.py"))


def test_there_are_benchmarks() -> None:
    assert BENCHMARKS


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda path: path.stem)
def test_benchmarks_run(script: Path) -> None:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "benchmarks")])
    ran = subprocess.run(
        [sys.executable, script, "300"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert "300" in ran.stdout
