"""`privet rebuild`: a table that resembles the original one, from a perturbed one.

The rebuilding is done in `privet.substitution`; here are the options and what is printed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.choices import Counting, RebuildWay
from privet.cli.options import DryRunOption, ForceOption, JsonOption, TargetOption, option
from privet.cli.saving import Files, as_table_file
from privet.cli.terminal import emit_json
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.mechanism.substitution import Substitution
    from privet.table import Table

PerturbedArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE", help="The release or the table that `privet substitute` wrote."
    ),
]
MechanismOption = Annotated[
    Path | None,
    option("--mechanism", "M.json", "What was done to the table: a file or a release."),
]


def rebuild(
    table: PerturbedArgument,
    out: Annotated[Path, option("--out", "G", "The table to write.")],
    mechanism: MechanismOption = None,
    target: TargetOption = None,
    way: Annotated[
        RebuildWay,
        option(
            "--way", "WAY", "global, by-class, by-node or modelled; all but global need the target."
        ),
    ] = "by-class",
    method: Annotated[
        Counting, option("--method", "M", "Of counting: simplex, zeroed, scaled or likelihood.")
    ] = "simplex",
    seed: Annotated[int, option("--seed", "N", "Orders records that look alike.")] = 0,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Rebuild a table whose counts resemble those of the originals.

    No record is its original: only counts, and trees grown from them, come near.

    Example: privet rebuild perturbed --out rebuilt.parquet
    """
    from privet.files import refuse_format
    from privet.substitution import rebuild as rebuild_table

    refuse_format(out)
    files = Files((out,), (table, mechanism), force, dry_run).checked()
    if way != "global":
        target = target or target_of_release(table)
    loaded, done = read_perturbed(table, mechanism, target)
    rebuilt = rebuild_table(loaded, done, way, target, method, seed)
    files.write({out: as_table_file(rebuilt)})
    figures = _quality(loaded, done)
    if json:
        emit_json({"table": str(out), "records": rebuilt.n_rows, "way": way, "blocks": figures})
        return
    for name, found in figures.items():
        typer.echo(f"{name}: counts are off by about {found['expected_error']:.3f} of the records.")
    even = [name for name, found in figures.items() if found["uniform_does_as_well"]]
    if even:
        typer.echo(f"Warning: a uniform guess would do as well for {', '.join(even)}.")
    typer.echo(f"{files.wrote} {out}: {rebuilt.n_rows:,} records rebuilt ({way}).")


def target_of_release(table: Path) -> str | None:
    """The response that a release folder names; None for a table, which names none."""
    from privet.release.opened import OpenedRelease
    from privet.schema import Role

    if not table.is_dir():
        return None
    return next(iter(OpenedRelease.at(table).manifest.schema.names(Role.TARGET)), None)


def read_perturbed(
    table: Path, mechanism: Path | None, target: str | None
) -> "tuple[Table, Substitution]":
    """A perturbed table, read as its mechanism says; both may lie in a release folder."""
    from privet.errors import UnknownColumn
    from privet.files import column_names, read_table
    from privet.mechanism.substitution import Substitution
    from privet.release.layout import MECHANISM
    from privet.release.opened import OpenedRelease

    if table.is_dir():
        folder = OpenedRelease.at(table)
        if mechanism is None and MECHANISM not in folder.manifest.files:
            raise UsageError(
                "The values of this release were not drawn at random: it has no mechanism.",
                f"`privet tree {table}/{folder.data_name} --target COLUMN` grows a tree from "
                "its records.",
            )
        mechanism = folder.folder if mechanism is None else mechanism
        table = folder.data_path
    if mechanism is None:
        raise UsageError(
            "A perturbed table is read with its mechanism.",
            "give --mechanism M.json, or the folder of a release instead of the table.",
        )
    done = Substitution.read(mechanism / MECHANISM if mechanism.is_dir() else mechanism)
    known = column_names(table)
    for name in done.columns:
        if name not in known:
            raise UnknownColumn(name, known, where="the mechanism")
    if target is not None and target not in known:
        raise UnknownColumn(target, known, where="--target")
    kinds = {d.column: d.shown.kind for block in done.blocks for d in block.domains}
    loaded = done.restored(read_table(table, kinds=kinds))
    try:
        done.refuse_undrawn(loaded)
    except UsageError as error:
        raise UsageError(
            f"{error.raw[0]} The table was not perturbed, or by another mechanism.",
            "give a table with the mechanism.json that was written beside it.",
        ) from None
    return loaded, done


def _quality(table: "Table", done: "Substitution") -> dict[str, dict[str, float | bool]]:
    import numpy as np

    from privet.substitution.estimate import quality

    return {
        block.name: quality(
            np.bincount(block.encode(table), minlength=block.matrix.size), block.matrix
        ).to_data()
        for block in done.blocks
    }
