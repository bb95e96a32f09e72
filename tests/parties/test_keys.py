"""Keys: digests are HMAC-SHA256 of the canonical form, and joins on them are those of the keys."""

import hmac
import unicodedata
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.compiled.sha256 import texts_of_integers
from privet.errors import UsageError
from privet.files import digests as files_digests
from privet.files import keyed, table_of, write_table
from privet.files.digests import canonical_texts, hmac_sha256, is_sorted, order_of, places_of
from privet.files.keyed import read_keys
from privet.parties.keys import ProjectKey, digests_in_order, digests_of
from privet.schema import Kind

KEY = ProjectKey("test", bytes(range(32)))


def packed(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return data, np.cumsum([0, *map(len, texts)]).astype(np.int64)


@pytest.mark.parametrize("compiled", [False, True])
@given(
    key=st.binary(min_size=1, max_size=100),
    texts=st.lists(st.binary(max_size=80), max_size=40),
)
def test_digests_are_those_of_the_standard_library(
    compiled: bool, key: bytes, texts: list[bytes]
) -> None:
    digests = hmac_sha256(key, *packed(texts), compiled=compiled)
    assert [d.tobytes() for d in digests] == [hmac.digest(key, t, "sha256") for t in texts]


@given(st.lists(st.binary(max_size=55), min_size=1, max_size=300))
def test_short_texts_are_hashed_side_by_side(texts: list[bytes]) -> None:
    digests = hmac_sha256(KEY.secret, *packed(texts), compiled=True)
    assert [d.tobytes() for d in digests] == [hmac.digest(KEY.secret, t, "sha256") for t in texts]


def test_every_length_of_a_block_and_every_number_of_lanes() -> None:
    for count in (1, 127, 128, 129, 256):
        texts = [bytes([65 + i % 26]) * (i % 56) for i in range(count)]
        digests = hmac_sha256(KEY.secret, *packed(texts), compiled=True)
        expected = [hmac.digest(KEY.secret, t, "sha256") for t in texts]
        assert [d.tobytes() for d in digests] == expected


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_text_keys_are_normalised_and_trimmed(keys: list[str]) -> None:
    forms = {unicodedata.normalize("NFC", key).strip(): key for key in keys if key.strip()}
    if not forms:
        return
    column = table_of({"k": list(forms.values())}, {"k": Kind.CATEGORY})["k"]
    expected = [hmac.digest(KEY.secret, f"t:{form}".encode(), "sha256") for form in forms]
    assert [d.tobytes() for d in digests_of(column, "k", KEY)] == expected


def test_two_spellings_of_a_key_are_one_key() -> None:
    composed, combined = "Zo\u00eb", " Zoe\u0308 "
    one = table_of({"k": [composed]})["k"]
    two = table_of({"k": [combined]})["k"]
    assert (digests_of(one, "k", KEY) == digests_of(two, "k", KEY)).all()
    with pytest.raises(UsageError, match="1 values that become equal"):
        digests_of(table_of({"k": [composed, combined]})["k"], "k", KEY)


@pytest.mark.parametrize(
    ("values", "kind", "form"),
    [
        ([42], Kind.INTEGER, b"i:42"),
        (["42"], Kind.CATEGORY, b"t:42"),
        (["2024-02-29"], Kind.DATE, b"d:2024-02-29"),
        (["2024-02-29T08:30:00"], Kind.DATETIME, b"d:2024-02-29T08:30:00"),
    ],
)
def test_the_canonical_form_says_the_kind(values: list[object], kind: Kind, form: bytes) -> None:
    data, _, _ = canonical_texts(table_of({"k": values}, {"k": kind})["k"].domain)
    assert data.tobytes() == form


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, 2, 3, 3, 3], "2 keys occur more than once, in 5 rows"),
        ([1, None, 3], "missing in 1 of 3 rows"),
        ([0.5, 1.5], "decimals"),
    ],
)
def test_keys_that_are_none_are_refused_with_counts(values: list[object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        digests_of(table_of({"k": values})["k"], "k", KEY)


# Few bytes that differ, and late ones, so that the first eight are often shared.
digest = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
    lambda pair: bytes([pair[0]]) + bytes(30) + bytes([pair[1]])
)


@given(st.sets(digest), st.sets(digest))
def test_places_are_those_of_a_list(wanted: set[bytes], known: set[bytes]) -> None:
    def rows(digests: list[bytes]) -> np.ndarray:
        return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 32)

    in_order = sorted(known)
    found = places_of(rows(list(wanted)), rows(in_order))
    assert found.tolist() == [in_order.index(d) if d in known else -1 for d in wanted]
    shuffled = rows(list(known))
    assert [bytes(d) for d in shuffled[order_of(shuffled)]] == in_order
    assert is_sorted(rows(in_order))
    if len(known) > 1:
        assert not is_sorted(rows(in_order[::-1]))


def test_a_key_recognises_its_tag_alone() -> None:
    assert KEY.fits(KEY.tag)
    assert not KEY.fits(ProjectKey.new("test").tag)
    assert KEY.secret.hex() not in repr(KEY)


@given(
    st.one_of(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, unique=True),
        st.lists(st.text("ab é\u0308", min_size=1).filter(str.strip), min_size=1, unique=True),
    )
)
def test_keys_read_past_the_codes_have_the_same_digests(values: list[object]) -> None:
    table = table_of({"k": values, "x": list(range(len(values)))})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        write_table(table, path)
        keys = read_keys(path, "k")
    try:
        expected = digests_in_order(table["k"], "k", KEY)
    except UsageError:
        with pytest.raises(UsageError, match="not unique"):
            digests_in_order(keys, "k", KEY)
        return
    found = digests_in_order(keys, "k", KEY)
    assert (found[0] == expected[0]).all()
    assert (found[1] == expected[1]).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, 2, 3, 3, 3], "2 keys occur more than once, in 5 rows"),
        ([1, None, 3], "missing in 1 of 3 rows"),
        (["a", None, " a", "b"], "missing in 1 of 4 rows"),
        (["a", " a", "b"], "1 keys occur more than once, in 2 rows"),
    ],
)
def test_bad_keys_of_a_file_are_refused_with_counts(
    values: list[object], message: str, tmp_path: Path
) -> None:
    write_table(table_of({"k": values}), tmp_path / "t.parquet")
    with pytest.raises(UsageError, match=message):
        digests_in_order(read_keys(tmp_path / "t.parquet", "k"), "k", KEY)


def test_other_keys_are_left_to_the_reader_of_tables(tmp_path: Path) -> None:
    write_table(table_of({"k": [0.5, 1.5]}), tmp_path / "t.parquet")
    write_table(table_of({"k": [1, 2]}), tmp_path / "t.csv")
    assert read_keys(tmp_path / "t.parquet", "k") is None
    assert read_keys(tmp_path / "t.csv", "k") is None


def test_digits_of_many_digests_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = np.random.default_rng(1).integers(0, 256, (300, 32)).astype(np.uint8)
    expected = [row.tobytes().hex() for row in digests]
    assert keyed._hexadecimal(digests).to_pylist() == expected
    monkeypatch.setattr(keyed, "COMPILE_FROM", 100)
    assert keyed._hexadecimal(digests).to_pylist() == expected
    assert keyed._hexadecimal(digests[::2]).to_pylist() == expected[::2]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40))
def test_many_integers_are_written_as_few(numbers: list[int]) -> None:
    data, starts = texts_of_integers(np.array(numbers, dtype=np.int64), b"i:")
    found = [data[a:b].tobytes().decode() for a, b in pairwise(starts.tolist())]
    assert found == [f"i:{number}" for number in numbers]


def test_many_keys_have_the_digests_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = pa.chunked_array([pa.array([5, None, -17] * 50), pa.array([2**62, 0, 9] * 50)])
    few, missing = files_digests.digests_of_keys(keys, KEY.secret)
    assert missing == 50
    monkeypatch.setattr(files_digests, "COMPILE_FROM", 100)
    many, missing = files_digests.digests_of_keys(keys, KEY.secret)
    assert missing == 50
    assert np.array_equal(few, many)
