"""What an output may be: looked at before any work, and again when it is written (`outputs`).

A place is no link, no input and no other output, by whatever path; what stands there is replaced
only with force; and nothing lies in a release.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from privet.errors import OutputError, UsageError, param
from privet.files.several import files_of

_HEAD_OF_MANIFEST = 200  # bytes; the second field says which Privet wrote it


def check_output(
    target: Path, what: str = "file", force: bool = False, of_release: bool = False
) -> None:
    """Refuse, before any work, a place that cannot be written to or must not be."""
    if not target.name:
        raise OutputError("The name of an output is empty.", f"name a {what}.")
    try:
        parent_is_folder = target.parent.is_dir()
        found = os.lstat(target) if os.path.lexists(target) else None
    except (OSError, ValueError) as error:
        raise cannot_write(target, error) from None
    if not parent_is_folder:
        raise OutputError(
            f"The folder for {target.name} does not exist.", "make the folder around it first."
        )
    if not of_release:
        _refuse_release(target)
    if found is None:
        return
    if stat.S_ISLNK(found.st_mode):
        raise OutputError(
            f"{target.name} is a link, and no link is followed.",
            f"name the {what} itself, or remove the link.",
        )
    fits = stat.S_ISDIR(found.st_mode) if what == "folder" else stat.S_ISREG(found.st_mode)
    if not fits:
        raise OutputError(f"{target.name} is not a {what}.", "choose another name.")
    if not force:
        raise OutputError(
            f"The {what} {target.name} exists already.",
            f"choose another name, or give {param('force', True)} to replace it.",
        )


def _refuse_release(target: Path) -> None:
    """A release is what was published: nothing is added to it, and nothing in it is replaced."""
    parent = target.parent.resolve()
    for folder in (parent, *parent.parents):
        if _is_manifest(folder / "manifest.json"):
            raise OutputError(
                f"{target.name} would lie in the release {folder.name}, which would no longer "
                "verify.",
                "choose a place outside of it.",
            )


def _is_manifest(path: Path) -> bool:
    """Whether a file begins like the manifest of a release, whatever else is in it."""
    with suppress(OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            with path.open("rb") as file:
                return b'"privet_version"' in file.read(_HEAD_OF_MANIFEST)
    return False


def keep_apart(*places: str | os.PathLike[str] | None) -> None:
    """Refuse, before any work, outputs that are one another or lie in each other."""
    known = [Path(place) for place in places if place is not None]
    for number, place in enumerate(known):
        for other in known[:number]:
            refuse_collision(_resolved(place), other, f"the output {other.name}")


def refuse_inputs(
    target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None]
) -> None:
    """Refuse, before any work, an output that is an input or would replace one."""
    for given in inputs:
        for part in () if given is None else files_of(Path(given)):
            refuse_collision(_resolved(Path(target)), part, f"the input {part.name or part}")


def _resolved(path: Path) -> Path:
    return path.parent.resolve() / path.name


def refuse_collision(place: Path, other: Path, name: str) -> None:
    """Two paths may not be one file, and neither may lie in the other."""
    theirs = other.resolve()
    nested = place == theirs or place in theirs.parents or theirs in place.parents
    if nested or _is_same(place, other):
        raise UsageError(
            f"{place.name} cannot be written: it is {name}, or one lies in the other.",
            "give every output a name of its own, apart from what is read.",
        )


def _is_same(one: Path, two: Path) -> bool:
    """One file by two names: links of both kinds, and names that differ in case only."""
    with suppress(OSError):
        return os.path.samestat(one.stat(), two.stat())
    return False


def cannot_write(target: Path, error: Exception) -> OutputError:
    reason = getattr(error, "strerror", None) or "no reason given"
    return OutputError(
        f"{target.name} cannot be written: {reason}.",
        "what was there before is still there; check the room on the disk and your rights.",
    )
