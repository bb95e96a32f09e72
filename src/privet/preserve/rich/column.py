"""One column of a rich release: fill, pins, exact check, repair, and the last resort.

The last resort of a column that the tree asks is its recoding by leaf; numbers then get their
filled values back leaf by leaf, as far as the check passes. Of a column that no tree asks nothing
is left then: it is suppressed, as leaf recoding has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from privet.arrays import Integers
from privet.preserve.by_leaf.conditions import Atoms, ColumnTask, Form
from privet.preserve.by_leaf.recode import Found
from privet.preserve.recoding import ColumnRecoding, Treatment
from privet.preserve.rich import fill
from privet.preserve.rich.members import Members
from privet.preserve.rich.pins import pin
from privet.preserve.rich.repair import repair
from privet.preserve.rich.watch import Below, Watch
from privet.table import Domain

_HALVINGS = 5  # of a leaf that cannot be given back as a whole

FillName = Literal["leaf-quantile", "leaf-quota", "median", "commonest", "member"]
_FILLS: Sequence[tuple[fill.Fill, FillName, FillName]] = (
    (fill.by_leaf, "leaf-quantile", "leaf-quota"),
    (fill.middle, "median", "commonest"),
    (fill.drawn, "member", "member"),
)


@dataclass(frozen=True, eq=False)
class RichColumn:
    """The value of each block in one column.

    `joined` are values that became one; `moved_records` were moved to another value near their
    block; `near`: every value is near its block (`members`), which joins and renames may undo.
    `coded` are the groups that kept the value of leaf recoding.
    """

    column: str
    codes: Integers
    domain: Domain
    treatment: Treatment
    form: Form | Literal["global"]
    fill: FillName | None = None
    joined: tuple[tuple[int, ...], ...] = ()
    moved_records: int = 0
    pinned: int = 0
    near: bool = True
    coded: frozenset[int] = frozenset()


class InPieces(Exception):
    """Leaf recoding keeps a column only in pieces of leaves: blocks must lie within those."""

    def __init__(self, column: str, pieces: list[list[Integers]]) -> None:
        super().__init__(column)
        self.column = column
        self.pieces = pieces  # of each group: the codes of each piece


def fill_column(
    task: ColumnTask, members: Members, atoms: Atoms, below: Below
) -> RichColumn | None:
    """The column filled from its blocks; None where no fill can be repaired."""
    domain = members.domain
    for deal, for_numbers, for_categories in _FILLS:
        codes = deal(members, task.column)
        fixed = np.zeros(len(codes), dtype=bool)
        if task.ordered:
            pinned = pin(members, codes, task.own)
            if pinned is None:
                continue
            codes, fixed = pinned.codes, pinned.fixed
        watch = Watch(task, atoms, domain, codes, below)
        repaired = repair(watch, members, fixed)
        if repaired is None:
            continue
        return RichColumn(
            task.column,
            repaired.codes,
            domain,
            Treatment.AGGREGATED,
            repaired.form,
            for_numbers if task.ordered else for_categories,
            _stretches(repaired.joined),
            int(atoms.records[sorted(repaired.moved)].sum()),
            int(fixed.sum()),
            bool(members.are_near(repaired.codes).all()),
        )
    return None


def _stretches(joined: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Values that became one, each list with the value that stayed first."""
    members: dict[int, list[int]] = {}
    for stays, went in joined:
        members.setdefault(stays, [stays]).extend(members.pop(went, [went]))
    return tuple(tuple(some) for some in members.values())


def last_resort(
    task: ColumnTask,
    base: ColumnRecoding,
    found: Found,
    members: Members,
    atoms: Atoms,
    below: Below,
) -> RichColumn:
    """The values of leaf recoding (`found`), as few of them as can be."""
    codes = _by_block(task, base, found, members)
    if not task.ordered:
        groups = frozenset(members.group.tolist())
        return RichColumn(
            task.column, codes, found.domain, Treatment.CODED, found.form, coded=groups
        )
    return _given_back(task, found, codes, members, atoms, below)


def _by_block(task: ColumnTask, base: ColumnRecoding, found: Found, members: Members) -> Integers:
    """The value of leaf recoding for each block."""
    value = np.full((len(task.leaf_counts.leaves), base.domain.size), -1, dtype=np.int64)
    for group, cells, code in zip(
        found.atoms.group.tolist(), found.atoms.cells, found.codes.tolist(), strict=True
    ):
        value[group, list(cells)] = code
    given = value[members.group[members.block], base.new_of_old[members.code]]
    codes = given[members.starts]
    if (given != codes[members.block]).any():
        raise InPieces(task.column, [_pieces(row[base.new_of_old]) for row in value])
    return np.asarray(codes)


def _pieces(value_of_code: Integers) -> list[Integers]:
    return [
        np.flatnonzero(value_of_code == value) for value in np.unique(value_of_code) if value >= 0
    ]


def _given_back(
    task: ColumnTask,
    found: Found,
    values: Integers,
    members: Members,
    atoms: Atoms,
    below: Below,
) -> RichColumn:
    """Numbers: filled values for one leaf after the other, the largest first, where they pass."""
    domain = members.domain.union(found.domain)
    codes = found.domain.places_in(domain)[values]
    filled = members.domain.places_in(domain)[fill.by_leaf(members, task.column)]
    watch = Watch(task, atoms, domain, codes, below)
    sizes = np.bincount(members.group, weights=members.sizes)
    coded = set(np.unique(members.group).tolist())
    n_groups = len(coded)
    for group in np.lexsort((np.arange(len(sizes)), -sizes)).tolist():
        blocks = np.flatnonzero(members.group == group)
        blocks = blocks[np.lexsort((blocks, filled[blocks]))]
        if _give_back(watch, blocks, filled, _HALVINGS):
            coded.discard(group)
    strict = not any(True for _ in watch.violations())
    return RichColumn(
        task.column,
        watch.codes,
        domain,
        Treatment.CODED,
        "strict" if strict else "index",
        "leaf-quantile" if len(coded) < n_groups else None,
        coded=frozenset(coded),
    )


def _give_back(watch: Watch, blocks: Integers, filled: Integers, halvings: int) -> bool:
    """Give some blocks their filled values, or the half of them, and so on; whether all have it."""
    before = watch.codes[blocks]
    if np.array_equal(before, filled[blocks]):
        return True
    watch.set(blocks, filled[blocks])
    if watch.holds():
        return True
    watch.set(blocks, before)
    if halvings and len(blocks) > 1:
        middle = len(blocks) // 2
        halves = [
            _give_back(watch, part, filled, halvings - 1)
            for part in (blocks[:middle], blocks[middle:])
        ]
        return all(halves)
    return False
