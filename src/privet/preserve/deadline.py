"""A limit of time for the search, asked for by the steward and looked at between steps of work."""

from time import monotonic


class TimeUp(Exception):
    """The limit has passed; whoever searches takes the best so far."""


class Deadline:
    """So many seconds from now on, or no limit at all."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.has_cut_short = False  # then another run may find what this one did not
        self._ends = None if seconds is None else monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        return float("inf") if self._ends is None else self._ends - monotonic()

    def check(self) -> None:
        """Called between steps of work; raises `TimeUp` once the limit has passed."""
        if self.seconds_left <= 0:
            raise TimeUp

    def cut_short(self) -> None:
        """What is left to do, with the best so far, is done without a limit."""
        self.has_cut_short = True
        self._ends = None
