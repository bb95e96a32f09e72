"""The claims of a release with noise, and what its files show of them.

The tree in model.json is that of the original table. Records stay in its leaves (with `strict`),
and the class totals of the leaves are exact under random class noise: anybody can route the
released rows through the tree and count. What speaks of original values is attested.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from privet.mechanism.class_laws import TECHNIQUES, ClassLaw
from privet.release.checks import Check, yes_or_no
from privet.release.claims.figures import ORIGINAL_TREE, RECORDS
from privet.release.claims.model import model_checks
from privet.release.layout import MECHANISM, MODEL
from privet.release.manifest import Claim, Manifest
from privet.release.opened import OpenedRelease
from privet.table import Table
from privet.tree.model import Tree

METHOD = "noise"
FILES: tuple[str, ...] = (MODEL, MECHANISM)

IN_LEAVES = "records-in-leaves"
CLASS_TOTALS = "class-totals-in-leaves"
UNPROTECTED = "records-in-homogeneous-leaves"
BEST_GUESS = "classes-guessed-by-leaf"
EXPECTED = "expected-class-changes"
CORRECT = "classified-rightly-by-the-tree"
OBSERVED = "class-changes"
CHANGED = "changed-values"
R2 = "squared-correlation"
REGROWN = "accuracy-of-a-tree-grown-again"
STAYED = "records-that-stayed-in-their-leaf"

ATTESTED = (ORIGINAL_TREE, OBSERVED, CHANGED, R2, REGROWN, STAYED)


def keeps_order(manifest: Manifest) -> bool:
    return manifest.method.get("order") == "kept"


def shown_figures(method: Mapping[str, Any], tree: Tree, table: Table) -> dict[str, Any]:
    """Every figure that the files show, for the claims that a release of this method must make."""
    law = ClassLaw.of(method["class"], [leaf.weights for leaf in tree.leaves])
    reached = tree.leaf_of_rows(table)
    column = table[tree.target]
    codes = [column.domain.value(code) for code in range(column.domain.size)]
    labels = list(tree.classes or ())
    place = np.array([labels.index(v) if v in labels else len(labels) for v in codes])
    counts = np.zeros((len(tree.nodes), len(labels) + 1), dtype=np.int64)
    np.add.at(counts, (reached, place[column.codes]), 1)
    figures: dict[str, Any] = {RECORDS: table.n_rows}
    if method["strict"] or method["detective"] is None:
        sizes = {leaf.id: tree.records(leaf) for leaf in tree.leaves}
        figures[IN_LEAVES] = all(counts[i].sum() == n for i, n in sizes.items())
        if method["class"] in ("random", "none"):
            figures[CLASS_TOTALS] = all(
                tuple(counts[leaf.id].tolist()) == (*leaf.weights, 0) for leaf in tree.leaves
            )
    figures[UNPROTECTED] = law.unprotected
    figures[BEST_GUESS] = law.best_guess
    figures[EXPECTED] = float(law.expected)
    winners = {leaf.id: leaf.weights.index(max(leaf.weights)) for leaf in tree.leaves}
    figures[CORRECT] = sum(int(counts[i, winner]) for i, winner in winners.items())
    return figures


def claims_of_noise(
    figures: Mapping[str, Any], technique: str, attested: tuple[Claim, ...]
) -> tuple[Claim, ...]:
    """The claims of a release, those that the files show first."""
    claims = []
    for name, found in figures.items():
        about = {"technique": technique} if name == EXPECTED else {}
        claims.append(Claim(name, about, True if found is True else None, found, "release"))
    return (*claims, Claim(ORIGINAL_TREE, {}, True, True, "attested"), *attested)


def checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the files show of each claim."""
    manifest, tree = opened.manifest, opened.tree
    method = manifest.method
    if method.get("class") not in TECHNIQUES or not {"strict", "detective"} <= set(method):
        yield Check("method", "no", "the manifest does not say what was done")
        return
    if tree.is_regression or tree.target != manifest.schema.target:
        yield Check("model", "no", "model.json is not a tree for the target")
        return
    yield from model_checks(opened)
    yield _treatments(manifest)
    yield _mechanism(manifest, opened.mechanism)
    figures = shown_figures(method, tree, opened.table)
    made = [claim.name for claim in manifest.claims]
    for name in (*figures, ORIGINAL_TREE):
        if made.count(name) != 1:
            yield Check(name, "no", "the manifest must make this claim once")
    for claim in manifest.claims:
        column = claim.parameters.get("column")
        title = f"{claim.name} of {column}" if column else claim.name
        if claim.name in figures:
            holds, detail = _counted(claim, figures[claim.name])
            yield Check(title, "yes" if holds else "no", detail)
        elif claim.name in ATTESTED and claim.checkable == "attested":
            yield _attested(claim, title, manifest)
        else:
            yield Check(title, "no", "the files do not show this")


def _treatments(manifest: Manifest) -> Check:
    columns = manifest.recoding.get("columns")
    known = (
        manifest.recoding.get("method") == METHOD
        and isinstance(columns, Mapping)
        and set(columns) == set(manifest.schema.names())
        and all(entry.get("treatment") in ("kept", "noise") for entry in columns.values())
    )
    return yes_or_no(
        "recoding",
        known,
        "the manifest says of every column what became of it",
        "the manifest does not say of every column what became of it",
    )


def _counted(claim: Claim, found: Any) -> tuple[bool, str]:
    if claim.checkable != "release":
        return False, "marked as attested, though the files can show it"
    if found is False:
        return False, "routed through model.json, the rows have other counts in its leaves"
    if type(found) is not type(claim.measured) or found != claim.measured:
        return False, f"claimed {claim.measured}, counted {found}"
    if claim.claimed not in (None, found):
        return False, f"asked for {claim.claimed}, counted {found}"
    return True, "as in model.json" if found is True else _text(found)


def _attested(claim: Claim, title: str, manifest: Manifest) -> Check:
    """What only the publisher knows must at least be a figure about a column that there is."""
    if claim.name == ORIGINAL_TREE:
        return (
            Check(
                title,
                "attested",
                "that this is the tree of the original table, only its publisher knows",
            )
            if claim.claimed is True and claim.measured is True
            else Check(title, "no", "the claim does not say what it must")
        )
    column = claim.parameters.get("column")
    expected = claim.parameters.get("expected")
    figures = [claim.measured, *([] if expected is None else [expected])]
    sound = all(isinstance(f, int | float) and not isinstance(f, bool) for f in figures)
    if not sound or (column is not None and column not in manifest.schema):
        return Check(title, "no", "what is attested is no figure of this release")
    more = "" if expected is None else f" (expected {_text(expected)})"
    return Check(title, "attested", _text(claim.measured) + more)


def _mechanism(manifest: Manifest, mechanism: Mapping[str, Any]) -> Check:
    """mechanism.json speaks of the same method, and its laws are laws."""
    named = manifest.format == 1 or mechanism["method"] == METHOD
    agree = (
        named
        and mechanism["class"]["technique"] == manifest.method["class"]
        and mechanism["strict"] == manifest.method["strict"]
        and (mechanism["detective"] is None) == (manifest.method["detective"] is None)
    )
    if not agree:
        return Check("mechanism", "no", "mechanism.json speaks of another method than the manifest")
    for entry in (mechanism["detective"] or {"columns": {}})["columns"].values():
        rows = entry["law"]["by_leaf"].values()
        if any(abs(sum(row) - 1) > 1e-9 or min(row) < 0 for row in rows):
            return Check("mechanism", "no", "the chances of a leaf do not add up to one")
    return Check("mechanism", "yes", "the laws that the manifest names")


def _text(figure: Any) -> str:
    return f"{figure:,.6g}" if isinstance(figure, float) else str(figure)
