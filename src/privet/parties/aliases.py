"""Mapping tables: the categories of a column under random aliases.

An alias is the name of the column and a number: `diagnosis_07`. Numbers are drawn at random, so
neither the order of appearance nor the alphabet shows through. With `kept_order` they follow the
order of the labels: ties are then broken as on the original table, but whoever knows the list of
values knows every alias.

Homophones are several aliases of one value, more for frequent values, so that all aliases are about
equally frequent and counting them says little. A tree must not split such a column by subsets.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Aliases = dict[str, tuple[str, ...]]


def draw_aliases(
    column: str,
    labels: Sequence[str],
    rng: np.random.Generator,
    homophones: Sequence[int] | None = None,
    kept_order: bool = False,
    known: Mapping[str, tuple[str, ...]] | None = None,
    taken: Collection[str] = (),
) -> Aliases:
    """Aliases for each label, beside those already `known`; none is `taken` by something else."""
    wanted = list(homophones or [1] * len(labels))
    used = {alias for group in (known or {}).values() for alias in group}
    first = len(used) + 1
    total = sum(wanted)
    digits = len(str(first + total - 1))
    numbers = first + (np.arange(total) if kept_order else rng.permutation(total))
    prefix = f"{column}_"
    while any(label.startswith(prefix) for label in labels) or _may_meet(prefix, taken):
        prefix += "_"  # an alias must never be the label of another value, or anything else
    drawn: Aliases = {}
    done = 0
    for label, size in zip(labels, wanted, strict=True):
        names = [f"{prefix}{number:0{digits}d}" for number in numbers[done : done + size].tolist()]
        drawn[label] = tuple(sorted(names))
        done += size
    return drawn


def _may_meet(prefix: str, taken: Collection[str]) -> bool:
    return any(t.startswith(prefix) and t[len(prefix) :].isdecimal() for t in taken)


def homophones_for(counts: npt.NDArray[np.int64], aliases: int) -> list[int]:
    """How many aliases each value gets, about `aliases` in all and at least one each.

    The number that makes the largest frequency of an alias smallest: one more alias goes to the
    value whose aliases are now the most frequent.
    """
    given = np.ones(len(counts), dtype=np.int64)
    for _ in range(max(0, aliases - len(counts))):
        given[int(np.argmax(counts / given))] += 1
    return [int(n) for n in given]
