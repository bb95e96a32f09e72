"""Places where a name stands alone: lists of attributes. And numbers that stand alone, without a
name: predictions of leaves, centres of clusters as bare records. A number column that is only
listed beside such numbers may be theirs, and keeps its mask.
"""

import re

from privet.parties.category_mask import CategoryMask
from privet.parties.number_mask import PREFIX, NumberMask
from privet.parties.printed.numbers import DRAWING
from privet.parties.printed.page import LONGER, Page
from privet.parties.printed.predicted import (
    has_numbers_as_classes,
    may_name_numbers_as_classes,
)

_LISTS = (  # one name a line
    r"^Attributes:[ \t]+\d+[ \t]*\n(?P<names>(?:[ \t]+\S[^\n]*\n)+)",  # WEKA
    r"^Class attribute:[ \t]+(?P<names>[^\n]+)$",  # WEKA's clusterers
    # Privet's DOT, not its leaves
    r'^[ \t]*+\d+ \[label="(?P<names>(?:\\["\\]|[^":\\])+)\\n[\d,]+ records?"',
)
_WORDS = (  # one name a word; R
    r"^Variables actually used in tree construction:[ \t]*\n(?P<names>(?: *+\[\d+\][^\n]*\n)+)",
    # Names in a line, and below them their shares.
    r"^Variable importance[ \t]*\n(?P<names>(?:[^\n]*[^\s\d.][^\n]*\n[ \d.]++\n)+)",
)
# Leaves of Privet's DOT whose records lack the response: no label stands behind its name.
_LACKING = r'^[ \t]*+\d+ \[label="(?P<response>(?:\\["\\]|[^"\\\n])+?): missing\\n[\d,]+ records?, '
_NAME = r"[ \t\n]*+[\w.]++[ \t\n]*+"
_FORMULA = rf"\bformula = (?P<target>[^~\n]{{1,200}}+)~(?P<names>(?:{_NAME}\+)*{_NAME}),"
_PREDICTED = (
    r"value: \[[-\d. ,]+\](?!.*class)",  # scikit-learn
    r"(?:\\n|\")value = -?\d[\d.]*+(?:\\n|\")",  # its DOT
    r"split, n, deviance, yval",  # rpart
    r"^[| ]*+\S.*: -?\d+(?:\.\d+)? \(\d+/",  # REPTree
    r"is missing : -?\d",  # DecisionStump
    r"predicts class value: -?\d",  # ZeroR
)
_RECORDS = r"^[ \t]*Cluster \d+(?::|[ \t]*\n)[ \t]*-?\d[^\n]*$"
_UNNAMED_RESPONSE = (
    "Numbers that leaves predict stand without a name in printed trees and stay as they were "
    "printed; decode the tree as PMML or model.json for them."
)
_UNNAMED_RECORDS = (
    "Centres of clusters stand without names of columns and stay as they were printed."
)


def may_have_unnamed_numbers(text: str) -> bool:
    """Whether numbers may stand in a text that belong to a column which is not named there."""
    forms = (*_PREDICTED, _RECORDS)
    named_nowhere = any(re.search(form, text, re.MULTILINE) for form in forms)
    return named_nowhere or may_name_numbers_as_classes(text)


def read_mentions(page: Page) -> None:
    """Claim names in lists of attributes; look for numbers without a name."""
    for pattern, remark in (
        ("|".join(_PREDICTED), _UNNAMED_RESPONSE),
        (_RECORDS, _UNNAMED_RECORDS),
    ):
        if next(page.free(pattern), None):
            page.has_unnamed = True
            page.remark(remark)
    if has_numbers_as_classes(page):
        page.remark(_UNNAMED_RESPONSE)
    for found in page.free(_RECORDS):  # whose labels these are cannot be told
        if PREFIX not in found[0]:
            page.leave(*found.span())
    for pattern, item in (
        *((one, r"\S[^\n]*") for one in _LISTS),
        *((one, r"\S+") for one in _WORDS),
    ):
        for listed in page.free(pattern):
            _claim_names(page, listed["names"], listed.start("names"), item)
    for formula in page.free(_FORMULA):
        _claim_names(page, formula["names"], formula.start("names"), r"[\w.]+")
        _claim_category(page, formula["target"], formula.start("target"))
    for pattern in (DRAWING, _LACKING):
        for drawn in page.free(pattern):
            _claim_category(page, drawn["response"], drawn.start("response"))


def _claim_category(page: Page, text: str, start: int) -> None:
    """Claim the name of a response if it is a category.

    Classes that leaves name say themselves whose they are; means of a number do not.
    """
    if isinstance(page.mask(text.strip()), CategoryMask):
        _claim_names(page, text, start, r"\S[^\n]*")


def _claim_names(page: Page, text: str, start: int, item: str) -> None:
    """Claim the items that are names from end to end; a longer one that holds ours is not known."""
    for found in re.finditer(item, text):
        name, place = found[0].rstrip(), start + found.start()
        mask = page.mask(name)
        if mask is not None:
            page.claim(place, place + len(name), mask.column)
        else:
            for inside in re.finditer(page.any_name, name):
                page.fail(page.mask(inside[0]), place, LONGER)
        if isinstance(mask, NumberMask):
            page.listed.setdefault(mask.masked_name, place)
