"""The miner's side: files of several parties joined on the digest of the key.

`join` puts columns beside each other (parties that know different things about the same people),
`stack` puts rows below each other (parties that know the same things about different people). The
digest has served then and is left out, unless the miner wants to keep it. Rows are in the order of
their digests, whoever sent them. `matching` finds who is known to whom, in memory or on disk.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from privet.arrays import Digests
from privet.errors import InputError, UsageError, either
from privet.files import refuse_format, write_into
from privet.files.digests import Places, is_sorted, repeats
from privet.files.keyed import read_keyed, write_keyed
from privet.files.losses import refused
from privet.files.maskings import maskings_of, united, write_sidecar
from privet.files.on_disk import Pieces
from privet.files.outputs import Outputs, outputs
from privet.files.row_batches import with_present_values
from privet.parties.clashes import masked_names, refuse_common_labels, refuse_common_names
from privet.parties.key_order import put_in_order
from privet.parties.matching import columns_at, matched
from privet.parties.receipts import Receipt, hold_against, receipt_beside
from privet.schema import Kind
from privet.table import Coded, Domain, Table, Value, parse_iso, stretches

FILLED = "filled_"
_BEYOND = {Kind.INTEGER: 1 << 63, Kind.DECIMAL: math.inf}  # what no number of a table is


@dataclass(frozen=True, eq=False, repr=False)
class Joined:
    """The joined table, and how many keys of each party found no partner."""

    table: Table
    digests: Digests
    parties: tuple[str, ...]
    rows: tuple[int, ...]  # that each party sent
    unmatched: tuple[int, ...]  # of them, keys that not all other parties have
    filled: dict[str, int] = field(default_factory=dict)  # rows filled in, by party
    maskings: tuple[str, ...] = ()  # the identities of the codebooks that decode it
    receipts: tuple[Receipt | None, ...] = ()  # of the files, where they came with one

    def __repr__(self) -> str:
        return f"<Joined: {self.table.n_rows:,} rows of {len(self.parties)} parties>"

    def write(self, path: Path, *, keep_key: bool = False) -> None:
        """Write the joined table; a file that exists is replaced."""
        with outputs(force=True) as out:
            self.put(out, Path(path), keep_key=keep_key)

    def put(self, out: Outputs, path: Path, *, keep_key: bool = False) -> None:
        """Write the joined table as one of several outputs."""
        refuse_format(path)
        written = out.file(path)
        with refused(path):
            if keep_key:
                write_keyed(written, self.digests, self.table, self.maskings)
            else:
                write_into(self.table, written, maskings=self.maskings)
        write_sidecar(out, path, written, self.maskings)


def join(paths: Sequence[Path], fill: Mapping[str, Value] | None = None) -> Joined:
    """Join the files of two or more parties on their digests.

    Only people whom all parties know are kept. With `fill`, everybody is: what a party does not
    know is filled with the values given for its columns, and a column `filled_<party>` says where.

    >>> from pathlib import Path
    >>> key = privet.ProjectKey.new("asthma")
    >>> for name, cells in {"age": [30, 40], "cost": [5, 9]}.items():
    ...     table = privet.table_of({"id": ["a", "b"], name: cells})
    ...     masked = privet.mask(table, key="id", sensitive=[name], project_key=key)
    ...     masked.write(Path(f"{name}.parquet"))
    >>> privet.join([Path("age.parquet"), Path("cost.parquet")]).table.names
    ('H_age', 'H_cost')
    """
    names, sent = _read_all(paths)
    refuse_common_names(
        [own.table for own in sent], names, masked_names((own.table, own.maskings) for own in sent)
    )
    found = matched([own.digests for own in sent], keep_all=fill is not None)
    if found.everywhere == 0:
        so = "nothing can be joined" if fill is None else "every row would be filled in"
        raise _no_common_key(so, names, sent)
    columns: dict[str, Coded] = {}
    filled: dict[str, int] = {}
    for party, own, place in zip(names, sent, found.places, strict=True):
        absent = len(found.digests) - len(own.digests) if fill is not None else 0
        for name in own.table:
            columns[name] = _column(name, own.table[name], place, fill if absent else None)
        if absent:
            filled[party] = absent
            columns[FILLED + party] = _whether_filled(place)
    unmatched = tuple(len(own.digests) - found.everywhere for own in sent)
    return _joined(columns, found.digests, names, sent, unmatched, filled)


def stack(paths: Sequence[Path]) -> Joined:
    """The rows of all files, which must have the same columns and no person in common.

    >>> from pathlib import Path
    >>> key, book = privet.ProjectKey.new("asthma"), None
    >>> for school, ids in {"one": ["a", "b"], "two": ["c", "d"]}.items():
    ...     table = privet.table_of({"id": ids, "age": [8, 9]})
    ...     masked = privet.mask(table, key="id", sensitive=["age"], project_key=key, codebook=book)
    ...     masked.write(Path(f"{school}.parquet"))
    ...     book = masked.codebook
    >>> privet.stack([Path("one.parquet"), Path("two.parquet")]).table.n_rows
    4
    """
    names, sent = _read_all(paths)
    columns = list(sent[0].table)
    for path, own in zip(paths, sent, strict=True):
        if set(own.table) != set(columns):
            odd = sorted(set(own.table) ^ set(columns))[0]
            raise UsageError(
                f"{path.name} and {paths[0].name} do not have the same columns: '{odd}' is in "
                "only one of them.",
                "parties that stack their rows mask the same columns with one codebook.",
            )
    found = matched([own.digests for own in sent], keep_all=True)
    twice = sum(len(own.digests) for own in sent) - len(found.digests)
    if twice:
        raise UsageError(
            f"{twice:,} keys occur in more than one file.",
            "stacked parties must know different people; to join columns, "
            f"{either('join them', 'leave out --stack')}.",
        )
    stacked = {
        name: _stacked(name, [own.table[name] for own in sent], found.places) for name in columns
    }
    return _joined(stacked, found.digests, names, sent, (0,) * len(sent), {})


def _joined(
    columns: Mapping[str, Coded],
    digests: Digests,
    names: tuple[str, ...],
    sent: "Sequence[_Sent]",
    unmatched: tuple[int, ...],
    filled: dict[str, int],
) -> Joined:
    """The joined table, without the values of people who were left out of it."""
    table = Table({name: with_present_values(column) for name, column in columns.items()})
    refuse_common_labels(table, masked_names((own.table, own.maskings) for own in sent))
    return Joined(
        table,
        digests,
        names,
        tuple(len(own.digests) for own in sent),
        unmatched,
        filled,
        united(own.maskings for own in sent),
        tuple(own.receipt for own in sent),
    )


# -- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class _Sent:
    """A party's file, in the order of its digests, and what it says of itself."""

    digests: Digests
    table: Table
    maskings: tuple[str, ...]
    receipt: Receipt | None


def _read_all(paths: Sequence[Path]) -> tuple[tuple[str, ...], list[_Sent]]:
    """The names of the parties, and their files."""
    if len(paths) < 2:
        raise UsageError("A join needs the files of two or more parties.", "name them all.")
    return _party_names(paths), [_read(path) for path in paths]


def _read(path: Path) -> _Sent:
    """A party's file, held against its receipt."""
    receipt = receipt_beside(path)
    digests, table = read_keyed(path)
    maskings = maskings_of(path)
    hold_against(receipt, path, len(digests), table.names, maskings)
    if not is_sorted(digests):
        digests, table = put_in_order(digests, table)
    twice = repeats(digests)
    if twice:
        raise InputError(
            f"{twice:,} keys of {path.name} occur more than once.",
            "`privet mask` refuses such tables; ask the party for its file again.",
        )
    return _Sent(digests, table, maskings, receipt)


def _party_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """The files without their endings; numbered where two are called the same."""
    stems = [path.name.partition(".")[0] for path in paths]
    return tuple(
        stem if stems.count(stem) == 1 else f"{stem}_{place}"
        for place, stem in enumerate(stems, start=1)
    )


def _no_common_key(so: str, names: Sequence[str], sent: Sequence[_Sent]) -> UsageError:
    """Why nobody matches, as far as the receipts tell: keys of two kinds never do."""
    told = zip(names, (own.receipt for own in sent), strict=True)
    kinds = {name: receipt.key_kind for name, receipt in told if receipt is not None}
    if len(set(kinds.values())) > 1:
        said = ", ".join(f"{name} has {kind}" for name, kind in kinds.items())
        return UsageError(
            f"No key is known to all parties, so {so}: their keys are of different kinds ({said}).",
            f"agree on one: {either('the kind when read', 'mask --key-kind')}.",
        )
    return UsageError(
        f"No key is known to all parties, so {so}.",
        "the parties may have used different project keys, or keys of different kinds "
        f"({either('their kinds when read', '--key-kind')}).",
    )


# -- filling ---------------------------------------------------------------------------------------


def _column(name: str, column: Coded, place: Places, fill: Mapping[str, Value] | None) -> Coded:
    """A column of those who were matched; where its party does not know them, a value to fill."""
    domain = column.domain
    if fill is None:
        return columns_at([(column, place)], domain)
    if name not in fill:
        raise UsageError(
            f"The fill values name no value for column '{name}'.",
            "ask its owner for the fill values that masking gives.",
        )
    value = fill[name]
    if value is None:
        wider = Domain(domain.kind, domain.values, True)
        return columns_at([(column, place)], wider, len(domain.values))
    single = _single(_as_value(name, value, domain.kind), domain.kind)
    wider = domain.union(single)
    return columns_at([(column, place)], wider, int(single.places_in(wider)[0]))


def _whether_filled(place: Places) -> Coded:
    labels = Domain(Kind.CATEGORY, np.array(["no", "yes"], dtype=object))
    codes = ((some < 0).astype(np.uint8) for some in stretches(place))
    return Coded(labels, Pieces().joined(codes, np.uint8, len(place)))


def _as_value(name: str, value: Value, kind: Kind) -> Value:
    wrong = UsageError(
        f"The fill value of column '{name}' is not of kind {kind}.",
        "take the fill values that masking gave.",
    )
    if isinstance(value, bool) or (kind is Kind.CATEGORY and not isinstance(value, str)):
        raise wrong
    try:
        if kind is Kind.CATEGORY:
            return value
        if kind in (Kind.DATE, Kind.DATETIME):
            return int(parse_iso(str(value), kind))
        number = int(value) if kind is Kind.INTEGER else float(value)  # type: ignore[arg-type]
        if abs(number) < _BEYOND[kind]:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise wrong


def _single(value: Value, kind: Kind) -> Domain:
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    return Domain(kind, np.array([value], dtype=types.get(kind, np.int64)))


# -- stacking --------------------------------------------------------------------------------------


def _stacked(name: str, parts: Sequence[Coded], places: Sequence[Places]) -> Coded:
    kinds = {part.domain.kind for part in parts}
    domains = [part.domain for part in parts]
    if kinds == {Kind.INTEGER, Kind.DECIMAL}:
        domains = [
            Domain(Kind.DECIMAL, domain.values.astype(np.float64), domain.missing)
            for domain in domains
        ]
        parts = [Coded(domain, p.codes) for domain, p in zip(domains, parts, strict=True)]
    elif len(kinds) > 1:
        raise UsageError(
            f"Column '{name}' is of kind {' and '.join(sorted(kinds))} in different files.",
            "all parties must write it in one kind.",
        )
    wider = domains[0].union(*domains[1:])
    return columns_at(list(zip(parts, places, strict=True)), wider)
