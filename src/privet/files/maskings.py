"""Which maskings a table comes from: random identities that travel with its file.

Every masking of a party has an identity, which its codebook holds as well; so a result can be told
to belong to a codebook or not. Parquet keeps the identities in its metadata. Other formats have a
small file beside them, `NAME.privet.json`, with the digest of the file that it is about: a file
that was replaced or edited has no identity any more.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from privet.documents import opened, read_json
from privet.files.fence import fence
from privet.files.outputs import Outputs
from privet.files.several import database_in, parts_of

METADATA = b"privet.maskings"
_PARQUET = (".parquet", ".pq")
_MAGIC = b"PAR1"
_IDENTITY = re.compile(r"[0-9a-f]{32}")
_IS, _FORMAT = "privet maskings", 1
_MOST_BYTES = 1 << 20


def are_identities(found: object) -> bool:
    """Whether something is a list of identities: 128 bits each, as hexadecimal digits."""
    return isinstance(found, list | tuple) and all(
        isinstance(text, str) and _IDENTITY.fullmatch(text) for text in found
    )


def united(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The identities of several tables, each once."""
    return tuple(dict.fromkeys(identity for some in lists for identity in some))


def maskings_of(path: str | Path) -> tuple[str, ...]:
    """The identities that a table's file carries, or its files; none if it carries none."""
    return united(map(_maskings_of_part, parts_of(Path(path))))


def _maskings_of_part(path: Path) -> tuple[str, ...]:
    if database_in(path) is not None:
        return ()
    with opened(path) as file:
        is_parquet = file.read(4) == _MAGIC
    found = _in_metadata(path) if is_parquet else _in_sidecar(path)
    return tuple(found) if are_identities(found) else ()


def metadata(maskings: Sequence[str]) -> dict[bytes, bytes]:
    """What a Parquet file says in its metadata."""
    return {METADATA: " ".join(maskings).encode("ascii")}


def sidecar_of(path: Path) -> Path | None:
    """Where the identities of a table stand beside it; Parquet holds them itself."""
    if path.name.lower().endswith(_PARQUET):
        return None
    return path.with_name(path.name + ".privet.json")


def write_sidecar(out: Outputs, target: Path, written: Path, maskings: Sequence[str]) -> None:
    """Put the identities beside a table that will stand at `target` and is `written` already."""
    place = sidecar_of(target)
    if place is None or not maskings:
        return
    said = {
        "is": _IS,
        "format": _FORMAT,
        "maskings": list(maskings),
        "sha256": _digest(written),
    }
    out.file(place).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _in_metadata(path: Path) -> Any:
    import pyarrow.parquet as pq

    with fence(path, "parquet"):
        said = (pq.read_metadata(path).metadata or {}).get(METADATA, b"")
    return said.decode("ascii", "replace").split()


def _in_sidecar(path: Path) -> Any:
    place = sidecar_of(path)
    if place is None or not place.exists():
        return ()
    said = read_json(place, "file of maskings", most_bytes=_MOST_BYTES)
    if not isinstance(said, dict) or said.get("is") != _IS or said.get("format") != _FORMAT:
        return ()
    return said.get("maskings") if said.get("sha256") == _digest(path) else ()


def _digest(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
