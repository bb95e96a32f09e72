"""The miner's side: inner joins, fills, stacks, and what is refused."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_join import inner_join
from privet.errors import InputError, PrivetError, UsageError
from privet.files import frame_of, read_table, table_of
from privet.parties import Masked, ProjectKey, decode_table, join, mask, stack

KEY = ProjectKey("test", b"k" * 32)


def sent(path: Path, cells: dict[str, list[Any]], key: ProjectKey = KEY, **choices: Any) -> Masked:
    table = table_of(cells)
    sensitive = [name for name in cells if name != "id"]
    masked = mask(table, key="id", sensitive=sensitive, project_key=key, **choices)
    masked.write(path)
    return masked


def rows_of(table: Any, names: list[str]) -> list[tuple[Any, ...]]:
    cells = frame_of(table, "lists")
    return sorted(zip(*(cells[name] for name in names), strict=True), key=repr)


@given(
    st.lists(
        st.dictionaries(st.integers(0, 30), st.sampled_from("abc"), min_size=1, max_size=25),
        min_size=2,
        max_size=4,
    ),
    st.sampled_from(["parquet", "csv"]),
)
def test_a_join_is_that_of_dictionaries(parties: list[dict[int, str]], ending: str) -> None:
    expected = inner_join([{k: (v,) for k, v in party.items()} for party in parties])
    with TemporaryDirectory() as name:
        folder = Path(name)
        books, paths = [], []
        for number, party in enumerate(parties):
            paths.append(folder / f"{number}.{ending}")
            cells = {"id": list(party), f"c{number}": list(party.values())}
            books.append(sent(paths[-1], cells).codebook)
        if not expected:
            with pytest.raises(UsageError, match="No key is known to all"):
                join(paths)
            return
        result = join(paths)
    assert result.unmatched == tuple(len(party) - len(expected) for party in parties)
    table = result.table
    for book in books:
        table = decode_table(table, book, maskings=result.maskings).result
    names = [f"c{number}" for number in range(len(parties))]
    assert rows_of(table, names) == sorted(expected.values(), key=repr)


def test_rows_come_in_the_order_of_their_digests(tmp_path: Path) -> None:
    masked = sent(tmp_path / "a.parquet", {"id": list(range(50)), "x": list(range(50))})
    texts = [bytes(row).hex() for row in masked.digests]
    assert texts == sorted(texts)
    assert read_table(tmp_path / "a.parquet").names == ("privet_key", "H_x")
    assert frame_of(read_table(tmp_path / "a.parquet"), "lists")["privet_key"] == texts


def test_fill_keeps_everybody_and_says_where(tmp_path: Path) -> None:
    a = sent(tmp_path / "a.parquet", {"id": [1, 2, 3], "x": [10, 20, 60]}, bounds={"x": "0,32,64"})
    b = sent(tmp_path / "b.parquet", {"id": [2, 3, 4, 5], "d": ["flu", "flu", "asthma", "flu"]})
    result = join([tmp_path / "a.parquet", tmp_path / "b.parquet"], {**a.fill, **b.fill})
    assert result.unmatched == (1, 2)
    assert result.filled == {"a": 2, "b": 1}
    known = {"maskings": result.maskings}
    first = decode_table(result.table, a.codebook, **known).result  # type: ignore[arg-type]
    table = decode_table(first, b.codebook, **known).result  # type: ignore[arg-type]
    assert rows_of(table, ["x", "d", "filled_a", "filled_b"]) == sorted(
        [
            (10, "flu", "no", "yes"),
            (20, "flu", "no", "no"),
            (60, "flu", "no", "no"),
            (20, "asthma", "yes", "no"),  # the value nearest to the mean: x is classes
            (20, "flu", "yes", "no"),
        ],
        key=repr,
    )
    with pytest.raises(UsageError, match="no value for column 'H_d'"):
        join([tmp_path / "a.parquet", tmp_path / "b.parquet"], a.fill)


@pytest.mark.parametrize(
    "value", [pytest.param(10**400, id="huge"), 2**63, 1e308, "nan", "inf", True, [], "x"]
)
def test_fill_values_that_no_table_can_hold_are_refused(value: Any, tmp_path: Path) -> None:
    sent(tmp_path / "a.parquet", {"id": [1, 2, 3], "x": [0.5, 20.25, 60.0]})
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    table = table_of({"id": [2, 3, 4], "n": [7, 8, 9]})
    mask(table, key="id", project_key=KEY).write(paths[1])
    for name in ("n",) if value in (2**63, 1e308) else ("H_x", "n"):
        with pytest.raises(UsageError, match=f"'{name}' is not of kind"):
            join(paths, {"H_x": 2.0, "n": 8, name: value})


def test_stacked_parties_share_a_codebook(tmp_path: Path) -> None:
    cells = {"id": [1, 2, 3], "d": ["x", "y", "x"], "n": [1, 5, 9]}
    first = sent(tmp_path / "a.parquet", cells, bounds={"n": "0,16"})
    more = {"id": [4, 5], "d": ["y", "z"], "n": [2, 3]}
    with pytest.raises(UsageError, match="1 categories that the codebook does not hold"):
        sent(tmp_path / "b.parquet", more, codebook=first.codebook)
    second = sent(tmp_path / "b.parquet", more, codebook=first.codebook, extend=True)
    result = stack([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    table = decode_table(result.table, second.codebook, maskings=result.maskings).result
    expected = [("x", 1), ("y", 5), ("x", 9), ("y", 2), ("z", 3)]
    assert rows_of(table, ["d", "n"]) == sorted(expected, key=repr)
    assert bool((np.diff([int(bytes(d).hex(), 16) for d in result.digests]) > 0).all())
    with pytest.raises(UsageError, match="3 keys occur in more than one file"):
        stack([tmp_path / "a.parquet", tmp_path / "a.parquet"])


def test_what_cannot_be_joined_is_refused(tmp_path: Path) -> None:
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    sent(a, {"id": [1, 2], "x": [1, 2]})
    sent(b, {"id": [1, 2], "x": [1, 2]}, ProjectKey.new("other"))
    with pytest.raises(UsageError, match="Column 'H_x' is in a and in b"):
        join([a, b])
    with pytest.raises(UsageError, match="two or more"):
        join([a])
    sent(b, {"id": [1, 2], "z": [1, 2]}, ProjectKey.new("other"))
    with pytest.raises(UsageError, match="No key is known"):
        join([a, b])
    with pytest.raises(UsageError, match="'H_x' is in only one"):
        stack([a, b])
    for content in (a.read_bytes()[:-20], a.read_bytes()[:100], b"PAR1"):
        b.write_bytes(content)
        with pytest.raises(InputError):
            join([a, b])
    plain = tmp_path / "plain.csv"
    plain.write_text("id,x\n1,2\n")
    with pytest.raises(InputError, match="no masked file"):
        join([a, plain])
    plain.write_text("privet_key,x\nabc,2\n")
    with pytest.raises(InputError, match="does not hold digests"):
        join([a, plain])


@pytest.mark.parametrize(
    ("cells", "choices", "message"),
    [
        ({"x": [1, 99]}, {"bounds": {"x": "0,50"}}, "1 distinct values outside the bounds"),
        ({"x": [1, 2]}, {"bounds": {"x": "5"}, "homophones": {"x": 4}}, "holds numbers"),
        ({"x": ["a", "b"]}, {"bounds": {"x": "1,2"}}, "holds categories"),
        ({"x": [1.0, 1.0 + 2**-52]}, {"bounds": {"x": "0,1e6"}}, "too close"),
        ({"x": [1, 2]}, {"bounds": {"q": "1,2"}}, "no column 'q'"),
        ({"x": [1, 2], "H_x": [1, 2]}, {}, "a column 'H_x' already"),
        ({"privet_key": [1, 2]}, {}, "'privet_key' already"),
    ],
)
def test_masks_that_cannot_be_made_are_refused(
    cells: dict[str, list[Any]], choices: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(PrivetError, match=message):
        sent(tmp_path / "a.parquet", {"id": [1, 2], **cells}, **choices)
    assert not list(tmp_path.iterdir())
