"""Masking at home: what a party sends, and the codebook that it keeps.

Numbers are graded (`grading`), categories get aliases (`aliases`), the join key becomes a digest
(`keys`), and rows are sorted by digest, so that their order says nothing. Masking a column edits
its domain: it costs what the distinct values cost. Missing cells stay missing. A table on disk is
sorted and masked some rows at a time (`key_order`).
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.arrays import Digests
from privet.errors import UnknownColumn, UsageError, either, param
from privet.files import as_table
from privet.files.keyed import KEY, write_keyed
from privet.files.losses import refused
from privet.files.maskings import write_sidecar
from privet.files.outputs import Outputs, outputs
from privet.files.row_batches import with_present_values
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.codebook import Codebook, new_identity
from privet.parties.column_masks import Bounds, Choices, mask_for, masked_column
from privet.parties.fill_values import about_mask, masked_usual_value, usual_value
from privet.parties.grading import Mode
from privet.parties.key_order import rows_in_order
from privet.parties.keys import ProjectKey, kind_of_keys
from privet.parties.number_mask import PREFIX
from privet.parties.receipts import Receipt, digest_of, receipt_path
from privet.parties.secret_file import Secret
from privet.randomness import generator
from privet.release.release import today
from privet.roles import listed
from privet.schema import Kind
from privet.table import Coded, Table, Value

WARNING = (
    "This is pseudonymisation, not anonymity: whoever knows how often the values of a masked "
    "column occur, or a few of the people, can read much of it back."
)


@dataclass(frozen=True, eq=False, repr=False)
class Masked(Secret):
    """What is sent (`digests`, `table`) and what is not (`codebook`, `about`)."""

    digests: Digests
    table: Table
    codebook: Codebook
    fill: dict[str, Value]
    about: list[dict[str, Any]]
    key_kind: str
    left_out: dict[str, int]  # rows whose key could not serve, by reason

    def __repr__(self) -> str:
        return f"<Masked: {len(self.digests):,} rows, {len(self.table.names)} columns>"

    @property
    def maskings(self) -> tuple[str, ...]:
        """The identity that travels with what is sent."""
        return self.codebook.identities

    def write(self, path: Path) -> None:
        """Write what is sent; a file that exists is replaced."""
        with outputs(force=True) as out:
            self.put(out, Path(path))

    def put(self, out: Outputs, path: Path, party: str | None = None) -> None:
        """Write what is sent as one of several outputs, with its receipt."""
        written = out.file(path)
        with refused(path):
            write_keyed(written, self.digests, self.table, self.maskings)
        write_sidecar(out, path, written, self.maskings)
        receipt = Receipt(
            party or path.name.partition(".")[0],
            today(),
            len(self.digests),
            self.table.names,
            self.maskings[0] if self.maskings else None,
            self.key_kind,
            digest_of(written),
            self.left_out,
        )
        out.file(receipt_path(path)).write_text(receipt.to_text(), encoding="utf-8")


def mask(
    table: Any,
    *,
    key: str,
    sensitive: str | Iterable[str] = (),
    project_key: ProjectKey,
    keys: Any = None,
    leave_out_keys: bool = False,
    codebook: Codebook | None = None,
    extend: bool = False,
    bounds: Mapping[str, Bounds] | None = None,
    mode: Mode = "exact",
    homophones: Mapping[str, int] | None = None,
    kept_order: bool = False,
    seed: int | None = None,
) -> Masked:
    """Mask the sensitive columns of a table and replace its key by digests.

    With a `codebook` the columns are masked by it, as parties with the same columns need; values
    that it does not know are refused, or added with `extend`. A party with nothing sensitive sends
    its columns as they are, and has no codebook to keep. Rows whose key is missing or not unique
    are refused, or left out and counted with `leave_out_keys`. `keys` are those of
    `privet.files.keyed.read_keys`, for a table that was read without its key.

    >>> key = privet.ProjectKey.new("asthma")
    >>> table = privet.table_of({"id": ["a", "b", "c"], "age": [30, 40, 50]})
    >>> masked = privet.mask(table, key="id", sensitive=["age"], project_key=key)
    >>> masked.table.names
    ('H_age',)
    """
    table = as_table(table)
    names = list(dict.fromkeys(listed(sensitive)))
    choices = Choices(bounds or {}, mode, homophones or {}, kept_order, seed)
    _check(table, key if keys is None else None, names, choices)
    if codebook is not None:
        _check_codebook(codebook, names, project_key, choices)
    key_kind = kind_of_keys(table[key] if keys is None else keys)
    in_file = table.names
    in_order = rows_in_order(table, key, keys, project_key, leave_out_keys)
    table = in_order.table
    texts = {*in_file, *(_texts_of(table) if names else ())}
    columns: dict[str, Coded] = {}
    masks: dict[str, ColumnMask] = dict(codebook.columns) if codebook else {}
    about = []
    fill: dict[str, Value] = {}
    for name in table:
        column = with_present_values(table[name])
        if name not in names:
            columns[name] = column
            fill[name] = usual_value(column)
            continue
        known = masks.get(name)
        chosen = mask_for(name, column, known, extend, choices, _taken(texts, masks, name))
        masks[name] = chosen
        masked = masked_column(chosen, column, seed, in_order.digests)
        columns[chosen.masked_name] = masked
        about.append(about_mask(chosen, column, masked))
        fill[chosen.masked_name] = masked_usual_value(chosen, column)
    made = Codebook(masks, project_key.project, project_key.tag)
    identities = codebook.identities if codebook else (_identity(made, seed),)
    made = replace(made, identities=identities if masks else ())  # nothing masked, nothing to name
    return Masked(in_order.digests, Table(columns), made, fill, about, key_kind, in_order.left_out)


def _identity(codebook: Codebook, seed: int | None) -> str:
    """A random identity; with a seed, one that only the same masks with the same seed have.

    It is drawn from a stream that the seed keys, so it tells nothing to whoever lacks the seed.
    """
    if seed is None:
        return new_identity()
    content = hashlib.sha256(codebook.to_text().encode("utf-8", "surrogatepass")).hexdigest()
    return generator(seed, f"identity of the codebook {content}").bytes(16).hex()


def _texts_of(table: Table) -> set[str]:
    """All labels of a table."""
    domains = (table[name].domain for name in table)
    return set().union(*(d.values.tolist() for d in domains if d.kind is Kind.CATEGORY))


def _taken(texts: set[str], masks: Mapping[str, ColumnMask], name: str) -> set[str]:
    """Texts that no alias of a column may be: what the table holds, and other columns' aliases."""
    others = (mask for mask in masks.values() if isinstance(mask, CategoryMask))
    return texts.union(*(other.label_of for other in others if other.column != name))


# -- checks --------------------------------------------------------------------------------------


def _check(table: Table, key: str | None, names: list[str], choices: Choices) -> None:
    for where, given in (
        (param("key"), [] if key is None else [key]),
        (param("sensitive"), names),
        (param("bounds"), choices.bounds),
        (param("homophones"), choices.homophones),
    ):
        for name in given:
            if name not in table:
                raise UnknownColumn(name, table.names, where=where)
    if key in names:
        raise UsageError(f"The key '{key}' is named as sensitive.", "keys are never sent as such.")
    for name in [*choices.bounds, *choices.homophones]:
        if name not in names:
            raise UsageError(
                f"Column '{name}' is not sensitive.", f"add {param('sensitive', name)}."
            )
    for name in names:
        is_category = table[name].domain.kind is Kind.CATEGORY
        if name in (choices.bounds if is_category else choices.homophones):
            kind = "categories" if is_category else "numbers"
            raise UsageError(
                f"Column '{name}' holds {kind}.",
                f"{param('bounds')} is for numbers, {param('homophones')} for categories.",
            )
        if PREFIX + name in table:
            raise UsageError(f"The table has a column '{PREFIX + name}' already.", "rename it.")
    if KEY in table:
        raise UsageError(f"The table has a column '{KEY}' already.", "rename or drop it.")


def _check_codebook(
    codebook: Codebook, names: list[str], project_key: ProjectKey, choices: Choices
) -> None:
    if not project_key.fits(codebook.tag):
        raise UsageError(
            "The codebook was made with another project key.",
            "take the key of this project, or a new codebook.",
        )
    absent = [name for name in names if name not in codebook.columns]
    if absent:
        raise UsageError(
            f"The codebook holds no column '{absent[0]}'.",
            "give the codebook of these columns, or the name of a new file.",
        )
    if choices.bounds or choices.homophones or choices.kept_order:
        raise UsageError(
            "The codebook exists already and says how its columns are masked.",
            f"leave out {param('bounds')}, {param('homophones')} and "
            f"{either('kept_order', '--aliases')}, or name a new codebook.",
        )
