"""Join keys as digests: HMAC-SHA256 under a project key that the parties share and the miner lacks.

The canonical form of a key, which all parties must agree on, is UTF-8 text with the kind in front:

    integer    i:42              no leading zeros, no plus sign
    text       t:A-17            Unicode NFC, blanks at both ends trimmed, case kept
    date       d:2024-02-29      ISO; a datetime with its time of day: d:2024-02-29T08:30:00

Any party that holds the project key can test whether it knows a person; where parties must not
learn that of each other, private set intersection is needed (docs/guarantees/parties.md).
`key_order` puts rows into the order of their digests.
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
from privet.files.digests import digests_of_keys, digests_of_rows
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


def digests_of(keys: Any, name: str, key: ProjectKey, leave_out: bool = False) -> Digests:
    """The digest of each row's key. Missing keys and values of several rows are refused, with
    counts, unless such rows are to be left out. `keys` is a column of codes, or what
    `privet.files.keyed.read_keys` found."""
    if not isinstance(keys, Coded):
        digests, missing = digests_of_keys(keys, key.secret)
        _refuse_missing(missing, len(digests), name)
        return digests
    domain = keys.domain
    if domain.kind is Kind.DECIMAL:
        raise UsageError(
            f"The key '{name}' holds decimals, which are no safe keys.",
            f"read it as integers or text: "
            f"{either('kind integer or category', '--key-kind integer, or --key-kind category')}.",
        )
    if not leave_out:
        counts = keys.counts()
        if domain.missing:
            _refuse_missing(int(counts[-1]), len(keys.codes), name)
        refuse_repeated(counts, name)
    return digests_of_rows(keys, key.secret)


def kind_of_keys(keys: Any) -> str:
    """How keys are written before they become digests: integer, text, date or datetime."""
    if isinstance(keys, Coded):
        kind = keys.domain.kind
        return "text" if kind is Kind.CATEGORY else str(kind)
    return "integer" if "int" in str(keys.type) else "text"


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
