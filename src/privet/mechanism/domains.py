"""Public domains: how the values of a column become the few codes that a matrix works on.

Categories keep their labels. Numbers and dates fall into bins of equal width, each shown by one
value (its centre, its lower end, or any value inside, drawn); few whole numbers need no bins. A
domain comes from the schema, so that it says nothing of the records; one taken from the records is
marked as such. `matrices` has what is done to the codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet.errors import InputError, InvalidParameter, UsageError, param
from privet.mechanism.identities import Identities, numbered
from privet.mechanism.row_bits import RowBits
from privet.randomness import generator
from privet.schema import Column, Kind
from privet.table import Coded, Codes, Domain, Value, code_type, parse_iso

Representative = Literal["centre", "lower", "random"]
REPRESENTATIVES: tuple[str, ...] = get_args(Representative)
_MOST_BINS = 1 << 16  # each of them takes exact arithmetic
_ROUNDED = 1e-14  # of a decimal: no file format that Privet writes loses more,
_ROUNDED_TIME = 1000  # nor more microseconds of a time


@dataclass(frozen=True, eq=False)
class ColumnDomain:
    """What a column may hold. `shown` are the values of the codes, in order; missing is the last.

    `edges` are the ends of the bins, the first of them included and the last as well (it is the
    start of the last bin where that holds one value alone); None where each value is a code of its
    own.
    """

    column: str
    shown: Domain
    edges: npt.NDArray[Any] | None = None
    other: str | None = None
    representative: Representative = "centre"
    from_data: bool = False

    @property
    def size(self) -> int:
        return self.shown.size

    def encode(self, column: Coded) -> Codes:
        """The code of each record; what lies outside is `other`, or an error."""
        lookup = self._lookup(column)
        return lookup.astype(code_type(self.size))[column.codes]

    def refuse_outside(self, column: Coded) -> None:
        """The same error for a whole column, before any part of it is encoded."""
        self._lookup(column)

    def refuse_undrawn(self, column: Coded) -> None:
        """Refuse cells that no draw can show.

        Originals lie anywhere in their bins and have labels that `other` stands for; what is drawn
        is one of the shown values, or any value of a bin where representatives are random.
        """
        domain = column.domain
        can_be_drawn = self.codes_of(domain) >= 0
        if self.representative != "random" or self.edges is None:
            shown = set(self.shown.values.tolist())
            can_be_drawn[: len(domain.values)] = [v in shown for v in domain.values.tolist()]
        undrawn = int(column.counts()[~can_be_drawn].sum())
        if undrawn:
            raise UsageError(
                f"Column '{self.column}' has {undrawn} cells that its matrix cannot draw.",
                "take the table that was written with this mechanism.",
            )

    def restored(self, column: Coded) -> Coded:
        """The column as it was drawn, where a file has rounded shown values: Excel keeps 15 digits
        of a decimal, SPSS milliseconds of a time. A value rounded down may lie one bin too low."""
        shown, values = self.shown.values, column.domain.values
        lossy = self.shown.kind in (Kind.DECIMAL, Kind.DATETIME) and column.domain.kind.is_ordered
        is_random = self.representative == "random" and self.edges is not None
        if is_random or not lossy or not len(shown) or np.isin(values, shown).all():
            return column
        after = np.searchsorted(shown, values).clip(0, len(shown) - 1)
        before = (after - 1).clip(0)
        nearest = np.where(values - shown[before] < shown[after] - values, before, after)
        by = _ROUNDED_TIME if self.shown.kind is Kind.DATETIME else _ROUNDED * np.abs(values)
        found = np.where(np.abs(values - shown[nearest]) <= by, shown[nearest], values)
        missing = column.codes == len(values)
        per_record = found[np.where(missing, 0, column.codes)]
        return Coded.of(per_record, self.shown.kind, missing)

    def _lookup(self, column: Coded) -> npt.NDArray[np.int64]:
        lookup = self.codes_of(column.domain)
        if (lookup < 0).any():
            outside = int(column.counts()[lookup < 0].sum())
            if outside:
                raise self._outside(column, lookup, outside)
        return lookup

    def codes_of(self, domain: Domain) -> npt.NDArray[np.int64]:
        """For each code of another domain of this column, the code here; -1 is outside."""
        if domain.kind.is_ordered != self.shown.kind.is_ordered and len(domain.values):
            raise InputError(
                f"Column '{self.column}' holds {domain.kind} values, "
                f"its domain {self.shown.kind} values.",
                "read it as its domain says: its kind in the schema.",
            )
        codes = np.full(domain.size, -1, dtype=np.int64)
        known = self.shown.values
        if self.edges is None:
            place = {value: code for code, value in enumerate(known.tolist())}
            of_other = -1 if self.other is None else place[self.other]
            codes[: len(domain.values)] = [place.get(v, of_other) for v in domain.values.tolist()]
        else:
            last = len(self.edges) - 2
            inside = (domain.values >= self.edges[0]) & (domain.values <= self.edges[-1])
            bins = np.searchsorted(self.edges, domain.values, side="right") - 1
            codes[: len(domain.values)] = np.where(inside, np.minimum(bins, last), -1)
        if domain.missing and self.shown.missing:
            codes[-1] = len(known)
        return codes

    def shows_its_own_bins(self) -> bool:
        """Whether each shown value lies in the bin that it stands for."""
        bins = self.codes_of(Domain(self.shown.kind, self.shown.values))
        return self.edges is None or bool((bins == np.arange(len(bins))).all())

    def is_as_made(self) -> bool:
        """Whether bins and shown values are those that Privet makes between these ends."""
        kind, values = self.shown.kind, self.shown.values
        if self.from_data and self.other is not None:
            return False
        if self.edges is None:
            if self.representative != "centre" or self.from_data or kind is Kind.CATEGORY:
                return self.representative == "centre"
            whole = kind.is_integral and len(values) > 0
            return whole and int(values[-1]) - int(values[0]) < len(values)
        ends = self.edges[0].item(), self.edges[-1].item()
        try:
            made = _range(self.column, kind, *ends, len(values), self.representative, False)
        except (UsageError, ValueError, OverflowError):  # too narrow, or no numbers
            return False
        if made.edges is None or not np.array_equal(made.edges, self.edges):
            return False
        return np.array_equal(made.shown.values, values)

    def decode(
        self,
        codes: Codes,
        seed: int | None = None,
        rows: Identities | None = None,
        purpose: str = "",
    ) -> Coded:
        """A column of shown values; random representatives are drawn anew for each record, with a
        seed by who the rows are and by the purpose that their codes were drawn for."""
        if self.representative != "random" or self.edges is None:
            return Coded(self.shown, codes)
        missing = codes == len(self.shown.values) if self.shown.missing else codes < 0
        low = self.edges[:-1][np.minimum(codes, len(self.edges) - 2)]
        high = self.edges[1:][np.minimum(codes, len(self.edges) - 2)]
        share = self._shares(len(codes), seed, rows, purpose)
        values = low + share * (high - low)
        if self.shown.kind.is_integral:
            # the last bin ends at its last value, every other one before the next bin
            last = np.where(codes == len(self.edges) - 2, high, high - 1)
            values = np.minimum(low + np.floor(share * (last - low + 1)), last).astype(np.int64)
        return Coded.of(values, self.shown.kind, missing)

    def _shares(
        self, number: int, seed: int | None, rows: Identities | None, purpose: str
    ) -> npt.NDArray[np.float64]:
        if seed is None:
            return generator(None).random(number)
        known = numbered(number) if rows is None else rows
        # by purpose: places inside bins would tell whose a row is in the release of another matrix
        return RowBits(seed, f"representative:{self.column}:{purpose}", known).shares()

    def labels(self) -> list[Value]:
        return [self.shown.value(code) for code in range(self.size)]

    def _outside(self, column: Coded, lookup: npt.NDArray[np.int64], outside: int) -> UsageError:
        missing_code = column.domain.missing_code
        if missing_code is not None and lookup[missing_code] < 0 and (lookup < 0).sum() == 1:
            return UsageError(
                f"Column '{self.column}' has {outside} missing cells, its domain has none.",
                f"add may_be_missing = true to [columns.{self.column}] of the schema.",
            )
        return UsageError(
            f"Column '{self.column}' has {outside} cells outside its domain.",
            f"widen domain in [columns.{self.column}] of the schema"
            + ("." if self.shown.kind.is_ordered else ', or declare other = "other".'),
        )


def refuse_undeclared(columns: Sequence[Column]) -> None:
    """Refuse columns without a public domain, all of them at once."""
    lacking = [column.name for column in columns if column.domain is None]
    if not lacking:
        return
    others = f", nor for {', '.join(lacking[1:])}" if len(lacking) > 1 else ""
    raise UsageError(
        f"The schema declares no domain for column '{lacking[0]}'{others}.",
        f"add domain = [low, high] or a list of categories to [columns.{lacking[0]}], or give "
        f"{param('domain_from_data', True)} (the ends of the data then become public).",
    )


def declared_domain(
    column: Column, bins: int, representative: Representative = "centre"
) -> ColumnDomain:
    """The domain that a schema declares for a column; `bins` where it names no number."""
    if representative not in REPRESENTATIVES:
        must = "one of " + ", ".join(REPRESENTATIVES)
        raise InvalidParameter("representative", must, representative)
    refuse_undeclared([column])
    public = column.domain
    assert public is not None
    if column.kind is Kind.CATEGORY:
        labels = {str(v) for v in public.values}
        if public.other is not None:
            labels.add(public.other)
        values = np.array(sorted(labels), dtype=object)
        shown = Domain(Kind.CATEGORY, values, public.may_be_missing)
        return ColumnDomain(column.name, shown, None, public.other)
    low, high = (_number(v, column) for v in public.values)
    if low >= high:
        raise UsageError(
            f"The domain of column '{column.name}' must rise from its lower to its upper end.",
            "write domain = [low, high].",
        )
    count = bins if public.bins is None else public.bins
    return _range(column.name, column.kind, low, high, count, representative, public.may_be_missing)


def domain_from_data(
    name: str, column: Coded, bins: int, representative: Representative = "centre"
) -> ColumnDomain:
    """The domain that the records happen to have. It leaks their ends and which values occur."""
    domain = column.domain
    occurs = column.counts() > 0
    values = domain.values[occurs[: len(domain.values)]]
    missing = bool(domain.missing and occurs[-1])
    if domain.kind is Kind.CATEGORY or len(values) <= bins:
        return ColumnDomain(name, Domain(domain.kind, values, missing), from_data=True)
    low, high = values[0].item(), values[-1].item()
    found = _range(name, domain.kind, low, high, bins, representative, missing)
    return ColumnDomain(name, found.shown, found.edges, None, representative, True)


def _range(
    name: str,
    kind: Kind,
    low: Any,
    high: Any,
    bins: int,
    representative: Representative,
    missing: bool,
) -> ColumnDomain:
    if bins < 2:
        raise InvalidParameter("The number of bins", "at least 2", bins, "20 is a usual start.")
    starts: npt.NDArray[Any]
    centres: npt.NDArray[Any]
    edges: npt.NDArray[Any]
    if kind.is_integral:
        span = high - low + 1
        if span <= bins:
            return ColumnDomain(name, Domain(kind, np.arange(low, high + 1), missing))
    if bins > _MOST_BINS:
        raise InvalidParameter(
            "The number of bins", f"at most {_MOST_BINS:,}", bins, "20 is a usual start."
        )
    if kind.is_integral:
        starts = np.array([low - (-i * span // bins) for i in range(bins)], dtype=np.int64)
        edges = np.append(starts, high)
        ends = np.append(starts[1:] - 1, high)
        centres = starts + (ends - starts) // 2
    else:
        steps = [Fraction(low) + (Fraction(high) - Fraction(low)) * i / bins for i in range(bins)]
        edges = np.array([*map(float, steps), high], dtype=np.float64)
        starts, centres = edges[:-1], edges[:-1] / 2 + edges[1:] / 2
    shown = Domain(kind, starts if representative == "lower" else centres, missing)
    found = ColumnDomain(name, shown, edges, None, representative)
    if len(np.unique(edges[:-1])) != bins or not found.shows_its_own_bins():
        raise UsageError(
            f"The domain of column '{name}' is too narrow for {bins} bins.", "use fewer bins."
        )
    return found


def _number(value: int | float | str, column: Column) -> Any:
    try:
        if column.kind is Kind.DECIMAL:
            return float(value)
        if column.kind is Kind.INTEGER:
            if int(value) != float(value):
                raise ValueError
            return int(value)
        return int(parse_iso(str(value), column.kind))
    except ValueError:
        raise InputError(
            f"The domain of column '{column.name}' has an end that is no {column.kind}.",
            "dates are written as ISO dates: 2024-01-31.",
        ) from None
