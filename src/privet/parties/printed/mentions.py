"""Places where a name stands alone, and no number or label belongs to it: lists of attributes."""

import re

from privet.parties.category_mask import CategoryMask
from privet.parties.printed.page import Page

_LISTS = (
    r"^Attributes:[ \t]+\d+[ \t]*\n(?P<names>(?:[ \t]+\S[^\n]*\n)+)",  # WEKA
    r"^Variables actually used in tree construction:[ \t]*\n(?P<names>(?:\[\d+\][^\n]*\n)+)",  # R
    r"^Class attribute:[ \t]+(?P<names>[^\n]+)$",  # WEKA's clusterers
)
_FORMULA = (
    r"\bformula = (?P<target>[^~\n]+)~(?P<names>(?:[ \t\n]*[\w.]+[ \t\n]*\+)*[ \t\n]*[\w.]+),"
)


def read_mentions(page: Page) -> None:
    """Claim names in lists of attributes."""
    for pattern in _LISTS:
        for listed in page.free(pattern):
            _claim_names(page, listed["names"], listed.start("names"))
    for formula in page.free(_FORMULA):
        _claim_names(page, formula["names"], formula.start("names"))
        target = page.mask(formula["target"].strip())
        if isinstance(target, CategoryMask):  # a number would have its means in the tree
            _claim_names(page, formula["target"], formula.start("target"))


def _claim_names(page: Page, text: str, start: int) -> None:
    for found in re.finditer(page.any_name, text):
        mask = page.mask(found[0])
        if mask is not None:
            page.claim(start + found.start(), start + found.end(), mask.column)
