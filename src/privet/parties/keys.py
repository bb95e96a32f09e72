"""Join keys as digests: HMAC-SHA256 under a project key that the parties share and the miner lacks.

The canonical form of a key, which all parties must agree on, is UTF-8 text with the kind in front:

    integer    i:42              no leading zeros, no plus sign
    text       t:A-17            Unicode NFC, blanks at both ends trimmed, case kept
    date       d:2024-02-29      ISO; a datetime with its time of day: d:2024-02-29T08:30:00

Any party that holds the project key can test whether it knows a person; where parties must not
learn that of each other, private set intersection is needed (docs/guarantees/parties.md).
"""

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.errors import InputError, UsageError, either, param
from privet.files.digests import (
    canonical_texts,
    digests_of_keys,
    hmac_sha256,
    order_of,
    repeats,
)
from privet.parties.secret_file import Secret, read_secret, write_secret
from privet.schema import Kind
from privet.table import Coded

FORMAT = 1
KEY_BYTES = 32


@dataclass(frozen=True, repr=False)
class ProjectKey(Secret):
    """The secret of a project's parties.

    >>> key = privet.ProjectKey.new("asthma")
    >>> key.project
    'asthma'
    """

    project: str
    secret: bytes

    def __repr__(self) -> str:
        return f"<ProjectKey of {self.project!r}>"

    @classmethod
    def new(cls, project: str) -> "ProjectKey":
        if not project.strip():
            raise UsageError("A project needs a name.", f"give {param('project', 'NAME')}.")
        return cls(project.strip(), secrets.token_bytes(KEY_BYTES))

    def write(
        self, path: Path, passphrase: str | None = None, *, inputs: Iterable[Path] = ()
    ) -> None:
        """Write the key, mode 0600; a file that exists is never replaced."""
        data = {
            "format": FORMAT,
            "is": "privet project key",
            "project": self.project,
            "key": self.secret.hex(),
        }
        write_secret(path, data, passphrase, inputs=inputs)

    @classmethod
    def read(cls, path: Path, passphrase: str | None = None) -> "ProjectKey":
        data = read_secret(path, "project key", passphrase)
        try:
            key = bytes.fromhex(data["key"])
            if data["is"] != "privet project key" or data["format"] != FORMAT:
                raise ValueError("another file")
            if len(key) != KEY_BYTES or not isinstance(data["project"], str):
                raise ValueError("another length, or no name")
            return cls(data["project"], key)
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"{path.name} is not a project key.",
                "give the file that `privet party init` wrote.",
            ) from None

    @property
    def tag(self) -> str:
        """A text by which a codebook recognises the key without telling it."""
        return hmac.digest(self.secret, b"privet codebook", "sha256").hex()

    def fits(self, tag: str) -> bool:
        return hmac.compare_digest(self.tag.encode(), tag.encode())


def digests_of(column: Coded, name: str, key: ProjectKey) -> Digests:
    """The digest of each row's key; missing and repeated keys are refused, with counts."""
    domain = column.domain
    if domain.kind is Kind.DECIMAL:
        raise UsageError(
            f"The key '{name}' holds decimals, which are no safe keys.",
            f"read it as integers or text: "
            f"{either('kind integer or category', '--key-kind integer, or --key-kind category')}.",
        )
    if domain.missing:
        _refuse_missing(int((column.codes == domain.missing_code).sum()), len(column.codes), name)
    refuse_repeated(np.bincount(column.codes, minlength=len(domain.values)), name)
    data, offsets, repeated = canonical_texts(domain)
    if repeated:
        raise UsageError(
            f"The key '{name}' has {repeated:,} values that become equal once trimmed and "
            "normalised (Unicode NFC).",
            "write each person's key in one way.",
        )
    return hmac_sha256(key.secret, data, offsets)[column.codes]


def digests_in_order(
    keys: Any, name: str, key: ProjectKey
) -> tuple[Digests, npt.NDArray[np.int64]]:
    """Sorted digests of keys, and the row of each; `keys` is a column of codes, or what
    `privet.files.keyed.read_keys` read. Missing and repeated keys are refused."""
    if isinstance(keys, Coded):
        digests = digests_of(keys, name, key)
    else:
        digests, missing = digests_of_keys(keys, key.secret)
        _refuse_missing(missing, len(digests), name)
    order = order_of(digests)
    digests = digests[order]
    if repeats(digests):
        runs = np.flatnonzero(np.append(True, (digests[1:] != digests[:-1]).any(axis=1)))
        refuse_repeated(np.diff(np.append(runs, len(digests))), name)
    return digests, order


def kind_of_keys(keys: Any) -> str:
    """How keys are written before they become digests: integer, text, date or datetime."""
    if isinstance(keys, Coded):
        kind = keys.domain.kind
        return "text" if kind is Kind.CATEGORY else str(kind)
    return "integer" if "int" in str(keys.type) else "text"


def rows_with_keys(column: Coded, key: ProjectKey) -> tuple[npt.NDArray[np.int64], dict[str, int]]:
    """The rows whose key can serve, and how many cannot: it is missing, it is that of several rows
    (nobody knows which is right), or it is written in two forms that mean the same key."""
    domain = column.domain
    size = len(domain.values)
    present = column.codes < size
    counts = np.bincount(column.codes, minlength=size)[:size]
    data, offsets, _ = canonical_texts(domain)
    digests = hmac_sha256(key.secret, data, offsets)
    _, forms, spellings = np.unique(digests, axis=0, return_inverse=True, return_counts=True)
    forms_of_code = np.append(spellings[forms.ravel()], 0)[np.minimum(column.codes, size)]
    repeated = np.append(counts, 0)[np.minimum(column.codes, size)] > 1
    twice_spelled = present & ~repeated & (forms_of_code > 1)
    serves = present & ~repeated & ~twice_spelled
    reasons = {
        "missing": int((~present).sum()),
        "duplicate": int((present & repeated).sum()),
        "format": int(twice_spelled.sum()),
    }
    return np.flatnonzero(serves), reasons


def _refuse_missing(missing: int, rows: int, name: str) -> None:
    if missing:
        raise UsageError(
            f"The key '{name}' is missing in {missing:,} of {rows:,} rows.",
            "leave those rows out, or complete their keys.",
        )


def refuse_repeated(counts: npt.NDArray[np.integer], name: str) -> None:
    """A key must be of one row."""
    often = counts[counts > 1]
    if len(often):
        raise UsageError(
            f"The key '{name}' is not unique: {len(often):,} keys occur more than once, "
            f"in {int(often.sum()):,} rows.",
            "a party sends one row for each person; sum up or choose among repeated rows first.",
        )
