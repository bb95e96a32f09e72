"""`privet convert`: tables and trees from one format into another.

The formats are told by the ends of the names. What the new file cannot hold is said: by those who
write it, and because the file is read once more and compared.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.loading import load_as, read_schema
from privet.cli.notes import gathered
from privet.cli.options import DryRunOption, ForceOption, ReadingOptions, flag
from privet.cli.saving import Files, as_table_file
from privet.errors import Loss, PrivetError, in_options
from privet.words import count

if TYPE_CHECKING:
    from privet.table import Table


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A table, or a tree: model.json, .pmml or .xml."),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="A table: .csv, .tsv, .txt, .parquet, .arff, .sav, .dta or .xlsx; "
            "or a tree: .json, .pmml, .dot, .txt, .png, .svg or .pdf.",
        ),
    ],
    *,
    reading: ReadingOptions,
    safe_cells: Annotated[
        bool, flag("--safe-cells", "An apostrophe before texts that a spreadsheet would run.")
    ] = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Convert a table or a tree into another format, by the ends of the names.

    What the new format cannot hold is reported.

    Example: privet convert patients.sav patients.parquet
    """
    from privet.tree.exchange.read import is_tree_file

    if is_tree_file(source):
        _convert_tree(source, out, force, dry_run)
        return
    from privet.files import refuse_format
    from privet.files.maskings import maskings_of, sidecar_of

    refuse_format(out)
    maskings = maskings_of(source)
    beside = sidecar_of(out) if maskings else None
    files = Files((out, beside), (source, reading.schema), force, dry_run).checked()
    with _notes():
        table = load_as(source, reading, read_schema(reading.schema))
        if safe_cells:
            from privet.files.safe_cells import with_safe_cells

            table = with_safe_cells(table)
        files.write({out: as_table_file(table, maskings)})
        typer.echo(f"{files.wrote} {out}: {table.n_rows:,} rows, {len(table.names)} columns.")
        if not dry_run:
            for note in _differences(table, out):
                warnings.warn(note, Loss, stacklevel=1)


def _convert_tree(source: Path, out: Path, force: bool, dry_run: bool) -> None:
    from privet.tree.exchange.read import read_tree
    from privet.tree.exchange.write import refuse_tree_format, tree_bytes

    refuse_tree_format(out)
    files = Files((out,), (source,), force, dry_run).checked()
    with _notes():
        tree = read_tree(source)
        files.write({out: tree_bytes(tree, out)})
    leaves = count(tree.n_leaves, "leaf", "leaves")
    typer.echo(f"{files.wrote} {out}: a tree of {leaves}.")


@contextmanager
def _notes() -> Iterator[None]:
    """What is left out, as notes on the error stream; said even where the command then fails."""
    notes: list[str] = []
    try:
        with gathered() as notes:
            yield
    finally:
        for text in notes:
            typer.echo(f"Note: {text}", err=True)


def _differences(table: "Table", path: Path) -> Iterator[str]:
    """What is not the same when the file is read again, without a schema."""
    import numpy as np

    from privet.files import read_table

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = read_table(path)
    except PrivetError as error:
        yield f"Without a schema the file cannot be read again: {in_options(error.raw[0])}"
        return
    for name, other in zip(table, again, strict=True):
        old, new = table[name], again[other]
        if old.domain.kind is not new.domain.kind:
            yield (
                f"Column '{name}' is of kind {old.domain.kind}; read without a schema, "
                f"the file says {new.domain.kind}."
            )
        elif old.domain != new.domain or not np.array_equal(old.codes, new.codes):
            yield f"Column '{name}' does not come back cell for cell."
