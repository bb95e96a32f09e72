"""A tree that was mined from masked columns, read back by those who own the columns.

Each owner decodes what its codebook holds; the columns of other parties stay masked. The decoded
tree is put into the form that growing gives (sides of category splits and numbers of nodes follow
from the labels, and labels have changed), so that it can be compared with a tree of the original
table. Printed results of other miners are next door, in `printed`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privet.errors import UsageError
from privet.parties.codebook import (
    PREFIX,
    CategoryMask,
    Codebook,
    ColumnMask,
    Cut,
    NumberMask,
    foreign,
)
from privet.schema import Kind
from privet.table import Value, text_of
from privet.tree.exchange.model_file import to_data
from privet.tree.model import Multiway, Node, Split, Subset, Threshold, Tree


@dataclass(frozen=True)
class Decoded:
    """The tree in the owner's words, its cuts by node, and what could not be decoded."""

    tree: Tree
    cuts: dict[int, tuple[str, Kind, Cut]]
    still_masked: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """model.json, with the equivalent cuts beside the tree."""
        cuts = [
            {
                "node": node,
                "column": column,
                "at_most": _end(cut.at_most, kind),
                "below": _end(cut.below, kind),
                "certain": cut.certain,
            }
            for node, (column, kind, cut) in sorted(self.cuts.items())
        ]
        about = {"cuts": cuts, "still_masked": list(self.still_masked), "notes": list(self.notes)}
        return {**to_data(self.tree), "decoded": about}

    def sentences(self) -> list[str]:
        """Each cut in words: `age <= 27; any cut from 27 up to below 28 is the same`."""
        said = []
        for node, (column, kind, cut) in sorted(self.cuts.items()):
            low, high = _words(cut.at_most, kind), _words(cut.below, kind)
            if cut.at_most is None:
                said.append(f"node {node}: no known value of {column} is at most the cut")
            elif cut.below is None:
                said.append(f"node {node}: {column} <= {low}, the highest known value")
            elif cut.below < cut.at_most:
                said.append(f"node {node}: {column} was masked out of order; there is no such cut")
            else:
                said.append(
                    f"node {node}: {column} <= {low}; any cut from {low} up to below {high} "
                    "divides the owner's column alike"
                )
        return said


def decode_tree(tree: Tree, codebook: Codebook) -> Decoded:
    """Decode what the codebook holds of a tree."""
    masks = codebook.by_masked_name()
    offered = {*tree.attributes_used, *(tree.grower.attributes or ()), tree.target}
    if not offered & masks.keys():
        raise UsageError(
            "The codebook holds none of the columns of this tree.",
            "give the codebook of a party whose masked columns were mined.",
        )
    notes: list[str] = []
    decoded = _with_decoded_target(tree, masks, notes)
    masks.pop(decoded.target, None)  # a response that could not be decoded stays masked
    work = _Decoding(masks, notes)
    decoded = work.renamed(decoded)
    nodes, cuts = [], {}
    for node in decoded.nodes:
        split, children, cut = work.split(node)
        nodes.append(replace(node, split=split, children=children))
        if cut is not None and split is not None:
            cuts[node.id] = (split.attribute, work.kind_of(split.attribute), cut)
    turned, new_id = _as_grown(replace(decoded, nodes=tuple(nodes)))
    still = [name for name in _columns_of(turned) if name.startswith(PREFIX)]
    return Decoded(
        turned, {new_id[node]: cut for node, cut in cuts.items()}, tuple(still), tuple(notes)
    )


class _Decoding:
    """Splits and names decoded by the masks of some columns."""

    def __init__(self, masks: Mapping[str, ColumnMask], notes: list[str]) -> None:
        self._masks = dict(masks)
        self._notes = notes
        self._kinds = {m.column: m.kind for m in masks.values() if isinstance(m, NumberMask)}

    def kind_of(self, column: str) -> Kind:
        return self._kinds[column]

    def renamed(self, tree: Tree) -> Tree:
        """Names, kinds and stored orders of the tree and its grower decoded."""
        self._leave_split_homophones(tree)

        def name_of(name: str) -> str:
            return self._masks[name].column if name in self._masks else name

        kinds: dict[str, Kind] = {}
        for name, kind in tree.kinds.items():
            known = self._masks.get(name)
            kinds[name_of(name)] = known.kind if isinstance(known, NumberMask) else kind
        orders = {}
        for name, order in tree.grower.category_orders.items():
            known = self._masks.get(name)
            if isinstance(known, CategoryMask):
                order = tuple(dict.fromkeys(known.value_of(alias) for alias in order))
            orders[name_of(name)] = order
        attributes = tuple(name_of(name) for name in tree.grower.attributes or ())
        grower = replace(tree.grower, attributes=attributes, category_orders=orders)
        return replace(tree, kinds=kinds, grower=grower)

    def _leave_split_homophones(self, tree: Tree) -> None:
        """Columns whose homophones the tree tells apart cannot be decoded: they stay masked."""
        for node in tree.inner:
            mask = self._masks.get(node.split.attribute) if node.split else None
            if not isinstance(mask, CategoryMask) or isinstance(node.split, Threshold):
                continue
            groups: Sequence[tuple[Value, ...]] = (
                (node.split.left, node.split.right)
                if isinstance(node.split, Subset)
                else [(b,) for b in node.split.branches]  # type: ignore[union-attr]
            )
            seen = [{mask.value_of(alias) for alias in group} for group in groups]
            if sum(map(len, seen)) > len(set().union(*seen)):
                del self._masks[mask.masked_name]
                self._notes.append(
                    f"The tree tells homophones of '{mask.column}' apart; it stays masked."
                )

    def split(self, node: Node) -> tuple[Split | None, tuple[int, ...], Cut | None]:
        """The split of a node decoded, its children, and the cut of a threshold."""
        split = node.split
        mask = self._masks.get(split.attribute) if split is not None else None
        if split is None or mask is None:
            return split, node.children, None
        if isinstance(split, Threshold) != isinstance(mask, NumberMask):
            raise foreign(mask.column)
        if isinstance(split, Threshold) and isinstance(mask, NumberMask):
            if split.threshold is None:
                return Threshold(mask.column, mask.kind, None), node.children, None
            cut = mask.cut_at(split.threshold)
            return Threshold(mask.column, mask.kind, cut.threshold), node.children, cut
        assert isinstance(mask, CategoryMask)
        if isinstance(split, Subset):
            left, right = (_labels(mask, side) for side in (split.left, split.right))
            return Subset(mask.column, left, right), node.children, None
        assert isinstance(split, Multiway)
        pairs = sorted(
            zip(map(mask.value_of, split.branches), node.children, strict=True),
            key=lambda pair: _place(pair[0]),
        )
        branches = tuple(label for label, _ in pairs)
        return Multiway(mask.column, branches), tuple(child for _, child in pairs), None


# -- the target ------------------------------------------------------------------------------------


def _with_decoded_target(tree: Tree, masks: Mapping[str, ColumnMask], notes: list[str]) -> Tree:
    mask = masks.get(tree.target)
    if mask is None:
        return tree
    if tree.classes is None:
        return _with_decoded_means(tree, mask, notes)
    values: list[Value] = [_class_of(mask, label) for label in tree.classes]
    # Homophones of one label are one class again.
    labels = sorted(set(values), key=_place)
    nodes = []
    for node in tree.nodes:
        weights = dict.fromkeys(labels, 0)
        for label, weight in zip(values, node.weights, strict=True):
            weights[label] += weight
        nodes.append(replace(node, weights=tuple(weights.values())))
    kinds = {**tree.kinds, mask.column: tree.kinds[tree.target]}
    if isinstance(mask, NumberMask):
        kinds[mask.column] = mask.kind
    kinds.pop(tree.target)
    return replace(tree, target=mask.column, classes=tuple(labels), nodes=tuple(nodes), kinds=kinds)


def _class_of(mask: ColumnMask, label: Value) -> Value:
    if label is None or isinstance(mask, CategoryMask):
        return mask.value_of(label)  # type: ignore[arg-type]
    value = mask.value_of(float(label))
    return int(value) if mask.kind is Kind.INTEGER else value


def _with_decoded_means(tree: Tree, mask: ColumnMask, notes: list[str]) -> Tree:
    """Means of an affine mask decode exactly: sums of the response follow from masked sums."""
    if not isinstance(mask, NumberMask):
        raise foreign(mask.column)
    if not mask.grading.is_affine:
        notes.append(
            f"'{mask.column}' was masked with unequal groups, so means of it cannot be decoded."
        )
        return tree
    start, width = mask.grading.affine()
    step = Fraction(tree.step or 1.0)
    sums = [start * node.weights[0] + width * step * node.weights[1] for node in tree.nodes]
    fine = Fraction(1) if mask.kind is Kind.INTEGER else step * width
    if fine.denominator & (fine.denominator - 1) or fine.numerator & (fine.numerator - 1):
        fine = step
    if mask.kind is Kind.INTEGER:
        sums = [Fraction(round(total)) for total in sums]  # masked sums are off by roundings only
    nodes = tuple(
        replace(node, weights=(node.weights[0], round(total / fine)))
        for node, total in zip(tree.nodes, sums, strict=True)
    )
    kinds = {**tree.kinds, mask.column: mask.kind}
    kinds.pop(tree.target)
    grower = replace(tree.grower, response_step=float(fine))
    return replace(
        tree, target=mask.column, nodes=nodes, kinds=kinds, grower=grower, step=float(fine)
    )


# -- the form that growing gives -------------------------------------------------------------------


def _as_grown(tree: Tree) -> tuple[Tree, dict[int, int]]:
    """The same tree with sides and numbers as the grower makes them, and the new numbers."""
    new_id = {0: 0}
    made: dict[int, Node] = {}
    for node in sorted(tree.inner, key=lambda n: min(n.children)):
        split, children = _sides(tree, node)
        first = len(new_id)
        for place, child in enumerate(children):
            new_id[child] = first + place
        ids = tuple(new_id[child] for child in children)
        made[node.id] = replace(node, split=split, children=ids)
    nodes: list[Node] = [tree.root] * len(tree.nodes)
    for node in tree.nodes:
        here = made.get(node.id, node)
        parent = None if node.parent is None else new_id[node.parent]
        nodes[new_id[node.id]] = replace(here, id=new_id[node.id], parent=parent)
    return replace(tree, nodes=tuple(nodes)), new_id


def _sides(tree: Tree, node: Node) -> tuple[Split, tuple[int, ...]]:
    """The split with its left side where the rule of the grower wants it."""
    split, children = node.split, node.children
    assert split is not None
    if not isinstance(split, Subset) or split.attribute in tree.grower.category_orders:
        return split, children
    left, right = (tree.nodes[child] for child in children)
    if tree.is_regression or len(tree.classes or ()) == 2:
        turn = _mean(tree, left) > _mean(tree, right)
    else:
        turn = min(map(_place, split.right)) < min(map(_place, split.left))
    if not turn:
        return split, children
    return Subset(split.attribute, split.right, split.left), children[::-1]


def _mean(tree: Tree, node: Node) -> Fraction:
    return Fraction(node.weights[1], tree.records(node))


def _labels(mask: CategoryMask, aliases: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(sorted({mask.value_of(alias) for alias in aliases}, key=_place))


def _place(label: Value) -> tuple[bool, Any]:
    """Sorted as domains are: missing last."""
    return label is None, "" if label is None else label


def _columns_of(tree: Tree) -> list[str]:
    return sorted({*tree.attributes_used, tree.target})


def _end(value: float | None, kind: Kind) -> Value:
    if value is None or kind is Kind.DECIMAL:
        return value
    return int(value) if kind is Kind.INTEGER else text_of(int(value), kind)


def _words(value: float | None, kind: Kind) -> str:
    return "" if value is None else text_of(value, kind)
