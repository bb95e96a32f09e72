"""A folder of small files that every command finds something to do with."""

import contextlib
import io
import sys
from pathlib import Path

from privet.cli.main import main

ROWS = "\n".join(
    f"p{i},{20 + i % 50},{'abc'[i % 3]},{'yes' if i % 4 else 'no'}" for i in range(240)
)
SCHEMA = """[columns.age]
kind = "integer"
domain = [0, 100]
bins = 5
[columns.diag]
kind = "category"
domain = ["a", "b", "c"]
[columns.y]
kind = "category"
role = "target"
domain = ["no", "yes"]
"""
MASK = ["mask", "t.csv", "--key", "id", "--sensitive", "age", "--project-key", "pk.json"]
OTHER = ["y" if word == "age" else word for word in MASK]
TREE = ["tree", "t.csv", "--target", "y", "--drop", "id", "--leaves", "3"]
PUBLISH = ["publish", "t.csv", "--target", "y", "--drop", "id", "-k", "5", "--leaves", "3"]
ANONYMISE = ["anonymise", "t.csv", "--drop", "id", "-k", "5"]
NOISE = ["noise", "t.csv", "--target", "y", "--drop", "id", "--seed", "1"]
SUBSTITUTE = ["substitute", "u.csv", "--schema", "u.toml", "--seed", "1"]
EXPLORE = ["explore", "t.csv", "--target", "y", "--drop", "id", "--leaves", "3"]
ADVISE = ["advise", "u.csv", "--target", "y", "--gammas", "9", "--bins", "4"]
REBUILD = ["rebuild", "perturbed.csv", "--mechanism", "perturbed.mechanism.json", "--target", "y"]
ORIGINALS = ["tree", *REBUILD[1:]]


def make(home: Path) -> None:
    """Fill a folder, with commands of Privet."""
    with contextlib.chdir(home), contextlib.redirect_stdout(io.StringIO()):
        Path("t.csv").write_text(f"id,age,diag,y\n{ROWS}\n")
        Path("u.csv").write_text(
            "age,diag,y\n" + "\n".join(row.partition(",")[2] for row in ROWS.split("\n")) + "\n"
        )
        Path("u.toml").write_text(SCHEMA)
        _workbook(Path("t.xlsx"))
        for asked in (
            [*TREE, "--out", "model.json"],
            [*PUBLISH, "--out", "release", "--audit", "audit"],
            ["party", "init", "--project", "p", "--out", "pk.json"],
            [*MASK, "--codebook", "book", "--out", "s1.parquet", "--drop", "y"],
            [*OTHER, "--drop", "age,diag", "--codebook", "book2", "--out", "s2.parquet"],
            ["join", "s1.parquet", "s2.parquet", "--out", "joined.parquet"],
            ["tree", "joined.parquet", "--target", "H_y", "--leaves", "3", "--out", "mined.json"],
            [*SUBSTITUTE, "--out", "perturbed.csv"],
        ):
            if main(asked) != 0:
                raise RuntimeError(f"privet {' '.join(asked)}")


def _workbook(path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for line in Path("t.csv").read_text().splitlines():
        book.active.append([int(cell) if cell.isdigit() else cell for cell in line.split(",")])
    book.save(path)


def state(folder: Path) -> dict[str, bytes]:
    """Every file, hidden ones as well."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


if __name__ == "__main__":
    make(Path(sys.argv[1]))
