"""Being ended from outside is an exception while a command runs, so that nothing is left behind.

A signal may come where an exception cannot be raised: in a destructor, or inside a library that is
being loaded. Python would print it there and go on. So it is sent once more.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SOON_S = 0.01


class Terminated(BaseException):
    """Somebody ended the process; whatever is unfinished is removed on the way out."""


def _end(number: int, frame: object) -> None:
    raise Terminated


@contextmanager
def ends_are_exceptions() -> Iterator[None]:
    """While a command runs, being ended from outside is an exception; what is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():  # no handler runs here
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, _end)
        with _heard_everywhere():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def _heard_everywhere() -> Iterator[None]:
    """A signal whose exception could not be raised comes again a little later."""
    usual: Callable[[Any], Any] = sys.unraisablehook
    waiting: list[threading.Timer] = []

    def heard(unraisable: Any) -> None:
        ends = {Terminated: signal.SIGTERM, KeyboardInterrupt: signal.SIGINT}
        number = ends.get(unraisable.exc_type)
        if number is None:
            usual(unraisable)
            return
        again = threading.Timer(_SOON_S, os.kill, (os.getpid(), number))
        again.daemon = True
        waiting.append(again)
        again.start()

    sys.unraisablehook = heard
    try:
        yield
    finally:
        sys.unraisablehook = usual
        for again in waiting:
            again.cancel()
