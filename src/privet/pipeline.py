"""The one-call pipelines behind `privet publish` and `privet noise`, and their twins in Python."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import UnknownColumn, UsageError
from privet.files import read_table
from privet.files.frames import table_of
from privet.preserve.publisher import TreePreservingPublisher
from privet.preserve.settings import PublishSettings
from privet.release.release import Release
from privet.schema import Column, Kind, Schema
from privet.table import Table

if TYPE_CHECKING:
    from privet.noise.publisher import NoisyRelease
    from privet.noise.settings import NoiseSettings

Names = str | Iterable[str] | None


def publish(
    frame: Any,
    *,
    target: str | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    other: Names = None,
    drop: Names = None,
    schema: Schema | str | Path | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    **settings: Any,
) -> Release:
    """Publish a table with its tree: a Release with `.data`, `.tree`, `.claims`, `.save(folder)`.

    `frame` is a pandas, polars or Arrow frame, a mapping of sequences, or the path of a file.
    Columns with no role given are quasi-identifiers. Further settings are those of
    `privet.preserve.settings.Settings`: k, l, t, leaves, impurity, recoding and so on.
    """
    roles = {
        "target": target,
        "sensitive": sensitive,
        "identifier": identifier,
        "quasi": quasi,
        "other": other,
    }
    table, full, like = _read(frame, schema, kinds, missing, roles, drop)
    return publish_table(table, full, PublishSettings(**settings), like)


def add_noise(
    frame: Any,
    *,
    target: str | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    other: Names = None,
    drop: Names = None,
    schema: Schema | str | Path | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    seed: int | None = None,
    keep_order: bool = False,
    **settings: Any,
) -> "NoisyRelease":
    """Noise that follows the tree of the target: `.release` with `.data` and `.save(folder)`,
    `.columns` with expected and observed changes, and `.audit`.

    `frame` is what `publish` takes. Further settings are those of
    `privet.noise.settings.NoiseSettings`.
    """
    from privet.noise.settings import NoiseSettings

    roles = {"target": target, "sensitive": sensitive, "identifier": identifier, "other": other}
    table, full, like = _read(frame, schema, kinds, missing, roles, drop)
    return add_noise_to_table(table, full, NoiseSettings(**settings), seed, keep_order, like)


def add_noise_to_table(
    table: Table,
    schema: Schema,
    settings: "NoiseSettings",
    seed: int | None = None,
    keep_order: bool = False,
    like: Any = None,
) -> "NoisyRelease":
    """Noise on a table whose columns all have their roles."""
    from privet.noise.publisher import publish_noise

    made = publish_noise(table, schema, settings, seed, keep_order=keep_order, like=like)
    return replace(made, release=replace(made.release, write_report=_write_report))


def _read(
    frame: Any,
    schema: Schema | str | Path | None,
    kinds: Mapping[str, Kind | str] | None,
    missing: Sequence[str],
    roles: Mapping[str, Names],
    drop: Names,
) -> tuple[Table, Schema, Any]:
    """A table from whatever the caller gave, its schema, and the frame to answer in kind."""
    declared = Schema.read(Path(schema)) if isinstance(schema, str | Path) else schema
    given_kinds = {c.name: c.kind for c in declared or ()}
    given_kinds |= {name: Kind(kind) for name, kind in (kinds or {}).items()}
    markers = [*(declared.missing if declared else ()), *missing]
    if isinstance(frame, Table):
        table = frame
    elif isinstance(frame, str | Path):
        table = read_table(frame, kinds=given_kinds, missing=markers)
    else:
        table = table_of(frame, given_kinds, markers)
    like = None if isinstance(frame, Table | str | Path) else frame
    return table, schema_for(table, declared, roles, drop), like


def publish_table(
    table: Table, schema: Schema, settings: PublishSettings, like: Any = None
) -> Release:
    """Publish a table whose columns all have their roles."""
    release = TreePreservingPublisher(settings).publish(table, schema, like)
    return replace(release, write_report=_write_report)


def save_audit(release: Release, folder: str | Path, force: bool = False) -> None:
    """Write what must stay inside: audit.json and steward.html, readable by their owner alone."""
    from privet.report.html import write_steward

    audit = release.audit
    if audit is None:
        raise UsageError("This release has no audit.", "only the run that publishes has one.")
    audit.save(Path(folder), force, {"steward.html": lambda path: write_steward(audit, path)})


def _write_report(folder: Path) -> None:
    from privet.report.html import write_report

    write_report(folder)


def schema_for(
    table: Table,
    declared: Schema | None,
    roles: Mapping[str, Names],
    drop: Names = None,
) -> Schema:
    """The schema of a table: as declared in a file, then changed by roles given at the call."""
    kinds = {name: table[name].domain.kind for name in table}
    known = {c.name: c for c in declared or ()}
    for name in known:
        if name not in table:
            raise UnknownColumn(name, table.names, where="the schema")
    columns = tuple(
        replace(known[name], kind=kind) if name in known else Column(name, kind)
        for name, kind in kinds.items()
    )
    schema = Schema(columns, declared.groups if declared else {}, ())
    gone = [drop] if isinstance(drop, str) else list(drop or ())
    named = {role: [names] if isinstance(names, str) else names for role, names in roles.items()}
    for role, names in named.items():
        for name in names or ():
            if name in gone:
                raise UsageError(
                    f"Column '{name}' is dropped and named as {role}.", "decide on one of the two."
                )
    schema = schema.with_roles(**named).without(gone)
    for name, groups in schema.groups.items():
        if name not in schema:
            raise UnknownColumn(name, schema.names(), where="[groups] of the schema")
        if schema[name].kind is not Kind.CATEGORY or not groups:
            raise UsageError(
                f"[groups.{name}] needs a column of categories and at least one group.",
                'remove it from the schema file, or set kind = "category".',
            )
    _ = schema.target  # an error here, before any work, if there is none
    return schema
