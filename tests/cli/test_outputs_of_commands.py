"""Every command that writes: never on top of what it reads, all files or none, whatever happens.

What is there after a command was killed is looked at next door, in `kills`.
"""

import errno
import os
import shutil
from pathlib import Path

import pytest

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
    make,
    state,
)
from privet.cli.main import COMMANDS, main
from privet.files import disk

# command, the option that names an output (None: a place), a fresh name, what it reads
FILES = {
    "schema": (["schema", "t.csv"], "--out", "new.toml", ["t.csv"]),
    "tree": (TREE, "--out", "new.json", ["t.csv"]),
    "tree, picture": (TREE, "--picture", "new.svg", ["t.csv"]),
    "tree of originals": (
        ORIGINALS,
        "--out",
        "new.json",
        ["perturbed.csv", "perturbed.mechanism.json"],
    ),
    "compare": (
        ["compare", "model.json", "model.json", "--data", "t.csv"],
        "--picture",
        "new.svg",
        ["model.json", "t.csv"],
    ),
    "explore": (EXPLORE, "--plot", "new.svg", ["t.csv"]),
    "recode": (["recode", "release", "t.csv"], "--out", "new.csv", ["t.csv"]),
    "predict": (["predict", "release", "t.csv"], "--out", "new.csv", ["t.csv"]),
    "report": (["report", "release"], "--out", "new.html", ["release/manifest.json"]),
    "convert": (["convert", "t.csv"], None, "new.parquet", ["t.csv"]),
    "convert, tree": (["convert", "model.json"], None, "new.pmml", ["model.json"]),
    "mask": ([*MASK, "--codebook", "new.book"], "--out", "new.csv", ["t.csv", "pk.json"]),
    "join": (["join", "s1.parquet", "s2.parquet"], "--out", "new.csv", ["s1.parquet"]),
    "decode": (
        ["decode", "mined.json", "--codebook", "book"],
        "--out",
        "new.json",
        ["mined.json", "book"],
    ),
    "substitute": (SUBSTITUTE, "--out", "new.csv", ["u.csv", "u.toml"]),
    "rebuild": (REBUILD, "--out", "new.csv", ["perturbed.csv", "perturbed.mechanism.json"]),
    "advise": (ADVISE, "--plot", "new.svg", ["u.csv"]),
}
FOLDERS = {"publish": PUBLISH, "anonymise": ANONYMISE, "noise": NOISE, "substitute": SUBSTITUTE}
WRITES_NOTHING = {"alike", "attack", "check", "measure", "verify"}
# A secret is never replaced: tests of the parties' outputs. A page writes what its person asks it
# to: tests of the studio.
ELSEWHERE = {"party", "studio"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    make(home)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    shutil.copytree(made, place)
    monkeypatch.chdir(place)
    return place


def asking(name: str, out: str) -> list[str]:
    words, option, _, _ = FILES[name]
    return [*words, *([option] if option else []), out]


def test_every_command_is_asked() -> None:
    asked = {words[0] for words, *_ in FILES.values()} | {words[0] for words in FOLDERS.values()}
    assert asked | WRITES_NOTHING | ELSEWHERE == set(COMMANDS)


@pytest.mark.parametrize("name", FILES)
def test_an_output_is_never_an_input(name: str, home: Path) -> None:
    Path("here").symlink_to(home)
    for number, given in enumerate(FILES[name][3]):
        ending = "".join(Path(FILES[name][2]).suffixes[-1:])
        os.link(given, f"hard{number}{ending}")
        Path(f"link{number}{ending}").symlink_to(given)
        before = state(home)
        for out in (given, f"here/{given}", f"hard{number}{ending}", f"link{number}{ending}"):
            assert main([*asking(name, out), "--force"]) in (2, 3), out
            assert state(home) == before, out


@pytest.mark.parametrize("name", FILES)
def test_old_files_survive_a_failure(
    name: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = FILES[name][2]
    Path(new).write_bytes(b"old")
    before = state(home)
    assert main(asking(name, new)) == 2  # without --force
    assert state(home) == before

    def no_room(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "force_to_disk", no_room)
        assert main([*asking(name, new), "--force"]) == 2
    assert state(home) == before
    assert main([*asking(name, new), "--force"]) == 0
    assert Path(new).read_bytes() != b"old"


@pytest.mark.parametrize("name", FOLDERS)
def test_old_releases_survive_a_failure(
    name: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(home)
    for place in (FOLDERS[name][1], "."):
        assert main([*FOLDERS[name], "--out", place, "--force"]) in (2, 3), place
        assert state(home) == before, place

    def no_room(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "force_to_disk", no_room)
        assert main([*FOLDERS[name], "--out", "release", "--force"]) == 2
    assert state(home) == before


@pytest.mark.parametrize("name", [*FILES, *(f"{name}, folder" for name in FOLDERS)])
def test_nothing_is_written_into_a_release(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree("release", "other")
    Path("other/below").mkdir()  # by hand
    Path("link").symlink_to("other")
    before = state(home)
    for place in ("other", "other/below", "link"):
        if name in FILES:
            asked = asking(name, f"{place}/{FILES[name][2]}")
        else:
            asked = [*FOLDERS[name.partition(",")[0]], "--out", f"{place}/inner"]
        assert main([*asked, "--force"]) == 2
        assert "in the release other, which would no longer verify" in capsys.readouterr().err
    assert state(home) == before


def test_what_else_a_command_writes_stays_out_of_a_release(home: Path) -> None:
    before = state(home)
    out = ["--out", "new"]
    assert main([*PUBLISH, *out, "--audit", "release/audit"]) == 2
    assert main([*PUBLISH, *out, "--save-config", "release/c.toml"]) == 2
    assert main([*MASK, "--codebook", "release/book", "--out", "s.parquet"]) == 2
    assert main([*TREE, "--out", "release/model.json", "--force"]) == 2
    assert main(["party", "init", "--project", "p", "--out", "release/pk.json"]) == 2
    assert state(home) == before


def test_a_lost_report_comes_back_and_the_release_verifies(home: Path) -> None:
    before = state(home)
    Path("release/report.html").write_text("spoilt")
    assert main(["report", "release"]) == 0
    Path("release/report.html").unlink()
    assert main(["report", "release"]) == 0
    assert state(home) == before
    assert main(["verify", "release"]) == 0


def test_several_files_of_one_command_appear_together(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.json", "b.svg"):
        Path(name).write_bytes(b"old")
    before = state(home)
    real = disk.exchange
    calls = iter(range(9))

    def second_fails(one: Path, two: Path) -> None:
        if next(calls) == 1:
            raise OSError(errno.EIO, "Input/output error")
        real(one, two)

    asked = [*TREE, "--out", "a.json", "--picture", "b.svg", "--force"]
    with monkeypatch.context() as patched:
        patched.setattr(disk, "exchange", second_fails)
        assert main(asked) == 2
    assert state(home) == before
    assert main([*TREE, "--out", "b.svg", "--picture", "b.svg", "--force"]) == 2
    assert state(home) == before
    assert main(asked) == 0


@pytest.mark.parametrize("name", FILES)
def test_a_dry_run_writes_nothing(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("explore", "advise", "compare"):
        pytest.skip("what these commands print is their result")
    before = state(home)
    assert main([*asking(name, FILES[name][2]), "--dry-run"]) == 0
    assert state(home) == before
    assert "nothing written" in capsys.readouterr().out


@pytest.mark.parametrize("name", FOLDERS)
def test_a_dry_run_makes_no_folder(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state(home)
    assert main([*FOLDERS[name], "--out", "new", "--dry-run"]) == 0
    assert state(home) == before
    said = capsys.readouterr().out
    assert "nothing written" in said
    assert "ingerprint" not in said
