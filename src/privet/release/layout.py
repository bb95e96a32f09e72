"""The files of a release folder: their names, and what else a folder may not hold.

The data are one file, or parts of it in a folder of their own, which are read one after the other.
"""

import glob
import os
import re
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
PARTS = "parts"  # the format of data in parts
FORMATS_OF_DATA = (*DATA, PARTS)
_FOLDER_OF_PARTS = "data"
_PART = re.compile(r"data/part-\d{5}\.parquet")
ANY_PART = "data/part-*.parquet"
ROWS_PER_PART = 1 << 22  # the last part has what is left
_MOST_NAMED = 20
ALLOWED = frozenset(
    {MANIFEST, MODEL, REPORT, COLUMNS, MECHANISM, *PMML_OF_TREES, *REGROW, *DATA.values()}
)


def part_name(number: int) -> str:
    """The name of a part of the data; parts are counted from 0."""
    return f"data/part-{number:05}.parquet"


def is_data(name: str) -> bool:
    """Whether a file of a release is its data, or a part of them."""
    return name in DATA.values() or _PART.fullmatch(name) is not None


def data_names(manifest: Manifest) -> list[str]:
    """The names of the data: one file, or parts without a gap; nothing where it is neither."""
    names = sorted(filter(is_data, manifest.files))
    parts = [part_name(number) for number in range(len(names))]
    return names if names == parts or (len(names) == 1 and names[0] in DATA.values()) else []


def shown_name(manifest: Manifest) -> str:
    """The data as people call them, be it a pattern."""
    (name, *more) = data_names(manifest) or [""]
    if not name:
        raise InputError(
            "The manifest lists no data file.",
            "the release may have been edited; ask for it again.",
        )
    return ANY_PART if more or name == part_name(0) else name


def data_file(folder: Path, manifest: Manifest) -> Path:
    """The data file of a release folder, as its manifest lists it; of parts, the pattern."""
    name = shown_name(manifest)
    return Path(glob.escape(str(folder))) / name if name == ANY_PART else folder / name


def files_in(folder: Path) -> set[str]:
    """The names of the files of a release folder, those of parts with that of their folder."""
    names = {entry.name for entry in os.scandir(folder)}
    parts = folder / _FOLDER_OF_PARTS
    if parts.is_dir() and not parts.is_symlink():
        inner = {f"{_FOLDER_OF_PARTS}/{entry.name}" for entry in os.scandir(parts)}
        names = names - {_FOLDER_OF_PARTS} | inner
    return names


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
    names = sorted(files_in(folder))
    unknown = [name for name in names if name not in ALLOWED and not is_data(name)]
    for name in unknown[:_MOST_NAMED]:
        yield Check(f"file {name}", "no", "no release has a file of this name")
    if len(unknown) > _MOST_NAMED:
        more = len(unknown) - _MOST_NAMED
        yield Check("files", "no", f"{more:,} more have names that no release has")
    for name in sorted(set(names) - set(unknown)):
        if not stat.S_ISREG(os.lstat(folder / name).st_mode):
            yield Check(f"file {name}", "no", "it is a link, a folder or a special file")


def is_release(folder: Path) -> bool:
    """Whether a folder is certainly a release and nothing else, so that it may be replaced.

    A file of a fitting name that the manifest does not list was put there by somebody else.
    """
    try:
        if any(strangers(folder)):
            return False
        manifest = Manifest.read(folder / MANIFEST)
        return files_in(folder) <= {MANIFEST, *manifest.files}
    except (OSError, PrivetError):
        return False
