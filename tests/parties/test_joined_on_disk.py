"""Files of several parties are joined on disk as in memory: the same bytes, counts and refusals."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_join import inner_join
from privet import ProjectKey, join, mask, read_table, stack, table_of
from privet.cli.main import main
from privet.errors import PrivetError, UsageError
from privet.files import digests as files_digests
from privet.files.keyed import read_keyed, write_keyed
from privet.parties import Joined
from privet.parties.receipts import receipt_path
from small_batches import batches_of

KEY = ProjectKey("test", bytes(range(32)))
Party = dict[int, str]
parties = st.lists(
    st.dictionaries(st.integers(0, 30), st.sampled_from(["a", "b", "c,d", "é"]), min_size=1),
    min_size=2,
    max_size=4,
)


def sent(folder: Path, every: Sequence[Party], ending: str, name: str = "c{}") -> list[Path]:
    """The files of parties that mask nothing."""
    paths = []
    for number, party in enumerate(every):
        cells = {"id": list(party), name.format(number): list(party.values())}
        paths.append(folder / f"party{number}.{ending}")
        mask(table_of(cells), key="id", project_key=KEY).write(paths[-1])
    return paths


def answer(work: Callable[[], Joined], out: Path) -> object:
    """All that a join gives: two files and what is counted; or why there is none."""
    try:
        joined = work()
    except PrivetError as error:
        return str(error)
    joined.write(out)
    made = [out.read_bytes()]
    joined.write(out, keep_key=True)
    made.append(out.read_bytes())
    return made, joined.parties, joined.rows, joined.unmatched, joined.filled, joined.table.names


@given(
    parties,
    st.sampled_from([1, 2, 7, 100]),
    st.sampled_from(["parquet", "csv"]),
    st.sampled_from([None, "b", "new", ...]),
)
def test_joins_are_the_same(every: list[Party], rows: int, ending: str, fill: Any) -> None:
    """Everybody known to all, or all with values to fill in."""
    filling = None
    if fill is not None:
        value = None if fill is ... else fill
        filling = {f"c{number}": value for number in range(len(every))}
    with TemporaryDirectory() as name:
        paths, out = sent(Path(name), every, ending), Path(name) / f"joined.{ending}"
        expected = answer(lambda: join(paths, filling), out)
        with batches_of(rows):
            assert answer(lambda: join(paths, filling), out) == expected
            common = inner_join([{k: (v,) for k, v in party.items()} for party in every])
            if common and fill is None:
                assert join(paths).table.n_rows == len(common)


@given(parties, st.sampled_from([1, 2, 7, 100]), st.booleans())
def test_stacks_are_the_same(every: list[Party], rows: int, apart: bool) -> None:
    """Of people apart, or with some in common, which is refused with their number."""
    if apart:
        every = [{100 * n + key: v for key, v in own.items()} for n, own in enumerate(every)]
    with TemporaryDirectory() as name:
        paths = sent(Path(name), every, "parquet", "same")
        out = Path(name) / "stacked.parquet"
        expected = answer(lambda: stack(paths), out)
        assert not apart or not isinstance(expected, str)
        with batches_of(rows):
            assert answer(lambda: stack(paths), out) == expected


@pytest.mark.parametrize("rows", [1, 5, 1000])
@pytest.mark.parametrize("compile_from", [10, 200_000])
def test_files_that_are_not_in_order_are_put_in_order(
    tmp_path: Path, rows: int, compile_from: int
) -> None:
    every: list[Party] = [{n: "ab"[n % 2] for n in range(start, start + 40)} for start in (0, 9)]
    paths = sent(tmp_path, every, "parquet")
    expected = answer(lambda: join(paths), tmp_path / "joined.csv")
    digests, table = read_keyed(paths[0])
    order = np.arange(40)[::-1]
    write_keyed(paths[0], digests[order], table.take(order))
    receipt_path(paths[0]).unlink()
    with patch.object(files_digests, "COMPILE_FROM", compile_from):
        assert answer(lambda: join(paths), tmp_path / "joined.csv") == expected
        with batches_of(rows):
            assert answer(lambda: join(paths), tmp_path / "joined.csv") == expected


@pytest.mark.parametrize("where", ["inside", "at the edge"])
def test_a_key_that_a_file_has_twice_is_refused(tmp_path: Path, where: str) -> None:
    paths = sent(tmp_path, [dict.fromkeys(range(6), "a"), {1: "b"}], "parquet")
    digests, table = read_keyed(paths[0])
    rows = np.array([0, 1, 1, 2, 3, 4] if where == "inside" else [0, 1, 2, 2, 3, 4])
    write_keyed(paths[0], digests[rows], table.take(rows))
    receipt_path(paths[0]).unlink()
    for stretch in (3, 100):
        with batches_of(stretch), pytest.raises(PrivetError, match="1 keys of party0"):
            join(paths)


def test_numbers_of_two_kinds_are_stacked_as_decimals(tmp_path: Path) -> None:
    paths = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for path, ids, own in zip(paths, ([1, 2], [3, 4]), ([5, None], [0.5, 7.0]), strict=True):
        mask(table_of({"id": ids, "x": own}), key="id", project_key=KEY).write(path)
    expected = answer(lambda: stack(paths), tmp_path / "stacked.csv")
    assert not isinstance(expected, str)
    with batches_of(1):
        assert answer(lambda: stack(paths), tmp_path / "stacked.csv") == expected
    assert sorted(read_table(tmp_path / "stacked.csv")["x"].domain.values) == [0.5, 5.0, 7.0]


def test_values_to_fill_that_are_missing_are_named(tmp_path: Path) -> None:
    paths = sent(tmp_path, [{1: "a", 2: "b"}, {2: "a", 3: "b"}], "parquet")
    with batches_of(1), pytest.raises(UsageError, match="no value for column 'c1'"):
        join(paths, {"c0": "a"})


@pytest.mark.parametrize("more", [[], ["--keep-key"], ["--fill", "fill.json"], ["--json"]])
def test_the_command_writes_and_says_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    sent(tmp_path, [{n: "ab"[n % 2] for n in range(0, 30, step)} for step in (2, 3)], "csv")
    (tmp_path / "fill.json").write_text('{"c0": "a", "c1": null}', encoding="utf-8")
    asked = ["join", "party0.csv", "party1.csv", "--out", "joined.csv", "--force", *more]
    made = []
    for engine in (["memory"], ["duckdb", "--memory", "300MB"], ["auto"]):
        assert main([*asked, "--engine", *engine]) == 0
        made.append((capsys.readouterr().out, (tmp_path / "joined.csv").read_bytes()))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--out", "j.csv", "--engine", "spark"], "a cluster has nothing to count"),
        (["--out", "j.xlsx", "--keep-key", "--engine", "duckdb"], "ends in .parquet or .csv"),
        (["--out", "j.csv", "--memory", "2GB"], "--memory limits what counting on disk"),
    ],
)
def test_what_the_command_refuses(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    sent(tmp_path, [{1: "a"}, {1: "b"}], "csv")
    assert main(["join", "party0.csv", "party1.csv", *more]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("j.*"))
