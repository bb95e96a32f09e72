"""Saves releases in child processes and kills them at random moments; run by test_faults.

Prints how often the folder afterwards was absent, the old release or the new one. Anything else
is an error. Compares bytes with known complete releases, so it needs no library after the fork.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]

from tampering import small_release  # noqa: E402

from privet.release import Release  # noqa: E402

KILLS = 80


def bytes_of(folder: Path) -> dict[str, bytes] | None:
    if not folder.exists():
        return None
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def saved_in_a_child(release: Release, folder: Path, delay: float | None) -> None:
    child = os.fork()
    if child == 0:
        try:
            release.save(folder, format="csv", report=False, force=True)
        finally:
            os._exit(0)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main(place: Path) -> None:
    old, new = small_release(leaves=2), small_release(leaves=3)
    old.save(place / "old", format="csv", report=False)
    started = time.perf_counter()
    saved_in_a_child(new, place / "new", None)
    duration = time.perf_counter() - started
    known = {"old": bytes_of(place / "old"), "new": bytes_of(place / "new"), "absent": None}
    assert known["old"] != known["new"]
    random_ = random.Random(1)
    seen: Counter[str] = Counter()
    for number in range(KILLS):
        target = place / "target"
        before = "old" if number % 2 else "absent"
        if before == "old":
            shutil.copytree(place / "old", target)
        saved_in_a_child(new, target, random_.uniform(0, 1.3 * duration))
        after = bytes_of(target)
        name = next((name for name, content in known.items() if content == after), "HALF")
        if name not in (before, "new"):
            name = "HALF"
        seen[f"{before} -> {name}"] += 1
        shutil.rmtree(target, ignore_errors=True)
        for stage in place.glob(".*"):
            shutil.rmtree(stage)
    print(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
