"""Global recoding of a column of categories: those that no node tells apart become one group.

A category's signature says, for every node on the column, whether it goes left, right, or does not
occur there. Equal signatures make a group. Where a grower cuts a stored order of categories, a
group must also be an unbroken stretch of that order, or a new cut would become possible.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np

from privet.preserve.leaf_counts import LeafCounts
from privet.preserve.recoding import ColumnRecoding, from_labels, kept
from privet.release.cells import spelled_out
from privet.table import Domain
from privet.tree.model import Multiway


def recode_categories(
    leaf_counts: LeafCounts, column: str, names: Mapping[str, Sequence[str]] | None = None
) -> ColumnRecoding:
    """Group the categories of a column by their signatures.

    `names` maps names given by the user to the labels they stand for; a name is used where a group
    has just these members.
    """
    domain = leaf_counts.domains[column]
    places = leaf_counts.inner_nodes_on(column)
    if any(isinstance(place.node.split, Multiway) for place in places):
        return kept(column, domain)
    signatures: list[tuple[int, ...]] = [()] * domain.size
    for place in places:
        state = np.zeros(domain.size, dtype=np.int64)
        for number, side in enumerate(place.sides, start=1):
            state[leaf_counts.codes_in(column, side)] = number
        signatures = [(*s, int(x)) for s, x in zip(signatures, state, strict=True)]
    orders = [tree.grower.category_orders.get(column) for tree in leaf_counts.trees]
    groups = _grouped(signatures, [_ranked(domain, order) for order in orders if order is not None])
    labels: list[str | None] = [None] * domain.size
    for members, label in zip(groups, group_labels(domain, groups, names or {}), strict=True):
        for code in members:
            labels[code] = label
    return from_labels(column, domain, labels)


def _grouped(
    signatures: Sequence[tuple[int, ...]], orders: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Codes of equal signature that are also neighbours in every stored order."""
    groups: dict[object, list[int]] = {}
    for code, key in enumerate(_in_stretches(signatures, orders)):
        groups.setdefault(key, []).append(code)
    return list(groups.values())


def _in_stretches(keys: Sequence[object], orders: Sequence[Sequence[int]]) -> Sequence[object]:
    """Keys that are equal only for neighbours in each order; what is parted for one order may part
    a stretch of another, so this is done until nothing changes."""
    parted = keys
    for order in orders:
        stretches = accumulate((parted[a] != parted[b] for a, b in pairwise(order)), initial=0)
        number = dict(zip(order, stretches, strict=True))
        parted = [number[code] for code in range(len(keys))]
    return parted if len(set(parted)) == len(set(keys)) else _in_stretches(parted, orders)


def _ranked(domain: Domain, order: Sequence[str | None]) -> list[int]:
    """The codes of a domain in a stored order; what it does not name comes last."""
    place = {label: number for number, label in enumerate(order)}
    return sorted(range(domain.size), key=lambda c: place.get(_text(domain, c), len(place)))


def group_labels(
    domain: Domain, groups: Sequence[Sequence[int]], names: Mapping[str, Sequence[str]]
) -> list[str | None]:
    """A readable, unique label for each group; they sort like the groups' first members."""
    given = {frozenset(members): name for name, members in names.items()}
    labels = [_label(domain, group, given) for group in groups]
    by_first = sorted(range(len(groups)), key=lambda g: groups[g][0])
    unique = len(set(labels)) == len(labels)
    texts = [labels[g] or "" for g in by_first if labels[g] is not None]
    if given or (unique and texts == sorted(texts)):
        if unique:
            return labels
        given = {}
    width = len(str(len(groups)))
    rank = {g: number for number, g in enumerate(by_first, start=1)}
    return [
        None if label is None else f"{rank[g]:0{width}d}: {_label(domain, groups[g], given)}"
        for g, label in enumerate(labels)
    ]


def _label(domain: Domain, codes: Sequence[int], given: Mapping[frozenset[str], str]) -> str | None:
    members = [_text(domain, code) for code in codes]
    # An empty text among the members of a name stands for the missing cells.
    name = given.get(frozenset(text or "" for text in members)) if len(members) > 1 else None
    return spelled_out(members) if name is None else name


def _text(domain: Domain, code: int) -> str | None:
    value = domain.value(code)
    return None if value is None else str(value)
