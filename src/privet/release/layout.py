"""The files of a release folder: their names, and what else a folder may not hold."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from privet.errors import InputError, PrivetError
from privet.release.checks import Check
from privet.release.manifest import Manifest
from privet.release.regrow import SCRIPTS

MANIFEST, MODEL, REPORT = "manifest.json", "model.json", "report.html"
PMML = "model.pmml"  # the same tree for other programs
PMML_OF_TREES = (PMML, *(f"model-{number}.pmml" for number in range(2, 100)))  # of several trees
COLUMNS = "columns.csv"  # what each column and each value means
MECHANISM = "mechanism.json"  # what was done at random, as far as everybody may know it
REGROW = frozenset(SCRIPTS.values())  # by which other programs grow the trees again
DATA: dict[str, str] = {"parquet": "data.parquet", "csv": "data.csv"}
_MOST_NAMED = 20
ALLOWED = frozenset(
    {MANIFEST, MODEL, REPORT, COLUMNS, MECHANISM, *PMML_OF_TREES, *REGROW, *DATA.values()}
)


def data_file(folder: Path, manifest: Manifest) -> Path:
    """The data file of a release folder, as its manifest lists it."""
    for name in DATA.values():
        if name in manifest.files:
            return folder / name
    raise InputError(
        "The manifest lists no data file.", "the release may have been edited; ask for it again."
    )


def folder_of(path: Path) -> Path:
    """The folder of a release; an error if there is none."""
    if not path.is_dir():
        raise InputError(
            f"There is no release folder {path.name}.", "name the folder, not a file in it."
        )
    return path


def strangers(folder: Path) -> Iterator[Check]:
    """What no release holds: other files, folders, links and special files. Nothing is opened.

    Of very many that have no business here some are named.
    """
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    unknown = [entry.name for entry in entries if entry.name not in ALLOWED]
    for name in unknown[:_MOST_NAMED]:
        yield Check(f"file {name}", "no", "no release has a file of this name")
    if len(unknown) > _MOST_NAMED:
        more = len(unknown) - _MOST_NAMED
        yield Check("files", "no", f"{more:,} more have names that no release has")
    for entry in entries:
        if entry.name in ALLOWED and not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            yield Check(f"file {entry.name}", "no", "it is a link, a folder or a special file")


def is_release(folder: Path) -> bool:
    """Whether a folder is certainly a release and nothing else, so that it may be replaced.

    A file of a fitting name that the manifest does not list was put there by somebody else.
    """
    try:
        if any(strangers(folder)):
            return False
        manifest = Manifest.read(folder / MANIFEST)
        return {entry.name for entry in os.scandir(folder)} <= {MANIFEST, *manifest.files}
    except (OSError, PrivetError):
        return False
