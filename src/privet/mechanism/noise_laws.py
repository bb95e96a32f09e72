"""Laws of noise as plain data: what is drawn, and what an attacker who knows it may work out.

Here are the words of the settings and `CategoryLaw`, which draws a category by leaf. Next door are
`number_laws` (numbers on their grids), `shapes` (the curves that they move by) and `class_laws`
(the closed forms of class noise); the methods in `privet.noise` know which cells are drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter, param
from privet.mechanism.class_laws import largest_log_ratio

Ends = Literal["reflect", "reflect-whole", "clamp", "wrap"]
ENDS: tuple[str, ...] = get_args(Ends)

# The words of settings: innocent numbers of the tree or off it, in which leaves; how numbers on a
# path move, and what their noise is a share of.
Which = Literal["tia", "lia", "both"]
Where = Literal["heterogeneous", "all"]
Influence = Literal["shuffle", "wrap", "reflect"]
Scale = Literal["value", "column", "leaf"]
RelativeTo = Literal["value", "column"]

STANDARD_SD = 0.276
MOST_SD = 10.0


@dataclass(frozen=True, eq=False)
class CategoryLaw:
    """A category drawn by leaf. `counts[leaf, value]` are the original counts, `drawn[leaf, value]`
    the chances of the draw; a record takes part with the rate `participation`, and with chance
    `random_value` gets any other value of the domain instead."""

    counts: npt.NDArray[np.int64]
    drawn: Floats
    participation: float = 1.0
    random_value: float = 0.0

    @cached_property
    def records(self) -> npt.NDArray[np.int64]:
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """The original shares in each leaf: what is known of a record's value, whatever is
        released for it, to one who knows its leaf (at full participation)."""
        return np.asarray(self.counts / np.maximum(self.records, 1)[:, None])

    def transition(self, leaf: int) -> Floats:
        """The chance of each released value (columns) for each original value (rows)."""
        values = self.drawn.shape[1]
        same = np.eye(values)
        v = self.random_value if values > 1 else 0.0
        others = (1 - same) / max(values - 1, 1)
        takes_part = (1 - v) * self.drawn[leaf][None, :] + v * others
        return np.asarray((1 - self.participation) * same + self.participation * takes_part)

    def posterior(self, leaf: int) -> Floats:
        """The chance of each original value (columns) given the released one (rows)."""
        joint = self.shares[leaf][:, None] * self.transition(leaf)
        total = joint.sum(axis=0)
        shares = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        return np.asarray(shares.T)

    @property
    def epsilon(self) -> float | None:
        """How far a released value can tell original ones apart, at most, where it is drawn and to
        one who knows the trees and their laws; None where no bound holds."""
        return largest_log_ratio([self.transition(leaf) for leaf in range(len(self.drawn))])

    @cached_property
    def changed_by_leaf(self) -> Floats:
        """The expected share of changed values in each leaf."""
        v = self.random_value if self.drawn.shape[1] > 1 else 0.0
        redrawn = 1 - (self.shares * self.drawn).sum(axis=1)
        return np.asarray(self.participation * ((1 - v) * redrawn + v))

    @property
    def changed(self) -> float:
        """The expected share of changed values of the column."""
        return float(self.changed_by_leaf @ self.records / max(int(self.records.sum()), 1))

    def draw(
        self,
        leaf: npt.NDArray[Any],
        codes: npt.NDArray[Any],
        uniform: Sequence[Floats],
        instead: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[np.int64]:
        """A value for each record, from four numbers in [0, 1) each: the draw, the participation,
        the random value, which one. `instead` are draws made elsewhere (exact permutations)."""
        value: npt.NDArray[Any]
        value = draw_by_group(self.drawn, leaf, uniform[0]) if instead is None else instead
        if self.random_value > 0 and self.drawn.shape[1] > 1:
            others = self.drawn.shape[1] - 1
            other = np.minimum((uniform[3] * others).astype(np.int64), others - 1)
            other += other >= codes
            value = np.where(uniform[2] < self.random_value, other, value)
        if self.participation < 1:
            value = np.where(uniform[1] < self.participation, value, codes)
        return value.astype(np.int64)

    def to_data(self, leaves: Sequence[int]) -> dict[str, Any]:
        return {
            "participation": self.participation,
            "random_value": self.random_value,
            "by_leaf": {
                str(leaf): [float(share) for share in row]
                for leaf, row in zip(leaves, self.drawn, strict=True)
            },
        }


def draw_by_group(
    shares: Floats, group: npt.NDArray[Any], uniform: Floats
) -> npt.NDArray[np.int64]:
    """A column number for each record, by the shares in its group's row. A share of 0 is never
    drawn, one of 1 always."""
    groups, width = shares.shape
    ends = np.cumsum(shares, axis=1)
    last = width - 1 - np.argmax(shares[:, ::-1] > 0, axis=1)
    ends[np.arange(width)[None, :] >= last[:, None]] = 1.0
    # Group g owns the interval [g, g + 1), so that one search serves all groups.
    row_ends = (np.minimum(ends, 1.0) + np.arange(groups)[:, None]).ravel()
    start = group.astype(np.int64)
    found = np.searchsorted(row_ends, uniform + start, side="right") - start * width
    return np.asarray(np.minimum(found, last[start]))


def refuse_deviation(sd: float, name: str) -> None:
    """Refuse a standard deviation that noise cannot have; it is that of a parameter."""
    if not 0 < sd <= MOST_SD:
        what = f"The standard deviation of noise ({param(name)})"
        raise InvalidParameter(what, "above 0, up to 10", sd)
