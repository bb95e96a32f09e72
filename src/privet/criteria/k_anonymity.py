"""k-anonymity: every record shares its quasi-identifiers with at least k - 1 others."""

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.criteria.groups import must_have_records
from privet.criteria.verdict import Verdict
from privet.engine import Counts
from privet.errors import InvalidParameter
from privet.exact import threshold


@dataclass(frozen=True)
class KAnonymity:
    """Every equivalence class has at least k records. Counts are by the quasi-identifiers alone."""

    k: int

    def __init__(self, k: int | str) -> None:
        must = "a whole number of at least 1"
        wanted = threshold("k", k, must)
        if wanted < 1 or wanted.denominator != 1:
            raise InvalidParameter("k", must, k, "k = 5 is a common choice.")
        object.__setattr__(self, "k", int(wanted))

    def judge(self, counts: Counts, totals: Integers | None = None) -> Verdict:
        worst, broken = measure_k(counts), counts.n < self.k
        return Verdict.of("k-anonymity", {"k": self.k}, worst, broken, counts.n)

    def admits(self, groups: npt.NDArray[Any], totals: npt.NDArray[Any] | None = None) -> Booleans:
        """Whether each candidate group has k records (or none); see `Criterion.admits`."""
        sizes = groups.sum(axis=-1)
        admitted: Booleans = (sizes >= self.k) | (sizes == 0)
        return admitted


def measure_k(counts: Counts) -> int:
    """The size of the smallest equivalence class: the largest k that holds."""
    must_have_records(counts)
    return int(counts.n.min())
