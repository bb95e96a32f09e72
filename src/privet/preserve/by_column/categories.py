"""Global recoding of a column of categories: those that no node tells apart become one group.

A category's signature says, for every node on the column, whether it goes left, right, or does not
occur there. Equal signatures make a group. Where the grower cuts a stored order of categories, a
group must also be an unbroken stretch of that order, or a new cut would become possible.
"""

from collections.abc import Mapping, Sequence

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
    order = next(
        (
            t.grower.category_orders[column]
            for t in leaf_counts.trees
            if column in t.grower.category_orders
        ),
        None,
    )
    groups = _grouped(signatures) if order is None else _stretches(signatures, domain, order)
    labels: list[str | None] = [None] * domain.size
    for members, label in zip(groups, group_labels(domain, groups, names or {}), strict=True):
        for code in members:
            labels[code] = label
    return from_labels(column, domain, labels)


def _grouped(signatures: Sequence[tuple[int, ...]]) -> list[list[int]]:
    groups: dict[tuple[int, ...], list[int]] = {}
    for code, signature in enumerate(signatures):
        groups.setdefault(signature, []).append(code)
    return list(groups.values())


def _stretches(
    signatures: Sequence[tuple[int, ...]], domain: Domain, order: Sequence[str | None]
) -> list[list[int]]:
    """Groups of equal signature that are also neighbours in a stored order."""
    place = {label: number for number, label in enumerate(order)}
    ranked = sorted(range(domain.size), key=lambda c: place.get(_text(domain, c), len(place)))
    groups: list[list[int]] = []
    for code in ranked:
        if groups and signatures[groups[-1][-1]] == signatures[code]:
            groups[-1].append(code)
        else:
            groups.append([code])
    return sorted((sorted(group) for group in groups), key=lambda group: group[0])


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
