"""The experiments of Dowd, Xu and Zhang on random substitution, ours beside the paper's.

    python experiments/random_substitution.py --out FOLDER            a small grid, minutes
    python experiments/random_substitution.py --out FOLDER --whole    the paper's grid, hours

`errors` is Figure 2, `entropy` Figure 3, `accuracy` Figures 4 and 5, `ways` compares the ways to
grow a tree at gamma 9 and N 20. Each writes a JSON file and, for figures, a picture. Tables of the
UCI are read from --data where they are there.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from privet.datasets import agrawal, agrawal_schema
from privet.mechanism.matrices import GammaDiagonal
from privet.mechanism.sampling import substitute
from privet.schema import Schema
from privet.substitution import RandomSubstitution, estimate, grow_from_perturbed
from privet.substitution.estimate import predicted_error
from privet.table import Table
from privet.tree.accuracy import accuracy_on

WHOLE_GAMMAS, WHOLE_BINS = range(2, 22), [5, 10, 15, 20, *range(30, 101, 10)]
SMALL_GAMMAS, SMALL_BINS = [2, 5, 9, 12, 21], [5, 10, 20, 50, 100]
METHODS = ("raw", "zeroed", "scaled", "simplex", "likelihood")
SMALL = 5_000  # records; smaller tables are drawn several times
COMPARED = (
    "perturbed", "global", "by-class", "by-node", "estimated", "modelled", "stacked", "auto"
)  # fmt: skip
UCI = {"pima": ("pima_diabetes.csv", "outcome"), "german": ("german_credit.csv", "class")}


def plateau(rng: np.random.Generator, n: int) -> np.ndarray:
    """Whole numbers 1..200: rising from 25 to 75, level to 125, falling to 175."""
    return _drawn(np.interp(np.arange(1, 201), [25, 75, 125, 175], [0, 1, 1, 0]), rng, n)


def triangles(rng: np.random.Generator, n: int) -> np.ndarray:
    """Whole numbers 1..200: two triangles, on 25 to 100 and 100 to 175."""
    at = [25, 62.5, 100, 137.5, 175]
    return _drawn(np.interp(np.arange(1, 201), at, [0, 1, 0, 1, 0]), rng, n)


def _drawn(weights: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice(200, n, p=weights / weights.sum())


def errors(gammas: Sequence[int], bins: Sequence[int], n: int, draws: int) -> list[dict]:
    """Figure 2: sum |estimate - count| / n, by each way of estimating."""
    rows = []
    for shape in (plateau, triangles):
        originals = shape(np.random.default_rng(1), n)
        for count in bins:
            codes = (originals * count // 200).astype(np.uint8)
            true = np.bincount(codes, minlength=count)
            for gamma in gammas:
                matrix = GammaDiagonal(gamma, count)
                off = dict.fromkeys(METHODS, 0.0)
                for seed in range(draws):
                    seen = np.bincount(substitute(matrix, codes, seed, "x"), minlength=count)
                    for method in METHODS:
                        found = estimate(seen, matrix, method)
                        off[method] += float(np.abs(found - true).sum()) / n / draws
                off["predicted"] = predicted_error(matrix, n, true)
                off["uniform"] = float(np.abs(true - n / count).sum()) / n
                rows.append({"shape": shape.__name__, "n": n, "N": count, "gamma": gamma, **off})
    return rows


def entropy(gammas: Sequence[int], bins: Sequence[int]) -> list[dict]:
    """Figure 3."""
    return [
        {"gamma": g, "N": count, "entropy": GammaDiagonal(g, count).entropy()}
        for g in gammas
        for count in bins
    ]


def tables(data: Path | None, n: int) -> Iterator[tuple[str, Table, Table, Schema]]:
    """Training table, test table and schema of each data set."""
    for function in (1, 2, 3, 4, 5):
        train, test = agrawal(function, n, function), agrawal(function, 20_000, 1_000 + function)
        yield f"F{function}", train, test, agrawal_schema(train)
    for name, (file, target) in UCI.items():
        if data is not None and (data / file).is_file():
            from privet.files import read_table

            table = read_table(data / file, kinds={target: "category"})
            order = np.random.default_rng(0).permutation(table.n_rows)
            cut = table.n_rows * 2 // 3
            schema = table.schema().with_roles(target=target)
            yield name, table.take(order[:cut]), table.take(order[cut:]), schema


def accuracy(
    gammas: Sequence[int], bins: Sequence[int], data: Path | None, n: int, seeds: int
) -> Iterator[dict]:
    """Figures 4 and 5: accuracy of trees on clean records, by gamma and N."""
    from privet.substitution.advise import _with_bins

    for name, train, test, schema in tables(data, n):
        draws = seeds if train.n_rows > SMALL else max(seeds, 5)
        for count in bins:
            for gamma in gammas:
                found = {}
                for way in ("perturbed", "global", "by-class"):
                    hits = []
                    for seed in range(draws):
                        perturber = RandomSubstitution(
                            gamma=gamma, bins=count, domain_from_data=True
                        ).fit(train, _with_bins(schema, count))
                        seen = perturber.transform(train, seed=seed)
                        done = perturber.mechanism_
                        tree = grow_from_perturbed(seen, done, schema, None, way, seed).tree
                        hits.append(accuracy_on(tree, test))
                    found[way] = float(np.mean(hits))
                bits = GammaDiagonal(gamma, count).entropy()
                yield {"data": name, "N": count, "gamma": gamma, "entropy": bits, **found}


def ways(
    seeds: Sequence[int],
    sizes: Sequence[int],
    compared: Sequence[str] = COMPARED,
    n_test: int = 50_000,
) -> Iterator[dict]:
    """Every way at gamma 9 and N 20, and what `auto` made of perturbed records alone."""
    for n in sizes:
        for seed in seeds:
            for function in (1, 2, 3, 4, 5):
                train = agrawal(function, n, 10 * seed + function)
                test = agrawal(function, n_test, 200_000 + 10 * seed + function)
                schema = agrawal_schema(train)
                perturber = RandomSubstitution(gamma=9, bins=20).fit(train, schema)
                seen = perturber.transform(train, seed=10 * seed + function)
                row: dict = {"n": n, "function": function, "seed": seed}
                spent = {}
                for way in compared:
                    started = time.process_time()
                    chosen = grow_from_perturbed(
                        seen, perturber.mechanism_, schema, None, way, seed
                    )
                    spent[way] = time.process_time() - started
                    row[way] = accuracy_on(chosen.tree, test)
                    if way == "auto":
                        row["chosen"] = chosen.way
                yield {**row, "cpu_seconds": spent}


def plot_surfaces(rows: list[dict], path: Path, keys: Sequence[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(keys), figsize=(5 * len(keys), 4), squeeze=False)
    gammas, bins = sorted({r["gamma"] for r in rows}), sorted({r["N"] for r in rows})
    for axis, key in zip(axes[0], keys, strict=True):
        surface = np.full((len(bins), len(gammas)), np.nan)
        for i, count in enumerate(bins):
            for j, gamma in enumerate(gammas):
                own = [r[key] for r in rows if r["N"] == count and r["gamma"] == gamma]
                surface[i, j] = np.mean(own) if own else np.nan
        drawn = axis.pcolormesh(gammas, bins, surface, shading="nearest")
        figure.colorbar(drawn, ax=axis)
        axis.set(xlabel="gamma", ylabel="N", title=key)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=50)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 3_000, 10_000])
    parser.add_argument("--ways", nargs="*", default=list(COMPARED))
    parser.add_argument("--only", nargs="*", default=["errors", "entropy", "accuracy", "ways"])
    options = parser.parse_args()
    gammas = list(WHOLE_GAMMAS if options.whole else SMALL_GAMMAS)
    bins = list(WHOLE_BINS if options.whole else SMALL_BINS)
    options.out.mkdir(parents=True, exist_ok=True)

    def keep(name: str, rows: list[dict]) -> None:
        (options.out / f"{name}.json").write_text(json.dumps(rows, indent=1))

    if "errors" in options.only:
        rows = [r for n in (10_000, 100_000) for r in errors(gammas, bins, n, options.seeds)]
        keep("errors", rows)
        plot_surfaces(rows, options.out / "errors.png", ("raw", "zeroed", "simplex"))
    if "entropy" in options.only:
        keep("entropy", entropy(gammas, bins))
    if "accuracy" in options.only:
        rows = []
        n, seeds = (100_000, options.seeds) if options.whole else (30_000, 1)
        for row in accuracy(gammas, bins, options.data, n, seeds):
            rows.append(row)
            keep("accuracy", rows)
        plot_surfaces(rows, options.out / "accuracy.png", ("perturbed", "global", "by-class"))
    if "ways" in options.only:
        rows = []
        seeds_of_ways = range(options.first_seed, options.first_seed + options.seeds)
        for row in ways(seeds_of_ways, options.sizes, options.ways):
            rows.append(row)
            keep("ways", rows)
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
