"""The codebook: how each sensitive column of a party was masked. It is the party's secret.

A number column has its grading and the values that occurred, so that a masked cut can be read as a
cut between two of them; a category column has its mapping table. Every masking has a random
identity, which travels with what is made of the masked file (`privet.files.maskings`): so a result
is never read with the codebook of another masking. `mask` makes a codebook, `decode_tree` and its
neighbours use it, `secret_file` keeps it.
"""

import math
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.errors import InputError, PrivetError, UsageError, either, param
from privet.files.maskings import are_identities, united
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.grading import Grading
from privet.parties.number_mask import NumberMask
from privet.parties.secret_file import Secret, read_secret, secret_text, write_secret
from privet.schema import Kind

FORMAT = 2
_FORMAT_0_1 = 1
NO_IDENTITY = ""
_IDENTITY_BYTES = 16
_FIELDS = {"format", "is", "project", "tag", "columns"}


@dataclass(frozen=True, repr=False)
class Codebook(Secret):
    """The masks of a party's columns, by original name, and the project that they are for.

    `identities` names the masking, or several where codebooks were `merged`; the empty one stands
    for a codebook of version 0.1, which had none.

    >>> key = privet.ProjectKey.new("asthma")
    >>> table = privet.table_of({"id": ["a", "b", "c"], "age": [30, 40, 50]})
    >>> masked = privet.mask(table, key="id", sensitive=["age"], project_key=key)
    >>> list(masked.codebook.columns), masked.codebook.project
    (['age'], 'asthma')
    """

    columns: Mapping[str, ColumnMask]
    project: str = ""
    tag: str = ""  # tells whether a project key is the one used
    identities: tuple[str, ...] = (NO_IDENTITY,)

    def __repr__(self) -> str:
        return f"<Codebook of {len(self.columns)} columns, project {self.project!r}>"

    def by_masked_name(self) -> dict[str, ColumnMask]:
        return {mask.masked_name: mask for mask in self.columns.values()}

    def to_data(self) -> dict[str, Any]:
        if len(self.identities) > 1:
            raise UsageError(
                "Codebooks of several maskings are not written as one.", "write each by itself."
            )
        data = {
            "format": _FORMAT_0_1 if self.identities == (NO_IDENTITY,) else FORMAT,
            "is": "privet codebook",
            "project": self.project,
            "tag": self.tag,
            "columns": {name: mask.to_data() for name, mask in self.columns.items()},
        }
        return {**data, "identity": self.identities[0]} if data["format"] == FORMAT else data

    def to_text(self, passphrase: str | None = None) -> str:
        """What the file of a codebook holds."""
        return secret_text(self.to_data(), passphrase)

    def write(self, path: Path, passphrase: str | None = None, *, force: bool = False) -> None:
        """Write the codebook, mode 0600."""
        write_secret(Path(path), self.to_data(), passphrase, force=force)

    @classmethod
    def read(cls, path: Path, passphrase: str | None = None) -> "Codebook":
        path = Path(path)
        data = read_secret(path, "codebook", passphrase)
        try:
            return _codebook(data)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, PrivetError):
            raise InputError(
                f"{path.name} is not a codebook that this Privet can read.",
                "give the codebook that masking wrote, just as it was written.",
            ) from None

    # -- identity ----------------------------------------------------------------------------------

    def check_identity(self, maskings: Collection[str], *, unchecked: bool = False) -> None:
        """Refuse a result of other maskings; `maskings` are the identities that the result carries.

        `unchecked` says that they cannot be had; what is known to be wrong is refused all the same.
        """
        known = {identity for identity in self.identities if identity != NO_IDENTITY}
        if maskings and not known <= set(maskings):
            raise UsageError(
                "The codebook belongs to another masking than this result.",
                "take the codebook that was written when the mined file was masked.",
            )
        if unchecked:
            return
        if known < set(self.identities):
            raise UsageError(
                "The codebook was written by version 0.1 and does not say to which masking it "
                "belongs.",
                f"give {param('unchecked', True)} if you know that it is the right one.",
            )
        if not maskings:
            raise UsageError(
                "The result does not say from which masking it comes.",
                f"name the table that was mined ({either('maskings', '--for')}), or give "
                f"{param('unchecked', True)} if you know that codebook and result belong together.",
            )


def new_identity() -> str:
    return secrets.token_hex(_IDENTITY_BYTES)


def merged(codebooks: Iterable[Codebook]) -> Codebook:
    """Codebooks of several parties as one, for whoever holds them all."""
    books = list(codebooks)
    columns: dict[str, ColumnMask] = {}
    for codebook in books:
        for name, mask in codebook.columns.items():
            if name in columns:
                raise UsageError(
                    f"Two codebooks hold the column '{name}'.", "give only the owner's codebook."
                )
            columns[name] = mask
    return Codebook(columns, identities=united(codebook.identities for codebook in books))


# -- reading ---------------------------------------------------------------------------------------


def _codebook(data: Mapping[str, Any]) -> Codebook:
    """The codebook of an object, of which every part is checked."""
    known = {FORMAT: {*_FIELDS, "identity"}, _FORMAT_0_1: _FIELDS}
    _require(type(data["format"]) is int and data.keys() == known[data["format"]])
    _require(data["is"] == "privet codebook" and isinstance(data["columns"], dict))
    _require(isinstance(data["project"], str) and isinstance(data["tag"], str))
    identity = data.get("identity", NO_IDENTITY)
    _require(data["format"] == _FORMAT_0_1 or are_identities([identity]))
    _require(data["tag"].isascii())
    columns = {name: _column(name, raw) for name, raw in data["columns"].items()}
    aliases = [a for m in columns.values() if isinstance(m, CategoryMask) for a in m.label_of]
    _require(len(set(aliases)) == len(aliases))  # an alias is of one column
    return Codebook(columns, data["project"], data["tag"], (identity,))


def _column(name: str, raw: Mapping[str, Any]) -> ColumnMask:
    kind = Kind(raw["kind"])
    _require(bool(name))
    if kind is not Kind.CATEGORY:
        return _number_mask(name, kind, raw)
    _require(raw.keys() == {"kind", "aliases"} and bool(raw["aliases"]))
    groups = raw["aliases"].values()
    _require(all(isinstance(group, list) and group for group in groups))
    listed = [alias for group in groups for alias in group]
    _require(all(isinstance(alias, str) and alias for alias in listed))
    _require(len(set(listed)) == len(listed))  # an alias is of one label
    return CategoryMask(name, {label: tuple(group) for label, group in raw["aliases"].items()})


def _number_mask(name: str, kind: Kind, raw: Mapping[str, Any]) -> NumberMask:
    _require(raw.keys() == {"kind", "mode", "bounds", "values"} and bool(raw["values"]))
    numbers = (int,) if kind.is_integral else (int, float)
    _require(all(type(value) in numbers for value in raw["values"]))
    _require(all(type(bound) in (int, float) for bound in raw["bounds"]))
    _require(all(abs(number) < 2**63 for number in raw["bounds"] if type(number) is int))
    values = np.array(raw["values"], dtype=np.int64 if kind.is_integral else np.float64)
    _require(all(map(math.isfinite, raw["values"])) and bool((values[1:] > values[:-1]).all()))
    mask = NumberMask(name, kind, Grading(tuple(raw["bounds"]), raw["mode"]), values)
    _require(mask.grading.outside(values) == 0)
    _require(mask.grading.mode == "paper" or mask.keeps_order)
    return mask


def _require(true: bool) -> None:
    if not true:
        raise ValueError("no such codebook")
