"""Signals that come where no exception can be raised end the command all the same."""

import os
import signal
import sys
import time

import pytest

from privet.cli.ending import Terminated, ends_are_exceptions


class Dropped:
    """Something whose destructor is disturbed by a signal."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)
        time.sleep(0)  # the handler runs here at the latest; Python ignores what it raises


@pytest.mark.parametrize(
    ("number", "ends"), [(signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt)]
)
def test_what_a_destructor_swallows_comes_again(
    number: int, ends: type[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    def disturbed() -> None:
        with ends_are_exceptions():
            dropped = Dropped(number)
            del dropped
            time.sleep(5)

    usual = sys.unraisablehook
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        with pytest.raises(ends):
            disturbed()
    finally:
        signal.signal(signal.SIGINT, before)
    assert sys.unraisablehook is usual
    assert capsys.readouterr().err == ""


def test_other_faults_of_destructors_are_told_as_ever() -> None:
    told = []
    usual, sys.unraisablehook = sys.unraisablehook, lambda fault: told.append(fault.exc_type)
    try:
        with ends_are_exceptions():

            class Broken:
                def __del__(self) -> None:
                    raise ValueError

            Broken()
    finally:
        sys.unraisablehook = usual
    assert told == [ValueError]


def test_what_was_set_before_is_set_again() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with ends_are_exceptions():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
