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
from privet.schema import Role, Schema

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
class Told:
    """What equivalence classes tell of one target. `one_class` counts those whose records all have
    one value of it, `one_class_records` those records; `guessed` is the largest share of one value
    in an equivalence class."""

    one_class: int
    one_class_records: int
    guessed: float


@dataclass(frozen=True, kw_only=True)
class Figures(ClassFigures):
    """Those of a table with a target, or several: `k_with_target` is k if all of them are known.
    What is told of the one of which most is told stands for all."""

    k_with_target: int
    told: Mapping[str, Told]

    @property
    def one_class(self) -> int:
        return max(told.one_class for told in self.told.values())

    @property
    def one_class_records(self) -> int:
        return max(told.one_class_records for told in self.told.values())

    @property
    def guessed(self) -> float:
        return max(told.guessed for told in self.told.values())


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
    engine: Engine, quasi: Sequence[str], targets: Sequence[str], sensitive: Sequence[str]
) -> Figures:
    """The same, and what they are with the targets."""
    counted = {target: engine.count([*quasi, target]) for target in targets}
    figures = count_class_figures(engine, quasi, sensitive, counted)
    together = engine.count([*quasi, *targets]) if len(targets) > 1 else counted[targets[0]]
    return Figures(
        **vars(figures),
        k_with_target=measure_k(together),
        told={target: _told(counts, len(quasi)) for target, counts in counted.items()},
    )


def _told(with_target: Counts, quasi: int) -> Told:
    classes = with_target.over(quasi)
    starts = with_target.runs(quasi)
    one_value = np.diff(np.append(starts, len(with_target.n))) == 1
    return Told(
        one_class=int(one_value.sum()),
        one_class_records=int(classes.n[one_value].sum()),
        guessed=float(1 / measure_l(with_target)),
    )


def figures_of(engine: Engine, schema: Schema, sensitive: Sequence[str]) -> ClassFigures:
    """Every figure of a table, as far as its schema has columns for them."""
    targets = schema.names(Role.TARGET)
    if not targets:
        return count_class_figures(engine, schema.quasi, sensitive)
    return count_figures(engine, schema.quasi, targets, sensitive)


def recount(claim: Claim, figures: ClassFigures) -> Any:
    """What a claim should have measured, from figures counted anew; None if they do not say."""
    column = claim.parameters.get("column", "")
    if claim.name in _FIELDS:
        of_target = isinstance(figures, Figures) and figures.told.get(column)
        return getattr(of_target or figures, _FIELDS[claim.name], None)
    if claim.name == L:
        return figures.l.get(column, {}).get(str(claim.parameters.get("kind")))
    return figures.t.get(column) if claim.name == T else None


def reaches(claim: Claim, found: Any) -> bool:
    """Whether a recounted figure is as good as what was asked for."""
    if claim.claimed is None:
        return True
    return bool(found <= claim.claimed if claim.name == T else found >= claim.claimed)
