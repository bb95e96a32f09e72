"""Secrets on disk: readable by their owner alone from the first byte on, encrypted on request.

An encrypted secret is a JSON object with the salt, the nonce and the text under AES-256-GCM; the
key is made from the passphrase by scrypt. The packet `cryptography` is needed for that alone.

`Secret` is what objects with secrets are: they print no secret, and are never pickled.
"""

import base64
import json
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from privet.documents import json_of, read_json, read_text
from privet.errors import InputError, MissingExtra, UsageError, either
from privet.files.outputs import write_text

_CIPHER = "scrypt+aes-256-gcm"
_COST, _BLOCK, _LANES = 2**17, 8, 1
_MOST_MEMORY = 512 << 20  # that scrypt may take to open a secret
_MOST_BYTES = 1 << 28  # a codebook holds every value that occurred
_AS_WRITTEN = "take the file as Privet wrote it."
_SALT_BYTES, _NONCE_BYTES = 16, 12
_ABOUT = b"privet secret, format 1"


class Secret:
    """Something whose content is never shown or copied unawares; it says how it prints itself."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: secret>"

    def __reduce_ex__(self, protocol: object) -> Any:
        raise UsageError(
            f"A {type(self).__name__} is a secret and is not pickled.",
            "write it to a file of its own with its `write`, mode 0600, and read it there.",
        )


def write_secret(
    path: Path,
    data: dict[str, Any],
    passphrase: str | None,
    *,
    inputs: Iterable[Path] = (),
    force: bool = False,
) -> None:
    """Write a secret; a failure leaves what was there."""
    if path.exists() and not force:
        raise UsageError(
            f"The file {path.name} exists already.",
            "it may hold a secret that is still needed; choose another name.",
        )
    write_text(path, secret_text(data, passphrase), inputs=inputs, force=force, secret=True)


def secret_text(data: dict[str, Any], passphrase: str | None) -> str:
    """What a secret file holds."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if passphrase is not None:
        text = json.dumps(_locked(text, passphrase))
    return text + "\n"


def read_secret(path: Path, what: str, passphrase: str | None) -> dict[str, Any]:
    """The object in a secret file; `what` names it in errors ("codebook", "project key")."""
    damaged = InputError(
        f"{path.name} cannot be read as a {what}; it may be cut short or another file.",
        _AS_WRITTEN,
    )
    data = read_json(path, what, hint=_AS_WRITTEN, most_bytes=_MOST_BYTES)
    if not isinstance(data, dict):
        raise damaged
    if "cipher" not in data:
        return data
    if passphrase is None:
        raise UsageError(
            f"The {what} {path.name} is encrypted.",
            f"give {either('its passphrase', '--passphrase-file FILE')}.",
        )
    try:
        opened = json_of(_unlocked(data, passphrase, path.name), f"{what} {path.name}")
    except (KeyError, TypeError, ValueError):
        raise damaged from None
    if not isinstance(opened, dict):
        raise damaged
    return opened


def read_passphrase(path: Path | None) -> str | None:
    """The first line of a passphrase file."""
    if path is None:
        return None
    lines = read_text(path, "passphrase file", most_bytes=1 << 16).splitlines()
    if not lines or not lines[0]:
        raise InputError(
            f"The passphrase file {path.name} is empty.", "its first line must be the passphrase."
        )
    return lines[0]


def open_to_others(path: Path) -> bool:
    """Whether other users of the machine may read a file."""
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def _locked(text: str, passphrase: str) -> dict[str, Any]:
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    cipher = _aes(passphrase, salt, _COST, _BLOCK, _LANES)
    data = cipher.encrypt(nonce, text.encode("utf-8"), _ABOUT)
    return {
        "cipher": _CIPHER,
        "cost": [_COST, _BLOCK, _LANES],
        "salt": base64.b64encode(salt).decode("ascii"),
        "nonce": base64.b64encode(nonce).decode("ascii"),
        "data": base64.b64encode(data).decode("ascii"),
    }


def _unlocked(data: dict[str, Any], passphrase: str, name: str) -> str:
    cost, block, lanes = data["cost"]
    if data["cipher"] != _CIPHER or not all(type(n) is int and n > 0 for n in data["cost"]):
        raise ValueError("unknown cipher")
    # A forged file must not make scrypt eat all memory, or all day.
    if 128 * cost * block * lanes > _MOST_MEMORY:
        raise InputError(
            f"Opening {name} would take more than {_MOST_MEMORY >> 20} MB of memory.",
            "Privet writes no such file; it may have been tampered with.",
        )
    if cost < 2 or cost & (cost - 1):
        raise ValueError("scrypt's cost is a power of two")
    salt, nonce, text = (
        base64.b64decode(data[part], validate=True) for part in ("salt", "nonce", "data")
    )
    if len(salt) != _SALT_BYTES or len(nonce) != _NONCE_BYTES:
        raise ValueError("another length")
    cipher = _aes(passphrase, salt, cost, block, lanes)
    from cryptography.exceptions import InvalidTag

    try:
        return str(cipher.decrypt(nonce, text, _ABOUT).decode("utf-8"))
    except InvalidTag:
        raise InputError(
            f"The passphrase does not open {name}, or the file was changed.",
            "check the passphrase file.",
        ) from None


def _aes(passphrase: str, salt: bytes, cost: int, block: int, lanes: int) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError:
        raise MissingExtra("Encrypted secrets need", "cryptography", "parties") from None
    key = Scrypt(salt=salt, length=32, n=cost, r=block, p=lanes).derive(passphrase.encode("utf-8"))
    return AESGCM(key)
