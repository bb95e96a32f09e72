"""The map of the house is right: every path on it exists, its layers are those that are checked."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MAP = PAGE.partition("## Where does X live?")[2].partition("## Direction of imports")[0]
OUTSIDE = ("docs/", "tests/", "examples/", "benchmarks/", "experiments/", ".importlinter")
ROWS = [line.split("|")[2] for line in MAP.splitlines() if line.startswith("| ")]
PLACES = sorted({place for row in ROWS for place in re.findall(r"`([^`]+)`", row)})


@pytest.mark.parametrize("place", PLACES)
def test_a_place_exists(place: str) -> None:
    folder = ROOT if place.startswith(OUTSIDE) else ROOT / "src" / "privet"
    assert (folder / place).exists()


def test_every_room_is_on_the_map() -> None:
    source = ROOT / "src" / "privet"
    rooms = {one.name for one in source.iterdir() if (one / "__init__.py").exists()}
    assert rooms <= {place.partition("/")[0] for place in PLACES}


def test_the_layers_are_those_that_are_checked() -> None:
    contract = (ROOT / ".importlinter").read_text(encoding="utf-8")
    listed = contract.partition("layers =")[2].partition("\n;")[0]
    layers = [re.findall(r"privet\.(\w+)", line) for line in listed.strip().splitlines()]
    block = PAGE.partition("```text\ncli")[2].partition("```")[0].splitlines()
    shown = [re.split(r" \| ", line.split("  ")[0]) for line in ["cli" + block[0], *block[1:]]]
    assert shown == layers
