"""Where people have several records: columns of pairs, of a value and a person.

Distinct people do not add up over the values of another column, but records of pairs do. So the
records get a column of pairs for each column of which l, t or one class is asked in people; it is
counted like any other, and `criteria.people` knows what to make of it. No release has it.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.criteria.people import Presence, judge_of_people, measure_people
from privet.engine import Engine
from privet.preserve.privacy import PrivacySettings
from privet.schema import Kind, Role, Schema
from privet.table import Coded, Domain, Table, code_type


def pairs_with(column: str, person: str) -> str:
    """The name of the column of pairs; no file has a column of such a name."""
    return f"{column}\0{person}"


def with_pairs(table: Table, schema: Schema, person: str | None) -> Table:
    """The records with a column of pairs for each sensitive column and each target."""
    if person is None:
        return table
    names = dict.fromkeys([*schema.sensitive, *schema.names(Role.TARGET)])
    pairs = {pairs_with(name, person): _pairs(table[name], table[person]) for name in names}
    return Table({**{name: table[name] for name in table}, **pairs})


def _pairs(first: Coded, second: Coded) -> Coded:
    keys = first.codes.astype(np.int64) * second.domain.size + second.codes
    distinct, codes = np.unique(keys, return_inverse=True)
    domain = Domain(Kind.INTEGER, np.arange(len(distinct)))
    return Coded(domain, codes.astype(code_type(domain.size)))


def of_pairs(engine: Engine, column: str, person: str) -> tuple[Integers, Integers]:
    """The value and the person that each code of a column of pairs stands for."""
    pairs = pairs_with(column, person)
    found = engine.count([pairs, column, person])
    both = np.zeros((2, engine.domain(pairs).size), dtype=np.int64)
    both[:, found.keys[:, 0]] = found.keys[:, 1:].T
    return both[0], both[1]


@dataclass(frozen=True)
class PeopleFigures:
    """What is measured in people: k, l and t by sensitive column, and for each target how many
    people are in classes where all of them have one value, and the largest share of one."""

    k: int
    l: dict[str, int | float]  # noqa: E741
    t: dict[str, int | float]
    one_class: dict[str, int]
    guessed: dict[str, float]


def people_figures(
    engine: Engine, schema: Schema, settings: PrivacySettings
) -> PeopleFigures | None:
    """The figures of a table whose equivalence classes are those of its quasi-identifiers."""
    person, quasi = settings.person, schema.quasi
    if person is None:
        return None
    of_l, of_t = {}, {}
    for column in schema.sensitive if settings.asks_of_sensitive else ():
        counts = engine.count([*quasi, column, person])
        diversity = settings.diversity()
        if diversity is not None:
            of_l[column] = judge_of_people(diversity, counts).figure
        closeness = settings.closeness(engine.domain(column).kind.is_ordered)
        if closeness is not None:
            of_t[column] = judge_of_people(closeness, counts).figure
    one_class, guessed = {}, {}
    for target in schema.names(Role.TARGET):
        one_class[target], share = _told(Presence.of(engine.count([*quasi, target, person])))
        guessed[target] = float(share)
    k = measure_people(engine.count([*quasi, person]))
    return PeopleFigures(k, of_l, of_t, one_class, guessed)


def _told(presence: Presence) -> tuple[int, Fraction]:
    """People in classes where everybody has one value, and the largest share of people with one."""
    groups = presence.with_each_value()
    everybody = groups.tops == groups.sizes
    pairs = zip(groups.tops.tolist(), groups.sizes.tolist(), strict=True)
    return int(groups.sizes[everybody].sum()), max(Fraction(top, size) for top, size in pairs)


def fewest_people(groups: npt.NDArray[Any], people: npt.NDArray[Any]) -> int:
    """The fewest people of some groups of records, given the group and the person of each."""
    pairs = np.unique(np.stack([groups, people.astype(np.int64)], axis=1), axis=0)
    return int(np.unique(pairs[:, 0], return_counts=True)[1].min())
