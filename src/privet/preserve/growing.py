"""How the settings of a release have trees grown; `tree.grow` does it."""

from dataclasses import replace

from privet.engine import Engine
from privet.preserve.diverse_leaves import DiverseLeaves
from privet.preserve.settings import MOST_LEAVES, PublishSettings
from privet.schema import Schema
from privet.tree.grow import attributes_for_growing, default_impurity, grow
from privet.tree.grower import Grower
from privet.tree.model import Tree


def grow_largest(engine: Engine, schema: Schema, settings: PublishSettings) -> Tree:
    """The largest tree that the settings let grow; smaller sizes are beginnings of it."""
    admissible = diverse_leaves(engine, schema, settings) if settings.by_leaf else None
    return grow(engine, schema, _grower(engine, schema, settings), admissible)


def grow_first_split(
    engine: Engine, schema: Schema, settings: PublishSettings, min_leaf: int, judged: bool
) -> Tree:
    """The tree of one split with any number of branches; `judged`: by l and t as well."""
    grower = _grower(engine, schema, settings)
    grower = replace(grower, leaves=None, depth=1, min_leaf=min_leaf)
    admissible = diverse_leaves(engine, schema, settings) if judged else None
    return grow(engine, schema, grower, admissible)


def diverse_leaves(
    engine: Engine, schema: Schema, settings: PublishSettings
) -> DiverseLeaves | None:
    """What leaf recoding asks of every leaf besides its size; None if nothing."""
    diverse = DiverseLeaves(engine, schema, settings)
    return diverse if diverse.columns else None


def _grower(engine: Engine, schema: Schema, settings: PublishSettings) -> Grower:
    return Grower(
        impurity=settings.impurity or default_impurity(engine, schema.target),
        categories=settings.categories,
        leaves=settings.leaves or MOST_LEAVES,
        min_leaf=settings.smallest_leaf,
        attributes=attributes_for_growing(schema, settings.use_sensitive),
    )
