"""Folders made to deceive or to exhaust whoever verifies them: each ends soon, with a no."""

import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile import ITSELF, QUICK, SLOW, Attack, mend_hashes_of_plain_files
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


def made(method: str) -> Release:
    if method == "noise":
        return privet.add_noise(CELLS, target="y")
    if method == "substitution":
        return privet.substitute(CELLS, target="y", domain_from_data=True)
    return by_leaf()


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Attack], Path]:
    """Releases that are true, made when they are first needed."""
    home = tmp_path_factory.mktemp("originals")

    def original(attack: Attack) -> Path:
        folder = home / f"{attack.method}-{attack.format}"
        if not folder.exists():
            made(attack.method).save(folder, format=attack.format)
        return folder

    return original


PROGRAM = """
import re, resource, sys
from pathlib import Path
from privet.cli.main import main

status = main(["verify", sys.argv[1]])
used = resource.getrusage(resource.RUSAGE_SELF)
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(status, used.ru_utime + used.ru_stime, int(peak[1]) * 1024, file=sys.stderr)
"""


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (3 * MOST_BYTES, 3 * MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (3 * MOST_SECONDS, 3 * MOST_SECONDS))


@pytest.mark.parametrize(
    "attack",
    [*QUICK, *(pytest.param(attack, marks=pytest.mark.slow) for attack in SLOW)],
    ids=lambda attack: attack.name,
)
def test_bombs_end_soon_and_with_a_no(
    attack: Attack, originals: Callable[[Attack], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "r"
    shutil.copytree(originals(attack), folder)
    attack.spoil(folder)
    if attack.name not in ITSELF:
        mend_hashes_of_plain_files(folder, sha256_of)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        capture_output=True,
        text=True,
        timeout=20 * MOST_SECONDS,  # others may use the machine as well
        preexec_fn=_limited,
    )
    assert "Traceback" not in done.stderr
    status, seconds, memory = map(float, done.stderr.splitlines()[-1].split())
    assert status == 1, done.stdout + done.stderr
    assert re.search("^NO: ", done.stdout, re.MULTILINE)
    assert seconds < MOST_SECONDS
    assert memory < MOST_BYTES
    assert len(done.stdout) + len(done.stderr) < 20_000


def test_what_is_spoilt_was_true_before(originals: Callable[[Attack], Path]) -> None:
    for attack in {(a.method, a.format): a for a in (*QUICK, *SLOW)}.values():
        assert privet.verify(originals(attack))


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
