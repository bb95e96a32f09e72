"""Minimality: what it tells that the largest tree was taken, and no split more.

A leaf that could be split further, with k records on both sides, was not: so somebody who knows the
rule may think that the split was refused for l, and that in one of its parts some value has too
large a share. All ways to deal the leaf's values out to its people are equally likely before; some
are excluded after, and what is left may point to a value. The attacker is the strongest one: all
columns but the sought one are known of everybody, and so are the splits that were refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from privet.attack.linking import outside_table
from privet.attack.seen import Seen, what_is_seen
from privet.engine import Between, Engine, engine_of
from privet.engine.distribution import records_of
from privet.errors import UnknownColumn, UsageError
from privet.files.on_disk import Pieces
from privet.release.claims.figures import K, L
from privet.release.new_rows import in_words_of_the_tree
from privet.release.target_values import with_targets_as_released
from privet.roles import with_one_target
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type, stretches_of
from privet.tree.grow import grow
from privet.tree.model import Tree

MOST_RECORDS = 1_000  # of a leaf whose ways are counted


@dataclass(frozen=True)
class Refused:
    """What the refused splits of one column's leaves tell.

    `before` is the largest share of one value in such a leaf; `after` the largest chance of a
    value for a person there, given that the split was refused. Both are None without such a leaf.
    `true` counts the leaves whose split really breaks l.
    """

    l: Fraction  # noqa: E741
    leaves: int
    people: int
    uncounted: int
    true: int
    before: Fraction | None
    after: Fraction | None

    def to_data(self) -> dict[str, Any]:
        return {
            "l": float(self.l),
            "leaves": self.leaves,
            "people": self.people,
            "uncounted_leaves": self.uncounted,
            "truly_refused": self.true,
            "chance_before": None if self.before is None else float(self.before),
            "chance_after": None if self.after is None else float(self.after),
        }


@dataclass(frozen=True)
class Minimality:
    """What the choice of the size looked at, and what it tells of columns that are shown."""

    leaves: int
    k: int
    chosen_by: Mapping[str, Sequence[str]]
    columns: Mapping[str, Refused]

    def to_data(self) -> dict[str, Any]:
        return {
            "attack": "minimality",
            "leaves": self.leaves,
            "k": self.k,
            "chosen_by": {name: list(of) for name, of in self.chosen_by.items()},
            "columns": {name: found.to_data() for name, found in self.columns.items()},
        }

    def sentences(self) -> list[str]:
        """The finding, for people."""
        looked = sorted({column for of in self.chosen_by.values() for column in of})
        found = [f"Choices were made by looking at: {', '.join(looked) or 'nothing'}."]
        for name, one in self.columns.items():
            if one.before is None or one.after is None:
                found.append(f"{name}: no leaf could be split further, so nothing follows.")
            else:
                found.append(
                    f"{name}: {one.people:,} people are in {one.leaves:,} leaves whose next split "
                    f"may have been refused; a value is at most {float(one.after):.1%} sure for "
                    f"them, {float(one.before):.1%} without this thought."
                )
        if not self.columns:
            found.append(
                "No column that is shown was asked to be diverse, so no split was refused."
            )
        return found


def attack_by_minimality(
    release: Any,
    *,
    original: Any,
    kinds: Any = None,
    missing: "list[str] | tuple[str, ...]" = (),
) -> Minimality:
    """What the refused splits tell of sensitive columns that a release shows.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> release = privet.publish(people, target="buys", k=3)
    >>> privet.attack.by_minimality(release, original=people).columns
    {}
    """
    seen = what_is_seen(release, None, None, missing, kinds)
    if seen.release is None or seen.release.tree is None:
        raise UsageError(
            "Only a release with a tree has a size that was chosen.", "give the folder of one."
        )
    given = outside_table(original, seen, missing, kinds)
    table = with_targets_as_released(given, seen.release.manifest)
    method = seen.release.manifest.method
    claim = seen.release.manifest.claim(K)
    k = claim.claimed if claim and isinstance(claim.claimed, int) else 1
    asked = _levels(seen)
    for name in (*(seen.release.tree.grower.attributes or ()), seen.release.tree.target, *asked):
        if name not in table:
            raise UnknownColumn(name, table.names, where="the release")
    parts = _next_splits(seen.release.tree, seen, table, k)
    return Minimality(
        seen.release.tree.n_leaves,
        k,
        dict(method.get("chosen_by", {})),
        {name: _refused(name, level, parts) for name, level in asked.items()},
    )


def _levels(seen: Seen) -> dict[str, Fraction]:
    """The strong l that was asked of each sensitive column that is shown."""
    assert seen.release is not None
    found = {}
    for name in seen.sought:
        claim = seen.release.manifest.claim(L, name)
        if claim and claim.claimed is not None and claim.parameters.get("kind") == "strong":
            found[name] = Fraction(str(claim.claimed))
    return found


Parts = list[list[Engine]]  # for each leaf that can be split, the records of each part


def _next_splits(tree: Tree, seen: Seen, table: Table, k: int) -> Parts:
    """The best split of each leaf that leaves k records on every side."""
    assert seen.release is not None
    manifest = seen.release.manifest
    least = max(k, tree.grower.min_leaf)
    grower = replace(tree.grower, leaves=2, depth=None, min_leaf=least, category_orders={})
    known = table.select(name for name in manifest.schema.names() if name in table)
    leaf = max(known.names, key=len) + " leaf"  # no column has this name
    whole = engine_of(Table({**{n: known[n] for n in known}, leaf: _leaves(tree, seen, table)}))
    domains = {name: whole.domain(name) for name in known}
    found: Parts = []
    for one in tree.leaves:
        here = whole.part((Between(leaf, one.id, one.id),))
        if here.n_rows() < 2 * least or len(here.count([tree.target]).n) < 2:
            continue  # of one target value no split gains
        grown = grow(here, with_one_target(manifest.schema, tree.target), grower)
        if grown.n_leaves > 1:
            regions = grown.regions(domains)
            found.append([here.part(regions[child.id]) for child in grown.leaves])
    return found


def _leaves(tree: Tree, seen: Seen, table: Table) -> Coded:
    """The leaf of each row, as a column that lies where the table does."""
    assert seen.release is not None
    domain, pieces = Domain(Kind.INTEGER, np.arange(len(tree.nodes))), Pieces()
    for part in stretches_of(table):
        leaves = tree.leaf_of_rows(in_words_of_the_tree(part, seen.release.manifest, tree))
        pieces.append(leaves.astype(code_type(domain.size)))
    return Coded(domain, pieces.joined(pieces.taken(), code_type(domain.size), len(table)))


def _refused(column: str, level: Fraction, splits: Parts) -> Refused:
    before, after, true, uncounted = [], [], 0, 0
    for parts in splits:
        counts = np.array([records_of(part, column) for part in parts])
        true += any(Fraction(int(n.sum()), int(n.max())) < level for n in counts)
        values = [int(n) for n in counts.sum(axis=0) if n]
        if sum(values) > MOST_RECORDS or len(parts) != 2:
            uncounted += 1
            continue
        before.append(Fraction(max(values), sum(values)))
        after.append(surest_after(values, parts[0].n_rows(), level))
    people = sum(part.n_rows() for parts in splits for part in parts)
    return Refused(
        level,
        len(splits),
        people,
        uncounted,
        true,
        max(before, default=None),
        max(after, default=None),
    )


def surest_after(values: Sequence[int], first: int, level: Fraction) -> Fraction:
    """The largest chance of a value for a person, given that a split was refused for l.

    A leaf has `values[v]` people of value v, `first` of them in its first part. A split is refused
    if some value has more than 1/l of a part. If nothing could refuse it, or everything does,
    nothing was learnt.
    """
    sizes = first, sum(values) - first
    most = [int(size / level) for size in sizes]
    fine = [
        [comb(n, a) if a <= most[0] and n - a <= most[1] else 0 for a in range(min(n, first) + 1)]
        for n in values
    ]
    everything = comb(sum(values), first)
    passing = _ways(fine, first)
    refused = everything - passing
    if not refused or not passing:
        return Fraction(max(values), sum(values))
    surest = Fraction(0)
    for value, n in enumerate(values):
        weighed = [a * ways for a, ways in enumerate(fine[value])]
        others = [weighed if v == value else polynomial for v, polynomial in enumerate(fine)]
        # people of this value in the first part, summed over the ways that are left
        there = n * comb(sum(values) - 1, first - 1) - _ways(others, first)
        in_first = Fraction(there, refused)
        surest = max(surest, in_first / sizes[0], (n - in_first) / sizes[1])
    return surest


def _ways(polynomials: Sequence[Sequence[int]], total: int) -> int:
    """The coefficient of x^total in the product."""
    product = [1]
    for one in polynomials:
        longer = [0] * min(len(product) + len(one) - 1, total + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(one[: total + 1 - i]):
                longer[i + j] += a * b
        product = longer
    return product[total] if len(product) > total else 0
