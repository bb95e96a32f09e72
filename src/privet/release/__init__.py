"""What leaves the house, by one door for every method.

`release` is the release itself and `audit` what must stay inside; `manifest` holds the claims,
`claims` what each method may claim, `rows` the data, `recoded` and `columns` what became of the
columns. `verify` is what anybody can check from the files alone, which `layout` names and `opened`
reads.
"""

from privet.release.audit import Audit
from privet.release.checks import Check, Verification
from privet.release.manifest import Claim, Manifest
from privet.release.release import Release, read_release
from privet.release.rows import Rows
from privet.release.verify import verify

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
