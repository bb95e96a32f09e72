"""`privet noise`: a table in, a release folder out with noise that follows the tree."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import (
    CategorySplits,
    ClassImpurity,
    ClassNoise,
    Ends,
    Format,
    Influential,
    NoisePruning,
    Where,
    Which,
)
from privet.cli.options import (
    CategoryOption,
    DropOption,
    DryRunOption,
    IdentifierOption,
    JsonOption,
    MissingOption,
    SchemaOption,
    SensitiveOption,
    TableArgument,
    TargetOption,
    emit_json,
    names,
    working,
)
from privet.cli.publish_options import OtherOption, load_with_roles
from privet.cli.saving import Places, save
from privet.errors import InvalidParameter

if TYPE_CHECKING:
    from privet.noise.settings import NoiseSettings
    from privet.noise.trees import NoiseTreeSettings
    from privet.release import Release

_OFF = "none"


def noise(
    table: TableArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The release to write.")],
    target: TargetOption = None,
    class_noise: Annotated[
        ClassNoise,
        typer.Option("--class", metavar="HOW", help="random, probabilistic, all-leaves or none."),
    ] = "random",
    innocent: Annotated[
        str,
        typer.Option(
            "--innocent", metavar="SD", help="Noise on numbers off the path, as a share; or none."
        ),
    ] = "0.276",
    influential: Annotated[
        Influential,
        typer.Option(
            "--influential",
            metavar="HOW",
            help="Numbers on the path: shuffle, wrap, reflect, none.",
        ),
    ] = "shuffle",
    detective: Annotated[
        str,
        typer.Option(
            "--detective", metavar="P", help="Categories: the chance of a sibling's value; or none."
        ),
    ] = "0.1",
    participation: Annotated[
        float,
        typer.Option(
            "--participation", metavar="R", help="The share of records whose categories are drawn."
        ),
    ] = 1.0,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict/--no-strict", help="Spare the categories on a record's path, or draw them."
        ),
    ] = True,
    which: Annotated[
        Which, typer.Option("--which", metavar="WHICH", help="Innocent numbers: tia, lia or both.")
    ] = "both",
    where: Annotated[
        Where,
        typer.Option(
            "--where", metavar="WHERE", help="Innocent noise in heterogeneous leaves, or all."
        ),
    ] = "all",
    ends: Annotated[
        Ends,
        typer.Option(
            "--ends", metavar="RULE", help="At a column's ends: reflect, reflect-whole or clamp."
        ),
    ] = "reflect",
    spike: Annotated[
        list[str] | None,
        typer.Option("--spike", metavar="COLUMN=N", help="A number left alone; repeatable."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale",
            metavar="COLUMN=N",
            help="Noise as a share of N, not of the value; repeatable.",
        ),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option(
            "--together", metavar="COLUMNS", help="Columns drawn as one: a,b; repeatable."
        ),
    ] = None,
    random_value: Annotated[
        float,
        typer.Option("--random-value", metavar="V", help="The chance of any other category."),
    ] = 0.0,
    cousins: Annotated[
        int,
        typer.Option("--cousins", metavar="H", help="Count leaves under the H-th ancestor as kin."),
    ] = 0,
    impurity: Annotated[
        ClassImpurity,
        typer.Option("--impurity", metavar="NAME", help="gain-ratio, entropy or gini."),
    ] = "gain-ratio",
    categories: Annotated[
        CategorySplits,
        typer.Option("--categories", metavar="MODE", help="Category splits: multiway or subset."),
    ] = "multiway",
    min_leaf: Annotated[
        int | None,
        typer.Option("--min-leaf", metavar="N", help="Records in each leaf; grows with the table."),
    ] = None,
    leaves: Annotated[
        int | None, typer.Option("--leaves", metavar="M", help="At most M leaves before pruning.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", help="At most D splits on a path.")
    ] = None,
    prune: Annotated[
        NoisePruning, typer.Option("--prune", metavar="HOW", help="pessimistic or none.")
    ] = "pessimistic",
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", help="Draw the same again; as secret as what it hides."
        ),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Keep the order of rows, which may give them away."),
    ] = False,
    sensitive: SensitiveOption = None,
    identifier: IdentifierOption = None,
    other: OtherOption = None,
    drop: DropOption = None,
    schema: SchemaOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
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
    force: Annotated[bool, typer.Option("--force", help="Replace folders that exist.")] = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> int:
    """Release every record with noise that follows the decision tree of the target.

    Classes are permuted within leaves, numbers and categories moved within what the path of a
    record allows, so that it stays in its leaf. mechanism.json says what an attacker may know.

    Example: privet noise patients.csv --target readmitted --identifier patient_id
    --detective 0.1 --out patients-noise
    """
    from privet.noise.settings import NoiseSettings
    from privet.pipeline import add_noise_to_table

    settings = NoiseSettings(
        class_noise=class_noise,
        innocent=_number_or_none("--innocent", innocent),
        which=which,
        where=where,
        ends=ends,
        influential=None if influential == "none" else influential,
        detective=_number_or_none("--detective", detective),
        participation=participation,
        random_value=random_value,
        cousins=cousins,
        strict=strict,
        spikes={c: tuple(values) for c, values in _by_column("--spike", spike).items()},
        scales={c: values[-1] for c, values in _by_column("--scale", scale).items()},
        together=tuple(tuple(names([group])) for group in together) if together else None,
        trees=_trees(impurity, categories, min_leaf, leaves, depth, prune),
    )
    places = Places(out, audit, (table, schema), force, format, dry_run).checked()
    roles = {
        "target": [target] if target else None,
        "sensitive": sensitive,
        "identifier": identifier,
        "other": other,
    }
    loaded, full = load_with_roles(table, schema, missing, category, roles, drop)
    with working("Growing trees and drawing noise ..."):
        release = add_noise_to_table(loaded, full, settings, seed, keep_order)
    with working("Writing and verifying ..."):
        fingerprint = save(release, places, report=not no_report)
    figures = _figures(release, settings, out, fingerprint)
    if json:
        emit_json(figures)
    else:
        typer.echo(_in_words(figures, keep_order))
    return 0


def _trees(
    impurity: ClassImpurity,
    categories: CategorySplits,
    min_leaf: int | None,
    leaves: int | None,
    depth: int | None,
    prune: NoisePruning,
) -> "NoiseTreeSettings":
    from privet.noise.trees import NoiseTreeSettings

    return NoiseTreeSettings(
        impurity=impurity,
        categories=categories,
        min_leaf=min_leaf,
        leaves=leaves,
        depth=depth,
        prune=prune,
    )


def _number_or_none(option: str, text: str) -> float | None:
    if text == _OFF:
        return None
    try:
        return float(text)
    except ValueError:
        raise InvalidParameter(option, "a number or none", text) from None


def _by_column(option: str, given: list[str] | None) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for text in given or ():
        column, _, number = text.rpartition("=")
        try:
            found.setdefault(column, []).append(float(number))
        except ValueError:
            column = ""
        if not column:
            raise InvalidParameter(option, "COLUMN=NUMBER", text, f"write {option} gain=0.")
    return found


def _figures(
    release: "Release", settings: "NoiseSettings", out: Path, fingerprint: str | None
) -> dict[str, Any]:
    from privet.mechanism.class_laws import ClassLaw

    tree, audit = release.tree, release.audit
    regrown = release.manifest.claim("accuracy-of-a-tree-grown-again")
    assert regrown is not None
    assert tree is not None
    assert audit is not None
    law = ClassLaw.of(settings.class_noise, [leaf.weights for leaf in tree.leaves])
    columns = audit.data["columns"]
    return {
        "records": law.records,
        "leaves": tree.n_leaves,
        "records_stay_in_their_leaves": settings.keeps_leaves,
        "class": {
            "technique": settings.class_noise,
            "expected_changes": float(law.expected),
            "variance": float(law.variance),
            "changes": next(c["observed"] for c in columns if c["method"].startswith("class")),
            "unprotected_records": law.unprotected,
            "guessed_by_leaf": law.best_guess / law.records,
        },
        "columns": columns,
        "accuracy": {
            "of_the_original_tree": regrown.parameters["of_the_original_tree"],
            "of_a_tree_grown_again": regrown.measured,
            "same_rules": regrown.parameters["same_rules"],
            "same_counts": regrown.parameters["same_counts"],
        },
        "release": str(out),
        "fingerprint": fingerprint,
        "messages": list(release.messages),
    }


def _sameness(fit: dict[str, Any]) -> str:
    if fit["same_counts"]:
        return "yes: the same rules, with the same records of each class in every node"
    return "the same rules, other counts" if fit["same_rules"] else "no: other rules"


def _in_words(figures: dict[str, Any], keep_order: bool) -> str:
    of_class, fit = figures["class"], figures["accuracy"]
    records = figures["records"]
    verb = "are" if figures["fingerprint"] else "would be"
    stay = (
        "each in its leaf" if figures["records_stay_in_their_leaves"] else "not all in their leaf"
    )
    lines = [
        f"{records:,} records {verb} released with noise in {figures['release']}, {stay} of the "
        f"tree of {figures['leaves']} leaves.",
        "",
        f"  classes changed      {of_class['changes']:,}  (expected "
        f"{of_class['expected_changes']:,.1f}, standard deviation "
        f"{of_class['variance'] ** 0.5:,.1f}; {of_class['technique']})",
        f"  guessed by leaf      {of_class['guessed_by_leaf']:.1%}  whatever class was released",
        f"  accuracy             {fit['of_a_tree_grown_again']:.4f}  of a tree grown from the "
        f"release, on the original records (original tree {fit['of_the_original_tree']:.4f})",
        f"  the same tree again  {_sameness(fit)}",
        "",
        "  column                changed   expected   r2",
    ]
    for column in figures["columns"]:
        if column["method"] == "kept" or column["method"].startswith("class"):
            continue
        r2 = "" if column["r2"] is None else f"   {column['r2']:.3f}"
        lines.append(
            f"  {column['column'][:20]:<20}{column['observed'] / records:>8.1%}"
            f"{column['expected'] / records:>11.1%}{r2}"
        )
    lines += ["", *figures["messages"]]
    if keep_order:
        lines.append("The order of the rows is that of the original table.")
    if figures["fingerprint"] is None:
        return "\n".join([*lines, "Dry run, nothing written."])
    lines.append(f"fingerprint {figures['fingerprint']}")
    return "\n".join(lines)
