"""A release with a tree whose manifest names no target: no page is made of it, and it is said."""

import json
from pathlib import Path

import pytest

import privet
from privet.errors import InputError
from privet.report.html import render_report


def test_no_page_without_a_target(tmp_path: Path) -> None:
    people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    privet.publish(people, target="buys", k=3).save(tmp_path / "r", report=False)
    path = tmp_path / "r" / "manifest.json"
    told = path.read_text().replace('"target"', '"other"', 1)
    assert json.loads(told) != json.loads(path.read_text())
    path.write_text(told)
    with pytest.raises(InputError, match="no target"):
        render_report(tmp_path / "r")
