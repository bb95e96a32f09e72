"""The constraint solver's drafts at a column: OR-tools CP-SAT.

One integer variable for each atom: the place of a value in an alphabet (R), or a whole number of
units of the column (Z: no alphabet; Zwide: the range widened by a quarter on each side). Paths and
thresholds are stated at once. Gains are stated lazily: each solution is checked exactly, and every
candidate that wins where it must not becomes a clause, "not all of these below all of those".

One worker, a fixed seed, limits in deterministic time and in conflicts: the same task has the same
outcome on every machine with the same version of OR-tools. Conflicts are limited because bounds of
wide columns may creep by one unit after another, which deterministic time hardly counts. Wall time
is a backstop only; the `Solver` remembers if it was ever needed, so that it can be told.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor
from threading import Thread
from time import monotonic
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_column.number_cells import Numbers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import NodeSeen, Violation
from privet.preserve.by_leaf.new_values import keeps_threshold
from privet.table import Domain

TIME_LIMIT = 0.3  # deterministic seconds for one draft, all its rounds together
MOST_ROUNDS = 80
MOST_CONFLICTS = 1000  # of one draft; drafts that succeeded on public tables had up to 170
BACKSTOP = 30.0  # seconds of wall time for one draft
MOST_ATOMS = 200  # beyond, building clauses takes longer than it is worth
_MOST_DROPPED = 9  # atoms left out of a clause
_MOST_UNITS = 2**50
_LARGEST = 2**60  # beyond, sums leave the solver's 64 bits

Solution = tuple[str, Domain, Integers]


class Solver:
    """The solver at work on the columns of one table.

    `patience` limits the rounds that it may spend in vain, all drafts together, and no draft gets
    more than a third of it: what can be found is mostly found within a few rounds.
    """

    def __init__(self, backstop: float = BACKSTOP, patience: int | None = None) -> None:
        self.backstop = backstop
        self.patience = patience
        self.rounds_in_vain = 0
        self.stopped_by_clock = False  # then another run may find what this one did not

    def solutions(
        self, task: ColumnTask, atoms: Atoms, alphabet: Domain, form: Form, complete: bool
    ) -> Iterator[Solution]:
        """What the solver finds, draft after draft; each is only made if it is asked for."""
        growers = [tree.grower for tree in task.leaf_counts.trees]
        if len(atoms) > MOST_ATOMS or any(grower.categories != "subset" for grower in growers):
            return
        yield from self._solved("solver R", _Ranks(task, atoms, form, alphabet, complete))
        if task.ordered:
            for unit in _units(task):
                for by, widened in (("solver Z", Fraction(0)), ("solver Zwide", Fraction(1, 4))):
                    yield from self._solved(by, _Whole(task, atoms, form, unit, widened))

    def _solved(self, by: str, model: "_Model") -> Iterator[Solution]:
        deadline = monotonic() + self.backstop
        rounds = MOST_ROUNDS
        if self.patience is not None:
            rounds = min(rounds, self.patience // 3, self.patience - self.rounds_in_vain)
        found = model.solve(deadline, rounds)
        self.stopped_by_clock |= found is None and monotonic() >= deadline
        if found is None:
            self.rounds_in_vain += model.rounds
        else:
            yield by, *found


def _units(task: ColumnTask) -> list[Fraction]:
    """Units in which every doubled threshold is (about) whole: 1, or digits, or a power of two."""
    if task.domain.kind.is_integral:
        return [Fraction(1)]
    if len(task.domain.values) == 0:
        return []
    gaps = task.leaf_counts.gaps(task.column)
    digits = Numbers(task.domain.values, task.leaf_counts.records(task.column), gaps).digits
    span = Fraction(task.domain.values[-1].item()) - Fraction(task.domain.values[0].item())
    doubled = [2 * Fraction(gap.threshold) for gap in gaps]
    units = [Fraction(1, 10**digits)]
    denominator = max((d.denominator for d in doubled), default=1)
    units.append(Fraction(1, denominator))
    fits = [
        unit
        for unit in dict.fromkeys(units)
        if span / unit <= _MOST_UNITS
        and all(abs(d / unit - round(d / unit)) <= Fraction(1, 1000) for d in doubled)
    ]
    return fits[:1]


def _solve_stoppably(solver: Any, model: Any) -> Any:
    """Solve in a thread of its own: while it runs, signals reach the one that waits for it."""
    solver.parameters.catch_sigint_signal = False  # it would take Ctrl-C for itself
    outcome: list[Any] = []
    thread = Thread(target=lambda: outcome.append(solver.Solve(model)), daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        solver.StopSearch()
        thread.join()
        raise
    return outcome[0]


class _Model(ABC):
    """Variables, clauses and the loop of solving and checking; subclasses say what values are."""

    categories = False

    def __init__(self, task: ColumnTask, atoms: Atoms, form: Form) -> None:
        from ortools.sat.python import cp_model

        self.cp: Any = cp_model
        self.task, self.atoms, self.form = task, atoms, form
        self.model: Any = cp_model.CpModel()
        self.variables: list[Any] = []
        self.ends: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._literals: dict[tuple[int, int], Any] = {}
        self.rounds = 0  # of solving and checking

    @abstractmethod
    def decode(self, numbers: Sequence[int]) -> tuple[Domain, Integers]:
        """The solver's numbers as values of a domain and a code for each atom."""

    def solve(self, deadline: float, most_rounds: int) -> tuple[Domain, Integers] | None:
        """Values without a fault, or None; `deadline` is a backstop in wall time."""
        if len(self.variables) < len(self.atoms):
            return None
        solver = self.cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        # small models, solved many times: relaxations and probing cost more than they save
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_probing_level = 0
        left, conflicts = TIME_LIMIT, MOST_CONFLICTS
        while self.rounds < most_rounds:
            self.rounds += 1
            solver.parameters.max_time_in_seconds = max(0.0, deadline - monotonic())
            solver.parameters.max_deterministic_time = left
            solver.parameters.max_number_of_conflicts = conflicts
            status = _solve_stoppably(solver, self.model)
            if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
                return None
            left -= solver.ResponseProto().deterministic_time
            conflicts -= solver.NumConflicts()
            domain, codes = self.decode([solver.Value(v) for v in self.variables])
            if not self.task.allowed(self.atoms, domain)[np.arange(len(codes)), codes].all():
                return None
            wrong = [
                v
                for v in self.task.violations(self.atoms, domain, codes)
                if not (v.tie and self.form == "index")
            ]
            if not wrong:
                return domain, codes
            if left <= 0 or not all(self._forbid(v, solver) for v in wrong):
                return None
        return None

    # -- clauses -----------------------------------------------------------------------------------

    def _threshold(self, seen: NodeSeen) -> tuple[Any, Any]:
        """The largest value on the left and the smallest on the right of an own node."""
        sides = []
        for number in (0, 1):
            below = np.flatnonzero(np.isin(self.atoms.group, seen.sides[number])).tolist()
            end = self.model.NewIntVar(self.low, self.high, "")
            variables = [self.variables[a] for a in below]
            add = self.model.AddMaxEquality if number == 0 else self.model.AddMinEquality
            add(end, variables)
            sides.append(end)
        self.ends[seen.tree, seen.node.id] = (sides[0], sides[1])
        return sides[0], sides[1]

    low: int
    high: int

    def _forbid(self, violation: Violation, solver: Any) -> bool:
        """Exclude a candidate that wins; False if that cannot be said here."""
        if not len(violation.left):
            ends = self.ends.get((violation.seen.tree, violation.seen.node.id))
            if ends is None:
                return False
            pair = tuple(solver.Value(end) for end in ends)
            self.model.AddForbiddenAssignments(list(ends), [pair])
            return True
        left, right = self._strengthened(violation)
        self.model.AddBoolOr([self._meets(a, b) for a in left for b in right])
        return True

    def _meets(self, a: int, b: int) -> Any:
        """A literal that no cut can have a on its left and b on its right."""
        key = (min(a, b), max(a, b)) if self.categories else (a, b)
        if key not in self._literals:
            literal = self.model.NewBoolVar("")
            one, two = self.variables[key[0]], self.variables[key[1]]
            rule = one == two if self.categories else one >= two
            self.model.Add(rule).OnlyEnforceIf(literal)
            self._literals[key] = literal
        return self._literals[key]

    def _strengthened(self, violation: Violation) -> tuple[list[int], list[int]]:
        """Leave out atoms, smallest first, while the cut wins wherever they are put."""
        seen = violation.seen
        sides = dict.fromkeys(violation.left.tolist(), 0)
        sides |= dict.fromkeys(violation.right.tolist(), 1)
        dropped: list[int] = []
        for atom in sorted(sides, key=lambda a: (int(self.atoms.records[a]), a)):
            if len(dropped) == _MOST_DROPPED:
                break
            rest = {a: s for a, s in sides.items() if a not in dropped and a != atom}
            if len(set(rest.values())) < 2 or self._covers_chosen(seen, rest):
                continue
            if self._wins_anyhow(seen, rest, [*dropped, atom]):
                dropped.append(atom)
        kept = [(a, s) for a, s in sides.items() if a not in dropped]
        return [a for a, s in kept if s == 0], [a for a, s in kept if s == 1]

    def _covers_chosen(self, seen: NodeSeen, sides: dict[int, int]) -> bool:
        if not seen.own:
            return False
        left_groups = set(seen.sides[0].tolist())
        agree = [(int(self.atoms.group[a]) in left_groups) == (s == 0) for a, s in sides.items()]
        return all(agree) or (self.categories and not any(agree))

    def _wins_anyhow(self, seen: NodeSeen, sides: dict[int, int], free: list[int]) -> bool:
        weights = self.atoms.weights
        placements = (np.arange(2 ** len(free))[:, None] >> np.arange(len(free))) & 1
        fixed = weights[[a for a, s in sides.items() if s == 0]].sum(axis=0)
        left = fixed + (1 - placements) @ weights[free]
        parent = np.array(seen.node.weights, dtype=np.int64)
        children = [left, parent - left]
        records = np.minimum(*(self.task.records_of(child) for child in children))
        kept_split = min(seen.kept_splits, key=lambda o: o.score)
        found = kept_split.rule.approximate(children, parent)
        slack = kept_split.slack(kept_split.score, found.error)
        floor_ = kept_split.score + (slack if self.form == "index" else -slack)
        least = self.task.leaf_counts.trees[seen.tree].grower.min_leaf
        return bool(((found.scores > floor_) & (records >= least)).all())


class _Ranks(_Model):
    """Values of an alphabet, by their places."""

    def __init__(
        self, task: ColumnTask, atoms: Atoms, form: Form, domain: Domain, complete: bool
    ) -> None:
        super().__init__(task, atoms, form)
        self.domain = domain
        rank = task.rank(domain)
        self.order = np.arange(domain.size) if rank is None else np.argsort(rank)
        self.categories = not task.ordered and rank is None
        place = np.argsort(self.order)
        self.low, self.high = 0, domain.size - 1
        for row in task.allowed(atoms, domain):
            places = sorted(place[np.flatnonzero(row)].tolist())
            if not places:
                return
            values = self.cp.Domain.FromValues(places)
            self.variables.append(self.model.NewIntVarFromDomain(values, ""))
        for seen in task.own:
            if task.ordered and seen.threshold is not None:
                self._keep_threshold(seen)
            elif not task.ordered and complete:
                self._carry_all(seen, place)

    def _keep_threshold(self, seen: NodeSeen) -> None:
        values = self.domain.values.tolist()
        pairs = [
            (a, b)
            for a in range(len(values))
            for b in range(a + 1, len(values))
            if keeps_threshold(self.task, seen, values[a], values[b])
        ]
        self.model.AddAllowedAssignments(list(self._threshold(seen)), pairs)

    def _carry_all(self, seen: NodeSeen, place: Integers) -> None:
        for number, side in enumerate(seen.sides):
            below = np.flatnonzero(np.isin(self.atoms.group, side)).tolist()
            for code in np.flatnonzero(self.task.side(seen, number, self.domain)).tolist():
                carried = []
                for atom in below:
                    literal = self.model.NewBoolVar("")
                    carries = self.variables[atom] == int(place[code])
                    self.model.Add(carries).OnlyEnforceIf(literal)
                    carried.append(literal)
                self.model.AddBoolOr(carried)

    def decode(self, numbers: Sequence[int]) -> tuple[Domain, Integers]:
        return self.domain, self.order[np.array(numbers, dtype=np.int64)]


class _Whole(_Model):
    """Whole numbers of units; one more than the largest stands for missing."""

    def __init__(
        self, task: ColumnTask, atoms: Atoms, form: Form, unit: Fraction, widened: Fraction
    ) -> None:
        super().__init__(task, atoms, form)
        self.unit = unit
        first, last = (Fraction(v) for v in task.domain.values[[0, -1]].tolist())
        margin = (last - first) * widened
        self.low, top = ceil((first - margin) / unit), floor((last + margin) / unit)
        if widened:
            self.low, top = self.low - 2, top + 2
        self.high = top + 1
        self.missing = task.domain.missing
        if max(abs(self.low), abs(self.high)) > _LARGEST:
            return
        ranges = self._ranges(top)
        for group in atoms.group.tolist():
            lowest, highest, missing = ranges[group]
            parts = [[lowest, highest]] if lowest <= highest else []
            parts += [[self.high, self.high]] if missing else []
            if not parts:
                return
            values = self.cp.Domain.FromIntervals(parts)
            self.variables.append(self.model.NewIntVarFromDomain(values, ""))
        for seen in task.own:
            if seen.threshold is not None:
                below, above = self._threshold(seen)
                self.model.Add(below + above == round(2 * Fraction(seen.threshold) / unit))

    def _ranges(self, top: int) -> list[tuple[int, int, bool]]:
        """For each group the units that its paths leave it, and whether it may be missing."""
        groups = len(self.task.leaf_counts.leaves)
        lowest, highest = [self.low] * groups, [top] * groups
        missing = [self.missing] * groups
        for seen in self.task.own:
            cut = None if seen.threshold is None else floor(Fraction(seen.threshold) / self.unit)
            for group in seen.sides[0].tolist():
                highest[group] = highest[group] if cut is None else min(cut, highest[group])
                missing[group] = False
            for group in seen.sides[1].tolist():
                lowest[group] = max(lowest[group], (top if cut is None else cut) + 1)
        return list(zip(lowest, highest, missing, strict=True))

    def decode(self, numbers: Sequence[int]) -> tuple[Domain, Integers]:
        domain = self.task.domain
        distinct = sorted({n for n in numbers if n < self.high})
        if domain.kind.is_integral:
            values = np.array([int(n * self.unit) for n in distinct], dtype=np.int64)
        else:
            values = np.array([float(n * self.unit) + 0.0 for n in distinct], dtype=np.float64)
        missing = any(n == self.high for n in numbers)
        place = {n: code for code, n in enumerate(distinct)} | {self.high: len(distinct)}
        codes = np.array([place[n] for n in numbers], dtype=np.int64)
        return Domain(domain.kind, values, missing), codes
