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

from privet.cli.options import (
    CategoryOption,
    ForceOption,
    MissingOption,
    SchemaOption,
    load,
    read_schema,
    write_text,
)
from privet.errors import PrivetError, UsageError

if TYPE_CHECKING:
    from privet.table import Table
    from privet.tree import Tree

MODELS_READ = (".json", ".pmml", ".xml")
MODELS_WRITTEN = (".json", ".pmml", ".dot", ".txt", ".png", ".svg", ".pdf")


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A table, or a tree: model.json, .pmml or .xml."),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="A table: .csv, .tsv, .txt, .parquet, .arff, .sav or .dta; "
            "or a tree: .json, .pmml, .dot, .txt, .png, .svg or .pdf.",
        ),
    ],
    missing: MissingOption = None,
    category: CategoryOption = None,
    schema: SchemaOption = None,
    force: ForceOption = False,
) -> None:
    """Convert a table or a tree into another format, by the ends of the names.

    What the new format cannot hold is told.

    Example: privet convert patients.sav patients.parquet
    """
    if out.exists() and not force:
        raise UsageError(f"The file {out} exists already.", "give --force to overwrite it.")
    with _notes():
        if source.suffix.lower() in MODELS_READ:
            tree = _read_tree(source)
            _write_tree(tree, out, force)
            count = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
            typer.echo(f"Wrote {out}: a tree of {count}.")
            return
        from privet.files import write_table
        from privet.files.maskings import maskings_of

        table = load(source, missing=missing, category=category, schema=read_schema(schema))
        write_table(table, out, maskings=maskings_of(source))
        typer.echo(f"Wrote {out}: {table.n_rows:,} rows, {len(table.names)} columns.")
        for note in _differences(table, out):
            warnings.warn(note, stacklevel=1)


@contextmanager
def _notes() -> Iterator[None]:
    """Warnings as notes on the error stream, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            told = (str(w.message) for w in caught if issubclass(w.category, UserWarning))
            for text in dict.fromkeys(told):
                typer.echo(f"Note: {text}", err=True)


def _read_tree(path: Path) -> "Tree":
    from privet.tree.exchange.model_file import read_model
    from privet.tree.exchange.pmml_read import read_pmml

    return read_model(path) if path.suffix.lower() == ".json" else read_pmml(path)


def _write_tree(tree: "Tree", path: Path, force: bool) -> None:
    from privet.tree.exchange.dot import to_dot
    from privet.tree.exchange.model_file import to_text
    from privet.tree.exchange.pictures import draw_picture, draw_text
    from privet.tree.exchange.pmml_write import to_pmml

    match path.suffix.lower():
        case ".json":
            write_text(path, to_text(tree), force=force)
        case ".pmml":
            write_text(path, to_pmml(tree), force=force)
        case ".dot":
            write_text(path, to_dot(tree), force=force)
        case ".txt":
            write_text(path, draw_text(tree) + "\n", force=force)
        case ".png" | ".svg" | ".pdf":
            draw_picture(tree, path)
        case _:
            raise UsageError(
                f"A tree cannot be written as {path.name}.",
                f"trees are written as {', '.join(MODELS_WRITTEN)}.",
            )


def _differences(table: "Table", path: Path) -> Iterator[str]:
    """What is not the same when the file is read again, without a schema."""
    import numpy as np

    from privet.files import read_table

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = read_table(path)
    except PrivetError as error:
        yield f"Without a schema the file cannot be read again: {error.message}"
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
