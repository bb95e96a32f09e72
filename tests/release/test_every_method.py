"""One contract for every method that publishes: save, verify, tamper, report, pickle, repr."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from tampering import edit_json, mend_hashes, read_json

import privet
from privet.errors import InputError, OutputError, PrivetError, UsageError
from privet.release import Release
from privet.release.claims import CLAIMS
from privet.release.claims.recoding import RECODINGS
from privet.release.pages import report_of

ROWS = 120
SEED = 918273645546372
MARK = "Marker-Of-One-Person"
CELLS: dict[str, list[Any]] = {
    "person": [f"{MARK} {i}" for i in range(ROWS)],
    "age": [20 + (7 * i) % 50 for i in range(ROWS)],
    "town": [("Aix", "Bonn", "Cork")[i % 3] for i in range(ROWS)],
    "born": [f"19{40 + i % 50}-0{1 + i % 9}-1{i % 9}" for i in range(ROWS)],
    "y": [("no", "yes")[(7 * i) % 50 > 24 or i % 7 == 0] for i in range(ROWS)],
}
METHODS: dict[str, Callable[..., Release]] = {
    "rich": lambda frame: privet.publish(frame, target="y", identifier="person", k=3, leaves=4),
    "leaf": lambda frame: privet.publish(
        frame, target="y", identifier="person", k=3, leaves=4, recoding="leaf"
    ),
    "global": lambda frame: privet.publish(
        frame, target="y", identifier="person", k=1, leaves=4, recoding="global"
    ),
    "mondrian": lambda frame: privet.anonymise(frame, identifier="person", k=3),
    "infogain": lambda frame: privet.anonymise(
        frame, target="y", identifier="person", sensitive="town", k=3, l=1.2, method="infogain"
    ),
    "noise": lambda frame: privet.add_noise(frame, target="y", identifier="person", seed=SEED),
    "substitution": lambda frame: privet.substitute(
        frame, target="y", identifier="person", domain_from_data=True, seed=SEED
    ),
}


@pytest.fixture(params=METHODS)
def release(request: pytest.FixtureRequest) -> Release:
    return METHODS[request.param](CELLS)


@pytest.fixture
def folder(release: Release, tmp_path: Path) -> Path:
    release.save(tmp_path / "r", format="csv")
    return tmp_path / "r"


def noes(folder: Path, fingerprint: str | None = None) -> set[str]:
    checks = privet.verify(folder, fingerprint).checks
    return {check.name for check in checks if check.answer == "no"}


def test_every_method_is_registered_under_its_own_name() -> None:
    for name, module in CLAIMS.items():
        claims = import_module(f"privet.release.claims.{module}")
        assert name in (claims.METHODS if hasattr(claims, "METHODS") else (claims.METHOD,))


def test_every_registered_method_is_tried() -> None:
    releases = {name: METHODS[name](CELLS) for name in METHODS}
    assert {release.method for release in releases.values()} == set(CLAIMS)
    for name in RECODINGS:
        assert releases[name].manifest.method["recoding"] == name


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_is_saved_is_verified(release: Release, form: Any, tmp_path: Path) -> None:
    fingerprint = release.save(tmp_path / "r", format=form)
    outcome = privet.verify(tmp_path / "r", fingerprint)
    assert outcome.holds, outcome.first_no
    assert not privet.verify(tmp_path / "r", "0" * 64)
    assert {"manifest.json", "columns.csv", "report.html"} <= {
        path.name for path in (tmp_path / "r").iterdir()
    }


def test_files_tell_the_day_and_not_the_hour(folder: Path) -> None:
    times = {path.stat().st_mtime for path in (*folder.iterdir(), folder)}
    assert all(seconds % (24 * 60 * 60) == 0 for seconds in times)


def test_a_changed_byte_of_any_file_is_found(folder: Path) -> None:
    fingerprint = sha256((folder / "manifest.json").read_bytes()).hexdigest()
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
        try:
            found = noes(folder, fingerprint)
        except InputError:
            found = {"unreadable"}
        assert found, path.name
        path.write_bytes(content)
    assert not noes(folder)


def test_no_claim_may_be_dropped_doubled_or_called_attested(folder: Path) -> None:
    manifest = read_json(folder / "manifest.json")
    for number, claim in enumerate(manifest["claims"]):
        others = [c for place, c in enumerate(manifest["claims"]) if place != number]
        optional = claim["checkable"] == "attested" and claim["name"] != "tree-of-the-original"
        edits = [] if optional else [others, [*manifest["claims"], claim]]
        if claim["checkable"] == "release":
            edits.append([*others, {**claim, "checkable": "attested"}])
        for claims in edits:
            edit_json(folder / "manifest.json", lambda m, claims=claims: m.update(claims=claims))
            assert noes(folder), claim["name"]
    edit_json(folder / "manifest.json", lambda m: m.update(claims=manifest["claims"]))
    assert "report.html" not in noes(folder)


LIES: dict[str, Callable[[Path], None]] = {
    "a stranger's file": lambda f: (f / "notes.txt").write_text("x") and None,  # type: ignore[func-returns-value]
    "the audit inside": lambda f: (f / "audit").mkdir(),
    "no columns.csv": lambda f: _unlisted(f, "columns.csv"),
    "another column in columns.csv": lambda f: _edit(f / "columns.csv", "age", "wage"),
    "a script in the report": lambda f: _edit(f / "report.html", "</main>", "<script></script>"),
    "another figure in the report": lambda f: _edit(f / "report.html", "120", "999"),
    "an unknown field": lambda f: edit_json(f / "manifest.json", lambda m: m.update(more=1)),
    "another method": lambda f: edit_json(
        f / "manifest.json", lambda m: m["method"].update(name="magic")
    ),
    "another treatment": lambda f: edit_json(
        f / "manifest.json", lambda m: m["recoding"]["columns"]["age"].update(treatment="magic")
    ),
    "doubled keys": lambda f: _edit(f / "manifest.json", '"published"', '"format": 2, "published"'),
    "another dialect": lambda f: _edit(f / "data.csv", ",", ";"),
}


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")


def _unlisted(folder: Path, name: str) -> None:
    (folder / name).unlink()
    edit_json(folder / "manifest.json", lambda m: m["files"].pop(name))


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_found_though_hashes_are_mended(lie: str, folder: Path) -> None:
    LIES[lie](folder)
    if lie not in ("doubled keys", "another dialect"):
        mend_hashes(folder)
    try:
        assert noes(folder)
    except InputError as error:
        assert "manifest" in error.message  # noqa: PT017


def test_special_files_end_at_once(folder: Path) -> None:
    for name in ("data.csv", "manifest.json", "report.html"):
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        os.mkfifo(folder / name)
        assert f"file {name}" in noes(folder)
        (folder / name).unlink()
        (folder / name).symlink_to("/dev/zero")
        assert f"file {name}" in noes(folder)
        (folder / name).unlink()
        (folder / name).write_bytes(content)
    assert not noes(folder)


def test_the_report_is_made_again_with_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere")
    again = report_of(tmp_path / "elsewhere")
    assert again.encode() == (folder / "report.html").read_bytes()
    assert "<script" not in again


def test_it_reads_back_and_saves_again(folder: Path, tmp_path: Path) -> None:
    again = privet.read_release(folder)
    again.save(tmp_path / "copy", format="csv")
    for path in folder.iterdir():
        assert (tmp_path / "copy" / path.name).read_bytes() == path.read_bytes()
    with pytest.raises(UsageError, match="no audit"):
        again.save(tmp_path / "more", audit=tmp_path / "audit")


def test_the_audit_never_lies_in_the_release(release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "r")
    before = {p.name: p.read_bytes() for p in (tmp_path / "r").iterdir()}
    for audit in ("r", "r/audit", "."):
        with pytest.raises(PrivetError):
            release.save(tmp_path / "r", audit=tmp_path / audit, force=True)
    assert {p.name: p.read_bytes() for p in (tmp_path / "r").iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_release_and_audit_appear_together(release: Release, tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "thesis").write_text("mine")
    with pytest.raises(OutputError):
        release.save(tmp_path / "r", audit=tmp_path / "audit", force=True)
    assert not (tmp_path / "r").exists()
    release.save(tmp_path / "r", audit=tmp_path / "a")
    release.save(tmp_path / "r", audit=tmp_path / "a", force=True)
    data = json.loads((tmp_path / "a" / "audit.json").read_text(encoding="utf-8"))
    assert (data["format"], data["method"]) == (2, release.method)
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in (tmp_path / "a").iterdir())


def test_nothing_of_the_seed_or_the_originals_is_handed_out(release: Release, folder: Path) -> None:
    pickled = pickle.dumps(release)
    everything = [pickled, repr(release).encode(), repr(release.audit).encode()]
    everything += [path.read_bytes() for path in folder.iterdir()]
    for content in everything:
        assert MARK.encode() not in content
        assert str(SEED).encode() not in content
    back = pickle.loads(pickled)
    assert back.audit is None
    assert back.manifest == release.manifest
    with pytest.raises(UsageError, match="pickled"):
        pickle.dumps(release.audit)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
@pytest.mark.parametrize("method", METHODS)
def test_the_caller_gets_the_kind_of_frame_it_gave(make: Callable[..., Any], method: str) -> None:
    frame = make(CELLS)
    found = METHODS[method](frame)
    assert type(found.data) is type(frame)
    assert MARK not in repr(found)
    assert not any(value is frame for value in vars(found).values())


def test_new_rows_are_recoded_or_the_reason_is_told(folder: Path, tmp_path: Path) -> None:
    from privet.files import table_of
    from privet.release.new_rows import recode_rows

    read = privet.read_release(folder)
    try:
        recoded = recode_rows(table_of(CELLS), read.manifest, read.trees)
    except UsageError as error:
        assert "no recoding" in error.message  # noqa: PT017
    else:
        assert recoded.names == read.rows.table.names
