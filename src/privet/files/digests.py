"""Digests of many short texts: HMAC-SHA256, and what files and joins need of them.

A digest is a row of 32 bytes. Few texts are hashed by the standard library: the state after the
key's block is kept and copied for every text, so that the key is hashed once. Its calls cost about
a microsecond a text, several times what reading and writing a party's table costs; many texts are
hashed side by side in `privet.compiled.sha256`, which gives the same digests, and put in order in
`privet.compiled.digest_order`. Joining compares the first eight bytes of sorted digests and then
all of them. Parquet files hold the bytes; people and files of text see hexadecimal digits.
"""

import hashlib
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privet.arrays import Digests
from privet.files.on_disk import Pieces
from privet.files.to_arrow import compute as pc
from privet.schema import Kind
from privet.table import STRETCH, Coded, stretches, text_of

Places = npt.NDArray[np.int64]

SIZE = 32
STORED = pa.binary(SIZE)  # a column of digests in a Parquet file
COMPILE_FROM = 200_000  # texts from which compiled loops win, their import included
# The two digits of each byte, as one number of 16 bits.
DIGITS_OF_BYTE = np.frombuffer(bytes(range(256)).hex().encode(), dtype=np.uint16)
_LITTLE = sys.byteorder == "little"  # compiled loops read words as these machines hold them
_PREFIX = {Kind.INTEGER: "i:", Kind.CATEGORY: "t:", Kind.DATE: "d:", Kind.DATETIME: "d:"}


def digests_of_keys(keys: Any, secret: bytes) -> tuple[Digests, int]:
    """The digest of each integer or text, and how many keys are missing (null or blank).

    `keys` has chunks, a type and a length, as Arrow's arrays of chunks do; the chunks are looked at
    once, one after the other.
    """
    kind = Kind.INTEGER if pa.types.is_integer(keys.type) else Kind.CATEGORY
    missing = 0

    def present() -> Iterator[pa.Array]:
        nonlocal missing
        for chunk in keys.chunks:
            missing += chunk.null_count
            if kind is Kind.CATEGORY:
                missing += pc.sum(pc.equal(chunk, "")).as_py() or 0
            nothing = "" if kind is Kind.CATEGORY else 0
            yield chunk.fill_null(nothing) if chunk.null_count else chunk

    return _digests_of(present(), kind, len(keys), secret), missing


def digests_of_rows(column: Coded, secret: bytes) -> Digests:
    """The digest of the key of each row; where it is missing, some digest."""
    values, kind = column.domain.values, column.domain.kind
    if column.domain.missing:  # it stands last
        nothing = "" if kind is Kind.CATEGORY else 0
        values = np.append(values, np.array([nothing], dtype=values.dtype))
    chunks = (_cells(values[codes], kind) for codes in stretches(column.codes))
    return _digests_of(chunks, kind, len(column.codes), secret)


def _digests_of(chunks: Iterable[pa.Array], kind: Kind, rows: int, secret: bytes) -> Digests:
    """Digests of keys, in memory or on disk, where tables are."""
    many = rows > COMPILE_FROM

    def some_digests(chunk: pa.Array) -> Digests:
        if many and _LITTLE and pa.types.is_signed_integer(chunk.type):
            from privet.compiled.sha256 import hmac_of_integers

            numbers = chunk.cast(pa.int64()).to_numpy(zero_copy_only=False)
            prefix = _PREFIX[Kind.INTEGER].encode()
            found: Digests = hmac_of_integers(*_blocks_of(secret), numbers, prefix)
            return found
        return hmac_sha256(secret, *_packed(_canonical(chunk, kind)), many)

    return Pieces().joined(map(some_digests, chunks), np.uint8, rows, SIZE)


def _cells(values: npt.NDArray[Any], kind: Kind) -> pa.Array:
    """Values of a domain as they are written into keys."""
    if kind is Kind.INTEGER:
        return pa.array(values, pa.int64())
    if kind is Kind.CATEGORY:
        return pa.array(values, pa.large_string())
    return pa.array([text_of(value, kind) for value in values.tolist()], pa.large_string())


def _canonical(values: pa.Array, kind: Kind) -> pa.Array:
    texts = values.cast(pa.large_string())
    if kind is Kind.CATEGORY:
        texts = pc.utf8_trim_whitespace(_composed(texts))
    prefix, nothing = (pa.scalar(text, pa.large_string()) for text in (_PREFIX[kind], ""))
    return pc.binary_join_element_wise(prefix, texts, nothing)


def _composed(texts: pa.Array) -> pa.Array:
    """Texts in Unicode's form NFC; ASCII is. Older versions of pyarrow compose in another way, and
    two parties must get the same digest whichever they have."""
    plain = pc.string_is_ascii(texts)
    if pc.all(plain).as_py() is not False:
        return texts
    rest = pc.invert(plain)
    composed = [unicodedata.normalize("NFC", text) for text in texts.filter(rest).to_pylist()]
    return pc.replace_with_mask(texts, rest, pa.array(composed, texts.type))


def _packed(texts: pa.Array) -> tuple[npt.NDArray[np.uint8], Places]:
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[: len(texts) + 1]
    whole = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, np.uint8)
    return whole, starts


def hmac_sha256(
    key: bytes, data: npt.NDArray[np.uint8], offsets: Places, compiled: bool | None = None
) -> Digests:
    """The digest of each text; text i is data[offsets[i]:offsets[i + 1]].

    `compiled` decides on the compiled loop, which otherwise the number of texts does.
    """
    inner, outer = _blocks_of(key)
    many = len(offsets) > COMPILE_FROM if compiled is None else compiled
    if many and _LITTLE:
        from privet.compiled.sha256 import LONGEST, hmac_all

        if int(np.diff(offsets).max(initial=0)) <= LONGEST:
            found: Digests = hmac_all(inner, outer, data, offsets)
            return found
    begin, end = hashlib.sha256(inner).copy, hashlib.sha256(outer).copy
    raw = data.tobytes()
    digests = []
    for start, stop in pairwise(offsets.tolist()):
        within, around = begin(), end()
        within.update(raw[start:stop])
        around.update(within.digest())
        digests.append(around.digest())
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, SIZE)


def _blocks_of(key: bytes) -> tuple[bytes, bytes]:
    """What HMAC hashes before a text and before the digest of that."""
    block = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in block) for pad in (0x36, 0x5C))
    return inner, outer


def in_order(digests: Digests) -> tuple[Digests, Places]:
    """The digests in order, and the row that each had, equal ones as they came.

    Many are put in order where they are: the caller's array is not the same afterwards.
    """
    if len(digests) > COMPILE_FROM:
        from privet.compiled.digest_order import put_in_order

        order = put_in_order(digests)
        if order is not None:
            return digests, order
    order = _order_of(digests)
    return digests[order], order


def _order_of(digests: Digests) -> Places:
    heads = _heads(digests)
    order = np.argsort(heads)
    ranked = heads[order]
    if len(ranked) > 1 and bool((ranked[1:] == ranked[:-1]).any()):
        order = np.argsort(_whole(digests), kind="stable")
    return order


def same_as_last(in_order: Digests) -> npt.NDArray[np.bool_]:
    """Which sorted digests equal the one before them."""
    same = np.zeros(len(in_order), dtype=bool)
    for start in range(0, len(in_order), STRETCH):  # the heads of all would be much fresh memory
        heads = _heads(in_order[start : start + STRETCH + 1])
        near = start + np.flatnonzero(heads[1:] == heads[:-1])  # hardly any are compared whole
        same[near + 1] = (in_order[near + 1] == in_order[near]).all(axis=1)
    return same


def repeats(in_order: Digests) -> int:
    """How many sorted digests equal the one before them."""
    return sum(int(same_as_last(some).sum()) for some in _overlapping(in_order))


def is_sorted(digests: Digests) -> bool:
    return all(map(_is_sorted, _overlapping(digests)))


def _overlapping(digests: Digests) -> Iterator[Digests]:
    """Digests some rows at a time, each time with the last one of the time before."""
    last = digests[:0]
    for some in stretches(digests):
        yield np.concatenate([last, some]) if len(last) else some
        last = some[-1:]


def _is_sorted(digests: Digests) -> bool:
    heads = _heads(digests)
    if bool((heads[1:] > heads[:-1]).all()):
        return True
    whole = _whole(digests)
    return bool((np.argsort(whole, kind="stable") == np.arange(len(whole))).all())


def pile_of_digest(digests: Digests, number: int) -> npt.NDArray[np.uint64]:
    """For each digest one of so many piles of about one size; greater ones are on later piles."""
    return (_heads(digests) >> np.uint64(32)) * np.uint64(number) >> np.uint64(32)


def places_of(wanted: Digests, known: Digests) -> Places:
    """For each wanted digest its place among the known ones (sorted, distinct), or -1."""
    if len(known) == 0 or len(wanted) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    heads = _heads(known)
    if bool((heads[1:] > heads[:-1]).all()):
        places = np.searchsorted(heads, _heads(wanted))
    else:  # two digests share eight bytes: compare whole ones
        places = np.searchsorted(_whole(known), _whole(wanted))
    places = np.minimum(places, len(known) - 1)
    same = np.empty(len(wanted), dtype=bool)
    portion = 1 << 20
    for start in range(0, len(wanted), portion):
        part = slice(start, start + portion)
        same[part] = (known[places[part]] == wanted[part]).all(axis=1)
    return np.where(same, places, -1)


def hexadecimal(digests: Digests) -> pa.Array:
    """Digests as texts of hexadecimal digits."""
    digits = DIGITS_OF_BYTE[digests]
    offsets = np.arange(len(digests) + 1, dtype=np.int32) * (2 * SIZE)
    return pa.StringArray.from_buffers(len(digests), pa.py_buffer(offsets), pa.py_buffer(digits))


def stored(digests: Digests) -> pa.Array:
    """Digests as Parquet files hold them."""
    whole = pa.py_buffer(np.ascontiguousarray(digests))
    return pa.FixedSizeBinaryArray.from_buffers(STORED, len(digests), [None, whole])


def unstored(array: pa.Array) -> Digests:
    """The digests of an array of stored ones, none of which is missing."""
    whole = np.frombuffer(array.buffers()[1], dtype=np.uint8)
    own = whole[array.offset * SIZE : (array.offset + len(array)) * SIZE]
    return own.reshape(len(array), SIZE)


def _heads(digests: Digests) -> npt.NDArray[np.uint64]:
    """The first eight bytes of each digest as a number that sorts like them."""
    return np.ascontiguousarray(digests[:, :8]).view(">u8").ravel().astype(np.uint64)


def _whole(digests: Digests) -> npt.NDArray[Any]:
    """Whole digests as texts of bytes, which NumPy orders; hexadecimal, since it drops zeros."""
    return np.array([row.hex().encode() for row in map(bytes, digests)], dtype=f"S{2 * SIZE}")
