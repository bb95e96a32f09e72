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
from privet.engine import Engine
from privet.release.manifest import Claim

K, K_WITH_TARGET, L, T = "k-anonymity", "k-anonymity-with-target", "l-diversity", "t-closeness"
CLASSES, ONE_CLASS, RECORDS = "equivalence-classes", "one-class-equivalence-classes", "records"
ONE_CLASS_RECORDS, GUESSED = "one-class-records", "target-guessed"
ORIGINAL_TREE = "tree-of-the-original"


@dataclass(frozen=True)
class Figures:
    """The privacy figures of a table. `one_class` counts equivalence classes whose records all have
    one target value, `one_class_records` those records; `guessed` is the largest share of one
    target value in an equivalence class."""

    records: int
    equivalence_classes: int
    k: int
    k_with_target: int
    one_class: int
    one_class_records: int
    guessed: float
    l: Mapping[str, Mapping[str, int | float]]  # noqa: E741
    t: Mapping[str, int | float]

    def worst_l(self, kind: str = "strong") -> int | float | None:
        return min((ls[kind] for ls in self.l.values()), default=None)

    def worse_than(self, other: "Figures") -> bool:
        """Whether k, or strong l of some column, is smaller than there."""
        less = any(ls["strong"] < other.l[column]["strong"] for column, ls in self.l.items())
        return less or self.k < other.k

    def worst_t(self) -> int | float | None:
        return max(self.t.values(), default=None)


def count_figures(
    engine: Engine, quasi: Sequence[str], target: str, sensitive: Sequence[str]
) -> Figures:
    """Count every figure of a table whose equivalence classes are those of `quasi`."""
    with_target = engine.count([*quasi, target])
    classes = with_target.over(len(quasi))
    starts = with_target.runs(len(quasi))
    one_value = np.diff(np.append(starts, len(with_target.n))) == 1
    diversity, closeness = {}, {}
    for column in sensitive:
        counts = with_target if column == target else engine.count([*quasi, column])
        diversity[column] = {kind: plain(measure_l(counts, kind)) for kind in KINDS}
        ordered = engine.domain(column).kind.is_ordered
        closeness[column] = plain(measure_t(counts, ordered))
    return Figures(
        records=classes.records,
        equivalence_classes=len(classes.n),
        k=measure_k(classes),
        k_with_target=measure_k(with_target),
        one_class=int(one_value.sum()),
        one_class_records=int(classes.n[one_value].sum()),
        guessed=1 / float(measure_l(with_target)),
        l=diversity,
        t=closeness,
    )


def recount(claim: Claim, figures: Figures) -> Any:
    """What a claim should have measured, from figures counted anew; None if they do not say."""
    match claim.name:
        case "records":
            return figures.records
        case "equivalence-classes":
            return figures.equivalence_classes
        case "k-anonymity":
            return figures.k
        case "k-anonymity-with-target":
            return figures.k_with_target
        case "one-class-equivalence-classes":
            return figures.one_class
        case "one-class-records":
            return figures.one_class_records
        case "target-guessed":
            return figures.guessed
        case "l-diversity":
            kind = claim.parameters.get("kind")
            return figures.l.get(claim.parameters.get("column", ""), {}).get(str(kind))
        case "t-closeness":
            return figures.t.get(claim.parameters.get("column", ""))
    return None


def reaches(claim: Claim, found: Any) -> bool:
    """Whether a recounted figure is as good as what was asked for."""
    if claim.claimed is None:
        return True
    return bool(found <= claim.claimed if claim.name == T else found >= claim.claimed)
