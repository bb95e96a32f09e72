"""Tests of a column, in all usual spellings: `H_age <= 3.25`, `2.5 < H_age <= 3.25`,
`H_age in [2.5, 3.25)`, `H_age between 2.5 and 3.25`, `H_age='(-inf-3.25]'`, `H_age is missing`.
What `tables`, `formulas` and `labels` have claimed is left alone.
"""

import re
from collections.abc import Iterator

from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import NUMBER
from privet.parties.printed.page import Page
from privet.parties.printed.surroundings import (
    BLANK,
    GAP,
    NAME_ALONE,
    begins_condition,
    ends_test,
    is_no_list,
)

_SIGN = r"<=|>=|≤|≥|<|>"
_EQUAL = r"===?|!=|<>|≠|="
_TURNED = {"<=": ">=", ">=": "<=", "≤": "≥", "≥": "≤", "<": ">", ">": "<"}
_JOINED = r"and|AND|or|OR|&&?|\|\|?|,|;"
_QUOTE = r"[\\'\"`]*+"
_INFINITE = r"[-+]?(?:inf(?:inity|ty)?|Inf|∞)"
_INTERVAL = (
    rf"(?P<open>[(\[\]]){BLANK}(?P<low>{_INFINITE}|{NUMBER}){BLANK}(?:,|;|\.\.++|-|to|:)"
    rf"{BLANK}(?P<high>{_INFINITE}|{NUMBER}){BLANK}(?P<close>[)\]\[])"
)
_NO_VALUE = rf"(?:{GAP}is{GAP}(?:not{GAP})?(?:missing|null|NA)\b|{BLANK}={BLANK}\?)"
UNKNOWN = "a number that its mask cannot give"


def read_conditions(page: Page) -> None:
    """Claim every test of a column."""
    _read_absences(page)
    _read_intervals(page)
    _read_between(page)
    _read_tests_with_number_first(page)
    _read_tests(page)


# -- numbers ---------------------------------------------------------------------------------------


def _read_tests(page: Page) -> None:
    """`H_age <= 3.25`, with `and > 2.5` behind it where the name is not said again."""
    test = rf"{BLANK}(?:{_SIGN}|{_EQUAL}){BLANK}{NUMBER}"
    more = rf"(?:{BLANK}(?:{_JOINED}){BLANK}(?:{_SIGN}){BLANK}{NUMBER})*+"
    pattern = rf"(?P<name>{page.number_name})(?P<rest>{test}{more})"
    for found in _conditions(page, pattern):
        if not ends_test(page.text, *found.span()):
            continue
        mask = page.number(found["name"])
        start = found.start("rest")
        decoded = re.sub(
            rf"({_SIGN}|{_EQUAL})({BLANK})({NUMBER})",
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
        rf"(?<![\w.,])(?P<first>{NUMBER})(?P<a>{BLANK})(?P<sign>{_SIGN})(?P<b>{BLANK})"
        rf"(?P<name>{page.number_name})"
        rf"(?:(?P<c>{BLANK})(?P<sign2>{_SIGN})(?P<d>{BLANK})(?P<second>{NUMBER})|{NAME_ALONE})"
    )
    for found in _conditions(page, pattern):
        start, end = found.span()
        ends = ends_test(page.text, start, end) if found["second"] else is_no_list(page.text, end)
        if not ends:
            continue
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
        rf"(?P<name>{page.number_name})(?P<verb>{GAP}(?:is{GAP})?(?:between|BETWEEN){GAP})"
        rf"(?P<low>{NUMBER})(?P<and>{GAP}(?:and|AND){GAP})(?P<high>{NUMBER})"
    )
    for found in _conditions(page, pattern):
        if not ends_test(page.text, *found.span()):
            continue
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
    plain = _QUOTE + re.sub(r"\?P<\w+>", "?:", _INTERVAL) + _QUOTE
    link = rf"(?:{BLANK}(?:===?|=|!=|in|not in|∈|:|is)?+{BLANK}|[_.])"
    more = rf"(?:{GAP}{plain})*+(?!{BLANK}[*/^+%])"
    pattern = rf"(?P<name>{page.number_stem}){link}(?P<all>{plain}{more})"
    for found in _conditions(page, pattern):
        if not is_no_list(page.text, found.end()):
            continue
        mask = page.number(found["name"])
        page.claim(*found.span("name"), mask.column)
        start = found.start("all")
        for part in re.finditer(_INTERVAL, found["all"]):
            said = interval(page, mask, part, start)
            if said is not None:
                page.claim(start + part.start(), start + part.end(), said)


def interval(page: Page, mask: NumberMask, part: re.Match[str], start: int = 0) -> str | None:
    """An interval with both ends decoded; None if one of them fails, or if it may be a list."""
    is_finite = not any(re.fullmatch(_INFINITE, part[name]) for name in ("low", "high"))
    if is_finite and part["open"] + part["close"] == "()":  # `in (7, 8)` of SQL
        page.fail(mask, start + part.start(), UNKNOWN)
        return None
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
    found = re.fullmatch(rf"({_QUOTE}){_INTERVAL}({_QUOTE})", text)
    return interval(page, mask, found, place) if found else None


# -- missing values --------------------------------------------------------------------------------


def _read_absences(page: Page) -> None:
    for found in _conditions(page, rf"(?P<name>{page.any_name}){_NO_VALUE}"):
        mask = page.mask(found["name"])
        assert mask is not None
        page.claim(found.start(), found.end("name"), mask.column)


def _conditions(page: Page, pattern: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern where a condition can begin."""
    for found in page.free(pattern):
        if begins_condition(page.text, found.start()):
            yield found
