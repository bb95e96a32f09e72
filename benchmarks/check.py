"""Whether whole commands became slower: ratios to peers and floors against those kept here.

    python benchmarks/check.py            fails where a ratio is more than 20 % above the kept one
    python benchmarks/check.py --keep     keeps the ratios of today

Ratios hardly depend on the machine, seconds do; rows without a peer are left out. One that fails is
measured once more before it counts, for others may have used the machine.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE / "kept-ratios.json"
ROWS = "100000"
MOST = 1.2


def measured() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "ratios.json"
        script = str(HERE / "bench_commands.py")
        subprocess.run([sys.executable, script, ROWS, "--json", str(report)], check=True)
        found: dict[str, float] = json.loads(report.read_text(encoding="utf-8"))
    return {work: ratio for work, ratio in found.items() if not work.endswith("beside 1 s")}


def slower(found: dict[str, float], kept: dict[str, float]) -> dict[str, float]:
    """The works that cost more than they may, with how many times what was kept."""
    both = {work: ratio / kept[work] for work, ratio in found.items() if work in kept}
    return {work: times for work, times in both.items() if times > MOST}


def main(keep: bool) -> int:
    found = measured()
    if keep:
        KEPT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    failing = slower(found, kept)
    if failing:
        again = measured()
        failing = slower({work: min(found[work], again[work]) for work in failing}, kept)
    for work, times in failing.items():
        print(f"SLOWER: {work}: {times:.2f} times the ratio that was kept")
    if not failing:
        print(f"No ratio is more than {MOST - 1:.0%} above the kept one.")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main("--keep" in sys.argv))
