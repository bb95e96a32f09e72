"""How likely it is that chance alone does so well: a tail of the binomial law."""

import math

import numpy as np

_TERMS = 20_000  # beyond these, terms of a tail above its mean are nothing


def at_least(hits: int, n: int, chance: float) -> float:
    """P(at least `hits` of n); terms from the first on, each from the one before."""
    if chance <= 0:
        return 0.0
    log_term = (
        math.lgamma(n + 1) - math.lgamma(hits + 1) - math.lgamma(n - hits + 1)
        + hits * math.log(chance) + (n - hits) * math.log1p(-chance)
    )  # fmt: skip
    counts = np.arange(hits, min(n, hits + _TERMS))
    steps = np.log((n - counts) / (counts + 1)) + math.log(chance) - math.log1p(-chance)
    logs = log_term + np.concatenate([[0.0], np.cumsum(steps)])
    return float(np.exp(logs).sum())
