"""One draft of the constraint solver: variables, clauses, and the loop of solving and checking.

Gains are stated lazily: each solution is checked exactly, and every candidate that wins where it
must not becomes a clause, "not all of these below all of those". What the variables stand for, and
what is stated at once, is in `solver_values`. Conflicts are limited because bounds of wide columns
may creep by one unit after another, which deterministic time hardly counts.
"""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from time import monotonic
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.files.disk import undisturbed
from privet.left_alone import can_be_hidden, stood_in_for
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import NodeSeen, Violation
from privet.preserve.by_leaf.strengthening import strengthened
from privet.table import Domain

TIME_LIMIT = 0.3  # deterministic seconds for one draft, all its rounds together
MOST_CONFLICTS = 15_000  # of one draft; drafts of 24 atoms have succeeded after 11,500
LEAST_CONFLICTS = 1000  # how many a draft may have, however many atoms it has
CONFLICTS_OF_ONE_ATOM = 13_000_000  # they become dearer with atoms, about as their square
SECONDS_STATED = 7e-6  # that a round takes for each variable and each clause, about
SECONDS_CONFLICT = 5e-5
SYMMETRY_LIMIT = 0.01  # deterministic seconds; a search for symmetries that ends takes a hundredth


def cp_model() -> Any:
    """OR-tools, whose import aborts the process if a signal ends it: so signals wait for it."""
    with undisturbed():
        if can_be_hidden("pandas"):  # it only names types of it, and takes as long to load alone
            with stood_in_for("pandas"):
                from ortools.sat.python import cp_model as loaded
        else:
            from ortools.sat.python import cp_model as loaded
    return loaded


def most_conflicts(atoms: int) -> int:
    """How many conflicts a draft of so many atoms is worth, all its rounds together."""
    return min(MOST_CONFLICTS, max(LEAST_CONFLICTS, CONFLICTS_OF_ONE_ATOM // max(1, atoms) ** 2))


def is_loaded() -> bool:
    """Whether OR-tools has been needed before; to load it takes a while."""
    return "ortools.sat.python.cp_model" in sys.modules


def solve_stoppably(solver: Any, model: Any) -> Any:
    """Solve in another thread: while it runs, signals reach the one that waits for it."""
    solver.parameters.catch_sigint_signal = False  # it would take Ctrl-C for itself
    solving = _thread().submit(solver.Solve, model)
    try:
        return solving.result()
    except BaseException:
        if not solving.cancel():
            solver.StopSearch()
            wait([solving])
        raise


@cache
def _thread() -> ThreadPoolExecutor:
    """One thread for all models: to begin one costs as much as to solve a small model."""
    return ThreadPoolExecutor(1, "solver")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread.cache_clear)  # threads do not come along


class Model(ABC):
    """Variables, clauses and the loop of solving and checking; subclasses say what values are."""

    categories = False

    def __init__(self, task: ColumnTask, atoms: Atoms, form: Form) -> None:
        self.cp: Any = cp_model()
        self.task, self.atoms, self.form = task, atoms, form
        self.model: Any = self.cp.CpModel()
        self.variables: list[Any] = []
        self.ends: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._literals: dict[tuple[int, int], Any] = {}
        self.rounds = 0  # of solving and checking
        self._begun: tuple[Any, Any] | None = None  # a first round: its solver and what it found
        self.effort = 0.0  # about how many seconds it took; the same on every machine

    @abstractmethod
    def decode(self, numbers: Sequence[int]) -> tuple[Domain, Integers]:
        """The solver's numbers as values of a domain and a code for each atom."""

    def keeps_paths(self, domain: Domain, codes: Integers) -> bool:
        """Whether every atom got a value that keeps it on its path."""
        return bool(self.task.allowed(self.atoms, domain)[np.arange(len(codes)), codes].all())

    def solve(self, deadline: float, most_rounds: int) -> tuple[Domain, Integers] | None:
        """Values without a fault, or None; `deadline` is a backstop in wall time."""
        if not self.is_whole:
            return None
        solver = self._solver()
        left, conflicts = TIME_LIMIT, most_conflicts(len(self.atoms))
        while self.rounds < most_rounds:
            self.rounds += 1
            if self._begun is not None:
                (solver, status), self._begun = self._begun, None
            else:
                solver.parameters.max_time_in_seconds = max(0.0, deadline - monotonic())
                solver.parameters.max_deterministic_time = left
                solver.parameters.max_number_of_conflicts = conflicts
                status = self._solved(solver)
            if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
                return None
            left -= solver.ResponseProto().deterministic_time
            conflicts -= solver.NumConflicts()
            solution = solver.ResponseProto().solution
            domain, codes = self.decode([solution[v.index] for v in self.variables])
            if not self.keeps_paths(domain, codes):
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

    @property
    def is_whole(self) -> bool:
        """Whether every atom has a value that it may take."""
        return len(self.variables) == len(self.atoms)

    def is_infeasible(self) -> bool:
        """Whether what has been stated so far is known to have no solution. Where that is not
        known, a draft has begun: `solve` goes on from here."""
        if not self.is_whole:
            return True
        solver = self._solver()
        solver.parameters.max_deterministic_time = TIME_LIMIT
        solver.parameters.max_number_of_conflicts = most_conflicts(len(self.atoms))
        self._begun = solver, self._solved(solver)
        return bool(self._begun[1] == self.cp.INFEASIBLE)

    def _solved(self, solver: Any) -> Any:
        status = solve_stoppably(solver, self.model)
        stated = self.model.Proto()
        said = len(stated.variables) + len(stated.constraints)
        self.effort += SECONDS_STATED * said + SECONDS_CONFLICT * solver.NumConflicts()
        return status

    def _solver(self) -> Any:
        solver = self.cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        # small models, solved many times: relaxations and probing cost more than they save
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_probing_level = 0
        # what there is to find is found at once; some models would look on for a second
        solver.parameters.symmetry_detection_deterministic_time_limit = SYMMETRY_LIMIT
        return solver

    # -- clauses -----------------------------------------------------------------------------------

    def threshold(self, seen: NodeSeen) -> tuple[Any, Any]:
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
        left, right = strengthened(self.task, self.atoms, self.form, self.categories, violation)
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
