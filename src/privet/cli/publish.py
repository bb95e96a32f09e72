"""`privet publish`: a table in, a release folder out from which the same tree grows again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.options import (
    CategoryOption,
    DropOption,
    IdentifierOption,
    JsonOption,
    MissingOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    TableArgument,
    TargetOption,
    emit_json,
    working,
)
from privet.cli.publish_options import (
    CategoriesOption,
    Float32Option,
    ImpurityOption,
    KOption,
    LeavesOption,
    LKindOption,
    LOption,
    MinLeafOption,
    OtherOption,
    RecodingOption,
    RefineOption,
    ReleaseSensitiveOption,
    TargetKnownOption,
    TOption,
    UseSensitiveOption,
    load_with_roles,
    settings_of,
)
from privet.errors import InvalidParameter, UsageError

if TYPE_CHECKING:
    from privet.release import Release


def publish(
    table: TableArgument,
    k: KOption,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The release to write.")],
    target: TargetOption = None,
    sensitive: SensitiveOption = None,
    identifier: IdentifierOption = None,
    quasi: QuasiOption = None,
    other: OtherOption = None,
    drop: DropOption = None,
    schema: SchemaOption = None,
    l: LOption = None,  # noqa: E741
    l_kind: LKindOption = "strong",
    t: TOption = None,
    leaves: LeavesOption = None,
    impurity: ImpurityOption = None,
    categories: CategoriesOption = "subset",
    min_leaf: MinLeafOption = None,
    recoding: RecodingOption = "leaf",
    refine: RefineOption = True,
    float32_safe: Float32Option = False,
    release_sensitive: ReleaseSensitiveOption = False,
    use_sensitive: UseSensitiveOption = False,
    target_known: TargetKnownOption = False,
    format: Annotated[  # noqa: A002
        str, typer.Option("--format", metavar="FORMAT", help="parquet or csv.")
    ] = "parquet",
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.html.")] = False,
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit", metavar="FOLDER", help="Also write what must stay inside, to this folder."
        ),
    ] = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace folders that exist.")] = False,
    json: JsonOption = False,
) -> int:
    """Publish a table with its decision tree, so that the same tree grows again from it.

    Columns with no role given are quasi-identifiers. The release is checked from the written files
    before it appears; if anything does not hold, nothing is published.

    Example: privet publish patients.csv --target readmitted --identifier patient_id
    --sensitive diagnosis -k 10 -l 2 --out patients-release
    """
    from privet.pipeline import publish_table
    from privet.release.staging import refuse_existing

    settings = settings_of(
        k=k,
        l=l,
        l_kind=l_kind,
        t=t,
        leaves=leaves,
        impurity=impurity,
        categories=categories,
        min_leaf=min_leaf,
        recoding=recoding,
        refine=refine,
        float32_safe=float32_safe,
        release_sensitive=release_sensitive,
        use_sensitive=use_sensitive,
        target_known=target_known,
    )
    if format not in ("parquet", "csv"):
        raise InvalidParameter("--format", "parquet or csv", format)
    if audit is not None:
        _keep_apart(out.resolve(), audit.resolve())
    for folder in (out, audit):
        if folder is not None:
            refuse_existing(folder, force)
    roles = {
        "target": [target] if target else None,
        "sensitive": sensitive,
        "identifier": identifier,
        "quasi": quasi,
        "other": other,
    }
    loaded, full = load_with_roles(table, schema, missing, category, roles, drop)
    with working("Growing the tree and recoding ..."):
        release = publish_table(loaded, full, settings)
    with working("Writing and verifying ..."):
        fingerprint = release.save(
            out,
            format=format,  # type: ignore[arg-type]
            force=force,
            report=not no_report,
        )
        if audit is not None:
            _save_audit(release, audit, force)
    figures = _figures(release, out, fingerprint, l_kind)
    if json:
        emit_json(figures)
    else:
        typer.echo(_in_words(release, figures, not no_report))
    return 0


def _keep_apart(out: Path, audit: Path) -> None:
    """What must stay inside never lies in the folder that is handed out, nor the other way."""
    if out == audit or out in audit.parents or audit in out.parents:
        raise UsageError(
            "--audit and --out must be folders apart; one is the other or lies in it.",
            "keep the audit where nobody takes it for part of the release.",
        )


def _save_audit(release: "Release", folder: Path, force: bool) -> None:
    from privet.pipeline import save_audit

    save_audit(release, folder, force)


def _figures(release: "Release", out: Path, fingerprint: str, l_kind: str) -> dict[str, Any]:
    of_l = {c.parameters["column"]: c.measured for c in release.claims if c.name == "l-diversity"}
    of_t = {c.parameters["column"]: c.measured for c in release.claims if c.name == "t-closeness"}
    return {
        "leaves": release.tree.n_leaves,
        "k": release.figure("k-anonymity"),
        "k_with_target": release.figure("k-anonymity-with-target"),
        "l": min(of_l.values(), default=None),
        "t": max(of_t.values(), default=None),
        "equivalence_classes": release.figure("equivalence-classes"),
        "records": release.figure("records"),
        "same_tree": release.figure("same-tree"),
        "release": str(out),
        "fingerprint": fingerprint,
        "l_kind": l_kind,
        "l_by_column": of_l,
        "t_by_column": of_t,
        "one_class_equivalence_classes": release.figure("one-class-equivalence-classes"),
        "messages": list(release.messages),
    }


def _in_words(release: "Release", figures: dict[str, Any], with_report: bool) -> str:
    lines = [
        f"YES: {figures['records']:,} records are published in {figures['release']}, and the same "
        f"tree of {figures['leaves']} leaves grows again from them.",
        "",
        f"  k                    {figures['k']:,}  (with the target known: "
        f"{figures['k_with_target']:,})",
    ]
    for column, value in figures["l_by_column"].items():
        lines.append(f"  l of {column:<16}{value:.4g}  ({figures['l_kind']})")
    for column, value in figures["t_by_column"].items():
        lines.append(f"  t of {column:<16}{value:.4g}")
    lines.append(f"  equivalence classes  {figures['equivalence_classes']:,}")
    lines += ["", f"Fingerprint, to be given out by another way:\n  {figures['fingerprint']}"]
    lines += [f"Note: {message}" for message in release.messages]
    folder = figures["release"]
    lines += ["", f"Check it:  privet verify {folder} --fingerprint {figures['fingerprint']}"]
    if with_report:
        lines.append(f"Read it:   {folder}/report.html")
    return "\n".join(lines)
