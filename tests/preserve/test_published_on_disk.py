"""Releases of tables that are counted on disk: the bytes are those of the memory engine."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles.random_tables import TARGET, plain_tables
from privet.cli.main import main
from privet.datasets import hospital
from privet.engine import larger_than_memory, sql, sql_blocks
from privet.errors import PrivetError, UsageError
from privet.files import write_table
from privet.release import audit
from privet.tree.exchange.model_file import to_data

ROLES = ["--target", "readmitted", "--identifier", "patient_id", "--sensitive", "diagnosis"]


def outcome(
    table: privet.Table, make: Callable[..., privet.Release] = privet.publish, **asked: object
) -> tuple[object, ...]:
    """Everything that would be handed out, or what is said instead."""
    try:
        release = make(table, target=TARGET, **asked)
    except PrivetError as error:
        return type(error), str(error)
    return (
        release.manifest.to_text(),
        [to_data(tree) for tree in release.trees],
        release.rows.content_sha256(),
        release.messages,
    )


@settings(max_examples=40)
@given(data=st.data())
def test_the_same_release(data: st.DataObject) -> None:
    regression = data.draw(st.booleans())
    table = data.draw(plain_tables(regression=regression, most_columns=5)).table()
    sensitive = data.draw(st.lists(st.sampled_from(table.names[:-1]), max_size=1))
    asked = {
        "k": data.draw(st.integers(1, 3)),
        "sensitive": sensitive,
        "l": 2 if sensitive and data.draw(st.booleans()) else None,
        "t": "0.5" if sensitive and data.draw(st.booleans()) else None,
        "recoding": data.draw(st.sampled_from(["global", "leaf", "rich"])),
        "leaves": data.draw(st.sampled_from([None, 2, 5])),
        "one_class": "allow",
        "float32_safe": data.draw(st.booleans()),
        "release_sensitive": data.draw(st.booleans()),
    }
    there = outcome(table, **asked)
    with larger_than_memory("300MB"):
        assert outcome(table, **asked) == there


@settings(max_examples=40)
@given(data=st.data())
def test_the_same_release_without_a_tree(data: st.DataObject) -> None:
    table = data.draw(plain_tables(most_columns=5)).table()
    sensitive = data.draw(st.lists(st.sampled_from(table.names[:-1]), max_size=1))
    asked = {
        "k": data.draw(st.integers(1, 4)),
        "sensitive": sensitive,
        "l": 2 if sensitive and data.draw(st.booleans()) else None,
        "t": "0.5" if sensitive and data.draw(st.booleans()) else None,
        "method": data.draw(st.sampled_from(["mondrian", "infogain"])),
        "one_class": data.draw(st.sampled_from(["allow", "forbid"])),
    }
    there = outcome(table, privet.anonymise, **asked)
    small = data.draw(st.sampled_from([0, 5, 64_000]))
    with patch.object(sql_blocks, "SMALL", small), larger_than_memory("300MB"):
        assert outcome(table, privet.anonymise, **asked) == there


@settings(max_examples=15)
@given(data=st.data())
def test_the_same_exploration(data: st.DataObject) -> None:
    """Sizes with their cross-validated scores; rows that are alike, and rows that are not."""
    regression = data.draw(st.booleans())
    table = data.draw(plain_tables(regression=regression)).table()
    if data.draw(st.booleans()):  # so often that rows alike are joined on disk
        table = table.take(np.tile(np.arange(table.n_rows), 5))
    recoding = data.draw(st.sampled_from(["global", "leaf", "rich"]))
    asked = {"k": 2, "recoding": recoding, "target": TARGET, "one_class": "allow"}

    def explored() -> object:
        try:
            return privet.explore(table, **asked)
        except PrivetError as error:
            return type(error), str(error)

    there = explored()
    with larger_than_memory("300MB"):
        assert explored() == there


@pytest.mark.parametrize("form", ["csv", "parquet", "arff", "xlsx"])
@pytest.mark.parametrize("method", ["global", "leaf", "rich", "mondrian", "infogain"])
def test_byte_identical_folders(
    tmp_path: Path, form: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / f"patients.{form}"
    write_table(hospital(400), table)
    asked = ["publish", "--leaves", "5", "--recoding", method]
    if method in ("mondrian", "infogain"):
        asked = ["anonymise", "--method", method]
    command, *asked = [*asked, "-k", "5", "-l", "2"]
    written = {}
    for engine in ("memory", "duckdb"):
        out = tmp_path / engine
        asked_there = [*asked, "--format", "csv" if form == "csv" else "parquet"]
        asked_there += ["--engine", engine, "--out", str(out)]
        assert main([command, str(table), *ROLES, *asked_there]) == 0
        written[engine] = {path.name: path.read_bytes() for path in out.iterdir()}
    assert written["duckdb"] == written["memory"]
    capsys.readouterr()
    said = []
    for options in ([], ["--engine", "duckdb", "--memory", "300MB"], ["--engine", "auto"]):
        assert main(["verify", str(tmp_path / "duckdb"), *options]) == 0
        said.append(capsys.readouterr().out)
    assert said == said[:1] * 3


def test_explore_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "patients.csv"
    write_table(hospital(300), table)
    said = []
    for engine in ("memory", "duckdb", "auto"):
        asked = ["-k", "5", "--leaves", "4", "--recoding", "leaf", "--json", "--engine", engine]
        assert main(["explore", str(table), *ROLES, *asked]) == 0
        said.append(capsys.readouterr().out)
    assert said == said[:1] * 3


def test_a_false_release_is_found_on_disk(tmp_path: Path) -> None:
    release = privet.publish(hospital(400), target="readmitted", identifier="patient_id", k=5)
    release.save(tmp_path / "release", format="csv")
    data = tmp_path / "release" / "data.csv"
    data.write_text(data.read_text(encoding="utf-8").replace("yes", "no", 1), encoding="utf-8")
    with larger_than_memory("300MB"):
        assert not privet.verify(tmp_path / "release")


def test_what_needs_rows_is_refused() -> None:
    message = "cross-validation, where people are counted"
    with larger_than_memory("300MB"), pytest.raises(UsageError, match=message):
        privet.publish(hospital(50), target="readmitted", k=2, person="patient_id")


@settings(max_examples=20)
@given(data=st.data())
def test_the_same_release_of_several_trees(data: st.DataObject) -> None:
    """Each further tree is grown beside the intersections of the leaves before it."""
    table = data.draw(plain_tables(regression=data.draw(st.booleans()), most_columns=4)).table()
    names = st.sampled_from(table.names)
    further = data.draw(st.lists(names, min_size=1, max_size=2, unique=True))
    asked = {
        "k": data.draw(st.integers(1, 3)),
        "recoding": data.draw(st.sampled_from(["global", "leaf", "rich"])),
        "leaves": data.draw(st.sampled_from([2, 4])),
        "trees": [{"target": name, "leaves": 3} for name in further],
        "one_class": "allow",
    }
    there = outcome(table, **asked)
    with larger_than_memory("300MB"):
        assert outcome(table, **asked) == there


@pytest.mark.parametrize("recoding", ["leaf", "rich"])
def test_several_trees_of_people(recoding: str) -> None:
    """Two trees that both split, with k asked of their intersections."""
    asked = {"identifier": "patient_id", "recoding": recoding, "k": 3, "leaves": 3}
    asked["trees"] = [{"target": "sex", "leaves": 3}]
    found = []
    for where in (nullcontext(), larger_than_memory("300MB")):
        with where:
            release = privet.publish(hospital(120), target="readmitted", **asked)
            found.append((release.rows.content_sha256(), release.manifest.to_text()))
            assert [tree.n_leaves > 1 for tree in release.trees] == [True, True]
    assert found[0] == found[1]


@pytest.mark.parametrize("command", ["publish", "anonymise"])
def test_the_same_audit_and_ledger(tmp_path: Path, command: str) -> None:
    write_table(hospital(300), tmp_path / "patients.csv")
    words = [command, str(tmp_path / "patients.csv"), *ROLES, *_places(tmp_path)]
    words += ["--leaves", "4"] if command == "publish" else []
    assert main([*words, "-k", "9"]) == 0
    first = (tmp_path / "ledger.json").read_bytes()  # its salt is drawn at random
    found = {}
    for engine in ("memory", "duckdb"):
        (tmp_path / "ledger.json").write_bytes(first)
        assert main([*words, "-k", "4", "--engine", engine, "--force"]) == 0
        files = [path for path in sorted(tmp_path.rglob("*")) if path.is_file()]
        found[engine] = {path.name: path.read_bytes() for path in files}
    assert found["memory"] == found["duckdb"]
    assert len(json.loads(found["duckdb"]["audit.json"])["class_of_row"]) == 300


def _places(folder: Path) -> list[str]:
    places = {"--out": "out", "--audit": "inside", "--ledger": "ledger.json"}
    return [word for option, name in places.items() for word in (option, str(folder / name))]


@pytest.mark.parametrize("recoding", ["global", "leaf", "rich"])
def test_the_same_class_of_each_row(recoding: str) -> None:
    """Rows alike, rows that come in many portions, and columns that are joined by hand."""
    table = hospital(400).take(np.arange(900) * 7 % 400)
    asked = {"target": "readmitted", "identifier": "patient_id", "k": 3, "leaves": 6}
    there = privet.publish(table, **asked, recoding=recoding).audit
    with (
        patch.object(sql, "PORTION", 32),
        patch.object(audit, "_AT_ONCE", 50),
        larger_than_memory("300MB") as place,
    ):
        place.follows_rows = True
        found = privet.publish(table, **asked, recoding=recoding).audit
        assert found is not None
        assert there is not None
        text = "".join(found._texts())
        assert text == json.dumps(there.to_data(), ensure_ascii=False, indent=1) + "\n"


def test_rows_must_be_followed_from_the_start(tmp_path: Path) -> None:
    with larger_than_memory("300MB"):
        release = privet.publish(hospital(60), target="readmitted", k=2, leaves=3)
        with pytest.raises(UsageError, match="followed from the start"):
            release.save(tmp_path / "out", audit=tmp_path / "inside")
