"""The response of a tree that was mined from masked columns, in its owner's words.

Classes are decoded one by one; means only where the mask is affine. `decode_tree` does the rest.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from privet.errors import UsageError
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.grown_form import place
from privet.parties.number_mask import NumberMask
from privet.schema import Kind
from privet.table import Domain, Value, text_of
from privet.tree.model import Tree
from privet.tree.response import grid_step


def with_decoded_target(tree: Tree, masks: Mapping[str, ColumnMask], notes: list[str]) -> Tree:
    """The tree with its response decoded, if the codebook holds it."""
    mask = masks.get(tree.target)
    if mask is None:
        return tree
    if tree.classes is None:
        return _with_decoded_means(tree, mask, notes)
    values: list[Value] = [_class_of(mask, label) for label in tree.classes]
    # Homophones of one label are one class again.
    labels = sorted(set(values), key=place)
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
    if label is None:
        return None
    if isinstance(mask, CategoryMask):
        return label_of(mask, label)
    value = mask.value_of(float(label))
    if value is None:
        raise foreign(mask.column)
    return value if mask.kind in (Kind.INTEGER, Kind.DECIMAL) else text_of(value, mask.kind)


def _with_decoded_means(tree: Tree, mask: ColumnMask, notes: list[str]) -> Tree:
    """Means of an affine mask decode exactly: sums of the response follow from masked sums."""
    if not isinstance(mask, NumberMask):
        raise foreign(mask.column)
    if not mask.is_affine:
        notes.append(
            f"'{mask.column}' was masked with unequal groups, so means of it cannot be decoded."
        )
        return tree
    start, width = mask.grading.affine()
    step = Fraction(tree.step or 1.0)
    sums = [start * node.weights[0] + width * step * node.weights[1] for node in tree.nodes]
    # The grid that growing on the original column would have chosen.
    fine = Fraction(grid_step(Domain(mask.kind, mask.values), tree.root.weights[0]))
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


def label_of(mask: CategoryMask, alias: Value) -> str | None:
    """The label of an alias; an error if the codebook does not hold it."""
    if not mask.knows(alias):
        raise foreign(mask.column)
    return mask.value_of(alias)


def foreign(column: str) -> UsageError:
    """What is said where a codebook cannot be that of the result."""
    return UsageError(
        f"The result does not fit the codebook's column '{column}'.",
        "take the codebook that was written when this very column was masked.",
    )
