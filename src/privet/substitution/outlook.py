"""What perturbed records can carry: how right their tree will be, and how many more it takes.

Two witnesses, neither of whom has seen an original. The model (`stacked`) says how right the tree
is on originals drawn from it. It was made from the very records that grew the tree, so trees of
halves are tried on the other halves, and say how much of such a claim holds (`strength`): about all
of it, nothing at all where the class hangs on no column, or something between. Weights of regions
(`regions`) say it without bias but for having grown the tree, and noisily. What is likely before
and how far off witnesses are was settled on 300 trials with known originals, tossed classes among
them. How often the interval held the truth in others stands in
docs/results/random-substitution.md. `Outlook.needed` goes by trees from halves and quarters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Floats
from privet.errors import InvalidParameter
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.estimate import onto_simplex
from privet.substitution.evidence import unbiased_hits
from privet.substitution.likelihood import leaf_shares
from privet.substitution.regions import PerturbedRows
from privet.substitution.stacked import grow_from_stack, has_laws, stack
from privet.substitution.strength import Strength, strength_of
from privet.substitution.ways import CLASSES_OF_NUMBERS, settings_for_perturbed
from privet.table import Table
from privet.tree import Tree
from privet.tree.accuracy import accuracy_on
from privet.tree.response import looks_numeric

CONFIDENCE = 0.9
_FULL, _ABOUT_FULL = 1.03, 0.15  # where a claim holds: its strength and the deviation of it,
_ABOUT_NONE = 0.08  # and where there is nothing to learn
_HOLDS, _NOTHING = 0.4, 0.4  # how likely each is before; in all other cases it is anything up to
_STRONGEST = 2.0
_BY_CLASSES = 0.5  # how much wider the deviation is for each doubling of the classes
_OTHER_TREE, _OTHER_BY_NOISE = 0.3, 1.5  # how far strengths of halves and of the whole lie apart
_SAME_RECORDS = 1.7  # the unbiased witness judges what it grew: its error counts so many times
_COUNTED_TWICE = 2.0  # shares of classes are in both witnesses: in each their variance is doubled
_STRENGTHS = np.linspace(-0.3, 2.5, 113)
_ACCURACIES = np.linspace(0.0, 1.0, 1001)
_MOST_RECORDS = 20_000  # that are modelled; more would say the same
MOST_RECORDS = 1_000_000  # by which classes are counted
_FEWEST_RECORDS = 40
_MOST_COLUMNS = 200


@dataclass(frozen=True)
class Outlook:
    """The accuracy to expect on originals, with an interval that holds it in 90 of 100 draws."""

    records: int
    accuracy: float
    low: float
    high: float
    majority: float  # the share of the commonest class
    slope: float  # what accuracy lacks, times the root of the records

    @property
    def may_be_no_better(self) -> bool:
        """Whether naming the commonest class may be as right."""
        return self.low <= self.majority

    def with_records(self, records: int) -> float:
        """The accuracy to expect of so many records of the same kind."""
        gain = self.slope * (1 / math.sqrt(self.records) - 1 / math.sqrt(records))
        return min(max(self.accuracy + gain, 0.0), 1.0)

    def needed(self, accuracy: float) -> int | None:
        """How many records are expected to reach it; None where no number of them is."""
        if not 0 <= accuracy <= 1:
            raise InvalidParameter("accuracy", "a share from 0 to 1, such as 0.85", accuracy)
        if accuracy <= self.accuracy:
            return self.records
        lacks = self.accuracy + self.slope / math.sqrt(self.records) - accuracy
        return math.ceil((self.slope / lacks) ** 2) if lacks > 1e-4 else None

    def to_data(self, wanted: float | None = None) -> dict[str, Any]:
        return {
            "records": self.records,
            "accuracy": self.accuracy,
            "low": self.low,
            "high": self.high,
            "confidence": CONFIDENCE,
            "majority": self.majority,
            "may_be_no_better_than_the_majority": self.may_be_no_better,
            "with_four_times_the_records": self.with_records(4 * self.records),
            "wanted": wanted,
            "records_needed": None if wanted is None else self.needed(wanted),
        }


def outlook_for(
    table: Table,
    mechanism: Substitution,
    schema: Schema,
    tree: Tree | None = None,
    seed: int = 0,
    records: int | None = None,
) -> Outlook | None:
    """The outlook of a perturbed table: of a tree grown from it, or of the one that would be grown.

    `records` says how many there are, where the table has only some of them. None where it cannot
    be told: few records, no classes, or a table that the model does not fit.
    """
    records = table.n_rows if records is None else records
    target = schema.target
    domain = table[target].domain
    numbers = looks_numeric(domain) and domain.size > CLASSES_OF_NUMBERS
    classes = domain.size >= 2 and not numbers
    sized = table.n_rows >= _FEWEST_RECORDS and len(table.names) <= _MOST_COLUMNS
    if not classes or not sized or not has_laws(table, mechanism, target):
        return None
    part = table
    if table.n_rows > _MOST_RECORDS:
        chosen = generator(seed, "outlook").permutation(table.n_rows)[:_MOST_RECORDS]
        part = table.take(np.sort(chosen))
    originals = stack(part, mechanism, target, seed)
    quarters, halves = (_grown_in_parts(part, mechanism, schema, n, seed) for n in (4, 2))
    grown_from = records
    if tree is None:
        settings = settings_for_perturbed(part.n_rows, way="stacked")
        tree, grown_from = grow_from_stack(originals, part.n_rows, schema, settings), part.n_rows
    (one, its_rows), (two, other_rows) = halves
    borne_out = strength_of([(one, other_rows), (two, its_rows)])
    # what the model says of more records holds as far as what it says of these
    slope = _slope(quarters, halves, originals, part.n_rows) * min(max(borne_out.value, 0.0), 1.0)
    likely = _judged(tree, originals, PerturbedRows(part, mechanism), borne_out)
    counted = PerturbedRows(table, mechanism).class_weights(target).sum(axis=0)
    majority = float(onto_simplex(counted / counted.sum(), 1.0).max())
    centre, low, high = _range(likely)
    more = Outlook(grown_from, centre, low, high, majority, slope).with_records(records) - centre
    centre, low, high = (min(max(value + more, 0.0), 1.0) for value in (centre, low, high))
    return Outlook(records, centre, low, high, majority, slope)


def _judged(tree: Tree, originals: Table, rows: PerturbedRows, borne_out: Strength) -> Floats:
    """How likely each accuracy is, by both witnesses."""
    n = rows.table.n_rows
    conditions = [b.matrix.condition_number for b in rows.mechanism.blocks]
    noise = float(np.mean(conditions)) / math.sqrt(n)
    deviation = math.hypot(borne_out.standard_error, _OTHER_TREE, _OTHER_BY_NOISE * noise)
    # a class that was perturbed itself counts as if its records were fewer by this, squared
    blur = 1.0 if (block := rows.block(tree.target)) is None else block.matrix.condition_number
    assert tree.classes is not None
    strengths = _before(len(tree.classes)) * _bell(_STRENGTHS, borne_out.value, blur * deviation)
    blind, named = _accuracy_of_chance(tree), _share_named(tree, rows)
    centres = blind + _STRENGTHS * (accuracy_on(tree, originals) - blind)
    variance = max(blind * (1 - blind), float((rows.class_weights(tree.target) @ named).var()))
    spread = math.sqrt(_COUNTED_TWICE * variance / n + 1e-6)
    by_model = strengths @ _bell(_ACCURACIES, centres[:, None], spread)
    hits = unbiased_hits(tree, rows)
    error = _SAME_RECORDS * math.sqrt(max(float(hits.var()), 1e-6) / n)
    by_weights = _bell(_ACCURACIES, float(hits.mean()), error)
    both: Floats = by_model * by_weights
    if both.sum() == 0:  # witnesses that exclude each other: the steady one is believed
        both = by_model
    both /= both.sum()
    return both


def _range(likely: Floats) -> tuple[float, float, float]:
    """The mean, and where the interval begins and ends, half a step of the grid beyond. What is
    likeliest comes first: with as much left out on either side, no interval would ever hold 1. The
    mean of a long tail may lie outside; what is said is the nearest that is within."""
    best_first, half = np.argsort(-likely, kind="stable"), 0.5 * float(_ACCURACIES[1])
    enough = int(np.searchsorted(np.cumsum(likely[best_first]), CONFIDENCE)) + 1
    within = _ACCURACIES[best_first[:enough]]
    low, high = float(within.min()) - half, float(within.max()) + half
    return min(max(float(likely @ _ACCURACIES), low), high), low, high


def _before(classes: int) -> Floats:
    """How likely each strength is before anything is seen. The model smooths many classes more
    than few, and its claims are the more modest."""
    step = float(_STRENGTHS[1] - _STRENGTHS[0])
    about_full = _ABOUT_FULL * (1 + _BY_CLASSES * math.log2(max(classes, 2) / 2))
    full, none = _bell(_STRENGTHS, _FULL, about_full), _bell(_STRENGTHS, 0.0, _ABOUT_NONE)
    between = ((_STRENGTHS >= 0) & (_STRENGTHS <= _STRONGEST)) * (step / _STRONGEST)
    mixed: Floats = (
        _HOLDS * full / full.sum()
        + _NOTHING * none / none.sum()
        + (1 - _HOLDS - _NOTHING) * between
    )
    return mixed


def _bell(places: Floats, centre: float | Floats, deviation: float) -> Floats:
    bell: Floats = np.exp(-0.5 * ((places - centre) / deviation) ** 2)
    return bell


def _accuracy_of_chance(tree: Tree) -> float:
    """How right the tree would be if its leaves had nothing to do with the classes."""
    shares, common = leaf_shares(tree)
    sizes = np.array([tree.records(leaf) for leaf in tree.leaves], dtype=np.float64)
    return float((sizes / sizes.sum()) @ common[shares.argmax(axis=1)])


def _share_named(tree: Tree, rows: PerturbedRows) -> Floats:
    """For each class of the target the share of records in leaves that name it."""
    domain = rows.domain(tree.target)
    labels = [domain.value(code) for code in range(domain.size)]
    named = np.zeros(len(labels))
    for leaf in tree.leaves:
        if tree.prediction(leaf) in labels:
            named[labels.index(tree.prediction(leaf))] += tree.records(leaf)
    return named / tree.records(tree.root)


def _grown_in_parts(
    table: Table, mechanism: Substitution, schema: Schema, parts: int, seed: int
) -> list[tuple[Tree, PerturbedRows]]:
    """The records in so many parts by chance: the tree of each, and its records."""
    order = generator(seed, "quarters").permutation(table.n_rows)
    found = []
    for place in range(parts):
        piece = table.take(np.sort(order[place::parts]))
        drawn = stack(piece, mechanism, schema.target, seed + place)
        settings = settings_for_perturbed(piece.n_rows, way="stacked")
        tree = grow_from_stack(drawn, piece.n_rows, schema, settings)
        found.append((tree, PerturbedRows(piece, mechanism)))
    return found


def _slope(
    quarters: Sequence[tuple[Tree, PerturbedRows]],
    halves: Sequence[tuple[Tree, PerturbedRows]],
    originals: Table,
    records: int,
) -> float:
    """From trees of all quarters and halves, judged by the model of all: accuracy is taken to lack
    a constant over the root of the records."""
    less, more = (
        float(np.mean([accuracy_on(tree, originals) for tree, _ in parts]))
        for parts in (quarters, halves)
    )
    per_root = 2.0 - math.sqrt(2.0)  # 1 over the roots of a quarter and of a half, times that of n
    return max(more - less, 0.0) / per_root * math.sqrt(records)
