"""Bits that belong to a row: ChaCha20 as its standard has it, who a row is, and how bits lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles.identities import occurrences_by_dictionary
from privet.mechanism.chacha import WORDS, words_at
from privet.mechanism.identities import (
    Contents,
    Identities,
    identities_of,
    numbered,
    occurrences,
)
from privet.mechanism.matrices import GammaDiagonal
from privet.mechanism.row_bits import RowBits, bits_together
from privet.mechanism.sampling import substitute
from privet.randomness import key_of

CELLS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        st.one_of(st.none(), st.sampled_from(["a", "b", "é", " x"])),
    ),
    min_size=1,
    max_size=12,
)


def pairs(found: Identities) -> list[tuple[int, int]]:
    return list(zip(found.low.tolist(), found.high.tolist(), strict=True))


def table_of(rows: list[tuple[object, ...]]) -> privet.Table:
    return privet.table_of(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("compiled", [False, True])
def test_the_block_of_the_standard(compiled: bool) -> None:
    """RFC 8439, 2.3.2: the key 0 to 31, counter 1, the nonce 000000090000004a00000000."""
    low, high = np.array([[1 | 0x09000000 << 32], [0x4A000000]], dtype=np.uint64)
    words = words_at(bytes(range(32)), low, high, 0, WORDS, compiled)[:, 0].tolist()
    assert " ".join(f"{word:08x}" for word in words) == (
        "e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 0368c033 9aaa2204 4e6cd4c3 "
        "466482d2 09aa9f07 05d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2"
    )


@given(st.binary(min_size=32, max_size=32), st.integers(0, 300), st.integers(0, 15))
def test_the_compiled_loop_gives_the_same_words(key: bytes, n: int, first: int) -> None:
    low, high = np.random.default_rng(n).integers(0, 2**64, (2, n), dtype=np.uint64)
    count = WORDS - first
    slow = words_at(key, low, high, first, count, compiled=False)
    assert np.array_equal(words_at(key, low, high, first, count, compiled=True), slow)


def test_words_beyond_a_block_are_those_of_another_key() -> None:
    bits = RowBits(1, "x", numbered(50))
    found = [tuple(bits.words(attempt).tolist()) for attempt in range(40)]
    assert len(set(found)) == 40


@given(st.integers(1, 40), st.data())
def test_purposes_together_have_words_of_their_own(number: int, data: st.DataObject) -> None:
    """Also repeated ones, for more purposes than a block has words, in any order."""
    names = [f"column {place}" for place in range(number)]
    found = bits_together(1, names, numbered(5))
    words = {tuple(found[n].words(attempt).tolist()) for n in names for attempt in range(18)}
    assert len(words) == 18 * number
    other = bits_together(1, data.draw(st.permutations(names)), numbered(9))
    some = np.array([4, 0, 2])
    for name in names:
        for attempt in (0, 1):
            again = other[name].take(some).words(attempt)
            assert np.array_equal(again, found[name].words(attempt)[some])


@given(CELLS, st.data())
def test_the_set_of_identities_follows_from_the_set_of_rows(
    rows: list[tuple[object, ...]], data: st.DataObject
) -> None:
    """Some rows are there several times; order of rows and of columns say nothing."""
    rows = rows + data.draw(st.lists(st.sampled_from(rows), max_size=6))
    table = table_of(rows)
    whole = pairs(identities_of(table, 3))
    assert len(set(whole)) == len(rows)
    other = table.take(np.array(data.draw(st.permutations(range(len(rows))))))
    other = other.select(data.draw(st.permutations(table.names)))
    assert sorted(pairs(identities_of(other, 3))) == sorted(whole)
    assert not set(pairs(identities_of(table, 4))) & set(whole)


@given(CELLS, CELLS)
def test_contents_are_equal_where_rows_are(
    rows: list[tuple[object, ...]], more: list[tuple[object, ...]]
) -> None:
    """Also of tables whose values are numbered otherwise: it is values that decide."""
    table = table_of(rows + more)
    few = table.take(np.arange(len(rows)))
    few = privet.Table({name: few[name].compact() for name in few})
    of_whole = pairs(Contents(table, table.names, 5).of(table))
    assert pairs(Contents(few, few.names, 5).of(few)) == of_whole[: len(rows)]
    cells = [tuple(table[name].codes[row] for name in table) for row in range(table.n_rows)]
    assert len(set(of_whole)) == len(set(cells))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=30))
def test_occurrence_numbers_count_rows_alike(rows: list[tuple[int, int]]) -> None:
    """Contents that share half of their bits are other contents."""
    low, high = np.array(rows, dtype=np.uint64).reshape(-1, 2).T
    found = occurrences(Identities(low.copy(), high.copy()))
    assert found.tolist() == occurrences_by_dictionary(rows)


def test_a_column_of_one_kind_is_no_column_of_another() -> None:
    """1, 1.0 and "1" are three values, and missing is none of them."""
    tables = [privet.table_of({"a": [value]}) for value in (1, 1.5, "1", None)]
    found = {pairs(identities_of(table, 1))[0] for table in tables}
    assert len(found) == 4


def test_shares_are_even_and_bits_balanced() -> None:
    """Chi-square of 64 cells; a right generator passes 63 + 4.5 sqrt(126) + 16 less than once in
    10,000. Each of the 32 bits is set in half of the rows, within 5 standard deviations."""
    n = 200_000
    bits = RowBits(7, "x", numbered(n))
    counts = np.bincount((bits.shares() * 64).astype(np.int64), minlength=64)
    assert ((counts - n / 64) ** 2 / (n / 64)).sum() < 63 + 4.5 * np.sqrt(126) + 16
    words = bits.words()
    ones = [int((words >> np.uint32(bit) & np.uint32(1)).sum()) for bit in range(32)]
    assert max(abs(one - n / 2) for one in ones) < 5 * np.sqrt(n / 4)


def test_neither_seed_nor_identities_are_shown() -> None:
    bits = RowBits(98765, "x", numbered(3))
    assert "98765" not in repr(bits)
    assert "array" not in repr(bits) + repr(bits.rows)
    assert key_of(1, "x") != key_of(1, "y") != key_of(2, "y")


def test_columns_that_share_a_block_are_drawn_independently() -> None:
    """Three columns together: chi-square of 64 outcomes, d = 63, passed by a right sampler but for
    once in 10,000; the rows are known by what they hold."""
    n, matrix = 200_000, GammaDiagonal(9, 4)
    rng = np.random.default_rng(5)
    table = privet.table_of({"a": rng.integers(0, 100, n), "b": rng.integers(0, 100, n)})
    bits = bits_together(1, ["a", "b", "c"], identities_of(table, 1))
    same = np.zeros(n, dtype=np.uint8)
    a, b, c = (substitute(matrix, same, 1, bits=bits[name]).astype(np.int64) for name in "abc")
    share = np.array([9, 1, 1, 1]) / 12
    expected = n * np.einsum("i,j,k->ijk", share, share, share).ravel()
    seen = np.bincount(16 * a + 4 * b + c, minlength=64)
    assert ((seen - expected) ** 2 / expected).sum() < 63 + 4.5 * np.sqrt(126) + 16
