"""Small releases for the tests of reports."""

import csv
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from privet.pipeline import publish
from privet.release.release import Release

PEOPLE = {
    "name": [f"person {i}" for i in range(60)],
    "age": [20 + i % 30 for i in range(60)],
    "town": ["north", "south", "<b>east</b>"][:1] * 20 + ["south"] * 20 + ["<b>east</b>"] * 20,
    "shoe": [36 + i % 9 for i in range(60)],
    "illness": [("flu", "cold", "gout", "none")[i % 4] for i in range(60)],
    "smoker": ["yes" if i % 30 > 14 and i > 20 else "no" for i in range(60)],
}


def people(**settings: Any) -> Release:
    """A release of a small table, with an identifier, a sensitive column and a target."""
    asked = {"k": 2, "leaves": 3, "recoding": "global", **settings}
    roles = {"identifier": "name", "sensitive": "illness", "target": "smoker"}
    roles |= {role: asked.pop(role) for role in (*roles, "other") if role in asked}
    return publish(PEOPLE, **roles, **asked)


def edit_manifest(folder: Path, change: Any) -> None:
    """Change manifest.json through a function of its data."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def classes_of(folder: Path, quasi: tuple[str, ...]) -> dict[tuple[str, ...], Counter[str]]:
    """The slow twin: for each equivalence class how often each target value occurs."""
    target = json.loads((folder / "model.json").read_text(encoding="utf-8"))["target"]
    found: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows_of(folder):
        found.setdefault(tuple(row[name] for name in quasi), Counter())[row[target]] += 1
    return found


class Page(HTMLParser):
    """What a test wants to know of a page: its tags, whether they close, its text."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))
