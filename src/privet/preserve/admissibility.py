"""Growing only leaves that are diverse and close enough.

With leaf recoding an equivalence class is a leaf (or a union of pieces of one), so l-diversity and
t-closeness are asked of every leaf while the tree grows. Unions of admissible leaves are admissible
(docs/guarantees/criteria.md), so growing again from the release needs no such test.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from privet.engine import Engine
from privet.preserve.settings import Settings


class DiverseLeaves:
    """Admits candidates whose children all satisfy l and t for each sensitive column."""

    def __init__(self, engine: Engine, sensitive: Sequence[str], settings: Settings) -> None:
        self._criteria = {}
        self._totals = {}
        for column in sensitive:
            domain = engine.domain(column)
            criteria = settings.criteria_for(domain.kind.is_ordered)
            if criteria:
                self._criteria[column] = criteria
                counts = engine.count([column])
                totals = np.zeros(domain.size, dtype=np.int64)
                totals[counts.keys[:, 0]] = counts.n
                self._totals[column] = totals

    @property
    def columns(self) -> Sequence[str]:
        return tuple(self._criteria)

    def __call__(self, column: str, children: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        admitted = np.ones(len(children), dtype=bool)
        for criterion in self._criteria[column]:
            admitted &= criterion.admits(children, self._totals[column]).all(axis=1)
        return admitted
