"""Recodings by leaf of all sizes of a table's trees, without detail given back; each is made once.

Up to `LARGE` leaves a size is recoded anew, so it depends on no other. A larger one starts from
what is handed down (`by_leaf.handed_down`) by the last *stage* before it: stages are a sixteenth
apart. Sketches, for those who only look, take what the next smaller size has.
"""

from bisect import bisect
from typing import TYPE_CHECKING

from privet.preserve.by_leaf.handed_down import Heirs
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.solver import PATIENCE, Solver
from privet.preserve.search import LARGE, spaced

if TYPE_CHECKING:
    from privet.preserve.drafts import Drafts, Size

EXACT_TO = 12  # leaves: up to here a sketch would save no time


class LeafRecodings:
    """None where a size would need pieces of fewer than k records."""

    def __init__(self, drafts: "Drafts") -> None:
        self._drafts = drafts
        self._suspects: list[str] = []  # columns that failed at other sizes
        self._released: dict[Size, LeafRecoding | None] = {}
        self._sketched: dict[int, LeafRecoding | None] = {}

    def released(self, size: "Size") -> LeafRecoding | None:
        """As a release has it."""
        if size not in self._released:
            self._released[size] = self._made(size, self._stage_before(size))
        return self._released[size]

    def sketched(self, size: int) -> LeafRecoding | None:
        """Quickly made, all sizes from `EXACT_TO` on one after the other, so that the size that is
        asked for first does not matter."""
        sizes = self._drafts.sizes
        for larger in sizes[bisect(sizes, EXACT_TO) : sizes.index(size) + 1]:
            if larger not in self._sketched:
                self._sketched[larger] = self._made(larger, self._sketch_before(larger))
        return self._sketched[size]

    def _stage_before(self, size: "Size") -> LeafRecoding | None:
        if not isinstance(size, int) or size <= LARGE or len(self._drafts.trees) > 1:
            return None
        stages = [stage for stage in spaced(self._drafts.sizes) if stage < size]
        first = bisect(stages, LARGE) - 1
        known = map(self.released, reversed(stages[max(0, first) :]))
        return next((found for found in known if found is not None), None)

    def _sketch_before(self, size: int) -> LeafRecoding | None:
        sizes = self._drafts.sizes
        for smaller in reversed(sizes[: sizes.index(size)]):
            sketched = smaller > EXACT_TO
            found = self._sketched[smaller] if sketched else self.released(smaller)
            if found is not None:
                return found
        return None

    def _made(self, size: "Size", before: LeafRecoding | None) -> LeafRecoding | None:
        drafts, solver, inherited = self._drafts, self._drafts.solver, None
        leaf_counts, base = drafts.base(size)
        if before is not None:
            # Anew for each size, so that what becomes of one does not depend on those before.
            solver = Solver(solver.backstop, PATIENCE, solver.deadline)
            inherited = Heirs.of(before, leaf_counts, solver).values_of
        found = recode_by_leaf(
            leaf_counts,
            base,
            drafts.settings.float32_safe,
            solver,
            drafts.settings.k if drafts.told_apart(size) else 1,
            self._suspects,
            inherited,
        )
        drafts.solver.stopped_by_clock |= solver.stopped_by_clock
        return found
