"""A receipt for each file that a party sends: who sent what when, without a cell of it.

    {"is": "privet receipt", "format": 1, "party": "hospital", "day": "2024-02-29", "rows": 300,
     "columns": ["H_age", "sex"], "codebook": "0f3c..", "key_kind": "text",
     "left_out": {"missing": 0, "duplicate": 2, "format": 0}, "sha256": "9a4e.."}

It stands beside the file as NAME.receipt.json. `codebook` is the identity of the masking, null for
a party that masked nothing; `left_out` counts the rows whose key could not serve. `mask` writes it;
`join` holds the file against it, and reads from it why keys do not match.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from privet.documents import opened, read_json
from privet.errors import InputError
from privet.files.maskings import are_identities, sidecar_of

_IS, _FORMAT = "privet receipt", 1
_MOST_BYTES = 1 << 20
_MOST_ROWS = 10**15  # more than any file has
_SHA256 = re.compile(r"[0-9a-f]{64}")
REASONS = ("missing", "duplicate", "format")
_KEY_KINDS = ("integer", "text", "date", "datetime")


@dataclass(frozen=True)
class Receipt:
    """What a party says of a file that it sends."""

    party: str
    day: str
    rows: int
    columns: tuple[str, ...]
    codebook: str | None
    key_kind: str
    sha256: str
    left_out: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))

    def to_text(self) -> str:
        said = {"is": _IS, "format": _FORMAT, **vars(self), "columns": list(self.columns)}
        return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def receipt_path(path: Path) -> Path:
    """sent.parquet -> sent.parquet.receipt.json"""
    return path.with_name(path.name + ".receipt.json")


def digest_of(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def receipt_beside(path: Path) -> Receipt | None:
    """The receipt of a file; None where there is none."""
    place = receipt_path(path)
    if not place.exists():
        return None
    raw = read_json(place, "receipt", most_bytes=_MOST_BYTES)
    try:
        return _receipt_of(raw)
    except (LookupError, TypeError, ValueError):
        raise InputError(
            f"{place.name} is no receipt.", "ask the party for the one that `privet mask` wrote."
        ) from None


def _receipt_of(raw: Any) -> Receipt:
    if raw["is"] != _IS or raw["format"] != _FORMAT:
        raise ValueError
    columns, left_out, codebook = raw["columns"], raw["left_out"], raw["codebook"]
    if type(columns) is not list or type(left_out) is not dict or set(left_out) != set(REASONS):
        raise ValueError
    texts = [raw["party"], *columns]
    right = all(isinstance(text, str) for text in texts)
    right &= all(type(n) is int and 0 <= n <= _MOST_ROWS for n in (raw["rows"], *left_out.values()))
    right &= date.fromisoformat(raw["day"]).isoformat() == raw["day"]
    right &= raw["key_kind"] in _KEY_KINDS and _SHA256.fullmatch(raw["sha256"]) is not None
    right &= codebook is None or are_identities([codebook])
    if not right:
        raise ValueError
    return Receipt(
        raw["party"],
        raw["day"],
        raw["rows"],
        tuple(columns),
        raw["codebook"],
        raw["key_kind"],
        raw["sha256"],
        dict(left_out),
    )


def hold_against(
    receipt: Receipt | None,
    path: Path,
    rows: int,
    columns: Sequence[str],
    maskings: Sequence[str],
) -> None:
    """Refuse a file that is not the one of which its receipt speaks."""
    if receipt is None:
        return
    beside = sidecar_of(path)
    if receipt.codebook and beside is not None and not beside.exists():
        raise InputError(
            f"{beside.name} is missing, which tells the masking of {path.name}.",
            f"ask the party for it too, and put it beside {path.name}.",
        )
    wrong = [
        what
        for what, differs in (
            ("other bytes", receipt.sha256 != digest_of(path)),
            ("another number of rows", receipt.rows != rows),
            ("other columns", sorted(receipt.columns) != sorted(columns)),
            ("another codebook", tuple(filter(None, [receipt.codebook])) != tuple(maskings)),
        )
        if differs
    ]
    if wrong:
        raise InputError(
            f"{path.name} is not the file of which its receipt speaks: it has {wrong[0]}.",
            "ask the party for both again; it may have sent a newer file, or the file was changed.",
        )
