"""Laws of numbers: a shape of noise on a column's grid, between two ends.

A value moves by whole steps; what leaves the range `low..high` comes back by the rule `ends`. The
chance of every released value for every original one is worked out here, for whoever knows
mechanism.json: an intruder, `privet verify`, the figures of the report. `shapes` next door has the
curves, `grids` the points.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privet.arrays import Floats
from privet.mechanism.grids import Grid, Units
from privet.mechanism.noise_laws import Ends
from privet.mechanism.shapes import Bars, Shape, Steps
from privet.schema import Kind

ROUNDED = 1 / 12  # what rounding to whole steps adds to a variance
_MOST_STEPS = 1 << 40  # of a size that is larger than its column; floats tell far more steps apart
_NOTHING = 1e-12  # a density that is only the rounding of its sum


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """Noise on a grid. The standard deviation is `sd` times `size`, in steps of the grid.

    `size` None is the value itself (noise relative to it). Arrays for `size`, `low` and `high`
    give each value its own, as the leaves of a tree do. With bars the noise is rounded to the
    nearest step, and stretched so that the deviation is what it should be; with the steps of the
    paper it is rounded up or down at random, which adds up to a quarter of a step squared to the
    variance.

    With a `mean`, values are first drawn towards it and the noise is scaled alike, so that a column
    of the deviation `size` keeps its variance; `correlated_laws` next door moves several so.
    """

    grid: Grid
    shape: Shape
    sd: float
    low: int | Units = field(repr=False)  # the ends of a column are cells of it
    high: int | Units = field(repr=False)
    ends: Ends = "reflect"
    size: float | Floats | None = None  # in units
    mean: float | None = None  # in units

    @property
    def is_too_wide(self) -> bool:
        """Whether noise goes round the column so often that floats would leave out grid points."""
        width = np.asarray(self.high) - np.asarray(self.low)
        return self.size is not None and bool(np.any(self.size > np.maximum(width, _MOST_STEPS)))

    @property
    def shrinkage(self) -> float:
        """What values keep of their distance from the mean."""
        return 1.0 if self.mean is None else 1 / math.sqrt(1 + self.sd**2)

    @property
    def has_room(self) -> bool:
        """Whether any grid point lies between the ends."""
        return bool(np.max(self.low) <= np.min(self.high))

    def centres(self, units: Units) -> Units | Floats:
        """For each value where the noise starts from."""
        if self.mean is None:
            return units
        return np.asarray(self.mean + self.shrinkage * (units - self.mean))

    def draw(
        self, units: Units, uniform: Floats, rounding: Floats, spreads: Floats | None = None
    ) -> Units:
        """The released units, from two numbers in [0, 1) for each value. `spreads` are those of
        the units, if they are known."""
        if isinstance(self.shape, Bars):
            by = self.spreads(units) if spreads is None else spreads
            noise = self.shape.draw(uniform, rounding) * by
            if self.mean is not None:
                moved = np.floor(self.centres(units) + noise + 0.5).astype(np.int64)
                return folded(moved, self.low, self.high, self.ends)
            steps = np.floor(noise + 0.5).astype(np.int64)
        else:
            move = self.shape.draw(uniform) * self._deviations(units)
            down = np.floor(move)
            steps = down.astype(np.int64) + (rounding < move - down)
        return folded(units + steps, self.low, self.high, self.ends)

    def _deviations(self, units: Units) -> Floats:
        size = np.abs(units).astype(np.float64) if self.size is None else np.asarray(self.size)
        return np.asarray(np.broadcast_to(self.shrinkage * self.sd * size, units.shape))

    def spreads(self, units: Units) -> Floats:
        """How many steps a shape with standard deviation 1 is stretched to, for each value."""
        deviations = self._deviations(units)
        if not isinstance(self.shape, Bars):
            return deviations
        if self.mean is not None:  # from between two points, rounding adds 1/12 to the variance
            return np.asarray(np.sqrt(np.maximum(deviations**2 - ROUNDED, 0.0)))
        return self.shape.spreads(deviations)

    def chances(self, units: Units, released: Units) -> Floats:
        """The chance that a value (rows) is released as another (columns)."""
        low, high = (np.broadcast_to(end, units.shape)[:, None] for end in (self.low, self.high))
        if isinstance(self.shape, Bars):
            by, start = self.spreads(units)[:, None], self.centres(units)[:, None]
            return _covered_by(self.shape, by, start, released, low, high, self.ends)
        reached, shares = self._outcomes(units)
        found = np.zeros((len(units), len(released)))
        for place in range(shares.shape[1]):
            found += shares[:, place, None] * (reached[:, place, None] == released)
        return found

    def stays(self, units: Units) -> Floats:
        """For each value the chance that it does not change."""
        if isinstance(self.shape, Bars):
            low, high = (np.broadcast_to(end, units.shape) for end in (self.low, self.high))
            by, start = self.spreads(units), self.centres(units)
            return _covered_by(self.shape, by, start, units, low, high, self.ends)
        reached, shares = self._outcomes(units)
        return np.asarray((shares * (reached == units[:, None])).sum(axis=1))

    def _outcomes(self, units: Units) -> tuple[Units, Floats]:
        """The 26 released units that the steps of the paper can lead to, and their chances."""
        assert isinstance(self.shape, Steps)
        move = np.multiply.outer(self._deviations(units), self.shape.offsets)
        down = np.floor(move)
        above = move - down
        start = units[:, None] + down.astype(np.int64)
        low, high = (np.broadcast_to(end, units.shape)[:, None] for end in (self.low, self.high))
        found = [folded(start + more, low, high, self.ends) for more in (0, 1)]
        shares = [self.shape.shares * (1 - above), self.shape.shares * above]
        return np.concatenate(found, axis=1), np.concatenate(shares, axis=1)

    def law_of(self, unit: int) -> dict[int, float]:
        """The chance of each released unit for one value, the ends being single numbers."""
        every = np.arange(int(np.max(self.low)), int(np.min(self.high)) + 1)
        chances = self.chances(np.array([unit], dtype=np.int64), every)[0]
        return {to: p for to, p in zip(every.tolist(), chances.tolist(), strict=True) if p > 0}

    def bias(self, units: Units) -> Floats:
        """For each value how far the mean of what is released lies from it, in units."""
        low, high = (np.broadcast_to(end, units.shape) for end in (self.low, self.high))
        if isinstance(self.shape, Steps):
            reached, shares = self._outcomes(units)
            return np.asarray((shares * (reached - units[:, None])).sum(axis=1))
        # Seen from the nearer end, sums stay small; the curve is the same from both sides.
        start = self.centres(units)
        place, room = start - low, (high - low + 1).astype(np.float64)
        is_upper = 2 * place > room - 1
        place = np.where(is_upper, high - start, place).astype(np.float64)
        by = self.spreads(units)
        reach = by * self.shape.edges[-1]
        near = (place < reach) & (reach > 0.5) if self.mean is None else by > 0
        found = np.where(by > 0, 0.0, np.floor(place + 0.5) - place)  # between points it is rounded
        place, by, room = place[near], by[near], room[near]
        for edge, fall in zip(self.shape.edges, self.shape.falls, strict=True):
            found[near] += fall * _integral(place + 0.5 + edge * by, room, self.ends)
        found[near] = found[near] / by - place
        return np.asarray(np.where(is_upper, -found, found) + (start - units))

    def to_data(self) -> dict[str, Any]:
        """The law with single ends, for mechanism.json; the shape is told beside."""
        return {
            "sd": self.sd,
            "relative_to": "the value" if self.size is None else float(np.max(self.size)),
            "grid": self.grid.to_data(),
            "low": int(np.min(self.low)),
            "high": int(np.max(self.high)),
            "ends": self.ends,
            **({} if self.mean is None else {"mean": self.mean}),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], shape: Shape, kind: Kind) -> "NumberLaw":
        """The law of a column of some kind, as mechanism.json states it."""
        relative = data["relative_to"]
        size = None if relative == "the value" else float(relative)
        mean = float(data["mean"]) if "mean" in data else None
        grid, ends = Grid.from_data(data["grid"], kind), (int(data["low"]), int(data["high"]))
        return cls(grid, shape, float(data["sd"]), *ends, data["ends"], size, mean)


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


def _covered_by(
    shape: Bars,
    by: Floats,
    units: Units | Floats,
    released: Units,
    low: Units,
    high: Units,
    ends: Ends,
) -> Floats:
    """The chance of each released unit: what a shape stretched `by` so much puts on it."""
    nearest = np.floor(units + 0.5)
    moves = by * shape.edges[-1] > 0.5 - np.abs(units - nearest)  # less is rounded back
    stretch = np.where(moves, by, 1.0)
    found = np.zeros(np.broadcast_shapes(by.shape, units.shape, released.shape))
    for edge, fall in zip(shape.edges, shape.falls, strict=True):
        start = units + 0.5 + edge * stretch - low
        found += fall * _covered(start, released - low, high - low + 1, ends)
    found[found < _NOTHING] = 0.0
    still = folded(nearest.astype(np.int64), low, high, ends) == released
    found = np.where(moves, np.minimum(found / stretch, 1.0), still)
    return np.asarray(found * ((released >= low) & (released <= high)))


def _covered(start: Floats, place: Units, room: Units, ends: Ends) -> Floats:
    """How much of the line up to `start` is folded onto a place 0..room-1, up to a constant that
    is the same for every start."""
    if ends == "clamp":
        upto = start - place
        return np.asarray(
            np.where(place > 0, np.maximum(upto, 0.0), upto)
            - np.where(place < room - 1, np.maximum(upto - 1, 0.0), 0.0)
        )
    if ends == "wrap":
        return _on_residue(start, place, room)
    if ends == "reflect":
        period = 2 * room
        return _on_residue(start, place, period) + _on_residue(start, period - 1 - place, period)
    period = np.maximum(2 * (room - 1), 1)
    other = (period - place) % period
    return _on_residue(start, place, period) + np.where(
        other != place, _on_residue(start, other, period), 0.0
    )


def _on_residue(start: Floats, residue: Units, period: Units) -> Floats:
    """How much of the line up to `start` lies in the unit intervals of a residue."""
    upto = start - residue
    times = np.floor(upto / period)
    return np.asarray(times + np.minimum(upto - times * period, 1.0))


def _integral(start: Floats, room: Floats, ends: Ends) -> Floats:
    """The sum of the places 0..room-1 that the line from 0 to `start` is folded onto."""
    if ends == "clamp":
        inside = np.clip(start, 0.0, room)
        whole = np.minimum(np.floor(inside), room - 1)
        area = whole * (whole - 1) / 2 + (inside - whole) * whole
        return np.asarray(area + np.maximum(start - room, 0.0) * (room - 1))
    if ends == "wrap":
        period = room
    else:
        period = 2 * room if ends == "reflect" else np.maximum(2 * (room - 1), 1.0)
    times = np.floor(start / period)
    rest = start - times * period
    whole = np.floor(rest)
    turn = period - 1 if ends == "reflect" else period
    here = np.where(whole < room, whole, turn - whole)
    up = np.minimum(whole, room)  # places on the way up, and then on the way down
    below = up * (up - 1) / 2 + (whole - up) * (turn - room) - _triangle(whole - up)
    return np.asarray(times * _one_period(room, ends) + below + (rest - whole) * here)


def _triangle(count: Floats) -> Floats:
    return np.asarray(count * (count - 1) / 2)


def _one_period(room: Floats, ends: Ends) -> Floats:
    if ends == "wrap":
        return np.asarray(room * (room - 1) / 2)
    return np.asarray(room * (room - 1) if ends == "reflect" else (room - 1) ** 2)
