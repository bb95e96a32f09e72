"""`privet join`: the miner puts the parties' files together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.options import DryRunOption, ForceOption, JsonOption, flag, option
from privet.cli.saving import Files
from privet.cli.terminal import emit_json
from privet.documents import read_json
from privet.errors import InputError, UsageError

if TYPE_CHECKING:
    from privet.parties import Joined
    from privet.table import Value


def join(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES", help="Files that `privet mask` wrote.")
    ],
    *,
    out: Annotated[Path, option("--out", "F", "The joined table.")],
    stack: Annotated[
        bool, flag("--stack", "The same columns about different people: rows below rows.")
    ] = False,
    fill: Annotated[
        list[Path] | None,
        option(
            "--fill",
            "F.json",
            "Keep everybody; fill unknown cells by the owners' values; repeatable.",
        ),
    ] = None,
    keep_key: Annotated[
        bool, flag("--keep-key", "Keep the column privet_key in the result.")
    ] = False,
    where: EngineOptions,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Join masked files on the digest of their key.

    Only people whom every party knows are kept, unless the owners give values to fill in.

    Example: privet join hospital.parquet pharmacy.parquet insurer.parquet --out joined.parquet
    """
    from privet.files import refuse_format
    from privet.files.keyed import refuse_without_batches
    from privet.files.maskings import sidecar_of
    from privet.parties import join as join_files
    from privet.parties import stack as stack_files
    from privet.parties.receipts import receipt_path

    where.refuse_cluster("Joining")
    refuse_format(out)
    inputs = (*files, *map(receipt_path, files), *(fill or ()))
    places = Files((out, sidecar_of(out)), inputs, force, dry_run).checked()
    if stack and fill:
        raise UsageError("--fill is for joins, not for --stack.", "leave one of the two out.")
    values = _fill_values(fill) if fill else None
    with where.counting(*files):
        if keep_key:
            refuse_without_batches(out)
        joined = stack_files(files) if stack else join_files(files, values)
        if not len(joined.table.names):
            raise UsageError(
                "No party sends a column besides its key.", "there is nothing to join."
            )
        places.write({out: lambda made, path: joined.put(made, path, keep_key=keep_key)})
        _tell(joined, f"{places.wrote} {out}", json)
    return 0


def _fill_values(paths: list[Path]) -> "dict[str, Value]":
    values: dict[str, Any] = {}
    for path in paths:
        found = read_json(path, "file of fill values")
        if not isinstance(found, dict):
            raise InputError(
                f"{path.name} cannot be read as fill values.",
                "take the file that `privet mask --fill-out` wrote.",
            )
        values |= found
    return values


def _reasons(joined: "Joined") -> "list[dict[str, int]]":
    """For each party the keys that found no partner, by reason: others do not have them, or they
    could not serve at home, as its receipt counts."""
    reasons = []
    for unmatched, receipt in zip(joined.unmatched, joined.receipts, strict=True):
        left_out = dict(receipt.left_out) if receipt else {}
        reasons.append({"unknown_to_others": unmatched, **left_out})
    return reasons


def _tell(joined: "Joined", wrote: str, json: bool) -> None:
    from privet.parties.receipts import REASONS

    rows = len(joined.table)
    reasons = _reasons(joined)
    checked = [receipt is not None for receipt in joined.receipts]
    if json:
        parties = zip(joined.parties, joined.rows, joined.unmatched, reasons, checked, strict=True)
        emit_json(
            {
                "rows": rows,
                "columns": list(joined.table),
                "parties": [
                    {
                        "party": p,
                        "rows": n,
                        "unmatched": u,
                        "filled": joined.filled.get(p, 0),
                        "keys": by_reason,
                        "receipt": known,
                    }
                    for p, n, u, by_reason, known in parties
                ],
            }
        )
        return
    for party, sent, unmatched in zip(joined.parties, joined.rows, joined.unmatched, strict=True):
        typer.echo(f"{party}: {sent:,} rows, {unmatched:,} not known to all parties.")
    for party, by_reason, known in zip(joined.parties, reasons, checked, strict=True):
        if not known:
            typer.echo(
                f"{party} sent no receipt: nobody can tell whether its file is the one sent."
            )
        elif any(by_reason[reason] for reason in REASONS):
            why = ", ".join(f"{by_reason[r]:,} {r}" for r in REASONS if by_reason[r])
            typer.echo(f"{party} left rows out, because their key cannot serve: {why}.")
    for party, n in joined.filled.items():
        typer.echo(f"Filled the columns of {party} in {n:,} rows; `filled_{party}` says which.")
    typer.echo(f"{wrote}: {rows:,} rows, {len(joined.table.names)} columns.")
