"""Keys: digests are HMAC-SHA256 of the canonical form, and joins on them are those of the keys."""

import hmac
import unicodedata
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.compiled.digest_order import put_in_order
from privet.compiled.sha256 import hmac_of_integers
from privet.errors import InputError, UsageError
from privet.files import digests as files_digests
from privet.files import keyed, read_table, table_of, write_table
from privet.files.digests import digests_of_rows, hmac_sha256, in_order, is_sorted, places_of
from privet.files.keyed import read_keys
from privet.parties.key_order import rows_in_order
from privet.parties.keys import ProjectKey, digests_of
from privet.schema import Kind
from privet.table import Table

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
        rows_in_order(table_of({"k": [composed, combined]}), "k", None, KEY)


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
    column = table_of({"k": values}, {"k": kind})["k"]
    found = digests_of_rows(column, KEY.secret)
    assert [d.tobytes() for d in found] == [hmac.digest(KEY.secret, form, "sha256")]


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

    listed = sorted(known)
    found = places_of(rows(list(wanted)), rows(listed))
    assert found.tolist() == [listed.index(d) if d in known else -1 for d in wanted]
    shuffled = rows(list(known))
    assert [bytes(d) for d in in_order(shuffled)[0]] == listed
    assert is_sorted(rows(listed))
    if len(known) > 1:
        assert not is_sorted(rows(listed[::-1]))


@given(st.integers(1, 3_000), st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(0, 20))
def test_many_digests_are_put_in_order_as_few_are(
    n: int, seed: int, shared: int, repeated: int
) -> None:
    """Spread evenly as hashes are; some share their first eight bytes, some are equal."""
    rng = np.random.default_rng(seed)
    digests = rng.integers(0, 256, (n, 32), dtype=np.uint8)
    for size, count in ((8, shared), (32, repeated)):
        for source, target in rng.integers(0, n, (count, 2)).tolist():
            digests[target, :size] = digests[source, :size]
    before = [bytes(row) for row in digests]
    rows = put_in_order(digests)
    assert rows.tolist() == sorted(range(n), key=lambda row: (before[row], row))
    assert [bytes(row) for row in digests] == sorted(before)


def test_digests_that_crowd_are_left_to_the_slow_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sends a file may have made up its digests, so that all fall into one bucket."""
    crowded = np.zeros((3_000, 32), dtype=np.uint8)
    crowded[:, 30:] = np.arange(3_000, dtype=">u2")[::-1].copy().view(np.uint8).reshape(-1, 2)
    before = crowded.copy()
    assert put_in_order(crowded) is None
    assert (crowded == before).all()
    monkeypatch.setattr(files_digests, "COMPILE_FROM", 100)
    found, rows = in_order(crowded)
    assert (found == before[::-1]).all()
    assert rows.tolist() == list(range(3_000))[::-1]


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
        others = table.select(["x"])
        try:
            expected = rows_in_order(table, "k", None, KEY)
        except UsageError:
            with pytest.raises(UsageError, match="not unique"):
                rows_in_order(others, "k", keys, KEY)
            return
        found = rows_in_order(others, "k", keys, KEY)
    assert (found.digests == expected.digests).all()
    assert (found.table["x"].codes == expected.table["x"].codes).all()


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
        rows_in_order(Table({}), "k", read_keys(tmp_path / "t.parquet", "k"), KEY)


def test_other_keys_are_left_to_the_reader_of_tables(tmp_path: Path) -> None:
    write_table(table_of({"k": [0.5, 1.5]}), tmp_path / "t.parquet")
    write_table(table_of({"k": [1, 2]}), tmp_path / "t.csv")
    assert read_keys(tmp_path / "t.parquet", "k") is None
    assert read_keys(tmp_path / "t.csv", "k") is None


def test_parquet_holds_digests_as_bytes_and_shows_them_as_digits(tmp_path: Path) -> None:
    digests = np.random.default_rng(1).integers(0, 256, (300, 32), dtype=np.uint8)
    table = table_of({"x": list(range(300))})
    path = tmp_path / "sent.parquet"
    keyed.write_keyed(path, digests[::2], table.take(np.arange(150)))
    assert pq.read_schema(path).field("privet_key").type == pa.binary(32)
    assert (keyed.read_keyed(path)[0] == digests[::2]).all()
    shown = read_table(path)["privet_key"]
    digits = [shown.domain.values[code] for code in shown.codes]
    assert digits == [row.tobytes().hex() for row in digests[::2]]


def test_files_of_former_versions_hold_digits_and_are_read(tmp_path: Path) -> None:
    digests = np.random.default_rng(2).integers(0, 256, (20, 32), dtype=np.uint8)
    texts = [row.tobytes().hex() for row in digests]
    path = tmp_path / "sent.parquet"
    pq.write_table(pa.table({"privet_key": texts, "x": list(range(20))}), path)
    found, table = keyed.read_keyed(path)
    assert (found == digests).all()
    assert table.names == ("x",)


def test_a_missing_digest_is_missing_and_no_party_sent_it(tmp_path: Path) -> None:
    path = tmp_path / "sent.parquet"
    keys = pa.array([bytes(range(32)), None, bytes(32)], pa.binary(32))
    pq.write_table(pa.table({"privet_key": keys, "x": [1, 2, 3]}), path)
    column = read_table(path)["privet_key"]
    assert list(column.domain.values) == ["00" * 32, bytes(range(32)).hex()]
    assert column.codes.tolist() == [1, 2, 0]
    with pytest.raises(InputError, match="does not hold digests"):
        keyed.read_keyed(path)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40))
def test_many_integers_are_written_as_few(numbers: list[int]) -> None:
    inner, outer = (
        bytes(byte ^ pad for byte in KEY.secret.ljust(64, b"\0")) for pad in (0x36, 0x5C)
    )
    digests = hmac_of_integers(inner, outer, np.array(numbers, dtype=np.int64), b"i:")
    expected = [hmac.digest(KEY.secret, f"i:{number}".encode(), "sha256") for number in numbers]
    assert [row.tobytes() for row in digests] == expected


def test_equal_digests_are_found_across_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = np.sort(np.random.default_rng(3).integers(0, 4, (50, 1)), axis=0).astype(np.uint8)
    digests = np.repeat(digests, 32, axis=1)
    expected = [False, *(a == b for a, b in pairwise(digests[:, 0].tolist()))]
    for rows in (1, 2, 7, 50):
        monkeypatch.setattr(files_digests, "STRETCH", rows)
        assert files_digests.same_as_last(digests).tolist() == expected


def test_many_keys_have_the_digests_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = pa.chunked_array([pa.array([5, None, -17] * 50), pa.array([2**62, 0, 9] * 50)])
    few, missing = files_digests.digests_of_keys(keys, KEY.secret)
    assert missing == 50
    monkeypatch.setattr(files_digests, "COMPILE_FROM", 100)
    many, missing = files_digests.digests_of_keys(keys, KEY.secret)
    assert missing == 50
    assert np.array_equal(few, many)
