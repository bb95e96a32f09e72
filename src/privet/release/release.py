"""A release: data, model and manifest, in memory and as a folder; the audit that stays inside."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from privet.errors import OutputError, TreeChanged
from privet.files.frames import frame_of
from privet.release.layout import DATA, MANIFEST, MODEL, PMML, REPORT, data_file, folder_of
from privet.release.manifest import Claim, Manifest
from privet.release.rows import Rows, sha256_of
from privet.release.staging import staged
from privet.release.verify import verify_files
from privet.tree.exchange.model_file import read_model, to_data, to_text
from privet.tree.exchange.pmml_write import to_pmml
from privet.tree.model import Tree

Format = Literal["parquet", "csv"]
Extra = Callable[[Path], None]  # writes one more file into the folder, from those already there


@dataclass(frozen=True, eq=False)
class Audit:
    """What must stay inside: how columns were recoded, the original tree, the sizes not published.

    Saved only when asked for, readable by its owner alone.
    """

    original_tree: Tree
    recodings: Mapping[str, Any]
    columns: Mapping[str, Any]  # before and after, as plain data
    sizes: tuple[Mapping[str, Any], ...]
    chosen: int

    def to_data(self) -> dict[str, Any]:
        return {
            "format": 1,
            "chosen_leaves": self.chosen,
            "sizes": [dict(size) for size in self.sizes],
            "columns": dict(self.columns),
            "recodings": dict(self.recodings),
            "original_model": to_data(self.original_tree),
        }

    def save(
        self, folder: Path, force: bool = False, extras: Mapping[str, Extra] | None = None
    ) -> None:
        """Write audit.json (and what `extras` add), files 0600 in a folder 0700."""
        with staged(folder, force, mode=0o700) as stage:
            path = stage / "audit.json"
            path.touch(mode=0o600)
            path.write_text(
                json.dumps(self.to_data(), ensure_ascii=False, indent=1) + "\n", "utf-8"
            )
            for name, write in (extras or {}).items():
                (stage / name).touch(mode=0o600)
                write(stage / name)


@dataclass(frozen=True, eq=False)
class Release:
    """What may be handed out. `save` writes the folder; `audit` never goes with it.

    `write_report` makes report.html from the other files of a folder; whoever makes the release
    brings it, for a release knows nothing of reports.
    """

    rows: Rows
    tree: Tree
    manifest: Manifest
    like: Any = None  # a frame of the kind that the caller gave
    messages: tuple[str, ...] = ()
    make_audit: Callable[[], Audit] | None = field(default=None, repr=False)
    write_report: Extra | None = field(default=None, repr=False)
    more_files: Mapping[str, str] = field(default_factory=dict, repr=False)  # name: text

    @cached_property
    def audit(self) -> Audit | None:
        """What must stay inside; None for a release that was read from its folder."""
        return self.make_audit() if self.make_audit else None

    @property
    def data(self) -> Any:
        """The released records, as the kind of frame that was given."""
        return frame_of(self.rows.records(), self.like)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.manifest.claims

    def figure(self, name: str, column: str | None = None) -> Any:
        """What was measured for a claim; None if it is not made."""
        claim = self.manifest.claim(name, column)
        return None if claim is None else claim.measured

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: Format = "parquet",  # noqa: A002
        force: bool = False,
        report: bool = True,
    ) -> str:
        """Write the release, check it from the written files, put it in place; its fingerprint.

        If anything that the files can show does not hold, nothing is published.
        """
        if format not in DATA:
            raise OutputError(f"format must be parquet or csv, got {format}.", "")
        with staged(Path(folder), force) as stage:
            data = stage / DATA[format]
            self.rows.write(data)
            (stage / MODEL).write_text(to_text(self.tree), encoding="utf-8", newline="\n")
            for name, text in self.more_files.items():
                (stage / name).write_text(text, encoding="utf-8", newline="\n")
            names = [data.name, MODEL, *_write_pmml(self.tree, stage), *self.more_files]
            manifest = self._listing(stage, names)
            _write_manifest(manifest, stage)
            if report and self.write_report is not None:
                self.write_report(stage)
                manifest = self._listing(stage, [*names, REPORT])
                _write_manifest(manifest, stage)
            outcome = verify_files(stage)
            if not outcome.holds:
                failed = next(check for check in outcome.checks if check.answer == "no")
                raise TreeChanged(
                    f"The written release does not show what it claims: {failed.name}: "
                    f"{failed.detail}.",
                    "nothing was published; please report this, it should never happen.",
                )
        return manifest.fingerprint

    def _listing(self, stage: Path, names: list[str]) -> Manifest:
        return replace(self.manifest, files={name: sha256_of(stage / name) for name in names})


def _write_pmml(tree: Tree, stage: Path) -> list[str]:
    """model.pmml beside model.json, unless the tree has something that XML cannot hold."""
    try:
        (stage / PMML).write_text(to_pmml(tree), encoding="utf-8", newline="\n")
    except OutputError:
        return []
    return [PMML]


def _write_manifest(manifest: Manifest, stage: Path) -> None:
    (stage / MANIFEST).write_text(manifest.to_text(), encoding="utf-8", newline="\n")


def read_release(folder: str | os.PathLike[str]) -> Release:
    """A release from its folder, as it claims to be; `verify` says whether it is."""
    folder = folder_of(Path(folder))
    manifest = Manifest.read(folder / MANIFEST)
    tree = read_model(folder / MODEL)
    return Release(Rows.read(data_file(folder, manifest), manifest.schema), tree, manifest)


def today() -> str:
    return datetime.now(UTC).date().isoformat()
