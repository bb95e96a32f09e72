"""What each method claims, and what its files show of it: one module a method, or a family of them.

`CLAIMS` is the list of methods that a release can be of. A new method adds its own entry; nobody
asks anywhere else which method a release is of.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from privet.errors import InputError
from privet.release.checks import Check
from privet.release.claims import anonymised, noise, substitution, tree_preserving
from privet.release.manifest import Manifest
from privet.release.opened import OpenedRelease


class MethodClaims(Protocol):
    """A module of this package: what a release by one method must hold and show."""

    FILES: tuple[str, ...]  # besides data, manifest and columns.csv

    def checks(self, opened: OpenedRelease) -> Iterator[Check]:
        """What the files show of each claim; the columns are known to be as the schema says."""

    def keeps_order(self, manifest: Manifest) -> bool:
        """Whether the publisher asked to keep the original order of the rows."""


CLAIMS: Mapping[str, MethodClaims] = {
    tree_preserving.METHOD: tree_preserving,
    noise.METHOD: noise,
    substitution.METHOD: substitution,
    **dict.fromkeys(anonymised.METHODS, anonymised),
}


def claims_of_method(manifest: Manifest) -> MethodClaims:
    """The claims of a release's method; an error if this Privet does not know it."""
    name = manifest.method.get("name")
    found = CLAIMS.get(name) if isinstance(name, str) else None
    if found is None:
        raise InputError(
            "The manifest names a method that this Privet does not know.",
            "a newer Privet may have written it; or it was edited.",
        )
    return found
