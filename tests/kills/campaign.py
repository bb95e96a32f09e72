"""Draws commands, states and moments; counts what happened and tells what must not happen.

A command is tried with nothing in its place, and with `--force` over old outputs; on a disk with
room and on one that is full. Afterwards each output must be the old one or the new one, whole. A
command that was told to end (SIGTERM) has cleaned up, and has written all of its outputs or none.
One that was killed (SIGKILL) may leave hidden files, which the next run must remove.
"""

import ctypes
import random
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, product
from pathlib import Path

from kills.trial import Contents, End, Ended, Place, is_hidden
from kills.writers import WRITERS, Writer

_SIZE = 4 << 20  # of the small disk
_PAGE = 4096
_OWN_MOUNTS = 0x00020000  # CLONE_NEWNS
_TOLD_TO_END = 143
_ENDS = (signal.SIGKILL, signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)
_NO_ROOM = 2


@dataclass
class Tally:
    """What happened so far."""

    kills: Counter[str] = field(default_factory=Counter)  # that met a running command, by command
    signals: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    full: int = 0  # trials on a full disk
    refused: int = 0  # of these, ended by Privet's own error
    leftovers: int = 0  # kills that left hidden files for the next run to remove
    faults: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        named = partial(", ".join)
        return [
            f"{self.kills.total()} kills ({named(f'{k} {n}' for k, n in self.signals.items())}): "
            + named(f"{k} {n}" for k, n in self.kills.items()),
            f"Afterwards: {named(f'{k} {n}' for k, n in sorted(self.outcomes.items()))}.",
            f"Hidden files left for the next run to remove: {self.leftovers} times.",
            f"Full disks: {self.full}, of which {self.refused} ended in an error.",
            f"Faults: {len(self.faults)}.",
            *self.faults,
        ]


@dataclass(frozen=True)
class _Known:
    """What a command does when nobody ends it; its steps in the order in which they are tried."""

    new: Contents
    seconds: float
    n: int  # of its steps
    steps: dict[signal.Signals, Iterator[int]]


class Campaign:
    """Trials of all commands in one home."""

    def __init__(self, home: Path, seed: int) -> None:
        self.place = Place(home)
        self.chance = random.Random(seed)
        self.inputs = self.place.inputs()
        self.known: dict[tuple[str, bool], _Known] = {}
        (home / "disk").mkdir()
        self.is_mounted = _mounted(home / "disk")

    def close(self) -> None:
        if self.is_mounted:
            subprocess.run(["umount", str(self.place.home / "disk")], check=True)

    def run(self, kills: int, tally: Tally, only: str = "") -> None:
        """Try all commands in turn until so many kills have met a running one."""
        names = [name for name in WRITERS if only in name]
        for name, number in zip(cycle(names), cycle(_ENDS), strict=False):
            if tally.kills.total() >= kills:
                return
            self._one(name, number, tally)

    def run_every_step(self, tally: Tally, only: str = "") -> None:
        """Kill all commands before each of their steps, with and without `--force`."""
        for name, writer in WRITERS.items():
            for forced in (False, True)[: 1 + writer.forces] if only in name else ():
                for number, step in product(_ENDS[:2], range(1, self._known(name, forced).n + 1)):
                    self._try(name, forced, False, End(number, step=step), tally)

    def _one(self, name: str, number: signal.Signals, tally: Tally) -> None:
        forced = WRITERS[name].forces and self.chance.random() < 0.6
        full = self.chance.random() < 0.3
        self._try(name, forced, full, self._moment(self._known(name, forced), number, full), tally)

    def _try(self, name: str, forced: bool, full: bool, ending: End, tally: Tally) -> None:
        writer, new = WRITERS[name], self._known(name, forced).new
        self.place.lay(writer, new, forced)
        old = self.place.contents()
        most_bytes = self._fill(new) if full else None
        ended = self.place.run(_asked(writer, forced), ending, most_bytes)
        self._count(name, ended, tally, full)
        trial = f"{name}{' --force' if forced else ''}{' on a full disk' if full else ''}, {ending}"
        for fault in self._faults(writer, old, new, ended, tally):
            tally.faults.append(f"{trial}: {fault}")
        for fault in self._next_run(writer, forced, new):
            tally.faults.append(f"{trial}, afterwards: {fault}")

    def _known(self, name: str, forced: bool) -> _Known:
        """Let the command do its work, twice if there must be something to replace."""
        if (name, forced) not in self.known:
            writer = WRITERS[name]
            new = self._known(name, False).new if forced else {}
            self.place.lay(writer, new, forced)
            done = self.place.run(_asked(writer, forced), End(None))
            if done.status != 0 or done.left or (forced and done.contents != new):
                raise RuntimeError(f"{name}: status {done.status}, left {done.left}\n{done.said}")
            every = range(1, done.steps + 1)
            steps = {n: cycle(self.chance.sample(every, done.steps)) for n in _ENDS}
            self.known[name, forced] = _Known(done.contents, done.seconds, done.steps, steps)
        return self.known[name, forced]

    def _moment(self, known: _Known, number: signal.Signals, full: bool) -> End:
        kind = self.chance.choice(("clock", "step", "step", *(["disk"] if full else [])))
        if kind == "clock":
            return End(number, seconds=self.chance.uniform(0, 1.05 * known.seconds))
        if kind == "step":
            return End(number, step=next(known.steps[number]))
        return End(None)  # the disk will do

    def _fill(self, new: Contents) -> int | None:
        """Leave less room than the outputs need; where no disk can be filled, bound each file."""
        sizes = [len(data) for name in new for data in _files(new[name])]
        if not self.is_mounted:
            return int(max(sizes) * self.chance.uniform(0, 0.99))
        pages = sum(1 + size // _PAGE for size in sizes)
        room = self.chance.randrange(pages) * _PAGE
        disk = self.place.home / "disk"
        (disk / "filler").write_bytes(bytes(max(0, shutil.disk_usage(disk).free - room)))
        return None

    def _count(self, name: str, ended: Ended, tally: Tally, full: bool) -> None:
        by = {-signal.SIGKILL: "SIGKILL", -signal.SIGTERM: "SIGTERM", _TOLD_TO_END: "SIGTERM"}
        if ended.status in by:
            tally.kills[name] += 1
            tally.signals[by[ended.status]] += 1
        tally.leftovers += len(ended.left) > 0
        tally.full += full
        tally.refused += full and ended.status == _NO_ROOM

    def _faults(
        self, writer: Writer, old: Contents, new: Contents, ended: Ended, tally: Tally
    ) -> Iterator[str]:
        """What must not be after a trial."""
        killed = ended.status == -signal.SIGKILL
        if ended.status not in (0, _NO_ROOM, _TOLD_TO_END, -signal.SIGKILL, -signal.SIGTERM):
            yield f"status {ended.status}\n{ended.said}"
        if "Traceback" in ended.said:
            yield f"a traceback\n{ended.said}"
        if self.place.inputs() != self.inputs:
            yield "an input was changed"
        states = set()
        for name in {*old, *new, *ended.contents}:
            found = ended.contents.get(name)
            if found == old.get(name):
                states.add("old" if found != new.get(name) else "either")
            elif found == new.get(name) or (name in writer.asks and self._is_whole(writer, name)):
                states.add("new")
            else:
                yield f"{name} is neither old nor new"
        states.discard("either")
        outcome = " and ".join(sorted(states)) or "old"
        tally.outcomes[outcome] += 1
        if len(states) > 1 and not killed:
            yield "some outputs were written, others not"
        if ended.left and not (killed and all(map(is_hidden, ended.left))):
            yield f"left {ended.left}"

    def _is_whole(self, writer: Writer, name: str) -> bool:
        return self.place.run(writer.asks[name], End(None)).status == 0

    def _next_run(self, writer: Writer, forced: bool, new: Contents) -> Iterator[str]:
        """The next run works, and removes what the last one left."""
        (self.place.home / "disk" / "filler").unlink(missing_ok=True)
        for name in new:
            if not forced and name not in writer.given and (self.place.out / name).exists():
                _remove(self.place.out / name)
        done = self.place.run(_asked(writer, forced), End(None))
        if done.status != 0:
            yield f"status {done.status}\n{done.said}"
        if done.left:
            yield f"left {done.left}"
        for name, content in new.items():
            if name not in writer.asks and done.contents.get(name) != content:
                yield f"{name} is not the new one"


def _asked(writer: Writer, forced: bool) -> list[str]:
    return [*writer.words, *(["--force"] if forced else [])]


def _files(content: dict[str, bytes] | bytes) -> list[bytes]:
    return [content] if isinstance(content, bytes) else list(content.values())


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _mounted(folder: Path) -> bool:
    """A small disk there, where that is allowed; nobody else sees it, and it goes with us."""
    if not hasattr(ctypes.CDLL(None), "unshare") or ctypes.CDLL(None).unshare(_OWN_MOUNTS):
        return False
    size = f"size={_SIZE}"
    asked = ["mount --make-rprivate /", f"mount -t tmpfs -o {size} tmpfs {folder}"]
    return not any(subprocess.run(line.split(), capture_output=True).returncode for line in asked)
