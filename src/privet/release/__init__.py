"""What leaves the house: `rows` (the data), `manifest` (the claims), `bundle` (the release itself),
`staging` (written whole or not at all), `verify` (what anybody can check from the files alone)."""

from privet.release.manifest import Claim, Manifest
from privet.release.release import Audit, Release, read_release
from privet.release.rows import Rows
from privet.release.verify import Check, Verification, verify

__all__ = [
    "Audit",
    "Check",
    "Claim",
    "Manifest",
    "Release",
    "Rows",
    "Verification",
    "read_release",
    "verify",
]
