"""The constraint solver's drafts at a column: OR-tools CP-SAT.

One integer variable for each atom: the place of a value in an alphabet (R), or a whole number of
units of the column (Z: no alphabet; Zwide: the range widened by a quarter on each side). How they
are stated is in `solver_values`, how a draft is solved and checked in `solver_model`.

One worker, a fixed seed, limits in deterministic time and in conflicts: the same task has the same
outcome on every machine with the same version of OR-tools. Wall time is a backstop only; the
`Solver` remembers if it was ever needed, so that it can be told.
"""

from collections.abc import Collection, Iterator
from fractions import Fraction
from math import inf
from time import monotonic

from privet.arrays import Integers
from privet.preserve.by_column.number_cells import Numbers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.solver_model import Model, is_loaded
from privet.preserve.by_leaf.solver_values import Ranks, Whole
from privet.preserve.deadline import Deadline
from privet.table import Domain

MOST_ROUNDS = 80
# Rounds that may be in vain on one tree where that is limited. On 40 random tables whose columns
# are hard to keep richly, all that was found came within 23 rounds of a draft.
PATIENCE = 120
BACKSTOP = 30.0  # seconds of wall time for one draft
MOST_ATOMS = 200  # beyond, building clauses takes longer than it is worth
_MOST_UNITS = 2**50

Solution = tuple[str, Domain, Integers]


class Solver:
    """The solver at work on the columns of one table.

    `patience` limits the rounds that it may spend in vain, all drafts together, and no draft gets
    more than a third of it: what can be found is mostly found within a few rounds. `most_effort`
    limits what they may cost.
    """

    def __init__(
        self,
        backstop: float = BACKSTOP,
        patience: int | None = None,
        deadline: Deadline | None = None,
        most_effort: float = inf,
    ) -> None:
        self.backstop = backstop
        self.deadline = deadline or Deadline()
        self.patience = patience
        self.most_effort = most_effort
        self.effort = 0.0  # of all drafts: about so many seconds, but the same on every machine
        self.begin_anew()
        self.stopped_by_clock = False  # then another run may find what this one did not
        self._begun: tuple[Atoms, Domain, Ranks] | None = None

    def begin_anew(self) -> None:
        """What was in vain until now does not count any more."""
        self.rounds_in_vain = 0
        self._effort_in_vain = 0.0

    def solutions(
        self, task: ColumnTask, atoms: Atoms, alphabet: Domain | None, form: Form, complete: bool
    ) -> Iterator[Solution]:
        """What the solver finds, draft after draft; each is only made if it is asked for. Without
        an alphabet whole numbers alone are tried."""
        if len(atoms) > MOST_ATOMS or not _is_by_subset(task):
            return
        if alphabet is not None:
            yield from self._solved("solver R", self._ranks(task, atoms, alphabet, form, complete))
        if task.ordered:
            for unit in _units(task):
                for by, widened in (("solver Z", Fraction(0)), ("solver Zwide", Fraction(1, 4))):
                    yield from self._solved(by, Whole(task, atoms, form, unit, widened))

    def nearby(
        self,
        task: ColumnTask,
        atoms: Atoms,
        known: tuple[Domain, Integers],
        free: Collection[int],
        form: Form,
        complete: bool,
    ) -> Iterator[Solution]:
        """A draft in which some atoms may take other values of an alphabet, and all others keep
        theirs: few variables, so it is soon known."""
        if not _is_by_subset(task):
            return
        domain, codes = known
        kept = {atom: code for atom, code in enumerate(codes.tolist()) if atom not in free}
        yield from self._solved("nearby", Ranks(task, atoms, form, domain, complete, kept))

    def finds_hopeless(self, task: ColumnTask, atoms: Atoms, alphabet: Domain) -> bool:
        """Whether paths and thresholds alone rule out every recoding of numbers over an alphabet,
        whatever becomes of gains. False, for all it knows, until it has been loaded, and of more
        pieces than are ever left to it."""
        pieces_for_searches = len(atoms) > max(MOST_ATOMS, len(task.leaf_counts.leaves))
        if not task.ordered or not is_loaded() or pieces_for_searches:
            return False
        model = Ranks(task, atoms, "index", alphabet, complete=False)
        self._begun = atoms, alphabet, model
        return model.is_infeasible()

    def _ranks(
        self, task: ColumnTask, atoms: Atoms, alphabet: Domain, form: Form, complete: bool
    ) -> Ranks:
        """A draft over an alphabet. Of numbers all forms state the same at first, so the first of
        them goes on from the question whether there is hope."""
        begun, self._begun = self._begun, None
        if begun is None or begun[0] is not atoms or begun[1] is not alphabet:
            return Ranks(task, atoms, form, alphabet, complete)
        begun[2].form = form
        return begun[2]

    def _solved(self, by: str, model: Model) -> Iterator[Solution]:
        if self._effort_in_vain > self.most_effort:
            return
        self.deadline.check()
        deadline = monotonic() + min(self.backstop, self.deadline.seconds_left)
        rounds = MOST_ROUNDS
        if self.patience is not None:
            rounds = min(rounds, self.patience // 3, self.patience - self.rounds_in_vain)
        found = model.solve(deadline, rounds)
        self.effort += model.effort
        self.deadline.check()
        self.stopped_by_clock |= found is None and monotonic() >= deadline
        if found is None:
            self.rounds_in_vain += model.rounds
            self._effort_in_vain += model.effort
        else:
            yield by, *found


def _is_by_subset(task: ColumnTask) -> bool:
    return all(tree.grower.categories == "subset" for tree in task.leaf_counts.trees)


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
