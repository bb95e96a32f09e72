"""How the settings of a release have trees grown; `tree.grow` does it.

A schema may have several targets here, one for each tree that is kept; a tree sees its own alone.
"""

from dataclasses import replace

from privet.engine import Engine, MemoryEngine, SqlEngine
from privet.preserve.diverse_leaves import DiverseLeaves
from privet.preserve.people_columns import pairs_with
from privet.preserve.privacy import PrivacySettings
from privet.preserve.settings import MOST_LEAVES, PublishSettings
from privet.roles import with_one_target
from privet.schema import Role, Schema
from privet.tree.cross_validation import Score, cross_validate, cross_validate_on_disk
from privet.tree.grow import attributes_for_growing, default_impurity, grow
from privet.tree.grower import Grower
from privet.tree.guard import Guard
from privet.tree.model import Tree

_MOST_COUNTS = 1 << 22  # values of a column times people


def grow_largest(
    engine: Engine,
    schema: Schema,
    settings: PublishSettings,
    target: str,
    admissible: DiverseLeaves | None,
) -> Tree:
    """The largest tree that the settings let grow; smaller sizes are beginnings of it."""
    guard = guard_of(schema, settings, engine)
    seen = with_one_target(schema, target)
    return grow(engine, seen, grower_of(engine, seen, settings), admissible, guard=guard)


def cross_validated(
    engine: Engine, schema: Schema, settings: PublishSettings, target: str, sizes: list[int]
) -> dict[int, Score]:
    """The cross-validated score of each size of a tree."""

    def grown(part: Engine) -> Tree:
        admissible = admissible_leaves(part, schema, settings)
        return grow_largest(part, schema, settings, target, admissible)

    seen = with_one_target(schema, target)
    if isinstance(engine, SqlEngine):
        return cross_validate_on_disk(engine, seen, sizes, grown)
    return cross_validate(engine.table(), seen, sizes, lambda part: grown(MemoryEngine(part)))


def grow_first_split(
    engine: Engine,
    schema: Schema,
    settings: PublishSettings,
    target: str,
    min_leaf: int,
    judged: bool,
) -> Tree:
    """The tree of one split with any number of branches; `judged`: by l and t as well.

    A guard that was not asked for by its own number goes with the minimum leaf.
    """
    if settings.guard is None and settings.by_leaf:
        settings = replace(settings, guard=min_leaf)
    seen = with_one_target(schema, target)
    grower = grower_of(engine, seen, settings)
    grower = replace(grower, leaves=None, depth=1, min_leaf=min_leaf)
    admissible = diverse_leaves(engine, schema, settings) if judged else None
    return grow(engine, seen, grower, admissible, guard=guard_of(schema, settings, engine))


def columns_to_recode(schema: Schema, settings: PublishSettings) -> tuple[str, ...]:
    """Quasi-identifiers; with them the sensitive columns that the tree may use, unless they are
    released as they are."""
    hidden = settings.use_sensitive and not settings.shows_sensitive
    roles = {Role.QUASI} | ({Role.SENSITIVE} if hidden else set())
    return schema.names(*roles)


def guard_of(schema: Schema, settings: PublishSettings, engine: Engine) -> Guard | None:
    """The guard of the growth; columns released as they are keep all their splits, as they will
    have them in the release. It counts people where these can be counted while growing."""
    if settings.guard_in_force == 1:
        return None
    offered = attributes_for_growing(schema, settings.use_sensitive)
    besides = frozenset(offered) - set(columns_to_recode(schema, settings))
    person = settings.person if _counts_people(engine, schema, settings) else None
    return Guard(settings.guard_in_force, besides, person)


def admissible_leaves(
    engine: Engine, schema: Schema, settings: PublishSettings
) -> DiverseLeaves | None:
    """What growing asks of every leaf besides its size; None if nothing.

    People are only counted in leaves where counts by person are bearable; drafts are judged by
    people in any case.
    """
    if not settings.by_leaf or settings.outside:
        return None
    if settings.person is not None and not _counts_people(engine, schema, settings):
        settings = replace(settings, person=None)
    return diverse_leaves(engine, schema, settings, least_people=settings.smallest_leaf)


def _counts_people(engine: Engine, schema: Schema, settings: PublishSettings) -> bool:
    """Whether people are told apart, and counts by person and value are bearable."""
    if settings.person is None or settings.person not in engine.columns():
        return False
    widest = max((engine.domain(name).size for name in schema.quasi), default=0)
    asked = schema.sensitive if settings.asks_of_sensitive else ()
    counted = [settings.person, *(pairs_with(name, settings.person) for name in asked)]
    return widest * max(engine.domain(name).size for name in counted) <= _MOST_COUNTS


def diverse_leaves(
    engine: Engine,
    schema: Schema,
    settings: PrivacySettings,
    least_people: int = 1,
    mixed: bool = False,
) -> DiverseLeaves | None:
    """What leaf recoding asks of every leaf besides its size; None if nothing."""
    diverse = DiverseLeaves(engine, schema, settings, least_people=least_people, mixed=mixed)
    return diverse if diverse.columns else None


def grower_of(engine: Engine, schema: Schema, settings: PublishSettings) -> Grower:
    """The grower of the largest tree, for a schema with one target."""
    return Grower(
        impurity=settings.impurity or default_impurity(engine, schema.target),
        categories=settings.categories,
        leaves=settings.leaves or MOST_LEAVES,
        min_leaf=settings.smallest_leaf,
        attributes=attributes_for_growing(schema, settings.use_sensitive),
    )
