"""How near guesses will be, as far as a release alone can tell: an error, and a range.

Halves of a release say what share of a column's spread is explained, and may be wrong by as much as
the draws of its records differ. They may even say that more than all is explained. Any share up to
all of it is taken to be as likely beforehand as any other; what is left after the halves have
spoken has a mean and a range.
"""

from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.9
_SHARES = np.linspace(-1.0, 1.0, 2001)  # guesses may be worse than the mean, none better than right
_STEP = float(_SHARES[1] - _SHARES[0])


@dataclass(frozen=True)
class Expected:
    """An error in shares of that of naming the mean; attackers have one from `low` to `high` in 90
    of 100 draws."""

    error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.error:.0%} ({self.low:.0%} to {self.high:.0%})"


def expected_of(explained: float, deviation: float) -> Expected:
    """The error of guesses of which it is said, with so much doubt, what share they explain."""
    away = (_SHARES - explained) / max(deviation, _STEP)
    likely = np.exp(-0.5 * (away**2 - (away**2).min()))  # the likeliest share has 1, however far
    likely /= likely.sum()
    so_far = np.cumsum(likely)
    beyond = (1 - CONFIDENCE) / 2
    least, most = (_SHARES[np.searchsorted(so_far, share)] for share in (beyond, 1 - beyond))
    error, low, high = (float(np.sqrt(1 - share)) for share in (likely @ _SHARES, most, least))
    return Expected(min(error, 1.0), low, high)
