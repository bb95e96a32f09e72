"""The table that a party masks, and its keys: what is read, and as what kinds.

`mask` next door is the command.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.loading import load, names
from privet.errors import InvalidParameter, UsageError
from privet.schema import Kind

if TYPE_CHECKING:
    from privet.parties import Codebook
    from privet.table import Table


def read_with_keys(
    path: Path,
    key: str,
    key_kind: str | None,
    sensitive: list[str],
    drop: list[str],
    missing: list[str] | None,
    category: list[str] | None,
    known: "Codebook | None",
    *,
    as_codes: bool,
) -> "tuple[Table, Any]":
    """The table, and its keys where they can be read without making a column of codes."""
    from privet.files import column_names
    from privet.files.keyed import read_keys
    from privet.schema import Column, Schema

    header = column_names(path)
    columns = _kinds(header, key, key_kind, known)
    declared = Schema(tuple(Column(n, kind) for n, kind in columns.items() if n in header))
    named = {"--key": [key], "--sensitive": sensitive, "--drop": drop}
    wanted = [name for name in header if name not in drop]
    _refuse_contradictions(key, sensitive, drop)
    plain = not as_codes and key_kind is None and not missing and key not in names(category)
    keys = read_keys(path, key) if plain and key in header and len(wanted) > 1 else None
    if keys is not None:
        wanted.remove(key)
    loaded = load(
        path, missing=missing, category=category, schema=declared, named=named, columns=wanted
    )
    return loaded, keys


def _kinds(
    header: list[str], key: str, key_kind: str | None, known: "Codebook | None"
) -> dict[str, Kind]:
    """The kinds that columns must be read as, from the options and from a codebook."""
    from privet.parties.category_mask import CategoryMask

    columns: dict[str, Kind] = {}
    if key_kind is not None:
        try:
            columns[key] = Kind("category" if key_kind == "text" else key_kind)
        except ValueError:
            must = "integer, category (or text), date or datetime"
            raise InvalidParameter("--key-kind", must, key_kind) from None
    # What the codebook knows as a category is read as one, even where it looks like numbers.
    for name, its_mask in (known.columns if known else {}).items():
        if name in header:
            columns[name] = Kind.CATEGORY if isinstance(its_mask, CategoryMask) else its_mask.kind
    return columns


def _refuse_contradictions(key: str, sensitive: list[str], drop: list[str]) -> None:
    for name in (key, *sensitive):
        if name in drop:
            raise UsageError(f"Column '{name}' is dropped and used.", "decide on one of the two.")
    if key in sensitive:
        raise UsageError(f"The key '{key}' is named as sensitive.", "keys are never sent as such.")
