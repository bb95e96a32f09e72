"""What the constraint solver's variables stand for: places in an alphabet, or whole numbers.

Paths and thresholds of the tree are stated here, at once; `solver_model` adds the rest.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import NodeSeen
from privet.preserve.by_leaf.new_values import neighbours_keeping
from privet.preserve.by_leaf.solver_model import Model
from privet.table import Domain

_LARGEST = 2**60  # beyond, sums leave the solver's 64 bits


class Ranks(Model):
    """Values of an alphabet, by their places."""

    def __init__(
        self,
        task: ColumnTask,
        atoms: Atoms,
        form: Form,
        domain: Domain,
        complete: bool,
        kept: Mapping[int, int] | None = None,  # codes of atoms that have one already
    ) -> None:
        super().__init__(task, atoms, form)
        self.domain = domain
        rank = task.common_rank(domain)
        self.order = np.arange(domain.size) if rank is None else np.argsort(rank)
        self.categories = not task.ordered and rank is None
        place = np.argsort(self.order)
        self.low, self.high = 0, domain.size - 1
        kept = kept or {}
        for atom, row in enumerate(task.allowed(atoms, domain)):
            codes = np.array([kept[atom]]) if atom in kept else np.flatnonzero(row)
            places = sorted(place[codes[row[codes]]].tolist())
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
        pairs = np.argwhere(neighbours_keeping(self.task, seen, self.domain)).tolist()
        self.model.AddAllowedAssignments(list(self.threshold(seen)), pairs)

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

    def keeps_paths(self, domain: Domain, codes: Integers) -> bool:
        return True  # no variable may take any other value

    def decode(self, numbers: Sequence[int]) -> tuple[Domain, Integers]:
        return self.domain, self.order[np.array(numbers, dtype=np.int64)]


class Whole(Model):
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
                below, above = self.threshold(seen)
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
