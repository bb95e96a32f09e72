"""The files of a release folder and their names."""

from pathlib import Path

from privet.errors import InputError
from privet.release.manifest import Manifest

MANIFEST, MODEL, REPORT = "manifest.json", "model.json", "report.html"
PMML = "model.pmml"  # the same tree for other programs
DATA: dict[str, str] = {"parquet": "data.parquet", "csv": "data.csv"}


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
