"""`privet substitute`: every record handed out, changed at random under a known matrix.

The perturbing is done in `privet.substitution`; here is what is read, written and printed.
"""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.loading import load_for_method, names, read_schema
from privet.cli.options import (
    DryRunOption,
    ForceOption,
    IdentifierOption,
    JsonOption,
    KeepOrderOption,
    ReadingOptions,
    SeedOption,
    TableArgument,
    TargetOption,
    option,
)
from privet.cli.outlook import AccuracyOption, in_words
from privet.cli.saving import AboutOptions, Files, Places, as_table_file, save
from privet.cli.substitute_options import SubstitutionOptions
from privet.cli.terminal import bar, emit_json
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.release import Release
    from privet.schema import Schema
    from privet.substitution import RandomSubstitution
    from privet.substitution.outlook import Outlook
    from privet.table import Table

_WORTH_A_BAR = 1_000_000  # values


def substitute(
    table: TableArgument,
    *,
    out: Annotated[
        Path,
        option(
            "--out",
            "OUT",
            "A release folder; or a table such as F.csv, with F.mechanism.json beside it.",
        ),
    ],
    asked: SubstitutionOptions,
    accuracy: AccuracyOption = None,
    target: TargetOption = None,
    identifier: IdentifierOption = None,
    reading: ReadingOptions,
    where: EngineOptions,
    words: AboutOptions,
    seed: SeedOption = None,
    keep_order: KeepOrderOption = False,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Change each record at random and write the table with what was done to it.

    The mechanism beside the table is public: others need it to estimate, rebuild and grow trees.

    Example: privet substitute people.csv --schema people.toml --target class --out perturbed
    """
    from privet.attack.linear import MOST_RECORDS, expected_recovery
    from privet.files import names_a_table
    from privet.pipeline import substitute_table
    from privet.substitution.advise import refuse_accuracy

    refuse_accuracy(accuracy)
    inputs = (table, reading.schema, *asked.matrix_files.values())
    in_folder, about = not names_a_table(out), words.about()
    if about and not in_folder:
        raise UsageError(
            "A table alone cannot say its title, publisher and licence.",
            "name a folder for --out: a release is written there.",
        )
    places = Places(out, None, inputs, force, dry_run=dry_run)
    files = Files((out, None if in_folder else mechanism_path(out)), inputs, force, dry_run)
    places.checked() if in_folder else files.checked()
    perturber = asked.perturber()
    with where.counting(table):
        loaded, schema = _read(table, reading, asked, target, names(identifier))
        values = loaded.n_rows * max(len(loaded.names), 1)
        with bar("Perturbing", values, shown=values >= _WORTH_A_BAR, by_steps=True) as progress:
            release = substitute_table(loaded, schema, perturber, seed, keep_order, progress)
        release = release.described(about)
        figures = _figures(perturber, release.rows.n_records)
        outlook = _outlook(release, perturber)
        figures["outlook"] = None if outlook is None else outlook.to_data(accuracy)
        guesses = expected_recovery(release.rows.some(MOST_RECORDS), perturber.mechanism_)
        figures["recovery"] = None if guesses is None else guesses.to_data()
        if in_folder:
            figures |= {"release": str(out), "fingerprint": save(release, places, report=True)}
        else:
            figures |= _write_pair(release, files)
    if json:
        emit_json(figures)
        return
    typer.echo(_in_words(figures, seed, keep_order))
    if guesses is not None:
        typer.echo(guesses.sentence())
    for line in in_words(outlook, accuracy):
        typer.echo(line)
    written = f"{out}/" if in_folder else f"{out} and {mechanism_path(out)}"
    typer.echo(f"{files.wrote} {written}.")


def _outlook(release: "Release", perturber: "RandomSubstitution") -> "Outlook | None":
    """What those who get the records can make of them: seen as they see it, told to the owner."""
    from privet.schema import Role
    from privet.substitution.outlook import MOST_RECORDS, outlook_for

    schema = release.manifest.schema
    if not schema.names(Role.TARGET):
        return None
    some = release.rows.some(MOST_RECORDS)
    return outlook_for(some, perturber.mechanism_, schema, records=release.rows.n_records)


def _read(
    path: Path,
    reading: ReadingOptions,
    asked: SubstitutionOptions,
    target: str | None,
    identifier: list[str],
) -> "tuple[Table, Schema]":
    """The columns of the schema, with the roles of the options."""
    from privet.roles import Roles

    declared = read_schema(reading.schema)
    of_target = [target] if target else []
    named = {**asked.named, "--target": of_target, "--identifier": identifier}
    treated = [name for of_option in asked.named.values() for name in of_option]
    given = Roles(target, identifier=identifier)
    table, found = load_for_method(path, reading, declared, given, named, treated)
    roles: dict[str, Any] = {"identifier": identifier} | ({"target": target} if target else {})
    schema = found.with_roles(**roles)
    return table.select(name for name in table.names if name in schema), schema


def _write_pair(release: "Release", files: Files) -> dict[str, str]:
    """The table and its mechanism as two files, both or none, and only if both read back."""
    from privet.mechanism.substitution import Substitution
    from privet.release.layout import MECHANISM

    out, beside = files.targets
    rows, text = release.rows, str(release.files[MECHANISM])
    Substitution.from_text(text).refuse_undrawn(rows.table)
    table = as_table_file(rows.table, counts=rows.counts)
    files.write({out: table, beside: text})
    return {"table": str(out), "mechanism": str(beside)}


def mechanism_path(out: Path) -> Path:
    """people.parquet -> people.mechanism.json, people.csv.gz -> people.mechanism.json"""
    name = out.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    if not stem:
        raise UsageError("The name of --out is empty.", "give a file such as perturbed.parquet.")
    return out.with_name(f"{stem}.mechanism.json")


def _figures(perturber: "RandomSubstitution", n: int) -> dict[str, Any]:
    from privet.mechanism.matrices import worst_posterior
    from privet.substitution import predicted_error

    mechanism = perturber.mechanism_
    blocks = []
    for block, epsilon in zip(mechanism.blocks, mechanism.epsilons, strict=True):
        factor = block.matrix.amplification
        finite = factor != float("inf")
        blocks.append(
            {
                "columns": list(block.columns),
                "values": block.matrix.size,
                "gamma": str(factor) if finite else None,
                "epsilon": epsilon,
                "belief_of_a_tenth_becomes_at_most": (
                    float(worst_posterior("0.1", str(factor))) if finite else 1.0
                ),
                "entropy": block.matrix.entropy(),
                "condition_number": block.matrix.condition_number,
                "predicted_error": predicted_error(block.matrix, n),
            }
        )
    return {
        "records": n,
        "blocks": blocks,
        "unchanged": list(mechanism.unchanged),
        "epsilon_of_a_record": mechanism.finite_epsilon_of_a_record,
        "warnings": perturber.warnings_,
    }


def _but(unchanged: list[str]) -> str:
    """An epsilon of the record is that of its perturbed columns: nothing hides the others."""
    return f", but for {', '.join(unchanged)}, which nothing hides" if unchanged else ""


def _in_words(figures: dict[str, Any], seed: int | None, keep_order: bool) -> str:
    total = figures["epsilon_of_a_record"]
    lines = [
        "There is no bound for a whole record: some matrix rules out originals."
        if total is None
        else f"A whole record has epsilon {total:.2f}{_but(figures['unchanged'])}: what is said of "
        "one column does not hold for correlated columns."
    ]
    width = max(len("column"), *(len("+".join(b["columns"])) for b in figures["blocks"]))
    lines += ["", f"{'column':<{width}}  values  epsilon   gamma  predicted error of counts"]
    for block in figures["blocks"]:
        name = "+".join(block["columns"])
        epsilon = "none" if block["epsilon"] is None else f"{block['epsilon']:.3f}"
        gamma = "none" if block["gamma"] is None else f"{float(Fraction(block['gamma'])):.5g}"
        lines.append(
            f"{name:<{width}}  {block['values']:>6}  {epsilon:>7}  {gamma:>6}  "
            f"{block['predicted_error']:.3f}"
        )
    lines.append("")
    if figures["unchanged"]:
        lines.append(f"Released unchanged: {', '.join(figures['unchanged'])}.")
    if seed is None:
        lines.append("Drawn by the operating system; cannot be drawn again.")
    else:
        lines.append("Drawn from a seed: whoever knows it can undo the perturbation.")
    if keep_order:
        lines.append("The records are in their original order, which may tell who they are.")
    lines += [f"Warning: {text}" for text in figures["warnings"]]
    return "\n".join(lines)
