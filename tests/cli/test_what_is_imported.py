"""A command imports what it needs, and pandas, which takes longest, for SPSS and Stata only."""

import subprocess
import sys
from pathlib import Path

import pytest

PANDAS = "pandas.core.frame"  # `pandas` alone is listed if it was looked for in vain
TABLE = "age,town,y\n" + "".join(
    f"{20 + i % 5},{'ab'[i % 2]},{'no' if i % 5 < 2 else 'yes'}\n" for i in range(30)
)


def imported(*arguments: object) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", "privet", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}


def test_reading_and_writing_tables_needs_no_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
    table.write_text(TABLE)
    for call in (
        ["check", table, "--quasi", "town", "-k", 2],
        ["convert", table, parquet],
        ["publish", parquet, "--target", "y", "-k", 3, "--out", tmp_path / "release"],
        ["verify", tmp_path / "release"],
    ):
        modules = imported(*call)
        assert "pyarrow" in modules
        assert PANDAS not in modules, call
        assert "pydantic" not in modules, call


def test_files_of_statistical_packages_still_get_it(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    table = tmp_path / "t.csv"
    table.write_text(TABLE)
    assert PANDAS in imported("convert", table, tmp_path / "t.dta")
    imported("convert", tmp_path / "t.dta", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == TABLE


def test_the_solver_needs_no_pandas() -> None:
    pytest.importorskip("pandas")
    program = (
        "import os, sys; os.environ['PRIVET_WITHOUT_PANDAS'] = '1'\n"
        "from privet.preserve.by_leaf.solver_model import cp_model\n"
        "model = cp_model().CpModel(); x = model.NewIntVar(3, 9, ''); model.Add(x <= 3)\n"
        "solver = cp_model().CpSolver(); solver.Solve(model)\n"
        "print(solver.Value(x), 'pandas' in sys.modules)\n"
        "import pandas; print(pandas.Series([3, 4]).sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "3 False\n7\n", done.stderr


def test_compiled_loops_need_no_linear_algebra() -> None:
    pytest.importorskip("scipy")
    program = (
        "import os, sys; os.environ['PRIVET_WITHOUT_PANDAS'] = '1'\n"
        "import numpy as np\n"
        "from privet.compiled.counting import count_dense\n"
        "out = np.zeros(3, np.uint32); count_dense(np.array([2, 0, 2]), out)\n"
        "print(out.tolist(), 'scipy.linalg' in sys.modules)\n"
        "import scipy.linalg; print(scipy.linalg.norm([3.0, 4.0]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[1, 0, 2] False\n5.0\n", done.stderr
