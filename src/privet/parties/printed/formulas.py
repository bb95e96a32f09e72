"""Linear and logistic models: coefficients of masked columns, for affine masks.

With n = (x - a) / w a term c n is (c / w) x - c a / w: the coefficient is divided by the width of
the groups, and the constant takes up the rest. A masked response multiplies everything by its own
width. Decoded formulas give for originals exactly what the printed ones give for masked values.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import NUMBER, certain_text, exact_text, printed, value_of
from privet.parties.printed.page import Page

_UNEQUAL = "coefficients of unequal groups cannot be decoded"
_NO_NUMBER = "a coefficient that is not known"
_MOST_EXPONENT = 700
_START_OF_TERM = re.compile(rf"[ \t]*+(?P<number>[+-]?[ \t]*+{NUMBER})[ \t]*+")
_SHARE = re.compile(r"\[[\d.]++/[\d.]++%\]")  # of records, and the error: behind a rule of M5Rules


@dataclass(frozen=True)
class _Term:
    """A line of a formula: a number, its place, and the name that it is multiplied by, if any."""

    number: str
    name: str
    place: int
    name_place: int

    @property
    def value(self) -> Fraction | None:
        """None for what no float can hold, and for two signs: `+ -1`."""
        return value_of(re.sub(r"\s", "", self.number))


def _term(text: str, start: int) -> _Term | None:
    """The term in the line that begins at a place; None if it is something else."""
    line = text[start:].partition("\n")[0]
    found = _START_OF_TERM.match(line)
    if not found:
        return None
    rest = line[found.end() :].rstrip().removesuffix("+").rstrip()
    place = start + found.start("number")
    if not rest or _SHARE.fullmatch(rest):
        return _Term(found["number"], "", place, place)
    if not rest.startswith("*"):
        return None
    name = rest[1:].strip()
    return _Term(found["number"], name, place, start + line.index(name, found.end()))


def read_formulas(page: Page) -> None:
    """Claim every linear and logistic model of WEKA."""
    for found in page.free(r"^(?P<name>\S[^\n=]*?) =[ \t]*\n(?:[ \t]*\n)?(?=[ \t]*[+-]?[ \t]*\d)"):
        target = page.mask(found["name"])
        page.responses[found.start()] = target if isinstance(target, NumberMask) else None
        _read_linear(page, found)
    _read_logistic(page)


def _read_linear(page: Page, found: re.Match[str]) -> None:
    """A response and, line by line, its terms; the constant comes last."""
    terms: list[_Term] = []
    start = found.end()
    while (not terms or terms[-1].name) and (term := _term(page.text, start)):
        terms.append(term)
        start = page.text.find("\n", start) + 1 or len(page.text)
    if not terms or terms[-1].name:
        return
    values = _values(page, found, terms)
    if values is None:
        return
    scale, shift = Fraction(1), Fraction(0)
    target = page.responses[found.start()]
    if target is not None:
        shift, scale = page.number(found["name"]).grading.affine()
        page.claim(*found.span("name"), target.column)
    constant = values[-1]
    for term, value in zip(terms[:-1], values, strict=False):
        mask = page.mask(term.name)
        if isinstance(mask, NumberMask):
            start_of, width = page.number(term.name).grading.affine()
            constant -= value * start_of / width
            _claim_number(page, term, scale * value / width)
            page.claim(term.name_place, term.name_place + len(term.name), mask.column)
        elif scale != 1:
            _claim_number(page, term, scale * value)
    _claim_number(page, terms[-1], scale * constant + shift)


def _values(page: Page, found: re.Match[str], terms: list[_Term]) -> list[Fraction] | None:
    """The numbers of a formula; None, and its columns fail, if it cannot be decoded."""
    values = [term.value for term in terms]
    read = [value for value in values if value is not None]
    named = [(found["name"], found.start()), *((term.name, term.place) for term in terms)]
    is_decoded = len(read) == len(terms)
    for name, place in named:
        mask = page.mask(name)
        if isinstance(mask, NumberMask) and not (mask.is_affine and len(read) == len(terms)):
            page.fail(mask, place, _UNEQUAL if not mask.is_affine else _NO_NUMBER)
            is_decoded = False
    return read if is_decoded else None


def _claim_number(page: Page, term: _Term, value: Fraction) -> None:
    """The number with its sign where the formula had one: `+ 0.5`, `- 0.5`, `-0.5`."""
    text = exact_text(value)
    if re.match(r"[+-][ \t]", term.number):
        text = ("- " if value < 0 else "+ ") + exact_text(abs(value))
    page.claim(term.place, term.place + len(term.number), text)


# -- logistic models -------------------------------------------------------------------------------

_ROWS = r"[^\n]*\n[ \t]+Class[ \t]*\nVariable[^\n]*\n=+[ \t]*\n(?P<rows>(?:\S[^\n]*\n?)+)"


_Ends = tuple[Fraction, Fraction]  # of an interval


@dataclass(frozen=True)
class _Row:
    """A line of a table: a name, and the numbers that end the line, each with its place."""

    name: str
    place: int
    cells: tuple[tuple[str, int], ...]


def _rows(page: Page, start: int, end: int) -> Iterator[_Row]:
    for line in re.finditer(r"[^\n]+", page.text[start:end]):
        words = list(re.finditer(r"\S+", line[0]))
        first = len(words)
        while first > 1 and re.fullmatch(NUMBER, words[first - 1][0]):
            first -= 1
        place = start + line.start()
        cells = tuple((word[0], place + word.start()) for word in words[first:])
        yield _Row(line[0][: words[first - 1].end()] if words else "", place, cells)


def _read_logistic(page: Page) -> None:
    """Coefficients of each class, and below them their powers of e."""
    for found in page.free(rf"^Coefficients\.\.\.{_ROWS}"):
        decoded = _coefficients(page, list(_rows(page, *found.span("rows"))))
        ratios = re.compile(rf"\s*+^Odds Ratios\.\.\.{_ROWS}", re.MULTILINE)
        below = ratios.match(page.text, found.end())
        for row in _rows(page, *below.span("rows")) if below else ():
            mask = page.mask(row.name)
            if not isinstance(mask, NumberMask):
                continue
            if len(decoded.get(row.name, ())) != len(row.cells):
                page.fail(mask, row.place, _UNEQUAL)
                continue
            page.claim(row.place, row.place + len(row.name), mask.column)
            for cell, ends in zip(row.cells, decoded[row.name], strict=True):
                _claim_cell(page, cell, _power_of_e(*ends))


def _coefficients(page: Page, rows: list[_Row]) -> dict[str, list[_Ends]]:
    """Claim the coefficients of masked columns and the intercept; the intervals of the former."""
    decoded: dict[str, list[_Ends]] = {}
    cells = next((row.cells for row in rows if row.name == "Intercept"), ())
    intercepts = [value_of(text) for text, _ in cells]
    known = [value for value in intercepts if value is not None]
    for row in rows:
        mask = page.mask(row.name)
        if not isinstance(mask, NumberMask):
            continue
        if len(known) != len(cells):
            page.fail(mask, row.place, _NO_NUMBER)
        elif intervals := _slopes(page, row, mask, known):
            decoded[row.name] = intervals
    for value, cell in zip(known, cells if decoded else (), strict=False):
        _claim_cell(page, cell, exact_text(value))
    return decoded


def _slopes(
    page: Page, row: _Row, mask: NumberMask, intercepts: list[Fraction]
) -> list[_Ends] | None:
    """Claim the coefficients of one column; the intercepts are moved by what they take up."""
    intervals = [printed(text) for text, _ in row.cells]
    values = [value_of(text) for text, _ in row.cells]
    if not mask.is_affine or len(intervals) != len(intercepts) or None in values:
        page.fail(mask, row.place, _UNEQUAL)
        return None
    start, width = page.number(row.name).grading.affine()
    page.claim(row.place, row.place + len(row.name), mask.column)
    for number, (cell, value) in enumerate(zip(row.cells, values, strict=True)):
        assert value is not None
        _claim_cell(page, cell, exact_text(value / width))
        intercepts[number] -= value * start / width
    return [(i.low / width, i.high / width) for i in intervals if i]


def _claim_cell(page: Page, cell: tuple[str, int], text: str) -> None:
    """A cell in its place; what is longer moves to the left where there are blanks."""
    number, place = cell
    start = place
    while len(text) > place + len(number) - start and page.text.startswith("  ", start - 2):
        start -= 1
    page.claim(start, place + len(number), text.rjust(place + len(number) - start))


def _power_of_e(low: Fraction, high: Fraction) -> str:
    if high > _MOST_EXPONENT or low < -_MOST_EXPONENT:
        return "0" if low < 0 else "inf"
    return certain_text(Fraction(math.exp(low)), Fraction(math.exp(high)))
