"""The figures behind the claims: counted by the publisher and again by whoever verifies.

Both count with the same code on an engine: the publisher on the recoded table with its sensitive
columns still in place, the verifier on the released file with what it shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.criteria import KINDS, measure_k, measure_l, measure_t
from privet.criteria.verdict import plain
from privet.engine import Counts, Engine
from privet.release.manifest import Claim
from privet.roles import target_of
from privet.schema import Schema

K, K_WITH_TARGET, L, T = "k-anonymity", "k-anonymity-with-target", "l-diversity", "t-closeness"
CLASSES, ONE_CLASS, RECORDS = "equivalence-classes", "one-class-equivalence-classes", "records"
ONE_CLASS_RECORDS, GUESSED = "one-class-records", "target-guessed"
ORIGINAL_TREE = "tree-of-the-original"


_FIELDS = {
    RECORDS: "records",
    CLASSES: "equivalence_classes",
    K: "k",
    K_WITH_TARGET: "k_with_target",
    ONE_CLASS: "one_class",
    ONE_CLASS_RECORDS: "one_class_records",
    GUESSED: "guessed",
}


@dataclass(frozen=True, kw_only=True)
class ClassFigures:
    """The privacy figures of a table, with or without a target."""

    records: int
    equivalence_classes: int
    k: int
    l: Mapping[str, Mapping[str, int | float]]  # noqa: E741
    t: Mapping[str, int | float]

    def worst_l(self, kind: str = "strong") -> int | float | None:
        return min((ls[kind] for ls in self.l.values()), default=None)

    def worse_than(self, other: "ClassFigures") -> bool:
        """Whether k, or strong l of some column, is smaller than there."""
        less = any(ls["strong"] < other.l[column]["strong"] for column, ls in self.l.items())
        return less or self.k < other.k

    def worst_t(self) -> int | float | None:
        return max(self.t.values(), default=None)


@dataclass(frozen=True, kw_only=True)
class Figures(ClassFigures):
    """Those of a table with a target. `one_class` counts equivalence classes whose records all have
    one target value, `one_class_records` those records; `guessed` is the largest share of one
    target value in an equivalence class."""

    k_with_target: int
    one_class: int
    one_class_records: int
    guessed: float


def count_class_figures(
    engine: Engine,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    counted: Mapping[str, Counts] | None = None,
) -> ClassFigures:
    """Count the figures of a table whose equivalence classes are those of `quasi`.

    `counted` has, for some column, what is counted already: the records by `quasi` and by it.
    """
    known = dict(counted or {})
    classes = next((c.over(len(quasi)) for c in known.values()), None) or engine.count(quasi)
    diversity, closeness = {}, {}
    for column in sensitive:
        counts = known.get(column) or engine.count([*quasi, column])
        diversity[column] = {kind: plain(measure_l(counts, kind)) for kind in KINDS}
        ordered = engine.domain(column).kind.is_ordered
        closeness[column] = plain(measure_t(counts, ordered))
    return ClassFigures(
        records=classes.records,
        equivalence_classes=len(classes.n),
        k=measure_k(classes),
        l=diversity,
        t=closeness,
    )


def count_figures(
    engine: Engine, quasi: Sequence[str], target: str, sensitive: Sequence[str]
) -> Figures:
    """The same, and what they are with the target."""
    with_target = engine.count([*quasi, target])
    figures = count_class_figures(engine, quasi, sensitive, {target: with_target})
    classes = with_target.over(len(quasi))
    starts = with_target.runs(len(quasi))
    one_value = np.diff(np.append(starts, len(with_target.n))) == 1
    return Figures(
        **vars(figures),
        k_with_target=measure_k(with_target),
        one_class=int(one_value.sum()),
        one_class_records=int(classes.n[one_value].sum()),
        guessed=1 / float(measure_l(with_target)),
    )


def figures_of(engine: Engine, schema: Schema, sensitive: Sequence[str]) -> ClassFigures:
    """Every figure of a table, as far as its schema has columns for them."""
    target = target_of(schema)
    if target is None:
        return count_class_figures(engine, schema.quasi, sensitive)
    return count_figures(engine, schema.quasi, target, sensitive)


def recount(claim: Claim, figures: ClassFigures) -> Any:
    """What a claim should have measured, from figures counted anew; None if they do not say."""
    if claim.name in _FIELDS:
        return getattr(figures, _FIELDS[claim.name], None)
    column = claim.parameters.get("column", "")
    if claim.name == L:
        return figures.l.get(column, {}).get(str(claim.parameters.get("kind")))
    return figures.t.get(column) if claim.name == T else None


def reaches(claim: Claim, found: Any) -> bool:
    """Whether a recounted figure is as good as what was asked for."""
    if claim.claimed is None:
        return True
    return bool(found <= claim.claimed if claim.name == T else found >= claim.claimed)
