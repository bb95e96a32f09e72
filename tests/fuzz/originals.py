"""One good file of every kind that Privet reads, made by Privet itself in a folder."""

import contextlib
import io
import random
import sys
from pathlib import Path

from fuzz import odd_tables
from privet.cli.main import main

N = 60
_OPTIONS = 'target = "y"\nleaves = 4\ndrop = ["id"]\nmissing = ["NA", "?"]\nforce = true\n'


def make(folder: Path, seed: int) -> None:
    """Fill a folder: tables, settings, models, releases, and what parties exchange."""
    folder.mkdir(parents=True, exist_ok=True)
    _tables(folder)
    odd_tables.make(folder, seed)
    (folder / "options.toml").write_text(_OPTIONS)
    run = _Run(folder)
    run("schema table.csv --out schema.toml")
    run("tree table.csv --target y --drop id --leaves 5 --out model.json")
    run("tree table.csv --target cost --drop id,y --leaves 4 --out regression.json")
    run("tree table.csv --target y --drop id --categories multiway --out multiway.json")
    run("convert model.json model.pmml")
    run("convert regression.json regression.pmml")
    _releases(run)
    _parties(run)
    _substitution(run)


class _Run:
    """Runs commands of Privet on files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str) -> None:
        words = [str(self.folder / word) if "." in word else word for word in text.split()]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = main(words)
        if status not in (0, 1):
            raise RuntimeError(f"{text}: {status}\n{said.getvalue()}")


def _tables(folder: Path) -> None:
    chance = random.Random(3)
    rows = []
    for i in range(N):
        age, sex = chance.randrange(20, 60), chance.choice("fm")
        day = f"20{chance.randrange(10, 25)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}"
        diag = chance.choice(["flu", "gout", "asthma", ""])
        y = "yes" if age + 10 * (sex == "f") + chance.randrange(9) > 48 else "no"
        cost = age * 1.25 + chance.randrange(5)
        rows.append(f"p{i},{age},{sex},{day},{diag},{cost},{y}")
    (folder / "table.csv").write_text("\n".join(["id,age,sex,day,diag,cost,y", *rows]) + "\n")
    run = _Run(folder)
    for suffix in ("csv.gz", "parquet", "arff", "arff.gz", "sav", "zsav", "dta"):
        run(f"convert table.csv table.{suffix}")
    _workbook(folder)
    _transport(folder)


def _workbook(folder: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for line in (folder / "table.csv").read_text().splitlines():
        book.active.append([int(c) if c.isdigit() else c or None for c in line.split(",")])
    book.save(folder / "table.xlsx")


def _transport(folder: Path) -> None:
    import pandas
    import pyreadstat

    frame = pandas.read_csv(folder / "table.csv").drop(columns=["diag"])
    pyreadstat.write_xport(frame, str(folder / "table.xpt"))
    pyreadstat.write_por(frame, str(folder / "table.por"))


def _releases(run: _Run) -> None:
    run(
        "publish table.csv --target y --identifier id --sensitive diag -k 3 --out release.parquet.d"
    )
    run(
        "publish table.csv --target y --identifier id -k 3 --recoding global --format csv "
        "--out release.csv.d"
    )
    run("publish table.csv --target y --identifier id -k 3 --format parts --out parts.d")
    run(
        "publish table.csv --target y --identifier id -k 3 --grower sklearn --leaves 3 "
        "--format csv --out regrown.d"
    )
    run(
        "anonymise table.csv --target y --identifier id --sensitive diag -k 3 --method infogain "
        "--out alike.d"
    )
    run("noise table.csv --target y --identifier id --seed 5 --out noise.d")


def _parties(run: _Run) -> None:
    folder = run.folder
    (folder / "words.txt").write_text("correct horse battery\n")
    run("party init --project flu --out project.key")
    lock = "--passphrase-file words.txt"
    run(f"party init --project flu --out locked.key {lock}")
    mask = "mask table.csv --key id --project-key project.key"
    sent = "--sensitive age,diag,y --drop cost,sex --out sent.parquet"
    run(f"{mask} {sent} --codebook book.json --fill-out fill.json")
    sent = "--sensitive cost,sex --drop age,diag,day,y --out sent2.csv"
    run(f"{mask} {sent} --codebook locked.json {lock}")
    run("join sent.parquet sent2.csv --out joined.csv")
    run("tree joined.csv --target H_y --leaves 4 --out masked.json")
    run("convert masked.json masked.pmml")
    (folder / "printed.txt").write_text(
        "H_age <= 2.5\n|   H_diag = d_1: H_y = y_1 (20.0/3.0)\nH_age > 2.5: yes (40.0)\n\n"
        "H_cost = 0.5 * H_age + 1.25\n\nif 1.5 < H_age and H_age <= 3.25 then H_y in {y_1, y_2}\n"
    )


def _substitution(run: _Run) -> None:
    given = "--target y --identifier id --domain-from-data --seed 4"
    run(f"substitute table.csv {given} --out drawn.csv")
    run(f"substitute table.csv {given} --out drawn.d")
    (run.folder / "matrix.csv").write_text("0.8,3/10\n0.2,7/10\n")
    (run.folder / "matrix.json").write_text("[[0.8, 0.3], [0.2, 0.7]]\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
