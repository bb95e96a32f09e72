"""`privet substitute`: every record handed out, changed at random under a known matrix.

The perturbing is done in `privet.substitution`; here are the options and what is printed.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import Representative
from privet.cli.options import (
    CategoryOption,
    DryRunOption,
    ForceOption,
    IdentifierOption,
    JsonOption,
    MissingOption,
    SchemaOption,
    TableArgument,
    TargetOption,
    emit_json,
    load,
    names,
    read_schema,
)
from privet.cli.saving import Files, Places, as_table_file, save
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.release import Release
    from privet.schema import Schema
    from privet.substitution import RandomSubstitution

_WORTH_A_BAR = 1_000_000  # values

OutOption = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="OUT",
        help="A release folder; or a table such as F.csv, with F.mechanism.json beside it.",
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="COLUMNS",
        help="Columns to perturb one by one: a,b; without it all but identifiers and the target.",
    ),
]


def substitute(
    table: TableArgument,
    out: OutOption,
    columns: ColumnsOption = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(
            "--joint", metavar="A+B", help="Columns to perturb together, as one; repeatable."
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            "--gamma",
            metavar="G",
            help="How much likelier a value stays: 9, 9.5 or 19/2; 9 without it. With --rho1 and "
            "--rho2 the smaller gamma holds.",
        ),
    ] = None,
    rho1: Annotated[
        str | None,
        typer.Option("--rho1", metavar="P", help="A belief held before; with --rho2 gives gamma."),
    ] = None,
    rho2: Annotated[
        str | None,
        typer.Option("--rho2", metavar="P", help="The most that a belief of --rho1 may become."),
    ] = None,
    bins: Annotated[
        int, typer.Option("--bins", metavar="N", help="Bins of numbers and dates.")
    ] = 20,
    representative: Annotated[
        Representative,
        typer.Option("--show", metavar="HOW", help="A bin is shown by: centre, lower or random."),
    ] = "centre",
    schema: SchemaOption = None,
    domain_from_data: Annotated[
        bool,
        typer.Option(
            "--domain-from-data",
            help="Take domains from the records where the schema declares none (this leaks).",
        ),
    ] = False,
    target: TargetOption = None,
    identifier: IdentifierOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Draw reproducibly; keep the seed secret."),
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Leave the records in their order.")
    ] = False,
    missing: MissingOption = None,
    category: CategoryOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Change each record at random and write the table with what was done to it.

    The mechanism beside the table is public: others need it to estimate, rebuild and grow trees.

    Example: privet substitute people.csv --schema people.toml --target class --out perturbed
    """
    from privet.files import names_a_table
    from privet.pipeline import substitute_table
    from privet.substitution import RandomSubstitution

    in_folder = not names_a_table(out)
    places = Places(out, None, (table, schema), force, dry_run=dry_run)
    files = Files(
        (out, None if in_folder else mechanism_path(out)), (table, schema), force, dry_run
    )
    places.checked() if in_folder else files.checked()
    groups = [tuple(part.strip() for part in text.split("+")) for text in joint or ()]
    wanted = names(columns) if columns else None
    declared = read_schema(schema)
    named = {
        "--columns": wanted or [],
        "--joint": [name for group in groups for name in group],
        "--target": [target] if target else [],
        "--identifier": names(identifier),
    }
    loaded = load(table, missing=missing, category=category, schema=declared, named=named)
    described = _described(declared or loaded.schema(), target, identifier)
    loaded = loaded.select(n for n in loaded.names if n in described)
    rho1, rho2 = _beliefs_in_force(gamma, rho1, rho2)
    perturber = RandomSubstitution(
        columns=wanted,
        gamma=gamma or "9",
        bins=bins,
        joint=groups,
        rho1=rho1,
        rho2=rho2,
        representative=representative,
        domain_from_data=domain_from_data,
    )
    with _bar(loaded.n_rows * max(len(loaded.names), 1)) as progress:
        release = substitute_table(loaded, described, perturber, seed, keep_order, progress)
    figures = _figures(perturber, release.rows.n_records)
    if in_folder:
        figures |= {"release": str(out), "fingerprint": save(release, places, report=True)}
    else:
        figures |= _write_pair(release, files)
    if json:
        emit_json(figures)
        return
    typer.echo(_in_words(figures, seed, keep_order))
    written = f"{out}/" if in_folder else f"{out} and {mechanism_path(out)}"
    typer.echo(f"{files.wrote} {written}.")


def _described(schema: "Schema", target: str | None, identifier: list[str] | None) -> "Schema":
    roles: dict[str, Any] = {"identifier": names(identifier)}
    return schema.with_roles(**roles | ({"target": target} if target else {}))


def _beliefs_in_force(
    gamma: str | None, rho1: str | None, rho2: str | None
) -> tuple[str | None, str | None]:
    """Both gamma and beliefs are limits that the owner set: what keeps more private must win."""
    from privet.mechanism.matrices import exact_number, largest_gamma

    if gamma is None or rho1 is None or rho2 is None:
        return rho1, rho2
    lesser_gamma = exact_number(gamma, "gamma") < largest_gamma(rho1, rho2)
    return (None, None) if lesser_gamma else (rho1, rho2)


def _write_pair(release: "Release", files: Files) -> dict[str, str]:
    """The table and its mechanism as two files, both or none."""
    from privet.release.layout import MECHANISM

    out, beside = files.targets
    files.write({out: as_table_file(release.rows.records()), beside: str(release.files[MECHANISM])})
    return {"table": str(out), "mechanism": str(beside)}


@contextmanager
def _bar(values: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on the terminal for many values; nothing in a pipe."""
    if not sys.stderr.isatty() or values < _WORTH_A_BAR:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Perturbing", total=values)
        yield lambda done: bar.advance(task, done)


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
    for block in mechanism.blocks:
        factor = block.matrix.amplification
        finite = factor != float("inf")
        blocks.append(
            {
                "columns": list(block.columns),
                "values": block.matrix.size,
                "gamma": str(factor) if finite else None,
                "epsilon": mechanism.to_data()["epsilon"]["by_column"][block.name],
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
        "epsilon_of_a_record": mechanism.to_data()["epsilon"]["of_a_record"],
        "warnings": perturber.warnings_,
    }


def _in_words(figures: dict[str, Any], seed: int | None, keep_order: bool) -> str:
    width = max(len("column"), *(len("+".join(b["columns"])) for b in figures["blocks"]))
    lines = [f"{'column':<{width}}  values  gamma  epsilon  predicted error of counts"]
    for block in figures["blocks"]:
        name = "+".join(block["columns"])
        epsilon = "none" if block["epsilon"] is None else f"{block['epsilon']:.3f}"
        gamma = block["gamma"] or "none"
        lines.append(
            f"{name:<{width}}  {block['values']:>6}  {gamma:>5}  {epsilon:>7}  "
            f"{block['predicted_error']:.3f}"
        )
    total = figures["epsilon_of_a_record"]
    lines.append("")
    if total is not None:
        lines.append(
            f"A whole record has epsilon {total:.2f}: what is said of one column does not hold for "
            "correlated columns."
        )
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
