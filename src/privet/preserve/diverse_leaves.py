"""Growing only leaves that are diverse and close enough.

With leaf recoding an equivalence class is a leaf (or a union of pieces of one), so l-diversity and
t-closeness are asked of every leaf while the tree grows. Unions of admissible leaves are admissible
(docs/guarantees/criteria.md), so growing again from the release needs no such test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from privet.criteria.groups import Groups
from privet.criteria.people import NotEverybody, OfPeople, people_of
from privet.engine import Engine
from privet.preserve.people_columns import of_pairs, pairs_with
from privet.preserve.privacy import PrivacySettings
from privet.schema import Role, Schema


class _Admits(Protocol):
    def admits(
        self, groups: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]: ...

    def keeps(self, groups: Groups, totals: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]: ...


@dataclass(frozen=True)
class _EachValueOften:
    """Every value of a group has k records or none; so has every union of such groups."""

    k: int

    def admits(
        self, groups: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        return np.asarray(((groups == 0) | (groups >= self.k)).all(axis=-1))

    def keeps(self, groups: Groups, totals: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return np.asarray(np.minimum.reduceat(groups.n, groups.starts) >= self.k)


class DiverseLeaves:
    """Admits candidates whose children all satisfy l and t for each sensitive column.

    If an attacker knows the target, each target value of a leaf must have k records as well; with
    several targets that is asked of each. It is asked of the values of `each_often` columns, too.
    Where people have several records, a leaf must have k people (or `least_people`), l and t are
    of people, and with `mixed` no target value is had by all people of a leaf.
    """

    def __init__(
        self,
        engine: Engine,
        schema: Schema,
        settings: PrivacySettings,
        each_often: Sequence[str] = (),
        least_people: int = 1,
        mixed: bool = False,
    ) -> None:
        self._criteria: dict[str, list[_Admits]] = {}
        self._totals = {}
        person = settings.person
        for column in schema.sensitive:
            asked = settings.criteria_for(engine.domain(column).kind.is_ordered)
            if person is None:
                self._criteria[column] = [*asked]
            elif asked:
                pairs = of_pairs(engine, column, person)
                of_people: list[_Admits] = [OfPeople(*pairs, one) for one in asked]
                self._criteria[pairs_with(column, person)] = of_people
        if settings.target_known and settings.k > 1:
            each_often = [*each_often, *schema.names(Role.TARGET)]
        if person is not None:
            least = max(settings.k, least_people)
            self._criteria |= {person: [people_of(least)] if least > 1 else []}
            for target in schema.names(Role.TARGET) if mixed else ():
                never = NotEverybody(*of_pairs(engine, target, person))
                self._criteria.setdefault(pairs_with(target, person), []).append(never)
        for column in each_often:
            self._criteria.setdefault(column, []).append(_EachValueOften(settings.k))
        self._criteria = {column: asked for column, asked in self._criteria.items() if asked}
        for column in self._criteria:
            counts = engine.count([column])
            totals = np.zeros(engine.domain(column).size, dtype=np.int64)
            totals[counts.keys[:, 0]] = counts.n
            self._totals[column] = totals

    @property
    def columns(self) -> Sequence[str]:
        return tuple(self._criteria)

    def keeps(self, column: str, groups: Groups) -> npt.NDArray[np.bool_]:
        """Whether each of some groups satisfies what is asked of a column."""
        kept = np.ones(len(groups.starts), dtype=bool)
        for criterion in self._criteria[column]:
            kept &= criterion.keeps(groups, self._totals[column])
        return kept

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        admitted = np.ones(len(children), dtype=bool)
        for criterion in self._criteria[column]:
            admitted &= criterion.admits(children, self._totals[column]).all(axis=1)
        return admitted
