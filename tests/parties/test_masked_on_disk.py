"""What a party sends is the same file whatever the order of its rows, the files that they came in,
the size of a batch and the engine."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import slow_row_draws
from privet import ProjectKey, mask, read_table, table_of, write_table
from privet.cli.main import main
from privet.errors import UsageError
from privet.files import digests as files_digests
from privet.files.keyed import read_keys
from privet.mechanism.identities import numbered
from privet.mechanism.row_bits import RowBits, below
from privet.randomness import generator
from privet.table import Table
from small_batches import batches_of

KEY = ProjectKey("test", bytes(range(32)))
N = 60


def people(n: int = N) -> dict[str, list[Any]]:
    rng = generator(1, "people")
    ages = [None if age > 85 else int(age) for age in rng.integers(18, 90, n)]
    return {
        "id": [f"p{number}" for number in rng.permutation(n)],
        "age": ages,
        "town": rng.choice(["Bonn", "Köln", "Ulm", "", "a,b"], n).tolist(),
        "day": [f"2024-02-{day:02d}" for day in rng.integers(1, 29, n)],
        "height": rng.choice([1.5, -0.0, 2.0**60], n).tolist(),
    }


def sent(given: Any, path: Path, **more: Any) -> dict[str, bytes]:
    """The files that a masking makes, by name."""
    choices: dict[str, Any] = {"homophones": {"town": 8}, "seed": 7} | more
    masked = mask(given, key="id", sensitive=["age", "town"], project_key=KEY, **choices)
    masked.write(path)
    book = masked.codebook.to_text().encode()
    said = repr((masked.about, masked.fill, masked.left_out)).encode()
    made = {file.name: file.read_bytes() for file in path.parent.glob(f"{path.name}*")}
    return {**made, "codebook": book, "said": said}


def permuted(cells: dict[str, list[Any]], order: list[int]) -> Table:
    return table_of({name: [own[row] for row in order] for name, own in cells.items()})


@given(st.permutations(range(12)), st.sampled_from([1, 2, 7, 100]), st.sampled_from(["csv", "pq"]))
def test_neither_order_nor_batches_matter(order: list[int], rows: int, ending: str) -> None:
    cells = people(12)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_table(table_of(cells), folder / "one.parquet")
        write_table(permuted(cells, order), folder / "other.parquet")
        expected = sent(read_table(folder / "one.parquet"), folder / f"sent.{ending}")
        assert len(expected) >= 4
        with batches_of(rows):
            found = sent(read_table(folder / "other.parquet"), folder / f"sent.{ending}")
    assert found == expected


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet"])
@pytest.mark.parametrize("rows", [1, 7, N])
def test_the_split_into_files_does_not_matter(tmp_path: Path, rows: int, ending: str) -> None:
    cells = people()
    write_table(table_of(cells), tmp_path / "whole.parquet")
    (tmp_path / "parts").mkdir()
    for number, some in enumerate(np.array_split(np.arange(N)[::-1], 3)):
        write_table(permuted(cells, some.tolist()), tmp_path / "parts" / f"{number}.parquet")
    expected = sent(read_table(tmp_path / "whole.parquet"), tmp_path / f"sent.{ending}")
    pattern = tmp_path / "parts" / "*.parquet"
    assert sent(read_table(pattern), tmp_path / f"sent.{ending}") == expected
    with batches_of(rows):
        assert sent(read_table(pattern), tmp_path / f"sent.{ending}") == expected
        others = read_table(pattern, columns=[name for name in cells if name != "id"])
        keys = read_keys(pattern, "id")
        assert keys is not None
        assert sent(others, tmp_path / f"sent.{ending}", keys=keys) == expected


@pytest.mark.parametrize("kind", ["integer", "text", "date"])
def test_every_kind_of_key(tmp_path: Path, kind: str) -> None:
    own = {
        "integer": [2**62 - 5 * number for number in range(N)],
        "text": [f"Zoë {number}" for number in range(N)],
        "date": [f"2024-{1 + number // 28:02d}-{1 + number % 28:02d}" for number in range(N)],
    }
    write_table(table_of(people() | {"id": own[kind]}), tmp_path / "t.csv")
    expected = sent(read_table(tmp_path / "t.csv"), tmp_path / "sent.parquet")
    with batches_of(7):
        assert sent(read_table(tmp_path / "t.csv"), tmp_path / "sent.parquet") == expected


def test_many_digests_in_one_batch_are_sorted(tmp_path: Path) -> None:
    """The compiled sort works in place, and what lies on disk is not to be written to."""
    write_table(table_of(people()), tmp_path / "t.csv")
    with patch.object(files_digests, "COMPILE_FROM", 10):
        expected = sent(read_table(tmp_path / "t.csv"), tmp_path / "sent.parquet")
        with batches_of(N):
            assert sent(read_table(tmp_path / "t.csv"), tmp_path / "sent.parquet") == expected


BAD_KEYS = ["a", "b", "b", None, " a", "c", "d", "d ", "d", "e", None]


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_rows_whose_key_cannot_serve_are_left_out_and_counted(tmp_path: Path, rows: int) -> None:
    cells = people(len(BAD_KEYS)) | {"id": BAD_KEYS}
    write_table(table_of(cells), tmp_path / "t.parquet")
    chosen: dict[str, Any] = {"leave_out_keys": True, "homophones": {}}
    path = tmp_path / "sent.parquet"
    expected = sent(read_table(tmp_path / "t.parquet"), path, **chosen)
    assert read_table(path).n_rows == 2  # c and e
    assert b"{'missing': 2, 'duplicate': 4, 'format': 3}" in expected["said"]
    with batches_of(rows):
        assert sent(read_table(tmp_path / "t.parquet"), path, **chosen) == expected


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (BAD_KEYS, "missing in 2 of 11 rows"),
        ([*"aabbbcdefgh"], "2 keys occur more than once, in 5 rows"),
        (["a", " a", "a ", *"bcdefghi"], "2 values that become equal once trimmed"),
        ([number + 0.5 for number in range(11)], "decimals"),
    ],
)
def test_keys_that_cannot_serve_are_refused_with_counts(
    tmp_path: Path, own: list[Any], message: str
) -> None:
    write_table(table_of(people(11) | {"id": own}), tmp_path / "t.parquet")
    with pytest.raises(UsageError, match=message):
        sent(read_table(tmp_path / "t.parquet"), tmp_path / "sent.parquet")
    with batches_of(2), pytest.raises(UsageError, match=message):
        sent(read_table(tmp_path / "t.parquet"), tmp_path / "sent.parquet")
    assert not (tmp_path / "sent.parquet").exists()


def test_one_row_more_leaves_the_aliases_of_the_others() -> None:
    """A draw belongs to a row, and not to its place among others."""
    aliases = []
    for ids in ([*"abcdefgh"], [*"zabcdefgh"]):
        cells = {"id": ids, "x": ["u"] * len(ids)}
        book = mask(table_of({"id": [*"pqr"], "x": ["u"] * 3}), key="id", sensitive="x",
                    project_key=KEY, homophones={"x": 3}, seed=1).codebook  # fmt: skip
        masked = mask(
            table_of(cells), key="id", sensitive="x", project_key=KEY, codebook=book, seed=1
        )
        column = masked.table["H_x"]
        names = column.domain.values[column.codes]
        digests = [row.tobytes() for row in masked.digests]
        aliases.append(dict(zip(digests, names.tolist(), strict=True)))
    assert len(aliases[1]) == 9
    assert aliases[0].items() <= aliases[1].items()
    assert len(set(aliases[0].values())) > 1


@given(
    st.lists(st.one_of(st.integers(1, 9), st.integers(2**31, 2**32)), max_size=30),
    st.integers(0, 99),
)
def test_draws_below_a_total_are_those_of_python(totals: list[int], seed: int) -> None:
    bits = RowBits(seed, "test", numbered(len(totals)))
    found = below(np.array(totals, dtype=np.int64), bits)
    assert found.tolist() == slow_row_draws.below(totals, bits)
    assert all(0 <= own < total for own, total in zip(found.tolist(), totals, strict=True))


def test_all_homophones_are_about_equally_frequent() -> None:
    for bits in (None, RowBits(3, "test", numbered(60_000))):
        counts = Counter(below(np.full(60_000, 6), bits).tolist())
        assert sorted(counts) == list(range(6))
        assert all(abs(n - 10_000) < 600 for n in counts.values())  # over six standard deviations


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table(table_of(people()), tmp_path / "t.csv")
    KEY.write(tmp_path / "k.key")
    return tmp_path


MASK = ["mask", "t.csv", "--key", "id", "--project-key", "k.key", "--party", "us"]


def test_the_command_writes_and_says_the_same(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*MASK, "--sensitive", "age,town", "--seed", "3", "--homophones", "town=9", "--force"]
    asked += ["--codebook", "c.json", "--out", "sent.csv", "--fill-out", "fill.json"]
    made = []
    for engine in (["memory"], ["duckdb", "--memory", "300MB"], ["auto"]):
        (home / "c.json").unlink(missing_ok=True)
        assert main([*asked, "--engine", *engine]) == 0
        said = capsys.readouterr().out
        files = {path.name: path.read_bytes() for path in home.iterdir()}
        assert len(files) == 7
        made.append((said, files))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--out", "sent.csv", "--engine", "spark"], "a cluster has nothing to count"),
        (["--out", "sent.xlsx", "--engine", "duckdb"], "ends in .parquet or .csv"),
        (["--out", "sent.csv", "--memory", "2GB"], "--memory limits what counting on disk"),
    ],
)
def test_what_the_command_refuses(
    home: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*MASK, *more]) == 2
    assert message in capsys.readouterr().err
    assert not list(home.glob("sent*"))
