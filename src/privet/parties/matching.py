"""People whom several parties know: their digests matched, and the columns put beside each other.

The files of the parties are sorted by digest. So a range of digests is a stretch of each file, and
on disk one range after the other is matched; in memory there is one range. What is found is the
place of each person in each file, in ascending order: columns are then read stretch by stretch.
`join` decides what is done with it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.files import row_batches
from privet.files.digests import SIZE, Places, in_order, pile_of_digest, places_of, same_as_last
from privet.files.on_disk import Pieces
from privet.table import Coded, Codes, Domain, code_type, stretch, stretches


@dataclass(frozen=True, eq=False, repr=False)
class Matched:
    """Digests of people in order, the place of each in each party's file or -1, and how many are
    known to all parties."""

    digests: Digests
    places: list[Places]
    everywhere: int


def matched(every: Sequence[Digests], keep_all: bool) -> Matched:
    """Those whom all parties know, or with `keep_all` everybody; digests are sorted, and distinct
    for each party."""
    digests = Pieces()
    places = [Pieces() for _ in every]
    everywhere = 0
    for begins, some in _ranges(every):
        common, found = _outer(some) if keep_all else _inner(some)
        everywhere += int(np.logical_and.reduce([place >= 0 for place in found]).sum())
        digests.append(common)
        for pieces, begin, place in zip(places, begins, found, strict=True):
            pieces.append(np.where(place >= 0, place + begin, -1) if begin else place)
    return Matched(
        digests.whole(np.uint8, SIZE), [pieces.whole(np.int64) for pieces in places], everywhere
    )


def _ranges(every: Sequence[Digests]) -> Iterator[tuple[list[int], list[Digests]]]:
    """The digests of all parties range by range, and where each range begins in each file."""
    total = sum(map(len, every))
    number = max(-(-total // row_batches.ROWS), 1) if Pieces().are_on_disk else 1
    edges = [[_first_of(own, pile, number) for own in every] for pile in range(number)]
    for begins, ends in pairwise([*edges, list(map(len, every))]):
        stretched = zip(every, begins, ends, strict=True)
        yield begins, [stretch(own, begin, end) for own, begin, end in stretched]


def _first_of(digests: Digests, pile: int, number: int) -> int:
    """The first of sorted digests that is on a pile or a later one; few are looked at."""
    if pile == 0:
        return 0
    return bisect_left(
        range(len(digests)),
        pile,
        key=lambda row: int(pile_of_digest(stretch(digests, row, row + 1), number)[0]),
    )


def _inner(every: Sequence[Digests]) -> tuple[Digests, list[Places]]:
    """The digests that all parties have, and where each stands in each party's file."""
    common, *others = every
    places: list[Places] = [np.arange(len(common))]
    for own in others:
        found = places_of(common, own)
        known = found >= 0
        places = [*(place[known] for place in places), found[known]]
        common = common[known]
    return common, places


def _outer(every: Sequence[Digests]) -> tuple[Digests, list[Places]]:
    """All digests of all parties, and where each stands in each party's file, or -1."""
    whole, _ = in_order(np.concatenate(every))
    whole = whole[~same_as_last(whole)]
    return whole, [places_of(whole, own) for own in every]


def columns_at(
    parts: Sequence[tuple[Coded, Places]], domain: Domain, absent: int | None = None
) -> Coded:
    """One column of those who were matched, in a domain that holds the values of all parts.

    A part is the column of one party, and the places of all people in its file; who is in none has
    the code `absent`.
    """
    kind = code_type(domain.size)
    lookups = [
        None
        if own.domain is domain or own.domain == domain
        else own.domain.places_in(domain).astype(kind)
        for own, _ in parts
    ]

    def codes() -> Iterator[Codes]:
        for places in zip(*(stretches(place) for _, place in parts), strict=True):
            new: Codes = np.full(len(places[0]), absent or 0, dtype=kind)
            for (own, _), lookup, place in zip(parts, lookups, places, strict=True):
                here = np.flatnonzero(place >= 0)
                if len(here):
                    found = _codes_at(own.codes, place[here])
                    new[here] = found if lookup is None else lookup[found]
            yield new

    return Coded(domain, Pieces().joined(codes(), kind, len(parts[0][1])))


def _codes_at(codes: Codes, places: npt.NDArray[np.int64]) -> Codes:
    """Codes at ascending places; no others than those between the first and the last are read."""
    low, high = int(places[0]), int(places[-1]) + 1
    found: Codes = stretch(codes, low, high)[places - low]
    return found
