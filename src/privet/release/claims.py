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
from privet.schema import Role, Schema

K, K_WITH_TARGET, L, T = "k-anonymity", "k-anonymity-with-target", "l-diversity", "t-closeness"
CLASSES, ONE_CLASS, RECORDS = "equivalence-classes", "one-class-equivalence-classes", "records"
SAME_TREE, ORIGINAL_TREE = "same-tree", "tree-of-the-original"

_SHOWN_KINDS = tuple(kind for kind in KINDS if kind != "recursive")


@dataclass(frozen=True)
class Figures:
    """The privacy figures of a table. `one_class` counts equivalence classes with one target value
    (None for a numeric target)."""

    records: int
    equivalence_classes: int
    k: int
    k_with_target: int
    one_class: int | None
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
    engine: Engine, quasi: Sequence[str], target: str, numeric: bool, sensitive: Sequence[str]
) -> Figures:
    """Count every figure of a table whose equivalence classes are those of `quasi`."""
    with_target = engine.count([*quasi, target])
    classes = with_target.over(len(quasi))
    starts = with_target.runs(len(quasi))
    values_in_class = np.diff(np.append(starts, len(with_target.n)))
    diversity, closeness = {}, {}
    for column in sensitive:
        counts = with_target if column == target else engine.count([*quasi, column])
        diversity[column] = {kind: plain(measure_l(counts, kind)) for kind in _SHOWN_KINDS}
        ordered = engine.domain(column).kind.is_ordered
        closeness[column] = plain(measure_t(counts, ordered))
    return Figures(
        records=classes.records,
        equivalence_classes=len(classes.n),
        k=measure_k(classes),
        k_with_target=measure_k(with_target),
        one_class=None if numeric else int((values_in_class == 1).sum()),
        l=diversity,
        t=closeness,
    )


def claims_of(
    figures: Figures,
    schema: Schema,
    shown: Sequence[str],
    asked: Mapping[str, Any],
    leaves: int,
) -> tuple[Claim, ...]:
    """All claims of a release. `shown` are the sensitive columns released as they are, `asked` the
    levels asked for: k, l, l_kind, t, target_known."""
    quasi = list(schema.quasi)
    known = bool(asked.get("target_known"))
    k, kind = asked.get("k"), asked.get("l_kind") or "strong"
    claims = [
        Claim(RECORDS, {}, None, figures.records, "release"),
        Claim(CLASSES, {"quasi": quasi}, None, figures.equivalence_classes, "release"),
        Claim(K, {"quasi": quasi}, None if known else k, figures.k, "release"),
        Claim(
            K_WITH_TARGET,
            {"quasi": [*quasi, schema.target]},
            k if known else None,
            figures.k_with_target,
            "release",
        ),
    ]
    if figures.one_class is not None:
        claims.append(Claim(ONE_CLASS, {"quasi": quasi}, None, figures.one_class, "release"))
    for column in figures.l:
        how: Any = "release" if column in shown else "attested"
        about = {"column": column, "kind": kind}
        claims.append(Claim(L, about, asked.get("l"), figures.l[column][kind], how))
        claims.append(Claim(T, {"column": column}, asked.get("t"), figures.t[column], how))
    claims.append(Claim(SAME_TREE, {"leaves": leaves}, True, True, "release"))
    claims.append(Claim(ORIGINAL_TREE, {}, True, True, "attested"))
    return tuple(claims)


def shown_sensitive(schema: Schema, recoding: Mapping[str, Any]) -> tuple[str, ...]:
    """The sensitive columns whose values a release shows as they are."""
    columns = recoding.get("columns", {})
    shown = []
    for name in schema.sensitive:
        how = columns.get(name)
        kept = isinstance(how, Mapping) and how.get("treatment") == "kept"
        if kept or schema[name].role is Role.TARGET:
            shown.append(name)
    return tuple(shown)


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
