"""The largest tree whose release passes.

Where each release's equivalence classes refine those of the smaller tree, K, L and t only get
worse as the tree grows, so bisection finds the last size that passes (docs/guarantees/
same-tree.md). Otherwise sizes are tried one by one from the largest down; by leaf or
richly, where a trial is dear, large ones in steps. Where only the size that cross-validation
prefers is wanted, most of them need not be tried.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby

LARGE = 64  # leaves: beyond, not every size is tried
_STEP = 16  # beyond, stages are a sixteenth apart


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


def found_in_steps(sizes: Sequence[int], passes: Callable[[int], bool]) -> int | None:
    """The largest of some ascending sizes that passes, where of large ones only some are tried: the
    largest of all, and those that are `spaced`."""
    tried = [*spaced(sizes), *sizes[-1:]] if sizes else []
    return next(filter(passes, reversed(list(dict.fromkeys(tried)))), None)


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
