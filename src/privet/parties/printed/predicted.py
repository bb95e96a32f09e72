"""Numbers that leaves and rules predict as classes: they stand without the name of their column.

A masked number column may be the response of a classification; its classes are then its masks. They
stay as they were printed, which is remarked; a column of the codebook that has all of them among
its masks, and is tested nowhere in the text, is said not to be decoded.
"""

import re

import numpy as np

from privet.parties.number_mask import NumberMask
from privet.parties.printed.numbers import DRAWING, NUMBER
from privet.parties.printed.page import Page

_CLASS = rf"(?P<class>(?>{NUMBER}))"
_AFTER = r"[ \t]*+(?:[(\[]|$)"
_FORMS = (
    rf"\|-++ class: {_CLASS}[ \t]*+$",  # scikit-learn
    rf"(?:\\n|\")class = {_CLASS}(?=\\n|\")",  # its DOT
    r"^[ \t]*+\d++\)[ \t](?:[^\n(]*[ \t])?\d[\d.]*+[ \t]++" + _CLASS + r"[ \t]++\(",  # rpart
    # WEKA: leaves, a tree that is one leaf, its confusion matrix
    rf"[<>=≤≥][^\n<>=≤≥:]{{1,100}}+:[ \t]++{_CLASS}{_AFTER}",
    rf"^[ \t|]*+:[ \t]++{_CLASS}{_AFTER}",
    rf"^[\d. \t]++\|[ \t]++\w++ = {_CLASS}[ \t]*+$",
    rf"predicts class value: {_CLASS}[ \t]*+$",
    # Rules; in DOT an arrow joins the numbers of two nodes.
    rf"^(?![ \t]*+\w++ -> \w)[^\n]*?(?:[-=]>|→|⇒)[ \t]*+(?:class[ \t]++)?{_CLASS}{_AFTER}",
    rf"(?i:\b(?:then|else)[ \t]++(?:class[ \t]++)?){_CLASS}(?![\w.]|[ \t]*+[<>=≤≥])",
)
_LEAST_MASK = 1
_WHOSE = re.compile(DRAWING, re.MULTILINE)
_MAY_BE_MASKS = "classes without a name may be its masks"


def may_name_numbers_as_classes(text: str) -> bool:
    """Whether a text has the form of one that names numbers as classes."""
    return any(re.search(form, text, re.MULTILINE) for form in _FORMS)


def has_numbers_as_classes(page: Page) -> bool:
    """Look for classes that may be masked numbers; columns whose masks they may be are noted."""
    if _WHOSE.match(page.text):  # Privet's drawing names its response
        return False
    is_found = False
    for form in _FORMS:
        found = list(page.free(form))
        classes = {float(one["class"]) for one in found}
        if not classes or min(classes) < _LEAST_MASK:
            continue
        is_found = True
        for mask in page.masks.values():
            if isinstance(mask, NumberMask) and _are_masks(mask, classes):
                page.unless_tested.setdefault(mask.masked_name, (found[0].start(), _MAY_BE_MASKS))
    return is_found


def _are_masks(mask: NumberMask, numbers: set[float]) -> bool:
    return all(np.isclose(mask.masked, number, rtol=1e-9, atol=0).any() for number in numbers)
