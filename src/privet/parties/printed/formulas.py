"""Linear and logistic models: coefficients of masked columns, for affine masks.

With n = (x - a) / w a term c n is (c / w) x - c a / w: the coefficient is divided by the width of
the groups, and the constant takes up the rest. A masked response multiplies everything by its own
width. Decoded formulas give for originals exactly what the printed ones give for masked values.
"""

import math
import re
from fractions import Fraction

from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import NUMBER, certain_text, exact_text, printed
from privet.parties.printed.page import Page

_UNEQUAL = "coefficients of unequal groups cannot be decoded"
_MOST_EXPONENT = 700
_TERM = re.compile(
    rf"^[ \t]*(?P<number>[+-]?[ \t]*{NUMBER})(?:[ \t]*\*[ \t]*(?P<name>\S[^\n]*?))?"
    r"(?P<plus>[ \t]*\+)?[ \t]*$",
    re.MULTILINE,
)


def read_formulas(page: Page) -> None:
    """Claim every linear and logistic model of WEKA."""
    for found in page.free(r"^(?P<name>\S[^\n=]*?) =[ \t]*\n(?:[ \t]*\n)?(?=[ \t]*[+-]?[ \t]*\d)"):
        _read_linear(page, found)
    _read_logistic(page)


def _read_linear(page: Page, found: re.Match[str]) -> None:
    """A response and, line by line, its terms; the constant comes last."""
    terms = []
    place = found.end()
    while term := _TERM.match(page.text, place):
        terms.append(term)
        place = term.end() + 1
        if not term["name"]:
            break
    target = page.mask(found["name"])
    if not terms or terms[-1]["name"] or not _are_affine(page, found, terms):
        return
    scale, shift = Fraction(1), Fraction(0)
    if isinstance(target, NumberMask):
        shift, scale = target.grading.affine()
        page.claim(*found.span("name"), target.column)
    constant = _number(terms[-1])
    for term in terms[:-1]:
        mask = page.mask(term["name"])
        if isinstance(mask, NumberMask):
            start, width = mask.grading.affine()
            constant -= _number(term) * start / width
            page.claim(*term.span("number"), _signed(term, scale * _number(term) / width))
            page.claim(*term.span("name"), mask.column)
        elif scale != 1:
            page.claim(*term.span("number"), _signed(term, scale * _number(term)))
    page.claim(*terms[-1].span("number"), _signed(terms[-1], scale * constant + shift))


def _number(term: re.Match[str]) -> Fraction:
    return Fraction(re.sub(r"\s", "", term["number"]))


def _are_affine(page: Page, found: re.Match[str], terms: list[re.Match[str]]) -> bool:
    named = [(found["name"], found.start()), *((t["name"] or "", t.start()) for t in terms)]
    masks = [(page.mask(name), place) for name, place in named]
    for mask, place in masks:
        if isinstance(mask, NumberMask) and not mask.is_affine:
            page.fail(mask, place, _UNEQUAL)
            return False
    return True


def _signed(term: re.Match[str], value: Fraction) -> str:
    """The number with its sign where the formula had one: `+ 0.5`, `- 0.5`, `-0.5`."""
    sign = re.match(r"[+-][ \t]+", term["number"])
    if not sign:
        return exact_text(value)
    return ("- " if value < 0 else "+ ") + exact_text(abs(value))


# -- logistic models -------------------------------------------------------------------------------

_ROWS = r"[^\n]*\n[ \t]+Class[ \t]*\nVariable[^\n]*\n=+[ \t]*\n(?P<rows>(?:\S[^\n]*\n?)+)"
_ROW = re.compile(rf"^(?P<name>\S[^\n]*?)(?P<cells>(?:[ \t]+{NUMBER})+)[ \t]*$", re.MULTILINE)


def _read_logistic(page: Page) -> None:
    """Coefficients of each class, and below them their powers of e."""
    for found in page.free(rf"^Coefficients\.\.\.{_ROWS}"):
        rows = {r["name"]: r for r in _ROW.finditer(page.text, *found.span("rows"))}
        decoded = _coefficients(page, rows)
        ratios = re.compile(rf"\s*^Odds Ratios\.\.\.{_ROWS}", re.MULTILINE)
        below = ratios.match(page.text, found.end())
        for row in _ROW.finditer(page.text, *below.span("rows")) if below else ():
            mask = page.mask(row["name"])
            if isinstance(mask, NumberMask):
                if row["name"] not in decoded:
                    page.fail(mask, row.start(), _UNEQUAL)
                    continue
                page.claim(*row.span("name"), mask.column)
                for cell, half in zip(_cells(row), decoded[row["name"]], strict=False):
                    _claim_cell(page, row, cell, _power_of_e(*half))


def _coefficients(
    page: Page, rows: dict[str, re.Match[str]]
) -> dict[str, list[tuple[Fraction, Fraction]]]:
    """Claim the coefficients of masked columns and the intercept; the intervals of the former."""
    decoded: dict[str, list[tuple[Fraction, Fraction]]] = {}
    shifts: list[Fraction] = []
    for name, row in rows.items():
        mask = page.mask(name)
        if not isinstance(mask, NumberMask):
            continue
        if not mask.is_affine or "Intercept" not in rows:
            page.fail(mask, row.start(), _UNEQUAL)
            continue
        start, width = mask.grading.affine()
        page.claim(*row.span("name"), mask.column)
        cells = _cells(row)
        shifts = shifts or [Fraction(0)] * len(cells)
        decoded[name] = []
        for number, cell in enumerate(cells):
            interval = printed(cell[1])
            if interval is None:
                page.fail(mask, row.start(), "a number that is too long")
                break
            _claim_cell(page, row, cell, exact_text(Fraction(cell[1]) / width))
            shifts[number] -= Fraction(cell[1]) * start / width
            decoded[name].append((interval.low / width, interval.high / width))
    for shift, cell in zip(shifts, _cells(rows["Intercept"]) if shifts else (), strict=True):
        _claim_cell(page, rows["Intercept"], cell, exact_text(Fraction(cell[1]) + shift))
    return decoded


def _cells(row: re.Match[str]) -> list[re.Match[str]]:
    return list(re.finditer(rf"[ \t]+({NUMBER})", row["cells"]))


def _claim_cell(page: Page, row: re.Match[str], cell: re.Match[str], text: str) -> None:
    start = row.start("cells")
    shown = text.rjust(len(cell[0]))
    page.claim(
        start + cell.start(), start + cell.end(), shown if shown.startswith(" ") else " " + shown
    )


def _power_of_e(low: Fraction, high: Fraction) -> str:
    if high > _MOST_EXPONENT or low < -_MOST_EXPONENT:
        return "0" if low < 0 else "inf"
    return certain_text(Fraction(math.exp(low)), Fraction(math.exp(high)))
