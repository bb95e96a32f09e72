"""Trees from perturbed records: one face for all ways, and the choice among them.

`auto` holds out a part of the perturbed records, grows a tree each way from the rest, and estimates
how often each tree would be right on the originals of the held-out part. No clean record is seen.
Two estimates: one is unbiased (`regions`) and noisy, the other is taken on the held-out records
rebuilt by a model of their own (`latent`), which is steady and may be biased. A way that the
unbiased one finds worse by several standard errors is struck off. Of the others the favourite is
taken, unless the steady one ranks another above it by more than its bias. The way chosen then grows
its tree from all records.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from privet.arrays import Floats
from privet.engine import MemoryEngine
from privet.errors import InvalidParameter, UsageError, param
from privet.files import as_table
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.by_node import ByNodeCounts
from privet.substitution.estimated import EstimatedCounts
from privet.substitution.rebuild import modelled, sorted_and_dealt
from privet.substitution.regions import PerturbedRows
from privet.table import Table
from privet.tree import Grower, Tree, grow
from privet.tree.accuracy import accuracy_on
from privet.tree.response import looks_numeric

Way = Literal["perturbed", "global", "by-class", "by-node", "modelled", "estimated", "auto"]
WAYS: tuple[str, ...] = get_args(Way)
TRIED = ("modelled", "by-class", "estimated", "perturbed")  # by `auto`, favourites first
HELD_OUT = 3  # one record in so many
STRUCK_OFF = 3.0  # standard errors of the unbiased estimate
BIAS = 0.01  # of the steady estimate, from one way to another, as seen where the truth was known
_LEAF_SHARE = 200  # a leaf has at least one record in so many,
_LEAST_LEAF = 50  # and in small tables so many records, as far as they go round


@dataclass(frozen=True)
class Score:
    """Accuracy on the originals of held-out records, as far as perturbed ones tell."""

    accuracy: float  # on the rebuilt held-out records: ranks
    unbiased: float
    standard_error: float  # of the unbiased estimate

    def to_data(self) -> dict[str, float]:
        return {
            "accuracy": self.accuracy,
            "unbiased": self.unbiased,
            "standard_error": self.standard_error,
        }


@dataclass(frozen=True)
class Chosen:
    """A tree from perturbed records, the way it was grown, and how `auto` scored the ways."""

    tree: Tree
    way: str
    scores: dict[str, Score]


def settings_for_perturbed(n: int, leaves: int | None = None) -> Grower:
    """Stopping that suits perturbed records: entropy, and no leaf under half a per cent of them."""
    least = max(1, n // _LEAF_SHARE, min(_LEAST_LEAF, n // 10))
    return Grower(impurity="entropy", leaves=leaves, min_leaf=least)


def grow_from_perturbed(
    table: Any,
    mechanism: Substitution,
    schema: Schema,
    grower: Grower | None = None,
    way: Way = "auto",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Chosen:
    """A tree that predicts originals, grown from perturbed records alone.

    The seed breaks ties and draws from models; it hides nothing. `progress` hears of each step.

    >>> table = privet.table_of({"age": [30, 61] * 40, "buys": ["no", "yes"] * 40})
    >>> schema = table.schema().with_roles(target="buys")
    >>> settings = {"gamma": 9, "bins": 2, "domain_from_data": True}
    >>> perturber = privet.RandomSubstitution(**settings).fit(table, schema)
    >>> seen = perturber.transform(table)
    >>> privet.grow_from_perturbed(seen, perturber.mechanism_, schema, way="by-class").way
    'by-class'
    """
    table = as_table(table)
    if way not in WAYS:
        raise InvalidParameter("way", "one of " + ", ".join(WAYS), way)
    if looks_numeric(table[schema.target].domain) and table[schema.target].domain.size > 20:
        raise UsageError(
            f"The target '{schema.target}' is a number; perturbed records grow trees of classes.",
            "name a column of classes.",
        )
    say = progress or (lambda _: None)
    settings = grower or settings_for_perturbed(table.n_rows)
    if way != "auto":
        say(f"growing {way}")
        return Chosen(_grown(table, mechanism, schema, settings, way, seed), way, {})
    scores = score_ways(table, mechanism, schema, settings, TRIED, seed, say)
    best = best_way(scores)
    say(f"growing {best}")
    return Chosen(_grown(table, mechanism, schema, settings, best, seed), best, scores)


def best_way(scores: dict[str, Score]) -> str:
    """The first way that is neither struck off nor clearly behind; favourites stand first."""
    ceiling = max(s.unbiased - STRUCK_OFF * s.standard_error for s in scores.values())
    standing = {
        way: s for way, s in scores.items() if s.unbiased + STRUCK_OFF * s.standard_error >= ceiling
    }
    highest = max(s.accuracy for s in standing.values())
    return next(way for way, s in standing.items() if s.accuracy >= highest - BIAS)


def score_ways(
    table: Table,
    mechanism: Substitution,
    schema: Schema,
    grower: Grower,
    ways: Sequence[str] = TRIED,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Score]:
    """For each way its accuracy on held-out records; the grower is scaled to the part it sees."""
    if table.n_rows < 2 * HELD_OUT:
        raise UsageError("There are too few records to hold some out.", f"name a {param('way')}.")
    order = generator(seed, "held out").permutation(table.n_rows)
    held, rest = np.sort(order[::HELD_OUT]), np.sort(np.delete(order, np.s_[::HELD_OUT]))
    judge, part = table.take(held), table.take(rest)
    progress("modelling the held-out records")
    rebuilt = modelled(judge, mechanism, schema.target, seed + 1)
    rows = PerturbedRows(judge, mechanism)
    scaled = replace(grower, min_leaf=max(1, grower.min_leaf * len(rest) // table.n_rows))
    scores = {}
    for way in ways:
        progress(f"trying {way}")
        tree = _grown(part, mechanism, schema, scaled, way, seed)
        right = unbiased_hits(tree, rows)
        scores[way] = Score(
            accuracy_on(tree, rebuilt),
            float(right.mean()),
            float(right.std()) / math.sqrt(len(right)),
        )
    return scores


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


def _grown(
    table: Table,
    mechanism: Substitution,
    schema: Schema,
    grower: Grower,
    way: str,
    seed: int,
) -> Tree:
    target = schema.target
    engine: Any
    if way == "by-node":
        engine = ByNodeCounts(table, mechanism, target, seed=seed)
    elif way == "estimated":
        engine = EstimatedCounts(table, mechanism, target)
    elif way == "modelled":
        engine = MemoryEngine(modelled(table, mechanism, target, seed))
    elif way == "perturbed":
        engine = MemoryEngine(table)
    else:
        engine = MemoryEngine(
            sorted_and_dealt(table, mechanism, target, way == "by-class", seed=seed)
        )
    return grow(engine, schema, grower)
