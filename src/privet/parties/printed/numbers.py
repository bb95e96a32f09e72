"""Printed numbers: what was rounded to them, and decoded numbers as texts.

A printed number is an interval: half a unit of its last digit to both sides. Programs that leave
out zeros at the end (3.375000 as 3.375) print more digits than one sees; where a program is known
by its headings, so is the number of its digits.
"""

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from privet.parties.meanings import FLOAT32
from privet.parties.number_mask import PREFIX

# Privet's drawing of a tree in lines begins with its response.
DRAWING = r"\A\s*+(?P<response>[^\n:]++(?::[^\n:]*+)*?): [\d,]++ records?$"
# Possessive (`++`), as all patterns of this folder are where blanks or digits repeat: no text may
# make them slow.
NUMBER = r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
_MOST_DIGITS = 40
_MOST_DECIMALS = 15
_MOST_SHOWN = 10
_FARTHEST = 20_000  # characters between a model and its errors
# Only numbers that a program compared a masked column with are surely printed by the program; what
# stands behind `=`, or in a label such as `<1.1015`, may be any text of a table.
_TESTED = re.compile(rf"(?<!\w){PREFIX}[^\n<>=]*+(?:<=|>=|<|>)[ \t]*+({NUMBER})(?!\w)")


@dataclass(frozen=True)
class Style:
    """How a program prints cuts: `decimals` of all its numbers, zeros at the end left out.

    Without `decimals` a number shows all its digits itself, unless `as_seen`: then the longest of
    the same size tells how many digits there are. `at_values`: it cuts at values of the column
    alone. `exact`: its numbers are not rounded. `single`: it computes with floats of 32 bits, so
    that even a number with all its digits is off by their error. `ends` is a line with which its
    tree is over: what follows may be of another program, with other digits.
    """

    decimals: int | None = None
    as_seen: bool = False
    at_values: bool = False
    exact: bool = False
    single: bool = False
    ends: str = ""


_PLAIN = Style()
_UNKNOWN = Style(single=True)
_LEAVES = r"^Number of Leaves"
_RULES = r"^Number of Rules"
_SIZE = r"^Size of the tree"
_STYLES = {
    r"^J48 (?:un)?pruned tree": Style(6, at_values=True, ends=_LEAVES),
    r"^PART decision list": Style(6, at_values=True, ends=_RULES),
    r"^JRIP rules:": Style(6, at_values=True, ends=_RULES),
    r"^RIpple DOwn Rule Learner": Style(6, ends=r"^Total number of rules"),
    r"^Decision Table:": Style(6, ends=r"^=+[ \t]*\n[ \t]*$"),
    r"^Decision Stump": Style(exact=True, ends=r"^Weight:"),
    r"^(?:REPTree|RandomTree)\s*\n=+": Style(as_seen=True, ends=_SIZE),
    r"^Alternating decision tree": Style(as_seen=True, ends=r"^Legend:"),
    r"^node\), split, n,[^\n]*+": Style(as_seen=True, ends=r"^(?![ \t]*+(?:\d+\)|\*|$))"),  # rpart
    r"^\|-++ ": _UNKNOWN,  # scikit-learn
    r"^(?:[A-Za-z].*\bClassifier\b|kMeans\b|EM$)": _PLAIN,
    # Privet's drawing, its DOT, and its sentences: they have all digits of a threshold.
    DRAWING: Style(exact=True, ends=r"^(?! *+(?:├|└|│|$))"),
    r"\A\s*digraph tree \{\n  node \[shape=box, style=rounded, fontname=": Style(
        exact=True, ends=r"^\}"
    ),
    r"^(?:If|Always) [^\n]* \([\d,]+ records?\b": Style(exact=True, ends=r"^(?!If |Always |$)"),
    # Models of WEKA that print fewer digits, and lines with which none goes on.
    r"^(?:M5 |CART |Best-First |LADTree|NBTree|FT tree|Logistic model tree|Linear Regression Model"
    r"|Single conjunctive rule|SMOreg|weka\.)": _UNKNOWN,
    r"^(?P<ends>=== |Time taken )": _UNKNOWN,
}
_HEADING = re.compile(
    "|".join(f"(?P<s{n}>{heading})" for n, heading in enumerate(_STYLES)), re.MULTILINE
)
_NOT_AT_VALUES = "doNotMakeSplitPointActualValue"


@dataclass(frozen=True)
class Printed:
    """A printed number: the interval of the numbers that it may stand for."""

    low: Fraction
    high: Fraction

    def widened(self, slack: float) -> "Printed":
        """The interval with a relative error of arithmetic on both sides."""
        off = Fraction(slack) * max(abs(self.low), abs(self.high))
        return Printed(self.low - off, self.high + off)

    def outward(self) -> tuple[float, float]:
        """The interval in floats, not narrower."""
        if self.low == self.high:
            return float(self.low), float(self.high)
        return (
            math.nextafter(float(self.low), -math.inf),
            math.nextafter(float(self.high), math.inf),
        )


@dataclass
class Styles:
    """The styles of a text, from each heading to the next."""

    text: str
    _starts: list[int] = field(default_factory=lambda: [0])
    _styles: list[Style] = field(default_factory=lambda: [_UNKNOWN])
    _models: list[int] = field(default_factory=list)
    _seen: dict[int, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        headings = list(_HEADING.finditer(self.text))
        places = [found.start() for found in headings[1:]] + [len(self.text)]
        for found, place in zip(headings, places, strict=False):
            style = next(style for n, style in enumerate(_STYLES.values()) if found[f"s{n}"])
            if style.at_values and _NOT_AT_VALUES in self.text:
                style = replace(style, at_values=False)
            self._begin(found.start(), style)
            if found["ends"] is None:
                self._models.append(found.start())
            if style.ends:
                ends = re.compile(style.ends, re.MULTILINE)
                end = ends.search(self.text, found.end() + 1, place)
                if end:
                    self._begin(end.start(), _UNKNOWN)

    def _begin(self, place: int, style: Style) -> None:
        self._starts.append(place)
        self._styles.append(style)

    def is_one_model(self, one: int, other: int) -> bool:
        """Whether no model begins between two places, as far as headings tell, nor are they far."""
        first, last = sorted((one, other))
        is_near = last - first <= _FARTHEST
        return is_near and bisect_right(self._models, first) == bisect_right(self._models, last)

    def at(self, place: int) -> Style:
        return self._styles[bisect_right(self._starts, place) - 1]

    def read(self, number: str, place: int) -> Printed | None:
        """The interval of a cut that is printed at a place; None for what no float can hold."""
        style = self.at(place)
        decimals = style.decimals
        if style.as_seen:
            section = bisect_right(self._starts, place) - 1
            decimals = self._decimals_seen(section).get(_size(number))
        read = printed(number, decimals, exact=style.exact)
        return read.widened(FLOAT32) if read and style.single else read

    def _decimals_seen(self, section: int) -> dict[int, int]:
        """The most decimals of tested numbers in a section, by digits before the point."""
        if section not in self._seen:
            ends = [*self._starts[1:], len(self.text)]
            seen: dict[int, int] = {}
            for found in _TESTED.finditer(self.text, self._starts[section], ends[section]):
                size = _size(found[1])
                seen[size] = max(seen.get(size, 0), _decimals(found[1]))
            self._seen[section] = seen
        return self._seen[section]


def printed(text: str, decimals: int | None = None, *, exact: bool = False) -> Printed | None:
    """A printed number with at least so many decimals; its own digits tell otherwise."""
    if len(text) > _MOST_DIGITS:
        return None
    value = Decimal(text)
    if abs(value.adjusted()) > _MOST_DIGITS:
        return None
    shown = _decimals(text)
    if decimals is not None and "e" not in text.lower():
        shown = max(shown, decimals)
    half = Fraction(0) if exact else Fraction(10) ** -shown / 2
    return Printed(Fraction(value) - half, Fraction(value) + half)


def _decimals(text: str) -> int:
    exponent = Decimal(text).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _size(text: str) -> int:
    return Decimal(text).adjusted() if Decimal(text) else 0


def value_of(text: str) -> Fraction | None:
    """A printed number as it stands; None for what no float can hold, or is no number."""
    if not re.fullmatch(NUMBER, text):
        return None
    read = printed(text, exact=True)
    return read.low if read else None


def exact_text(number: Fraction) -> str:
    """An exact number: all its digits if it has few, the nearest float else."""
    twos_and_fives = number.denominator
    for prime in (2, 5):
        while twos_and_fives % prime == 0:
            twos_and_fives //= prime
    if twos_and_fives == 1:
        digits = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
        if len(digits) <= _MOST_DECIMALS:
            return digits
    return _nearest_text(number)


def _nearest_text(number: Fraction) -> str:
    """The nearest float; what is larger than any float keeps its size."""
    try:
        return repr(float(number))
    except OverflowError:
        return str(Decimal(number.numerator) / Decimal(number.denominator))


def certain_text(low: Fraction, high: Fraction) -> str:
    """The digits in which both ends of an interval agree; the middle where they agree in none."""
    if low == high:
        return exact_text(low)
    fits = max(abs(low), abs(high)) < 10**_MOST_DECIMALS
    for decimals in range(_MOST_SHOWN, -1, -1) if fits else ():
        ends = {format(round(Decimal(float(end)), decimals), "f") for end in (low, high)}
        if len(ends) == 1:
            return ends.pop()
    return f"{_nearest_text(low)} to {_nearest_text(high)}"
