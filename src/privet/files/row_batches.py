"""A table some rows at a time, whose rows know who they are; and parts put together again.

Seeded draws belong to rows (`privet.mechanism.identities`), so a table may be drawn in batches of
any size. Rows alike are told apart by their number among each other: they are dealt into the same
batch, by what they hold. In memory there is one batch. On disk a batch is read and dealt out to
files in one pass, and taken out again batch by batch; then the order of the rows is lost. Rows that
are to be sorted by a digest are dealt by its first bytes, and each batch is sorted by itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from privet.arrays import Digests
from privet.errors import UsageError, param
from privet.files.digests import pile_of_digest
from privet.files.on_disk import Array, Pieces
from privet.mechanism.identities import Contents, Identities, told_apart
from privet.table import Coded, Domain, Table, code_type, stretch, stretches, stretches_of

ROWS = 1 << 21  # of a batch on disk, about


def batches(
    table: Table,
    names: Sequence[str],
    seed: int | None,
    in_order: bool = False,
    rows: int | None = None,
) -> Iterator[tuple[Table, Identities | None]]:
    """Parts of a table and who their rows are, by the named columns; without a seed nobody asks.

    `in_order` refuses parts that are not in the order of the table. `rows` says about how many a
    part has; otherwise a table in memory is one part.
    """
    if rows is None:
        rows = ROWS if Pieces().are_on_disk else max(table.n_rows, 1)
    number = -(-table.n_rows // rows)
    if seed is None:
        yield from ((part, None) for part in ([table] if number <= 1 else stretches_of(table)))
        return
    contents = Contents(table, names, seed)
    if number <= 1:
        yield table, told_apart(contents.of(table), seed)
        return
    if in_order:
        raise UsageError(
            "With a seed, a table on disk is drawn in parts that are not in the order of its rows.",
            f"leave out {param('keep_order', True)} or {param('seed')}, or take the table in "
            "memory.",
        )
    for part, content in _by_content(table, contents, number):
        yield part, told_apart(content, seed)


def batches_by_digest(digests: Digests, table: Table) -> Iterator[tuple[Digests, Table]]:
    """A table in parts whose rows have ever greater digests; inside a part they are as they came.

    Digests are evenly spread, so the first bytes of one say in which part it is.
    """
    number = -(-len(digests) // ROWS) if Pieces().are_on_disk else 1
    if number <= 1:
        yield stretch(digests, 0, len(digests)), table  # whoever sorts them may do so in place
        return
    together = (digests, *(table[name].codes for name in table))
    dealing = (
        (arrays, pile_of_digest(arrays[0], number))
        for arrays in zip(*map(stretches, together), strict=True)
    )
    for own, *codes in _dealt(dealing, number):
        yield own, _table(table, codes)


def _by_content(
    table: Table, contents: Contents, number: int
) -> Iterator[tuple[Table, Identities]]:
    """The rows in so many parts by their contents, which spread them evenly."""

    def dealing() -> Iterator[tuple[Sequence[Array], Array]]:
        for part in stretches_of(table):
            content = contents.of(part)
            arrays = [content.low, content.high, *(part[name].codes for name in part)]
            yield arrays, content.high % np.uint64(number)

    for low, high, *codes in _dealt(dealing(), number):
        yield _table(table, codes), Identities(low, high)


def _dealt(dealing: Iterable[tuple[Sequence[Array], Array]], number: int) -> Iterator[list[Array]]:
    """Rows dealt onto so many piles, then pile by pile; they come as arrays and the pile of each
    row."""
    piles: list[list[Pieces]] = [[] for _ in range(number)]
    for arrays, pile_of_row in dealing:
        order = np.argsort(pile_of_row, kind="stable")
        ends = np.cumsum(np.bincount(pile_of_row.astype(np.intp), minlength=number))
        for pile, rows in zip(piles, np.split(order, ends[:-1]), strict=True):
            pile += [Pieces() for _ in arrays[len(pile) :]]
            for pieces, array in zip(pile, arrays, strict=True):
                pieces.append(array[rows])
    for pile in piles:
        yield [np.concatenate(list(pieces.taken())) for pieces in pile]


def _table(table: Table, codes: Iterable[Array]) -> Table:
    columns = zip(table, codes, strict=True)
    return Table({name: Coded(table[name].domain, own) for name, own in columns})


def joined(parts: Iterable[Table]) -> Table:
    """Parts of a table one below the other, on disk where tables are; their domains may differ."""
    coming = iter(parts)
    first = next(coming)
    second = next(coming, None)
    if second is None:
        return first
    pieces: dict[str, Pieces] = {}
    domains: dict[str, list[Domain]] = {}
    for part in chain((first, second), coming):
        for name in part:
            pieces.setdefault(name, Pieces()).append(part[name].codes)
            domains.setdefault(name, []).append(part[name].domain)
    return Table({name: _column(pieces[name], domains[name]) for name in pieces})


def _column(pieces: Pieces, domains: Sequence[Domain]) -> Coded:
    first, *others = domains
    whole = first if all(other == first for other in others) else first.union(*others)
    kind, length = code_type(whole.size), pieces.length
    parts = (
        Coded(domain, codes).into(whole).codes
        for domain, codes in zip(domains, pieces.taken(), strict=True)
    )
    return Coded(whole, pieces.joined(parts, kind, length))


def recoded(column: Coded, new_of_old: Sequence[int] | Array, domain: Domain) -> Coded:
    """A column whose codes are replaced through a map, some rows at a time; it lies where tables
    do."""
    kind = code_type(domain.size)
    lookup = np.asarray(new_of_old).astype(kind)
    codes = (lookup[some] for some in stretches(column.codes))
    return Coded(domain, Pieces().joined(codes, kind, len(column.codes)))


def with_present_values(column: Coded) -> Coded:
    """A column without the values that no row has: formats that write the domain of a column would
    show those of people who were left out."""
    seen = column.counts() > 0
    if seen.all():
        return column
    old = column.domain
    is_missing = old.missing and bool(seen[-1])
    domain = Domain(old.kind, old.values[seen[: len(old.values)]], is_missing)
    return recoded(column, np.maximum(np.cumsum(seen) - 1, 0), domain)
