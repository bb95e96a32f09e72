"""How near attackers come to perturbed numbers: with nothing but the release, and with a sample.

    python experiments/substitution_attacks.py --out FOLDER

Ten standardised columns, in thousandths: two hidden factors behind all of them, the same with a
tenth of variance that each column has for itself, or independent ones. Half of the records are
perturbed with 20 bins and attacked, the other half is the sample. Added noise stands beside it, to
show that filtering works where it is made for. Writes a JSON file and prints a line for each case.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import privet
from privet.attack import by_bayes, by_recovery, by_spectrum
from privet.attack.linear import expected_recovery
from privet.mechanism.substitution import Substitution

COLUMNS, BINS = 10, 20


def people(kind: str, n: int, seed: int) -> np.ndarray:
    """Standardised numbers: records x columns."""
    rng = np.random.default_rng(seed)
    if kind == "independent":
        return rng.normal(size=(n, COLUMNS))
    data = rng.normal(size=(n, 2)) @ rng.normal(size=(2, COLUMNS))
    data /= data.std(axis=0)
    own = 0.1 if kind == "two factors and a tenth" else 0.0
    return np.sqrt(1 - own) * data + np.sqrt(own) * rng.normal(size=data.shape)


def table_of(data: np.ndarray) -> privet.Table:
    return privet.table_of(
        {f"c{j}": (1000 * data[:, j]).round().astype(np.int64) for j in range(COLUMNS)}
    )


def substituted(n: int, victims: int, seed: int) -> Iterator[dict]:
    for kind in ("two factors", "two factors and a tenth", "independent"):
        whole = table_of(people(kind, 2 * n, seed))
        originals, sample = whole.take(np.arange(n)), whole.take(np.arange(n, 2 * n))
        for gamma in (2, 9, 21):
            # domains of the whole, so that the sample lies inside
            done = (
                privet.RandomSubstitution(gamma=gamma, bins=BINS, domain_from_data=True)
                .fit(whole)
                .mechanism_
            )
            yield {
                "columns": kind,
                "gamma": gamma,
                **_attacked(done, originals, sample, victims, seed),
            }


def _attacked(
    done: Substitution, originals: privet.Table, sample: privet.Table, victims: int, seed: int
) -> dict:
    alone = by_recovery(done, original=originals, seed=seed)
    guesses = expected_recovery(done.drawn(originals, seed + 1), done)
    known = by_bayes(done, sample, original=originals, victims=victims, seed=seed)
    figures = {"bayes": known.right, "alone": known.alone, "as_released": known.as_released}
    return {
        **alone.to_data()["errors"],
        "promised": None if guesses is None else guesses.expected_error,
        "immune": alone.immune,
        "named_rightly": {k: float(np.mean(list(v.values()))) for k, v in figures.items()},
    }


def added(n: int, seed: int) -> Iterator[dict]:
    data = people("two factors", n, seed)
    for sigma in (0.5, 1.0):
        noisy = data + np.random.default_rng(seed + 1).normal(0, sigma, data.shape)
        found = by_spectrum(noisy, data, sigma**2)
        yield {"columns": "two factors", "sigma": sigma, "spectrum": found.recovered}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--victims", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for row in [
        *substituted(options.records, options.victims, options.seed),
        *added(options.records, options.seed),
    ]:
        rows.append(row)
        print(json.dumps(row), flush=True)
    (options.out / "attacks.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
