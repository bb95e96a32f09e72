"""Values of people who were left out are in no file that is sent or joined."""

import importlib.util
from pathlib import Path

import pytest

from privet.errors import UsageError
from privet.files import table_of
from privet.parties import ProjectKey, join, mask

KEY = ProjectKey("test", b"k" * 32)
GONE = "LEFTOUTCLEAR"
needs_pyreadstat = pytest.mark.skipif(
    importlib.util.find_spec("pyreadstat") is None, reason="pyreadstat reads and writes it"
)
ENDINGS = [
    *("csv", "parquet", "arff"),
    *(pytest.param(ending, marks=needs_pyreadstat) for ending in ("sav", "dta")),
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_who_is_left_out_of_a_file_leaves_no_value(tmp_path: Path, ending: str) -> None:
    cells = {"id": ["a", "b", None, "c", "c"], "name": ["x", "y", GONE, GONE, GONE + "2"]}
    masked = mask(table_of(cells), key="id", project_key=KEY, leave_out_keys=True)
    masked.write(tmp_path / f"sent.{ending}")
    assert masked.table["name"].domain.values.tolist() == ["x", "y"]
    assert GONE.encode() not in (tmp_path / f"sent.{ending}").read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_who_is_unknown_to_others_leaves_no_value(tmp_path: Path, ending: str) -> None:
    mask(
        table_of({"id": ["a", "b", "c"], "name": ["x", "y", GONE]}), key="id", project_key=KEY
    ).write(tmp_path / "one.parquet")
    mask(table_of({"id": ["a", "b"], "n": [1, 2]}), key="id", project_key=KEY).write(
        tmp_path / "two.parquet"
    )
    joined = join([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    joined.write(tmp_path / f"joined.{ending}")
    assert GONE.encode() not in (tmp_path / f"joined.{ending}").read_bytes()


def test_a_table_of_which_nobody_is_left_is_refused() -> None:
    table = table_of({"id": ["a", "a", None], "name": ["x", "y", GONE]})
    with pytest.raises(UsageError, match="No row has a key 'id' that can serve") as refused:
        mask(table, key="id", project_key=KEY, leave_out_keys=True)
    assert GONE not in str(refused.value)
