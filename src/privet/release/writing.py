"""The files of a release, written into a folder: data, trees, pages, and the manifest of them all.

`release` has the folder checked and put into place; `layout` names the files.
"""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from privet.errors import OutputError
from privet.release.columns import columns_csv, field_metadata
from privet.release.layout import (
    COLUMNS,
    DATA,
    MANIFEST,
    MODEL,
    PARTS,
    PMML_OF_TREES,
    REPORT,
    part_name,
)
from privet.release.manifest import Manifest
from privet.release.pages import report_of
from privet.release.regrow import scripts
from privet.release.rows import sha256_of
from privet.tree.exchange.model_file import to_text
from privet.tree.exchange.pmml_write import to_pmml
from privet.tree.model import Tree

if TYPE_CHECKING:
    from privet.release.release import Release

Format = Literal["parquet", "csv", "parts"]


def write_files(release: "Release", stage: Path, form: Format, report: bool) -> Manifest:
    """Write everything that a release folder holds; the manifest as it was written."""
    manifest, trees = release.manifest, release.trees
    data = _write_data(release, stage, form)
    texts = {COLUMNS: columns_csv(manifest, trees), **release.files}
    if trees:
        texts |= {MODEL: to_text(*trees), **_pmml(trees)}
        texts |= scripts(manifest.method, trees)
    for name, text in texts.items():
        (stage / name).write_text(text, encoding="utf-8", newline="\n")
    names = sorted([*data, *texts])
    manifest = _write_manifest(manifest, stage, names)
    if report:
        (stage / REPORT).write_text(report_of(stage), encoding="utf-8", newline="\n")
        manifest = _write_manifest(manifest, stage, sorted([*names, REPORT]))
    return manifest


def _write_data(release: "Release", stage: Path, form: Format) -> list[str]:
    """Write the records, in one file or in parts; the names."""
    about = field_metadata(release.manifest)
    if form != PARTS:
        release.rows.write(stage / DATA[form], about)
        return [DATA[form]]
    names = []
    (stage / part_name(0)).parent.mkdir()
    for number, rows in enumerate(release.rows.parts()):
        names.append(part_name(number))
        rows.write(stage / names[-1], about)
    return names


def _write_manifest(manifest: Manifest, stage: Path, names: list[str]) -> Manifest:
    listed = replace(manifest, files={name: sha256_of(stage / name) for name in names})
    (stage / MANIFEST).write_text(listed.to_text(), encoding="utf-8", newline="\n")
    return listed


def hide_the_hour(stage: Path, day: str) -> None:
    """Files that are handed out tell the day of publishing, as the manifest does, and no more."""
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    for path in (*stage.rglob("*"), stage):
        os.utime(path, (midnight, midnight))


def _pmml(trees: Sequence[Tree]) -> dict[str, str]:
    """Each tree as PMML beside model.json, unless it has something that XML cannot hold."""
    written = {}
    for name, tree in zip(PMML_OF_TREES, trees, strict=False):
        with contextlib.suppress(OutputError):
            written[name] = to_pmml(tree)
    return written
