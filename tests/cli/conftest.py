"""What several tests of commands begin with."""

from pathlib import Path

import pytest

from privet.datasets import agrawal, agrawal_schema
from privet.files import write_table


@pytest.fixture
def people(tmp_path: Path) -> list[str]:
    """A table of Agrawal's first function and its schema, as commands name them."""
    table = agrawal(1, 3_000, 5)
    write_table(table, tmp_path / "people.parquet")
    (tmp_path / "people.toml").write_text(agrawal_schema(table, 10).to_toml())
    return [str(tmp_path / "people.parquet"), "--schema", str(tmp_path / "people.toml")]
