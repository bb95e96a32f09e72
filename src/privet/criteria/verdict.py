"""What a criterion is and what it answers. The criteria themselves are next door, one file each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.engine import Counts

Figure = int | float | Fraction


@dataclass(frozen=True)
class Verdict:
    """Whether a criterion holds, how bad the worst equivalence class is, and who is exposed.

    `worst` is the k, l or t of the table: the strictest parameter that would still hold. It is
    exact (a whole number or a Fraction) except for entropy, where it is the nearest float.
    """

    criterion: str
    parameters: Mapping[str, int | float | str]
    holds: bool
    worst: Figure
    violating_records: int
    violating_classes: int
    broken: Booleans = field(
        repr=False, compare=False
    )  # for each equivalence class, if it violates

    @classmethod
    def of(
        cls,
        criterion: str,
        parameters: Mapping[str, int | float | str],
        worst: Figure,
        broken: Booleans,
        sizes: Integers,
    ) -> "Verdict":
        """The verdict from what was found in each equivalence class."""
        return cls(
            criterion,
            parameters,
            holds=not broken.any(),
            worst=worst,
            violating_records=int(sizes[broken].sum()),
            violating_classes=int(broken.sum()),
            broken=broken,
        )

    @classmethod
    def on_all(cls, verdicts: "Sequence[Verdict]") -> "Verdict":
        """The verdict on a table from those on its portions, which are in order."""
        first, worsts = verdicts[0], [verdict.worst for verdict in verdicts]
        return cls(
            first.criterion,
            first.parameters,
            holds=all(verdict.holds for verdict in verdicts),
            worst=max(worsts) if first.criterion == "t-closeness" else min(worsts),
            violating_records=sum(verdict.violating_records for verdict in verdicts),
            violating_classes=sum(verdict.violating_classes for verdict in verdicts),
            broken=np.concatenate([verdict.broken for verdict in verdicts]),
        )

    @property
    def figure(self) -> int | float:
        """`worst` as JSON and people read it: a whole number where it is one, else a float."""
        return plain(self.worst)


class Criterion(Protocol):
    """A privacy condition with its parameters, judged on counts.

    k-anonymity reads counts by the quasi-identifiers; the others need the sensitive column as the
    last one. With no quasi-identifier the whole table is one equivalence class.
    """

    def judge(self, counts: Counts, totals: Integers | None = None) -> Verdict:
        """The verdict on all classes; `totals` as below, where counts are a portion of a table."""

    def admits(self, groups: npt.NDArray[Any], totals: npt.NDArray[Any]) -> Booleans:
        """Whether each candidate group may be an equivalence class.

        The last axis of `groups` holds the records by sensitive value, `totals` the same for the
        whole table. The answer has the leading axes. A group without records is admitted.
        """


def plain(figure: Figure) -> int | float:
    """A figure as a whole number where it is one, else as the nearest float."""
    if isinstance(figure, Fraction):
        return figure.numerator if figure.denominator == 1 else float(figure)
    return figure
