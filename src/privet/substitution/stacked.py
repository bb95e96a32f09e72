"""Several draws of the originals, one below the other, and one tree grown from all of them.

The model is made of `laws` (one column within a class) and `pairs` (two columns together); what
they hold beyond noise is all that it knows. Originals are drawn from it given what was seen: some
candidates from the laws, among which the pairs choose. One draw would be as noisy as a table of its
size; of several, the noise of drawing fades. They are still the knowledge of n records, so the tree
counts in records. It is pruned: a subtree must get some records more right for each leaf it adds.
Another stack of the same records gives a somewhat other tree, so a few are drawn, and the tree that
makes the seen classes likeliest is taken (`likelihood`), which the model had no part in.

Three kinds of tables have one draw of the `latent_class` model instead: those whose classes are
drawn together with another column, with very many classes, or with a column of very many values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

import numpy as np

from privet.arrays import Floats, Integers
from privet.engine import MemoryEngine
from privet.mechanism.substitution import Block, Substitution
from privet.randomness import generator
from privet.schema import Schema
from privet.substitution.dealing import with_codes
from privet.substitution.latent_class import draw_originals
from privet.substitution.laws import Classes, laws_by_class
from privet.substitution.likelihood import worth
from privet.substitution.pairs import Bond, find_bonds
from privet.substitution.rebuild import modelled
from privet.substitution.regions import PerturbedRows
from privet.table import Coded, Codes, Table
from privet.tree import Grower, Tree, grow
from privet.tree.model import Node
from privet.tree.prune import at_alpha, cost_complexity_sequence

DRAWS = 8  # and up to
MOST_DRAWS = 32  # where records are few
CANDIDATES = 2  # for each draw
MOST_STACKS = 8  # of which the best is taken, and fewer
_ROWS_OF_ALL_STACKS = 1_000_000  # where records are many: their trees hardly differ
WORTH_A_LEAF = 3  # records more that must be right for each further leaf
MOST_CLASSES = 64
MOST_VALUES = 1 << 10  # of one block
_ROWS_OF_MOST_DRAWS = 100_000  # of the stack, about
_MOST_ROWS = 2_000_000  # of larger tables fewer draws are as steady
_CHUNK = 1 << 16  # records whose candidates are held at once


def draws_for(records: int) -> int:
    """How often the originals of so many records are drawn."""
    of_few = min(MOST_DRAWS, _ROWS_OF_MOST_DRAWS // max(records, 1))
    return max(1, min(max(DRAWS, of_few), _MOST_ROWS // max(records, 1)))


def has_laws(table: Table, mechanism: Substitution, target: str) -> bool:
    """Whether the classes of a table have laws of columns and pairs of columns of their own."""
    joint = any(target in b.columns and len(b.columns) > 1 for b in mechanism.blocks)
    widest = max(block.matrix.size for block in mechanism.blocks)
    return not joint and table[target].domain.size <= MOST_CLASSES and widest <= MOST_VALUES


def stacks_for(records: int) -> int:
    """Of how many stacks the best is taken."""
    rows = draws_for(records) * max(records, 1)
    return max(1, min(MOST_STACKS, _ROWS_OF_ALL_STACKS // rows))


def stack(table: Table, mechanism: Substitution, target: str, seed: int) -> Table:
    """Draws of a perturbed table's originals, one below the other, each as long as the table."""
    return next(_stacks(table, mechanism, target, seed))


def _stacks(table: Table, mechanism: Substitution, target: str, seed: int) -> Iterator[Table]:
    """One stack after the other, as long as they are asked for; of some tables there is but one."""
    if not has_laws(table, mechanism, target):
        yield modelled(table, mechanism, target, seed)
        return
    model = _Model.of(table, mechanism, target)
    rng = generator(seed, "originals")
    while True:
        yield _stack(model, table, mechanism, target, rng)


def _stack(
    model: "_Model",
    table: Table,
    mechanism: Substitution,
    target: str,
    rng: np.random.Generator,
) -> Table:
    draws = draws_for(table.n_rows)
    parts = [
        model.draw(range(start, min(start + _CHUNK, table.n_rows)), draws, rng)
        for start in range(0, table.n_rows, _CHUNK)
    ]
    many = table.take(np.tile(np.arange(table.n_rows), draws))
    codes = [np.concatenate(own, axis=1).ravel() for own in zip(*parts, strict=True)]
    named = dict(zip((b.name for b in model.blocks), codes, strict=False))
    many = with_codes(many, mechanism, named)
    if target in mechanism.columns:
        shown = mechanism.block_of(target).domains[0].shown
        many = many.replace({target: Coded(shown, codes[-1])})
    return many


@dataclass(frozen=True, eq=False)
class _Model:
    """What is known of the originals: laws[block][class], bonds, and the class of each record."""

    blocks: tuple[Block, ...]  # without the target
    codes: tuple[Codes, ...]
    laws: tuple[list[Floats], ...]
    bonds: list[Bond]
    classes: Floats  # records x classes: the chance of each class, given what was seen

    @classmethod
    def of(cls, table: Table, mechanism: Substitution, target: str) -> "_Model":
        rows = PerturbedRows(table, mechanism)
        blocks = tuple(b for b in mechanism.blocks if b.columns != (target,))
        codes = tuple(rows.codes[b.name] for b in blocks)
        classes = Classes(rows.class_weights(target))
        laws = tuple(
            laws_by_class(block, own, classes) for block, own in zip(blocks, codes, strict=True)
        )
        bonds = find_bonds(blocks, codes, laws, classes)
        chances = classes.weights
        if target in mechanism.columns:
            block = mechanism.block_of(target)
            chances = classes.shares * block.matrix.dense()[rows.codes[block.name]]
            for own, block, of_class in zip(codes, blocks, laws, strict=True):
                chances = chances * block.matrix.apply(np.stack(of_class, axis=1))[own]
                chances /= chances.sum(axis=1, keepdims=True)
        return cls(blocks, codes, laws, bonds, chances)

    def draw(self, rows: range, draws: int, rng: np.random.Generator) -> list[Codes]:
        """For each block, and at last for the target, draws x records of these rows."""
        n, here = len(rows), slice(rows.start, rows.stop)
        candidates = [self._candidate(here, rng) for _ in range(draws * CANDIDATES)]
        if not self.bonds:
            return [np.stack(own) for own in zip(*candidates[:draws], strict=True)]
        ends = np.cumsum([self._likelihood(candidate) for candidate in candidates], axis=0)
        taken = np.stack([(ends < rng.random(n) * ends[-1]).sum(axis=0) for _ in range(draws)])
        return [
            np.stack(own)[np.minimum(taken, len(ends) - 1), np.arange(n)]
            for own in zip(*candidates, strict=True)
        ]

    def _candidate(self, here: slice, rng: np.random.Generator) -> list[Codes]:
        """Originals drawn from the laws of single columns alone, and their classes."""
        ends = np.cumsum(self.classes[here], axis=1)
        drawn = (ends < rng.random((len(ends), 1)) * ends[:, -1:]).sum(axis=1)
        classes = np.minimum(drawn, ends.shape[1] - 1)
        values = [
            draw_originals(block.matrix, np.stack(laws, axis=1), own[here], classes, rng)
            for block, laws, own in zip(self.blocks, self.laws, self.codes, strict=True)
        ]
        return [*values, classes.astype(np.int64)]

    def _likelihood(self, candidate: Sequence[Codes]) -> Floats:
        """How much likelier the bonds make it than the laws of single columns do."""
        likelier = np.ones(len(candidate[-1]))
        for bond in self.bonds:
            one, two = candidate[bond.first], candidate[bond.second]
            likelier *= bond.factors[candidate[-1], one, two]
        return likelier


def grow_from_best_stack(
    table: Table, mechanism: Substitution, schema: Schema, grower: Grower, seed: int
) -> tuple[Tree, Table]:
    """Of several stacks the tree that is worth most beside the seen classes, and its stack."""
    stacks = _stacks(table, mechanism, schema.target, seed)
    best = next(stacks)
    tree = grow_from_stack(best, table.n_rows, schema, grower)
    if stacks_for(table.n_rows) == 1 or not has_laws(table, mechanism, schema.target):
        return tree, best
    rows = PerturbedRows(table, mechanism)
    most = worth(tree, rows, seed)
    for other in islice(stacks, stacks_for(table.n_rows) - 1):
        rival = grow_from_stack(other, table.n_rows, schema, grower)
        if (own := worth(rival, rows, seed)) > most:
            tree, best, most = rival, other, own
    return tree, best


def grow_from_stack(stacked: Table, records: int, schema: Schema, grower: Grower) -> Tree:
    """The tree of a stack that was drawn for so many records; its counts are those of records."""
    draws = stacked.n_rows // records
    least = max(grower.min_leaf, stacked[schema.target].domain.size)  # some class rounds to one
    tree = grow(MemoryEngine(stacked), schema, replace(grower, min_leaf=least * draws))
    settled = replace(tree.grower, min_leaf=grower.min_leaf)
    tree = replace(tree, grower=settled, nodes=_counted_once(tree, draws))
    if grower.leaves is not None:
        return tree
    return at_alpha(cost_complexity_sequence(tree), Fraction(WORTH_A_LEAF, records)).tree


def _counted_once(tree: Tree, draws: int) -> tuple[Node, ...]:
    """Counts divided by the draws. Running sums over classes and leaves are rounded, so that
    children sum to their parent, and the classes to what the table has of them."""
    stacked: Integers = np.array([leaf.weights for leaf in tree.leaves], dtype=np.int64)
    ends = (2 * np.cumsum(stacked.T) + draws) // (2 * draws)
    once = np.diff(ends, prepend=0).reshape(stacked.T.shape).T
    weights = np.zeros((len(tree.nodes), stacked.shape[1]), dtype=np.int64)
    weights[[leaf.id for leaf in tree.leaves]] = once
    for node in reversed(tree.inner):  # children come after their parents
        weights[node.id] = weights[list(node.children)].sum(axis=0)
    return tuple(replace(n, weights=tuple(weights[n.id].tolist())) for n in tree.nodes)
