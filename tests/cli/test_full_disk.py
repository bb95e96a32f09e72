"""A full disk while a table is counted there: one sentence, no output, nothing left behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import privet
from privet.files.frames import table_of

_SPILL = """
from privet.engine import larger_than_memory
with larger_than_memory("200MB") as place:
    place.do("CREATE TABLE t AS SELECT hash(i) AS h, i FROM range(30000000) r(i)")
    place.ask("SELECT COUNT(*) AS n FROM (SELECT h, i FROM t ORDER BY h, i OFFSET 1)")
"""


def in_little_room(folder: Path, megabytes: int, *words: str) -> tuple[int, str, list[str]]:
    """A command of Python where temporary files have little room: status, words, what is left."""
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    room = folder / "room"
    room.mkdir()
    mount = f"mount -t tmpfs -o size={megabytes}m tmpfs '{room}'"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("may not mount anything")
    script = f"{mount} && \"$@\"; status=$?; ls -A '{room}' > left; exit $status"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, *words],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(room)},
        capture_output=True,
        text=True,
    )
    left = (folder / "left").read_text(encoding="utf-8").split()
    (folder / "left").unlink()
    return done.returncode, done.stderr, left


@pytest.mark.parametrize("megabytes", [1, 3])
def test_no_room_for_codes(tmp_path: Path, megabytes: int) -> None:
    random = np.random.default_rng(1)
    cells = {f"c{n}": random.integers(0, 3000 * (n + 1), 150_000).tolist() for n in range(4)}
    cells |= {"y": random.choice(["a", "b"], 150_000).tolist()}
    privet.write_table(table_of(cells), tmp_path / "t.parquet")
    asked = ["-k", "5", "--leaves", "3", "--engine", "duckdb", "--memory", "200MB"]
    words = ["-m", "privet", "publish", "t.parquet", "--target", "y", *asked, "--out", "out"]
    status, said, left = in_little_room(tmp_path, megabytes, *words)
    assert status == 2
    assert said.startswith("Error: The disk is full: there is no room")
    assert "Hint: make room, or name a folder on a larger disk" in said
    assert left == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["room", "t.parquet"]


def test_no_room_to_spill(tmp_path: Path) -> None:
    status, said, left = in_little_room(tmp_path, 24, "-c", _SPILL)
    assert status == 1
    assert (
        said.rstrip()
        .splitlines()[-2]
        .endswith("there is no room for what does not fit into memory.")
    )
    assert left == []
