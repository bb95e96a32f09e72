"""Draws cases, spoils their files and keeps what went wrong, with what is needed to try again."""

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.cases import CASES, Case
from fuzz.judge import Verdict, judged
from fuzz.mutations import spoilt

_SLOW_SHARE = 0.15  # of the draws that take a slow command, where a case has some


@dataclass
class Tally:
    """What happened so far."""

    runs: Counter[str] = field(default_factory=Counter)  # by form
    statuses: Counter[int] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    faults: list[Path] = field(default_factory=list)
    most_seconds: float = 0.0
    most_kilobytes: int = 0

    @property
    def total(self) -> int:
        return sum(self.runs.values())

    def lines(self) -> list[str]:
        forms = ", ".join(f"{form} {n:,}" for form, n in sorted(self.runs.items()))
        statuses = ", ".join(f"{status}: {n:,}" for status, n in sorted(self.statuses.items()))
        return [
            f"{self.total:,} runs on spoilt files ({forms}).",
            f"Exit statuses {statuses}.",
            f"Most seconds {self.most_seconds:.1f}, most memory {self.most_kilobytes >> 10:,} MB.",
            f"Faults: {len(self.faults)}.",
        ]


@dataclass(frozen=True)
class Campaign:
    """A folder of originals, a folder for faults and a place to work in."""

    originals: Path
    faults: Path
    work: Path

    def run(
        self, seed: int, *, seconds: float | None = None, runs: int | None = None,
        cases: Sequence[Case] = CASES, slow: bool = True,
    ) -> Iterator[Tally]:  # fmt: skip
        """Spoil and run until the time or the number of runs is over; the tally after each."""
        chance = random.Random(seed)
        tally = Tally()
        end = None if seconds is None else time.monotonic() + seconds
        while (end is None or time.monotonic() < end) and (runs is None or tally.total < runs):
            self._one(chance, cases, slow, tally)
            yield tally

    def _one(self, chance: random.Random, cases: Sequence[Case], slow: bool, tally: Tally) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        case = chance.choice(cases)
        rare = case.slow and slow and chance.random() < _SLOW_SHARE
        command = chance.choice(case.slow if rare else case.commands)
        way, data = spoilt((self.originals / case.name).read_bytes(), case.form, chance)
        victim = self._placed(case, data)
        arguments = self._arguments(command, victim)
        verdict = judged(arguments, self.work)
        tally.runs[case.form] += 1
        tally.statuses[verdict.status] += 1
        tally.commands[arguments[0]] += 1
        tally.most_seconds = max(tally.most_seconds, verdict.seconds)
        tally.most_kilobytes = max(tally.most_kilobytes, verdict.kilobytes)
        if verdict.fault:
            tally.faults.append(self._kept(arguments, way, verdict, len(tally.faults)))

    def _placed(self, case: Case, data: bytes) -> Path:
        """The spoilt file in the working folder; in a release, among its other files."""
        folder, _, name = case.name.rpartition("/")
        if not folder:
            (self.work / name).write_bytes(data)
            if case.beside:
                shutil.copy(self.originals / case.beside, self.work)
            return self.work / (case.beside or name)
        shutil.copytree(self.originals / folder, self.work / folder)
        (self.work / folder / name).write_bytes(data)
        return self.work / folder

    def _arguments(self, command: str, victim: Path) -> list[str]:
        places = {"[": self.originals, "O": self.work}
        found = []
        for word in command.split():
            name = f"written{word[3:]}" if word.startswith("OUT") else word.strip("[]")
            is_place = word.startswith(("[", "OUT"))
            found.append(
                str(places[word[0]] / name) if is_place else word.replace("{}", str(victim))
            )
        return found

    def _kept(self, arguments: list[str], way: str, verdict: Verdict, number: int) -> Path:
        """Keep the spoilt files, the command line and, from a second run, where it happened."""
        place = self.faults / f"{arguments[0]}-{number:04d}"
        shutil.rmtree(place, ignore_errors=True)
        again = judged([*arguments, *self._forced(arguments)], self.work, debug=True)
        shutil.copytree(self.work, place)
        words = [word.replace(str(self.work), str(place)) for word in arguments]
        text = "privet " + " ".join(words) + f"\n\n{verdict.fault} after {way}\n{verdict.err}\n"
        (place / "what-happened.txt").write_text(text + again.err, errors="backslashreplace")
        return place

    def _forced(self, arguments: list[str]) -> list[str]:
        return ["--force"] if "--out" in arguments and arguments[0] != "join" else []
