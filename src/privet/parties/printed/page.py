"""A printed text, and what has been read of it.

Each form that is understood claims its stretch of the text. At the end every place where a masked
name stands must be claimed: a name that stands where nobody understands it keeps its mask in the
whole text, and so do its numbers and labels.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import Printed, Styles, certain_text, printed
from privet.parties.printed.spellings import (
    ENDS,
    either,
    in_quotes,
    inside_longer,
    quoted_stretches,
    spellings_in,
)
from privet.schema import Kind
from privet.table import iso_text, text_of

ROUGH = "more decimals needed"
LONGER = "a longer name that holds it"
_ANYBODYS = "a name that may be of several columns here, or is not written so"


@dataclass
class Page:
    """A text with the masks by which it is read; `given_up` are those that have failed before.

    They are no longer decoded, but their names still count where several columns are spelt alike.
    """

    text: str
    masks: Mapping[str, ColumnMask]
    given_up: Mapping[str, ColumnMask] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    # Where a model of numbers says its response, and its mask; None if it is not ours.
    responses: dict[int, NumberMask | None] = field(default_factory=dict)
    listed: dict[str, int] = field(default_factory=dict)  # numbers named in lists, and where
    unless_tested: dict[str, tuple[int, str]] = field(default_factory=dict)  # why they would fail
    has_unnamed: bool = False  # whether numbers stand without a name that may be anybody's
    _tested: set[str] = field(default_factory=set)
    _claims: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.styles = Styles(self.text)
        self.categories = [m for m in self.masks.values() if isinstance(m, CategoryMask)]
        self._quoted = quoted_stretches(self.text)
        known = spellings_in(self.text, [*self.masks.values(), *self.given_up.values()])
        self._by_spelling = {s: m for s, m in known.sure.items() if m.masked_name in self.masks}
        self._unsure = known.unsure
        numbers = [s for s, m in self._by_spelling.items() if isinstance(m, NumberMask)]
        self.any_name = either(self._by_spelling) + ENDS
        self.number_stem = either(numbers)
        self.number_name = self.number_stem + ENDS

    # -- names -------------------------------------------------------------------------------------

    def number(self, name: str) -> NumberMask:
        """The mask of a number column whose numbers are about to be decoded."""
        mask = self._by_spelling[name]
        assert isinstance(mask, NumberMask)
        self._tested.add(mask.masked_name)
        return mask

    def mask(self, name: str) -> ColumnMask | None:
        return self._by_spelling.get(name)

    def spelt(self, mask: ColumnMask) -> str:
        """A pattern for the name of one column."""
        return either(s for s, owner in self._by_spelling.items() if owner is mask)

    # -- claims ------------------------------------------------------------------------------------

    def free(self, pattern: str) -> Iterator[re.Match[str]]:
        """The matches of a pattern in what nobody has claimed yet."""
        for found in re.finditer(pattern, self.text, re.MULTILINE):
            if self.is_free(found.start(), found.end()):
                yield found

    def is_free(self, start: int, end: int) -> bool:
        after = bisect_right(self._claims, (start, len(self.text) + 1, ""))
        before = self._claims[after - 1] if after else (0, 0, "")
        if before[1] > start:
            return False
        return after == len(self._claims) or self._claims[after][0] >= end

    def claim(self, start: int, end: int, replacement: str) -> None:
        """Say what a stretch of the text becomes."""
        if self.is_quoted(start):
            replacement = in_quotes(replacement)
        insort(self._claims, (start, end, replacement))

    def leave(self, start: int, end: int) -> None:
        """Say that a stretch of the text is not ours, or stays as it is."""
        insort(self._claims, (start, end, self.text[start:end]))

    def is_quoted(self, place: int) -> bool:
        """Whether a place is in a text in quotes of a DOT file."""
        number = bisect_right(self._quoted, (place, len(self.text) + 1))
        return number > 0 and place < self._quoted[number - 1][1]

    def fail(self, mask: ColumnMask | None, place: int, why: str) -> None:
        """A column of which something cannot be decoded."""
        if mask is not None and mask.masked_name not in self.failed:
            line = self.text.count("\n", 0, place) + 1
            self.failed[mask.masked_name] = f"line {line}: {why}"

    def remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

    def check_names(self) -> None:
        """Every masked name that nobody has claimed fails.

        So does a number column that is only listed, or whose masks may be among the classes, if
        there are numbers without a name.
        """
        for found in self.free(self.any_name):
            self.fail(self._by_spelling[found[0]], found.start(), "a form that is not known")
        for found in self.free(inside_longer(self._by_spelling)):
            self.fail(self._by_spelling[found[0]], found.start(), LONGER)
        for found in self.free(either(self._unsure) + ENDS):
            for mask in self._unsure[found[0]]:
                if mask.masked_name in self.masks:
                    self.fail(mask, found.start(), _ANYBODYS)
        for name, place in self.listed.items() if self.has_unnamed else ():
            if name not in self._tested:
                self.fail(self.masks[name], place, "numbers without a name may belong to it")
        for name, (place, why) in self.unless_tested.items():
            if name not in self._tested:
                self.fail(self.masks[name], place, why)

    def decoded(self) -> str:
        pieces, done = [], 0
        for start, end, replacement in self._claims:
            pieces += [self.text[done:start], replacement]
            done = end
        return "".join([*pieces, self.text[done:]])

    # -- numbers -----------------------------------------------------------------------------------

    def cut(self, mask: NumberMask, sign: str, number: str, place: int) -> tuple[str, str] | None:
        """A decoded cut, and the interval of cuts that are the same; None if there is none.

        The sign tells what lies left of the cut: `<` and `>=` put the cut itself to the right.
        """
        exact = self.styles.read(number, place)
        if exact is None:
            return None
        low, high = exact.outward()
        strict = sign in ("<", ">=", "≥", "=>")
        at_values = self.styles.at(place).at_values
        possible = mask.cuts_within(low, high, strict=strict, at_values=at_values)
        if possible is None:
            return None
        return self._shown_cut(mask, possible, strict, high if strict else low)

    def _shown_cut(
        self, mask: NumberMask, possible: list[int], strict: bool, beyond: float
    ) -> tuple[str, str]:
        first, last = (mask.neighbours(n) for n in (possible[0], possible[-1]))
        if len(possible) > 1:
            ends = [_end(mask, neighbours, strict) for neighbours in (first, last)]
            self.remark(
                f"{mask.column}: a cut is printed too roughly to tell between values; have the "
                "program print more decimals."
            )
            joined = " or " if len(possible) == 2 else " to "
            return joined.join(ends), f" [{ROUGH}]"
        at_most, below = first
        shown = below if strict else at_most
        if shown is None:  # beyond all values there is none to name: the mask itself is inverted
            return text_of(mask.grading.invert(beyond), Kind.DECIMAL), ""
        if at_most is None or below is None:
            return text_of(shown, mask.kind), ""
        low, high = text_of(at_most, mask.kind), text_of(below, mask.kind)
        return (high, f" ({low}, {high}]") if strict else (low, f" [{low}, {high})")

    def value(self, mask: NumberMask, number: str, place: int) -> str | None:
        """A decoded value of a column."""
        exact = self.styles.read(number, place)
        values = mask.values_within(*exact.outward()) if exact else []
        if len(values) <= 1:
            return text_of(values[0], mask.kind) if values else None
        self.remark(
            f"{mask.column}: a value is printed too roughly; have the program print more decimals."
        )
        ends = [text_of(value, mask.kind) for value in (values[0], values[-1])]
        return (" or " if len(values) == 2 else " to ").join(ends) + f" [{ROUGH}]"

    def mean(self, mask: NumberMask, number: str, place: int) -> str | None:
        return self._linear(mask, mask.mean_of, number, place)

    def spread(self, mask: NumberMask, number: str, place: int) -> str | None:
        return self._linear(mask, mask.spread_of, number, place)

    def _linear(
        self, mask: NumberMask, rule: Callable[[Fraction], Fraction], number: str, place: int
    ) -> str | None:
        """A mean or spread, in the digits that are certain; None if it fails."""
        if not mask.is_affine:
            self.fail(mask, place, "means and spreads of unequal groups cannot be decoded")
            return None
        exact: Printed | None = printed(number)
        if exact is None:
            self.fail(mask, place, "a number that is too long")
            return None
        low, high = rule(exact.low), rule(exact.high)
        if mask.kind in (Kind.DATE, Kind.DATETIME) and rule == mask.mean_of:
            return iso_text(round((low + high) / 2), mask.kind)
        return certain_text(low, high)


def _end(
    mask: NumberMask, neighbours: tuple[int | float | None, int | float | None], strict: bool
) -> str:
    """One of several possible cuts, by the value next to it."""
    at_most, below = neighbours
    value = below if strict else at_most
    if value is not None:
        return text_of(value, mask.kind)
    other = at_most if strict else below
    return ("above " if strict else "below ") + text_of(other, mask.kind)
