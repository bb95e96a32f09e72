"""The compiled inner loop of fitting a latent class model (Numba).

Imported only for large tables; `privet.substitution.latent_class` has the same in plain NumPy.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

_jit: Callable[[_Loop], _Loop] = numba.njit(
    nogil=True, cache=True, boundscheck=False, fastmath=True
)


@_jit
def expect(codes: Any, likelihood: Any, offsets: Any, shares: Any, weights: Any) -> Any:
    """One pass: adds each record's part in each component to `weights`, gives the log-likelihood.

    `codes` is columns x records. Row offsets[j] + code of `likelihood` and `weights` belongs to a
    value of column j, and has one number for each component; the last row of `weights` collects
    the components' shares.
    """
    n_columns, n = codes.shape
    n_parts = len(shares)
    part = np.empty(n_parts)
    last = len(weights) - 1
    total = 0.0
    for i in range(n):
        for k in range(n_parts):
            part[k] = shares[k]
        for j in range(n_columns):
            row = likelihood[offsets[j] + codes[j, i]]
            for k in range(n_parts):
                part[k] *= row[k]
        whole = 0.0
        for k in range(n_parts):
            whole += part[k]
        total += np.log(whole)
        scale = 1.0 / whole
        for k in range(n_parts):
            part[k] *= scale
            weights[last, k] += part[k]
        for j in range(n_columns):
            row = weights[offsets[j] + codes[j, i]]
            for k in range(n_parts):
                row[k] += part[k]
    return total
