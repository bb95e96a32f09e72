"""Columns with very many values, which a database counts in runs of neighbouring values.

To fetch the counts of each value of such a column at each node would be to fetch the table. So the
records of a node are counted in runs first, and the best cut between runs is found as any other.
Whatever cut comes inside of a run, the weights on its left lie between those at the run's two ends.
So what it gains is bounded, and only runs that may hold a better cut, or an equal one, are asked
for in shorter runs, down to single values. All runs beside a cut that may be the best become single
values, so its threshold is known; it is the cut that the counts of all values would have led to.
`grow` asks; an engine in memory has its counts at hand and is asked for all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.engine import SqlEngine
from privet.engine.protocol import Between, CountSource, Path, Region, Response, RunTally, Tally
from privet.engine.sql_units import MOST as MOST_GUARDED
from privet.engine.sql_units import Fillings, fillings
from privet.tree.candidates import all_separable
from privet.tree.choose import NEAR, Choice
from privet.tree.guard import Guard
from privet.tree.guarded_runs import GuardedRuns
from privet.tree.impurity import Approximate, ImpurityRule, Weights

LONG = 1 << 16  # values of a column, and records of a node: up to here all counts are fetched
RUNS = 1 << 13  # of a column, asked for at once
MOST_CLASSES = 6  # the ways to part them are tried one by one

_MORE_THAN_ANY = Fraction(10) ** 300  # score: sums have 64 bits

BestOf = Callable[[Weights, Mapping[str, Tally], Path], Choice | None]


class LongColumns:
    """The tallies of the attributes of a tree, and the best split of each of its nodes."""

    def __init__(
        self,
        engine: CountSource,
        attributes: Sequence[str],
        by_runs: Sequence[str],
        counted: str | Response,
        rule: ImpurityRule,
        min_leaf: int,
        least: Fraction,
        guard: Guard | None,
    ) -> None:
        """`by_runs`: the attributes of which nothing is asked but the best split."""
        self._engine = engine
        self._guard = guard
        self._attributes = attributes
        self._counted = counted
        self._rule = rule
        self._min_leaf = min_leaf
        self._least_score = float(min(least, _MORE_THAN_ANY)) * (1 - NEAR)
        few = isinstance(counted, Response) or engine.domain(counted).size <= MOST_CLASSES
        fits = few and isinstance(engine, SqlEngine)
        known = [name for name in by_runs if not self._is_guarded(name) or _is_followed(guard)]
        domains = {name: engine.domain(name) for name in known if fits}
        self._sizes = {
            name: domain.size
            for name, domain in domains.items()
            if domain.size > LONG and domain.kind.is_ordered and all_separable(domain)
        }

    def tally(
        self, regions: Sequence[Path], records: Sequence[int], beside: Sequence[Region] = ()
    ) -> list[dict[str, Tally]]:
        """The counts of all attributes in regions that have so many records."""
        long = [place for place, n in enumerate(records) if n > LONG]
        lengths = self._lengths([regions[place] for place in long])
        if not lengths:
            return self._engine.tally(self._attributes, regions, self._counted, beside)
        assert isinstance(self._engine, SqlEngine)
        short = [place for place in range(len(regions)) if place not in long]
        found: dict[int, dict[str, Tally]] = {}
        for places, asked in ((long, lengths), (short, {})):
            if places:
                some = [regions[place] for place in places]
                tallies = self._engine.tally(self._attributes, some, self._counted, lengths=asked)
                found.update(zip(places, tallies, strict=True))
        return [found[place] for place in range(len(regions))]

    def best(
        self, weights: Weights, tallies: Mapping[str, Tally], region: Path, best_of: BestOf
    ) -> Choice | None:
        """The best split of a node, which `best_of` finds among those that the tallies show."""
        choice = best_of(weights, tallies, region)
        while finer := self._finer(choice, weights, tallies, region):
            tallies = {**tallies, **finer}
            choice = best_of(weights, tallies, region)
        return choice

    def _lengths(self, regions: Sequence[Path]) -> dict[str, int]:
        """How long the runs of each long column are, so that they are few."""
        lengths = {}
        for name, size in self._sizes.items():
            values = max((_values_within(region, name, size) for region in regions), default=0)
            if values > LONG:
                lengths[name] = _power_of_two(values / RUNS)
        return lengths

    def _finer(
        self,
        choice: Choice | None,
        weights: Weights,
        tallies: Mapping[str, Tally],
        region: Path,
    ) -> dict[str, Tally]:
        """The tallies of columns with runs that may hold what is better than a choice, or as good,
        with these runs cut."""
        floor = self._least_score
        if choice is not None:
            floor = choice.score - choice.error - NEAR * abs(choice.score)
        whole, found = np.array(weights, dtype=np.int64), dict[str, Tally]()
        unlinked: dict[str, float] = {}
        for name, tally in tallies.items():
            if not isinstance(tally, RunTally):
                continue
            highest = self._highest(tally.weights, whole)
            if self._is_guarded(name) and not isinstance(tally, GuardedRuns):
                unlinked[name] = float(highest.max(initial=-np.inf))
                continue
            rivals = (tally.lengths > 1) & (highest >= floor)
            if isinstance(tally, GuardedRuns):
                rivals &= tally.may_be_cut(self._least_together)
            if rivals.any():
                found[name] = self._cut(name, region, tally, rivals)
        # of guarded columns the most promising one first: others may be behind it then
        name = max(unlinked, key=unlinked.__getitem__, default="")
        if not unlinked or unlinked[name] < floor:
            return found
        return {name: self._linked(name, region, tallies[name], whole)}

    def _cut(self, name: str, region: Path, tally: RunTally, rivals: Booleans) -> RunTally:
        """The longest of some runs in shorter ones."""
        assert isinstance(self._engine, SqlEngine)
        length = int(tally.lengths[rivals].max())
        those = rivals & (tally.lengths == length)
        shorter = min(length // 2, _power_of_two(length * int(those.sum()) / RUNS))
        asked = self._counted, tally, those, shorter
        finer = self._engine.finer(name, region, *asked)
        if not isinstance(tally, GuardedRuns):
            return finer
        only = length, tally.codes[those] // length
        return tally.with_finer(finer, self._fillings(name, region, finer, shorter, only))

    def _linked(self, name: str, region: Path, tally: Tally, whole: Integers) -> GuardedRuns:
        """Runs of a guarded column with what is known of its units."""
        assert isinstance(tally, RunTally)
        found = self._fillings(name, region, tally, int(tally.lengths[0]))
        return GuardedRuns.linked(tally, found, int(self._rule.records(whole[None, :])[0]))

    def _fillings(
        self,
        name: str,
        region: Path,
        runs: RunTally,
        length: int,
        only: tuple[int, Integers] | None = None,
    ) -> Fillings:
        """What the runs of a length do to units; single values need not be asked for."""
        assert isinstance(self._engine, SqlEngine)
        if length > 1:
            return fillings(self._engine, name, region, length, self._least_together, only)
        missing = self._engine.domain(name).missing_code
        single = runs.lengths == 1
        if missing is not None:
            single &= runs.codes != missing
        records = self._rule.records(runs.weights[single])
        return Fillings.of_values(runs.codes[single], records, self._least_together)

    def _is_guarded(self, name: str) -> bool:
        return self._guard is not None and self._guard.covers(name)

    @property
    def _least_together(self) -> int:
        assert self._guard is not None
        return self._guard.least

    def _highest(self, weights: Integers, whole: Integers) -> Floats:
        responses = self._counted.units if isinstance(self._counted, Response) else None
        return highest_inside(weights, whole, self._rule, self._min_leaf, responses)


def highest_inside(
    weights: Integers,
    whole: Integers,
    rule: ImpurityRule,
    min_leaf: int,
    responses: Integers | None = None,
) -> Floats:
    """For each run a number that no score of a cut inside it, or at one of its ends, is above;
    minus infinity where no cut leaves `min_leaf` records on each side.

    `weights` are those of runs in order, `whole` is their sum. With sums of a response, `responses`
    are the values that it may have in a record.
    """
    before = np.cumsum(weights, axis=0) - weights
    if responses is None:
        telling = rule.telling(whole)
        moved = _parts_of_classes(weights[:, telling])
        before, whole = before[:, telling], whole[telling]
    else:
        moved = _extreme_sums(weights, int(responses.min()), int(responses.max()))
    n = int(rule.records(whole[None, :])[0])
    start, records = rule.records(before), rule.records(weights)
    low, high = np.maximum(start, min_leaf), np.minimum(start + records, n - min_leaf)
    legal = low <= high
    gains, error = np.full(len(weights), -np.inf), 0.0
    for part in moved:  # a convex function is highest at a corner
        left = before + part
        found = rule.gains([left, whole - left], whole)
        gains, error = np.maximum(gains, found.scores), max(error, found.error)
    # the information of a cut is least at one end of where it may be
    scores = np.full(len(weights), -np.inf)
    for at in (low[legal], high[legal]):
        sizes = [at.astype(np.float64), (n - at).astype(np.float64)]
        found = rule.valued(Approximate(gains[legal], error), sizes)
        scores[legal] = np.maximum(scores[legal], found.scores + found.error)
    return scores


def _parts_of_classes(weights: Integers) -> list[Integers]:
    """The records of each run that a cut can have on its left at most, if only some classes come
    before it: all records of these and none of others."""
    ways = product((0, 1), repeat=weights.shape[1])
    return [weights * np.array(way, dtype=np.int64) for way in ways]


def _extreme_sums(weights: Integers, lowest: int, highest: int) -> list[Integers]:
    """The same for sums: records of a run, and the most and the least that so many can add up to
    where all responses lie between two numbers and those of the run add up to its sum.

    The most that m records add up to rises by `highest` with each as long as the others can do
    with `lowest`, and by `lowest` from then on; so its corners are at two numbers of records.
    """
    n, total = weights[:, 0], weights[:, 1]
    found = [np.zeros_like(weights), weights]
    for most, least in ((highest, lowest), (lowest, highest)):
        turn = (total - n * least) // (most - least or 1)
        after = np.minimum(turn + 1, n)
        found.append(np.stack([turn, turn * most], axis=1))
        found.append(np.stack([after, total - (n - after) * least], axis=1))
    return found


def _is_followed(guard: Guard | None) -> bool:
    """Whether the units of a guard can be followed from run to run: few records, no people."""
    return guard is not None and guard.person is None and guard.least <= MOST_GUARDED


def _values_within(region: Region, name: str, size: int) -> int:
    """How many values of a column a region lets through."""
    low, high = 0, size - 1
    for condition in region:
        if isinstance(condition, Between) and condition.column == name:
            low, high = max(low, condition.low), min(high, condition.high)
    return high - low + 1


def _power_of_two(least: float) -> int:
    """The smallest power of two that is not below a number."""
    length = 1
    while length < least:
        length *= 2
    return length
