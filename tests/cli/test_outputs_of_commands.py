"""Every command that writes: never on top of what it reads, all files or none, whatever happens."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from privet.cli.main import COMMANDS, main
from privet.files import disk

ROWS = "\n".join(
    f"p{i},{20 + i % 50},{'abc'[i % 3]},{'yes' if i % 4 else 'no'}" for i in range(240)
)
SCHEMA = """[columns.age]
kind = "integer"
domain = [0, 100]
bins = 5
[columns.diag]
kind = "category"
domain = ["a", "b", "c"]
[columns.y]
kind = "category"
role = "target"
domain = ["no", "yes"]
"""
MASK = ["mask", "t.csv", "--key", "id", "--sensitive", "age", "--project-key", "pk.json"]
OTHER = ["y" if word == "age" else word for word in MASK]
TREE = ["tree", "t.csv", "--target", "y", "--drop", "id", "--leaves", "3"]
PUBLISH = ["publish", "t.csv", "--target", "y", "--drop", "id", "-k", "5", "--leaves", "3"]
NOISE = ["noise", "t.csv", "--target", "y", "--drop", "id", "--seed", "1"]
SUBSTITUTE = ["substitute", "u.csv", "--schema", "u.toml", "--seed", "1"]
EXPLORE = ["explore", "t.csv", "--target", "y", "--drop", "id", "--leaves", "3"]
ADVISE = ["advise", "u.csv", "--target", "y", "--gammas", "9", "--bins", "4"]

# command, the option that names an output (None: a place), a fresh name, what it reads
FILES = {
    "schema": (["schema", "t.csv"], "--out", "new.toml", ["t.csv"]),
    "tree": (TREE, "--out", "new.json", ["t.csv"]),
    "tree, picture": (TREE, "--picture", "new.svg", ["t.csv"]),
    "tree of originals": (
        ["tree", "perturbed.csv", "--mechanism", "perturbed.mechanism.json", "--target", "y"],
        "--out",
        "new.json",
        ["perturbed.csv", "perturbed.mechanism.json"],
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
    "rebuild": (
        ["rebuild", "perturbed.csv", "--mechanism", "perturbed.mechanism.json", "--target", "y"],
        "--out",
        "new.csv",
        ["perturbed.csv", "perturbed.mechanism.json"],
    ),
    "advise": (ADVISE, "--plot", "new.svg", ["u.csv"]),
}
FOLDERS = {"publish": PUBLISH, "noise": NOISE, "substitute": SUBSTITUTE}
WRITES_NOTHING = {"check", "verify"}
ELSEWHERE = {"party"}  # a secret is never replaced: tests of the parties' outputs


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    before = Path.cwd()
    os.chdir(home)
    try:
        Path("t.csv").write_text(f"id,age,diag,y\n{ROWS}\n")
        Path("u.csv").write_text(
            "age,diag,y\n" + "\n".join(row.partition(",")[2] for row in ROWS.split("\n")) + "\n"
        )
        Path("u.toml").write_text(SCHEMA)
        for asked in (
            [*TREE, "--out", "model.json"],
            [*PUBLISH, "--out", "release"],
            ["party", "init", "--project", "p", "--out", "pk.json"],
            [*MASK, "--codebook", "book", "--out", "s1.parquet", "--drop", "y"],
            [*OTHER, "--drop", "age,diag", "--codebook", "book2", "--out", "s2.parquet"],
            ["join", "s1.parquet", "s2.parquet", "--out", "joined.parquet"],
            ["tree", "joined.parquet", "--target", "H_y", "--leaves", "3", "--out", "mined.json"],
            [*SUBSTITUTE, "--out", "perturbed.csv"],
        ):
            assert main(asked) == 0, asked
    finally:
        os.chdir(before)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    shutil.copytree(made, place)
    monkeypatch.chdir(place)
    return place


def state(folder: Path) -> dict[str, bytes]:
    """Every file, hidden ones as well."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


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
    if name in ("explore", "advise"):
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


# -- ended from outside ----------------------------------------------------------------------------

# Imports everything once; then every trial is a fork that is ended at a random moment.
DRIVER = """
import json, os, random, signal, sys, time
from pathlib import Path
import privet.tree, privet.pipeline, privet.preserve.publisher, privet.report.html
from privet.cli.main import main

asked, trials, seed = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance, wrong, ended = random.Random(seed), [], 0


def started(words):
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os._exit(main(words))
    return child


def seen(place):
    return {p.name: p.read_bytes() for p in sorted(place.iterdir())} if place.is_dir() else (
        place.read_bytes() if place.exists() else None)


for words, out in asked:
    place = Path(out)
    folder = place.parent
    for _ in range(2):  # the first makes it, the second says how long it takes
        begun = time.monotonic()
        os.waitpid(started([*words, out, "--force"]), 0)
        lasts = time.monotonic() - begun
    new, names = seen(place), set(os.listdir(folder))
    for number in range(trials):
        known = set(os.listdir(folder))
        number_of = signal.SIGKILL if number % 2 else signal.SIGTERM
        child = started([*words, out, "--force"])
        time.sleep(chance.uniform(0.2, 1.1) * lasts)
        try:
            os.kill(child, number_of)
        except ProcessLookupError:
            pass
        _, status = os.waitpid(child, 0)
        ended += status != 0
        if seen(place) != new:
            wrong.append([words[0], number, "neither old nor new"])
        left = set(os.listdir(folder)) - known
        if left and number_of == signal.SIGTERM:
            wrong.append([words[0], number, sorted(left)])
    os.waitpid(started([*words, out, "--force"]), 0)
    if set(os.listdir(folder)) != names or seen(place) != new:
        wrong.append([words[0], "leftovers", sorted(set(os.listdir(folder)) - names)])
print(json.dumps({"wrong": wrong, "ended": ended}))
"""


def ended_at_random(home: Path, trials: int) -> Iterator[object]:
    asked = [
        (["convert", "t.csv"], "out/c.csv"),
        ([*TREE, "--picture", "out/p.svg", "--out"], "out/m.json"),
        ([*PUBLISH, "--out"], "out/release"),
        ([*SUBSTITUTE, "--out"], "out/s.csv"),
    ]
    (home / "out").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(asked), str(trials), "20"],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["ended"] > 0  # else nothing was tried
    yield from found["wrong"]


def test_an_ended_run_leaves_the_old_or_the_new(home: Path) -> None:
    assert list(ended_at_random(home, trials=6)) == []


@pytest.mark.slow
def test_many_ended_runs_leave_the_old_or_the_new(home: Path) -> None:
    assert list(ended_at_random(home, trials=60)) == []
