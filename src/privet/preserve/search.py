"""The largest tree whose release passes.

Where each release's equivalence classes refine those of the smaller tree, K, L and t only get
worse as the tree grows, so bisection finds the last size that passes (docs/guarantees/
same-tree.md). Otherwise sizes are tried one by one from the largest down.
"""

from collections.abc import Callable, Sequence


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
