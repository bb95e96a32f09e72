"""What the settings of a release ask of blocks: k, l and t, and more than one target value."""

from functools import partial

from privet.engine import Engine
from privet.preserve.growing import diverse_leaves
from privet.preserve.privacy import PrivacySettings
from privet.preserve.rich.partition import Condition, Rule
from privet.preserve.settings import PublishSettings
from privet.schema import Role, Schema


def rule_for(engine: Engine, schema: Schema, settings: PublishSettings) -> Rule:
    """The rule by which leaves are divided into blocks."""
    return Rule(
        settings.k,
        schema.names(Role.TARGET),
        mixed=settings.one_class == "forbid",
        conditions=conditions_for(engine, schema, settings, settings.one_class == "forbid"),
        first=frozenset(settings.keep),
    )


def conditions_for(
    engine: Engine, schema: Schema, settings: PrivacySettings, mixed: bool
) -> tuple[Condition, ...]:
    """l and t, k with the target known, and of people that not all have one target value (`mixed`),
    as conditions on both sides of every cut."""
    diverse = diverse_leaves(engine, schema, settings, mixed=mixed)
    if diverse is None:
        return ()
    return tuple(Condition(column, partial(diverse.keeps, column)) for column in diverse.columns)
