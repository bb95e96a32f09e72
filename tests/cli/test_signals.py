"""Commands that are told to end: at once, quietly, and not at all if somebody asked for that."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signals here")

START = """
import os, signal, sys, time
import privet.cli.main as command

def told(number=signal.SIGTERM):
    os.kill(os.getpid(), number)
    time.sleep(0.2)

"""


def ended(program: str) -> tuple[int, str, str]:
    # whoever runs the tests may have asked to be spared the signal (nohup): children inherit that
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        done = subprocess.run(
            [sys.executable, "-c", START + program], capture_output=True, text=True, check=False
        )
    finally:
        signal.signal(signal.SIGHUP, before)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_told_to_end_ends_quietly(name: str) -> None:
    program = f"command.app = lambda *_, **__: told(signal.{name})\nsys.exit(command.main([]))"
    assert ended(program) == (143, "", "")


def test_so_it_does_while_it_complains() -> None:
    """The exception left `main` where another one was being told, with a traceback."""
    program = """
command._complain = lambda *_: told()
sys.exit(command.main(["schema", "no-such-file.csv"]))
"""
    assert ended(program) == (143, "", "")


def test_so_it_does_when_the_work_is_done() -> None:
    """Between the end of the command and that of the process there was a traceback."""
    program = "command.app = lambda *_, **__: 0\ncommand.main([])\ntold()"
    assert ended(program) == (-signal.SIGTERM, "", "")


def test_what_is_ignored_stays_ignored() -> None:
    """`nohup privet ...` goes on when the terminal is gone."""
    program = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
command.app = lambda *_, **__: told(signal.SIGHUP)
sys.exit(command.main([]))
"""
    assert ended(program) == (0, "", "")


def test_who_calls_a_command_keeps_the_own_handlers() -> None:
    import privet.cli.main as command

    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    assert command.main(["schema", os.devnull]) == 3
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before
