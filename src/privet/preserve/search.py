"""The largest tree whose release passes.

Where each release's equivalence classes refine those of the smaller tree, K, L and t only get
worse as the tree grows, so bisection finds the last size that passes (docs/guarantees/
same-tree.md). Otherwise sizes are tried one by one from the largest down; by leaf or
richly, where a trial is dear, large ones in steps. Where only the size that cross-validation
prefers is wanted, most of them need not be tried.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import inf

LARGE = 64  # leaves: beyond, not every size is tried
_STEP = 16  # beyond, stages are a sixteenth apart
_SIZE_IN_VAIN = 0.4  # seconds that a size takes in vain, about, besides the effort that is told
_NEAR = 0.75  # of the sizes left to try: whoever climbed so far is content


def largest_passing(
    sizes: Sequence[int], passes: Callable[[int], bool], monotone: bool
) -> int | None:
    """The largest of some ascending sizes that passes; None if none does."""
    if not sizes:
        return None
    if passes(sizes[-1]):
        return sizes[-1]
    if not monotone:
        return next((size for size in reversed(sizes[:-1]) if passes(size)), None)
    low, high = -1, len(sizes) - 1  # sizes[low] passes (or there is none), sizes[high] does not
    while high - low > 1:
        middle = (low + high) // 2
        if passes(sizes[middle]):
            low = middle
        else:
            high = middle
    return sizes[low] if low >= 0 else None


def spaced(sizes: Sequence[int]) -> list[int]:
    """Of some ascending sizes all up to `LARGE`, and of larger ones those that are tried first: the
    last one up to each stage. It does not matter for them where the sizes end."""
    stages = [LARGE]
    while stages[-1] < sizes[-1]:
        stages.append(stages[-1] + max(1, stages[-1] // _STEP))
    small = bisect_right(sizes, LARGE)
    last = (bisect_right(sizes, stage) for stage in stages[1:-1])
    return [*sizes[:small], *(sizes[n - 1] for n in dict.fromkeys(last) if n > small)]


def tried(sizes: Sequence[int]) -> list[int]:
    """Those of some ascending sizes that are tried at all: the ones that are `spaced`, and the
    largest."""
    return list(dict.fromkeys([*spaced(sizes), *sizes[-1:]] if sizes else []))


def steps(sizes: Sequence[int]) -> list[int]:
    """Of some ascending sizes those that are climbed one after the other, starting from a small
    tree: up to `LARGE` about a sixteenth apart, too, then all that are `tried`."""
    small = sizes[: bisect_right(sizes, LARGE)]
    climbed = list(small[:1])
    for size in small[1:]:
        if size >= climbed[-1] + max(1, climbed[-1] // _STEP) or size == small[-1]:
            climbed.append(size)
    return [*climbed, *(size for size in tried(sizes) if size > LARGE)]


class Patience:
    """How long sizes may be tried in vain, told by counts: the same on every machine."""

    def __init__(self, effort: Callable[[], float] = lambda: 0.0, most: float = inf) -> None:
        self._effort, self._most = effort, most  # about so many seconds
        self.begin()

    def begin(self) -> None:
        """What was in vain until now does not count any more."""
        self._begun, self.tried = self._effort(), 0

    def passing(self, sizes: Sequence[int], passes: Callable[[int], bool]) -> Iterator[int]:
        """Those of some descending sizes that pass, as long as there is patience."""
        for size in sizes:
            if self.tried and self.is_over:
                return
            if passes(size):
                yield size
            self.tried += 1

    @property
    def is_over(self) -> bool:
        return self._effort() - self._begun + _SIZE_IN_VAIN * self.tried > self._most


def found_in_steps(
    sizes: Sequence[int],
    passes: Callable[[int], bool],
    patience: Patience | None = None,
    climbed: Callable[[], Sequence[int]] = tuple,
) -> int | None:
    """The largest of some ascending sizes that passes, of those that are `tried`. Where patience
    with small ones comes to an end, `climbed` has the sizes that can be climbed up to, perhaps some
    that were tried before; the largest of them that passes is taken. Where that is far below what
    is left to try, larger ones are tried in steps, as long again."""
    patience = patience or Patience()
    every = tried(sizes)[::-1]
    large = [size for size in every if size > LARGE]
    small = every[len(large) :]
    found = next(filter(passes, large), None) or next(patience.passing(small, passes), None)
    if found is not None or not patience.is_over:
        return found
    found = next(filter(passes, sorted(climbed(), reverse=True)), None)
    left = small[patience.tried :]
    if found is None:
        return next(filter(passes, left), None)
    if not left or found >= _NEAR * left[0]:
        return found
    patience.begin()
    above = [size for size in reversed(steps(left[::-1])) if size > found]
    return next(patience.passing(above, passes), found)


def preferred_of_largest(
    sizes: Sequence[int],
    passes: Callable[[int], bool],
    monotone: bool,
    preferred: Callable[[int], int],
) -> int | None:
    """`preferred(largest_passing(...))`, with as few trials of large sizes as can be; None if none.

    `preferred(size)` is the size wanted if that one is the largest that passes. Neighbours that
    prefer the same need not be told apart, so of those the smallest, the quickest, is tried first.
    """
    if monotone:
        largest = largest_passing(sizes, passes, monotone)
        return None if largest is None else preferred(largest)
    for wanted, neighbours in groupby(reversed(sizes), key=preferred):
        *larger, smallest = neighbours
        if passes(smallest) or any(map(passes, larger)):
            return wanted
    return None
