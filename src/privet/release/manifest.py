"""The manifest: what a release claims and how each claim can be checked.

It holds no seed, no path and no date finer than the day. Its SHA-256 is the release's fingerprint.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

from privet.documents import read_json
from privet.errors import InputError
from privet.release.about import About
from privet.schema import Schema

FORMAT = 2
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:(?:a|b|rc|\.dev)\d{1,4})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
FORMATS = (1, 2)  # that can be read; docs/release-format.md says what changed
_WITH_FORMAT_1 = (0, 1)  # the versions that wrote it; all later ones write format 2
_MOST_BYTES = 32 << 20
_ORIGINAL = "the file may have been edited or cut off; ask for the original release."
Checkable = Literal["release", "attested"]
Version = tuple[int, int, int]


@dataclass(frozen=True)
class Claim:
    """One claim: what was asked for (`claimed`), what was found (`measured`), who can check it.

    "release": anybody can count it again from the files. "attested": it speaks of values that the
    release does not show, so the publisher's word is all there is.
    """

    name: str
    parameters: Mapping[str, Any]
    claimed: Any
    measured: Any
    checkable: Checkable

    def to_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "parameters": dict(self.parameters),
            "claimed": self.claimed,
            "measured": self.measured,
            "checkable": self.checkable,
        }


@dataclass(frozen=True)
class Manifest:
    """What manifest.json holds."""

    privet_version: str
    method: Mapping[str, Any]
    schema: Schema
    grower: Mapping[str, Any]
    claims: tuple[Claim, ...]
    recoding: Mapping[str, Any]
    content_sha256: str
    published: str  # the day
    files: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT
    about: About = field(default_factory=About)

    def to_data(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "privet_version": self.privet_version,
            "published": self.published,
            **({"about": self.about.to_data()} if self.about else {}),
            "method": dict(self.method),
            "schema": self.schema.to_dict(),
            "grower": dict(self.grower),
            "claims": [claim.to_data() for claim in self.claims],
            "recoding": dict(self.recoding),
            "files": dict(self.files),
            "content_sha256": self.content_sha256,
        }

    def to_text(self) -> str:
        data = self.to_data()
        return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @property
    def version(self) -> Version:
        """The version that wrote it, as numbers that can be compared."""
        return version_of(self.privet_version)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of manifest.json, to be given out through another channel than the release."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    def claim(self, name: str, column: str | None = None) -> Claim | None:
        for claim in self.claims:
            if claim.name == name and column in (None, claim.parameters.get("column")):
                return claim
        return None

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        try:
            data = read_json(path, "manifest", hint=_ORIGINAL, most_bytes=_MOST_BYTES)
            if data["format"] not in FORMATS or isinstance(data["format"], bool | float):
                raise InputError(
                    "The manifest has a format that this Privet does not read.",
                    "a newer Privet may have written it.",
                )
            manifest = cls(
                privet_version=_well_formed(data["privet_version"], _VERSION),
                method=dict(data["method"]),
                schema=Schema.from_dict(data["schema"]),
                grower=dict(data["grower"]),
                claims=tuple(_claim_of(c) for c in data["claims"]),
                recoding=dict(data["recoding"]),
                content_sha256=_well_formed(data["content_sha256"], _SHA256),
                published=_day(data["published"]),
                files={str(k): _well_formed(v, _SHA256) for k, v in data["files"].items()},
                format=data["format"],
                about=About.from_data(data.get("about", {})),
            )
            # Whatever else the file holds would not be looked at, so it may not be there.
            exact = canonical(manifest.to_data()) == canonical(data)
            exact = exact and (manifest.version[:2] == _WITH_FORMAT_1) == (manifest.format == 1)
        except (ValueError, KeyError, TypeError, AttributeError):
            exact = False
        if not exact:
            raise InputError(
                "manifest.json lacks a field, holds one that no manifest has, or is malformed.",
                _ORIGINAL,
            )
        return manifest


def version_of(text: str) -> Version:
    found = _VERSION.fullmatch(text)
    assert found is not None  # as the manifest was read
    major, minor, patch = map(int, found.groups())
    return major, minor, patch


def canonical(data: Any) -> str:
    """Plain data as one text: 5, 5.0 and true are three things, whatever Python says."""
    return json.dumps(data, sort_keys=True)


def _day(text: Any) -> str:
    return date.fromisoformat(_well_formed(text, _DAY)).isoformat()


def _well_formed(text: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise ValueError
    return text


def _claim_of(data: Mapping[str, Any]) -> Claim:
    parameters = dict(data["parameters"])
    texts = [
        data["name"],
        data["checkable"],
        parameters.get("column", ""),
        parameters.get("kind", ""),
    ]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a claim has a name, is checkable in some way and may be about a column")
    if data["checkable"] not in get_args(Checkable):
        raise ValueError("a claim is checkable by the release, or attested")
    return Claim(data["name"], parameters, data["claimed"], data["measured"], data["checkable"])
