"""What is sent is what was masked, in every format; one that cannot hold it is refused."""

from pathlib import Path

import numpy as np
import pytest

from privet.cli.main import main
from privet.errors import OutputError
from privet.files import table_of
from privet.files.keyed import read_keyed
from privet.parties import Masked, ProjectKey, join, mask

KEY = ProjectKey("test", b"k" * 32)
FORMATS = ["parquet", "csv", "tsv", "arff", "xlsx", "sav", "dta"]


def masked_table(name: str) -> Masked:
    rng = np.random.default_rng(1)
    cells = {"id": list(range(40)), name: rng.integers(-(2**61), 2**61, 40).tolist()}
    return mask(table_of(cells), key="id", sensitive=[name], project_key=KEY, seed=1)


@pytest.mark.parametrize("ending", FORMATS)
def test_masks_keep_their_last_bit(ending: str, tmp_path: Path) -> None:
    masked = masked_table("big")
    masked.write(tmp_path / f"sent.{ending}")
    _, table = read_keyed(tmp_path / f"sent.{ending}")
    assert table["H_big"].domain == masked.table["H_big"].domain


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_names_that_a_format_changes_are_refused(ending: str, tmp_path: Path) -> None:
    masked = masked_table("body height")
    with pytest.raises(OutputError, match=r"cannot hold the table as it is.*H_body height"):
        masked.write(tmp_path / f"sent.{ending}")
    assert list(tmp_path.iterdir()) == []
    masked.write(tmp_path / "one.parquet")
    mask(table_of({"id": list(range(40)), "x": list(range(40))}), key="id", project_key=KEY).write(
        tmp_path / "two.parquet"
    )
    joined = join([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    with pytest.raises(OutputError, match="H_body height"):
        joined.write(tmp_path / f"joined.{ending}")


def test_the_command_says_so_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("id,body height\n1,170\n2,180\n3,165\n")
    KEY.write(tmp_path / "project.key")
    arguments = ["--key", "id", "--sensitive", "body height", "--out", str(tmp_path / "sent.dta")]
    secrets = ["--codebook", str(tmp_path / "book.json")]
    secrets += ["--project-key", str(tmp_path / "project.key")]
    assert main(["mask", str(tmp_path / "a.csv"), *arguments, *secrets]) == 2
    assert "Hint: name a file that ends in .parquet" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "project.key"}
