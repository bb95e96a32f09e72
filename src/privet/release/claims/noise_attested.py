"""What only the publisher of noise knows: how much changed. It must be a figure that can be.

Where the files do show a part of it, such as whether the tree grows again with the same rules, that
part is looked at as well.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.mechanism.class_laws import ClassLaw
from privet.mechanism.grids import Grid
from privet.release.checks import Check
from privet.release.claims.figures import ORIGINAL_TREE
from privet.release.claims.noise_settings import is_number, trees_of
from privet.release.manifest import Claim, canonical
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.tree.accuracy import training_accuracy
from privet.tree.compare import same_counts, same_rules
from privet.tree.natural import tree_grown_again
from privet.tree.similar import tree_likeness

OBSERVED = "class-changes"
CHANGED = "changed-values"
R2 = "squared-correlation"
REGROWN = "accuracy-of-a-tree-grown-again"
STAYED = "records-that-stayed-in-their-leaf"
FOUND = "found-by-the-intruder"
ATTESTED = (ORIGINAL_TREE, OBSERVED, CHANGED, R2, REGROWN, STAYED, FOUND)

_MOST_DEVIATIONS = 10  # by which a count may be off what was expected
_ROUNDED = Fraction(101, 100)  # shifts are told in three digits
_SHIFT = "expected_shift_of_the_mean"
_JUDGED_ON = "the original records"


class Attested:
    """The attested claims of a release with noise, each held against what can be."""

    def __init__(self, opened: OpenedRelease) -> None:
        self.opened, self.manifest, self.tree = opened, opened.manifest, opened.tree
        self.method: Mapping[str, Any] = opened.manifest.method
        self.records = opened.table.n_rows
        leaves = [leaf.weights for leaf in self.tree.leaves]
        self.law = ClassLaw.of(self.method["class"], leaves, self.method.get("floor", 0.0))

    def check(self, claim: Claim, title: str) -> Check:
        if claim.name == ORIGINAL_TREE:
            fits = claim.claimed is True and claim.measured is True and not claim.parameters
            said = "that this is the tree of the original table, only its publisher knows"
            return Check(title, "attested", said) if fits else _unfit(title)
        fits = {
            OBSERVED: self._class_changes,
            CHANGED: self._changed_values,
            R2: self._correlation,
            STAYED: self._stayed,
            FOUND: self._found,
            REGROWN: self._grown_again,
        }[claim.name](claim)
        if claim.claimed is not None or not fits:
            return _unfit(title)
        expected = claim.parameters.get("expected")
        more = "" if expected is None else f" (expected {text_of(expected)})"
        return Check(title, "attested", text_of(claim.measured) + more)

    def _class_changes(self, claim: Claim) -> bool:
        law = self.law
        about = {"expected": float(law.expected), "variance": float(law.variance)}
        most = self.records
        if law.technique in ("random", "probabilistic") and not law.floor:
            most -= law.unprotected  # a leaf of one class has no other to draw
        return (
            self._is_count(claim.measured, 0 if law.technique == "none" and not law.floor else most)
            and canonical(dict(claim.parameters)) == canonical(about)
            and self._is_likely(claim.measured, about["expected"], about["variance"])
        )

    def _changed_values(self, claim: Claim) -> bool:
        about = dict(claim.parameters)
        column, expected = about.pop("column", None), about.pop("expected", None)
        shift = about.pop(_SHIFT, 0.0)
        return (
            not about
            and self._is_noisy(column)
            and self._is_count(claim.measured, self.records)
            and _is_float(expected, 0, self.records)
            and self._is_likely(claim.measured, expected, self.records / 2)
            and is_number(shift)
            and abs(shift) <= _ROUNDED * self._width_of(str(column))
        )

    def _is_likely(self, observed: int, expected: float, variance: float) -> bool:
        """Whether so many changes can be where so many were expected. Of n cells that are drawn
        one by one the variance is at most n/4, of permuted ones n/2. What is drawn again to keep
        the tree has no such law."""
        if self.method.get("keep_tree"):
            return True
        return abs(observed - expected) <= _MOST_DEVIATIONS * math.sqrt(variance) + 1

    def _width_of(self, column: str) -> Fraction:
        """How far a column's values lie apart, and so their mean may move at most."""
        if self.manifest.format == 1:
            return Fraction(2) ** 1025  # no law says how far: any number will do
        innocent = self.opened.mechanism["innocent"] or {"columns": {}}
        if column not in innocent["columns"]:
            return Fraction(0)
        law = innocent["columns"][column]
        grid = Grid.from_data(law["grid"], self.manifest.schema[column].kind)
        return Fraction((law["high"] - law["low"]) * grid.width)

    def _correlation(self, claim: Claim) -> bool:
        column = claim.parameters.get("column")
        return (
            set(claim.parameters) == {"column"}
            and self._is_noisy(column)
            and self.manifest.schema[str(column)].kind.is_ordered
            and _is_float(claim.measured, 0, 1)
        )

    def _stayed(self, claim: Claim) -> bool:
        """With the strict rule no record may have left its leaf."""
        stays = self.method["strict"] or self.method["detective"] is None
        if claim.parameters or not self._is_count(claim.measured, self.records):
            return False
        return not stays or bool(claim.measured == self.records)

    def _found(self, claim: Claim) -> bool:
        """A share of the records that were tried, of people all of whose other values are known;
        of a large table `among` some of them."""
        about = dict(claim.parameters)
        tried, before = about.pop("tried", None), about.pop("before", None)
        among = about.pop("among", self.records)
        others = [n for n in self.manifest.schema.names() if n != self.manifest.schema.target]
        return (
            about == {"known": others}
            and self._is_count(among, self.records)
            and self._is_count(tried, among)
            and _is_float(before, 0, 1)
            and before * among > 0.999  # those who are unlike each other: one at least
            and _is_float(claim.measured, 0, 1)
            and claim.measured > 0  # somebody is always the likeliest
        )

    def _grown_again(self, claim: Claim) -> bool:
        if not _is_float(claim.measured, 0, 1):
            return False
        about: dict[str, Any] = {
            "judged_on": _JUDGED_ON,
            "of_the_original_tree": training_accuracy(self.tree),
        }
        if self.manifest.format == 1:
            about["same_tree"] = bool(claim.parameters.get("same_tree"))
        else:
            trees, schema = trees_of(self.method), self.manifest.schema
            again = tree_grown_again(self.opened.engine, schema, trees)
            about["same_rules"] = same_rules(self.tree, again)
            about["same_counts"] = same_counts(self.tree, again)
            about["likeness"] = tree_likeness(self.tree, again, self.opened.table).figures()
        return canonical(dict(claim.parameters)) == canonical(about)

    def _is_noisy(self, column: Any) -> bool:
        treatment = entry_of(self.manifest.recoding, str(column)).get("treatment")
        return column in self.manifest.schema and treatment == "noise"

    @staticmethod
    def _is_count(value: Any, most: int) -> bool:
        return type(value) is int and 0 <= value <= most


def _is_float(value: Any, low: int, high: int) -> bool:
    return isinstance(value, float) and low <= value <= high


def _unfit(title: str) -> Check:
    return Check(title, "no", "what is attested is no figure of this release")


def text_of(figure: Any) -> str:
    return f"{figure:,.6g}" if isinstance(figure, float) else str(figure)
