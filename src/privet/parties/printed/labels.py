"""Aliases of categories: `H_sex = sex_2`, `H_sex is sex_1 or sex_2`, `H_sex_sex_2 > 0.5`, and where
a text names classes without their column.

An alias behind its own masked name is surely ours. Elsewhere another party may have a column called
`sex_2`, or values that look like it, and `tax-sex_2` may be an alias of a column `tax-sex`: so only
the places where programs print classes are read. A label anywhere else keeps its column masked.
`tables` reads those that stand in rows below their column.
"""

import re
from collections.abc import Iterator

from privet.parties.category_mask import CategoryMask
from privet.parties.number_mask import PREFIX
from privet.parties.printed.numbers import DRAWING
from privet.parties.printed.page import Page
from privet.parties.printed.spellings import ENDS, WORD
from privet.parties.printed.surroundings import BLANK, GAP

_QUOTE = r"[\\'\"`]*+"
_BEFORE_LABEL = (
    rf"(?:{BLANK}(?:===?|!=|<>|≠|=|∈|:|%in%)|{GAP}(?:in|not in|is not|is))"
    rf"{BLANK}[\[({{]?+{BLANK}{_QUOTE}"
)
# WEKA's SimpleCart writes `H_sex=(sex_1)|(sex_2)`.
_BETWEEN_LABELS = rf"{_QUOTE}(?:{BLANK}[,;|]{BLANK}|{GAP}or{GAP}|\)\|\(){_QUOTE}"
_UNKNOWN_LABEL = "a label that the codebook does not hold"
_ANYBODYS_LABEL = "a label that stands where it may be another column's"
_NUMBERS = r"(?:[ \t]*+(?:[\d.,]++|\?|NaN)(?=[ \t]))+"


def read_labels(page: Page) -> None:
    """Claim every alias that is surely one; a column with any other alias fails."""
    _read_one_hot(page)
    _read_named(page)
    _leave_those_of_others(page)
    _read_classes(page)
    for found, mask in _aliases(page):
        if page.is_free(*found.span()):
            page.fail(mask, found.start(), _ANYBODYS_LABEL)


def alias_of(mask: CategoryMask) -> str:
    """What an alias of a column looks like, known or not."""
    return rf"{re.escape(mask.column)}_+\d+{ENDS}"


def one_hot_name(name: str, mask: CategoryMask) -> str:
    """What an alias glued to a name of its column looks like."""
    return rf"{name}[_.]?(?P<alias>{alias_of(mask)})"


def claim_alias(page: Page, mask: CategoryMask, start: int, end: int) -> None:
    """Put its label in the place of an alias."""
    alias = page.text[start:end]
    label = mask.label_of.get(alias)
    if label is None:
        page.fail(mask, start, _UNKNOWN_LABEL)
        return
    in_a_row = page.text.startswith("  ", end)  # keep the columns of a table
    page.claim(start, end, label.ljust(len(alias)) if in_a_row else label)


# -- behind a name ---------------------------------------------------------------------------------


def _read_one_hot(page: Page) -> None:
    """An alias glued to its masked name, as one-hot columns are called."""
    for mask in page.categories:
        for found in _whole_names(page, one_hot_name(page.spelt(mask), mask)):
            label = mask.label_of.get(found["alias"])
            if label is None:
                page.fail(mask, found.start(), _UNKNOWN_LABEL)
            page.claim(*found.span(), f"{mask.column}={label}")


def _read_named(page: Page) -> None:
    """A masked name, and behind it one alias of its own or a list of them."""
    for mask in page.categories:
        alias = alias_of(mask)
        # R reads an empty cell as a label without letters, and prints it first: `H_sex=,sex_1`.
        listed = rf"(?:(?<==),)?{alias}(?:{_BETWEEN_LABELS}(?:{alias}|missing\b))*+"
        pattern = rf"(?P<name>{page.spelt(mask)}){_BEFORE_LABEL}(?P<labels>{listed})"
        for found in _whole_names(page, pattern):
            page.claim(*found.span("name"), mask.column)
            for label in re.finditer(alias, found["labels"]):
                begin, end = (found.start("labels") + place for place in label.span())
                claim_alias(page, mask, begin, end)


def _whole_names(page: Page, pattern: str) -> Iterator[re.Match[str]]:
    """Matches that begin a name: `lag-H_sex` is another one."""
    for found in page.free(pattern):
        if not re.search(r"\w[.-]\Z", page.text[max(0, found.start() - 2) : found.start()]):
            yield found


def _leave_those_of_others(page: Page) -> None:
    """`H_tax-sex = tax-sex_2, tax-sex_1`: aliases of somebody's column, by its own name."""
    one = r"(?P=column)_+\d++"
    pattern = (
        rf"{WORD}{PREFIX}(?P<column>[^\n<>=≠∈:\"]{{1,100}}?){_BEFORE_LABEL}"
        rf"(?P<labels>{one}(?:{_BETWEEN_LABELS}(?:{one}|missing\b))*+)"
    )
    owned = {mask.column for mask in page.categories}
    for found in page.free(pattern):
        if found["column"] not in owned:
            page.leave(*found.span("labels"))


# -- classes without a name ------------------------------------------------------------------------

_CLASSES = (  # all of them are classes of one column
    r"^[ \t]+Class[ \t]*+\n(?:Variable|Attribute)[ \t]++(?P<labels>[^\n]+)$",  # WEKA's models
    r"^Classifier for classes: (?P<labels>[^\n]+)$",  # SMO
    r"^(?P<labels>[^\s:][^\n]*)$",  # DecisionStump, or a text that is a class
)
_TO_END = r"[ \t]*+(?:\(|$)"
_ONE_CLASS = (  # what stands before a class on its line, and what behind it
    (rf"^{_NUMBERS}[ \t]+\|[ \t]+\w+ = \Z", r"[ \t]*+$"),  # a confusion matrix
    (r"^Legend: -ve = \Z", r", \+ve = "),  # ADTree
    (r"^Legend: -ve = [^,]+, \+ve = \Z", r"[ \t]*+$"),
    (r"^[| ]*\|-+ class: \Z", r"[ \t]*+$"),  # scikit-learn
    (r"(?:\\n|\")class = \Z", r"\\n|\""),  # its DOT
    (r"predicts class value: \Z", r"[ \t]*+$"),  # ZeroR
    (r"^Class \Z", r"[ \t]*+:"),
    (r"(?:->|=>|→)[ \t]*\Z", _TO_END),  # rules
    (r"\b(?:then|THEN)[ \t]+(?:class[ \t]+)?\Z", _TO_END),
    (r"^[ \t]*\d+\)[ \t].*[ \t]\d[\d.]*[ \t]+\Z", r"[ \t]++[(*]"),  # rpart
)
_BY_CLASS = re.compile(r"^=== Detailed Accuracy By Class ===", re.MULTILINE)
_ACCURACY = (rf"^{_NUMBERS}[ \t]+\Z", r"[ \t]*+$")
# A leaf: what was tested, a colon, and its class. In DOT a colon stands behind a name instead.
_LEAF = (r"^(?:.*(?:[<>=≤≥]|\bis\b).*|[\s|]*):[ \t]+\Z", _TO_END)
_TARGET = re.compile(DRAWING, re.MULTILINE)
_FARTHEST = 1000  # characters that are looked at before a label


def _read_classes(page: Page) -> None:
    """Places where programs print classes; each must be an alias from end to end."""
    target = _TARGET.match(page.text)
    masks = page.categories
    if target:  # Privet says whose classes the leaves have
        masks = [mask for mask in masks if page.mask(target["response"].strip()) is mask]
    for pattern in _CLASSES:
        for found in page.free(pattern):
            _claim_classes(page, masks, found)
    forms = [*_ONE_CLASS, *([_ACCURACY] if _BY_CLASS.search(page.text) else [])]
    for found, mask in _aliases(page):
        if mask in masks and page.is_free(*found.span()):
            leaves = [] if page.is_quoted(found.start()) else [_LEAF]
            if any(_stands_in(page.text, found, form) for form in [*forms, *leaves]):
                claim_alias(page, mask, *found.span())


def _stands_in(text: str, found: re.Match[str], form: tuple[str, str]) -> bool:
    before, after = form
    start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _FARTHEST)
    behind = re.compile(after, re.MULTILINE)
    if not behind.match(text, found.end()):
        return False
    return bool(re.search(before, text[start : found.start()]))


def _claim_classes(page: Page, masks: list[CategoryMask], found: re.Match[str]) -> None:
    """Words of which each is an alias of one column; `tax sex_2` would not be one word."""
    words = list(re.finditer(r"[^\s,'\"]+", found["labels"]))
    for mask in masks:
        if re.fullmatch(alias_of(mask), found["labels"]):
            claim_alias(page, mask, *found.span("labels"))
        elif all(re.fullmatch(alias_of(mask), word[0]) for word in words):
            for word in words:
                begin, end = (found.start("labels") + place for place in word.span())
                claim_alias(page, mask, begin, end)


def _aliases(page: Page) -> Iterator[tuple[re.Match[str], CategoryMask]]:
    """Everything that looks like an alias, the longest name of a column first."""
    masks = sorted(page.categories, key=lambda mask: len(mask.column), reverse=True)
    listed = "|".join(f"({alias_of(mask)})" for mask in masks)
    for found in re.finditer(rf"{WORD}(?:{listed})", page.text) if listed else ():
        yield found, masks[(found.lastindex or 1) - 1]
