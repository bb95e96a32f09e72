"""Folders made to exhaust whoever verifies them: what is done to a release that was true before.

Each attack takes a folder and spoils it. Attackers mend the hashes afterwards; who spoils the
manifest itself has nothing to mend. Nothing here needs much memory to be made.
"""

import gzip
import json
import os
import socket
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tampering import edit_json

NAMES = ("age", "town", "shoe", "y")
HEADER = ",".join(NAMES).encode() + b"\n"
_BIG = 300 << 20


@dataclass(frozen=True)
class Attack:
    """What is done to a folder; to a release by which method and in which format."""

    name: str
    spoil: Callable[[Path], None]
    method: str = "leaf"
    format: str = "csv"


def _manifest(name: str, change: Callable[[Any], object], method: str = "leaf") -> Attack:
    return Attack(name, lambda folder: edit_json(folder / "manifest.json", change), method)


def _model(name: str, change: Callable[[Any], object], method: str = "leaf") -> Attack:
    return Attack(name, lambda folder: edit_json(folder / "model.json", change), method)


def _mechanism(name: str, change: Callable[[Any], object], method: str) -> Attack:
    return Attack(name, lambda folder: edit_json(folder / "mechanism.json", change), method)


def _instead(name: str, file: str, content: Callable[[], bytes]) -> Attack:
    return Attack(name, lambda folder: _ignore((folder / file).write_bytes(content())))


def _parquet(name: str, write: Callable[[Path], int | None]) -> Attack:
    """Another data file; `write` says how many records are claimed, if others than before."""

    def spoil(folder: Path) -> None:
        records = write(folder / "data.parquet")
        if records is not None:
            edit_json(folder / "manifest.json", lambda m: claim(m, records))

    return Attack(name, spoil, format="parquet")


def claim(manifest: dict[str, Any], records: int) -> None:
    for made in manifest["claims"]:
        made["measured"] = records if made["name"] == "records" else made["measured"]


def _ignore(_: object) -> None:
    return None


# -- files that are none --------------------------------------------------------------------------


def _replaced(name: str, file: str, make: Callable[[Path], object]) -> Attack:
    def spoil(folder: Path) -> None:
        (folder / file).unlink()
        make(folder / file)

    return Attack(name, spoil)


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def _holes(name: str, file: str) -> Attack:
    return Attack(name, lambda folder: os.truncate(folder / file, 1 << 40))


def _crowd(folder: Path) -> None:
    for number in range(20_000):
        (folder / f"x{number}").touch()


def _deep(folder: Path) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        for _ in range(400):
            Path("a").mkdir()
            os.chdir("a")
    finally:
        os.chdir(before)


# -- Parquet --------------------------------------------------------------------------------------


def _repeated(path: Path) -> int:
    """Sixty million rows in a few hundred kilobytes."""
    rows = 1 << 20
    ones, words = pa.repeat(1, rows), pa.repeat("a", rows)
    table = pa.table(dict(zip(NAMES, (ones, words, ones, words), strict=True)))
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(56):
            writer.write_table(table)
    return 56 * rows


def _many_groups(path: Path) -> int:
    table = pa.table({name: [1] for name in NAMES})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(40_000):
            writer.write_table(table)
    return 40_000


def _fewer_rows_than_claimed(path: Path) -> int:
    pq.write_table(pa.table({name: [1] * 10 for name in NAMES}), path)
    return 2_000_000_000


def _long_text(path: Path) -> int:
    pq.write_table(pa.table({key: ["x" * _BIG] for key in NAMES}), path, compression="zstd")
    return 1


def _many_columns(path: Path) -> None:
    pq.write_table(pa.table({f"c{number}": [1] * 160 for number in range(30_000)}), path)


def _long_dictionary(path: Path) -> None:
    words = pa.array([f"{number:030d}" for number in range(500_000)])
    towns = pa.DictionaryArray.from_arrays(pa.array([0] * 160, pa.int32()), words)
    pq.write_table(pa.table(dict.fromkeys(NAMES, towns)), path)


def _nested(path: Path) -> None:
    kind: pa.DataType = pa.int64()
    for _ in range(60):
        kind = pa.list_(kind)
    pq.write_table(pa.table({name: pa.array([None] * 160, kind) for name in NAMES}), path)


def _metadata(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"x": "y" * (200 << 20)}), path)


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("data", b"0" * _BIG)


# -- documents ------------------------------------------------------------------------------------


def _chain(model: dict[str, Any], splits: int = 60_000) -> None:
    """A tree as deep as it has splits."""
    nodes = []
    for split in range(splits):
        one = {"records": 1, "counts": {"no": 1, "yes": 0}, "prediction": "no", "children": []}
        rest = {"records": splits - split + 1, "counts": {"no": splits - split, "yes": 1}}
        below = {"children": [2 * split + 1, 2 * split + 2], "threshold": 1e6 - split}
        of_age = {"id": 2 * split, "attribute": "age", "kind": "threshold", "prediction": "no"}
        nodes += [
            of_age | rest | below,
            {"id": 2 * split + 1, "attribute": None, "kind": "leaf"} | one,
        ]
    model["nodes"] = [*nodes, {**nodes[-1], "id": 2 * splits, "counts": {"no": 0, "yes": 1}}]


def _entities() -> bytes:
    """Few letters that unfold to very many."""
    names = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "a" * 10}">' for i in range(12))
    return f'<?xml version="1.0"?><!DOCTYPE a [{names}]><PMML>&e11;</PMML>'.encode()


def _by_leaf(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], None]:
    def edit(manifest: Any) -> None:
        entries = [e for e in manifest["recoding"]["columns"].values() if "by_leaf" in e]
        assert entries
        for entry in entries:
            change(entry)

    return edit


def _large_manifest(folder: Path) -> None:
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    (folder / "manifest.json").write_text(text[:-2] + " " * _BIG + "}\n")


def _members(entry: dict[str, Any]) -> None:
    for group in entry["cells"].get("groups", ()):
        group["members"] += [f"m{number}" for number in range(500_000)]


def _cuts(entry: dict[str, Any]) -> None:
    if "cuts" in entry["cells"]:
        entry["cells"]["cuts"] = [number + 0.5 for number in range(400_000)]
        entry["values"] = list(range(400_001))


QUICK = [
    _replaced("a pipe for a manifest", "manifest.json", os.mkfifo),
    _replaced("a link to a device without end", "data.csv", lambda p: p.symlink_to("/dev/zero")),
    _replaced("a link out of the folder", "model.json", lambda p: p.symlink_to("/etc/hosts")),
    _holes("data of a terabyte of holes", "data.csv"),
    _parquet("rows repeated", _repeated),
    _parquet("groups of one row", _many_groups),
    Attack("a manifest of 300 MB", _large_manifest),
    _instead("a manifest nested 200,000 deep", "manifest.json", lambda: b"[" * 200_000),
    _manifest(
        "a manifest that lists very many files",
        lambda m: m["files"].update({f"f{number}": "0" * 64 for number in range(200_000)}),
    ),
    _manifest("very many claims", lambda m: m["claims"].extend(m["claims"][:1] * 100_000)),
    _manifest("very many cuts", _by_leaf(_cuts)),
]
SLOW = [
    _replaced("a socket for a report", "report.html", _socket),
    _replaced("a folder for a manifest", "manifest.json", Path.mkdir),
    _holes("a model of holes", "model.json"),
    _holes("a manifest of holes", "manifest.json"),
    _holes("a report of holes", "report.html"),
    Attack("very many files", _crowd),
    Attack("folders in folders", _deep),
    _parquet("a text of 300 MB", _long_text),
    _parquet("a claim of two thousand million rows", _fewer_rows_than_claimed),
    _parquet("very many columns", _many_columns),
    _parquet("a long dictionary", _long_dictionary),
    _parquet("lists of lists", _nested),
    _parquet("metadata of 200 MB", _metadata),
    _parquet("a zip for a table", _zip),
    _instead(
        "CSV that is packed", "data.csv", lambda: gzip.compress(HEADER + b"1,a,2,no\n" * 10**7)
    ),
    _instead("a row without end", "data.csv", lambda: HEADER + b'"' + b"x" * (100 << 20)),
    _instead("zeros for rows", "data.csv", lambda: HEADER + bytes(50 << 20)),
    _instead("quotes for rows", "data.csv", lambda: HEADER + b'"' * (50 << 20)),
    _instead("very many names", "data.csv", lambda: b",".join(b"c%d" % n for n in range(300_000))),
    _instead("a model nested a million deep", "model.json", lambda: b"[" * 10**6),
    _instead("tags without end", "report.html", lambda: b"<p>" * 10**7),
    _instead("lines without end", "columns.csv", lambda: b"column,kind\n" * 2_000_000),
    _instead("entities of entities", "model.pmml", _entities),
    _model("a number of many digits", lambda m: m["nodes"][0].update(records=int("1" * 4_000))),
    _model("a long name", lambda m: m.update(target="y" * (30 << 20))),
    _model("a node above itself", lambda m: m["nodes"][0].update(children=[0, 0])),
    _model("a chain of nodes", _chain),
    _model("a chain of nodes, noise", _chain, "noise"),
    _model("classes", lambda m: m["nodes"][0]["counts"].update({f"c{n}": 0 for n in range(10**6)})),
    _manifest(
        "very many columns in the schema",
        lambda m: m["schema"]["columns"].update(
            {f"c{n}": {"kind": "integer", "role": "quasi"} for n in range(150_000)}
        ),
    ),
    _manifest(
        "very many leaves",
        _by_leaf(lambda e: e["by_leaf"].update(dict.fromkeys(map(str, range(99, 200_000)), 0))),
    ),
    _manifest("very many members", _by_leaf(_members)),
    _manifest("a long claim", lambda m: m["claims"][2].update(name="x" * 10**7)),
    _manifest("cousins", lambda m: m["method"].update(cousins=10**300), "noise"),
    _mechanism(
        "a huge matrix",
        lambda m: [block["matrix"].update(size=10**9) for block in m["blocks"]],
        "substitution",
    ),
    _mechanism(
        "a huge power",
        lambda m: [block["matrix"].update(gamma="1e999999999") for block in m["blocks"]],
        "substitution",
    ),
    _mechanism(
        "very many blocks", lambda m: m["blocks"].extend(m["blocks"][:1] * 50_000), "substitution"
    ),
    _mechanism(
        "a step beyond numbers",
        lambda m: [
            entry["grid"].update(step=10**400) for entry in m["innocent"]["columns"].values()
        ],
        "noise",
    ),
    _mechanism(
        "ends beyond numbers",
        lambda m: [
            entry.update(low=-(10**300), high=10**300)
            for entry in m["innocent"]["columns"].values()
        ],
        "noise",
    ),
]
ITSELF = ("a manifest of 300 MB", "a manifest nested 200,000 deep", "a manifest of holes")


def mend_hashes_of_plain_files(folder: Path, hashed: Callable[[Path], str]) -> None:
    """Whatever is a plain file of bearable size is listed with the hash that it now has."""
    path = folder / "manifest.json"
    if not path.is_file() or path.is_symlink():
        return
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name in manifest["files"]:
        file = folder / name
        if file.is_file() and not file.is_symlink() and file.stat().st_size < 2 << 30:
            manifest["files"][name] = hashed(file)
    path.write_text(json.dumps(manifest), encoding="utf-8")
