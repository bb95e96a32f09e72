"""What perturbed records can carry: how right their tree will be, and how many more it takes.

Two witnesses, neither of whom has seen an original. The model (`stacked`) says how right the tree
is on originals drawn from it: steady, but the model knows less than the truth, so a tree that found
more than it is better than it says. Weights of regions (`regions`) say it without bias, but
noisily, and of the very records that grew the tree. They are put together by how far off each was
in 395 trials on tables whose originals were known. How often the interval held the truth in
others stands in docs/results/random-substitution.md. `Outlook.needed` goes by trees from halves and
quarters of the records.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.errors import InvalidParameter
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.evidence import unbiased_hits
from privet.substitution.regions import PerturbedRows
from privet.substitution.stacked import grow_from_stack, has_laws, stack
from privet.substitution.ways import CLASSES_OF_NUMBERS, settings_for_perturbed
from privet.table import Table
from privet.tree import Tree
from privet.tree.accuracy import accuracy_on
from privet.tree.response import looks_numeric

CONFIDENCE = 0.9
_DEVIATIONS = 1.645  # on both sides, for nine of ten
# How far the model is off, where q is the mean condition number over the root of the records:
_KNOWS_LESS, _FITS_NOISE = 0.035, 0.4  # in the mean: the one, less the other times q
_OFF, _OFF_BY_NOISE = 0.03, 0.43  # its standard deviation: the one, and the other times q
_SAME_RECORDS = 3.0  # the unbiased witness judges what it grew: its error counts so many times
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
    sized = table.n_rows >= _FEWEST_RECORDS and len(table.names) <= _MOST_COLUMNS
    if numbers or not sized or not has_laws(table, mechanism, target):
        return None
    part = table
    if table.n_rows > _MOST_RECORDS:
        chosen = generator(seed, "outlook").permutation(table.n_rows)[:_MOST_RECORDS]
        part = table.take(np.sort(chosen))
    originals = stack(part, mechanism, target, seed)
    slope = _slope(part, mechanism, schema, originals, seed)
    grown_from = records
    if tree is None:
        settings = settings_for_perturbed(part.n_rows, way="stacked")
        tree, grown_from = grow_from_stack(originals, part.n_rows, schema, settings), part.n_rows
    centre, deviation = _judged(tree, originals, PerturbedRows(part, mechanism), grown_from)
    classes = PerturbedRows(table, mechanism).class_weights(target).sum(axis=0)
    found = Outlook(grown_from, centre, 0.0, 1.0, float(classes.max() / classes.sum()), slope)
    centre = found.with_records(records)
    half = _DEVIATIONS * deviation
    low, high = max(centre - half, 0.0), min(centre + half, 1.0)
    return Outlook(records, min(max(centre, low), high), low, high, found.majority, slope)


def _judged(tree: Tree, originals: Table, rows: PerturbedRows, records: int) -> tuple[float, float]:
    """The accuracy by both witnesses, and its standard deviation."""
    conditions = [b.matrix.condition_number for b in rows.mechanism.blocks]
    noise = float(np.mean(conditions)) / math.sqrt(records)
    modelled = accuracy_on(tree, originals) + _KNOWS_LESS - _FITS_NOISE * noise
    variance = _OFF**2 + (_OFF_BY_NOISE * noise) ** 2
    hits = unbiased_hits(tree, rows)
    own_variance = _SAME_RECORDS**2 * max(float(hits.var()), 1e-9) / len(hits)
    weights = 1 / variance, 1 / own_variance
    centre = (modelled * weights[0] + float(hits.mean()) * weights[1]) / sum(weights)
    return min(max(centre, 0.0), 1.0), math.sqrt(1 / sum(weights))


def _slope(
    table: Table, mechanism: Substitution, schema: Schema, originals: Table, seed: int
) -> float:
    """From trees of all quarters and halves, judged by the model of all: accuracy is taken to lack
    a constant over the root of the records."""
    order = generator(seed, "quarters").permutation(table.n_rows)
    right = {}
    for parts in (4, 2):
        found = []
        for place in range(parts):
            piece = table.take(np.sort(order[place::parts]))
            drawn = stack(piece, mechanism, schema.target, seed + place)
            settings = settings_for_perturbed(piece.n_rows, way="stacked")
            tree = grow_from_stack(drawn, piece.n_rows, schema, settings)
            found.append(accuracy_on(tree, originals))
        right[parts] = float(np.mean(found))
    per_root = 2.0 - math.sqrt(2.0)  # 1 over the roots of a quarter and of a half, times that of n
    return max(right[2] - right[4], 0.0) / per_root * math.sqrt(table.n_rows)
