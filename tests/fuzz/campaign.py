"""Draws cases, spoils their files and keeps what went wrong, with what is needed to try again.

Each run draws from its own chance, which the seed and the number of the run decide: any run can be
had again alone (`--seed S --first N --runs 1`).
"""

import hashlib
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from fuzz.cases import CASES, Case
from fuzz.judge import Verdict, judged
from fuzz.mutations import spoilt

_SLOW_SHARE = 0.25  # of the draws that take a slow command, where a case has some


@dataclass
class Tally:
    """What happened so far."""

    runs: Counter[tuple[str, str]] = field(default_factory=Counter)  # by form and command
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[Path] = field(default_factory=list)
    most_seconds: float = 0.0
    most_kilobytes: int = 0

    @property
    def total(self) -> int:
        return sum(self.runs.values())

    def lines(self) -> list[str]:
        forms, commands = (
            ", ".join(f"{name} {n:,}" for name, n in sorted(self._by(place).items()))
            for place in (0, 1)
        )
        statuses = ", ".join(f"{status}: {n:,}" for status, n in sorted(self.statuses.items()))
        return [
            f"{self.total:,} runs on spoilt files ({forms}).",
            f"Commands: {commands}.",
            f"Exit statuses {statuses}.",
            f"Most seconds {self.most_seconds:.1f}, most memory {self.most_kilobytes >> 10:,} MB.",
            f"Faults: {len(self.faults)}.",
        ]

    def _by(self, place: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for names, n in self.runs.items():
            found[names[place]] += n
        return found


@dataclass(frozen=True)
class Campaign:
    """A folder of originals, a folder for faults and a place to work in."""

    originals: Path
    faults: Path
    work: Path

    def run(
        self, seed: int, tally: Tally, *, seconds: float, runs: int | None, first: int = 0,
        cases: Sequence[Case] = CASES, slow: bool = True, log: Path | None = None,
    ) -> Iterator[int]:  # fmt: skip
        """Spoil and run until the time or the number of runs is over; the number of each."""
        end = time.monotonic() + seconds
        for number in count(first) if runs is None else range(first, first + runs):
            if time.monotonic() > end:
                return
            said = self._one(seed, number, cases, slow, tally)
            if log is not None:
                with log.open("a") as lines:
                    lines.write(f"{seed},{number},{said}\n")
            yield number

    def _one(
        self, seed: int, number: int, cases: Sequence[Case], slow: bool, tally: Tally
    ) -> str:  # fmt: skip
        """Spoil one file and run one command on it; in one line what happened."""
        chance = random.Random(f"{seed} {number}")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        case = chance.choice(cases)
        rare = case.slow and slow and chance.random() < _SLOW_SHARE
        command = chance.choice(case.slow if rare else case.commands)
        data = (self.originals / case.name).read_bytes()
        way = "nothing"
        if not (case.may_be_whole and chance.random() < 0.5):
            way, data = spoilt(data, case.form, chance)
        victim = self._placed(case, data, mended=chance.random() < 0.5)
        arguments = self._arguments(command, victim)
        verdict = judged(arguments, self.work)
        tally.runs[case.form, arguments[0]] += 1
        tally.statuses[verdict.status] += 1
        tally.most_seconds = max(tally.most_seconds, verdict.seconds)
        tally.most_kilobytes = max(tally.most_kilobytes, verdict.kilobytes)
        if verdict.fault:
            place = self.faults / f"{arguments[0]}-{seed}-{number}"
            tally.faults.append(self._kept(place, arguments, f"{way} of {case.name}", verdict))
        return (
            f"{case.name},{case.form},{arguments[0]},{way},{verdict.status},"
            f"{verdict.seconds:.2f},{verdict.kilobytes >> 10},{verdict.fault}"
        )

    def run_whole(self, cases: Sequence[Case] = CASES) -> Iterator[str]:
        """Run every command once on the file as it is, and tell which refuse it: these would try
        nothing on spoilt files."""
        for case in cases:
            for command in (*case.commands, *case.slow):
                shutil.rmtree(self.work, ignore_errors=True)
                self.work.mkdir(parents=True)
                victim = self._placed(case, (self.originals / case.name).read_bytes(), False)
                verdict = judged(self._arguments(command, victim), self.work)
                if verdict.fault or (verdict.status > 1 and not case.may_be_whole):
                    yield f"{case.name}: {command}: {verdict.fault}\n{verdict.err}"

    def _placed(self, case: Case, data: bytes, mended: bool) -> Path:
        """The spoilt file in the working folder; in a release, among its other files.

        A manifest that is mended has the digest of the spoilt file, so that more of it is read.
        """
        folder, _, name = case.name.partition("/")
        if not name:
            if case.beside:  # with all that belongs to it: its sidecar, its receipt
                for path in self.originals.glob(f"{case.beside}*"):
                    shutil.copy(path, self.work)
            (self.work / case.name).write_bytes(data)
            return self.work / (case.beside or case.name)
        shutil.copytree(self.originals / folder, self.work / folder)
        (self.work / folder / name).write_bytes(data)
        manifest = self.work / folder / "manifest.json"
        if mended and name != manifest.name:
            told = json.loads(manifest.read_text())
            told["files"][name] = hashlib.sha256(data).hexdigest()
            manifest.write_text(json.dumps(told))
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

    def _kept(self, place: Path, arguments: list[str], way: str, verdict: Verdict) -> Path:
        """Keep the spoilt files, the command line and, from a second run, where it happened."""
        shutil.rmtree(place, ignore_errors=True)
        again = judged([*arguments, *self._forced(arguments)], self.work, debug=True)
        shutil.copytree(self.work, place)
        words = [word.replace(str(self.work), str(place)) for word in arguments]
        text = "privet " + " ".join(words) + f"\n\n{verdict.fault} after {way}\n{verdict.err}\n"
        (place / "what-happened.txt").write_text(text + again.err, errors="backslashreplace")
        return place

    def _forced(self, arguments: list[str]) -> list[str]:
        return ["--force"] if "--out" in arguments and arguments[0] != "join" else []
