"""Entropy of groups against log l, decided exactly.

Floats decide what is clear. A near tie is decided exactly: equal counts have exp(entropy) = number
of values by definition; else entropy >= log l means n log n - sum of c log c >= n log l: two sums
of logarithms of whole numbers (`exact.LogSum`).
"""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import gcd, log

import numpy as np

from privet.arrays import Booleans, Floats
from privet.criteria.groups import Groups
from privet.exact import LogSum, times

_NEAR = 1e-9


def reaches(groups: Groups, level: Fraction) -> Booleans:
    """For each group, whether its entropy is at least log(level)."""
    found, slack = _entropies(groups)
    wanted = log(level)
    kept: Booleans = found >= wanted
    even = groups.tops * groups.distinct == groups.sizes
    kept[even] = (times(groups.distinct, level.denominator) >= level.numerator)[even]
    for group in np.flatnonzero(~even & (np.abs(found - wanted) <= slack)):
        kept[group] = _reaches_exactly(_reduced(groups.members(int(group))), level)
    return kept


def smallest(groups: Groups) -> int | float:
    """The smallest exp(entropy): a whole number if its group has equal counts, else a float.

    The float is the nearest one to the true value, whatever the order of groups and values.
    """
    found, slack = _entropies(groups)
    near = np.flatnonzero(found <= found.min() + slack)
    even = groups.tops[near] * groups.distinct[near] == groups.sizes[near]
    figures = [Decimal(int(m)) for m in np.unique(groups.distinct[near[even]])]
    uneven = near[~even]
    if len(uneven):
        marks = np.stack([found[uneven], groups.sizes[uneven], groups.tops[uneven]])
        for place in np.unique(marks, axis=1, return_index=True)[1]:
            figures.append(_effective(_reduced(groups.members(int(uneven[place])))))
    least = min(figures)
    return int(least) if least == int(least) else float(least)


def _entropies(groups: Groups) -> tuple[Floats, Floats]:
    """Entropies as floats, and for each a bound of the error (with room for near ties).

    All terms are positive and each is right to a few units in the last place; a plain sum of m of
    them is off by at most a relative (m + 8) 2^-53.
    """
    sizes = groups.sizes[groups.of_cell]
    terms = groups.n / sizes * np.log1p((sizes - groups.n) / groups.n)
    found: Floats = groups.total(terms)
    return found, (_NEAR + groups.distinct * 2.0**-52) * (1 + found)


def _reduced(counts: Iterable[int]) -> tuple[int, ...]:
    """Counts in one order, divided by what they have in common: the entropy stays the same."""
    ordered = sorted(counts)
    shared = gcd(*ordered)
    return tuple(n // shared for n in ordered)


@lru_cache(maxsize=4096)
def _reaches_exactly(counts: tuple[int, ...], level: Fraction) -> bool:
    size = sum(counts)
    wanted = LogSum([(level.numerator, size), (level.denominator, -size)])
    return not LogSum.disorder(counts) < wanted


@lru_cache(maxsize=4096)
def _effective(counts: tuple[int, ...]) -> Decimal:
    """exp(entropy) to 40 digits."""
    with localcontext() as context:
        context.prec = 60
        bits = LogSum.disorder(counts).value(60)[0] / sum(counts)
        value = (bits * Decimal(2).ln()).exp()
        context.prec = 40
        return +value
