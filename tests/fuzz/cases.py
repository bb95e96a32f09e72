"""What is spoilt and who reads it: for each original its form, and the commands that open it.

`{}` in a command stands for the spoilt file; a case in a release spoils one file of the folder and
stands for the folder. `[...]` is a file of the originals, `OUT` a place to write to.
"""

import re
from dataclasses import dataclass

from fuzz.odd_tables import FORMS, VARIANTS

QUICK = (
    "schema {}",
    "schema {} --json",
    "check {} --quasi age,sex -k 2",
    "tree {} --target y --drop id --leaves 4",
    "tree {} --target age --missing NA --rules --picture OUT.svg",
    "check {} --quasi age,sex -k 2 --engine duckdb --memory 300MB",
    "tree {} --target y --drop id --leaves 4 --engine duckdb --memory 300MB",
    "convert {} OUT.parquet",
    "convert {} OUT.csv",
    "convert {} OUT.arff",
    "convert {} OUT.xlsx",
    "convert {} OUT.sav",
    "convert {} OUT.dta",
    "predict [release.parquet.d] {} --out OUT.csv",
    "recode [release.csv.d] {} --out OUT.csv",
)
IN_LATIN = tuple(f"{command} --encoding latin-1" for command in QUICK[:3])
SLOW = (
    "alike {} --identifier id --min-leaf 2",
    "explore {} --target y --identifier id --leaves 4",
    "publish {} --target y --identifier id -k 2 --leaves 3 --out OUT.d",
    "publish {} --target y --identifier id -k 2 --leaves 3 --recoding leaf --engine duckdb "
    "--out OUT.d",
    "publish {} --target y --identifier id -k 2 --leaves 3 --grower sklearn --out OUT.d",
    "anonymise {} --identifier id -k 2 --out OUT.d",
    "anonymise {} --identifier id -k 2 --engine duckdb --out OUT.d",
    "anonymise {} --target y --identifier id -k 2 --method infogain --out OUT.d",
    "noise {} --target y --identifier id --leaves 4 --seed 1 --out OUT.d",
    "substitute {} --target y --identifier id --domain-from-data --out OUT.csv",
    "substitute {} --target y --identifier id --domain-from-data --seed 1 --engine duckdb "
    "--out OUT.d",
    "advise {} --target y --identifier id --gammas 9 --bins 5",
    "mask {} --key id --sensitive age --project-key [project.key] --codebook OUT.json "
    "--out OUT.csv",
    "mask {} --key id --sensitive age --project-key [project.key] --codebook OUT.json "
    "--engine duckdb --leave-out-keys --out OUT.parquet",
)
MODEL = ("convert {} OUT.json", "convert {} OUT.pmml", "convert {} OUT.dot")
COMPARED = (
    "compare {} [model.json] --data [table.csv] --picture OUT.svg",
    "compare [model.json] {}",
)
RELEASE = (
    "verify {}",
    "verify {} --engine duckdb --memory 300MB",
    "measure [table.csv] {} --no-utility --engine duckdb",
    "verify {} --json",
    "report {} --out OUT.html",
    "attack homogeneity {} --json",
    "attack order {}",
)
PERTURBED = (
    "verify {}",
    "rebuild {} --target y --out OUT.csv",
    "tree {} --target y",
    "report {}",
    "attack repetition {} --json",
    "attack recovery {} --original [table.csv] --seed 1",
    "attack bayes {} [table.csv] --original [table.csv] --victims 5 --seed 1",
)
USE = (
    "predict {} [table.csv] --out OUT.csv",
    "recode {} [table.csv] --out OUT.csv",
    "attack linkage {} [table.csv] --json",
    "measure [table.csv] {} --no-utility",
)
USED = {"noise.d": (), "alike.d": USE[1:]}  # a release without a tree predicts nothing
WITH_MECHANISM = (
    "tree [drawn.csv] --target y --mechanism {}",
    "rebuild [drawn.csv] --target y --mechanism {} --out OUT.csv",
)
MASK = "mask [table.csv] --key id --out OUT.csv --sensitive"
DECODED = ("masked.json", "masked.pmml", "printed.txt", "joined.csv")


@dataclass(frozen=True)
class Case:
    """A file of the originals, how it is built, and the commands that read it."""

    name: str
    form: str
    commands: tuple[str, ...]
    slow: tuple[str, ...] = ()
    may_be_whole: bool = False  # it is odd enough as it is
    beside: str = ""  # the file that commands are given, where the spoilt one only lies beside it


def _in_capitals(commands: tuple[str, ...]) -> tuple[str, ...]:
    """The commands for a file that has its names in capitals, as SPSS portable files have."""
    names = re.compile(r"(--(?:quasi|target|drop|identifier|key|sensitive) )(\S+)")
    return tuple(
        names.sub(lambda found: found[1] + found[2].upper(), command)
        for command in commands
        if "[release" not in command
    )


TABLES = (
    *(
        Case(f"table.{form}", form, (*QUICK, *(IN_LATIN if form in ("csv", "arff") else ())), SLOW)
        for form in (
            "csv",
            "csv.gz",
            "parquet",
            "arff",
            "arff.gz",
            "xlsx",
            "sav",
            "zsav",
            "dta",
            "xpt",
        )
    ),
    Case("table.por", "por", _in_capitals(QUICK), _in_capitals(SLOW)),
)
ODD_TABLES = tuple(
    Case(f"odd{number}.{form}", form, QUICK, SLOW, may_be_whole=True)
    for form in FORMS
    for number in range(VARIANTS)
)
SETTINGS = (
    Case(
        "schema.toml",
        "toml",
        ("check [table.csv] --schema {} -k 2", "tree [table.csv] --schema {} --target y"),
        ("publish [table.csv] --schema {} --target y -k 2 --leaves 3 --out OUT.d",),
    ),
    Case(
        "options.toml",
        "toml",
        ("tree [table.csv] --config {}",),
        ("noise [table.csv] --config {} --out OUT.d", "explore [table.csv] --config {}"),
    ),
)
MODELS = (
    *(
        Case(f"{name}.json", "json", (*MODEL, *COMPARED))
        for name in ("model", "regression", "multiway")
    ),
    *(Case(f"{name}.pmml", "pmml", MODEL) for name in ("model", "regression")),
)
RELEASES = tuple(
    Case(f"{folder}/{name}", form, RELEASE, USED.get(folder, USE))
    for folder, name, form in (
        ("release.parquet.d", "manifest.json", "json"),
        ("release.parquet.d", "model.json", "json"),
        ("release.parquet.d", "model.pmml", "pmml"),
        ("release.parquet.d", "data.parquet", "parquet"),
        ("parts.d", "manifest.json", "json"),
        ("parts.d", "data/part-00000.parquet", "parquet"),
        ("release.csv.d", "manifest.json", "json"),
        ("release.csv.d", "data.csv", "csv"),
        ("release.csv.d", "columns.csv", "csv"),
        ("regrown.d", "manifest.json", "json"),
        ("regrown.d", "regrow.py", "text"),
        ("alike.d", "manifest.json", "json"),
        ("alike.d", "data.parquet", "parquet"),
        ("noise.d", "manifest.json", "json"),
        ("noise.d", "mechanism.json", "json"),
    )
) + tuple(
    Case(f"drawn.d/{name}", form, PERTURBED)
    for name, form in (
        ("manifest.json", "json"),
        ("mechanism.json", "json"),
        ("data.parquet", "parquet"),
    )
)
PARTIES = (
    Case(
        "book.json",
        "json",
        (
            *(f"decode [{name}] --codebook {{}} --unchecked" for name in DECODED),
            f"{MASK} age,diag,y --project-key [project.key] --codebook {{}}",
            f"{MASK} age --project-key [project.key] --codebook {{}} --extend",
            "decode [masked.json] --codebook {} --for [joined.csv] --out OUT.json",
        ),
    ),
    Case(
        "locked.json",
        "json",
        ("decode [masked.json] --codebook {} --passphrase-file [words.txt] --unchecked",),
    ),
    Case("project.key", "json", (f"{MASK} age --project-key {{}} --codebook OUT.json",)),
    Case(
        "locked.key",
        "json",
        (f"{MASK} age --project-key {{}} --codebook OUT.json --passphrase-file [words.txt]",),
    ),
    Case(
        "words.txt",
        "text",
        (
            "party init --project flu --out OUT.key --passphrase-file {}",
            "decode [masked.json] --codebook [locked.json] --passphrase-file {} --unchecked",
        ),
    ),
    Case("fill.json", "json", ("join [sent.parquet] [sent2.csv] --fill {} --out OUT.csv",)),
    Case(
        "sent.parquet",
        "parquet",
        (
            "join {} [sent2.csv] --out OUT.csv",
            "join {} [sent2.csv] --engine duckdb --keep-key --out OUT.parquet",
            "schema {}",
        ),
    ),
    Case(
        "sent2.csv",
        "csv",
        (
            "join [sent.parquet] {} --out OUT.csv",
            "join [sent.parquet] {} --engine duckdb --out OUT.csv",
        ),
    ),
    Case(
        "sent2.csv.receipt.json",
        "json",
        ("join [sent.parquet] {} --out OUT.csv",),
        beside="sent2.csv",
    ),
    Case(
        "sent2.csv.privet.json",
        "json",
        ("join [sent.parquet] {} --out OUT.csv", "tree {} --target H_sex"),
        beside="sent2.csv",
    ),
    *(
        Case(name, form, ("decode {} --codebook [book.json] --unchecked",))
        for name, form in zip(DECODED, ("json", "pmml", "text", "csv"), strict=True)
    ),
)
MATRIX = "substitute [table.csv] --columns sex --domain-from-data --matrix {} --out OUT.csv"
MECHANISMS = (
    Case("drawn.mechanism.json", "json", WITH_MECHANISM),
    *(Case(f"matrix.{form}", form, (MATRIX,)) for form in ("csv", "json")),
)
CASES = (*TABLES, *ODD_TABLES, *SETTINGS, *MODELS, *RELEASES, *PARTIES, *MECHANISMS)
