"""A tree that was mined from masked columns, read back by those who own the columns.

Each owner decodes what its codebook holds; the columns of other parties stay masked, and so does a
column of which something cannot be decoded. The decoded tree is put into the form that growing
gives (`grown_form`), so that it can be compared with a tree of the original table. Printed results
of other miners are next door, in `decode_printed`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privet.errors import UsageError
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.clashes import with_taken_names
from privet.parties.codebook import Codebook
from privet.parties.decode_target import foreign, label_of, with_decoded_target
from privet.parties.grown_form import as_grown, place
from privet.parties.number_mask import PREFIX, Cut, NumberMask
from privet.schema import Kind
from privet.table import Value, text_of
from privet.tree.exchange.model_file import to_data
from privet.tree.model import Multiway, Node, Split, Subset, Threshold, Tree


@dataclass(frozen=True)
class Decoded:
    """The tree in the owner's words, its cuts by node, and what could not be decoded.

    `still_masked` names every column that is masked in the tree; `undecoded` are those among them
    that the codebook holds.
    """

    tree: Tree
    cuts: dict[int, tuple[str, Kind, Cut]]
    still_masked: tuple[str, ...]
    notes: tuple[str, ...] = ()
    undecoded: tuple[str, ...] = ()

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
            else:
                said.append(
                    f"node {node}: {column} <= {low}; any cut from {low} up to below {high} "
                    "divides the owner's column alike"
                )
        return said


def decode_tree(
    tree: Tree,
    codebook: Codebook,
    *,
    maskings: Collection[str] = (),
    unchecked: bool = False,
    slack: float = 0.0,
) -> Decoded:
    """Decode what the codebook holds of a tree.

    The tree says itself from which maskings it comes, or `maskings` does (those of the joined
    table). `slack` is how far, relatively, another program may have moved a threshold.

    >>> key = privet.ProjectKey.new("shop")
    >>> table = privet.table_of({"id": list("abcdef"), "age": [30, 31, 32, 60, 61, 62],
    ...     "buys": ["no"] * 3 + ["yes"] * 3})
    >>> masked = privet.mask(table, key="id", sensitive=["age"], project_key=key)
    >>> schema = masked.table.schema().with_roles(target="buys")
    >>> tree = privet.grow(privet.MemoryEngine(masked.table), schema, privet.Grower())
    >>> privet.decode_tree(tree, masked.codebook, unchecked=True).tree.root.split.attribute
    'age'
    """
    masks = codebook.by_masked_name()
    if not has_some_of(tree, codebook):
        raise UsageError(
            "The codebook holds none of the columns of this tree.",
            "give the codebook of a party whose masked columns were mined.",
        )
    codebook.check_identity(tree.maskings or maskings, unchecked=unchecked)
    taken = with_taken_names(masks.values(), {*_offered(tree), *tree.kinds})
    masks = {name: mask for name, mask in masks.items() if name not in taken}
    notes = [f"{name} stays masked: {why}." for name, why in taken.items()]
    decoded = with_decoded_target(tree, masks, notes)
    masks.pop(decoded.target, None)  # a response that could not be decoded stays masked
    work = _Decoding(masks, notes, slack)
    decoded, cuts = work.with_splits(work.renamed(decoded))
    turned, new_id = as_grown(decoded)
    still = {*taken, *_still_masked(turned)}
    return Decoded(
        turned,
        {new_id[node]: cut for node, cut in cuts.items()},
        tuple(sorted(still)),
        tuple(notes),
        tuple(sorted(still & codebook.by_masked_name().keys())),
    )


def has_some_of(tree: Tree, codebook: Codebook) -> bool:
    """Whether a tree has columns of the codebook."""
    return bool(_offered(tree) & codebook.by_masked_name().keys())


def as_it_is(tree: Tree) -> Decoded:
    """A tree of which nothing is to be decoded."""
    return Decoded(tree, {}, _still_masked(tree))


class _Decoding:
    """Splits and names decoded by the masks of some columns."""

    def __init__(self, masks: Mapping[str, ColumnMask], notes: list[str], slack: float) -> None:
        self._masks = dict(masks)
        self._notes = notes
        self._slack = slack
        self._kinds = {m.column: m.kind for m in masks.values() if isinstance(m, NumberMask)}

    def with_splits(self, tree: Tree) -> tuple[Tree, dict[int, tuple[str, Kind, Cut]]]:
        """The tree with its splits decoded, and the cuts of its thresholds by node."""
        nodes, cuts = [], {}
        for node in tree.nodes:
            split, children, cut = self.split(node)
            nodes.append(replace(node, split=split, children=children))
            if cut is not None and split is not None:
                cuts[node.id] = (split.attribute, self._kinds[split.attribute], cut)
        return replace(tree, nodes=tuple(nodes)), cuts

    def renamed(self, tree: Tree) -> Tree:
        """Names, kinds and stored orders of the tree and its grower decoded."""
        self._leave_other_kinds(tree)
        self._leave_split_homophones(tree)
        self._leave_cuts_out_of_order(tree)

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
                order = tuple(dict.fromkeys(label_of(known, alias) for alias in order))
            orders[name_of(name)] = order
        attributes = tuple(name_of(name) for name in tree.grower.attributes or ())
        grower = replace(tree.grower, attributes=attributes, category_orders=orders)
        return replace(tree, kinds=kinds, grower=grower)

    def _leave_other_kinds(self, tree: Tree) -> None:
        """A program may have taken masked numbers for labels: such branches are not decoded."""
        for node in tree.inner:
            mask = self._masks.get(node.split.attribute) if node.split else None
            if mask is None or isinstance(node.split, Threshold) == isinstance(mask, NumberMask):
                continue
            taken = "a category" if isinstance(mask, NumberMask) else "a number"
            del self._masks[mask.masked_name]
            self._notes.append(
                f"The tree tests '{mask.column}' as {taken}, which it is not; it stays masked."
            )

    def _leave_split_homophones(self, tree: Tree) -> None:
        """Columns whose homophones the tree tells apart cannot be decoded: they stay masked."""
        for node in tree.inner:
            split = node.split
            mask = self._masks.get(split.attribute) if split else None
            if not isinstance(mask, CategoryMask) or split is None or isinstance(split, Threshold):
                continue
            groups: Sequence[tuple[Value, ...]] = (
                (split.left, split.right)
                if isinstance(split, Subset)
                else [(branch,) for branch in split.branches]
            )
            seen = [{label_of(mask, alias) for alias in group} for group in groups]
            if sum(map(len, seen)) > len(set().union(*seen)):
                del self._masks[mask.masked_name]
                self._notes.append(
                    f"The tree tells homophones of '{mask.column}' apart; it stays masked."
                )

    def _leave_cuts_out_of_order(self, tree: Tree) -> None:
        """The article's rule can change the order of values: such a cut cannot be decoded."""
        for node in tree.inner:
            mask = self._masks.get(node.split.attribute) if node.split else None
            if not isinstance(mask, NumberMask) or not isinstance(node.split, Threshold):
                continue
            threshold = node.split.threshold
            if threshold is None:
                continue
            if not mask.can_be(threshold):
                raise foreign(mask.column)
            if mask.cut_at(threshold) is None:
                del self._masks[mask.masked_name]
                self._notes.append(
                    f"'{mask.column}' was masked out of order, so a cut of it cannot be decoded; "
                    "it stays masked."
                )

    def _cut(self, mask: NumberMask, threshold: float, node: int) -> Cut:
        cut = mask.cut_at(threshold)
        if cut is None:
            raise foreign(mask.column)
        off = self._slack * abs(threshold)
        possible = mask.cuts_within(threshold - off, threshold + off, strict=False) if off else None
        if possible is not None and len(possible) > 1:
            self._notes.append(
                f"node {node}: a value of '{mask.column}' lies so near the cut that it may fall on "
                "either side."
            )
            return replace(cut, certain=False)
        return cut

    def split(self, node: Node) -> tuple[Split | None, tuple[int, ...], Cut | None]:
        """The split of a node decoded, its children, and the cut of a threshold."""
        split = node.split
        mask = self._masks.get(split.attribute) if split is not None else None
        if split is None or mask is None:
            return split, node.children, None
        if isinstance(split, Threshold) and isinstance(mask, NumberMask):
            if split.threshold is None:
                return Threshold(mask.column, mask.kind, None), node.children, None
            cut = self._cut(mask, split.threshold, node.id)
            return Threshold(mask.column, mask.kind, cut.threshold), node.children, cut
        assert isinstance(mask, CategoryMask)
        if isinstance(split, Subset):
            left, right = (_labels(mask, side) for side in (split.left, split.right))
            return Subset(mask.column, left, right), node.children, None
        assert isinstance(split, Multiway)
        pairs = sorted(
            zip((label_of(mask, b) for b in split.branches), node.children, strict=True),
            key=lambda pair: place(pair[0]),
        )
        branches = tuple(label for label, _ in pairs)
        return Multiway(mask.column, branches), tuple(child for _, child in pairs), None


# -- words ----------------------------------------------------------------------------------------


def _labels(mask: CategoryMask, aliases: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(sorted({label_of(mask, alias) for alias in aliases}, key=place))


def _offered(tree: Tree) -> set[str]:
    return {*tree.attributes_used, *(tree.grower.attributes or ()), tree.target}


def _still_masked(tree: Tree) -> tuple[str, ...]:
    columns = {*tree.attributes_used, tree.target}
    return tuple(sorted(name for name in columns if name.startswith(PREFIX)))


def _end(value: float | None, kind: Kind) -> Value:
    if value is None or kind is Kind.DECIMAL:
        return value
    return int(value) if kind is Kind.INTEGER else text_of(int(value), kind)


def _words(value: float | None, kind: Kind) -> str:
    return "" if value is None else text_of(value, kind)
