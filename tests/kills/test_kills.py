"""Some of the kills of `python -m kills`, and checks that it can say no."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kills.writers import WRITERS
from privet.cli.main import COMMANDS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
PLACES = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])

# What would go wrong, and the words of the fault that must be found.
BROKEN = {
    "real = Outputs.remove_stages; "
    "Outputs.remove_stages = lambda self: None if sys.exc_info()[0] else real(self)": "left (",
    "disk.remove_leftovers = lambda folder: None": "afterwards: left (",
    "disk.exchange = lambda stage, target: ("
    "target.unlink(), time.sleep(0.5), stage.rename(target))": "neither",
    "disk.exchange = lambda stage, target: (target.write_bytes(b''), time.sleep(0.5), "
    "target.write_bytes(stage.read_bytes()))": "neither",
    "disk.force_to_disk = lambda path: open('model.json', 'ab').write(b' ')": "an input was",
}
PROGRAM = """
import os, sys, time
from privet.files import disk
from privet.files.outputs import Outputs
{broken}
from kills.__main__ import main
sys.exit(main())
"""


def killed(kills: int, seed: int, only: str = "", broken: str = "") -> tuple[int, str]:
    """The status and the words of a campaign."""
    pytest.importorskip("openpyxl")
    asked = ["--kills", str(kills), "--seed", str(seed), "--only", only]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(broken=broken), *asked],
        env=os.environ | {"PYTHONPATH": PLACES},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_every_command_is_killed() -> None:
    by_its_own_tests = {"studio"}  # it ends only when it is told to
    assert {w.words[0] for w in WRITERS.values()} | by_its_own_tests == set(COMMANDS)


def test_killed_commands_leave_the_old_or_the_new() -> None:
    status, said = killed(20, seed=3)
    assert status == 0, said
    assert re.search(r"^2\d kills", said, re.MULTILINE)


@pytest.mark.slow
def test_many_killed_commands_leave_the_old_or_the_new() -> None:
    status, said = killed(200, seed=4)
    assert status == 0, said
    assert all(re.search(rf"\b{name} \d", said) for name in WRITERS), said


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_what_goes_wrong_is_found(broken: str) -> None:
    status, said = killed(60, seed=5, only="convert trees", broken=broken)
    assert status == 1
    assert BROKEN[broken] in said
