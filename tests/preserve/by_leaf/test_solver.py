"""The solver always comes back: conflicts are limited, a clock stands behind, Ctrl-C works."""

import os
import signal
import subprocess
import sys
from functools import partial
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

import privet
from privet.datasets import agrawal
from privet.preserve import drafts
from privet.preserve.by_leaf.solver import PATIENCE, Solver
from privet.preserve.by_leaf.solver_model import most_conflicts

ENDLESS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the runner ignores
from ortools.sat.python import cp_model
from privet.preserve.by_leaf.solver_model import solve_stoppably
model, solver = cp_model.CpModel(), cp_model.CpSolver()
solver.parameters.num_workers = 1
p, q = (model.NewIntVar(2, 2**30, "") for _ in range(2))
model.AddMultiplicationEquality(536870909 * 715827883, [p, q])  # two primes, found after hours
print("solving", flush=True)
solve_stoppably(solver, model)
print("went on as if nothing had happened", flush=True)
"""

FORKED = """
import os
from ortools.sat.python import cp_model
from privet.preserve.by_leaf.solver_model import solve_stoppably

def solved():
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    solver.parameters.num_workers = 1
    x = model.NewIntVar(3, 9, "")
    model.Minimize(x)
    return solve_stoppably(solver, model) == cp_model.OPTIMAL and solver.Value(x) == 3

assert solved() and solved()
child = os.fork()
if not child:
    os._exit(0 if solved() and solved() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert solved()
print("solved in both", flush=True)
"""

LOADING = """
import signal, sys
import ortools
from privet.preserve.by_leaf.solver_model import cp_model, is_loaded

class Ended(BaseException): pass

def end(number, frame): raise Ended

class Telling:  # asked for every module, the ones in C++ too
    def find_spec(self, name, path=None, target=None):
        if name.startswith("ortools.sat"): signal.raise_signal(signal.SIGTERM)

signal.signal(signal.SIGTERM, end)
sys.meta_path.insert(0, Telling())
try:
    cp_model()
except Ended:
    print("loaded, then told" if is_loaded() else "told while it was loaded")
"""


def wide_cells() -> dict[str, Any]:
    """Bounds of whole numbers creep here: one Solve took many seconds, on other tables minutes."""
    random = np.random.default_rng(5)
    x, z = random.integers(0, 1_700_000, (2, 26))
    return {"x": x, "z": z, "y": np.round(random.normal(size=26) * 10 + x / 1e5, 1)}


def test_creeping_bounds_end_soon() -> None:
    started = monotonic()
    release = privet.publish(wide_cells(), target="y", k=1, leaves=10, impurity="deviance")
    assert monotonic() - started < 30
    assert release.tree.n_leaves == 10
    assert "stopped_by_clock" not in release.manifest.method


@pytest.mark.parametrize("seed", [0, 442621])
def test_what_takes_thousands_of_conflicts_is_found(seed: int) -> None:
    """With 1,000 of them, as with a clock that is too short, salary would be kept in pieces."""
    table, way = agrawal(3, 1000, seed), {"recoding": "leaf", "guard": 1, "refine": False}
    release = privet.publish(table, target="group", k=1, leaves=24, **way)
    columns = [release.data[name] for name in release.tree.grower.attributes or ()]
    assert len({*zip(*columns, strict=True)}) == release.tree.n_leaves == 24


def test_many_atoms_get_fewer_conflicts() -> None:
    allowed = [most_conflicts(atoms) for atoms in (0, 1, 24, 36, 64, 110, 200)]
    assert allowed == [15_000, 15_000, 15_000, 10_030, 3_173, 1_074, 1_000]


def test_the_same_table_gives_the_same_release() -> None:
    releases = [
        privet.publish(wide_cells(), target="y", k=1, leaves=10, impurity="deviance")
        for _ in range(2)
    ]
    assert releases[0].manifest.content_sha256 == releases[1].manifest.content_sha256


def test_a_stop_by_the_clock_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "Solver", partial(Solver, backstop=0.0))
    release = privet.publish(wide_cells(), target="y", k=1, leaves=10, impurity="deviance")
    assert release.manifest.method["stopped_by_clock"] is True
    assert any("stopped after 0 seconds" in message for message in release.messages)


def hard_to_keep() -> dict[str, Any]:
    """No recoding keeps the larger trees of this one: every size from 20 down to 9 is in vain."""
    random = np.random.default_rng(20)
    a, b, c = (np.round(random.exponential(3, 160), 2) for _ in range(3))
    y = np.round(a * 2 + np.sin(3 * b) * 4 + a * c + random.normal(0, 1, 160), 1)
    return {"a": a, "b": b, "c": c, "y": y}


def test_patience_ends_for_each_size(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Solver] = []

    class Watched(Solver):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            made.append(self)

    monkeypatch.setattr(drafts, "Solver", Watched)
    release = privet.publish(hard_to_keep(), target="y", k=4, leaves=11, guard=1)
    spent = [solver.rounds_in_vain for solver in made if solver.patience is not None]
    assert release.tree.n_leaves == 8
    assert len(spent) == 4  # 11, 10, 9 and 8 leaves
    assert max(spent) == PATIENCE


def test_a_signal_waits_while_the_solver_is_loaded() -> None:
    """Raised inside the import of its C++ parts, an exception would abort the process."""
    with subprocess.Popen([sys.executable, "-c", LOADING], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.wait(timeout=60) == 0
        assert running.stdout.read() == b"loaded, then told\n"


def test_an_interrupt_gets_through() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"solving\n"
        sleep(1)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(timeout=20) != 0
            assert running.stdout.read() == b""
        finally:
            running.kill()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_process_that_was_forked_solves_too() -> None:
    """The thread that solves does not come along."""
    with subprocess.Popen([sys.executable, "-c", FORKED], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        try:
            assert running.wait(timeout=60) == 0
            assert running.stdout.read() == b"solved in both\n"
        finally:
            running.kill()
