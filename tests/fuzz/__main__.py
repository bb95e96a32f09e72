"""`make fuzz`: spoil files and run commands on them for a while; status 1 if any went wrong.

A hangup does not stop it. SIGTERM and SIGINT do: the child that runs is killed, and what was found
so far is told.
"""

import argparse
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz.campaign import Campaign, Tally
from fuzz.cases import CASES, Case
from fuzz.judge import import_everything, take_signals

_INTERRUPTED = 130


def main() -> int:
    take_signals()
    given = _options().parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    tally, ended_early = Tally(), False
    with tempfile.TemporaryDirectory(prefix="privet-fuzz-") as place:
        try:
            originals = given.originals or Path(place) / "originals"
            if not originals.exists():
                _make_originals(originals, seed)
            import_everything()
            print(
                f"Seed {seed}; {given.seconds:.0f} seconds; faults go to {given.faults}.",
                flush=True,
            )
            campaign = Campaign(originals, given.faults, Path(place) / "work")
            if given.whole:
                refused = list(campaign.run_whole(_chosen(given.only)))
                print("\n".join(refused))
                return len(refused) > 0
            _run(campaign, seed, given, tally)
        except KeyboardInterrupt:
            ended_early = True
    print("\n".join([*(["Ended early."] if ended_early else []), *tally.lines()]))
    for fault in tally.faults:
        print(f"  {fault}/what-happened.txt")
    return 1 if tally.faults else _INTERRUPTED if ended_early else 0


def _options() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    asked.add_argument("--seconds", type=float, default=3600)
    asked.add_argument("--runs", type=int, default=None)
    asked.add_argument("--seed", type=int, default=None)
    asked.add_argument("--first", type=int, default=0, help="the number of the first run")
    asked.add_argument("--faults", type=Path, default=Path("fuzz-faults"))
    asked.add_argument("--log", type=Path, default=None, help="one line for each run goes here")
    asked.add_argument("--only", default="", help="names of originals that hold this text")
    asked.add_argument("--originals", type=Path, default=None, help="made there, or found there")
    asked.add_argument("--quick", action="store_true", help="leave out commands that take long")
    asked.add_argument("--whole", action="store_true", help="spoil nothing; all must go well")
    return asked


def _chosen(only: str) -> list[Case]:
    """The original of that name, or those whose names hold the text."""
    named = [case for case in CASES if case.name == only]
    return named or [case for case in CASES if only in case.name]


def _make_originals(folder: Path, seed: int) -> None:
    """In another process: making them starts threads, which one that forks must not have."""
    asked = [sys.executable, "-m", "fuzz.originals", str(folder), str(seed)]
    subprocess.run(asked, check=True, start_new_session=True)


def _run(campaign: Campaign, seed: int, given: argparse.Namespace, tally: Tally) -> None:
    told = time.monotonic()
    runs = campaign.run(
        seed,
        tally,
        seconds=given.seconds,
        runs=given.runs,
        first=given.first,
        cases=_chosen(given.only),
        slow=not given.quick,
        log=given.log,
    )
    for _ in runs:
        if time.monotonic() - told > 60:
            told = time.monotonic()
            print(tally.lines()[0], f"{len(tally.faults)} faults.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
