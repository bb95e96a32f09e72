"""Where a command writes: looked at before any work, used at its end.

`Files` are the files of one command, which appear together or not at all; `Places` are the folders
of a release and its audit. Both write through `privet.files.outputs`, and neither writes anything
in a dry run. `ReleaseOptions` are the options of the commands that write a release.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from privet.cli.choices import Format
from privet.cli.options import DryRunOption, flag, option

if TYPE_CHECKING:
    from privet.arrays import Integers
    from privet.files.outputs import Outputs
    from privet.release import Release
    from privet.release.about import About
    from privet.table import Table


@dataclass(frozen=True)
class Files:
    """The files that a command writes, and those that it reads."""

    targets: tuple[Path | None, ...]
    inputs: tuple[Path | None, ...]
    force: bool
    dry_run: bool = False
    secret: bool = False  # readable by their owner alone
    of_release: bool = False  # they belong to a release, byte for byte

    def checked(self) -> "Files":
        """Refuse, before any work, what cannot be written or must not be."""
        from privet.files.places import check_output, keep_apart, refuse_inputs

        keep_apart(*self.targets)
        for target in filter(None, self.targets):
            refuse_inputs(target, self._read())
            check_output(target, force=self.force, of_release=self.of_release)
        return self

    def write(
        self, contents: "Mapping[Path | None, str | bytes | Callable[[Outputs, Path], None]]"
    ) -> None:
        """Write all files or none: texts, bytes, or what a function puts there."""
        from privet.files.outputs import outputs

        if self.dry_run:
            return
        with outputs(inputs=self._read(), force=self.force) as out:
            for target, content in contents.items():
                if target is None:
                    continue
                if isinstance(content, str):
                    content = content.encode("utf-8")
                if isinstance(content, bytes):
                    out.file(target, secret=self.secret, of_release=self.of_release).write_bytes(
                        content
                    )
                else:
                    content(out, target)

    def _read(self) -> list[Path]:
        """What is read: files, and folders with the files in them."""
        given = [path for path in self.inputs if path is not None]
        return given + [file for path in given if path.is_dir() for file in path.iterdir()]

    @property
    def wrote(self) -> str:
        """The verb of what is said afterwards."""
        return "Dry run, nothing written; would write" if self.dry_run else "Wrote"


def as_table_file(
    table: "Table", maskings: tuple[str, ...] = (), counts: "Integers | None" = None
) -> "Callable[[Outputs, Path], None]":
    """A table as the content of one of the `Files`; with `counts`, row i is there counts[i]
    times."""
    from privet.files import put_table

    return lambda out, path: put_table(out, path, table, counts, maskings)


@dataclass(frozen=True)
class Places:
    """The folders of a release and its audit, and what they must not touch."""

    out: Path
    audit: Path | None
    inputs: tuple[Path | None, ...]
    force: bool
    format: Format = "parquet"
    dry_run: bool = False

    def checked(self) -> "Places":
        """Refuse places that cannot be, before a table is read."""
        from privet.files.places import check_output, keep_apart, refuse_inputs

        keep_apart(self.out, self.audit)
        for place in (self.out, self.audit):
            if place is not None:
                refuse_inputs(place, self.inputs)
                check_output(place, "folder", self.force)
        return self


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """Where a release goes, and in what form."""

    out: Annotated[Path, option("--out", "FOLDER", "The release to write.")]
    format: Annotated[
        Format, option("--format", "FORMAT", "parquet, csv, or parts: data/part-*.parquet.")
    ] = "parquet"
    no_report: Annotated[bool, flag("--no-report", "Write no report.html.")] = False
    audit: Annotated[
        Path | None,
        option("--audit", "FOLDER", "Also write what must stay inside, to this folder."),
    ] = None
    force: Annotated[bool, flag("--force", "Replace folders that exist.")] = False
    dry_run: DryRunOption = False

    def places(self, *inputs: Path | None) -> Places:
        """Refuses, before a table is read, places that cannot be."""
        chosen = Places(self.out, self.audit, inputs, self.force, self.format, self.dry_run)
        return chosen.checked()


@dataclass(frozen=True, kw_only=True)
class AboutOptions:
    """What the publisher says of a release."""

    title: Annotated[str | None, option("--title", "TEXT", "What the table is; in the report.")] = (
        None
    )
    publisher: Annotated[
        str | None, option("--publisher", "NAME", "Who publishes it; in the report.")
    ] = None
    licence: Annotated[
        str | None, option("--licence", "NAME", "What may be done with it; in the report.")
    ] = None

    def about(self) -> "About":
        """The same, checked."""
        from privet.release.about import About

        return About(self.title, self.publisher, self.licence)


def save(release: "Release", places: Places, report: bool) -> str | None:
    """Write a release, and its audit if one is asked for; the fingerprint, if it was written."""
    if places.dry_run:
        return None
    return release.save(
        places.out,
        audit=places.audit,
        format=places.format,
        force=places.force,
        report=report,
        inputs=[path for path in places.inputs if path is not None],
    )
