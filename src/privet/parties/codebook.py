"""The codebook: how each sensitive column of a party was masked. It is the party's secret.

A number column has its grading and the values that occurred, so that a masked cut can be read as a
cut between two of them; a category column has its mapping table. `mask` makes a codebook, `decode`
and `printed` use it, `secret_file` keeps it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.errors import InputError, PrivetError, UsageError
from privet.parties.aliases import Aliases
from privet.parties.grading import Grading
from privet.parties.secret_file import read_secret, write_secret
from privet.schema import Kind
from privet.table import Value

FORMAT = 1
PREFIX = "H_"
_PAIRS_TRIED = 1 << 20
_NO_ALIAS = re.compile(r"\*|\+\d+ more")  # what a published table writes for values left out


@dataclass(frozen=True)
class Cut:
    """A masked threshold in the owner's words: `column <= at_most`, and what is equivalent.

    Every cut from `at_most` up to, but not including, `below` divides the owner's column alike;
    None is an open end. `threshold` is the cut that growing on the original column would have
    chosen, where it can be told (`certain`), and `at_most` else.
    """

    threshold: float
    at_most: float | None
    below: float | None
    certain: bool


@dataclass(frozen=True, eq=False)
class NumberMask:
    """One masked number column."""

    column: str
    kind: Kind
    grading: Grading
    values: npt.NDArray[Any]  # the distinct values that occurred, sorted

    @property
    def masked_name(self) -> str:
        return PREFIX + self.column

    @cached_property
    def masked(self) -> Floats:
        return self.grading.apply(self.values)

    def value_of(self, masked: float) -> float:
        """The number behind a masked one: a value of the column, or a mean of some."""
        found = np.flatnonzero(self.masked == masked)
        if len(found):
            return float(self.values[found[0]])
        return self.grading.invert(masked)

    def cut_at(self, masked: float) -> Cut:
        """What `masked column <= masked` says about the original column."""
        if not 1 <= masked <= self.grading.groups + 1:
            raise foreign(self.column)
        low, high = self.values[self.masked <= masked], self.values[self.masked > masked]
        at_most = low.max().item() if len(low) else None
        below = high.min().item() if len(high) else None
        if at_most is None or below is None or below < at_most:
            return Cut(self.grading.invert(masked), at_most, below, False)
        middles = self._middles(masked)
        if middles:
            return Cut(middles[0], at_most, below, len(set(middles)) == 1)
        return Cut(float(at_most), at_most, below, False)

    def _middles(self, masked: float) -> list[float]:
        """Midpoints of the original pairs whose masked midpoint this is, narrowest pair first.

        A grower cuts in the middle of two neighbours in its node, so the pair tells the cut that
        the same grower would have made on the original column.
        """
        places = self.masked
        here = int(np.searchsorted(places, masked, side="right"))
        first = max(0, here - _PAIRS_TRIED)
        lows = np.arange(here - 1, first - 1, -1)
        found: list[tuple[int, int]] = []
        wanted = np.searchsorted(places, 2 * masked - places[lows])
        for shift in (-1, 0, 1):  # rounding may move the partner by one
            highs = np.clip(wanted + shift, here, len(places) - 1)
            hits = np.flatnonzero((places[lows] + places[highs]) / 2 == masked)
            found += zip(lows[hits].tolist(), highs[hits].tolist(), strict=True)
        found = sorted(set(found), key=lambda pair: pair[1] - pair[0])
        return [(self.values[a].item() + self.values[b].item()) / 2 + 0.0 for a, b in found]

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": str(self.kind),
            "mode": self.grading.mode,
            "bounds": list(self.grading.bounds),
            "values": self.values.tolist(),
        }


@dataclass(frozen=True, eq=False)
class CategoryMask:
    """One masked category column; with homophones a label has several aliases."""

    column: str
    aliases: Aliases

    @property
    def masked_name(self) -> str:
        return PREFIX + self.column

    @cached_property
    def label_of(self) -> dict[str, str]:
        return {alias: label for label, group in self.aliases.items() for alias in group}

    @property
    def has_homophones(self) -> bool:
        return any(len(group) > 1 for group in self.aliases.values())

    def value_of(self, alias: Value) -> str | None:
        """The label behind an alias; missing stays missing.

        A published table may have groups of aliases, `d_1 | d_4 | +2 more`: each is decoded.
        """
        if alias is None:
            return None
        parts = [self._label(part) for part in str(alias).split(" | ")]
        return " | ".join(parts)

    def _label(self, alias: str) -> str:
        label = self.label_of.get(alias)
        if label is None and not _NO_ALIAS.fullmatch(alias):
            raise foreign(self.column)
        return alias if label is None else label

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": str(Kind.CATEGORY),
            "aliases": {label: list(group) for label, group in self.aliases.items()},
        }


ColumnMask = NumberMask | CategoryMask


@dataclass(frozen=True)
class Codebook:
    """The masks of a party's columns, by original name, and the project that they are for."""

    columns: Mapping[str, ColumnMask]
    project: str = ""
    tag: str = field(default="", repr=False)  # tells whether a project key is the one used

    def by_masked_name(self) -> dict[str, ColumnMask]:
        return {mask.masked_name: mask for mask in self.columns.values()}

    def to_data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "is": "privet codebook",
            "project": self.project,
            "tag": self.tag,
            "columns": {name: mask.to_data() for name, mask in self.columns.items()},
        }

    def write(self, path: Path, passphrase: str | None = None, *, force: bool = False) -> None:
        """Write the codebook, mode 0600."""
        write_secret(path, self.to_data(), passphrase, force=force)

    @classmethod
    def read(cls, path: Path, passphrase: str | None = None) -> "Codebook":
        data = read_secret(path, "codebook", passphrase)
        try:
            if data["is"] != "privet codebook" or data["format"] != FORMAT:
                raise ValueError("another file")
            columns = {name: _column(name, raw) for name, raw in data["columns"].items()}
            return cls(columns, str(data["project"]), str(data["tag"]))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, PrivetError):
            raise InputError(
                f"{path.name} is not a codebook that this Privet can read.",
                "give the file that `privet mask --codebook` wrote.",
            ) from None


def merged(codebooks: list[Codebook]) -> Codebook:
    """Codebooks of several parties as one, for whoever holds them all."""
    columns: dict[str, ColumnMask] = {}
    for codebook in codebooks:
        for name, mask in codebook.columns.items():
            if name in columns:
                raise UsageError(
                    f"Two codebooks hold the column '{name}'.", "give only the owner's codebook."
                )
            columns[name] = mask
    return Codebook(columns)


def foreign(column: str) -> UsageError:
    return UsageError(
        f"The result does not fit the codebook's column '{column}'.",
        "take the codebook that was written when this very column was masked.",
    )


def _column(name: str, raw: Mapping[str, Any]) -> ColumnMask:
    kind = Kind(raw["kind"])
    if kind is Kind.CATEGORY:
        aliases = {str(label): tuple(map(str, group)) for label, group in raw["aliases"].items()}
        return CategoryMask(name, aliases)
    values = np.array(raw["values"], dtype=np.int64 if kind.is_integral else np.float64)
    return NumberMask(name, kind, Grading(tuple(raw["bounds"]), raw["mode"]), values)
