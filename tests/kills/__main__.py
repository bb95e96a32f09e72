"""`make kills`: kill commands while they write, and look at what is there afterwards.

Status 1 if there is what must not be.
"""

import argparse
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.judge import import_everything, take_signals
from kills.campaign import Campaign, Tally


def main() -> int:
    take_signals()
    asked = argparse.ArgumentParser(prog="python -m kills", description=__doc__)
    asked.add_argument("--kills", type=int, default=200)
    asked.add_argument("--seed", type=int, default=None)
    asked.add_argument("--only", default="", help="names of commands that hold this text")
    asked.add_argument("--every-step", action="store_true", help="nothing by chance")
    given = asked.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    with tempfile.TemporaryDirectory(prefix="privet-kills-") as name:
        home = Path(name) / "home"
        home.mkdir()
        # in another process: making them starts threads, which one that forks must not have
        asked_for = [sys.executable, "-m", "kills.home", str(home)]
        subprocess.run(asked_for, check=True, start_new_session=True)
        import_everything()
        print(f"Seed {seed}.", flush=True)
        campaign, tally, ended_early = Campaign(home, seed), Tally(), False
        try:
            if given.every_step:
                campaign.run_every_step(tally, given.only)
            else:
                campaign.run(given.kills, tally, given.only)
        except KeyboardInterrupt:
            ended_early = True
        finally:
            campaign.close()
    print("\n".join([*(["Ended early."] if ended_early else []), *tally.lines()]))
    return 1 if tally.faults or ended_early else 0


if __name__ == "__main__":
    sys.exit(main())
