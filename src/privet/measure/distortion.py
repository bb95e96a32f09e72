"""Distortion: how much of each cell is lost, by what the records of a group have between them.

NCP, the normalised certainty penalty, of a column: in a group of people a number is known up to the
width between the smallest and the largest one, a category up to the values that occur; each is
divided by what the whole table has. 0 is nothing lost, 1 everything. Discernibility adds up, over
records, how many look alike. How columns and pairs lie is in `likeness`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.release.manifest import Manifest
from privet.release.recoded import entry_of
from privet.schema import Role
from privet.table import Coded, Table, stretches


@dataclass(frozen=True)
class Distortion:
    """What was lost, by column and on the whole. `ncp` is None of columns that were drawn at
    random, or are not in the original table."""

    ncp: Mapping[str, float | None]
    quasi: tuple[str, ...]
    discernibility: int
    equivalence_classes: int
    records: int

    @property
    def mean_ncp(self) -> float | None:
        """The mean over quasi-identifiers that have one."""
        found = [penalty for name in self.quasi if (penalty := self.ncp[name]) is not None]
        return sum(found) / len(found) if found else None

    def to_data(self) -> dict[str, Any]:
        return {
            "ncp": dict(self.ncp),
            "mean_ncp": self.mean_ncp,
            "discernibility": self.discernibility,
            "average_class_size": self.records / self.equivalence_classes,
        }


def distortion(
    original: Table, manifest: Manifest, groups: npt.NDArray[Any], class_sizes: Integers
) -> Distortion:
    """What a release lost; `groups` has the group of each original row in it."""
    penalties: dict[str, float | None] = {}
    for column in manifest.schema:
        if column.role is Role.TARGET or column.name not in original:
            continue
        treatment = entry_of(manifest.recoding, column.name).get("treatment", "kept")
        if treatment in ("noise", "substituted"):
            penalties[column.name] = None
        elif treatment in ("kept", "suppressed"):
            penalties[column.name] = float(treatment == "suppressed")
        else:
            penalties[column.name] = ncp(original[column.name], groups)
    quasi = tuple(name for name in manifest.schema.quasi if name in penalties)
    squares = int((class_sizes.astype(object) ** 2).sum())
    return Distortion(penalties, quasi, squares, len(class_sizes), int(class_sizes.sum()))


def _subtractable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values, made far smaller where sums of their differences are too large for a number."""
    return values if np.abs(values).max(initial=0) < 1e280 else values / 2.0**64


def _widths(high: npt.NDArray[Any], low: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """High less low, rounded after it is taken: integers beyond 2^53 are no floats."""
    if high.dtype == np.int64:
        return (high.view(np.uint64) - low.view(np.uint64)).astype(np.float64)
    return np.asarray(high - low, dtype=np.float64)


def ncp(column: Coded, groups: npt.NDArray[Any]) -> float:
    """The normalised certainty penalty of a column, in the mean over rows.

    Missing is a value like others among categories; among numbers it has no width.
    """
    size = max((int(numbers.max()) for numbers in stretches(groups)), default=-1) + 1
    rows = np.zeros(size, dtype=np.int64)
    low, high = np.full(size, column.domain.size), np.full(size, -1)  # of codes of numbers
    kinds = [np.zeros(0, dtype=np.int64)]  # pairs of group and code that occur
    numbers = len(column.domain.values) if column.domain.kind.is_ordered else 0
    for codes, here in zip(stretches(column.codes), stretches(groups), strict=True):
        here = here.astype(np.int64)
        rows += np.bincount(here, minlength=size)
        if column.domain.kind.is_ordered:
            there = codes < numbers
            np.minimum.at(low, here[there], codes[there])
            np.maximum.at(high, here[there], codes[there])
        else:
            kinds = [np.unique(np.concatenate([*kinds, here * column.domain.size + codes]))]
    if column.domain.kind.is_ordered:
        some = high >= 0
        if not some.any():
            return 0.0
        values = _subtractable(np.asarray(column.domain.values))
        width = np.where(some, _widths(values[high], values[np.where(some, low, 0)]), 0.0)
        whole = float(_widths(values[[high.max()]], values[[low.min()]])[0])
    else:
        pairs = kinds[0]
        width = np.bincount(pairs // column.domain.size, minlength=size) - 1.0
        whole = len(np.unique(pairs % column.domain.size)) - 1.0
    return float((rows * width).sum() / (len(column.codes) * whole)) if whole > 0 else 0.0
