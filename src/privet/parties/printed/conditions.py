"""Tests of a column, in all usual spellings: `H_age <= 3.25`, `2.5 < H_age <= 3.25`,
`H_age in [2.5, 3.25)`, `H_age between 2.5 and 3.25`, `H_age='(-inf-3.25]'`, `H_sex = sex_2`,
`H_sex_sex_2 > 0.5`. What `tables` and `formulas` have claimed is left alone.
"""

import re

from privet.parties.category_mask import CategoryMask
from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import NUMBER
from privet.parties.printed.page import Page

_BLANK, _GAP = r"[ \t]*+", r"[ \t]++"
_SIGN = r"<=|>=|≤|≥|<|>"
_EQUAL = r"===?|!=|<>|≠|="
_TURNED = {"<=": ">=", ">=": "<=", "≤": "≥", "≥": "≤", "<": ">", ">": "<"}
# A number ends here, and is no part of a formula or of a range.
_ALONE = rf"(?!\w|[.,]\d|{_BLANK}[*/^+]|{_BLANK}[–-]{_BLANK}[\d.])"
_BEFORE = r"(?<![\w.,*/+-])"
_QUOTE = r"[\\'\"`]*+"
_INFINITE = r"[-+]?(?:inf(?:inity|ty)?|Inf|∞)"
_INTERVAL = (
    rf"{_QUOTE}(?P<open>[(\[\]]){_BLANK}(?P<low>{_INFINITE}|{NUMBER}){_BLANK}(?:,|;|\.\.++|-|to|:)"
    rf"{_BLANK}(?P<high>{_INFINITE}|{NUMBER}){_BLANK}(?P<close>[)\]\[]){_QUOTE}"
)
_NO_VALUE = rf"(?:{_GAP}is{_GAP}(?:not{_GAP})?(?:missing|null|NA)\b|{_BLANK}={_BLANK}\?)"
UNKNOWN = "a number that its mask cannot give"
_UNKNOWN_LABEL = "a label that the codebook does not hold"


def read_conditions(page: Page) -> None:
    """Claim every test of a column."""
    _read_absences(page)
    _read_intervals(page)
    _read_between(page)
    _read_tests_with_number_first(page)
    _read_tests(page)
    _read_categories(page)
    _read_aliases(page)


# -- numbers ---------------------------------------------------------------------------------------


def _read_tests(page: Page) -> None:
    """`H_age <= 3.25`, with `and > 2.5` behind it where the name is not said again."""
    test = rf"{_BLANK}(?:{_SIGN}|{_EQUAL}){_BLANK}{NUMBER}{_ALONE}"
    more = rf"(?:{_BLANK}(?:and|AND|&&?|,){_BLANK}(?:{_SIGN}){_BLANK}{NUMBER}{_ALONE})*+"
    pattern = rf"(?P<name>{page.number_name})(?P<rest>{test}{more})"
    for found in page.free(pattern):
        mask = page.number(found["name"])
        start = found.start("rest")
        decoded = re.sub(
            rf"({_SIGN}|{_EQUAL})({_BLANK})({NUMBER})",
            lambda part: _tested(page, mask, part, start),  # noqa: B023 - used at once
            found["rest"],
        )
        page.claim(found.start(), found.end(), mask.column + decoded)


def _tested(page: Page, mask: NumberMask, part: re.Match[str], start: int) -> str:
    sign, blank, number = part.groups()
    place = start + part.start()
    if re.fullmatch(_EQUAL, sign):
        value = page.value(mask, number, place)
        if value is None:
            page.fail(mask, place, UNKNOWN)
        return f"{sign}{blank}{value}"
    cut = page.cut(mask, sign, number, place)
    if cut is None:
        page.fail(mask, place, UNKNOWN)
        return part[0]
    return f"{sign}{blank}{cut[0]}{cut[1]}"


def _read_tests_with_number_first(page: Page) -> None:
    """`2.5 < H_age <= 3.25`, and its first half alone."""
    pattern = (
        rf"{_BEFORE}(?P<first>{NUMBER})(?P<a>{_BLANK})(?P<sign>{_SIGN})(?P<b>{_BLANK})"
        rf"(?P<name>{page.number_name})"
        rf"(?:(?P<c>{_BLANK})(?P<sign2>{_SIGN})(?P<d>{_BLANK})(?P<second>{NUMBER}){_ALONE})?"
    )
    for found in page.free(pattern):
        mask = page.number(found["name"])
        first = page.cut(mask, _TURNED[found["sign"]], found["first"], found.start())
        second = ("", "")
        if found["second"]:
            cut = page.cut(mask, found["sign2"], found["second"], found.start("second"))
            second = cut or second
            first = first if cut else None
        if first is None:
            page.fail(mask, found.start(), UNKNOWN)
            continue
        said = f"{first[0]}{first[1]}{found['a']}{found['sign']}{found['b']}{mask.column}"
        if found["second"]:
            said += f"{found['c']}{found['sign2']}{found['d']}{second[0]}{second[1]}"
        page.claim(found.start(), found.end(), said)


def _read_between(page: Page) -> None:
    pattern = (
        rf"(?P<name>{page.number_name})(?P<verb>{_GAP}(?:is{_GAP})?(?:between|BETWEEN){_GAP})"
        rf"(?P<low>{NUMBER})(?P<and>{_GAP}(?:and|AND){_GAP})(?P<high>{NUMBER}){_ALONE}"
    )
    for found in page.free(pattern):
        mask = page.number(found["name"])
        low = page.cut(mask, ">=", found["low"], found.start())
        high = page.cut(mask, "<=", found["high"], found.start())
        if low is None or high is None:
            page.fail(mask, found.start(), UNKNOWN)
            continue
        said = f"{mask.column}{found['verb']}{low[0]}{found['and']}{high[0]}"
        page.claim(found.start(), found.end(), said)


def _read_intervals(page: Page) -> None:
    """A name and one or more intervals: `H_age in [2.5, 3.25)`, headings of a cross table."""
    plain = re.sub(r"\?P<\w+>", "?:", _INTERVAL)
    link = rf"(?:{_BLANK}(?:===?|=|!=|in|not in|∈|:|is)?+{_BLANK}|[_.])"
    pattern = rf"(?P<name>{page.number_stem}){link}(?P<all>{plain}(?:{_GAP}{plain})*+)"
    for found in page.free(pattern):
        mask = page.number(found["name"])
        start = found.start("all")
        decoded = re.sub(
            _INTERVAL,
            lambda part: interval(page, mask, part, start) or part[0],  # noqa: B023
            found["all"],
        )
        between = page.text[found.end("name") : start]
        page.claim(found.start(), found.end(), f"{mask.column}{between}{decoded}")


def interval(page: Page, mask: NumberMask, part: re.Match[str], start: int = 0) -> str | None:
    """An interval with both ends decoded; None if one of them fails."""
    ends = {
        "low": ">=" if part["open"] == "[" else ">",
        "high": "<=" if part["close"] == "]" else "<",
    }
    said = part[0]
    for name in ("high", "low"):  # from behind, so that places stay right
        if re.fullmatch(_INFINITE, part[name]):
            continue
        cut = page.cut(mask, ends[name], part[name], start + part.start(name))
        if cut is None:
            page.fail(mask, start + part.start(), UNKNOWN)
            return None
        begin, end = (place - part.start() for place in part.span(name))
        said = said[:begin] + cut[0] + said[end:]
    return said


def read_interval(page: Page, mask: NumberMask, text: str, place: int) -> str | None:
    """A cell that is one interval; None if it is something else, or fails."""
    found = re.fullmatch(_INTERVAL, text)
    return interval(page, mask, found, place) if found else None


# -- categories ------------------------------------------------------------------------------------


def _read_absences(page: Page) -> None:
    for found in page.free(rf"(?P<name>{page.any_name}){_NO_VALUE}"):
        mask = page.mask(found["name"])
        assert mask is not None
        page.claim(found.start(), found.end("name"), mask.column)


def _read_categories(page: Page) -> None:
    """Names before an alias: `H_sex = sex_2`, and glued to it as one-hot columns are."""
    before = rf"(?:{_BLANK}(?:{_EQUAL}|∈|:|%in%)|{_GAP}(?:in|not in|is not|is))"
    link = rf"{before}{_BLANK}[\[({{]?+{_BLANK}{_QUOTE}"
    for mask in page.categories:
        name, alias = page.spelt(mask), _alias(mask)
        for found in page.free(rf"(?<!\w){name}[_.]?(?P<alias>{alias})"):
            label = _label(page, mask, found["alias"], found.start())
            page.claim(found.start(), found.end(), f"{mask.column}={label}")
        for found in page.free(rf"(?<!\w){name}(?={link}{alias})"):
            page.claim(found.start(), found.end(), mask.column)


def _read_aliases(page: Page) -> None:
    for mask in page.categories:
        for found in page.free(rf"(?<!\w){_alias(mask)}"):
            label = _label(page, mask, found[0], found.start())
            in_a_row = page.text.startswith("  ", found.end())  # keep the columns of a table
            page.claim(*found.span(), label.ljust(len(found[0])) if in_a_row else label)


def _alias(mask: CategoryMask) -> str:
    """What an alias of a column looks like, known or not."""
    return rf"{re.escape(mask.column)}_+\d+(?!\w)"


def _label(page: Page, mask: CategoryMask, alias: str, place: int) -> str:
    label = mask.label_of.get(alias)
    if label is None:
        page.fail(mask, place, _UNKNOWN_LABEL)
    return label or alias
