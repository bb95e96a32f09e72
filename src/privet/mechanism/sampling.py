"""Exact draws: a column of codes goes in, a column drawn from a transition matrix comes out.

No floating point is involved. A draw is a whole number t, uniform below the total of the matrix's
weights: 16 or 32 random bits times the total, the upper half is t, and the few products whose lower
half would favour some t are drawn again (Lemire's rejection). For a gamma-diagonal matrix t says
how far the code is shifted, round the domain.

With a seed, the bits of a row are those that belong to it (`row_bits`): a draw depends on seed,
column and the row's identity alone, so that batches and the order of rows do not matter. Whoever
knows the seed can repeat it. Without one, every bit comes from the operating system.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.mechanism.identities import numbered
from privet.mechanism.matrices import GammaDiagonal, Matrix, TransitionMatrix
from privet.mechanism.row_bits import RowBits
from privet.table import Codes, code_type

BLOCK = 1 << 16  # rows drawn at a time: scratch arrays stay in the cache
SHORT_TOTAL = 1 << 8  # up to this total, 16 bits are enough: at most 1 draw in 256 is repeated
COMPILE_FROM = 1_000_000  # rows from which the compiled loop wins, its import included

Lanes = npt.NDArray[np.unsignedinteger[Any]]
Drawer = Callable[[Codes, Lanes], tuple[Codes, npt.NDArray[np.int64]]]


def substitute(
    matrix: Matrix,
    codes: Codes,
    seed: int | None = None,
    column: str = "",
    bits: RowBits | None = None,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> Codes:
    """New codes for old ones, each drawn from its column of the matrix.

    `bits` are those that belong to the rows; without them a seeded draw goes by the numbers of
    the rows. `progress` is told after each block how many rows it had. `compiled` decides on the
    compiled loop, which otherwise the number of rows does; the codes are the same.
    """
    out = np.empty(len(codes), dtype=code_type(matrix.size))
    draw = _drawer(matrix, len(codes) >= COMPILE_FROM if compiled is None else compiled)
    if seed is not None and bits is None:
        bits = RowBits(seed, f"substitution:{column}", numbered(len(codes)))
    for start in range(0, len(codes), BLOCK):
        here = slice(start, start + BLOCK)
        old = codes[here]
        out[here] = _draw_block(draw, matrix, old, None if bits is None else bits.take(here))
        if progress is not None:
            progress(len(old))
    return out


def _draw_block(draw: Drawer, matrix: Matrix, old: Codes, bits: RowBits | None) -> Codes:
    new, again = draw(old, _lanes(matrix, bits, len(old), 0))
    attempt = 1
    while len(again):
        own = None if bits is None else bits.take(again)
        redrawn, rest = draw(old[again], _lanes(matrix, own, len(again), attempt))
        new[again] = redrawn
        again = again[rest]
        attempt += 1
    return new


def outcome(matrix: Matrix, codes: Codes, draws: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The new code of each old one if its uniform draw below the total is as given.

    This is the whole mechanism; a test enumerates all draws and finds the matrix in it.
    """
    if isinstance(matrix, GammaDiagonal):
        shift = np.maximum(draws - (matrix.keep - matrix.move), 0) // matrix.move
        moved = codes.astype(np.int64) + shift
        return np.asarray(np.where(moved >= matrix.size, moved - matrix.size, moved))
    ends = np.cumsum(matrix.weights, axis=0).T  # row k: where the share of each outcome ends
    flat = (ends + np.arange(matrix.size)[:, None] * matrix.total).ravel()
    place = np.searchsorted(flat, draws + codes.astype(np.int64) * matrix.total, side="right")
    return place - codes.astype(np.int64) * matrix.size


def _drawer(matrix: Matrix, compiled: bool) -> Drawer:
    kind = code_type(matrix.size)

    def in_numpy(codes: Codes, lanes: Lanes) -> tuple[Codes, npt.NDArray[np.int64]]:
        bits = 8 * lanes.dtype.itemsize
        wide = lanes.astype(np.uint64) * np.uint64(matrix.total)
        lower = wide & np.uint64((1 << bits) - 1)
        again = np.flatnonzero(lower < np.uint64((1 << bits) % matrix.total))
        draws = (wide >> np.uint64(bits)).astype(np.int64)
        return outcome(matrix, codes, draws).astype(kind), again

    if not compiled or isinstance(matrix, TransitionMatrix):
        return in_numpy
    from privet.compiled.shifts import shift_codes

    law = np.array([matrix.keep, matrix.move, matrix.size, matrix.total], dtype=np.int64)
    places = np.empty(BLOCK, dtype=np.int64)

    def by_compiled_loop(codes: Codes, lanes: Lanes) -> tuple[Codes, npt.NDArray[np.int64]]:
        new = np.empty(len(codes), dtype=kind)
        found = shift_codes(codes, lanes, new, places, law)
        return new, places[:found].copy()

    return by_compiled_loop


def _lanes(matrix: Matrix, bits: RowBits | None, rows: int, attempt: int) -> Lanes:
    """Random lanes, one for each row, for an attempt."""
    lane = np.dtype("<u2") if matrix.total <= SHORT_TOTAL else np.dtype("<u4")
    if bits is None:
        return np.frombuffer(os.urandom(rows * lane.itemsize), dtype=lane)
    if lane.itemsize == 4:
        return bits.words(attempt).astype(lane)
    word, half = divmod(attempt, 2)  # a word has two lanes of 16 bits
    lanes: Lanes = (bits.words(word) >> np.uint32(16 * half)).astype(lane)
    return lanes
