"""One column masked: which mask it gets, and the column under it.

A new mask follows the owner's choices, or is drawn; one that a codebook holds is used again. `mask`
does whole tables, `grading` and `aliases` are the masks themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.errors import InvalidParameter, UsageError, either, param, read_as_category
from privet.files.on_disk import Pieces
from privet.files.row_batches import recoded
from privet.mechanism.identities import of_digests
from privet.mechanism.row_bits import RowBits, below
from privet.parties.aliases import draw_aliases, homophones_for
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.drawn_bounds import drawn_bounds
from privet.parties.grading import (
    Grading,
    Mode,
    are_rising,
    equal_groups,
    progression,
    random_bounds,
)
from privet.parties.number_mask import NumberMask
from privet.randomness import generator
from privet.schema import Kind
from privet.table import Coded, Domain, code_type, parse_iso, stretches

MOST_HOMOPHONES = 10_000
_MOST_DIGITS_OF_A_NUMBER = 18

Bounds = str | int | Sequence[float]  # "16,24,..,96", a number of equal groups, or the bounds


@dataclass(frozen=True)
class Choices:
    """How columns are to be masked where nothing else is said: one field for each choice."""

    bounds: Mapping[str, Bounds] = field(default_factory=dict, repr=False)
    mode: Mode = "exact"
    homophones: Mapping[str, int] = field(default_factory=dict)
    kept_order: bool = False
    seed: int | None = field(default=None, repr=False)


def mask_for(
    name: str,
    column: Coded,
    known: ColumnMask | None,
    extend: bool,
    choices: Choices,
    taken: set[str],
) -> ColumnMask:
    domain = column.domain
    counts = column.counts()[: len(domain.values)]
    present = domain.values[counts > 0]
    if len(present) == 0:
        raise UsageError(
            f"Column '{name}' holds no values.",
            either("leave it out.", "leave it out with --drop."),
        )
    if known is not None and isinstance(known, CategoryMask) != (domain.kind is Kind.CATEGORY):
        raise UsageError(
            f"Column '{name}' is of another kind than in the codebook.",
            f"read it as in the codebook: {read_as_category(name)}, or check the table.",
        )
    if domain.kind is Kind.CATEGORY:
        old = known.aliases if isinstance(known, CategoryMask) else None
        return _category_mask(
            name, present.tolist(), counts[counts > 0], old, extend, choices, taken
        )
    if isinstance(known, NumberMask):
        values = np.union1d(known.values, present) if extend else known.values
        chosen = NumberMask(name, known.kind, known.grading, values)
    else:
        grading = _grading(name, domain, present, choices)
        chosen = NumberMask(name, domain.kind, grading, present)
    _refuse_bad_bounds(chosen, present)
    return chosen


def _category_mask(
    name: str,
    labels: list[str],
    counts: npt.NDArray[np.int64],
    known: Mapping[str, tuple[str, ...]] | None,
    extend: bool,
    choices: Choices,
    taken: set[str],
) -> CategoryMask:
    rng = generator(choices.seed, name)
    if known is None:
        wanted = choices.homophones.get(name)
        sizes = None if wanted is None else _homophones(name, counts, wanted)
        drawn = draw_aliases(name, labels, rng, sizes, choices.kept_order, taken=taken)
        return CategoryMask(name, drawn)
    new = [label for label in labels if label not in known]
    if new and not extend:
        raise UsageError(
            f"Column '{name}' has {len(new)} categories that the codebook does not hold.",
            f"give {param('extend', True)} to add them, and hand the codebook on to the "
            "other parties.",
        )
    drawn = draw_aliases(name, new, rng, known=known, taken=taken)
    return CategoryMask(name, {**known, **drawn})


def _homophones(name: str, counts: npt.NDArray[np.int64], wanted: int) -> list[int]:
    """How many aliases each value gets; more than there are records would only be noise."""
    most = max(len(counts), min(int(counts.sum()), MOST_HOMOPHONES))
    if not len(counts) <= wanted <= most:
        raise InvalidParameter(
            f"{param('homophones')} of column '{name}'",
            f"from {len(counts):,} (its values) to {most:,}",
            f"{wanted:,}" if abs(wanted) < 10**15 else "far more",
            "some aliases for each value are enough, such as 64 in all.",
        )
    return homophones_for(counts, wanted)


def _grading(name: str, domain: Domain, present: npt.NDArray[Any], choices: Choices) -> Grading:
    bounds = _bounds(name, domain, present, choices)
    if name not in choices.bounds and not are_rising(bounds):
        raise UsageError(
            f"Column '{name}' holds numbers so large that floats cannot tell bounds around them "
            "apart.",
            f"mask it as a category ({read_as_category(name)}), or take a round number off each.",
        )
    grading = Grading(bounds, choices.mode)
    if grading.hides_nothing:
        raise UsageError(
            f"With these bounds every number of column '{name}' would stay as it is.",
            f"give others with {param('bounds')}, or none: then they are drawn at random.",
        )
    return grading


def _bounds(
    name: str, domain: Domain, present: npt.NDArray[Any], choices: Choices
) -> tuple[int | float, ...]:
    low, high = present[0].item(), present[-1].item()
    given = choices.bounds.get(name)
    if given is None:
        rng = generator(choices.seed, name)
        if choices.mode == "paper":  # its masks are never whole at a bound
            return random_bounds(low, high, domain.kind.is_integral, rng)
        return drawn_bounds(present, domain.kind, rng)
    if isinstance(given, str):
        texts = [text.strip() for text in given.split(",") if text.strip()]
        if domain.kind in (Kind.DATE, Kind.DATETIME):
            texts = [_day_number(name, text, domain.kind) for text in texts]
        if len(texts) != 1:
            return progression(texts, high)
        if not texts[0].isdecimal() or len(texts[0]) > _MOST_DIGITS_OF_A_NUMBER:
            raise UsageError(
                f"The bounds of column '{name}' must be numbers, or a number of groups.",
                f"write {name}=16,24,..,96 or {name}=8.",
            )
        given = int(texts[0])
    if isinstance(given, int):
        return equal_groups(low, high, given)
    return tuple(given)


def _day_number(name: str, text: str, kind: Kind) -> str:
    if text.isdecimal() or text in ("..", "..."):
        return text
    try:
        return str(parse_iso(text, kind))
    except ValueError:
        raise UsageError(
            f"The bounds of column '{name}' must be ISO dates.", "write 2020-01-01,2021-01-01."
        ) from None


def _refuse_bad_bounds(chosen: NumberMask, present: npt.NDArray[Any]) -> None:
    outside = chosen.grading.outside(present)
    if outside:
        raise UsageError(
            f"Column '{chosen.column}' has {outside:,} distinct values outside the bounds.",
            "widen the bounds: the first must be at most the lowest value, the last at least the "
            "highest.",
        )
    if chosen.grading.mode == "exact":
        masked = chosen.grading.apply(present)
        if bool((np.diff(masked) <= 0).any()):
            raise UsageError(
                f"Column '{chosen.column}' has values too close for groups so wide: they would "
                "become equal.",
                f"give more and narrower groups with {param('bounds')}, or round the column.",
            )


def masked_column(
    chosen: ColumnMask, column: Coded, seed: int | None, digests: Digests | None = None
) -> Coded:
    """The column under its mask. Seeded homophones are drawn at the digests of the rows' keys."""
    domain = column.domain
    if isinstance(chosen, NumberMask):
        masked = np.full(len(domain.values), np.nan)
        inside = (domain.values >= chosen.grading.bounds[0]) & (
            domain.values <= chosen.grading.bounds[-1]
        )
        masked[inside] = chosen.grading.apply(domain.values[inside])
        if bool(inside.all()) and bool((np.diff(masked) > 0).all()):
            return Coded(Domain(Kind.DECIMAL, masked, domain.missing), column.codes)
        distinct, places = np.unique(masked[inside], return_inverse=True)
        lookup = np.zeros(domain.size, dtype=np.int64)
        lookup[np.flatnonzero(inside)] = places
        if domain.missing:
            lookup[-1] = len(distinct)
        return recoded(column, lookup, Domain(Kind.DECIMAL, distinct, domain.missing))
    return _with_aliases(chosen, column, seed, digests)


def _with_aliases(
    chosen: CategoryMask, column: Coded, seed: int | None, digests: Digests | None
) -> Coded:
    old = column.domain
    groups = [chosen.aliases.get(label, ()) for label in old.values.tolist()]
    names = sorted(alias for group in groups for alias in group)
    place = {alias: code for code, alias in enumerate(names)}
    domain = Domain(Kind.CATEGORY, np.array(names, dtype=object), old.missing)
    if all(len(group) <= 1 for group in groups):
        lookup = [place[group[0]] if group else 0 for group in groups]
        return recoded(column, [*lookup, *([len(names)] * old.missing)], domain)
    sizes = np.array([max(len(group), 1) for group in groups] + [1] * old.missing)
    starts = np.cumsum(sizes) - sizes
    codes = [place[alias] for group in groups for alias in (group or (names[0],))]
    lookup_codes = np.array([*codes, *([len(names)] * old.missing)]).astype(code_type(domain.size))
    bits = _bits_of(chosen.column, seed, digests)
    drawn = (
        lookup_codes[starts[some] + below(sizes[some], next(bits))]
        for some in stretches(column.codes)
    )
    return Coded(domain, Pieces().joined(drawn, lookup_codes.dtype.type, len(column.codes)))


def _bits_of(column: str, seed: int | None, digests: Digests | None) -> Iterator[RowBits | None]:
    """The bits that belong to rows, some rows at a time; none where nothing is to be repeated."""
    if seed is None or digests is None:
        yield from repeat(None)
        return
    for some in stretches(digests):
        yield RowBits(seed, f"homophones:{column}", of_digests(some))
