"""Killed, out of room, read-only, twice at once: a whole release or none, and nothing lost."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tampering import small_release

from privet.errors import ClaimNotBorneOut, OutputError, PrivetError, TreeChanged
from privet.files import disk
from privet.release import Rows, verify
from privet.release import release as bundle
from privet.release.checks import Check, Verification
from privet.release.verify import verify_files

SCRIPT = Path(__file__).with_name("kill_while_saving.py")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def beside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir())


def save(folder: Path, leaves: int = 3, **more: Any) -> str:
    return small_release(leaves=leaves).save(folder, format="csv", report=False, **more)


def test_killed_at_any_moment(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert not [change for change in seen if change.endswith("HALF")], seen
    assert {"absent -> absent", "old -> old"} & set(seen)
    assert {"absent -> new", "old -> new"} & set(seen)


def test_existing_folders_are_kept(tmp_path: Path) -> None:
    save(tmp_path / "r", 2)
    before = contents(tmp_path / "r")
    with pytest.raises(OutputError, match="exists already"):
        save(tmp_path / "r")
    assert contents(tmp_path / "r") == before
    (tmp_path / "empty").mkdir()
    with pytest.raises(OutputError, match="exists already"):
        save(tmp_path / "empty")
    assert beside(tmp_path / "r") == ["empty", "r"]


def test_force_replaces_a_release_as_a_whole(tmp_path: Path) -> None:
    save(tmp_path / "r", 2)
    fingerprint = save(tmp_path / "r", 3, force=True)
    assert verify(tmp_path / "r", fingerprint).holds
    assert beside(tmp_path / "r") == ["r"]


def test_force_without_an_exchange_of_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_rename", lambda *_: None)
    save(tmp_path / "r", 2)
    fingerprint = save(tmp_path / "r", 3, force=True)
    assert verify(tmp_path / "r", fingerprint).holds
    assert beside(tmp_path / "r") == ["r"]


def test_force_does_not_replace_what_is_no_release(tmp_path: Path) -> None:
    home = tmp_path / "thesis"
    home.mkdir()
    (home / "chapter.txt").write_text("years of work")
    with pytest.raises(OutputError, match="other things"):
        save(home, force=True)
    assert contents(home) == {"chapter.txt": b"years of work"}
    (tmp_path / "file").write_text("x")
    for force in (True, False):
        with pytest.raises(OutputError):
            save(tmp_path / "file", force=force)
    (tmp_path / "link").symlink_to(home)
    with pytest.raises(OutputError):
        save(tmp_path / "link", force=True)
    (tmp_path / "nothing").mkdir()
    save(tmp_path / "nothing", force=True)
    assert beside(home) == ["file", "link", "nothing", "thesis"]


@pytest.mark.parametrize("name", ["data.csv", "mechanism.json"])
def test_force_does_not_replace_a_file_that_the_manifest_does_not_list(
    name: str, tmp_path: Path
) -> None:
    """A name that some release has makes a stranger's file no part of this one."""
    folder = tmp_path / "r"
    small_release().save(folder)
    (folder / name).write_text("somebody's only copy")
    with pytest.raises(OutputError, match="other things"):
        small_release().save(folder, force=True)
    assert (folder / name).read_text() == "somebody's only copy"


def test_no_folder_around_it(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        save(tmp_path / "a" / "b")


PLACES = ["rows", "model", "disk", "rename", "mkdir"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_no_room_read_only_broken(
    place: str, force: bool, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "r"
    if force:
        save(target, 2)
    before = contents(target) if force else None
    release = small_release()

    def fails(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    owner, name = {
        "rows": (Rows, "write"),
        "model": (Path, "write_text"),
        "disk": (os, "fsync"),
        "rename": (Path, "rename"),
        "mkdir": (Path, "mkdir"),
    }[place]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        if place == "rename":
            patch.setattr(disk, "_rename", lambda *_: None)
        with pytest.raises(OutputError, match=os.strerror(number)):
            release.save(target, format="csv", report=False, force=force)
    assert (contents(target) if target.exists() else None) == before
    assert beside(target) == (["r"] if force else [])


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_full_disk(form: Any, tiny_disk: Path) -> None:
    with pytest.raises(OutputError, match="No space left"):
        small_release().save(tiny_disk / "r", format=form, report=False)
    assert list(tiny_disk.iterdir()) == []


def test_a_release_that_does_not_hold_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, error in (("k-anonymity", ClaimNotBorneOut), ("same-tree", TreeChanged)):
        wrong = Verification((Check(name, "no", "claimed 5, counted 1"),))
        monkeypatch.setattr(bundle, "verify_files", lambda *_, wrong=wrong, **__: wrong)
        with pytest.raises(error, match=name):
            save(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_another_run_is_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def slow(stage: Path, **_: Any) -> Verification:
        monkeypatch.setattr(bundle, "verify_files", verify_files)
        save(tmp_path / "r", 2)
        return verify_files(stage)

    monkeypatch.setattr(bundle, "verify_files", slow)
    with pytest.raises(OutputError, match="another run"):
        save(tmp_path / "r", 3)
    assert verify(tmp_path / "r").holds
    assert beside(tmp_path / "r") == ["r"]


@pytest.mark.parametrize("force", [False, True])
def test_many_runs_into_one_folder(force: bool, tmp_path: Path) -> None:
    releases = [small_release(leaves=2 + number % 2) for number in range(6)]

    def attempt(number: int) -> str | None:
        try:
            return releases[number].save(tmp_path / "r", format="csv", report=False, force=force)
        except PrivetError:
            return None

    with ThreadPoolExecutor(6) as pool:
        fingerprints = list(pool.map(attempt, range(6)))
    made = [fingerprint for fingerprint in fingerprints if fingerprint is not None]
    assert made
    if not force:
        assert len(made) == 1
    assert any(verify(tmp_path / "r", fingerprint).holds for fingerprint in made)
    assert beside(tmp_path / "r") == ["r"]
