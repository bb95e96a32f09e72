"""How well the leaves of a tree explain the classes that were seen, whatever each leaf names.

A seen value says how likely each original is, so that a record has a chance of being in each leaf:
the product over columns, which are taken to be independent. The shares of the classes in each leaf
are then settled so that the classes of all records become as likely as they can (expectation
maximisation; the mixture is that of the chances, which stay). What comes out judges where leaves
are cut. It does not go by the model that `stacked` drew its originals from, which smooths a sharp
edge away. `stacked` takes the best of several trees by it, `choose` weighs two ways.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.mechanism.substitution import Block
from privet.randomness import generator
from privet.substitution.laws import Classes, laws_by_class
from privet.substitution.regions import PerturbedRows
from privet.table import Codes
from privet.tree import Tree

_ROUNDS = 40  # of settling the shares; later ones change less than a record does
_LIKE_ONE_RECORD = 1.0  # the weight of the table's own shares in each leaf: none becomes 0 or 1
_MOST_CELLS = 1 << 23  # records times leaves; of more records some are drawn
_NEVER = 1e-300


def fitted_likelihood(tree: Tree, rows: PerturbedRows, seed: int = 0) -> float:
    """The log-likelihood of the seen classes, with the shares in the leaves that make it large."""
    n = rows.table.n_rows
    most = max(1, _MOST_CELLS // tree.n_leaves)
    chosen = np.arange(n)
    if n > most:
        chosen = np.sort(generator(seed, "likelihood").permutation(n)[:most])
    seen, channel = seen_classes(tree, rows)
    chances = leaf_chances(tree, rows, chosen)
    parts = [chances[seen[chosen] == code] for code in range(len(channel))]
    shares, common = leaf_shares(tree)
    for _ in range(_ROUNDS):
        shares = _with_one_more(_expected(parts, shares, channel), common)
    of_seen = shares @ channel.T
    likely = sum(
        float(np.log(np.maximum(part @ of_seen[:, code], _NEVER)).sum())
        for code, part in enumerate(parts)
    )
    return likely * n / max(len(chosen), 1)


def worth(tree: Tree, rows: PerturbedRows, seed: int) -> float:
    """How likely a tree makes the seen classes, less what as many leaves would gain by chance: one
    nat for each share that is settled (Akaike)."""
    assert tree.classes is not None
    return fitted_likelihood(tree, rows, seed) - tree.n_leaves * (len(tree.classes) - 1)


def leaf_chances(tree: Tree, rows: PerturbedRows, chosen: npt.NDArray[np.int64]) -> Floats:
    """records x leaves: how likely the original of a record lies in each leaf."""
    posteriors = {key: _posterior(rows, key, block) for key, block in _asked(tree, rows)}
    codes = {key: _codes(rows, key)[chosen] for key in posteriors}
    chances = np.ones((len(chosen), tree.n_leaves))
    for place, masks in enumerate(_masks_of_leaves(tree, rows)):
        for key, mask in masks.items():
            chances[:, place] *= (posteriors[key] @ mask)[codes[key]]
    return chances


def leaf_shares(tree: Tree) -> tuple[Floats, Floats]:
    """leaves x classes: the shares that the tree tells, none of them 0; and those of the root."""
    common = np.array(tree.root.weights, dtype=np.float64)
    common /= common.sum()
    return _with_one_more(np.array([leaf.weights for leaf in tree.leaves], float), common), common


def seen_classes(tree: Tree, rows: PerturbedRows) -> tuple[Codes, Floats]:
    """The seen class of each record, and seen x own: how likely a class of the tree is seen so."""
    assert tree.classes is not None
    domain, block = rows.domain(tree.target), rows.block(tree.target)
    labels = [domain.value(code) for code in range(domain.size)]
    own = [labels.index(label) for label in tree.classes]
    if block is None:
        return rows.table[tree.target].codes, np.eye(domain.size)[:, own]
    return rows.codes[block.name], block.matrix.dense()[:, own]


def _expected(parts: list[Floats], shares: Floats, channel: Floats) -> Floats:
    """leaves x classes: how many records of each class each leaf is expected to hold."""
    of_seen = shares @ channel.T
    pulls = np.stack(
        [part.T @ (1 / np.maximum(part @ of_seen[:, c], _NEVER)) for c, part in enumerate(parts)],
        axis=1,
    )
    expected: Floats = shares * (pulls @ channel)
    return expected


def _with_one_more(counts: Floats, common: Floats) -> Floats:
    counts = counts + _LIKE_ONE_RECORD * common
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _asked(tree: Tree, rows: PerturbedRows) -> Iterator[tuple[str, Block | None]]:
    """The blocks and unchanged columns that the tree asks, by the names that masks go by."""
    for column in tree.attributes_used:
        block = rows.block(column)
        yield (column if block is None else block.name), block


def _codes(rows: PerturbedRows, key: str) -> Codes:
    return rows.codes[key] if key in rows.codes else rows.table[key].codes


def _posterior(rows: PerturbedRows, key: str, block: Block | None) -> Floats:
    """seen x originals: how likely each original is where a value is seen."""
    if block is None:
        return np.eye(rows.table[key].domain.size)
    codes = rows.codes[key]
    law = laws_by_class(block, codes, Classes(np.ones((len(codes), 1))))[0]
    both = block.matrix.dense() * law
    posterior: Floats = both / np.maximum(both.sum(axis=1, keepdims=True), _NEVER)
    return posterior


def _masks_of_leaves(
    tree: Tree, rows: PerturbedRows
) -> Iterator[Mapping[str, npt.NDArray[np.bool_]]]:
    """For each leaf the originals that reach it, block by block.

    Categories that no record had in a node go where predictions send them, so that chances of the
    leaves sum to one.
    """
    masks: list[dict[str, npt.NDArray[np.bool_]]] = [{} for _ in tree.nodes]
    for node in tree.inner:
        assert node.split is not None
        column = node.split.attribute
        block = rows.block(column)
        goes = node.split.child_of_codes(rows.domain(column), tree.default_child(node))
        for number, child in enumerate(node.children):
            own = goes == number
            if block is not None:
                own = rows.lifted(block, column, own)
            key = column if block is None else block.name
            above = masks[node.id]
            masks[child] = {**above, key: above[key] & own if key in above else own}
    return (masks[leaf.id] for leaf in tree.leaves)
