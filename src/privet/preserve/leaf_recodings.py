"""Recodings by leaf of all sizes of a table's trees; each is made once.

Up to `LARGE` leaves a size is recoded anew, so it depends on no other. A larger one starts from
what is handed down (`by_leaf.handed_down`) by the last *stage* before it: stages are a sixteenth
apart. Where some in a row fail, larger sizes are not tried. Where sizes have been recoded anew in
vain for long (`choosing`), all are climbed to from a small tree, step by step. Sketches, for those
who only look, take what the next smaller size has.
"""

from bisect import bisect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.criteria.k_anonymity import measure_k
from privet.preserve.by_leaf.cell_counts import count_cells
from privet.preserve.by_leaf.handed_down import Heirs
from privet.preserve.by_leaf.recode import LeafRecoding, recode_by_leaf
from privet.preserve.by_leaf.refinement import Detail, refine
from privet.preserve.by_leaf.solver import PATIENCE, Solver
from privet.preserve.growing import diverse_leaves
from privet.preserve.search import LARGE, spaced, steps

if TYPE_CHECKING:
    from privet.preserve.drafts import Drafts, Size

EXACT_TO = 12  # leaves: up to here a sketch would save no time
MOST_EFFORT = 2.0  # seconds, about, that the solver may look in vain for a column's heirs
MOST_FAILED = 3  # stages in a row without a recoding, after which larger sizes are not tried


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
        self.listener: Callable[[int], None] = lambda _: None  # hears of each stage before it
        self._suspects: list[str] = []  # columns that failed at other sizes
        self._plain: dict[Size, LeafRecoding | None] = {}
        self._in_vain: dict[int, Collection[str]] = {}  # what heirs of a size found no values for
        self._sketched: dict[int, _Sketch | None] = {}
        self._climbed: dict[Size, LeafRecoding] = {}

    def released(self, size: "Size") -> Iterator[LeafRecoding]:
        """As a release has it."""
        plain = self._climbed.get(size) or self._plain_of(size)
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
            if not isinstance(size, int) or size <= LARGE or len(self._drafts.trees) > 1:
                self._plain[size] = self._made(size, None)
            else:
                self._plain[size] = self._from_stages(size)
        return self._plain[size]

    def _from_stages(self, size: int) -> LeafRecoding | None:
        """From the last stage before it that has a recoding. None if too many in a row have none:
        then larger ones hardly ever have one either, and looking for them takes longest."""
        stages = [stage for stage in spaced(self._drafts.sizes) if stage < size]
        before, failed = None, 0
        in_vain: Collection[str] = ()
        for stage in stages[max(0, bisect(stages, LARGE) - 1) :]:
            if stage not in self._plain:
                self.listener(stage)
            found = self._plain_of(stage)
            if found is not None:
                before, failed, in_vain = found, 0, ()
                continue
            failed += 1
            if before is None:
                return None
            in_vain = self._in_vain.get(stage, ())
            if failed == MOST_FAILED:
                return None
        heirs = None if before is None else self._heirs(size, before, in_vain)
        found = self._made(size, heirs)
        self._in_vain[size] = () if heirs is None else heirs.in_vain
        return found if found is None or self._has_k(found) else None

    def climbed(self) -> list[int]:
        """The sizes that have a recoding handed down, step by step, from a small tree."""
        sizes = self._drafts.sizes
        first = bisect(sizes, EXACT_TO)
        small = (self._plain_of(size) for size in reversed(sizes[:first]))
        before = next(filter(None, small), None)
        if before is None:
            return []
        failed = 0
        in_vain: Collection[str] = ()
        climbed = []
        for size in steps(sizes[first:]):
            self.listener(size)
            heirs = self._heirs(size, before, in_vain)
            found = self._made(size, heirs)
            if found is not None and self._has_k(found):
                self._climbed[size] = before = found
                climbed.append(size)
                failed, in_vain = 0, ()
                continue
            failed += 1
            in_vain = heirs.in_vain
            if failed == MOST_FAILED:
                break
        return climbed

    def _has_k(self, found: LeafRecoding) -> bool:
        """Whether each equivalence class has k records where pieces of several columns meet."""
        if sum(not column.whole for column in found.columns.values()) < 2:
            return True
        counts = found.apply(self._drafts.engine).count(self._drafts.schema.quasi)
        return measure_k(counts) >= self._drafts.settings.k

    def _sketch(self, size: int) -> _Sketch | None:
        before = self._sketch_before(size)
        plain = self._made(size, None if before is None else self._heirs(size, before.plain))
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

    def _heirs(self, size: "Size", before: LeafRecoding, in_vain: Collection[str] = ()) -> Heirs:
        # A solver for each size, so that what becomes of one does not depend on those before.
        known = self._drafts.solver
        solver = Solver(known.backstop, PATIENCE, known.deadline, MOST_EFFORT)
        return Heirs.of(before, self._drafts.base(size)[0], solver, in_vain)

    def _made(self, size: "Size", heirs: Heirs | None) -> LeafRecoding | None:
        drafts = self._drafts
        found = recode_by_leaf(
            *drafts.base(size),
            drafts.settings.float32_safe,
            drafts.solver,
            drafts.settings.k if drafts.told_apart(size) else 1,
            self._suspects,
            heirs,
        )
        if heirs is not None and heirs.solver is not None:
            drafts.solver.stopped_by_clock |= heirs.solver.stopped_by_clock
        return found

    def _detailed(self, plain: LeafRecoding, detail: Detail | None = None) -> LeafRecoding:
        engine, settings = self._drafts.engine, self._drafts.settings
        admissible = diverse_leaves(engine, self._drafts.schema, settings)
        columns = admissible.columns if admissible else ()
        cells = count_cells(engine, plain.leaf_counts, plain.base, columns)
        return refine(plain, cells, settings.k, admissible, settings.float32_safe, detail)
