"""A small release to tamper with, and an attacker who mends every hash afterwards."""

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privet.pipeline import publish
from privet.release import Release, Rows
from privet.schema import Schema

ROWS = 40
CELLS: dict[str, list[Any]] = {
    "id": list(range(ROWS)),
    "age": [20 + (7 * i) % 50 for i in range(ROWS)],
    "town": [("Aix", "Bonn", "Cork", None)[i % 4] for i in range(ROWS)],
    "height": [1.5 + (i % 5) / 10 for i in range(ROWS)],
    "illness": [("flu", "gout", "cold")[i % 3] for i in range(ROWS)],
    "y": [("no", "yes")[i % 4 == 1 or (7 * i) % 50 > 30 or i == 0] for i in range(ROWS)],
}


def small_release(**asked: Any) -> Release:
    usual: dict[str, Any] = {
        "target": "y",
        "identifier": "id",
        "sensitive": "illness",
        "recoding": "global",
        "k": 2,
        "l": 1,
        "leaves": 3,
        "release_sensitive": True,
    }
    return publish(CELLS, **(usual | asked))


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def edit_json(path: Path, change: Callable[[Any], object]) -> None:
    data = read_json(path)
    change(data)
    write_json(path, data)


def read_rows(folder: Path) -> list[list[str]]:
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def write_rows(folder: Path, rows: list[list[str]]) -> None:
    with (folder / "data.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def mend_hashes(folder: Path) -> None:
    """What a careful attacker does: all hashes in the manifest fit the edited files again."""
    manifest = read_json(folder / "manifest.json")
    for name in manifest["files"]:
        if (folder / name).is_file():
            content = (folder / name).read_bytes()
            manifest["files"][name] = hashlib.sha256(content).hexdigest()
    schema = Schema.from_dict(manifest["schema"])
    data = next(name for name in manifest["files"] if name.startswith("data."))
    manifest["content_sha256"] = Rows.read(folder / data, schema).content_sha256()
    write_json(folder / "manifest.json", manifest)


def content_by_hand(folder: Path) -> str:
    """content_sha256 from its definition: header, then distinct lines with counts, as bytes."""
    header, *lines = (folder / "data.csv").read_bytes().split(b"\n")[:-1]
    counted = sorted(line + b"," + str(n).encode() for line, n in Counter(lines).items())
    return hashlib.sha256(b"\n".join([header + b",count", *counted]) + b"\n").hexdigest()
