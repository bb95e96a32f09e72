"""`privet schema`: a schema proposed for a table, for a person to edit."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.loading import load
from privet.cli.options import (
    CategoryOption,
    DryRunOption,
    ForceOption,
    JsonOption,
    MissingOption,
    TableArgument,
    option,
)
from privet.cli.saving import Files
from privet.cli.terminal import emit_json

if TYPE_CHECKING:
    from privet.proposal import Proposal

_WIDEST = 28


def schema(
    table: TableArgument,
    out: Annotated[Path | None, option("--out", "F.toml", "Write the schema to this file.")] = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Propose a schema: kinds, likely identifiers, remarks; and show what each column holds.

    The table of columns shows the lowest and highest values: it is for your eyes. The schema file
    holds counts alone.

    Example: privet schema patients.csv --missing '?' --out patients.toml
    """
    from privet.proposal import propose

    files = Files((out,), (table,), force, dry_run).checked()
    found = load(table, missing=missing, category=category, mixed=True)
    proposal = propose(found, missing or ())
    files.write({out: proposal.to_toml()})
    if json:
        emit_json(_data(proposal))
    elif out is None:
        # What goes into a file or another program is the schema alone.
        if sys.stdout and sys.stdout.isatty():
            typer.echo("\n".join(_shown(proposal)), err=True)
        typer.echo(proposal.to_toml(), nl=False)
    else:
        typer.echo("\n".join(_shown(proposal)))
        typer.echo(
            f"{files.wrote} {out}: {len(proposal.schema.columns)} columns. Edit it, then use it."
        )


def _data(proposal: "Proposal") -> dict[str, Any]:
    columns = proposal.schema.to_dict()["columns"]
    for name, entry in columns.items():
        look = proposal.looks[name]
        entry |= {"distinct": look.distinct, "missing": look.missing, "why": look.why}
        if look.range is not None:
            entry |= {"lowest": look.range[0], "highest": look.range[1]}
        entry["remarks"] = list(proposal.remarks.get(name, ()))
    return {"missing": list(proposal.schema.missing), "columns": columns}


def _shown(proposal: "Proposal") -> list[str]:
    """The columns as a table, each with its remarks below."""
    rows = [("column", "kind", "role", "values", "missing", "range", "why")]
    for column in proposal.schema:
        look = proposal.looks[column.name]
        counts = f"{look.distinct:,}", f"{look.missing:,}" if look.missing else "-"
        ends = "-" if look.range is None else " to ".join(map(_short, look.range))
        why = look.why.partition(" because ")[2]
        rows.append((_short(column.name), str(column.kind), str(column.role), *counts, ends, why))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
        if number:
            name = proposal.schema.columns[number - 1].name
            lines += [f"    {remark}" for remark in proposal.remarks.get(name, ())]
    return [*lines, ""]


def _short(text: str) -> str:
    """A text that fits into a column and does nothing to the terminal."""
    plain = "".join(mark if mark.isprintable() else "?" for mark in text)
    return plain if len(plain) <= _WIDEST else plain[: _WIDEST - 3] + "..."
