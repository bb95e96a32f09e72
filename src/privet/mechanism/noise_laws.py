"""Laws of noise as plain data: what is drawn, and what an attacker who knows it may work out.

`BellLaw` is the discrete law of relative noise; `NumberLaw` puts it on a grid between two ends.
`CategoryLaw` draws a category by leaf. `class_laws` next door has the closed forms of class noise;
the methods in `privet.noise` know which cells are drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InvalidParameter
from privet.mechanism.grids import Grid, Units
from privet.schema import Kind

Ends = Literal["reflect", "reflect-whole", "clamp", "wrap"]
ENDS: tuple[str, ...] = get_args(Ends)

# The words of settings: innocent numbers of the tree or off it, in which leaves; how numbers on a
# path move, and what their noise is a share of.
Which = Literal["tia", "lia", "both"]
Where = Literal["heterogeneous", "all"]
Influence = Literal["shuffle", "wrap", "reflect"]
Scale = Literal["value", "leaf"]

STANDARD_SD = 0.276
MOST_SD = 10.0
_SPREAD = 0.3046735606323464  # of the bell curve that has SD 0.276 on the grid of tenths
_TENTHS = np.arange(-6, 7) / 10.0


@dataclass(frozen=True)
class BellLaw:
    """Noise as a share of a value: mean 0, thirteen steps, the middle ones likeliest.

    At the standard deviation of 27.6 % the steps are 0, 10, .. 60 %; others scale the steps.
    """

    sd: float = STANDARD_SD

    def __post_init__(self) -> None:
        if not 0 < self.sd <= MOST_SD:
            raise InvalidParameter("The standard deviation of noise", "above 0, up to 10", self.sd)

    @cached_property
    def offsets(self) -> Floats:
        return np.asarray(_TENTHS * (self.sd / STANDARD_SD))

    @cached_property
    def shares(self) -> Floats:
        weights = np.exp(-0.5 * (_TENTHS / _SPREAD) ** 2)
        return np.asarray(weights / weights.sum())

    def draw(self, uniform: Floats) -> Floats:
        place = np.searchsorted(np.cumsum(self.shares)[:-1], uniform, side="right")
        return np.asarray(self.offsets[place])

    def to_data(self) -> dict[str, Any]:
        return {"sd": self.sd, "offsets": self.offsets.tolist(), "shares": self.shares.tolist()}


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """Noise on a grid: a value moves by a share of its `size`, rounded at random to whole steps,
    so that the mean stays, and what leaves the range `low..high` comes back by the rule `ends`.

    `size` None is the value itself (noise relative to it). Arrays for `size`, `low` and `high`
    give each value its own, as the leaves of a tree do.
    """

    grid: Grid
    bell: BellLaw
    low: int | Units = field(repr=False)  # the ends of a column are cells of it
    high: int | Units = field(repr=False)
    ends: Ends = "reflect"
    size: float | Floats | None = None  # in units

    def draw(self, units: Units, uniform: Floats, rounding: Floats) -> Units:
        """The released units, from two numbers in [0, 1) for each value."""
        move = self.bell.draw(uniform) * self._sizes(units)
        down = np.floor(move)
        steps = down.astype(np.int64) + (rounding < move - down)
        return folded(units + steps, self.low, self.high, self.ends)

    def _sizes(self, units: Units) -> Floats:
        return np.abs(units).astype(np.float64) if self.size is None else np.asarray(self.size)

    def outcomes(self, units: Units) -> tuple[Units, Floats]:
        """For each value its possible released units and their chances (26 of each)."""
        move = np.multiply.outer(
            np.broadcast_to(self._sizes(units), units.shape), self.bell.offsets
        )
        down = np.floor(move)
        above = move - down
        start = units[:, None] + down.astype(np.int64)
        low, high = (np.broadcast_to(end, units.shape)[:, None] for end in (self.low, self.high))
        found = [folded(start + more, low, high, self.ends) for more in (0, 1)]
        shares = [self.bell.shares * (1 - above), self.bell.shares * above]
        return np.concatenate(found, axis=1), np.concatenate(shares, axis=1)

    def law_of(self, unit: int) -> dict[int, float]:
        """The chance of each released unit for one value, the ends being single numbers."""
        reached, chances = self.outcomes(np.array([unit], dtype=np.int64))
        law: dict[int, float] = {}
        for to, chance in zip(reached[0].tolist(), chances[0].tolist(), strict=True):
            if chance > 0:
                law[to] = law.get(to, 0.0) + chance
        return law

    def moments(self, units: Units) -> tuple[Floats, Floats, Floats]:
        """For each value: the bias and the variance of what is released, and its chance to
        change, in units."""
        reached, chances = self.outcomes(units)
        moved = (reached - units[:, None]).astype(np.float64)
        bias = (chances * moved).sum(axis=1)
        variance = (chances * moved**2).sum(axis=1) - bias**2
        return bias, variance, (chances * (moved != 0)).sum(axis=1)

    def to_data(self) -> dict[str, Any]:
        """The law with single ends, for mechanism.json."""
        return {
            "law": "bell",
            "sd": self.bell.sd,
            "relative_to": "the value" if self.size is None else float(np.max(self.size)),
            "grid": self.grid.to_data(),
            "low": int(np.min(self.low)),
            "high": int(np.max(self.high)),
            "ends": self.ends,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], kind: Kind) -> "NumberLaw":
        """The law of a column of some kind, as mechanism.json states it."""
        relative = data["relative_to"]
        size = None if relative == "the value" else float(relative)
        grid, bell = Grid.from_data(data["grid"], kind), BellLaw(float(data["sd"]))
        return cls(grid, bell, int(data["low"]), int(data["high"]), data["ends"], size)


def folded(units: Units, low: int | Units, high: int | Units, ends: Ends) -> Units:
    """Units brought back into low..high."""
    if ends == "clamp":
        return np.clip(units, low, high)
    room = np.asarray(high, dtype=np.int64) - low + 1
    if ends == "wrap":
        return np.asarray(low + (units - low) % room)
    if ends == "reflect":  # each end is a mirror half a step outside
        period, turn = 2 * room, 2 * room - 1
    else:  # the end points are the mirrors
        period = np.maximum(2 * (room - 1), 1)
        turn = period
    place = np.asarray((units - low) % period)
    return np.asarray(low + np.where(place < room, place, turn - place))


# -- categories ----------------------------------------------------------------------------------


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
