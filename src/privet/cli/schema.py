"""`privet schema`: a schema proposed for a table, for a person to edit."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import (
    CategoryOption,
    ForceOption,
    JsonOption,
    MissingOption,
    TableArgument,
    emit_json,
    load,
    write_text,
)


def schema(
    table: TableArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="F.toml", help="Write the schema to this file."),
    ] = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Propose a schema: kinds, likely identifiers, remarks.

    Example: privet schema patients.csv --missing '?' --out patients.toml
    """
    from privet.propose import propose

    proposal = propose(load(table, missing=missing, category=category), missing or ())
    if out is not None:
        write_text(out, proposal.to_toml(), force=force)
    if json:
        columns = proposal.schema.to_dict()["columns"]
        for name, entry in columns.items():
            entry["remarks"] = list(proposal.remarks.get(name, ()))
        emit_json({"missing": list(proposal.schema.missing), "columns": columns})
    elif out is None:
        typer.echo(proposal.to_toml(), nl=False)
    else:
        typer.echo(f"Wrote {out}: {len(proposal.schema.columns)} columns. Edit it, then use it.")
