"""regrow.py and regrow.R: strangers without Privet grow the trees again, and nobody can slip in
another script unnoticed."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import publish, read_release, verify
from privet.release import layout
from privet.release.rows import sha256_of
from tree.foreign.outside import needs

pytest.importorskip("pandas")

PROGRAMS = [
    pytest.param("sklearn", marks=needs("sklearn")),
    pytest.param("rpart", marks=needs("rpart")),
]


def rows(seed: int = 0) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    n = 160
    age = random.integers(20, 60, n)
    town = random.choice(["Ulm", "Köln", "a,b", 'say "hi"', "NA", "7"], n)
    income: list[Any] = np.round(random.normal(30, 9, n), 2).tolist()
    signal = age / 20 + np.isin(town, ["NA", "7"]) + np.array(income) / 20
    signal = signal + random.normal(0, 0.4, n)
    income[::11] = [None] * len(income[::11])
    days = np.datetime64("2001-03-04") + random.integers(0, 900, n)
    return {
        "age": age.tolist(),
        "town": town.tolist(),
        "income": income,
        "since": days.astype(str).tolist(),
        "odd name, 'x'": random.integers(0, 3, n).tolist(),
        "y": np.where(signal > np.median(signal), "yes", "no").tolist(),
        "spent": np.round(signal, 1).tolist(),
    }


def published(folder: Path, program: str, format: Any = "csv", **asked: Any) -> Any:  # noqa: A002
    settings = {"target": "y", "k": 3, "leaves": 5, "drop": "spent"} | asked
    release = publish(rows(), grower=program, kinds={"since": "date"}, **settings)
    release.save(folder, format=format, report=False)
    return release


def run(folder: Path, program: str) -> tuple[int, str]:
    """From elsewhere, with no Privet to import."""
    command = [sys.executable, "-I"] if program == "sklearn" else ["Rscript", "--vanilla"]
    name = "regrow.py" if program == "sklearn" else "regrow.R"
    done = subprocess.run(
        [*command, str(folder / name)], capture_output=True, text=True, cwd="/", encoding="utf-8"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("recoding", ["rich", "leaf", "global"])
def test_the_same_tree_grows_without_privet(tmp_path: Path, program: str, recoding: Any) -> None:
    release = published(tmp_path / "r", program, recoding=recoding)
    leaves = release.tree.n_leaves
    assert run(tmp_path / "r", program) == (
        0,
        f"YES: the same tree of {leaves} leaves grows for y.\n",
    )
    assert verify(tmp_path / "r")


@needs("sklearn")
@pytest.mark.parametrize("form", ["parquet", "parts"])
def test_parquet_is_read_as_well(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "ROWS_PER_PART", 50)
    published(tmp_path / "r", "sklearn", form)
    assert run(tmp_path / "r", "sklearn")[0] == 0


@needs("rpart")
def test_datetimes_of_parquet_and_of_csv_are_the_same_numbers(tmp_path: Path) -> None:
    """What R's readers of Parquet give has a time zone and fractions that R does not print."""
    published(tmp_path / "r", "rpart")
    script = (tmp_path / "r" / "regrow.R").read_text(encoding="utf-8")
    function = script[script.index("as_number <- ") :].split("\n}\n")[0] + "\n}\n"
    lines = 'at <- as.POSIXct(c(1577836800.250001, NA, -0.5), origin = "1970-01-01")\n'
    lines += 'texts <- c("2020-01-01T00:00:00.250001", NA, "1969-12-31T23:59:59.5")\n'
    lines += 'stopifnot(identical(as_number(at, "datetime"), as_number(texts, "datetime")))\n'
    (tmp_path / "same.R").write_text(function + lines, encoding="utf-8")
    for zone in ("UTC", "America/New_York"):
        command = ["Rscript", "--vanilla", str(tmp_path / "same.R")]
        done = subprocess.run(command, capture_output=True, env=os.environ | {"TZ": zone})
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_regression_and_several_trees(tmp_path: Path, program: str) -> None:
    published(tmp_path / "r", program, target="spent", drop=(), trees="target=y,leaves=3", leaves=3)
    status, said = run(tmp_path / "r", program)
    assert (status, said.count("YES"), said.count("NO")) == (0, 2, 0)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("what", ["column", "threshold", "records", "target"])
def test_another_tree_is_noticed(tmp_path: Path, program: str, what: str) -> None:
    published(tmp_path / "r", program)
    path = tmp_path / "r" / "model.json"
    model = json.loads(path.read_text(encoding="utf-8"))
    inner = [node for node in model["nodes"] if node["kind"] == "threshold"]
    if what == "column":
        inner[0]["attribute"] = next(
            node["attribute"]
            for node in [*model["nodes"], {"attribute": "odd name, 'x'"}]
            if node["attribute"] not in (None, inner[0]["attribute"])
        )
    elif what == "threshold":
        inner[0]["threshold"] = inner[0]["threshold"] * 1.0001
    elif what == "records":
        model["nodes"][0]["records"] += 1
    else:
        data = tmp_path / "r" / "data.csv"
        lines = data.read_text(encoding="utf-8").splitlines()
        flipped = [line.replace("yes", "NO").replace("no", "yes") for line in lines[1:60]]
        flipped = [line.replace("NO", "no") for line in flipped]
        data.write_text("\n".join([lines[0], *flipped, *lines[60:]]) + "\n", encoding="utf-8")
    path.write_text(json.dumps(model), encoding="utf-8")
    status, said = run(tmp_path / "r", program)
    assert status == 1
    assert said.startswith("NO: another tree grows for y: ")


@pytest.mark.parametrize("program", PROGRAMS)
def test_another_script_is_noticed_even_where_its_hash_is_listed(
    tmp_path: Path, program: str
) -> None:
    folder = tmp_path / "r"
    published(folder, program)
    name = "regrow.py" if program == "sklearn" else "regrow.R"
    script = folder / name
    script.write_text(script.read_text() + "\nprint('harm')\n", newline="\n")
    assert {c.name for c in verify(folder).checks if c.answer == "no"} == {f"file {name}"}
    manifest = read_release(folder).manifest
    files = {**manifest.files, name: sha256_of(script)}
    (folder / "manifest.json").write_text(replace(manifest, files=files).to_text(), newline="\n")
    told = {c.name: c.detail for c in verify(folder).checks if c.answer == "no"}
    assert list(told) == [name]
    assert "do not run it unread" in told[name]


@needs("sklearn")
def test_a_script_is_there_exactly_where_the_manifest_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    published(folder, "sklearn")
    manifest = read_release(folder).manifest
    text = (folder / "regrow.py").read_text()
    (folder / "regrow.py").unlink()
    files = {name: digest for name, digest in manifest.files.items() if name != "regrow.py"}
    (folder / "manifest.json").write_text(replace(manifest, files=files).to_text(), newline="\n")
    assert [c.name for c in verify(folder).checks if c.answer == "no"] == ["regrow.py"]
    plain = {key: value for key, value in manifest.method.items() if key != "grown_by"}
    (folder / "regrow.py").write_text(text, newline="\n")
    (folder / "manifest.json").write_text(replace(manifest, method=plain).to_text(), newline="\n")
    assert [c.name for c in verify(folder).checks if c.answer == "no"] == ["regrow.py"]


@needs("sklearn")
@pytest.mark.parametrize(
    "told",
    [
        None,
        {"program": "sklearn"},
        {"program": "cart", "random_states": [0]},
        {"program": "sklearn", "random_states": [0, 1]},
        {"program": "sklearn", "random_states": [True]},
        {"program": "sklearn", "random_states": ["0); import os"]},
        {"program": "sklearn", "random_states": [0], "more": 1},
        {"program": "rpart", "ties": []},
        {"program": "rpart", "ties": [3]},
    ],
)
def test_what_the_manifest_says_of_a_program_is_in_known_words(tmp_path: Path, told: Any) -> None:
    folder = tmp_path / "r"
    published(folder, "sklearn")
    manifest = read_release(folder).manifest
    method = {**manifest.method, "grown_by": told}
    (folder / "manifest.json").write_text(replace(manifest, method=method).to_text(), newline="\n")
    assert "method" in {c.name for c in verify(folder).checks if c.answer == "no"}
