"""What each method claims, and what its files show of it: one module a method, or a family of them.

`CLAIMS` is the list of methods that a release can be of. A new method adds its own entry; nobody
asks anywhere else which method a release is of.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Protocol, cast

from privet.errors import InputError
from privet.release.checks import Check
from privet.release.manifest import Manifest
from privet.release.opened import OpenedRelease


class MethodClaims(Protocol):
    """A module of this package: what a release by one method must hold and show."""

    FILES: tuple[str, ...]  # besides data, manifest and columns.csv

    def checks(self, opened: OpenedRelease) -> Iterator[Check]:
        """What the files show of each claim; the columns are known to be as the schema says."""

    def keeps_order(self, manifest: Manifest) -> bool:
        """Whether the publisher asked to keep the original order of the rows."""


CLAIMS: Mapping[str, str] = {  # modules: a release is of one method, the others are not loaded
    "tree-preserving": "tree_preserving",
    "noise": "noise",
    "random substitution": "substitution",
    "mondrian": "anonymised",
    "infogain": "anonymised",
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
    return cast(MethodClaims, import_module(f"{__name__}.{found}"))
