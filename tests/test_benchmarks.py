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
COMMANDS = ROOT / "benchmarks" / "bench_commands.py"  # starts some thirty processes
LONG = {COMMANDS: pytest.mark.slow}
MARKED = [pytest.param(script, marks=LONG.get(script, ())) for script in BENCHMARKS]


def test_there_are_benchmarks() -> None:
    assert BENCHMARKS


@pytest.mark.parametrize("script", MARKED, ids=lambda path: path.stem)
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


def test_slower_commands_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import check

    kept = {"publish, beside floor": 10.0, "check, beside duckdb": 1.0, "gone, beside floor": 1.0}
    found = {"publish, beside floor": 11.9, "check, beside duckdb": 1.25, "new, beside floor": 9.0}
    assert check.slower(found, kept) == {"check, beside duckdb": 1.25}
    outcomes = iter([found, {**found, "check, beside duckdb": 1.1}, found, found])
    monkeypatch.setattr(check, "measured", lambda: next(outcomes))
    monkeypatch.setattr(check, "KEPT", ROOT / "benchmarks" / "absent.json")
    monkeypatch.setattr(check.json, "loads", lambda _: kept)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "")
    assert check.main(keep=False) == 0  # the second time it was quick enough
    assert check.main(keep=False) == 1
