"""One epsilon for a whole record, dealt out to its columns.

Columns are drawn independently, so their epsilons add up to that of the record. They get equal
parts, or parts in proportion to how much each is believed to matter. That belief is public: it is
said by the owner, and never taken from the records, which would cost epsilon of its own. A gamma
is e to the power of its part, rounded down, so that what is promised is kept.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.mechanism.matrices import Matrix, Number, epsilon, exact_number

_DIGITS = 3  # of a gamma below the point
_LARGEST_GAMMA = 10**6  # beyond it a value is as good as in clear
_LARGEST_POWER = 14  # e to this exceeds the largest gamma


def gammas_within(
    budget: Number,
    names: Sequence[str],
    importance: Mapping[str, Number] | None = None,
    own: Mapping[str, Matrix] | None = None,
) -> dict[str, Fraction]:
    """For each block its gamma, so that all epsilons together do not exceed the budget.

    `own` are blocks with a matrix of their own: what they cost is taken off first.
    """
    whole = exact_number(budget, "epsilon")
    if whole <= 0:
        raise InvalidParameter("epsilon", "above 0", budget)
    spent = {name: epsilon(matrix) for name, matrix in (own or {}).items()}
    for name, part in spent.items():
        if math.isinf(part):
            raise UsageError(
                f"The matrix of {name} rules out originals: no epsilon holds for a record with it.",
                f"leave out {param('epsilon')}, or give {name} a matrix with no row that holds "
                "zeros beside other cells.",
            )
    left = whole - sum(map(Fraction, spent.values()))
    weights = _weights([*names, *(own or {})], names, importance or {})
    total = sum(weights.values())
    found = {name: _gamma(left * weight / total) for name, weight in weights.items()}
    if left <= 0 or any(gamma <= 1 for gamma in found.values()):
        raise UsageError(
            f"An epsilon of {float(whole):g} does not go round: a column would have none left.",
            f"raise {param('epsilon')}, name fewer {param('columns')}, or draw some together: "
            f"{param('joint')}.",
        )
    return found


def _weights(
    known: Sequence[str], names: Sequence[str], importance: Mapping[str, Number]
) -> dict[str, Fraction]:
    for name in importance:
        if name not in known:
            raise UnknownColumn(name, known, where=param("importance"))
    weights = {n: exact_number(importance.get(n, 1), "importance") for n in names}
    if any(weight <= 0 for weight in weights.values()):
        low = next(name for name, weight in weights.items() if weight <= 0)
        raise InvalidParameter("importance", "above 0 for every column", importance[low])
    return weights


def _gamma(part: Fraction) -> Fraction:
    """The largest gamma of few digits whose logarithm is at most this."""
    if part <= 0:
        return Fraction(0)
    if part >= _LARGEST_POWER:
        return Fraction(_LARGEST_GAMMA)
    with localcontext() as context:
        context.prec, context.rounding = 40, ROUND_FLOOR
        power = (Decimal(part.numerator) / Decimal(part.denominator)).exp()
    gamma = min(Fraction(math.floor(power * 10**_DIGITS), 10**_DIGITS), Fraction(_LARGEST_GAMMA))
    if gamma > 1 and Fraction(math.nextafter(math.log(gamma), math.inf)) > part:
        gamma -= Fraction(1, 10**_DIGITS)  # what is printed is rounded up, and must not exceed it
    return gamma
