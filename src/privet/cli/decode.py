"""`privet decode`: a party reads back what was mined from its masked columns."""

import json as json_text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.options import ForceOption, JsonOption, emit_json, write_text
from privet.cli.party import PassphraseOption, warn_if_open
from privet.cli.recode import refuse_existing_file
from privet.documents import check_regular, json_of, read_text
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.parties import Codebook, Decoded

_TABLES = (".csv", ".csv.gz", ".tsv", ".parquet", ".pq")


def decode(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help="model.json of `privet tree`, other JSON, a table of centres, or printed text.",
        ),
    ],
    codebook: Annotated[
        list[Path],
        typer.Option("--codebook", metavar="C", help="From `privet mask`; repeatable."),
    ],
    passphrase_file: PassphraseOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="F", help="Write the decoded result.")
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> int:
    """Decode a tree, rules or cluster centres; columns of other parties stay masked.

    Example: privet decode model.json --codebook codebook.json --out decoded.json
    """
    from privet.parties import Codebook
    from privet.parties.codebook import merged
    from privet.parties.secret_file import read_passphrase

    if out is not None:
        refuse_existing_file(out, force)
    passphrase = read_passphrase(passphrase_file)
    book = merged([Codebook.read(path, passphrase) for path in codebook])
    for path in codebook:
        warn_if_open(path)
    check_regular(result, "result")
    if _is_masked_table(result, book):
        _decode_table(result, book, out)
        return 0
    text = read_text(result, "result")
    is_json = result.suffix.lower() == ".json"
    data = json_of(text, f"result {result.name}") if is_json else None
    if isinstance(data, dict) and {"grower", "nodes"} <= data.keys():
        _decode_model(data, book, out, json, force)
        return 0
    _decode_other(text, data, book, out, force)
    return 0


def _decode_model(
    data: dict[str, Any], book: "Codebook", out: Path | None, json: bool, force: bool
) -> None:
    from privet.parties import decode_tree
    from privet.tree.exchange.model_file import from_data
    from privet.tree.exchange.pictures import draw_text

    decoded = decode_tree(from_data(data), book)
    if out is not None:
        write_text(out, _model_text(decoded), force=force)
    if json:
        emit_json(decoded.to_data())
        return
    typer.echo(draw_text(decoded.tree))
    lines = [*decoded.sentences(), *decoded.notes]
    if decoded.still_masked:
        lines.append(f"Still masked: {', '.join(decoded.still_masked)}.")
    if lines:
        typer.echo("\n" + "\n".join(lines))
    if out is not None:
        typer.echo(f"Wrote {out}.")


def _model_text(decoded: "Decoded") -> str:
    """model.json with one node a line, as Privet writes it, and what decoding adds."""
    from privet.tree.exchange.model_file import to_text

    whole = decoded.to_data()["decoded"]
    added = json_text.dumps(whole, ensure_ascii=False)
    return to_text(decoded.tree).rstrip()[:-1].rstrip() + f',\n "decoded": {added}\n}}\n'


def _is_masked_table(path: Path, book: "Codebook") -> bool:
    if not path.name.lower().endswith(_TABLES):
        return False
    from privet.files import column_names

    return any(name in book.by_masked_name() for name in column_names(path))


def _decode_table(path: Path, book: "Codebook", out: Path | None) -> None:
    from privet.files import csv_bytes, read_table, write_table
    from privet.parties import decode_table

    decoded = decode_table(read_table(path), book)
    if out is None:
        typer.echo(b"".join(csv_bytes(decoded)).decode("utf-8"), nl=False)
        return
    write_table(decoded, out)
    typer.echo(f"Wrote {out}.")


def _decode_other(text: str, data: Any, book: "Codebook", out: Path | None, force: bool) -> None:
    from privet.parties import decode_data, decode_text

    if data is None:
        decoded = decode_text(text, book)
        changed = decoded != text
    else:
        read = decode_data(data, book)
        changed = read != data
        decoded = json_text.dumps(read, ensure_ascii=False, indent=1) + "\n"
    if not changed:
        raise UsageError(
            "The codebook holds nothing of what is in this result.",
            "give the codebook of a party whose masked columns were mined.",
        )
    if out is None:
        typer.echo(decoded, nl=False)
        return
    write_text(out, decoded, force=force)
    typer.echo(f"Wrote {out}.")
