"""How every command is asked to write: whatever it writes goes to `OUT/`.

What is said in two words is another way of the same command. `attack`, `check`, `measure` and
`verify` write their options (`--save-config`), as all can.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kills.home import (
    ADVISE,
    ANONYMISE,
    EXPLORE,
    MASK,
    NOISE,
    ORIGINALS,
    PUBLISH,
    REBUILD,
    SUBSTITUTE,
    TREE,
)


@dataclass(frozen=True)
class Writer:
    """One way in which a command writes."""

    words: list[str]
    # What stands in OUT where `--force` is tried, by name: a copy of what of the home; where a name
    # is not listed, a file of one word.
    old: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)  # the same, with and without `--force`
    # What chance decides cannot be compared; so a command says whether it is whole.
    asks: Mapping[str, list[str]] = field(default_factory=dict)
    forces: bool = True  # takes `--force`; a secret is never replaced


DRY = ["--dry-run", "--out", "OUT/none.csv"]
WRITERS = {
    "schema": Writer(["schema", "t.csv", "--out", "OUT/s.toml"]),
    "check": Writer(
        ["check", "t.csv", "--quasi", "diag", "-k", "2", "--save-config", "OUT/c.toml"],
        forces=False,
    ),
    "attack": Writer(
        ["attack", "homogeneity", "release", "--save-config", "OUT/c.toml"], forces=False
    ),
    "alike": Writer(
        ["alike", "t.csv", "--identifier", "id", "--save-config", "OUT/c.toml"], forces=False
    ),
    "measure": Writer(
        ["measure", "t.csv", "release", "--no-utility", "--save-config", "OUT/c.toml"], forces=False
    ),
    "verify": Writer(["verify", "release", "--save-config", "OUT/c.toml"], forces=False),
    "compare": Writer(["compare", "model.json", "release", "--picture", "OUT/p.svg"]),
    "tree": Writer([*TREE, "--out", "OUT/m.json", "--picture", "OUT/p.svg"]),
    "tree on disk": Writer([*TREE, "--engine", "duckdb", "--out", "OUT/m.json"]),
    "tree of originals": Writer([*ORIGINALS, "--out", "OUT/m.json"]),
    "publish": Writer(
        [*PUBLISH, "--min-leaf", "9", "--out", "OUT/r", "--audit", "OUT/a"],
        old={"r": "release", "a": "audit"},
    ),
    "publish globally": Writer(
        [*PUBLISH, "--recoding", "global", "--format", "csv", "--out", "OUT/r"],
        old={"r": "release"},
    ),
    "publish on disk": Writer(
        [*PUBLISH, "--engine", "duckdb", "--format", "parts", "--out", "OUT/r"],
        old={"r": "release"},
    ),
    "substitute on disk": Writer(
        [*SUBSTITUTE, "--engine", "duckdb", "--out", "OUT/s"], old={"s": "release"}
    ),
    "publish for scikit-learn": Writer(
        [*PUBLISH, "--grower", "sklearn", "--out", "OUT/r"], old={"r": "release"}
    ),
    "anonymise": Writer(
        [*ANONYMISE, "--target", "y", "--out", "OUT/r", "--audit", "OUT/a"],
        old={"r": "release", "a": "audit"},
    ),
    "noise": Writer(
        [*NOISE, "--out", "OUT/n", "--audit", "OUT/a"], old={"n": "release", "a": "audit"}
    ),
    "explore": Writer([*EXPLORE, "--plot", "OUT/e.svg"]),
    "recode": Writer(["recode", "release", "t.csv", "--out", "OUT/n.csv"]),
    "predict": Writer(["predict", "release", "t.csv", "--out", "OUT/n.csv"]),
    "report": Writer(["report", "release", "--out", "OUT/r.html"]),
    "convert": Writer(["convert", "t.csv", "OUT/c.parquet"]),
    "convert encoded": Writer(["convert", "t.csv", "OUT/c.csv.gz", "--encoding", "latin-1"]),
    "convert apart": Writer(["convert", "t.xlsx", "OUT/c.csv"]),
    "convert trees": Writer(["convert", "model.json", "OUT/m.pmml"]),
    "party": Writer(
        ["party", "init", "--project", "p", "--out", "OUT/k.json"],
        asks={
            "k.json": [
                *["mask", "t.csv", "--key", "id", "--sensitive", "age", "--codebook", "none"],
                *["--project-key", "OUT/k.json", *DRY],
            ]
        },
        forces=False,
    ),
    "mask": Writer(
        [
            *[*MASK, "--drop", "y", "--codebook", "OUT/b.json", "--fill-out", "OUT/f.json"],
            *["--out", "OUT/s.parquet"],
        ],
        asks={
            "b.json": [*MASK, "--codebook", "OUT/b.json", *DRY],
            "f.json": ["join", "s1.parquet", "s2.parquet", "--fill", "OUT/f.json", *DRY],
            "s.parquet": ["join", "OUT/s.parquet", "s2.parquet", *DRY],
            "s.parquet.receipt.json": ["join", "OUT/s.parquet", "s2.parquet", *DRY],
        },
        forces=False,
    ),
    "mask again": Writer(
        [*MASK, "--codebook", "OUT/b.json", "--out", "OUT/s.csv"], given={"b.json": "book"}
    ),
    "mask on disk": Writer(
        [*MASK, "--codebook", "OUT/b.json", "--engine", "duckdb", "--out", "OUT/s.csv"],
        given={"b.json": "book"},
    ),
    "mask nothing": Writer(
        ["mask", "t.csv", "--key", "id", "--project-key", "pk.json", "--out", "OUT/s.csv"]
    ),
    "join": Writer(["join", "s1.parquet", "s2.parquet", "--out", "OUT/j.csv"]),
    "join on disk": Writer(
        ["join", "s1.parquet", "s2.parquet", "--engine", "duckdb", "--out", "OUT/j.csv"]
    ),
    "decode": Writer(["decode", "mined.json", "--codebook", "book", "--out", "OUT/d.json"]),
    "substitute": Writer([*SUBSTITUTE, "--out", "OUT/s.csv"]),
    "substitute a release": Writer([*SUBSTITUTE, "--out", "OUT/s"], old={"s": "release"}),
    "rebuild": Writer([*REBUILD, "--out", "OUT/r.csv"]),
    "advise": Writer([*ADVISE, "--plot", "OUT/a.svg"]),
}
