"""What no release of a table can reach, said before any work is done.

Whatever becomes of the other columns, some equivalence class is no more diverse than the whole
table: the most frequent value has at least its overall share in one of them, no class has more
values than the table, and the entropy of a mix is no smaller than the mean of its parts.
"""

import math

from privet.criteria import KINDS, LDiversity, measure_l
from privet.criteria.people import judge_of_people
from privet.criteria.verdict import plain
from privet.engine import Engine
from privet.errors import CriterionNotReached, param
from privet.preserve.privacy import PrivacySettings
from privet.schema import Role, Schema
from privet.words import count

_DIGITS = 3


def refuse_unreachable(engine: Engine, schema: Schema, settings: PrivacySettings) -> None:
    """Refuse a k with the target known, or an l, that the whole table does not have."""
    refuse_rare_targets(engine, schema, settings)
    _refuse_few_people(engine, settings)
    diversity = settings.diversity()
    if diversity is None:
        return
    for column in schema.sensitive:
        if settings.person is not None:
            _refuse_l_of_people(engine, column, settings, diversity)
            continue
        counts = engine.count([column])
        if diversity.judge(counts).holds:
            continue
        largest = {kind: _down(plain(measure_l(counts, kind))) for kind in KINDS}
        others = [
            f"{kind} up to {value}"
            for kind, value in largest.items()
            if kind != settings.l_kind and value >= diversity.l
        ]
        instead = f"; or for another kind of l: {', '.join(others)}" if others else ""
        raise CriterionNotReached(
            f"No release of this table can reach l = {plain(diversity.l)} ({settings.l_kind}) for "
            f"'{column}': the whole table has l = {largest[settings.l_kind]}.",
            f"ask for l = {largest[settings.l_kind]} at most{instead}.",
        )


def refuse_rare_targets(engine: Engine, schema: Schema, settings: PrivacySettings) -> None:
    """With the target known, k must hold among the records of each of its values (of several
    targets: of each combination)."""
    targets = schema.names(Role.TARGET)
    if not settings.target_known or not targets:
        return
    least = int(engine.count(targets).n.min())
    if least < settings.k:
        several = len(targets) > 1
        which = "combination of targets" if several else f"value of the target '{targets[0]}'"
        steps = f"round the target ({param('target_step', 10)}), "
        raise CriterionNotReached(
            f"Some {which} has only {count(least, 'record')}: "
            f"with {param('target_known', True)} no release can reach k = {settings.k}.",
            f"ask for k = {least} at most, {steps if settings.rounds_targets else ''}or leave "
            f"{param('target_known', True)} out.",
        )


def _refuse_few_people(engine: Engine, settings: PrivacySettings) -> None:
    if settings.person is None:
        return
    people = len(engine.count([settings.person]).n)
    if people < settings.k:
        raise CriterionNotReached(
            f"The table has only {count(people, 'person', 'people')}: no release of it can have "
            f"{settings.k} of them in every equivalence class.",
            f"ask for k = {people} at most.",
        )


def _refuse_l_of_people(
    engine: Engine, column: str, settings: PrivacySettings, diversity: LDiversity
) -> None:
    """No class has more values than the table. Its people may be more diverse, though: who has
    several values may have each in another class."""
    found = judge_of_people(diversity, engine.count([column, str(settings.person)]))
    if not found.holds and settings.l_kind == "distinct":
        raise CriterionNotReached(
            f"No release of this table can reach l = {plain(diversity.l)} (distinct) for "
            f"'{column}': it has {found.figure} values.",
            f"ask for l = {found.figure} at most.",
        )


def refuse_too_little(engine: Engine, schema: Schema, settings: PrivacySettings) -> None:
    """l and t of people may get lost where blocks that look alike become one class."""
    for column in schema.sensitive if settings.person is not None else ():
        for criterion in settings.criteria_for(engine.domain(column).kind.is_ordered):
            found = judge_of_people(
                criterion, engine.count([*schema.quasi, column, str(settings.person)])
            )
            if not found.holds:
                letter = "l" if isinstance(criterion, LDiversity) else "t"
                raise CriterionNotReached(
                    f"Among people, '{column}' reaches {letter} = {found.figure:.4g} only.",
                    f"ask for less, for a larger {param('k')}, or leave out a column "
                    f"({param('drop')}).",
                )


def _down(figure: float) -> int | float:
    """A figure rounded down, so that asking for it succeeds."""
    floored = math.floor(figure * 10**_DIGITS) / 10**_DIGITS
    return int(floored) if floored == int(floored) else floored
