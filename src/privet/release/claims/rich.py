"""The claims that only rich releases make: how clearly the tree wins, and whole leaves.

`margin` is the least relative distance of a split to its best rival (`tree.margin`). That every
equivalence class lies inside one leaf is claimed where quasi-identifiers alone lead to the leaves.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from privet.engine import Engine, MemoryEngine
from privet.errors import PrivetError
from privet.release.checks import Check
from privet.release.claims.privacy import by_key, key_of, title_of
from privet.release.claims.tree_titles import about_tree
from privet.release.manifest import Claim, canonical
from privet.release.meanings import Joined
from privet.release.opened import OpenedRelease
from privet.release.rows import Rows
from privet.schema import Column, Kind, Schema
from privet.table import Coded, Domain, Table, Value, code_type
from privet.tree.margin import margin
from privet.tree.model import Tree

MARGIN, WITHIN_LEAVES = "margin", "equivalence-classes-within-leaves"
_FILLS = {
    True: ("leaf-quantile", "median", "member"),  # numbers and dates
    False: ("leaf-quota", "commonest", "member"),
}
_FIELDS = {
    "treatment",
    "fill",
    "within_class_range",
    "joined",
    "moved_records",
    "pinned_classes",
    "form",
}
_SAME = 1e-6  # relative: the last digits of a margin depend on the machine


def rich_claims(engine: Engine, schema: Schema, trees: Sequence[Tree]) -> tuple[Claim, ...]:
    """What a rich release claims of its trees besides what every release with a tree does."""
    claims = []
    for number, tree in enumerate(trees, start=1):
        which = about_tree(number, tree)
        claims.append(Claim(MARGIN, which, None, margin(engine, tree), "release"))
        if _quasi_alone(schema, tree) and lie_within_leaves(engine, schema, tree):
            about = {"quasi": list(schema.quasi), **which}
            claims.append(Claim(WITHIN_LEAVES, about, True, True, "release"))
    return tuple(claims)


def _quasi_alone(schema: Schema, tree: Tree) -> bool:
    return set(tree.attributes_used) <= set(schema.quasi)


def lie_within_leaves(engine: Engine, schema: Schema, tree: Tree) -> bool:
    """Whether records that are equal in all quasi-identifiers are in one leaf."""
    asked = tuple(dict.fromkeys((*schema.quasi, *tree.attributes_used)))
    table = Rows.of(engine, asked).table
    leaf = tree.leaf_of_rows(table)
    name = max(engine.columns(), key=len) + " leaf"  # no column has this name
    domain = Domain(Kind.INTEGER, np.arange(len(tree.nodes)))
    coded = Coded(domain, leaf.astype(code_type(domain.size)))
    rows = MemoryEngine(Table({**{n: table[n] for n in schema.quasi}, name: coded}))
    counts = rows.count([*schema.quasi, name])
    return len(counts.n) == len(counts.over(len(schema.quasi)).n)


def rich_checks(opened: OpenedRelease) -> Iterator[Check]:
    """The claims of a rich release, made again from its files."""
    manifest = opened.manifest
    made = [c for c in manifest.claims if c.name in (MARGIN, WITHIN_LEAVES)]
    expected = by_key(rich_claims(opened.engine, manifest.schema, opened.trees))
    for key in expected:
        if sum(key_of(c) == key for c in made) != 1:
            yield Check(title_of(key), "no", "the manifest must make this claim once")
    for claim in made:
        title, found = title_of(key_of(claim)), expected.get(key_of(claim))
        if found is None or not _says_the_same(claim, found):
            yield Check(title, "no", "the files show something else")
        elif claim.name == MARGIN:
            yield Check(title, "yes", _in_words(float(claim.measured)))
        else:
            yield Check(title, "yes", "every equivalence class lies inside one leaf")


def _says_the_same(claim: Claim, found: Claim) -> bool:
    if claim.name == WITHIN_LEAVES:
        return claim == found
    number = isinstance(claim.measured, float) and 0 <= claim.measured <= 1
    about = canonical(claim.parameters) == canonical(found.parameters)
    plain = claim.claimed is None and about and claim.checkable == "release"
    return (
        number and plain and abs(claim.measured - found.measured) <= _SAME * max(found.measured, 1)
    )


def _in_words(measured: float) -> str:
    if measured == 0:
        return "0: some split ties with a rival, and the rule of ties decides"
    return f"{measured:.2g}: every split is better than its best rival by that share"


# -- what became of a column -----------------------------------------------------------------------


def not_aggregated(column: Column, entry: Mapping[str, Any], values: set[Value]) -> str:
    """Where data contradict what the manifest says of an aggregated column; empty if nowhere."""
    counts = [entry.get(name) for name in ("moved_records", "pinned_classes")]
    sound = (
        set(entry) == _FIELDS
        and entry["fill"] in _FILLS[column.kind.is_ordered]
        and isinstance(entry["within_class_range"], bool)
        and entry["form"] in ("strict", "index")
        and all(type(n) is int and n >= 0 for n in counts)
        and isinstance(entry["joined"], list)
    )
    if not sound:
        return "it is described in a way that cannot be"
    try:
        joined = Joined.all_of(entry, column.kind)
    except PrivetError:
        return "it is described in a way that cannot be"
    occur = any(some.holds(v) and v != some.value for some in joined for v in values)
    return "values that were joined occur" if occur else ""
