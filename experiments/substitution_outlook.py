"""How often the interval of accuracy holds: what `substitute` prints against fresh records.

    python experiments/substitution_outlook.py --out FILE.json [--draws N] [--minutes M] [--coin]

Every draw is another table of one of the five functions, with another gamma, number of bins and of
records, in an order by chance, so that a run that is stopped early says the same less surely. The
truth is the accuracy of the tree on 20,000 fresh originals. Rows go to FILE as they come. With
`--coin` classes are tossed, so that there is nothing to learn.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np

from privet.datasets import agrawal, agrawal_schema
from privet.schema import Schema
from privet.substitution import RandomSubstitution, grow_from_perturbed
from privet.substitution.advise import _with_bins
from privet.substitution.outlook import outlook_for
from privet.table import Coded, Table
from privet.tree.accuracy import accuracy_on

FUNCTIONS, GAMMAS, BINS, RECORDS = (
    (1, 2, 3, 4, 5),
    (5, 9, 12),
    (10, 20),
    (300, 1_000, 3_000, 10_000),
)
FRESH = 20_000


def tossed(table: Table, seed: int) -> Table:
    """The table with classes that nothing tells."""
    codes = np.random.default_rng(seed).integers(0, 2, table.n_rows).astype(np.uint8)
    return table.replace({"group": Coded(table["group"].domain, codes)})


def draw(function: int, gamma: int, bins: int, records: int, seed: int, coin: bool = False) -> dict:
    """One perturbed table, its interval and the truth."""
    train, test = agrawal(function, records, seed), agrawal(function, FRESH, 10**6 + seed)
    if coin:
        train, test = tossed(train, seed), tossed(test, 10**6 + seed)
    schema = agrawal_schema(train)
    perturber = RandomSubstitution(gamma=gamma, bins=bins).fit(train, _with_bins(schema, bins))
    case = {"function": function, "gamma": gamma, "N": bins, "records": records, "seed": seed}
    return case | judged(perturber, schema, train, test, seed)


def judged(
    perturber: RandomSubstitution, schema: Schema, train: Table, fresh: Table, seed: int
) -> dict:
    """The interval of one perturbed table, and whether the accuracy on fresh originals is in it."""
    seen = perturber.transform(train, seed=seed)
    tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, "stacked").tree
    found = outlook_for(seen, perturber.mechanism_, schema, tree)
    assert found is not None
    truth = accuracy_on(tree, fresh)
    return {
        "truth": truth, "expected": found.accuracy, "low": found.low, "high": found.high,
        "held": found.low <= truth <= found.high, "too_hopeful": truth < found.low,
    }  # fmt: skip


def told(rows: list[dict]) -> dict:
    """The share of intervals that held, in all and by the number of records."""
    shares = {
        str(n): float(np.mean([r["held"] for r in rows if r["records"] == n]))
        for n in RECORDS
        if any(r["records"] == n for r in rows)
    }
    held = float(np.mean([r["held"] for r in rows]))
    return {
        "draws": len(rows),
        "held": held,
        "standard_error": float(np.sqrt(held * (1 - held) / len(rows))),
        "by_records": shares,
        "too_hopeful": float(np.mean([r["too_hopeful"] for r in rows])),
        "half_width": float(np.mean([(r["high"] - r["low"]) / 2 for r in rows])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--first-seed", type=int, default=70_000)
    parser.add_argument("--coin", action="store_true")
    options = parser.parse_args()
    cases = list(itertools.product(FUNCTIONS, GAMMAS, BINS, RECORDS))
    chosen = np.random.default_rng(options.first_seed).permutation(options.draws) % len(cases)
    started, rows = time.monotonic(), []
    for number, place in enumerate(chosen.tolist()):
        if time.monotonic() - started > 60 * options.minutes:
            break
        rows.append(draw(*cases[place], options.first_seed + number, options.coin))
        options.out.write_text(json.dumps(rows, indent=1))
    print(json.dumps(told(rows), indent=1))


if __name__ == "__main__":
    main()
