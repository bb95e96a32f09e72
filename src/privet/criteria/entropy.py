"""Entropy of groups against log l, decided exactly.

Floats decide what is clear. A near tie is decided by integers: equal counts have exp(entropy) =
number of values by definition; else entropy >= log l means n^n >= l^n c1^c1 ... cm^cm, of which
equality is seen from prime factors and the rest from logarithms of rising precision.
"""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import gcd, log

import numpy as np
import numpy.typing as npt

from privet.criteria.exact import times
from privet.criteria.groups import Groups, Mask

_NEAR = 1e-9


def reaches(groups: Groups, level: Fraction) -> Mask:
    """For each group, whether its entropy is at least log(level)."""
    found, slack = _entropies(groups)
    wanted = log(level)
    kept: Mask = found >= wanted
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


def _entropies(groups: Groups) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Entropies as floats, and for each a bound of the error (with room for near ties).

    All terms are positive and each is right to a few units in the last place; a plain sum of m of
    them is off by at most a relative (m + 8) 2^-53.
    """
    sizes = groups.sizes[groups.of_cell]
    terms = groups.n / sizes * np.log1p((sizes - groups.n) / groups.n)
    found: npt.NDArray[np.float64] = groups.total(terms)
    return found, (_NEAR + groups.distinct * 2.0**-52) * (1 + found)


def _reduced(counts: Iterable[int]) -> tuple[int, ...]:
    """Counts in one order, divided by what they have in common: the entropy stays the same."""
    ordered = sorted(counts)
    shared = gcd(*ordered)
    return tuple(n // shared for n in ordered)


@lru_cache(maxsize=4096)
def _reaches_exactly(counts: tuple[int, ...], level: Fraction) -> bool:
    if _is_tie(counts, level):
        return True
    size, digits = sum(counts), 50
    while True:
        with localcontext() as context:
            context.prec = digits
            whole = size * Decimal(size).ln()
            parts = sum(n * Decimal(n).ln() for n in counts)
            logs = Decimal(level.numerator).ln() - Decimal(level.denominator).ln()
            gap = whole - parts - size * logs
            scale = whole + size * (
                Decimal(level.numerator).ln() + Decimal(level.denominator).ln() + 1
            )
            if abs(gap) > scale * (len(counts) + 8) * Decimal(10) ** (1 - digits):
                return gap > 0
        digits *= 2


def _is_tie(counts: tuple[int, ...], level: Fraction) -> bool:
    """Whether n^n = l^n c1^c1 ... cm^cm, by comparing the powers of every prime."""
    size = sum(counts)
    primes = set().union(*(_primes(n) for n in {size, *counts}))
    top, bottom = level.numerator, level.denominator
    for prime in primes:
        top_power, top = _power(prime, top)
        bottom_power, bottom = _power(prime, bottom)
        left = size * (_power(prime, size)[0] + bottom_power)
        right = size * top_power + sum(n * _power(prime, n)[0] for n in counts)
        if left != right:
            return False
    return top == bottom == 1


def _power(prime: int, number: int) -> tuple[int, int]:
    """How often a prime divides a number, and what is left of the number."""
    power = 0
    while number % prime == 0:
        power, number = power + 1, number // prime
    return power, number


@lru_cache(maxsize=4096)
def _primes(number: int) -> frozenset[int]:
    found, trial = set(), 2
    while trial * trial <= number:
        if number % trial == 0:
            found.add(trial)
            number = _power(trial, number)[1]
        trial += 1
    return frozenset(found | {number} - {1})


@lru_cache(maxsize=4096)
def _effective(counts: tuple[int, ...]) -> Decimal:
    """exp(entropy) to 40 digits."""
    size = sum(counts)
    with localcontext() as context:
        context.prec = 60
        parts = sum((n * Decimal(n).ln() for n in counts), Decimal(0))
        value = (Decimal(size).ln() - parts / size).exp()
        context.prec = 40
        return +value
