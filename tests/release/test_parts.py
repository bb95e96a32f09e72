"""Data in parts: the same release, cut between records, and nothing else may lie beside them."""

import glob
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tampering import CELLS, edit_json, read_json, small_release

import privet
from privet.cli.main import main
from privet.engine import larger_than_memory
from privet.errors import OutputError, PrivetError
from privet.files.parquet import write_parquet
from privet.release import Release, layout
from privet.release.rows import sha256_of

PARTS = [f"data/part-0000{number}.parquet" for number in range(6)]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 records are six parts: five of seven, one of five."""
    monkeypatch.setattr(layout, "ROWS_PER_PART", 7)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_release().save(tmp_path / "r [1]*", format="parts")  # a name that looks like a pattern
    return tmp_path / "r [1]*"


def noes(folder: Path) -> set[str]:
    return {check.name for check in privet.verify(folder).checks if check.answer == "no"}


METHODS: dict[str, Callable[[], Release]] = {
    "global": small_release,
    "rich": lambda: small_release(recoding="rich", l=None),
    "anonymise": lambda: privet.anonymise(CELLS, k=3, identifier="id"),
    "noise": lambda: privet.add_noise(CELLS, target="y", identifier="id", seed=1),
}


@pytest.mark.parametrize("method", METHODS)
def test_the_same_release_in_parts(tmp_path: Path, method: str) -> None:
    release = METHODS[method]()
    release.save(tmp_path / "whole")
    fingerprint = release.save(tmp_path / "parts", format="parts")
    whole, parts = (privet.read_release(tmp_path / name) for name in ("whole", "parts"))
    assert parts.manifest.content_sha256 == whole.manifest.content_sha256
    assert parts.rows.content_sha256() == whole.rows.content_sha256()
    assert sorted(n for n in parts.manifest.files if n.startswith("data")) == PARTS
    sizes = [len(privet.read_table(tmp_path / "parts" / name)) for name in PARTS]
    assert sizes == [7] * 5 + [5]
    outcome = privet.verify(tmp_path / "parts", fingerprint)
    assert outcome.holds, outcome.first_no
    with larger_than_memory("300MB"):
        assert privet.verify(tmp_path / "parts", fingerprint) == outcome


def test_other_commands_read_parts(folder: Path, tmp_path: Path) -> None:
    small_release().save(tmp_path / "whole")
    found = [
        privet.measure_release(CELLS, place, utility=False)
        for place in (folder, tmp_path / "whole")
    ]
    assert found[0].to_data() == found[1].to_data()
    assert privet.attack.by_homogeneity(folder).to_data()["records"] == 40
    assert privet.verify_with(folder, "privet").outcome == "same"


def test_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "t.csv", str(tmp_path / "r")
    privet.write_table(privet.table_of(CELLS), table)
    asked = ["--target", "y", "--identifier", "id", "-k", "2", "--leaves", "3"]
    for engine in ("memory", "duckdb"):
        words = ["publish", str(table), *asked, "--engine", engine]
        assert main([*words, "--format", "parts", "--out", out, "--force"]) == 0
        for judge in ("memory", "duckdb", "auto"):
            assert main(["verify", out, "--engine", judge]) == 0
    assert main(["attack", "linkage", out, str(table)]) == 0
    assert main(["attack", "homogeneity", out]) == 0
    text = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "data/part-*.parquet" in text
    assert main(["check", f"{out}/data/part-*.parquet", "--quasi", "age,town", "-k", "2"]) == 0
    assert "Hint" not in capsys.readouterr().err


def test_parts_are_files_of_the_day_and_not_the_hour(folder: Path) -> None:
    times = {path.stat().st_mtime for path in folder.rglob("*")}
    assert all(seconds % (24 * 60 * 60) == 0 for seconds in times)


def without(folder: Path, name: str) -> None:
    (folder / name).unlink()


def unlisted(folder: Path, name: str) -> None:
    (folder / name).unlink()
    edit_json(folder / "manifest.json", lambda data: data["files"].pop(name))


def also_whole(folder: Path) -> None:
    shutil.copy(folder / PARTS[0], folder / "data.parquet")
    edit_json(folder / "manifest.json", lambda d: d["files"].update({"data.parquet": "0" * 64}))
    mend_parts(folder)


def mend_parts(folder: Path) -> None:
    """All hashes of files fit again."""
    listed = read_json(folder / "manifest.json")["files"]
    hashes = {name: sha256_of(folder / name) for name in listed}
    edit_json(folder / "manifest.json", lambda data: data["files"].update(hashes))


def moved(folder: Path) -> None:
    """A record goes from one part to the next: the rows and their order are the same."""
    whole = privet.read_table(Path(glob.escape(str(folder))) / "data" / "part-*.parquet")
    for number, (first, end) in enumerate([(0, 6), (6, 14)]):
        part = whole.take(np.arange(first, end))
        write_parquet(part, folder / PARTS[number], np.ones(end - first, dtype=np.int64))
    mend_parts(folder)


def stranger(folder: Path) -> None:
    (folder / "data" / "notes.txt").write_text("who is who")


def linked(folder: Path) -> None:
    content = (folder / PARTS[0]).rename(folder.parent / "elsewhere")
    (folder / PARTS[0]).symlink_to(content)


def nested(folder: Path) -> None:
    (folder / "data" / "more").mkdir()


def linked_folder(folder: Path) -> None:
    (folder / "data").rename(folder.parent / "elsewhere")
    (folder / "data").symlink_to(folder.parent / "elsewhere")


def swapped(folder: Path) -> None:
    (folder / PARTS[0]).rename(folder / "x")
    (folder / PARTS[1]).rename(folder / PARTS[0])
    (folder / "x").rename(folder / PARTS[1])
    mend_parts(folder)


CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "a part is missing": (lambda f: without(f, PARTS[2]), {f"file {PARTS[2]}"}),
    "a part is not listed": (lambda f: unlisted(f, PARTS[2]), {"files"}),
    "the last part is not listed": (lambda f: unlisted(f, PARTS[5]), {"records"}),
    "the whole beside the parts": (also_whole, {"files"}),
    "a record in another part": (moved, {"records"}),
    "parts in another order": (swapped, {"rows"}),
    "another file": (stranger, {"file data/notes.txt"}),
    "a link": (linked, {f"file {PARTS[0]}"}),
    "a folder": (nested, {"file data/more"}),
    "a link to the folder": (linked_folder, {"file data"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_found(folder: Path, change: str) -> None:
    assert noes(folder) == set()
    act, expected = CHANGES[change]
    act(folder)
    assert noes(folder) == expected


@pytest.mark.parametrize("change", ["another file", "a folder", "a link to the folder"])
def test_a_folder_with_other_things_is_not_replaced(folder: Path, change: str) -> None:
    small_release().save(folder, format="csv", force=True)
    small_release().save(folder, format="parts", force=True)
    CHANGES[change][0](folder)
    with pytest.raises(OutputError, match="holds other things"):
        small_release().save(folder, force=True)


def test_what_is_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PrivetError, match="format must be parquet, csv or parts"):
        small_release().save(tmp_path / "r", format="pieces")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
