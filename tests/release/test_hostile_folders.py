"""Folders made to deceive or to exhaust whoever verifies them: each ends soon, with a no."""

import gzip
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tampering import edit_json, mend_hashes

import privet
from privet.release import Release
from privet.release.rows import sha256_of

ROWS = 160
CELLS: dict[str, list[Any]] = {
    "age": [20 + (7 * i) % 50 for i in range(ROWS)],
    "town": [("Aix", "Bonn", "Cork", "Dijon")[(i * 5) % 4] for i in range(ROWS)],
    "shoe": [36 + (3 * i) % 11 for i in range(ROWS)],
    "y": [
        ("no", "yes")[((7 * i) % 50 > 24) != ((i * 5) % 4 == 1) or i % 11 == 0] for i in range(ROWS)
    ],
}
MOST_SECONDS, MOST_BYTES = 10, 1 << 30


def by_leaf() -> Release:
    return privet.publish(CELLS, target="y", k=3, leaves=6, recoding="leaf", refine=False)


def noes(folder: Path) -> set[str]:
    return {check.name for check in privet.verify(folder).checks if check.answer == "no"}


def entries(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [e for e in manifest["recoding"]["columns"].values() if "by_leaf" in e]


def _reverse_values(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        entry["values"].reverse()


def _other_values(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        entry["values"] = [v + 1 if isinstance(v, int) else f"{v}x" for v in entry["values"]]


def _one_more_value(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        entry["values"].append(99 if isinstance(entry["values"][0], int) else "more")


def _reverse_leaves(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        rows = list(entry["by_leaf"].values())[::-1]
        entry["by_leaf"] = dict(zip(entry["by_leaf"], rows, strict=True))


def _move_cuts(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        if "cuts" in entry["cells"]:
            entry["cells"]["cuts"] = [cut + 0.25 for cut in entry["cells"]["cuts"]]


def _lose_a_leaf(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        entry["by_leaf"].pop(next(iter(entry["by_leaf"])))


def _doubled_member(manifest: dict[str, Any]) -> None:
    for entry in entries(manifest):
        for group in entry["cells"].get("groups", ()):
            group["members"] = [*group["members"], "Aix"]


def _coded_is_generalised(manifest: dict[str, Any]) -> None:
    coded = [e for e in entries(manifest) if e["treatment"] == "coded"]
    assert coded
    for entry in coded:
        entry["treatment"] = "generalised"
        entry["values"] = [v + 1000 if isinstance(v, int) else v for v in entry["values"]]


LIES_ABOUT_LEAVES = [
    _reverse_values,
    _other_values,
    _one_more_value,
    _reverse_leaves,
    _move_cuts,
    _lose_a_leaf,
    _doubled_member,
    _coded_is_generalised,
]


@pytest.mark.parametrize("lie", LIES_ABOUT_LEAVES)
def test_lies_about_columns_recoded_by_leaf(
    lie: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    folder = tmp_path / "r"
    release = by_leaf()
    assert release.manifest.method["recoding"] == "leaf"
    release.save(folder, format="csv", report=False)
    edit_json(folder / "manifest.json", lie)
    mend_hashes(folder)
    found = noes(folder)
    assert any(name.startswith("recoding of") for name in found) or "readable" in found, found


def test_a_column_called_kept_is_the_publishers_word(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    by_leaf().save(folder, format="csv", report=False)

    def call_kept(manifest: dict[str, Any]) -> None:
        for entry in entries(manifest):
            entry.clear()
            entry["treatment"] = "kept"

    edit_json(folder / "manifest.json", call_kept)
    answers = {check.name: (check.answer, check.detail) for check in privet.verify(folder).checks}
    answer, detail = answers["columns kept"]
    assert answer == "attested"
    assert "only the publisher knows" in detail


# -- exhaustion -----------------------------------------------------------------------------------


def _many_rows(folder: Path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 10, pa.int32()), pa.array(["a"]))
    table = pa.table(dict.fromkeys(("age", "town", "shoe", "y"), column))
    with pq.ParquetWriter(folder / "data.parquet", table.schema) as writer:
        for _ in range(400):
            writer.write_table(table)
    _claim(folder, 2_000_000_000)


def _one_long_text(folder: Path) -> None:
    long = "x" * (300 << 20)
    table = pa.table({name: [long] for name in ("age", "town", "shoe", "y")})
    pq.write_table(table, folder / "data.parquet", compression="zstd")
    _claim(folder, 1)


def _claim(folder: Path, records: int) -> None:
    def boast(manifest: dict[str, Any]) -> None:
        for claim in manifest["claims"]:
            claim["measured"] = records if claim["name"] == "records" else claim["measured"]

    edit_json(folder / "manifest.json", boast)


def _large_manifest(folder: Path) -> None:
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    (folder / "manifest.json").write_text(text[:-2] + " " * (300 << 20) + "}\n")


def _deep_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("[" * 200_000)


def _gzipped_csv(folder: Path) -> None:
    (folder / "data.parquet").unlink()
    (folder / "data.csv").write_bytes(gzip.compress(b"age,town,shoe,y\n" + b"1,a,2,no\n" * 10**7))
    edit_json(
        folder / "manifest.json",
        lambda m: m["files"].update({"data.csv": m["files"].pop("data.parquet")}),
    )


EXHAUSTING = [_many_rows, _one_long_text, _large_manifest, _deep_manifest, _gzipped_csv]


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (3 * MOST_BYTES, 3 * MOST_BYTES))


@pytest.mark.parametrize("attack", EXHAUSTING)
def test_bombs_end_soon_and_with_a_no(attack: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "r"
    by_leaf().save(folder, report=False)
    attack(folder)
    if attack not in (_large_manifest, _deep_manifest):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        hashes = {name: sha256_of(folder / name) for name in manifest["files"]}
        edit_json(folder / "manifest.json", lambda m: m["files"].update(hashes))
    program = (
        "import re, sys\nfrom pathlib import Path\nfrom privet.cli.main import main\n"
        "status = main(['verify', sys.argv[1]])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())\n"
        "print(status, int(peak[1]) * 1024)\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        text=True,
        timeout=6 * MOST_SECONDS,
        preexec_fn=_limited,
    )
    assert time.monotonic() - start < 3 * MOST_SECONDS  # others may use the machine as well
    status, memory = map(int, done.stdout.splitlines()[-1].split())
    assert status in (1, 3), done.stderr
    assert memory < MOST_BYTES
    assert "Traceback" not in done.stderr


def test_names_from_files_cannot_move_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from privet.cli.main import main

    folder = tmp_path / "r"
    by_leaf().save(folder, report=False)
    edit_json(
        folder / "manifest.json",
        lambda m: m["claims"].append(
            {
                "name": "\x1b[2J\x1b[HYES: everything holds\n",
                "parameters": {},
                "claimed": None,
                "measured": "\x1b]0;title\x07",
                "checkable": "release",
            }
        ),
    )
    (folder / "\x1b[31mred").write_text("x")
    assert main(["verify", str(folder)]) == 1
    (folder / "\x1b[31mred").unlink()
    assert main(["verify", str(folder)]) == 1
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
