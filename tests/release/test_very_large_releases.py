"""Releases that unpack to far more than their size: true ones do, where columns hold few values."""

from pathlib import Path

import pytest

import privet
from privet.errors import InputError
from privet.files import parquet, read_table
from privet.files.fence import trusted

PEOPLE = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_CELLS_ALWAYS_READ", 5)
    monkeypatch.setattr(parquet, "_MOST_RATIO", 0)


def test_who_made_it_or_has_its_fingerprint_reads_it(tmp_path: Path) -> None:
    fingerprint = privet.publish(PEOPLE, target="buys", k=3).save(tmp_path / "r")
    assert privet.verify(tmp_path / "r", fingerprint)
    stranger = privet.verify(tmp_path / "r")
    assert not stranger
    assert any("looks like an attack" in check.detail for check in stranger.checks)


def test_trust_ends_with_its_block(tmp_path: Path) -> None:
    privet.publish(PEOPLE, target="buys", k=3).save(tmp_path / "r")
    with trusted(True):
        assert read_table(tmp_path / "r" / "data.parquet").n_rows == 6
        with trusted(False), pytest.raises(InputError, match="attack"):
            read_table(tmp_path / "r" / "data.parquet")
    with pytest.raises(InputError, match="attack"):
        read_table(tmp_path / "r" / "data.parquet")
