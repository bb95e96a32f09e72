"""Lies that only a rich release can tell: each of them is a no, though every hash was mended."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tampering import edit_json, mend_hashes, read_json, read_rows, write_rows

import privet

ROWS = 120


def cells() -> dict[str, list[Any]]:
    """A table whose rich release has values that were joined, and a column with codes."""
    rng = random.Random(2)
    age = [rng.randint(20, 60) for _ in range(ROWS)]
    pay = [rng.randint(0, 30) * 10 for _ in range(ROWS)]
    town = [rng.choice(["Aix", "Bonn", "Cork", "Dole", "Ems"]) for _ in range(ROWS)]
    likely = [(a > 40) ^ (p > 150) for a, p in zip(age, pay, strict=True)]
    y = ["yes" if yes ^ (rng.random() < 0.15) else "no" for yes in likely]
    return {"age": age, "pay": pay, "town": town, "y": y}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases") / "original"
    release = privet.publish(cells(), target="y", k=4, leaves=8)
    release.save(folder, format="csv", report=False)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "copy")
    return tmp_path / "copy"


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = read_json(folder / "manifest.json")["recoding"]["columns"]
    return found


def noes(folder: Path) -> set[str]:
    mend_hashes(folder)
    return {check.name for check in privet.verify(folder).checks if check.answer == "no"}


def test_the_original_has_what_the_lies_need(original: Path) -> None:
    assert privet.verify(original).holds
    manifest = read_json(original / "manifest.json")
    found = manifest["recoding"]["columns"]
    assert manifest["method"]["recoding"] == "rich"
    assert found["pay"]["joined"]
    assert found["town"]["joined"]
    assert found["age"]["given_back"]
    assert claim(manifest, "margin")["measured"] > 0
    assert claim(manifest, "equivalence-classes-within-leaves")["measured"] is True


def claim(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (c for c in manifest["claims"] if c["name"] == name)
    return dict(found)


@pytest.mark.parametrize(("column", "place"), [("pay", 1), ("town", 2)])
def test_a_joined_value_that_occurs(folder: Path, column: str, place: int) -> None:
    (joined, *_) = entries(folder)[column]["joined"]
    gone = next(v for v in _values(joined) if v != joined["value"])
    rows = read_rows(folder)
    for row in rows[1:]:
        if row[place] == str(joined["value"]):
            row[place] = str(gone)
    write_rows(folder, [rows[0], *sorted(rows[1:], key=_order)])
    assert f"recoding of {column}" in noes(folder)


def _values(joined: dict[str, Any]) -> list[Any]:
    return list(joined.get("members", ())) or [joined["low"], joined["high"]]


def _set_column(column: str, **changes: Any) -> Callable[[Any], object]:
    return lambda manifest: manifest["recoding"]["columns"][column].update(changes)


LIES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "no fill of that name": ("recoding of town", _set_column("town", fill="magic")),
    "the fill of numbers": ("recoding of town", _set_column("town", fill="leaf-quantile")),
    "the fill of categories": ("recoding of pay", _set_column("pay", fill="leaf-quota")),
    "a range that is no yes or no": ("recoding of pay", _set_column("pay", within_class_range="x")),
    "a range that is a number": ("recoding of pay", _set_column("pay", within_class_range=1)),
    "fewer than no records": ("recoding of pay", _set_column("pay", moved_records=-1)),
    "pins that are no number": ("recoding of pay", _set_column("pay", pinned_classes=True)),
    "no such form": ("recoding of pay", _set_column("pay", form="global")),
    "one more field": ("recoding of pay", _set_column("pay", more=1)),
    "joined upside down": (
        "recoding of pay",
        _set_column("pay", joined=[{"value": 10, "low": 20, "high": 0}]),
    ),
    "joined to a stranger": (
        "recoding of town",
        _set_column("town", joined=[{"value": "Rome", "members": ["Oslo", "Bern"]}]),
    ),
    "joined to nothing": ("recoding of town", _set_column("town", joined=[7])),
    "leaves that do not exist": ("recoding of age", _set_column("age", given_back=[1, 999])),
    "leaves that are no leaves": ("recoding of age", _set_column("age", given_back=["x"])),
    "no leaves given back": ("recoding of age", _set_column("age", given_back=None)),
    "aggregated in a leaf release": (
        "recoding of pay",
        lambda m: (m["method"].update(recoding="leaf"), m["recoding"].update(method="leaf")),
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_about_columns(lie: str, folder: Path) -> None:
    name, change = LIES[lie]
    edit_json(folder / "manifest.json", change)
    assert {name, "readable"} & noes(folder)


def _claims(name: str, **changes: Any) -> Callable[[Any], object]:
    def change(manifest: dict[str, Any]) -> None:
        for found in manifest["claims"]:
            if found["name"] == name:
                found.update(changes)

    return change


def _without(name: str) -> Callable[[Any], object]:
    return lambda m: m.update(claims=[c for c in m["claims"] if c["name"] != name])


MARGINS = [0.9, 0, True, "0.08", None, -0.1, 1e9]


@pytest.mark.parametrize("measured", MARGINS)
def test_a_false_margin(folder: Path, measured: Any) -> None:
    edit_json(folder / "manifest.json", _claims("margin", measured=measured))
    assert {"margin", "readable"} & noes(folder)


def _false_claims() -> Iterator[tuple[str, Callable[[Any], object]]]:
    for name in ("margin", "equivalence-classes-within-leaves"):
        yield name, _without(name)
        yield name, _claims(name, checkable="attested")
        yield name, _claims(name, parameters={"quasi": ["age"]})
    yield (
        "equivalence-classes-within-leaves",
        _claims("equivalence-classes-within-leaves", measured=False, claimed=False),
    )


@pytest.mark.parametrize(("name", "change"), list(_false_claims()))
def test_claims_that_are_dropped_or_changed(
    folder: Path, name: str, change: Callable[[Any], object]
) -> None:
    edit_json(folder / "manifest.json", change)
    assert name in noes(folder)


def test_a_row_that_was_changed(folder: Path) -> None:
    """Whatever cell of a tree's column changes, k or the tree or the margin is no longer true."""
    rows = read_rows(folder)
    for place in (0, 1):
        for number in (1, ROWS // 2, ROWS):
            others = [row for row in rows[1:] if row[place] != rows[number][place]]
            changed = [list(row) for row in rows]
            changed[number][place] = others[0][place]
            write_rows(folder, [changed[0], *sorted(changed[1:], key=_order)])
            assert noes(folder)


def _order(row: list[str]) -> tuple[Any, ...]:
    return float(row[0]), float(row[1]), *row[2:]


def test_an_aggregated_column_of_another_release(tmp_path: Path) -> None:
    """Leaf releases aggregate nothing, whatever their manifest says."""
    by_leaf = privet.publish(cells(), target="y", k=4, leaves=8, recoding="leaf")
    by_leaf.save(tmp_path / "r", format="csv", report=False)
    entry = {
        "treatment": "aggregated",
        "fill": "leaf-quota",
        "within_class_range": True,
        "joined": [],
        "moved_records": 0,
        "pinned_classes": 0,
        "form": "strict",
    }
    edit_json(
        tmp_path / "r" / "manifest.json",
        lambda m: m["recoding"]["columns"].update(town=entry),
    )
    assert "recoding of town" in noes(tmp_path / "r")
