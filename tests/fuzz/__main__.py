"""`make fuzz`: spoil files and run commands on them for a while; status 1 if any went wrong."""

import argparse
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from fuzz.campaign import Campaign, Tally
from fuzz.cases import CASES
from fuzz.judge import import_everything
from fuzz.originals import make


def main() -> int:
    asked = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    asked.add_argument("--seconds", type=float, default=3600)
    asked.add_argument("--runs", type=int, default=None)
    asked.add_argument("--seed", type=int, default=None)
    asked.add_argument("--faults", type=Path, default=Path("fuzz-faults"))
    asked.add_argument("--only", default="", help="names of originals that hold this text")
    asked.add_argument("--quick", action="store_true", help="leave out commands that take long")
    given = asked.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    cases = [case for case in CASES if given.only in case.name]
    with tempfile.TemporaryDirectory(prefix="privet-fuzz-") as place:
        originals = Path(place) / "originals"
        child = os.fork()  # making them starts threads, which a process that forks must not have
        if child == 0:
            make(originals)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print("The originals could not be made.", file=sys.stderr)
            return 2
        import_everything()
        print(f"Seed {seed}; {given.seconds:.0f} seconds; faults go to {given.faults}.", flush=True)
        campaign = Campaign(originals, given.faults, Path(place) / "work")
        tally, told = Tally(), time.monotonic()
        draws = campaign.run(
            seed, seconds=given.seconds, runs=given.runs, cases=cases, slow=not given.quick
        )
        for tally in draws:
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(tally.lines()[0], f"{len(tally.faults)} faults.", flush=True)
    print("\n".join(tally.lines()))
    for fault in tally.faults:
        print(f"  {fault}/what-happened.txt")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
