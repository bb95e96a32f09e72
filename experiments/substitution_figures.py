"""Figures 2 to 5 of Dowd, Xu and Zhang on their whole grid: 20 gammas and 12 numbers of bins.

    python experiments/substitution_figures.py --out FOLDER --data UCI [--pictures DIR]

`random_substitution` has the cells; here all 240 pairs are gone through, kept in FOLDER as they
come (a run that was stopped goes on where it was), and drawn. The article has 100,000 training
records and five draws; --records and --minutes bound what is done here. The page says what was.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privet.schema import Schema
from privet.substitution import RandomSubstitution, grow_from_perturbed
from privet.substitution.advise import _with_bins
from privet.table import Table
from privet.tree.accuracy import accuracy_on
from random_substitution import (
    SMALL_BINS,
    SMALL_GAMMAS,
    WHOLE_BINS,
    WHOLE_GAMMAS,
    entropy,
    errors,
    tables,
)

WAYS = ("global", "by-class")
COMMON = {"raw": "as estimated", "zeroed": "negative counts set to 0"}


def pairs() -> list[tuple[int, int]]:
    """All pairs of gamma and N, those of the small grid first."""
    every = [(gamma, bins) for bins in WHOLE_BINS for gamma in WHOLE_GAMMAS]
    return sorted(every, key=lambda pair: pair[0] not in SMALL_GAMMAS or pair[1] not in SMALL_BINS)


def cell(
    train: Table, test: Table, schema: Schema, gamma: int, bins: int, draws: int
) -> dict[str, float]:
    """Accuracy on clean records by each way, in the mean of some draws."""
    hits: dict[str, list[float]] = {way: [] for way in WAYS}
    for seed in range(draws):
        perturber = RandomSubstitution(gamma=gamma, bins=bins, domain_from_data=True)
        perturber.fit(train, _with_bins(schema, bins))
        seen = perturber.transform(train, seed=seed)
        for way in WAYS:
            tree = grow_from_perturbed(seen, perturber.mechanism_, schema, None, way, seed).tree
            hits[way].append(accuracy_on(tree, test))
    return {way: float(np.mean(own)) for way, own in hits.items()}


def accuracies(
    out: Path, data: Path | None, records: int, draws: int, minutes: float
) -> list[dict]:
    """Figures 4 and 5; what is in the file already is not done again."""
    path = out / "accuracy.json"
    rows = json.loads(path.read_text()) if path.exists() else []
    done = {(row["data"], row["gamma"], row["N"]) for row in rows}
    started = time.monotonic()
    every = list(tables(data, records))
    for gamma, bins in pairs():
        for name, train, test, schema in every:
            if (name, gamma, bins) in done or time.monotonic() - started > 60 * minutes:
                continue
            found = cell(train, test, schema, gamma, bins, draws)
            rows.append({"data": name, "gamma": gamma, "N": bins, "records": train.n_rows, **found})
        path.write_text(json.dumps(rows, indent=1))
    return rows


def by(rows: Sequence[dict], key: str) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


# -- pictures --------------------------------------------------------------------------------------


def surface(rows: Sequence[dict], key: str) -> np.ndarray:
    """N x gamma, in the mean of the rows of a cell; a cell without rows is empty."""
    found = np.full((len(WHOLE_BINS), len(WHOLE_GAMMAS)), np.nan)
    for i, bins in enumerate(WHOLE_BINS):
        for j, gamma in enumerate(WHOLE_GAMMAS):
            own = [row[key] for row in rows if row["N"] == bins and row["gamma"] == gamma]
            found[i, j] = np.mean(own) if own else np.nan
    return found


def panels(path: Path, drawn: list[list[tuple[str, np.ndarray]]], **limits: float) -> None:
    """Surfaces in rows and columns, one scale of colours for all."""
    import matplotlib.pyplot as plt

    size = (2.6 * len(drawn[0]) + 1, 2.4 * len(drawn))
    figure, axes = plt.subplots(
        len(drawn), len(drawn[0]), figsize=size, squeeze=False, sharex=True, sharey=True
    )
    for row, own in zip(axes, drawn, strict=True):
        for axis, (title, cells) in zip(row, own, strict=True):
            image = axis.imshow(cells, origin="lower", aspect="auto", cmap="viridis", **limits)
            axis.set_title(title, fontsize=8)
            axis.set_xticks(range(0, len(WHOLE_GAMMAS), 5), list(WHOLE_GAMMAS)[::5], fontsize=7)
            axis.set_yticks(range(0, len(WHOLE_BINS), 2), WHOLE_BINS[::2], fontsize=7)
        row[0].set_ylabel("N", fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("gamma", fontsize=8)
    figure.colorbar(image, ax=axes, shrink=0.8)
    _saved(figure, path)


def lines(path: Path, label: str, curves: dict[int, tuple[Sequence[Any], Sequence[float]]]) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 3.6))
    for bins, (x, y) in curves.items():
        axis.plot(x, y, label=f"N = {bins}", color=plt.cm.viridis(bins / 110), lw=1)
    axis.set(xlabel="gamma", ylabel=label)
    axis.legend(fontsize=6, ncol=2)
    _saved(figure, path)


def bands(path: Path, rows: Sequence[dict]) -> None:
    """Figure 5: accuracy in the mean of all data against entropy, a band for each N."""
    import matplotlib.pyplot as plt

    bits = surface(entropy(WHOLE_GAMMAS, WHOLE_BINS), "entropy")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, way in zip(axes, ("global", "by-class"), strict=True):
        cells = surface(rows, way)
        for i, bins in enumerate(WHOLE_BINS):
            axis.plot(bits[i], cells[i], ".-", color=plt.cm.viridis(bins / 110), ms=3, lw=0.5)
            axis.annotate(str(bins), (bits[i, -1], cells[i, -1]), fontsize=6)
        axis.set(xlabel="entropy of the matrix, bits", title=f"{way} (numbers are N)")
    axes[0].set_ylabel("accuracy, mean of all data")
    _saved(figure, path)


def _saved(figure: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def draw(folder: Path, found: dict[str, list[dict]]) -> None:
    """All pictures, without dates, so that the same figures give the same files."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "privet"
    folder.mkdir(parents=True, exist_ok=True)
    of_shape = by(found["errors"], "shape")
    panels(
        folder / "substitution-errors.svg",
        [
            [
                (f"{shape}, {said}", np.log10(surface(of_shape[shape], key)))
                for shape in of_shape
            ]
            for key, said in COMMON.items()
        ],
    )  # fmt: skip
    curves = {
        bins: (WHOLE_GAMMAS, [r["entropy"] for r in found["entropy"] if r["N"] == bins])
        for bins in WHOLE_BINS
    }
    lines(folder / "substitution-entropy.svg", "entropy, bits", curves)
    of_data = by(found["accuracy"], "data")
    panels(
        folder / "substitution-accuracy.svg",
        [
            [(f"{name}, {way}", surface(own, way)) for name, own in of_data.items()]
            for way in ("global", "by-class")
        ],
        vmin=0.5,
        vmax=1.0,
    )  # fmt: skip
    bands(folder / "substitution-bands.svg", found["accuracy"])


# -- what is said of them --------------------------------------------------------------------------


def told(found: dict[str, list[dict]]) -> dict[str, Any]:
    """The figures of the page, from all cells."""
    rows, off = found["accuracy"], found["errors"]
    bits = surface(found["entropy"], "entropy")
    plateau, triangles = (surface(own, "raw") for own in by(off, "shape").values())
    saved = np.array([row["zeroed"] / row["raw"] for row in off])
    related = {}
    for way in WAYS:
        cells = surface(rows, way)
        there = ~np.isnan(cells)
        related[way] = float(np.corrcoef(bits[there], cells[there])[0, 1])
    return {
        "shapes_alike": _span(plateau / triangles),
        "zeroed_over_raw": _span(saved),
        "zeroing_saves_half": int((saved <= 0.5).sum()),
        "cells_of_errors": len(saved),
        "entropy_with_accuracy": related,
        "data": {name: _of_data(own) for name, own in by(rows, "data").items()},
    }


def _of_data(rows: Sequence[dict]) -> dict[str, Any]:
    found: dict[str, Any] = {"cells": len(rows), "records": rows[0]["records"]}
    for way in WAYS:
        cells = np.array([row[way] for row in rows])
        reach = {f"at_least_{share}": int((cells >= share / 100).sum()) for share in (75, 80)}
        found[way] = {"mean": float(cells.mean()), "best": float(cells.max()), **reach}
    return found


def _span(cells: np.ndarray) -> list[float]:
    return [float(np.nanmin(cells)), float(np.nanmean(cells)), float(np.nanmax(cells))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=5, help="of each cell of Figure 2")
    parser.add_argument("--tree-draws", type=int, default=5, help="of each cell of Figure 4")
    parser.add_argument("--minutes", type=float, default=600)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = {
        "entropy": entropy(WHOLE_GAMMAS, WHOLE_BINS),
        "accuracy": accuracies(
            options.out, options.data, options.records, options.tree_draws, options.minutes
        ),
    }
    kept = options.out / "errors.json"
    if not kept.exists():
        of_errors = errors(list(WHOLE_GAMMAS), WHOLE_BINS, 10_000, options.draws)
        kept.write_text(json.dumps(of_errors, indent=1))
    found["errors"] = json.loads(kept.read_text())
    if options.pictures is not None:
        draw(options.pictures, found)
    print(json.dumps(told(found), indent=1))


if __name__ == "__main__":
    main()
