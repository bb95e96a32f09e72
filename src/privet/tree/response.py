"""The response as the grower sees it: classes, or whole steps of a grid.

Sums of floats depend on their order; sums of integers do not. So a numeric response is put on a
grid of a power of two, as fine as sums in 64 bits allow, and the grid is part of the grower.
"""

import math
from dataclasses import dataclass

import numpy as np

from privet.arrays import Integers
from privet.engine.protocol import CountSource, Response
from privet.errors import UsageError, param
from privet.schema import Kind
from privet.table import Domain, Value

_SUM_BITS = 61  # one bit is left for sums of centred values
MOST_CLASSES = 1000


@dataclass(frozen=True, eq=False)
class Classes:
    """A response of classes, in the sorted order of the column's domain."""

    column: str
    labels: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A numeric response on its grid."""

    response: Response
    step: float


def counted_target(source: CountSource, target: str, step: float | None) -> str | Response:
    """The target as an engine counts it: by class, or in steps of a grid."""
    return target if step is None else Response(target, on_grid(source.domain(target), step))


def read_response(
    engine: CountSource, target: str, numeric: bool, step: float | None = None
) -> Classes | Numbers:
    """The response of a table, as classes or as numbers; an error where it cannot be either."""
    domain = engine.domain(target)
    if domain.size < 2:
        raise UsageError(
            f"The target '{target}' has only one value, so there is nothing to learn.",
            f"choose another {param('target')}, or check the marker of missing values.",
        )
    if not numeric:
        if domain.size > MOST_CLASSES:
            raise UsageError(
                f"The target '{target}' has {domain.size} different values; "
                f"a decision tree takes at most {MOST_CLASSES} classes.",
                f"use {param('impurity', 'deviance')} for a numeric response, or choose "
                "another target.",
            )
        return Classes(target, tuple(domain.value(c) for c in range(domain.size)))
    if domain.kind not in (Kind.INTEGER, Kind.DECIMAL):
        raise UsageError(
            f"The target '{target}' is of kind {domain.kind}; a regression tree needs numbers.",
            f"use {param('impurity', 'gini')} or entropy for classes.",
        )
    if domain.missing:
        raise UsageError(
            f"The target '{target}' has missing cells; a regression tree needs a number in each.",
            "leave those records out first.",
        )
    chosen = grid_step(domain, engine.n_rows()) if step is None else step
    if chosen < _finest_step(domain, engine.n_rows()):
        raise UsageError(
            f"The response step of the grower is too fine for sums of '{target}' in 64 bits.",
            "let the grower choose the step, or grow from fewer records.",
        )
    return Numbers(Response(target, on_grid(domain, chosen)), chosen)


def grid_step(domain: Domain, records: int) -> float:
    """The grid: 1 for integers where sums allow, else the finest power of two that they allow."""
    finest = _finest_step(domain, records)
    return max(finest, 1.0) if domain.kind is Kind.INTEGER or not finest else finest


def _finest_step(domain: Domain, records: int) -> float:
    """The finest grid on which no sum of this many values leaves 64 bits; 0 if any grid will do."""
    largest = float(np.abs(domain.values.astype(np.float64)).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    # largest / step * records <= 2^61, with room for rounding
    exponent = math.frexp(largest)[1] + max(1, records).bit_length() - _SUM_BITS
    return math.ldexp(1.0, max(exponent, -1022))


def on_grid(domain: Domain, step: float) -> Integers:
    """Each value of a domain in whole grid steps, halves to even."""
    if domain.kind is Kind.INTEGER and step == 1.0:
        return domain.values.astype(np.int64)
    scale = -math.frexp(step)[1] + 1
    if domain.kind is Kind.INTEGER and scale < 0:
        return _shifted(domain.values.astype(np.int64), -scale)
    return np.rint(np.ldexp(domain.values.astype(np.float64), scale)).astype(np.int64)


def _shifted(values: Integers, bits: int) -> Integers:
    """Integers divided by 2^bits, halves to even, exact beyond 2^53 where floats are not."""
    whole = values >> bits
    rest, half = values - (whole << bits), 1 << (bits - 1)
    up = (rest > half) | ((rest == half) & (whole & 1 == 1))
    return np.asarray(whole + up)


def looks_numeric(domain: Domain) -> bool:
    """Whether a target is taken as a number when nobody says: numbers with over ten different
    values, or with any that is not whole."""
    if domain.kind is Kind.INTEGER:
        return len(domain.values) > 10
    if domain.kind is Kind.DECIMAL:
        return len(domain.values) > 10 or bool((domain.values % 1 != 0).any())
    return False
