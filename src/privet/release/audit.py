"""The audit: what must stay inside. It is never part of a release and is saved only when asked."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from privet.documents import read_json
from privet.errors import InputError, PrivetError, UsageError
from privet.release.pages import steward_page_of

AUDIT, STEWARD = "audit.json", "steward.html"
FORMAT = 2
ATTACKS = "attacks"  # what attackers find who have the original, by name
LEDGER = "ledger"  # what former releases tell beside this one
CLASS_OF_ROW = "class_of_row"  # the field for the class of each original row (`Origin`)
_AT_ONCE = 1 << 16  # rows


@dataclass(frozen=True, eq=False)
class Audit:
    """What only the steward may see: the seed, all settings, and what the method keeps for itself.

    `data` is plain data: maps, the original tree, columns before and after. Nothing of it shows in
    a `repr`, and an audit cannot be pickled; `Release.save(folder, audit=...)` writes it.
    """

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def __repr__(self) -> str:
        return f"<Audit of {self.method}: must stay inside>"

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            "An audit holds what must stay inside, so it cannot be pickled.",
            "write it with release.save(folder, audit=...), to a folder of its own.",
        )

    def to_data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "method": self.method,
            "seed": self.seed,
            "settings": dict(self.settings),
            **self.data,
        }

    def write(self, folder: Path) -> None:
        """Fill a folder with audit.json and steward.html, each for its owner alone."""
        texts = {AUDIT: self._texts()}
        page = steward_page_of(self)
        if page is not None:
            texts[STEWARD] = iter([page])
        for name, parts in texts.items():
            (folder / name).touch(mode=0o600)
            with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(parts)

    def _texts(self) -> Iterator[str]:
        """audit.json, some rows at a time: their classes may be many."""
        data = self.to_data()
        classes = data.get(CLASS_OF_ROW, ())
        if not len(classes):
            yield json.dumps(data, ensure_ascii=False, indent=1) + "\n"
            return
        text = json.dumps({**data, CLASS_OF_ROW: []}, ensure_ascii=False, indent=1)
        entry = f'\n "{CLASS_OF_ROW}": ['  # no text within JSON has such a line
        before, after = text.split(f"{entry}]")
        yield before + entry
        for start in range(0, len(classes), _AT_ONCE):
            some = np.asarray(classes[start : start + _AT_ONCE]).tolist()
            yield ("," if start else "") + ",".join(f"\n  {number}" for number in some)
        yield f"\n ]{after}\n"


def is_audit(folder: Path) -> bool:
    """Whether a folder is certainly an audit and nothing else, so that it may be replaced."""
    try:
        entries = list(folder.iterdir())
        plain = all(path.is_file() and not path.is_symlink() for path in entries)
        if not plain or not {AUDIT} <= {path.name for path in entries} <= {AUDIT, STEWARD}:
            return False
        data = read_json(folder / AUDIT, "audit")
        return isinstance(data, dict) and data.get("format") in (1, FORMAT)
    except (OSError, PrivetError):
        return False


def classes_in_audit(folder: Path) -> list[int]:
    """The equivalence class of each original row, as an audit keeps them."""
    if not is_audit(folder):
        raise InputError(
            f"{folder.name} is no audit.", "name the folder that `publish` wrote for the steward."
        )
    classes = read_json(folder / AUDIT, "audit").get(CLASS_OF_ROW)
    sound = isinstance(classes, list) and all(type(n) is int and n >= 0 for n in classes)
    if not sound:
        raise InputError(
            f"The audit {folder.name} does not say which class each row is in.",
            "publish again with this version, and keep the audit.",
        )
    found: list[int] = classes
    return found
