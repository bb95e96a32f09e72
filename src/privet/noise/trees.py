"""The trees that noise follows: each is grown once, from the original table, and pruned.

`NoiseTreeSettings` are the grower options of every noise method. `Leaves` says which leaf each
record lies in, what its path asks, and within which bounds a number may move without leaving it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from privet.engine import Engine
from privet.errors import InvalidParameter, TreeChanged, UsageError, read_as_category
from privet.schema import Role, Schema
from privet.table import Table, code_type
from privet.tree.grow import attributes_for_growing, grow
from privet.tree.grower import CategorySplits, Grower, Impurity
from privet.tree.model import Multiway, Tree
from privet.tree.paths import Left, Steps, paths
from privet.tree.prune import Pruning, prune
from privet.tree.response import looks_numeric

SMALLEST_LEAF = 2
RECORDS_FOR_ONE_MORE = 1500  # a leaf needs one record more for so many records of the table
MOST_CLASSES = 1000


@dataclass(frozen=True)
class NoiseTreeSettings:
    """Grower options: gain ratio, one branch for each category and pessimistic pruning, as the
    growers of the C4.5 family have them. `min_leaf` None grows with the table."""

    impurity: Impurity = "gain-ratio"
    categories: CategorySplits = "multiway"
    min_leaf: int | None = None
    leaves: int | None = None
    depth: int | None = None
    prune: Pruning = "pessimistic"

    def __post_init__(self) -> None:
        if self.impurity == "deviance":
            raise InvalidParameter(
                "impurity", "gini, entropy or gain-ratio", self.impurity, "noise needs classes."
            )
        if self.prune not in ("none", "pessimistic"):
            raise InvalidParameter("prune", "none or pessimistic", self.prune)
        self.grower(1, ("any",))

    def grower(self, records: int, attributes: Sequence[str]) -> Grower:
        usual = max(SMALLEST_LEAF, records // RECORDS_FOR_ONE_MORE)
        return Grower(
            impurity=self.impurity,
            categories=self.categories,
            leaves=self.leaves,
            depth=self.depth,
            min_leaf=usual if self.min_leaf is None else self.min_leaf,
            attributes=tuple(attributes),
        )

    def grow(self, engine: Engine, schema: Schema, attributes: Sequence[str]) -> Tree:
        """The tree of the schema's target over these attributes."""
        classes = engine.domain(schema.target).size
        if classes > MOST_CLASSES:
            raise UsageError(
                f"Column '{schema.target}' has {classes} values; noise takes at most "
                f"{MOST_CLASSES} classes.",
                "drop it if it is an identifier, or put its values into groups first.",
            )
        tree = grow(engine, schema, self.grower(engine.n_rows(), attributes))
        return prune(tree, self.prune)


def natural_tree(engine: Engine, schema: Schema, settings: NoiseTreeSettings) -> Tree:
    """The tree for the target of the schema: the patterns that noise must keep."""
    target = schema.target
    if looks_numeric(engine.domain(target)):
        raise UsageError(
            f"The target '{target}' holds numbers; noise follows a tree that tells classes apart.",
            f"take each number as a class ({read_as_category(target)}), or put the numbers "
            "into groups "
            "first and name the column of groups.",
        )
    return settings.grow(engine, schema, attributes_for_growing(schema))


def with_target(schema: Schema, target: str) -> Schema:
    """The same schema with another target, the columns that may be used being quasi-identifiers."""
    columns = tuple(
        replace(c, role=Role.TARGET if c.name == target else Role.QUASI, also_sensitive=False)
        for c in schema
    )
    return replace(schema, columns=columns)


class Leaves:
    """The records of a table by the leaves of a tree; leaves are counted in the tree's order."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.ids = tuple(leaf.id for leaf in tree.leaves)
        of_node = np.zeros(len(tree.nodes), dtype=code_type(len(self.ids)))
        of_node[list(self.ids)] = np.arange(len(self.ids))
        self._reached = tree.leaf_of_rows(table)
        self.rank = of_node[self._reached]
        self.n_rows = table.n_rows

    @property
    def number(self) -> int:
        return len(self.ids)

    @cached_property
    def heterogeneous(self) -> npt.NDArray[np.bool_]:
        """Which leaves held records of several classes when the tree was grown."""
        return np.array([sum(w > 0 for w in leaf.weights) > 1 for leaf in self.tree.leaves])

    @cached_property
    def paths(self) -> tuple[Steps, ...]:
        """For each leaf the splits from the root, each with the child that is taken."""
        steps = paths(self.tree)
        return tuple(steps[leaf] for leaf in self.ids)

    def asks(self, column: str) -> npt.NDArray[np.bool_]:
        """For each leaf whether its path asks the column."""
        found = [any(s.attribute == column for s, _ in path) for path in self.paths]
        return np.array(found, dtype=bool)

    def fixes(self, column: str) -> npt.NDArray[np.bool_]:
        """For each leaf whether its path leaves the column one category only."""
        found = [
            any(s.attribute == column and isinstance(s, Multiway) for s, _ in path)
            for path in self.paths
        ]
        return np.array(found, dtype=bool)

    def bounds(self, column: str) -> list[tuple[float | None, float | None]]:
        """For each leaf the threshold that a number must be above and the one it may reach."""
        known = (Left.by(path).ranges.get(column) for path in self.paths)
        return [(None, None) if one is None else (one.above, one.up_to) for one in known]

    def numbers_of(self, records: npt.NDArray[np.bool_]) -> dict[int, int]:
        """How many of some records lie in each leaf, by its id in the tree."""
        counts = np.bincount(self.rank[records], minlength=self.number)
        return dict(zip(self.ids, counts.tolist(), strict=True))

    def require_same(self, released: Table) -> None:
        """Raise if any record of a released table lies in another leaf than before."""
        moved = int((self.tree.leaf_of_rows(released) != self._reached).sum())
        if moved:
            raise TreeChanged(
                f"{moved} records would leave their leaves of the tree for '{self.tree.target}'.",
                "nothing was released; please report this, it should never happen.",
            )

    def stayed(self, released: Table) -> int:
        """How many records of a released table lie in the leaf that they lay in."""
        return int((self.tree.leaf_of_rows(released) == self._reached).sum())
