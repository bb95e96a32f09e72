"""The responses of several trees, counted side by side.

Everything that decides about a tree is made of weights: records in each class, or records and the
sum of the response. Where several trees are kept at once, the weights of their responses stand next
to one another, and each tree reads its own part. Trees of one response share a part. So whoever
adds weights up need not know how many trees there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Integers, row_sums
from privet.engine.blocks import Blocks
from privet.engine.protocol import Engine, Region, Tally
from privet.tree.model import Tree
from privet.tree.response import counted_target


@dataclass(frozen=True)
class Responses:
    """The different responses of some trees; `of_tree` says which one each tree has."""

    trees: tuple[Tree, ...]  # the first tree of each response
    of_tree: tuple[int, ...]

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> "Responses":
        keys = [(tree.target, tree.step) for tree in trees]
        distinct = list(dict.fromkeys(keys))
        return cls(
            tuple(trees[keys.index(key)] for key in distinct),
            tuple(distinct.index(key) for key in keys),
        )

    @cached_property
    def parts(self) -> list[slice]:
        """The columns of each response among the weights."""
        ends = np.cumsum([len(tree.root.weights) for tree in self.trees]).tolist()
        return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]

    def own(self, weights: Any, tree: int) -> Any:
        """The part of some weights that belongs to the response of a tree."""
        if len(self.trees) == 1:
            return weights
        return weights[..., self.parts[self.of_tree[tree]]]

    def records(self, weights: Any) -> Any:
        """How many records some weights are of; every response counts them all."""
        first = self.own(weights, self.of_tree.index(0))
        return first[..., 0] if self.trees[0].is_regression else row_sums(first)

    def tally(self, engine: Engine, columns: Sequence[str], region: Region) -> dict[str, Tally]:
        """Counts of some columns in a region against every response."""
        counted = [
            engine.tally(columns, [region], counted_target(engine, tree.target, tree.step))[0]
            for tree in self.trees
        ]
        if len(counted) == 1:
            return counted[0]
        return {
            name: Tally(
                counted[0][name].codes,
                np.concatenate([tallies[name].weights for tallies in counted], axis=1),
            )
            for name in columns
        }

    def of_blocks(self, engine: Engine, blocks: Blocks) -> Integers:
        """The weights of each block against every response."""
        targets = [counted_target(engine, tree.target, tree.step) for tree in self.trees]
        return np.concatenate([blocks.weights(target) for target in targets], axis=1)
