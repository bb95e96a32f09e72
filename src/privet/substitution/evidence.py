"""How right the tree of each way would be on originals, as far as perturbed records tell.

The records are cut into halves. From each half a tree is grown, and judged on the originals of the
other half, drawn from a model of that half alone (`stacked`): what the tree took from the noise of
its own half does not help it there. This is steady and may be biased. Beside it stands an estimate
without bias (`regions`), which is noisy. Where records are few, they are cut several times.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from privet.arrays import Floats
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.regions import PerturbedRows
from privet.substitution.stacked import grow_from_stack, stack
from privet.substitution.ways import grown
from privet.table import Table
from privet.tree import Grower, Tree
from privet.tree.accuracy import accuracy_on

_RECORDS_CUT = 12_000  # in all cuts together, about
_MOST_CUTS = 5


@dataclass(frozen=True, eq=False)
class Half:
    """Perturbed records, and what a model of them alone says of their originals."""

    table: Table
    originals: Table  # stacked draws
    rows: PerturbedRows


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of one way: what each half says of the tree that the other one grew."""

    steady: Floats
    unbiased: float
    standard_error: float  # of the unbiased estimate


def evidence_for(
    table: Table,
    mechanism: Substitution,
    schema: Schema,
    growers: dict[str, Grower],
    seed: int,
    progress: Callable[[str], None],
) -> dict[str, Evidence]:
    """What the halves say of each way. A grower is scaled to the part that its tree sees."""
    steady: dict[str, list[float]] = {way: [] for way in growers}
    hits: dict[str, list[Floats]] = {way: [] for way in growers}
    for cut in range(max(1, min(_MOST_CUTS, _RECORDS_CUT // table.n_rows))):
        progress("modelling halves of the records")
        pair = _halves(table, mechanism, schema.target, seed + 2 * cut)
        for way, grower in growers.items():
            progress(f"trying {way}")
            scaled = replace(grower, min_leaf=max(1, grower.min_leaf // 2))
            for half, other in (pair, pair[::-1]):
                tree = _of_half(half, mechanism, schema, scaled, way, seed)
                steady[way].append(accuracy_on(tree, other.originals))
                hits[way].append(unbiased_hits(tree, other.rows))
    return {way: _gathered(steady[way], hits[way], table.n_rows) for way in growers}


def _halves(table: Table, mechanism: Substitution, target: str, seed: int) -> Sequence[Half]:
    """The records cut in two by chance, each half with a model of its own."""
    order = generator(seed, "halves").permutation(table.n_rows)
    parts = [table.take(np.sort(order[start::2])) for start in (0, 1)]
    return [
        Half(part, stack(part, mechanism, target, seed + place), PerturbedRows(part, mechanism))
        for place, part in enumerate(parts)
    ]


def _of_half(
    half: Half, mechanism: Substitution, schema: Schema, grower: Grower, way: str, seed: int
) -> Tree:
    if way == "stacked":
        return grow_from_stack(half.originals, half.table.n_rows, schema, grower)
    return grown(half.table, mechanism, schema, grower, way, seed)


def _gathered(steady: list[float], hits: list[Floats], records: int) -> Evidence:
    every = np.concatenate(hits)
    # several cuts share their records: they are no more records
    error = float(every.std()) / math.sqrt(records)
    return Evidence(np.array(steady), float(every.mean()), error)


def unbiased_hits(tree: Tree, rows: PerturbedRows) -> Floats:
    """For each perturbed record a number whose mean over the draws is 1 if its original would be
    classified rightly, and 0 if not."""
    assert tree.classes is not None
    target = rows.domain(tree.target)
    labels = [target.value(code) for code in range(target.size)]
    classes = rows.class_weights(tree.target)
    regions = tree.regions({name: rows.domain(name) for name in rows.table.names})
    hits = np.zeros(rows.table.n_rows)
    for leaf in tree.leaves:
        if tree.prediction(leaf) in labels:
            own = classes[:, labels.index(tree.prediction(leaf))]
            hits += rows.weights(regions[leaf.id]) * own
    return hits
