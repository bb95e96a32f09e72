"""The miner's side: files of several parties joined on the digest of the key.

`join` puts columns beside each other (parties that know different things about the same people),
`stack` puts rows below each other (parties that know the same things about different people). The
digest has served then and is left out, unless the miner wants to keep it. Rows are in the order of
their digests, whoever sent them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from privet.arrays import Digests
from privet.errors import InputError, UsageError, either
from privet.files import refuse_format, write_into
from privet.files.digests import Places, is_sorted, order_of, places_of, repeats
from privet.files.keyed import read_keyed, write_keyed
from privet.files.maskings import maskings_of, united, write_sidecar
from privet.files.outputs import Outputs, outputs
from privet.parties.receipts import Receipt, hold_against, receipt_beside
from privet.schema import Kind
from privet.table import Coded, Domain, Table, Value, code_type, parse_iso

FILLED = "filled_"


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
    receipts = tuple(map(receipt_beside, paths))
    joined = _join(paths, receipts, fill)
    return replace(joined, maskings=united(map(maskings_of, paths)), receipts=receipts)


def _join(
    paths: Sequence[Path], receipts: Sequence[Receipt | None], fill: Mapping[str, Value] | None
) -> Joined:
    _at_least_two(paths)
    names = _party_names(paths)
    common: Digests | None = None
    places: list[Places] = []
    tables: list[Table] = []
    sizes: list[int] = []
    every: list[Digests] = []
    for path, receipt in zip(paths, receipts, strict=True):
        digests, table = _read(path, receipt)
        sizes.append(len(digests))
        tables.append(table)
        if fill is not None:
            every.append(digests)
        elif common is None:
            common, places = digests, [np.arange(len(digests))]
        else:
            found = places_of(common, digests)
            known = found >= 0
            places = [*(place[known] for place in places), found[known]]
            common = common[known]
        del digests
    _refuse_common_names(tables, names)
    if fill is not None:
        common, places = _outer(every)
        return _filled(common, places, tables, names, sizes, fill, receipts)
    assert common is not None
    if len(common) == 0:
        raise _no_common_key("nothing can be joined", names, receipts)
    columns = {
        name: Coded(table[name].domain, table[name].codes[place])
        for table, place in zip(tables, places, strict=True)
        for name in table
    }
    unmatched = tuple(size - len(common) for size in sizes)
    return Joined(Table(columns), common, names, tuple(sizes), unmatched)


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
    _at_least_two(paths)
    names = _party_names(paths)
    receipts = tuple(map(receipt_beside, paths))
    pieces = [_read(path, receipt) for path, receipt in zip(paths, receipts, strict=True)]
    columns = list(pieces[0][1])
    for path, (_, table) in zip(paths, pieces, strict=True):
        if set(table) != set(columns):
            odd = sorted(set(table) ^ set(columns))[0]
            raise UsageError(
                f"{path.name} and {paths[0].name} do not have the same columns: '{odd}' is in "
                "only one of them.",
                "parties that stack their rows mask the same columns with one codebook.",
            )
    digests = np.concatenate([digests for digests, _ in pieces])
    order = order_of(digests)
    digests = digests[order]
    twice = repeats(digests)
    if twice:
        raise UsageError(
            f"{twice:,} keys occur in more than one file.",
            "stacked parties must know different people; to join columns, "
            f"{either('join them', 'leave out --stack')}.",
        )
    stacked = {
        name: _stacked(name, [table[name] for _, table in pieces], order) for name in columns
    }
    sizes = tuple(len(own) for own, _ in pieces)
    maskings = united(map(maskings_of, paths))
    unmatched = (0,) * len(sizes)
    return Joined(
        Table(stacked), digests, names, sizes, unmatched, maskings=maskings, receipts=receipts
    )


# -- reading ---------------------------------------------------------------------------------------


def _read(path: Path, receipt: Receipt | None) -> tuple[Digests, Table]:
    """A party's file, in the order of its digests, held against its receipt."""
    digests, table = read_keyed(path)
    hold_against(receipt, path, len(digests), table.names, maskings_of(path))
    if not is_sorted(digests):
        order = order_of(digests)
        digests, table = digests[order], table.take(order)
    twice = repeats(digests)
    if twice:
        raise InputError(
            f"{twice:,} keys of {path.name} occur more than once.",
            "`privet mask` refuses such tables; ask the party for its file again.",
        )
    return digests, table


def _at_least_two(paths: Sequence[Path]) -> None:
    if len(paths) < 2:
        raise UsageError("A join needs the files of two or more parties.", "name them all.")


def _party_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """The files without their endings; numbered where two are called the same."""
    stems = [path.name.partition(".")[0] for path in paths]
    return tuple(
        stem if stems.count(stem) == 1 else f"{stem}_{place}"
        for place, stem in enumerate(stems, start=1)
    )


def _refuse_common_names(tables: Sequence[Table], names: Sequence[str]) -> None:
    owner: dict[str, str] = {}
    for table, party in zip(tables, names, strict=True):
        for name in table:
            if name in owner:
                raise UsageError(
                    f"Column '{name}' is in {owner[name]} and in {party}.",
                    "one of the two parties must rename or drop it; for the same columns about "
                    f"different people, {either('stack them', 'give --stack')}.",
                )
            owner[name] = party


def _no_common_key(so: str, names: Sequence[str], receipts: Sequence[Receipt | None]) -> UsageError:
    """Why nobody matches, as far as the receipts tell: keys of two kinds never do."""
    kinds = {n: r.key_kind for n, r in zip(names, receipts, strict=True) if r is not None}
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


def _outer(every: Sequence[Digests]) -> tuple[Digests, list[Places]]:
    """All digests of all parties, and where each stands in each party's file, or -1."""
    whole = np.concatenate(every)
    whole = whole[order_of(whole)]
    fresh = np.ones(len(whole), dtype=bool)
    fresh[1:] = (whole[1:] != whole[:-1]).any(axis=1)
    whole = whole[fresh]
    return whole, [places_of(whole, own) for own in every]


def _filled(
    digests: Digests,
    places: Sequence[Places],
    tables: Sequence[Table],
    names: tuple[str, ...],
    sizes: Sequence[int],
    fill: Mapping[str, Value],
    receipts: Sequence[Receipt | None],
) -> Joined:
    known = [place >= 0 for place in places]
    everywhere = np.logical_and.reduce(known)
    if not everywhere.any():
        raise _no_common_key("every row would be filled in", names, receipts)
    columns: dict[str, Coded] = {}
    filled: dict[str, int] = {}
    for party, table, place, here in zip(names, tables, places, known, strict=True):
        absent = int((~here).sum())
        for name in table:
            columns[name] = (
                _with_fill(name, table[name], place, fill)
                if absent
                else Coded(table[name].domain, table[name].codes[place])
            )
        if absent:
            filled[party] = absent
            labels = Domain(Kind.CATEGORY, np.array(["no", "yes"], dtype=object))
            columns[FILLED + party] = Coded(labels, (~here).astype(np.uint8))
    unmatched = tuple(size - int(everywhere.sum()) for size in sizes)
    return Joined(Table(columns), digests, names, tuple(sizes), unmatched, filled)


def _with_fill(name: str, column: Coded, place: Places, fill: Mapping[str, Value]) -> Coded:
    if name not in fill:
        raise UsageError(
            f"The fill values name no value for column '{name}'.",
            "ask its owner for the fill values that masking gives.",
        )
    value = fill[name]
    domain = column.domain
    if value is None:
        wider = Domain(domain.kind, domain.values, True)
        code = len(domain.values)
        codes = column.codes.astype(code_type(wider.size), copy=False)
    else:
        number = _as_value(name, value, domain.kind)
        single = _single(number, domain.kind)
        wider = domain.union(single)
        code = int(single.places_in(wider)[0])
        codes = column.into(wider).codes
    chosen = codes[place]
    chosen[place < 0] = code
    return Coded(wider, chosen)


def _as_value(name: str, value: Value, kind: Kind) -> Value:
    wrong = UsageError(
        f"The fill value of column '{name}' is not of kind {kind}.",
        "take the fill values that masking gave.",
    )
    try:
        if kind is Kind.CATEGORY:
            if not isinstance(value, str):
                raise wrong
            return value
        if kind in (Kind.DATE, Kind.DATETIME):
            return int(parse_iso(str(value), kind))
        return int(value) if kind is Kind.INTEGER else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise wrong from None


def _single(value: Value, kind: Kind) -> Domain:
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    return Domain(kind, np.array([value], dtype=types.get(kind, np.int64)))


# -- stacking --------------------------------------------------------------------------------------


def _stacked(name: str, parts: Sequence[Coded], order: Places) -> Coded:
    kinds = {part.domain.kind for part in parts}
    domains = [part.domain for part in parts]
    if kinds == {Kind.INTEGER, Kind.DECIMAL}:
        domains = [
            Domain(Kind.DECIMAL, domain.values.astype(np.float64), domain.missing)
            for domain in domains
        ]
    elif len(kinds) > 1:
        raise UsageError(
            f"Column '{name}' is of kind {' and '.join(sorted(kinds))} in different files.",
            "all parties must write it in one kind.",
        )
    wider = domains[0].union(*domains[1:])
    codes = [
        domain.places_in(wider).astype(code_type(wider.size))[part.codes]
        for domain, part in zip(domains, parts, strict=True)
    ]
    return Coded(wider, np.concatenate(codes)[order])
