"""What may stand before a condition and after its number.

A name is understood only where a condition can begin: in `log H_age <= 3.25` and in
`1 - H_age <= 3.25` the number is no value of the column. Likewise a number must be all that is
compared: not so in `H_age <= 3.25 - 1`, in `H_age <= 3 500`, or where a column of someone else is
called `x<=3`.
"""

import re

BLANK = r"[ \t]*+"
GAP = r"[ \t]++"
_ONE_BLANK = "[ \u00a0\u2009\u202f]"
_JOINS = r"(?:and|or|then|else|xor|implies|to the (?:left|right))\b"
# A number ends here, and nothing is done to it. Two blanks or a tab begin another cell of a table.
ALONE = (
    rf"(?!\w|\.\w|,\d|['’´`]\d|{_ONE_BLANK}\d|{BLANK}[*/^+×·÷%‰−–]|{BLANK}-(?![->])"
    rf"|{BLANK}(?:[<>≤≥≠~]|!=|=(?!=*>))|{_ONE_BLANK}(?!(?i:{_JOINS}))[^\W\d])"
)
# R's trees print how many records there are behind the test, after one blank.
_ROW_OF_R = re.compile(r"[ \t]*+\d++\)[ \t]")
ALONE_OR_BEFORE_COUNT = ALONE.replace(rf"|{_ONE_BLANK}\d", "", 1)
# A name ends here, and nothing is done to it.
NAME_ALONE = rf"(?!{BLANK}(?:[*/^+×·÷%−–<>≤≥=(\[]|-(?![->])))"

_FARTHEST = 120  # characters that are looked at before a place
_BRANCH = r"(?:[\s|│├└─¦°]|[+`\\]?--+)*+"  # of a drawn tree
_BEGINS = re.compile(
    rf"^{_BRANCH}(?:[\[(]?\d+[\])]\*?|(?i:rule|node|leaf|if)[ \t]*:"
    r"|(?:(?i:rule|node|leaf)[ \t]*)?\#?\d+[.:])?[ \t]*\Z"
    r"|[(\[{\"'`|│&;,!][ \t]*\Z"
    r"|(?:---|──|\\[nlr]|\*/)[ \t]*\Z"
    r"|(?:->|==>|(?<!\d)(?<!\d )=>|→)[ \t]*\Z"
    r"|(?:^|[^\w.-])(?i:and|or|xor|not|if|then|else|elif|when|where|except|unless|case)[ \t]+\Z"
    r"|(?:^|\s)[^\s=<>]+=[^\s=<>]+[ \t]+\Z"  # items of an association rule
)
_GOES_ON = re.compile(r"\w[ \t]*[*/^+−-][ \t]*\n[ \t]*\Z")


def begins_condition(text: str, place: int) -> bool:
    """Whether a condition can begin at a place."""
    start = text.rfind("\n", 0, place) + 1
    near = max(start, place - _FARTHEST)
    before = text[near:place] if near == start else "x" + text[near:place]
    if not _BEGINS.search(before):
        return False
    return bool(before.strip()) or not _GOES_ON.search(text[max(0, place - _FARTHEST) : place])


def ends_number(text: str, start: int, end: int) -> bool:
    """Whether what follows a test is no further group of its number's digits."""
    if not re.match(rf"{_ONE_BLANK}\d", text[end : end + 2]):
        return True
    return bool(_ROW_OF_R.match(text, text.rfind("\n", 0, start) + 1))
