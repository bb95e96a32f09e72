"""`privet decode`: a party reads back what was mined from its masked columns.

A result is a tree (model.json, PMML), other JSON, a table or printed text; the way is chosen by the
file. Decoded results hold values of the owner's column, so they are written for the owner alone.
Exit status 1 says that a column of the codebook could not be decoded and stays masked.
"""

import json as json_text
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.notes import gathered
from privet.cli.options import DryRunOption, ForceOption, JsonOption, flag, option
from privet.cli.party import PassphraseOption, warn_if_open
from privet.cli.saving import Files
from privet.cli.terminal import emit_json
from privet.documents import check_regular, json_of, read_text
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.parties import Codebook, Decoded, Outcome
    from privet.table import Table
    from privet.tree import Tree

_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq", ".arff", ".sav", ".dta")
_PMML = (".pmml", ".xml")
_MOST_DEPTH = 128  # of JSON: trees of other programs are nested
STILL_MASKED = 1


def decode(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help="model.json or PMML of a tree, other JSON, a table of centres, or printed text.",
        ),
    ],
    codebook: Annotated[list[Path], option("--codebook", "C", "From `privet mask`; repeatable.")],
    mined: Annotated[
        Path | None,
        option(
            "--for",
            "TABLE",
            "The table that was mined: it says to which codebooks the result belongs.",
        ),
    ] = None,
    unchecked: Annotated[
        bool,
        flag("--unchecked", "You know that codebook and result belong together; nobody checks."),
    ] = False,
    numbers: Annotated[
        str,
        option(
            "--numbers",
            "WHAT",
            "What numbers under the name of a column are, in tables and JSON that do not say "
            "it: values, or means (centres of clusters).",
        ),
    ] = "values",
    passphrase_file: PassphraseOption = None,
    out: Annotated[
        Path | None, option("--out", "F", "Write the decoded result, for you alone.")
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Decode a tree, rules or cluster centres; columns of other parties stay masked.

    A name loses its mask only where every number and label that belongs to it was decoded.

    Example: privet decode model.json --codebook codebook.json --out decoded.json
    """
    from privet.files.maskings import maskings_of, united
    from privet.parties import Codebook
    from privet.parties.codebook import merged
    from privet.parties.secret_file import read_passphrase

    inputs = (result, *codebook, mined, passphrase_file)
    files = Files((out,), inputs, force, dry_run, secret=True).checked()
    passphrase = read_passphrase(passphrase_file)
    books = [Codebook.read(path, passphrase) for path in codebook]
    for path in codebook:
        warn_if_open(path)
    check_regular(result, "result")
    known = maskings_of(mined) if mined is not None else ()
    if mined is not None and not known:
        raise UsageError(
            f"{mined.name} does not say to which maskings it belongs.",
            "name the file that `privet mask` or `privet join` wrote, with NAME.privet.json beside "
            "it if it is no Parquet file; or give --unchecked.",
        )
    ask = _Asked(result, merged(books), known, unchecked, numbers, out, json, files)
    if result.name.lower().endswith(_TABLES) and ask.holds_some():
        ask = ask.with_maskings(united([maskings_of(result), known]))
        return _decode_table(ask)
    if result.suffix.lower() in _PMML:
        return _decode_pmml(ask)
    text = read_text(result, "result")
    if result.suffix.lower() != ".json":
        return _decode_text(ask, text)
    data = json_of(text, f"result {result.name}", most_depth=_MOST_DEPTH)
    if isinstance(data, dict) and {"grower", "nodes"} <= data.keys():
        from privet.tree.exchange.model_file import models_of

        return _decode_trees(ask, models_of(data), 0.0, [])
    return _decode_json(ask, data)


@dataclass(frozen=True)
class _Asked:
    """What was asked for, and what is known of the result."""

    result: Path
    book: "Codebook"
    maskings: tuple[str, ...]
    unchecked: bool
    numbers: str
    out: Path | None
    json: bool
    files: Files

    def with_maskings(self, maskings: tuple[str, ...]) -> "_Asked":
        from dataclasses import replace

        return replace(self, maskings=maskings)

    def holds_some(self) -> bool:
        """Whether a table has columns of the codebook."""
        from privet.files import column_names

        return any(name in self.book.by_masked_name() for name in column_names(self.result))

    @property
    def check(self) -> dict[str, Any]:
        return {"maskings": self.maskings, "unchecked": self.unchecked}

    def write(self, text: str) -> None:
        self.files.write({self.out: text})


# -- trees -----------------------------------------------------------------------------------------


def _decode_pmml(ask: _Asked) -> int:
    from privet.parties.meanings import FLOAT32
    from privet.tree.exchange.pmml_read import is_our_own, read_pmml

    with gathered() as notes:
        tree = read_pmml(ask.result)
    return _decode_trees(ask, [tree], 0.0 if is_our_own(ask.result) else FLOAT32, notes)


def _decode_trees(ask: _Asked, trees: "Sequence[Tree]", slack: float, notes: list[str]) -> int:
    """The trees of one model, which a table may keep together."""
    from privet.tree.exchange.pictures import draw_text

    every = _decoded(ask, trees, slack)
    if ask.out is not None:
        ask.write(_model_text(every, ask.out))
    first, *more = every
    if ask.json:
        emit_json({**first.to_data(), "more_trees": [decoded.to_data() for decoded in more]})
    else:
        for place, decoded in enumerate(every):
            typer.echo("\n" * bool(place) + draw_text(decoded.tree))
            if decoded.cuts:
                typer.echo("\n" + "\n".join(decoded.sentences()))
        _say_written(ask)
    undecoded = dict.fromkeys((name for decoded in every for name in decoded.undecoded), "")
    still = sorted({name for decoded in every for name in decoded.still_masked})
    said = dict.fromkeys(note for decoded in every for note in decoded.notes)
    others = [name for name in still if name not in undecoded]
    return _tell(ask, undecoded, others, [*notes, *said])


def _decoded(ask: _Asked, trees: "Sequence[Tree]", slack: float) -> "list[Decoded]":
    """Each tree decoded; one that has only columns of others stays as it is."""
    from privet.parties import decode_tree
    from privet.parties.decode_tree import as_it_is, has_some_of

    ours = [has_some_of(tree, ask.book) for tree in trees]
    return [
        decode_tree(tree, ask.book, **ask.check, slack=slack)
        if has_some or not any(ours)  # then it says so
        else as_it_is(tree)
        for tree, has_some in zip(trees, ours, strict=True)
    ]


def _model_text(every: "Sequence[Decoded]", out: Path) -> str:
    """PMML, or model.json with one node a line, as Privet writes it, and what decoding adds."""
    from privet.tree.exchange.model_file import to_text
    from privet.tree.exchange.pmml_write import to_pmml

    if out.suffix.lower() in _PMML:
        if len(every) > 1:
            raise UsageError(
                f"The model holds {len(every)} trees, and a PMML file one.",
                "give --out decoded.json.",
            )
        return to_pmml(every[0].tree)
    about, *more = (decoded.to_data()["decoded"] for decoded in every)
    added = json_text.dumps({**about, **({"more_trees": more} if more else {})}, ensure_ascii=False)
    text = to_text(*(decoded.tree for decoded in every))
    return text.rstrip()[:-1].rstrip() + f',\n "decoded": {added}\n}}\n'


# -- everything else -------------------------------------------------------------------------------


def _decode_table(ask: _Asked) -> int:
    from privet.files import csv_bytes, read_table, refuse_format, write_into
    from privet.parties import decode_table

    if ask.out is not None:
        refuse_format(ask.out)
    table = read_table(ask.result)
    decoded = decode_table(table, ask.book, **ask.check, numbers=_meaning(ask.numbers))
    ask.files.write(
        {ask.out: lambda made, path: write_into(decoded.result, made.file(path, secret=True))}
    )
    if ask.json:
        emit_json({"result": _cells(decoded.result), **decoded.to_data()})
    elif ask.out is None:
        typer.echo(b"".join(csv_bytes(decoded.result)).decode("utf-8"), nl=False)
    else:
        _say_written(ask)
    return _tell(ask, decoded.undecoded, decoded.of_others, decoded.remarks)


def _cells(table: "Table") -> dict[str, list[Any]]:
    """A table as JSON holds it: the cells of each column; dates are ISO texts."""
    return {
        name: [table[name].domain.value(code) for code in table[name].codes.tolist()]
        for name in table
    }


def _decode_text(ask: _Asked, text: str) -> int:
    from privet.parties import decode_text

    decoded = decode_text(text, ask.book, **ask.check)
    return _hand_out(ask, decoded, decoded.result, decoded.result != text)


def _decode_json(ask: _Asked, data: Any) -> int:
    from privet.parties import decode_data

    decoded = decode_data(data, ask.book, **ask.check, numbers=_meaning(ask.numbers))
    text = json_text.dumps(decoded.result, ensure_ascii=False, indent=1) + "\n"
    return _hand_out(ask, decoded, text, decoded.result != data)


def _meaning(given: str) -> str:
    from privet.errors import InvalidParameter
    from privet.parties.meanings import GIVEN

    if given not in GIVEN:
        raise InvalidParameter("--numbers", "one of " + ", ".join(GIVEN), given)
    return given


def _hand_out(ask: _Asked, decoded: "Outcome[Any]", text: str, changed: bool) -> int:
    if not changed and not decoded.undecoded:
        raise UsageError(
            "The codebook holds nothing of what is in this result.",
            "give the codebook of a party whose masked columns were mined.",
        )
    ask.write(text)
    if ask.json:
        emit_json({"result": decoded.result, **decoded.to_data()})
    elif ask.out is None:
        typer.echo(text, nl=False)
    else:
        _say_written(ask)
    return _tell(ask, decoded.undecoded, decoded.of_others, decoded.remarks)


# -- what is told ----------------------------------------------------------------------------------


def _say_written(ask: _Asked) -> None:
    if ask.out is not None:
        typer.echo(f"{ask.files.wrote} {ask.out}, readable by you alone.")


def _tell(
    ask: _Asked, undecoded: dict[str, str], others: Sequence[str], remarks: Sequence[str]
) -> int:
    """Remarks and what is still masked, on the error stream; the exit status."""
    if ask.unchecked and not ask.maskings:
        typer.echo("Note: nobody checked that codebook and result belong together.", err=True)
    for remark in remarks:
        typer.echo(f"Note: {remark}", err=True)
    if others:
        typer.echo(f"Still masked, of other parties: {', '.join(others)}.", err=True)
    for name, why in undecoded.items():
        typer.echo(f"Still masked: {name}{f' ({why})' if why else ''}.", err=True)
    return STILL_MASKED if undecoded else 0
