"""What a law takes from the whole table is told in few digits, and used as it is told.

A mean with all its digits is a sum: whoever knows everybody else's values subtracts them, and has
the last person's to the digit. The same goes for deviations and correlations, and for what an
intruder finds: only with the true value is it this share. In few digits one record hardly shows,
and noise does as well. `number_laws` and `correlated_laws` next door use them.
"""

import math
from collections.abc import Sequence

from privet.mechanism.correlated_laws import OWN

_DIGITS = 2
_MOST_DECIMALS = 4  # of a share
_LESS = 0.98  # of correlations that, rounded, no columns could have


def coarse_size(spread: float) -> float:
    """A standard deviation in two significant digits."""
    return float(f"{spread:.{_DIGITS}g}")


def coarse_mean(mean: float, size: float) -> float:
    """A mean, to the place of the first digit of a size."""
    return float(round(mean, -math.floor(math.log10(size))))


def coarse_share(share: float, records: int) -> float:
    """A share of some records, rounded up: in two decimals, and of more records in so many that
    ten of them make a step."""
    decimals = min(max(len(str(records)) - 2, _DIGITS), _MOST_DECIMALS)
    steps = 10.0**decimals
    return float(math.ceil(round(share * steps, 6)) / steps)


def coarse_correlations(correlations: Sequence[Sequence[float]]) -> list[list[float]]:
    """Correlations in two decimals; where rounding makes of them what no columns can have, all of
    them are lessened until columns can."""
    exact, share = correlations, 1.0
    while True:
        found = [
            [1.0 if i == j else round(share * own, _DIGITS) + 0.0 for j, own in enumerate(row)]
            for i, row in enumerate(exact)
        ]
        if _are_possible(found):
            return found
        share *= _LESS


def _are_possible(correlations: Sequence[Sequence[float]]) -> bool:
    """Whether noise with these correlations leaves each column a part of its own: the squares on
    the diagonal of the triangle that the covariances are a product of."""
    lines: list[list[float]] = []
    for i, row in enumerate(correlations):
        line: list[float] = []
        for j in range(i):
            known = sum(a * b for a, b in zip(line, lines[j], strict=False))
            line.append(((1 - OWN) * row[j] - known) / lines[j][j])
        rest = 1 - sum(a * a for a in line)
        if rest < OWN / 2:
            return False
        lines.append([*line, math.sqrt(rest)])
    return True
