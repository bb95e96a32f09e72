"""What may stand before a condition and after its number.

A name is understood only where a condition can begin: in `log H_age <= 3.25` and in
`1 - H_age <= 3.25` the number is no value of the column. Likewise a number must be all that is
compared: not so in `H_age <= 3.25 - 1`, in `H_age <= 3 500`, in `H_age = 3 or 4`, or where a column
of someone else is called `x<=3`. What may stand there is listed; everything else is not understood.
"""

import re

from privet.parties.printed.numbers import NUMBER

BLANK = r"[ \t]*+"
GAP = r"[ \t]++"
_COMPARED = r"(?:[<>≤≥≠~]|!=|=(?!=*>))"
# A name ends here, and nothing is done to it.
NAME_ALONE = rf"(?!{BLANK}(?:[*/^+×·÷%−–—‐±⋅∗!<>≤≥=(\[]|-(?![->])))"

# -- after a number --------------------------------------------------------------------------------

_WORDS = r"(?i:(?:and|or|xor|then|else|implies)\b|to the (?:left|right)\b)"
_MAY_FOLLOW = re.compile(
    rf"{BLANK}(?:$|\r|[)\]}}\"'`](?!\d)|\\+[nlr\"'`]|\.(?!{BLANK}[\w.])|:(?![-+]?\.?\d|=)"
    r"|-+>|=+>|→|⇒|(?:&&?|\|\|?|[∧∨,;])(?!\d))"
    rf"|{GAP}(?:[(\[{{]|{_WORDS})"
    # Two blanks or a tab begin another cell of a table.
    r"|(?:[ ]{2}|\t)[ \t]*+(?!(?:to|through|till|until|plus|minus|times)\b)[^\W\d]",
    re.MULTILINE,
)
# Behind a comma or an `or`, a number that is not compared itself is a further value of the column;
# a sign belongs to the same column too, and was not understood.
_GOES_ON_WITH = (
    rf"(?i:not\s++)?+[\s'\"`(\[{{]*+"
    rf"(?:{_COMPARED}|(?>{NUMBER})(?!\w)(?![\w.:+-]*+{BLANK}{_COMPARED}))"
)
_LIST = re.compile(
    rf"(?:{BLANK}(?:\|\|?|[;∨∧]){BLANK}|\s*+(?:(?:&&?|,|(?i:and|or|nor|xor|else)\b)\s*+)++)"
    rf"{_GOES_ON_WITH}"
)
_NEXT_LINE_COUNTS = re.compile(rf"\s*+[-*/^+×·÷%−–—‐±⋅∗]{BLANK}(?:[\d.(]|H_)")
# R's trees print how many records there are behind the test.
_ROW_OF_R = re.compile(r"[ \t]*+\d++\)[ \t]")
_COUNT_OF_R = re.compile(r"[ \t]\d")


def ends_test(text: str, start: int, end: int) -> bool:
    """Whether a test from `start` to `end` is whole: nothing is done to its last number."""
    if _COUNT_OF_R.match(text, end):
        return bool(_ROW_OF_R.match(text, text.rfind("\n", 0, start) + 1))
    return bool(_MAY_FOLLOW.match(text, end)) and is_no_list(text, end)


def is_no_list(text: str, end: int) -> bool:
    """Whether no further number follows that belongs to what ends here."""
    return not _LIST.match(text, end) and not _NEXT_LINE_COUNTS.match(text, end)


# -- before a name ---------------------------------------------------------------------------------

_FARTHEST = 120  # characters that are looked at before a place
# Of a drawn tree; C5.0 draws `:   :...`, scikit-learn `|- ` if it may use little space.
_BRANCH = r"(?:[\s|│├└─¦°]|[+`\\]?--+|(?<=\|)-(?= )|:(?:\.\.\.|   ))*+"
_BEGINS = re.compile(
    rf"^{_BRANCH}(?:[\[(]?\d+[\])]\*?|(?i:rule|node|leaf|if)[ \t]*:"
    r"|(?:(?i:rule|node|leaf)[ \t]*)?\#?\d+[.:])?[ \t]*\Z"
    r"|[(\[{;,!][ \t]*\Z"
    r"|(?:^|[^\w\"'`])[\"'`]+\Z|(?:^|[=(\[{,:;])[ \t]*[\"'`][ \t]*\Z"  # a quote that opens
    r"|(?:---|──|\\[nlr]|\*/)[ \t]*\Z"
    r"|(?:->|==>|(?<!\d)(?<!\d )=>|→)[ \t]*\Z"
    r"|(?:^|[^\w.-])(?i:and|or|xor|not|if|then|else|elif|when|where|except|unless|case)[ \t]+\Z"
)
_BEHIND_BAR = re.compile(r"(?P<before>[^|│&;,]*+)[|│&]++[ \t]*\Z")
_CONDITION = re.compile(r"[<>=≤≥≠∈]|\b(?:is|in|between)\b")
_ITEM = re.compile(r"(?:^|\s)[^\s=<>]+=[^\s=<>]+[ \t]+\Z")
# What a function does with `f(a, H_age <= 3` is not known, unless its other arguments are tests.
_CALL = re.compile(r"[\w.]\((?P<others>[^()]*),[ \t]*\Z")
_GOES_ON = re.compile(r"\w[ \t]*[*/^+−-][ \t]*\n[ \t]*\Z")


def begins_condition(text: str, place: int) -> bool:
    """Whether a condition can begin at a place."""
    start = text.rfind("\n", 0, place) + 1
    near = max(start, place - _FARTHEST)
    before = text[near:place] if near == start else "x" + text[near:place]
    if not (_BEGINS.search(before) or _is_behind_bar(before) or _is_item(text, place, before)):
        return False
    call = _CALL.search(before)
    if call and not _CONDITION.search(call["others"]):
        return False
    return bool(before.strip()) or not _GOES_ON.search(text[max(0, place - _FARTHEST) : place])


def _is_behind_bar(before: str) -> bool:
    """`H_sex = f | `, `H_sex is f & `; not `log | `."""
    found = _BEHIND_BAR.search(before)
    if not found:
        return False
    said = found["before"]
    return not re.search(r"[^\W\d]", said) or bool(_CONDITION.search(said))


def _is_item(text: str, place: int, before: str) -> bool:
    """`a=b H_kids=7 12 ==> c=d 9`: a further item of an association rule."""
    if not _ITEM.search(before):
        return False
    end = text.find("\n", place)
    start = text.rfind("\n", 0, place) + 1
    return "==>" in text[start : end if end >= 0 else len(text)]
