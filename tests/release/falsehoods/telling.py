"""The releases that are lied about, and a liar who mends whatever would give a lie away."""

import copy
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tampering import mend_hashes, read_json, write_json

import privet
from privet.errors import PrivetError
from privet.release import Release
from privet.release.columns import columns_csv, field_metadata
from privet.release.opened import OpenedRelease
from privet.release.pages import report_of
from privet.tree.exchange.pmml_write import to_pmml

ROWS = 180
TOWNS = ("Aix", "Bonn", "Cork", "Dijon", "Essen")
CELLS: dict[str, list[Any]] = {
    "person": [f"P{i}" for i in range(ROWS)],
    "age": [20 + (7 * i) % 50 for i in range(ROWS)],
    "town": [TOWNS[(i * 3) % 5] for i in range(ROWS)],
    "height": [(150 + (i * 11) % 40) / 100 for i in range(ROWS)],
    "unused": [("l", "r")[i % 2] for i in range(ROWS)],
    "illness": [("flu", "gout", "cold")[(i * i + i // 7) % 3] for i in range(ROWS)],
    "y": [
        ("no", "yes")[((7 * i) % 50 > 24) != ((i * 3) % 5 == 1) or i % 13 == 0] for i in range(ROWS)
    ],
}
BY_AGE = [("flu", "gout", "cold")[age // 17 % 3] for age in CELLS["age"]]
NUMBERS = CELLS | {"y": [(7 * i) % 50 * 3 + (i % 5) for i in range(ROWS)]}
USUAL: dict[str, Any] = {"target": "y", "identifier": "person"}
TREE: dict[str, Any] = USUAL | {"k": 3, "leaves": 5, "sensitive": "illness"}
LEAF = TREE | {"recoding": "leaf"}

RELEASES: dict[str, Callable[[], Release]] = {
    "leaf": lambda: privet.publish(CELLS, **LEAF, l=1.2, t=0.9),
    "leaf, coded": lambda: privet.publish(CELLS, **(LEAF | {"leaves": 8}), refine=False),
    "leaf, hidden": lambda: privet.publish(CELLS, **LEAF, l=1.2, t=0.9, release_sensitive=False),
    "rich": lambda: privet.publish(CELLS, **TREE, l=1.2, t=0.9),
    "rich numbers": lambda: privet.publish(NUMBERS, **TREE, recoding="rich"),
    "global": lambda: privet.publish(CELLS, **TREE, recoding="global", guard=2),
    "numbers": lambda: privet.publish(NUMBERS, **LEAF),
    "mondrian": lambda: privet.anonymise(CELLS, identifier="person", sensitive="illness", k=3),
    "infogain": lambda: privet.anonymise(
        CELLS, **USUAL, sensitive="illness", k=3, l=1.2, t=0.9, method="infogain"
    ),
    "noise": lambda: privet.add_noise(CELLS, **USUAL, seed=5),
    "loose noise": lambda: privet.add_noise(
        CELLS | {"illness": BY_AGE},  # a category with a tree of its own
        **USUAL,
        seed=5,
        class_noise="probabilistic",
        strict=False,
        influential="wrap",
        participation=0.5,
        random_value=0.1,
        scales={"age": 4.0},
        spikes={"age": (20,)},
        keep_order=True,
    ),
    "correlated noise": lambda: privet.add_noise(CELLS, **USUAL, law="correlated", seed=5),
    "substitution": lambda: privet.substitute(CELLS, **USUAL, domain_from_data=True, seed=5),
}
BY_LEAF = ("leaf", "leaf, coded", "leaf, hidden", "numbers")
RICH = ("rich", "rich numbers")
WITH_A_TREE = (*BY_LEAF, *RICH, "global")
WITHOUT_A_TREE = ("mondrian", "infogain")
BY_CLASSES = (*WITH_A_TREE, *WITHOUT_A_TREE)
WITH_TARGET_AND_CLASSES = (*WITH_A_TREE, "infogain")
WITH_NOISE = ("noise", "loose noise")
MODELLED = (*WITH_A_TREE, *WITH_NOISE)
DRAWN = (*WITH_NOISE, "substitution")
EVERY = tuple(RELEASES)

# What making a page of a lie may raise: some lies leave nothing to be read.
_UNREADABLE = (PrivetError, ValueError, TypeError, LookupError, AttributeError)


class NothingToChange(Exception):
    """The release has nothing that this lie is about."""


@dataclass(frozen=True)
class Folder:
    """A release in the hands of a liar."""

    path: Path

    @property
    def data(self) -> Path:
        return next(path for path in self.path.iterdir() if path.name.startswith("data."))

    def edit(self, name: str, change: Callable[[Any], object]) -> None:
        """Change what a JSON file says; something must change."""
        if not (self.path / name).exists():
            raise NothingToChange
        data = read_json(self.path / name)
        before = copy.deepcopy(data)
        change(data)
        if json.dumps(data) == json.dumps(before):
            raise NothingToChange
        write_json(self.path / name, data)

    def replace(self, name: str, old: str, new: str) -> None:
        """Put one text in place of another, once."""
        path = self.path / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if old not in text:
            raise NothingToChange
        path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")

    def mend(self) -> None:
        """All that follows from manifest, model and data is made again, and every hash."""
        for step in (self._mend_pages, self._mend_hashes, self._mend_report, self._mend_hashes):
            with suppress(*_UNREADABLE):
                step()

    def _mend_hashes(self) -> None:
        mend_hashes(self.path)

    def _mend_pages(self) -> None:
        opened = OpenedRelease.at(self.path)
        tree = opened.tree if (self.path / "model.json").exists() else None
        text = columns_csv(opened.manifest, [tree] if tree else [])
        (self.path / "columns.csv").write_text(text, encoding="utf-8", newline="\n")
        if tree is not None:
            (self.path / "model.pmml").write_text(to_pmml(tree), encoding="utf-8", newline="\n")
        if self.data.suffix == ".parquet":
            opened.rows.write(self.data, field_metadata(opened.manifest))

    def _mend_report(self) -> None:
        text = report_of(self.path)
        (self.path / "report.html").write_text(text, encoding="utf-8", newline="\n")


@dataclass(frozen=True)
class Falsehood:
    """One false statement, and the releases that it can be told of.

    `about_files`: it is told of a file that follows from others, or of bytes; hashes alone are
    mended, and not even those if it is told in the manifest.
    """

    name: str
    releases: tuple[str, ...]
    tell: Callable[[Folder], object]
    about_files: bool = False

    def told_in(self, path: Path) -> None:
        folder, manifest = Folder(path), path / "manifest.json"
        before = manifest.read_bytes()
        self.tell(folder)
        if not self.about_files:
            folder.mend()
        elif manifest.read_bytes() == before:
            with suppress(*_UNREADABLE):
                mend_hashes(path)


def edit(
    name: str, releases: Iterable[str], change: Callable[[Any], object], file: str = "manifest.json"
) -> Falsehood:
    """A lie that is an edit of a JSON file."""
    return Falsehood(name, tuple(releases), lambda folder: folder.edit(file, change))


def flip(data: Any, name: str) -> None:
    data[name] = not data[name]


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """A Parquet file written again with other contents or other metadata."""
    if path.suffix != ".parquet":
        raise NothingToChange
    pq.write_table(change(pq.read_table(path)), path, compression="zstd")
