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
from privet.exact import in_single_precision
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.recode import Found
from privet.preserve.recoding import ColumnRecoding, Treatment
from privet.preserve.rich import fill
from privet.preserve.rich.members import Members
from privet.preserve.rich.pins import pin
from privet.preserve.rich.repair import repair
from privet.preserve.rich.watch import Watch
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
    `coded` are the groups in which some block kept the value of leaf recoding, `given_back` those
    in which some got a filled one, and `of_cell` has the value of each cell of the global
    recoding in each group, -1 where there is none.
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
    given_back: frozenset[int] = frozenset()
    of_cell: Integers | None = None

    @property
    def is_repaired(self) -> bool:
        """Whether the first fill, pins aside, did not do."""
        first = self.fill in ("leaf-quantile", "leaf-quota")
        return not first or self.moved_records > 0 or len(self.joined) > 0

    @property
    def is_single_precision(self) -> bool:
        """Whether single precision holds its values."""
        used = self.domain.values[np.unique(self.codes[self.codes < len(self.domain.values)])]
        return not self.domain.kind.is_ordered or bool(in_single_precision(used).all())


class InPieces(Exception):
    """Leaf recoding keeps a column only in pieces of leaves: blocks must lie within those."""

    def __init__(self, column: str, pieces: list[list[Integers]]) -> None:
        super().__init__(column)
        self.column = column
        self.pieces = pieces  # of each group: the codes of each piece


def fill_column(task: ColumnTask, members: Members, atoms: Atoms) -> RichColumn | None:
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
        watch = Watch(task, atoms, domain, codes)
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
) -> RichColumn:
    """The values of leaf recoding (`found`), as few of them as can be."""
    of_cell = _by_cell(task, base, found)
    codes = _by_block(task, base, of_cell, members)
    if not task.ordered:
        return RichColumn(
            task.column,
            codes,
            found.domain,
            Treatment.CODED,
            found.form,
            near=False,
            coded=frozenset(members.group.tolist()),
            of_cell=of_cell,
        )
    domain = members.domain.union(found.domain)
    place = np.append(found.domain.places_in(domain), -1)  # -1 stays -1
    return _given_back(task, place[of_cell], place[codes], domain, members, atoms)


def _by_cell(task: ColumnTask, base: ColumnRecoding, found: Found) -> Integers:
    """The value of leaf recoding for each cell of the global recoding in each group."""
    value = np.full((len(task.leaf_counts.leaves), base.domain.size), -1, dtype=np.int64)
    for group, cells, code in zip(
        found.atoms.group.tolist(), found.atoms.cells, found.codes.tolist(), strict=True
    ):
        value[group, list(cells)] = code
    return value


def _by_block(
    task: ColumnTask, base: ColumnRecoding, of_cell: Integers, members: Members
) -> Integers:
    """The value of leaf recoding for each block."""
    given = of_cell[members.group[members.block], base.new_of_old[members.code]]
    codes = given[members.starts]
    if (given != codes[members.block]).any():
        raise InPieces(task.column, [_pieces(row[base.new_of_old]) for row in of_cell])
    return np.asarray(codes)


def _pieces(value_of_code: Integers) -> list[Integers]:
    return [
        np.flatnonzero(value_of_code == value) for value in np.unique(value_of_code) if value >= 0
    ]


def _given_back(
    task: ColumnTask,
    of_cell: Integers,
    codes: Integers,
    domain: Domain,
    members: Members,
    atoms: Atoms,
) -> RichColumn:
    """Numbers: filled values for one leaf after the other, the largest first, where they pass.

    If that goes well in every leaf, nothing of leaf recoding is left: the column is aggregated.
    """
    own = fill.by_leaf(members, task.column)
    filled = members.domain.places_in(domain)[own]
    watch = Watch(task, atoms, domain, codes)
    sizes = np.bincount(members.group, weights=members.sizes)
    for group in np.lexsort((np.arange(len(sizes)), -sizes)).tolist():
        blocks = np.flatnonzero(members.group == group)
        _give_back(watch, blocks[np.lexsort((blocks, filled[blocks]))], filled, _HALVINGS)
    form: Form = "index" if any(True for _ in watch.violations()) else "strict"
    is_filled = watch.codes == filled
    if is_filled.all():
        near = bool(members.are_near(own).all())
        return RichColumn(
            task.column, own, members.domain, Treatment.AGGREGATED, form, "leaf-quantile", near=near
        )
    for group in np.unique(members.group[~is_filled]).tolist():
        left = np.unique(watch.codes[~is_filled & (members.group == group)])
        of_cell[group, ~np.isin(of_cell[group], left)] = -1  # nobody has these any more
    given_back = frozenset(members.group[is_filled].tolist())
    return RichColumn(
        task.column,
        watch.codes,
        domain,
        Treatment.CODED,
        form,
        "leaf-quantile" if given_back else None,
        near=False,
        coded=frozenset(members.group[~is_filled].tolist()),
        given_back=given_back,
        of_cell=of_cell,
    )


def _give_back(watch: Watch, blocks: Integers, filled: Integers, halvings: int) -> None:
    """Give some blocks their filled values, or half of them, or half of those, and so on."""
    if np.array_equal(watch.codes[blocks], filled[blocks]):
        return
    before = watch.state()
    watch.set(blocks, filled[blocks])
    if watch.holds():
        return
    watch.back_to(before)
    if halvings and len(blocks) > 1:
        middle = len(blocks) // 2
        for part in (blocks[:middle], blocks[middle:]):
            _give_back(watch, part, filled, halvings - 1)
