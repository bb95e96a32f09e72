"""Rows in the order of the digests of their keys: so they are sent, and their order says nothing.

In memory all rows are sorted at once. On disk they are dealt into batches of ever greater digests
(`privet.files.row_batches`), and each batch is sorted by itself. Equal digests are in one batch, so
keys that cannot serve are found there: they are refused, or left out and counted. `keys` makes the
digests.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.errors import UsageError
from privet.files.digests import SIZE, in_order, same_as_last
from privet.files.on_disk import Pieces
from privet.files.row_batches import batches_by_digest, joined
from privet.parties.keys import ProjectKey, digests_of, refuse_repeated
from privet.parties.receipts import REASONS
from privet.table import Codes, Table

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class RowsInOrder:
    """The digests in order, the other columns of their rows, and how many rows were left out."""

    digests: Digests
    table: Table
    left_out: dict[str, int]


def rows_in_order(
    table: Table,
    key: str,
    keys: Any,
    project_key: ProjectKey,
    leave_out: bool = False,
) -> RowsInOrder:
    """Rows sorted by the digests of their keys; `keys` are as in `digests_of`, or None where the
    table has them itself. Keys that cannot serve are refused, or left out."""
    column = table[key] if keys is None else None
    digests = digests_of(keys if column is None else column, key, project_key, leave_out)
    unfit = None
    if leave_out and column is not None:
        unfit = _Unfit(column.counts() > 1, len(column.domain.values))
    sorted_digests = Pieces()
    again: list[npt.NDArray[np.int64]] = []  # of each key of several rows, how many rows follow

    def parts() -> Iterator[Table]:
        for own, part in batches_by_digest(digests, table):
            if unfit is not None:
                present = unfit.present(part[key].codes)
                own, part = own[present], part.take(present)
            own, order = in_order(own)
            if unfit is not None:
                serves = unfit.serving(own, part[key].codes[order])
                own, order = own[serves], order[serves]
            again.append(_followers(same_as_last(own)))
            sorted_digests.append(own)
            yield Table({n: part[n] for n in part if n != key}).take(order)

    sent = joined(parts())
    _refuse_repeated(np.concatenate(again), key, by_codes=column is not None)
    if sent.n_rows == 0:
        raise UsageError(
            f"No row has a key '{key}' that can serve, so nothing is left to send.",
            "complete the keys, and send one row for each person.",
        )
    left_out = dict.fromkeys(REASONS, 0) if unfit is None else unfit.counted
    return RowsInOrder(sorted_digests.whole(np.uint8, SIZE), sent, left_out)


def put_in_order(digests: Digests, table: Table) -> tuple[Digests, Table]:
    """Digests and their rows, sorted by digest."""
    sorted_digests = Pieces()

    def parts() -> Iterator[Table]:
        for own, part in batches_by_digest(digests, table):
            in_part, order = in_order(own)
            sorted_digests.append(in_part)
            yield part.take(order)

    whole = joined(parts())
    return sorted_digests.whole(np.uint8, SIZE), whole


@dataclass(frozen=True, eq=False, repr=False)
class _Unfit:
    """Rows whose key cannot serve, counted by reason on the way through the batches: it is missing,
    it is that of several rows (nobody knows which is right), or it is written in two forms that
    mean the same key."""

    often: Flags  # whether the value is of several rows, by code
    n_values: int  # the code of missing keys
    counted: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))

    def present(self, codes: Codes) -> npt.NDArray[np.int64]:
        """The rows that have a key."""
        found = np.flatnonzero(codes < self.n_values)
        self.counted["missing"] += len(codes) - len(found)
        return found

    def serving(self, digests: Digests, codes: Codes) -> Flags:
        """Which of some rows, in the order of their digests, can serve."""
        last = same_as_last(digests)
        other = np.append(False, last[1:] & (codes[1:] != codes[:-1])) if len(last) else last
        run = np.cumsum(~last) - 1
        several_forms = np.bincount(run, weights=other)[run] > 0 if len(run) else other
        repeated = self.often[codes]
        self.counted["duplicate"] += int(repeated.sum())
        self.counted["format"] += int((several_forms & ~repeated).sum())
        return ~repeated & ~several_forms


def _followers(last: Flags) -> npt.NDArray[np.int64]:
    """How many flags are true in each stretch of true ones."""
    if not last.any():  # as nearly always, and differences of all would be much fresh memory
        return np.empty(0, dtype=np.int64)
    edges = np.flatnonzero(np.diff(last.astype(np.int8), prepend=0, append=0))
    return edges[1::2] - edges[::2]


def _refuse_repeated(again: npt.NDArray[np.int64], key: str, by_codes: bool) -> None:
    """A digest is of one row; where each code was, two values are written for one key."""
    if by_codes and len(again):
        raise UsageError(
            f"The key '{key}' has {int(again.sum()):,} values that become equal once trimmed and "
            "normalised (Unicode NFC).",
            "write each person's key in one way.",
        )
    refuse_repeated(again + 1, key)
