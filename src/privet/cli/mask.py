"""`privet mask`: a party masks its table at home."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import AliasOrder, MaskMode
from privet.cli.engine_options import EngineOptions
from privet.cli.loading import names
from privet.cli.options import (
    CategoryOption,
    DropOption,
    DryRunOption,
    ForceOption,
    JsonOption,
    MissingOption,
    TableArgument,
    flag,
    option,
    values_by_column,
)
from privet.cli.party import PassphraseOption, warn_if_open
from privet.cli.terminal import emit_json
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.parties import Masked

_MOST_DIGITS = 18


def mask(
    table: TableArgument,
    *,
    key: Annotated[str, option("--key", "COLUMN", "The join key: one row for each person.")],
    project_key: Annotated[Path, option("--project-key", "K", "From `privet party init`.")],
    out: Annotated[
        Path,
        option("--out", "F", "The file to send to the miner, with its receipt F.receipt.json."),
    ],
    sensitive: Annotated[
        list[str] | None,
        option("--sensitive", "COLUMNS", "Columns to mask: a,b; repeatable. None: all in clear."),
    ] = None,
    codebook: Annotated[
        Path | None,
        option("--codebook", "C", "The secret, mode 0600: written, or used again where it exists."),
    ] = None,
    party: Annotated[
        str | None,
        option("--party", "NAME", "Your name in the receipt; the name of the file without it."),
    ] = None,
    leave_out_keys: Annotated[
        bool,
        flag(
            "--leave-out-keys",
            "Leave out rows whose key is missing or not unique; the receipt counts them.",
        ),
    ] = False,
    bounds: Annotated[
        list[str] | None,
        option(
            "--bounds",
            "COLUMN=B",
            "Bounds of a number column, age=17,25,..,97, or a number of equal groups, age=8; "
            "repeatable. Without: groups drawn at random.",
        ),
    ] = None,
    mode: Annotated[
        MaskMode, option("--mode", "MODE", "exact, or paper (0.999 at upper bounds).")
    ] = "exact",
    homophones: Annotated[
        list[str] | None,
        option(
            "--homophones",
            "COLUMN=N",
            "N aliases in all for a category column, more for frequent values; repeatable.",
        ),
    ] = None,
    aliases: Annotated[
        AliasOrder,
        option(
            "--aliases",
            "ORDER",
            "random, or sorted like the labels: ties then fall as in the original, but who "
            "knows the list of values knows the aliases.",
        ),
    ] = "random",
    extend: Annotated[
        bool, flag("--extend", "Add values that an existing codebook lacks.")
    ] = False,
    key_kind: Annotated[
        str | None,
        option("--key-kind", "KIND", "Read the key as integer, category (text) or date."),
    ] = None,
    fill_out: Annotated[
        Path | None, option("--fill-out", "F.json", "Write values for rows that you do not know.")
    ] = None,
    drop: DropOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    passphrase_file: PassphraseOption = None,
    where: EngineOptions,
    seed: Annotated[
        int | None,
        option("--seed", "N", "Repeatable masks; the seed is as secret as the codebook."),
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Mask the sensitive columns of a table and hide its join key.

    The file is for the miner, the codebook never leaves the house. A party with nothing sensitive
    gives neither --sensitive nor --codebook.

    Example: privet mask visits.csv --key patient_id --sensitive age,diagnosis
    --codebook codebook.json --project-key project.key --out sent.parquet
    """
    from privet.cli.mask_reading import read_with_keys
    from privet.files import refuse_format
    from privet.files.keyed import refuse_without_batches
    from privet.files.maskings import sidecar_of
    from privet.parties import Codebook, ProjectKey
    from privet.parties import mask as mask_table
    from privet.parties.receipts import receipt_path
    from privet.parties.secret_file import read_passphrase

    where.refuse_cluster("Masking")
    _refuse_half_a_mask(names(sensitive), codebook)
    is_known = codebook is not None and codebook.exists()
    inputs = [path for path in (table, project_key, passphrase_file) if path is not None]
    refuse_format(out)
    outs = [out, sidecar_of(out), receipt_path(out), fill_out]
    _check_places(outs, codebook, not is_known or extend, inputs, force)
    passphrase = read_passphrase(passphrase_file)
    shared = ProjectKey.read(project_key, passphrase)
    known = Codebook.read(codebook, passphrase) if codebook and is_known else None
    for path in filter(None, [project_key, codebook if known else None]):
        warn_if_open(path)
    groups = values_by_column("--bounds", bounds)
    sizes = {
        name: _whole("--homophones", n)
        for name, n in values_by_column("--homophones", homophones).items()
    }
    renewed = codebook if known is None or extend else None
    with where.counting(table):
        refuse_without_batches(out)
        loaded, keys = read_with_keys(
            table, key, key_kind, names(sensitive), names(drop), missing, category, known,
            as_codes=leave_out_keys,
        )  # fmt: skip
        masked = mask_table(
            loaded,
            key=key,
            keys=keys,
            sensitive=names(sensitive),
            project_key=shared,
            codebook=known,
            extend=extend,
            bounds=groups,
            mode=mode,
            homophones=sizes,
            kept_order=aliases == "sorted",
            leave_out_keys=leave_out_keys,
            seed=seed,
        )
        if not dry_run:
            _write(masked, (out, party), renewed, passphrase, fill_out, inputs, force)
        _tell(masked, out, codebook, renewed is not None, json)
    if dry_run and not json:
        typer.echo("Dry run, nothing written.")
    return 0


def _refuse_half_a_mask(sensitive: list[str], codebook: Path | None) -> None:
    """Masks and a codebook come together, or neither does."""
    if codebook is None and sensitive:
        raise UsageError(
            "Masked columns need a codebook, or nobody could decode them.",
            "give --codebook FILE; it stays with you.",
        )
    if codebook is not None and not sensitive:
        raise UsageError(
            "No sensitive column is named.",
            "give --sensitive COLUMNS; or leave out --codebook, if all may be sent in clear.",
        )


def _whole(option: str, text: str) -> int:
    if not text.strip().isdecimal() or len(text) > _MOST_DIGITS:
        raise UsageError(
            f"{option} must give a whole number of at most {_MOST_DIGITS} digits.",
            f"write {option} COLUMN=64.",
        )
    return int(text)


def _check_places(
    outs: "list[Path | None]",
    codebook: Path | None,
    writes_codebook: bool,
    inputs: list[Path],
    force: bool,
) -> None:
    """Before the work: no output is an input or another output, and each can be written."""
    from privet.files.places import check_output, keep_apart, refuse_inputs

    keep_apart(codebook, *outs)
    secrets = [] if codebook is None else [codebook]
    for place in filter(None, outs):
        refuse_inputs(place, [*secrets, *inputs])
        check_output(place, force=force)
    for secret in secrets:
        refuse_inputs(secret, inputs)
        if writes_codebook:
            check_output(secret, force=True)


def _write(
    masked: "Masked",
    sent: tuple[Path, str | None],
    codebook: Path | None,
    passphrase: str | None,
    fill_out: Path | None,
    inputs: list[Path],
    force: bool,
) -> None:
    """All files or none: what is sent is of no use without its codebook."""
    from json import dumps

    from privet.files.outputs import outputs

    with outputs(inputs=inputs, force=force) as places:
        if codebook is not None:
            text = masked.codebook.to_text(passphrase)
            places.file(codebook, secret=True, renew=True).write_text(text, encoding="utf-8")
        out, party = sent
        masked.put(places, out, party)
        if fill_out is not None:
            text = dumps(masked.fill, ensure_ascii=False, indent=1) + "\n"
            places.file(fill_out).write_text(text, encoding="utf-8")


def _tell(masked: "Masked", out: Path, codebook: Path | None, written: bool, json: bool) -> None:
    from privet.parties.mask import WARNING
    from privet.parties.receipts import receipt_path

    in_clear = [n for n in masked.table if n not in masked.codebook.by_masked_name()]
    if json:
        told: dict[str, Any] = {"rows": len(masked.digests), "columns": masked.about}
        told |= {"left_out": masked.left_out, "receipt": str(receipt_path(out))}
        emit_json({**told, "in_clear": in_clear, "warning": WARNING})
        return
    for entry in masked.about:
        typer.echo(f"{entry['column']} -> {entry['masked']}: {_in_words(entry)}")
        if entry.get("whole_steps"):
            typer.echo(
                f"Note: {entry['masked']} keeps the steps of {entry['column']}: who knows the "
                "lowest value, or one person, knows all of it."
            )
        if not entry.get("same_sort", True):
            typer.echo(
                f"Note: with these bounds a miner may take {entry['masked']} for numbers where "
                f"{entry['column']} is classes, or the other way round, and grow another tree of "
                "it. If it is the response, leave out its --bounds, or agree on --impurity."
            )
    typer.echo(f"In clear: {', '.join(in_clear) or 'nothing'}.")
    typer.echo(f"{len(masked.digests):,} rows to {out}, sorted by the digest of their key.")
    if any(masked.left_out.values()):
        why = ", ".join(f"{n:,} {reason}" for reason, n in masked.left_out.items() if n)
        typer.echo(f"Left out, because their key cannot serve: {why}.")
    typer.echo(f"Send {receipt_path(out).name} along: it says what was sent, and no cell of it.")
    if codebook is None:
        typer.echo("Nothing is masked, so there is no codebook; the key alone is hidden.")
        return
    verb = "Wrote" if written else "Used"
    typer.echo(f"{verb} the codebook {codebook}: keep it, and never send it.")
    typer.echo(WARNING)


def _in_words(entry: dict[str, Any]) -> str:
    if "values" in entry:
        return f"{entry['aliases']} {'aliases' if entry['method'] == 'aliases' else 'homophones'}"
    related = entry["correlation"]
    said = "" if related is None else f", correlation {related:.6f}"
    shape = "equal groups" if entry["affine"] else "groups"
    return f"{entry['method']}, {entry['groups']} {shape}{said}"
