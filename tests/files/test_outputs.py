"""Outputs appear whole and together, or not at all, and never on top of what is read."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from kills.waiting import started
from privet.errors import OutputError, UsageError
from privet.files import disk
from privet.files.outputs import output_file, outputs, write_text
from privet.files.places import keep_apart, refuse_inputs


def nobody(folder: Path) -> bool:
    return False


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_several_outputs_appear_together(tmp_path: Path) -> None:
    with outputs() as out:
        out.file(tmp_path / "a.csv").write_text("a")
        folder = out.folder(tmp_path / "b", mine=nobody)
        (folder / "inside").write_text("b")
        assert not (tmp_path / "a.csv").exists()
        assert not (tmp_path / "b").exists()
    assert (tmp_path / "a.csv").read_text() == "a"
    assert (tmp_path / "b" / "inside").read_text() == "b"
    assert hidden(tmp_path) == []


def test_a_failure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.csv"
    old.write_bytes(b"what was there")

    def fail() -> None:
        with outputs(force=True) as out:
            out.file(old).write_text("new")
            out.file(tmp_path / "second").write_text("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert old.read_bytes() == b"what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_another_run_made_since_the_look_is_not_replaced(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It appears after the place was found free, and before anything is written."""
    place, make = tmp_path / "out", disk.new_hidden

    def late(target: Path, is_folder: bool) -> tuple[Path, int]:
        if is_folder:
            place.mkdir()
        (place / "theirs" if is_folder else place).write_text("made by another run")
        return make(target, is_folder)

    def race() -> None:
        with outputs() as out:
            if what == "file":
                out.file(place).write_text("new")
            else:
                (out.folder(place, mine=nobody) / "mine").write_text("new")

    monkeypatch.setattr(disk, "new_hidden", late)
    with pytest.raises(OutputError, match="another run"):
        race()
    theirs = place if what == "file" else place / "theirs"
    assert theirs.read_text() == "made by another run"
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("exchange", [True, False], ids=["one step", "by renames"])
def test_if_the_second_cannot_be_placed_the_first_goes_back(
    tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(disk, "_rename", lambda *_: None)
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")

    def race() -> None:
        with outputs(force=True) as out:
            out.file(first).write_text("new")
            out.file(second).write_text("new")
            second.write_text("made by another run")

    with pytest.raises(OutputError, match="another run"):
        race()
    assert first.read_text() == "old"
    assert second.read_text() == "made by another run"
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("exchange", [True, False], ids=["one step", "by renames"])
def test_force_replaces_files_and_keeps_their_mode(
    tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(disk, "_rename", lambda *_: None)
    path = tmp_path / "f.json"
    write_text(path, "one")
    path.chmod(0o640)
    with pytest.raises(OutputError, match="exists already"):
        write_text(path, "two")
    write_text(path, "two", force=True)
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert hidden(tmp_path) == []


def test_secrets_are_their_owners_alone_from_the_first_byte(tmp_path: Path) -> None:
    with outputs() as out:
        key = out.file(tmp_path / "key.json", secret=True)
        folder = out.folder(tmp_path / "audit", mine=nobody, secret=True)
        assert key.stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
        key.write_text("secret")
    assert (tmp_path / "key.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o700


def test_an_output_is_never_an_input(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a\n1\n")
    by_link, by_hard_link = tmp_path / "link.csv", tmp_path / "hard.csv"
    by_link.symlink_to(table)
    os.link(table, by_hard_link)
    (tmp_path / "folder").symlink_to(tmp_path)
    for name in (table, by_hard_link, tmp_path / "folder" / "table.csv"):
        with pytest.raises(UsageError, match="is the input"):
            write_text(name, "x", inputs=[table], force=True)
        with pytest.raises(UsageError, match="is the input"):
            refuse_inputs(name, [None, table])
    with pytest.raises(OutputError, match="is a link"):
        write_text(by_link, "x", force=True)
    with pytest.raises(UsageError, match="is the input"):
        write_text(table, "x", inputs=[by_link], force=True)
    assert table.read_text() == "a\n1\n"


def test_outputs_are_apart(tmp_path: Path) -> None:
    with outputs() as out:
        out.file(tmp_path / "same")
        with pytest.raises(UsageError, match="is the output"):
            out.file(tmp_path / "." / "same")
    with pytest.raises(UsageError, match="lies in the other"):
        keep_apart(tmp_path / "release", None, tmp_path / "release" / "audit")
    with pytest.raises(UsageError, match="lies in the other"):
        keep_apart(tmp_path / "audit" / "release", tmp_path / "audit")
    keep_apart(tmp_path / "release", tmp_path / "release-audit")


def test_a_folder_that_holds_an_input_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "table.csv").write_text("a\n")
    with (
        pytest.raises(UsageError, match="is the input"),
        outputs(inputs=[folder / "table.csv"], force=True) as out,
    ):
        out.folder(folder, mine=lambda _: True)
    assert (folder / "table.csv").exists()


def test_special_files_links_and_strange_folders_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.docx").write_text("mine")
    for name, said in (("pipe", "not a file"), ("full", "not a file"), ("no/where", "not exist")):
        with pytest.raises(OutputError, match=said):
            write_text(tmp_path / name, "x", force=True)
    with pytest.raises(OutputError, match="other things"), outputs(force=True) as out:
        out.folder(tmp_path / "full", mine=nobody)
    assert (tmp_path / "full" / "thesis.docx").read_text() == "mine"


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    with pytest.raises(OutputError, match="No space left"), output_file(path, force=True):
        raise OSError(28, "No space left on device")
    assert path.read_text() == "old"


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom privet.files.outputs import outputs\n"
        "with outputs() as out:\n"
        "    out.file(sys.argv[1] + '/f').write_text('half')\n"
        "    (out.folder(sys.argv[1] + '/d', mine=bool) / 'x').write_text('half')\n"
        "    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    killed = started(program, tmp_path)
    write_text(tmp_path / "other", "x")
    assert len(hidden(tmp_path)) == 2  # that run is alive: its files are left to it
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    write_text(tmp_path / "another", "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", "other"]


def test_a_run_that_is_told_to_end_removes_its_own(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom privet.cli import main\n"
        "import privet.cli.main as m\n"
        "from privet.files.outputs import outputs\n"
        "def work(*_, **__):\n"
        "    with outputs() as out:\n"
        "        out.file(sys.argv[1] + '/f')\n"
        "        print('ready', flush=True)\n        time.sleep(60)\n"
        "m.app = work\nsys.exit(m.main([]))\n"
    )
    ended = started(program, tmp_path)
    ended.terminate()
    assert ended.wait(timeout=20) == 143
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_another_run_takes_for_a_leftover_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its making and its lock nobody holds it."""
    make, taken = Path.mkdir, []

    def mkdir(path: Path, *arguments: Any, **named: Any) -> None:
        make(path, *arguments, **named)
        if len(taken) < 3:
            taken.append(path)
            disk.remove_leftovers(tmp_path)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    stage, handle = disk.new_hidden(tmp_path / "out", is_folder=True)
    assert len(taken) == 3
    assert list(tmp_path.iterdir()) == [stage]
    os.close(handle)
    with pytest.raises(FileNotFoundError):
        disk.new_hidden(tmp_path / "nowhere" / "out", is_folder=False)


def test_files_of_others_and_links_are_no_leftovers(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("x")
    (tmp_path / ".privet-0123456789abcdef-f").symlink_to(target)
    (tmp_path / ".privet-notours").write_text("x")
    before = time.time()
    write_text(tmp_path / "g", "x")
    assert time.time() - before < 5
    assert {".privet-0123456789abcdef-f", ".privet-notours", "precious", "g"} == {
        path.name for path in tmp_path.iterdir()
    }


def test_an_error_names_the_output_that_it_is_about(tmp_path: Path) -> None:
    def fail(error: OSError | None = None) -> None:
        with outputs() as out:
            first, second = out.file(tmp_path / "first"), out.file(tmp_path / "second")
            second.write_text("whole")
            if error is not None:
                raise error
            (first / "below a file").write_text("x")

    with pytest.raises(OutputError, match=r"^first cannot be written"):
        fail()
    with pytest.raises(OutputError, match=r"^first or second cannot be written: No space"):
        fail(OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_given_as_a_dot_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"it is the input \., or one lies in the other"):
        refuse_inputs("release", [Path()])
