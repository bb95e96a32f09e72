"""`privet noise`: a table in, a release folder out with noise that follows the tree."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import Preset
from privet.cli.engine_options import EngineOptions
from privet.cli.loading import load_with_roles
from privet.cli.noise_options import NoiseOptions, NoiseTreeOptions
from privet.cli.options import (
    JsonOption,
    KeepOrderOption,
    ReadingOptions,
    RoleOptions,
    SeedOption,
    TableArgument,
    option,
)
from privet.cli.saving import AboutOptions, ReleaseOptions, save
from privet.cli.terminal import emit_json, working
from privet.errors import in_options
from privet.words import count

if TYPE_CHECKING:
    from privet.noise.settings import NoiseSettings
    from privet.release import Release


def noise(
    table: TableArgument,
    *,
    roles: RoleOptions,
    parts: NoiseOptions,
    trees: NoiseTreeOptions,
    reading: ReadingOptions,
    where: EngineOptions,
    writing: ReleaseOptions,
    words: AboutOptions,
    seed: SeedOption = None,
    keep_order: KeepOrderOption = False,
    preset: Annotated[
        Preset | None,
        option("--preset", "NAME", "paper, strict or strong: settings that other options change."),
    ] = None,
    goal: Annotated[
        str | None,
        option("--goal", "GOAL", "found<=10%: choose the noise by what an intruder finds."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Release every record with noise that follows the decision tree of the target.

    Classes are permuted within leaves, numbers and categories moved within what the path of a
    record allows, so that it stays in its leaf. mechanism.json says what an attacker may know.

    Example: privet noise patients.csv --target readmitted --identifier patient_id
    --detective 0.1 --out patients-noise
    """
    from privet.noise_pipeline import add_noise_to_table

    settings = parts.settings(trees)
    about = words.about()
    places = writing.places(table, reading.schema)
    with where.counting(table):
        loaded, schema = load_with_roles(table, reading, roles)
        with working("Growing trees and drawing noise ..."):
            release = add_noise_to_table(loaded, schema, settings, seed, keep_order, goal=goal)
        release = release.described(about)
        with working("Writing and verifying ..."):
            fingerprint = save(release, places, report=not writing.no_report)
        figures = _figures(release, settings, places.out, fingerprint)
    if json:
        emit_json(figures)
    else:
        typer.echo(_in_words(figures, keep_order))
    return 0


def _figures(
    release: "Release", settings: "NoiseSettings", out: Path, fingerprint: str | None
) -> dict[str, Any]:
    from privet.mechanism.class_laws import ClassLaw

    tree, audit = release.tree, release.audit
    regrown = release.manifest.claim("accuracy-of-a-tree-grown-again")
    intruder = release.manifest.claim("found-by-the-intruder")
    assert regrown is not None
    assert intruder is not None
    assert tree is not None
    assert audit is not None
    leaves = [leaf.weights for leaf in tree.leaves]
    law = ClassLaw.of(settings.class_noise, leaves, settings.floor)
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
            "likeness": regrown.parameters["likeness"],
        },
        "intruder": {
            "found": intruder.measured,
            "before": intruder.parameters["before"],
            "tried": intruder.parameters["tried"],
            "among": intruder.parameters.get("among", law.records),
        },
        "release": str(out),
        "fingerprint": fingerprint,
        "messages": [in_options(message) for message in release.said],
    }


def _among(intruder: dict[str, Any], records: int) -> str:
    """Where not everybody was looked at."""
    if intruder["among"] == records:
        return ""
    return f" (judged among {intruder['among']:,} drawn at random, where more are found)"


def _sameness(fit: dict[str, Any]) -> str:
    if fit["same_counts"]:
        return "yes: the same rules, with the same records of each class in every node"
    if fit["same_rules"]:
        return "the same rules, other counts"
    like = fit["likeness"]
    return (
        f"no, {like['word']}: {like['same_rule']:.0%} of the records under the same rule, "
        f"{like['kin']:.0%} under one of kin, {like['agreement']:.0%} predicted alike"
    )


def _in_words(figures: dict[str, Any], keep_order: bool) -> str:
    of_class, fit = figures["class"], figures["accuracy"]
    records = figures["records"]
    verb = "are" if figures["fingerprint"] else "would be"
    stay = (
        "each in its leaf" if figures["records_stay_in_their_leaves"] else "not all in their leaf"
    )
    lines = [
        f"{records:,} records {verb} released with noise in {figures['release']}, {stay} of the "
        f"tree of {count(figures['leaves'], 'leaf', 'leaves')}.",
        "",
        f"  classes changed      {of_class['changes']:,}  (expected "
        f"{of_class['expected_changes']:,.1f}, standard deviation "
        f"{of_class['variance'] ** 0.5:,.1f}; {of_class['technique']})",
        f"  guessed by leaf      {of_class['guessed_by_leaf']:.1%}  whatever class was released",
        f"  accuracy             {fit['of_a_tree_grown_again']:.4f}  of a tree grown from the "
        f"release, on the original records (original tree {fit['of_the_original_tree']:.4f})",
        f"  the same tree again  {_sameness(fit)}",
        f"  found again          of 100 people whose other values are known, "
        f"{100 * figures['intruder']['found']:.0f} are found again; before the noise "
        f"{100 * figures['intruder']['before']:.0f}{_among(figures['intruder'], records)}",
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
