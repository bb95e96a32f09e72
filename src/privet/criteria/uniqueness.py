"""Who is alone on some columns, and which of the columns make them so.

A record is alone if no other has the same values. A column makes a record alone if the record
would not be alone without it: several columns may each do so, so their shares need not add up.
`assessment` next door judges a table by criteria; here nothing is asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from privet.engine import Engine


@dataclass(frozen=True)
class Uniqueness:
    """How records share their values. `alone_without` has, for each column, how many records are
    alone on the other columns, `alone_by` how many are alone on this one."""

    records: int
    equivalence_classes: int
    k: int
    alone: int
    below: int  # records in equivalence classes of fewer than were asked for
    alone_without: Mapping[str, int]
    alone_by: Mapping[str, int]

    def share(self, column: str) -> float:
        """The share of those who are alone that this column makes so."""
        return (self.alone - self.alone_without[column]) / self.alone if self.alone else 0.0


def uniqueness(
    engine: Engine,
    columns: Sequence[str],
    asked: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Uniqueness:
    """Count who is alone on the columns, without each of them, and on each of them."""
    sizes = engine.count(columns).n
    without, by = {}, {}
    for done, column in enumerate(columns, start=1):
        if progress is not None:
            progress(done / (len(columns) + 1))
        others = [name for name in columns if name != column]
        without[column], by[column] = _alone(engine, others), _alone(engine, [column])
    return Uniqueness(
        records=int(sizes.sum()),
        equivalence_classes=len(sizes),
        k=int(sizes.min()),
        alone=int((sizes == 1).sum()),
        below=int(sizes[sizes < asked].sum()),
        alone_without=without,
        alone_by=by,
    )


def _alone(engine: Engine, columns: Sequence[str]) -> int:
    if not columns:  # without any column all records are alike
        return int(engine.n_rows() == 1)
    return int((engine.count(columns).n == 1).sum())
