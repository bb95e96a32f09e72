"""Recodings by leaf of all sizes of a table's trees; each is made once.

Up to `LARGE` leaves a size is recoded anew, so it depends on no other. A larger one starts from
what is handed down (`by_leaf.handed_down`) by the last *stage* before it: stages are a sixteenth
apart. Sketches, for those who only look, take what the next smaller size has.
"""

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.preserve.by_leaf.cell_counts import count_cells
from privet.preserve.by_leaf.handed_down import Heirs
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import Detail, refine
from privet.preserve.by_leaf.solver import PATIENCE, Solver
from privet.preserve.growing import diverse_leaves
from privet.preserve.search import LARGE, spaced

if TYPE_CHECKING:
    from privet.preserve.drafts import Drafts, Size

EXACT_TO = 12  # leaves: up to here a sketch would save no time


@dataclass(frozen=True)
class _Sketch:
    """A recoding, and what it is with detail given back."""

    plain: LeafRecoding
    detailed: LeafRecoding | None


class LeafRecodings:
    """With detail given back if that is asked for, then without; none at all where a size would
    need pieces of fewer than k records."""

    def __init__(self, drafts: "Drafts") -> None:
        self._drafts = drafts
        self._suspects: list[str] = []  # columns that failed at other sizes
        self._plain: dict[Size, LeafRecoding | None] = {}
        self._sketched: dict[int, _Sketch | None] = {}

    def released(self, size: "Size") -> Iterator[LeafRecoding]:
        """As a release has it."""
        plain = self._plain_of(size)
        if plain is not None:
            if self._drafts.settings.refine:
                yield self._detailed(plain)
            yield plain

    def sketched(self, size: int) -> Iterator[LeafRecoding]:
        """Quickly made, all sizes from `EXACT_TO` on one after the other, so that the size that is
        asked for first does not matter."""
        sizes = self._drafts.sizes
        for larger in sizes[bisect(sizes, EXACT_TO) : sizes.index(size) + 1]:
            if larger not in self._sketched:
                self._sketched[larger] = self._sketch(larger)
        sketch = self._sketched[size]
        if sketch is not None:
            if sketch.detailed is not None:
                yield sketch.detailed
            yield sketch.plain

    def _plain_of(self, size: "Size") -> LeafRecoding | None:
        if size not in self._plain:
            self._plain[size] = self._made(size, self._stage_before(size))
        return self._plain[size]

    def _stage_before(self, size: "Size") -> LeafRecoding | None:
        if not isinstance(size, int) or size <= LARGE or len(self._drafts.trees) > 1:
            return None
        stages = [stage for stage in spaced(self._drafts.sizes) if stage < size]
        first = bisect(stages, LARGE) - 1
        known = map(self._plain_of, reversed(stages[max(0, first) :]))
        return next((found for found in known if found is not None), None)

    def _sketch(self, size: int) -> _Sketch | None:
        before = self._sketch_before(size)
        plain = self._made(size, None if before is None else before.plain)
        if plain is None or not self._drafts.settings.refine:
            return None if plain is None else _Sketch(plain, None)
        known = None if before is None else before.detailed
        detail = None if known is None else Heirs.of(known, plain.leaf_counts).detail_for(plain)
        return _Sketch(plain, self._detailed(plain, detail))

    def _sketch_before(self, size: int) -> _Sketch | None:
        sizes = self._drafts.sizes
        for smaller in reversed(sizes[: sizes.index(size)]):
            if smaller > EXACT_TO:
                if (sketch := self._sketched[smaller]) is not None:
                    return sketch
            elif (plain := self._plain_of(smaller)) is not None:
                return _Sketch(plain, None)
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

    def _detailed(self, plain: LeafRecoding, detail: Detail | None = None) -> LeafRecoding:
        engine, settings = self._drafts.engine, self._drafts.settings
        admissible = diverse_leaves(engine, self._drafts.schema, settings)
        columns = admissible.columns if admissible else ()
        cells = count_cells(engine, plain.leaf_counts, plain.base, columns)
        return refine(plain, cells, settings.k, admissible, settings.float32_safe, detail)
