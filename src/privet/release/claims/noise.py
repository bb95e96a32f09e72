"""The claims of a release with noise, and what its files show of them.

The tree in model.json is that of the original table. Records stay in its leaves (with `strict`),
and the class totals of the leaves are exact under random class noise: anybody can route the
released rows through the tree and count. What speaks of original values is attested.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.mechanism.class_laws import ClassLaw
from privet.release.checks import Check, yes_or_no
from privet.release.claims.figures import ORIGINAL_TREE, RECORDS
from privet.release.claims.model import model_checks
from privet.release.claims.noise_attested import (
    ATTESTED,
    CHANGED,
    FOUND,
    OBSERVED,
    REGROWN,
    STAYED,
    Attested,
    text_of,
)
from privet.release.claims.noise_epsilon import EPSILON, check_epsilon, epsilons
from privet.release.claims.noise_laws import Laws
from privet.release.claims.noise_settings import are_settings, is_grown_by
from privet.release.layout import MECHANISM, MODEL
from privet.release.manifest import Claim, Manifest, canonical
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.table import Table, stretches_of
from privet.tree.grow import attributes_for_growing
from privet.tree.model import Tree

METHOD = "noise"
FILES: tuple[str, ...] = (MODEL, MECHANISM)

IN_LEAVES = "records-in-leaves"
CLASS_TOTALS = "class-totals-in-leaves"
UNPROTECTED = "records-in-homogeneous-leaves"
BEST_GUESS = "classes-guessed-by-leaf"
EXPECTED = "expected-class-changes"
CORRECT = "classified-rightly-by-the-tree"


def keeps_order(manifest: Manifest) -> bool:
    return manifest.method.get("order") == "kept"


def shown_figures(method: Mapping[str, Any], tree: Tree, table: Table) -> dict[str, Any]:
    """Every figure that the files show, for the claims that a release of this method must make."""
    floor = method.get("floor", 0.0)
    law = ClassLaw.of(method["class"], [leaf.weights for leaf in tree.leaves], floor)
    counts = _classes_by_leaf(tree, table)
    figures: dict[str, Any] = {RECORDS: table.n_rows}
    if method["strict"] or method["detective"] is None:
        sizes = {leaf.id: tree.records(leaf) for leaf in tree.leaves}
        figures[IN_LEAVES] = all(counts[i].sum() == n for i, n in sizes.items())
        if method["class"] in ("random", "none") and not floor:
            figures[CLASS_TOTALS] = all(
                tuple(counts[leaf.id].tolist()) == (*leaf.weights, 0) for leaf in tree.leaves
            )
    figures[UNPROTECTED] = law.unprotected
    figures[BEST_GUESS] = law.best_guess
    figures[EXPECTED] = float(law.expected)
    winners = {leaf.id: leaf.weights.index(max(leaf.weights)) for leaf in tree.leaves}
    figures[CORRECT] = sum(int(counts[i, winner]) for i, winner in winners.items())
    return figures


def _classes_by_leaf(tree: Tree, table: Table) -> Integers:
    """How many records of each node that is a leaf have each class; the last is any other."""
    domain = table[tree.target].domain
    codes = [domain.value(code) for code in range(domain.size)]
    labels = list(tree.classes or ())
    place = np.array([labels.index(v) if v in labels else len(labels) for v in codes])
    counts: Integers = np.zeros((len(tree.nodes), len(labels) + 1), dtype=np.int64)
    for part in stretches_of(table):
        cells = tree.leaf_of_rows(part) * counts.shape[1] + place[part[tree.target].codes]
        counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
    return counts


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
    if not are_settings(method, manifest.format, manifest.schema):
        yield Check("method", "no", "the manifest does not say in known words what was done")
        return
    if tree.is_regression or tree.target != manifest.schema.target:
        yield Check("model", "no", "model.json is not a tree for the target")
        return
    yield from model_checks(opened)
    yield _trees(opened)
    yield from _laws(opened)
    figures = shown_figures(method, tree, opened.table)
    made = Counter(_key(claim) for claim in manifest.claims)
    bounds = epsilons(method, tree, opened.mechanism) if manifest.format > 1 else {}
    must: list[tuple[str, Any]] = [(name, None) for name in figures]
    must += [(EPSILON, column) for column in bounds]
    for key in dict.fromkeys([*must, *_must_attest(manifest), *made]):
        if made[key] != 1:
            yield Check(_title(key), "no", "the manifest must make this claim once")
    known = Attested(opened)
    for claim in manifest.claims:
        if claim.name == EPSILON:
            yield check_epsilon(claim, _title(_key(claim)), bounds)
        elif claim.name in figures:
            yield _counted(claim, figures[claim.name], method["class"])
        elif claim.name in ATTESTED and claim.checkable == "attested":
            yield known.check(claim, _title(_key(claim)))
        else:
            yield Check(_title(_key(claim)), "no", "the files do not show this")


def _key(claim: Claim) -> tuple[str, Any]:
    return claim.name, claim.parameters.get("column")


def _title(key: tuple[str, Any]) -> str:
    name, column = key
    return f"{name} of {column}" if column else name


def _must_attest(manifest: Manifest) -> list[tuple[str, Any]]:
    """Claims that only the publisher can make, and must."""
    if manifest.format == 1:
        return [(ORIGINAL_TREE, None)]
    changed: list[tuple[str, Any]] = [
        (CHANGED, name)
        for name in manifest.schema.names()
        if entry_of(manifest.recoding, name).get("treatment") == "noise"
        and name != manifest.schema.target
    ]
    return [(name, None) for name in (ORIGINAL_TREE, OBSERVED, STAYED, REGROWN, FOUND)] + changed


def _trees(opened: OpenedRelease) -> Check:
    """The tree has the settings that the manifest states for all trees of the noise."""
    manifest, tree = opened.manifest, opened.tree
    offered = attributes_for_growing(manifest.schema)
    fits = manifest.format == 1 or (
        tree.grower.attributes == offered
        and is_grown_by(tree, manifest.method, opened.table.n_rows)
    )
    return yes_or_no(
        "trees",
        fits,
        "model.json was grown by the settings of the noise",
        "model.json was grown by other settings than the manifest states",
    )


def _laws(opened: OpenedRelease) -> Iterator[Check]:
    """mechanism.json and what the manifest says of each column follow from the settings."""
    manifest, mechanism = opened.manifest, opened.mechanism
    if manifest.format == 1:
        yield _treatments_in_format_1(manifest)
        yield _mechanism_in_format_1(manifest, mechanism)
        return
    laws = Laws(opened)
    columns = {"method": METHOD, "columns": laws.treatments()}
    yield yes_or_no(
        "recoding",
        canonical(manifest.recoding) == canonical(columns),
        "the manifest says of every column what became of it",
        "the manifest says other things of the columns than mechanism.json",
    )
    fault = laws.fault()
    yield yes_or_no("mechanism", not fault, "the laws follow from the settings", fault)


def _counted(claim: Claim, found: Any, technique: str) -> Check:
    title = claim.name
    about = {"technique": technique} if claim.name == EXPECTED else {}
    asked = True if found is True else None
    if claim.checkable != "release":
        return Check(title, "no", "marked as attested, though the files can show it")
    if found is False:
        return Check(title, "no", "routed through model.json, the rows have other counts")
    if type(found) is not type(claim.measured) or found != claim.measured:
        return Check(title, "no", f"claimed {claim.measured}, counted {found}")
    if claim.claimed is not asked or dict(claim.parameters) != about:
        return Check(title, "no", "nobody can have asked for that")
    return Check(title, "yes", "as in model.json" if found is True else text_of(found))


# -- releases of format 1 stated less, so less can be held against them ----------------------------


def _treatments_in_format_1(manifest: Manifest) -> Check:
    columns = manifest.recoding.get("columns")
    known = (
        set(manifest.recoding) == {"method", "columns"}
        and manifest.recoding["method"] == METHOD
        and isinstance(columns, Mapping)
        and set(columns) == set(manifest.schema.names())
        and all(set(entry) == {"treatment", "method"} for entry in columns.values())
        and all(entry["treatment"] in ("kept", "noise") for entry in columns.values())
    )
    return yes_or_no(
        "recoding",
        known,
        "the manifest says of every column what became of it",
        "the manifest does not say of every column what became of it",
    )


def _mechanism_in_format_1(manifest: Manifest, mechanism: Mapping[str, Any]) -> Check:
    """mechanism.json speaks of the same method, and its laws are laws."""
    agree = (
        mechanism["class"]["technique"] == manifest.method["class"]
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
