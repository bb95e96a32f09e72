"""`privet publish`: a table in, a release folder out from which the same tree grows again."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.choices import Format
from privet.cli.options import (
    CategoryOption,
    DropOption,
    DryRunOption,
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
from privet.cli.publish_answer import figures_of, in_words
from privet.cli.publish_options import (
    CategoriesOption,
    Float32Option,
    GuardOption,
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
    RestOption,
    TargetKnownOption,
    TOption,
    UseSensitiveOption,
    load_with_roles,
    settings_of,
)
from privet.cli.saving import Places, save


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
    rest: RestOption = None,
    schema: SchemaOption = None,
    l: LOption = None,  # noqa: E741
    l_kind: LKindOption = "strong",
    t: TOption = None,
    leaves: LeavesOption = None,
    impurity: ImpurityOption = None,
    categories: CategoriesOption = "subset",
    min_leaf: MinLeafOption = None,
    guard: GuardOption = None,
    recoding: RecodingOption = "leaf",
    refine: RefineOption = True,
    float32_safe: Float32Option = False,
    release_sensitive: ReleaseSensitiveOption = False,
    use_sensitive: UseSensitiveOption = False,
    target_known: TargetKnownOption = False,
    format: Annotated[  # noqa: A002
        Format, typer.Option("--format", metavar="FORMAT", help="parquet or csv.")
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
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> int:
    """Publish a table with its decision tree, so that the same tree grows again from it.

    Columns with no role given are quasi-identifiers. The release is checked from the written files
    before it appears; if anything does not hold, nothing is published.

    Example: privet publish patients.csv --target readmitted --identifier patient_id
    --sensitive diagnosis -k 10 -l 2 --out patients-release
    """
    from privet.pipeline import publish_table

    settings = settings_of(
        k=k,
        l=l,
        l_kind=l_kind,
        t=t,
        leaves=leaves,
        impurity=impurity,
        categories=categories,
        min_leaf=min_leaf,
        guard=guard,
        recoding=recoding,
        refine=refine,
        float32_safe=float32_safe,
        release_sensitive=release_sensitive,
        use_sensitive=use_sensitive,
        target_known=target_known,
    )
    places = Places(out, audit, (table, schema), force, format, dry_run).checked()
    roles = {
        "target": [target] if target else None,
        "sensitive": sensitive,
        "identifier": identifier,
        "quasi": quasi,
        "other": other,
    }
    loaded, full = load_with_roles(table, schema, missing, category, roles, drop, rest)
    with working("Growing the tree and recoding ..."):
        release = publish_table(loaded, full, settings)
    with working("Writing and verifying ..."):
        fingerprint = save(release, places, report=not no_report)
    figures = figures_of(release, out, fingerprint)
    if json:
        emit_json(figures)
    else:
        typer.echo(in_words(release, figures, with_report=not no_report))
    return 0
