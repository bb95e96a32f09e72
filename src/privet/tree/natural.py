"""The natural tree of a table: grown to the end and pruned, as the growers of the C4.5 family do.

It shows the patterns that noise must keep; whoever holds a release with noise grows it again from
the released rows. `NoiseTreeSettings` are its options, stated in the manifest. The tree of a
category, which predicts it from all other columns, is pruned of what is chance as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privet.engine import Engine, MemoryEngine
from privet.errors import InvalidParameter, UsageError, param, read_as_category
from privet.schema import Column, Role, Schema
from privet.tree.grow import attributes_for_growing, grow
from privet.tree.grower import CategorySplits, Grower, Impurity
from privet.tree.model import Node, Tree
from privet.tree.prune import Pruning, by_leaving_out, prune
from privet.tree.response import looks_numeric

SMALLEST_LEAF = 5
RECORDS_FOR_ONE_MORE = 100  # a leaf needs one record in so many of the table, if those are more
MOST_CLASSES = 1000
_SMALLEST_OF_C45 = 2


@dataclass(frozen=True)
class NoiseTreeSettings:
    """Grower options: gain ratio, one branch for each category and pessimistic pruning, as the
    growers of the C4.5 family have them. `min_leaf` None is 5, or 1 % of the records if that is
    more."""

    impurity: Impurity = "gain-ratio"
    categories: CategorySplits = "multiway"
    min_leaf: int | None = None
    leaves: int | None = None
    depth: int | None = None
    prune: Pruning = "pessimistic"
    mdl: bool = False

    def __post_init__(self) -> None:
        if self.impurity == "deviance":
            raise InvalidParameter(
                "impurity",
                "gini, entropy, gain-ratio or c45",
                "deviance",
                "noise needs classes.",
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
            mdl=self.mdl,
        )

    def grow(self, engine: Engine, schema: Schema, attributes: Sequence[str]) -> Tree:
        """The tree of the schema's target over these attributes."""
        classes = engine.domain(schema.target).size
        if classes > MOST_CLASSES:
            raise UsageError(
                f"Column '{schema.target}' has {classes} values; noise takes at most "
                f"{MOST_CLASSES} classes.",
                f"if it is an identifier: {param('identifier', schema.target)} or "
                f"{param('drop', schema.target)}; else put its values into groups first.",
            )
        tree = grow(engine, schema, self.grower(engine.n_rows(), attributes))
        return prune(tree, self.prune)


def min_leaf_of_c45(records: int) -> int:
    """What a leaf needs in `privet tree` and `privet.grow` by the rule of C4.5, if nothing is said:
    2 records as there, or 1 % of the table if that is more."""
    return max(_SMALLEST_OF_C45, records // RECORDS_FOR_ONE_MORE)


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


def tree_grown_again(engine: Engine, schema: Schema, settings: NoiseTreeSettings) -> Tree:
    """The natural tree of released rows: one leaf where noise has left one class of several."""
    target = schema.target
    domain = engine.domain(target)
    if domain.size != 1:
        return natural_tree(engine, schema, settings)
    records = engine.n_rows()
    grower = replace(settings.grower(records, attributes_for_growing(schema)), leaves=1)
    root = Node(0, None, 0, (records,))
    return Tree(target, grower, (root,), (domain.value(0),), None, {target: domain.kind})


def tree_of_category(engine: Engine, column: str, settings: NoiseTreeSettings) -> Tree:
    """The tree that predicts a category from all other columns; of a column that nothing tells it
    says nothing."""
    names = engine.columns()
    schema = Schema(tuple(Column(name, engine.domain(name).kind) for name in names))
    others = [name for name in names if name != column]
    tree = settings.grow(engine, with_target(schema, column), others)
    if isinstance(engine, MemoryEngine):
        engine.forget()
    return tree if settings.prune == "none" else by_leaving_out(tree)


def with_target(schema: Schema, target: str) -> Schema:
    """The same schema with another target, the columns that may be used being quasi-identifiers."""
    columns = tuple(
        replace(c, role=Role.TARGET if c.name == target else Role.QUASI, also_sensitive=False)
        for c in schema
    )
    return replace(schema, columns=columns)
