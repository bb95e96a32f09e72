"""Numbers of a result in JSON that stand in no known place, as numbers or in texts.

They may be masked, so no name that is only mentioned beside them may lose its mask. `decode_json`
gathers them here while it reads, and asks at the end which columns they may belong to.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from privet.parties import json_words as words
from privet.parties.category_mask import ColumnMask
from privet.parties.json_cuts import cuts_in
from privet.parties.json_strings import is_number
from privet.parties.meanings import Meaning
from privet.parties.number_mask import PREFIX, NumberMask

SCATTERED = "numbers beside it that may or may not belong to it"
NAMELESS = "classes without a name may be its masks"

_NAME = re.compile(rf"(?<!\w){PREFIX}\w")
# A date is no mask, for masks are numbers; nor is the number of a cluster or the like.
_NO_MASK = re.compile(
    r"(?<![\w.-])\d{4}-\d\d-\d\d"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w.-])"
    r"|\b(?:cluster|row|node|rule|fold|tree)[ _#-]?\d+(?![\w.])",
    re.IGNORECASE,
)
# A decimal number counts with letters around it, too (`3.5cm`); that of a version (`1.3.2`) not.
_NUMBER = re.compile(
    r"(?<![\d.])(?<!\d[eE])(?:(?<![\w.)\]])[-+])?"
    r"(?:\d+\.\d+(?:[eE][-+]?\d+)?(?!\.?\d)|(?<!\w)(?:\.\d+|\d+\.?)(?:[eE][-+]?\d+)?(?![\w]|\.\d))"
)


@dataclass(frozen=True)
class Place:
    """Where in a result one is: what numbers mean there, and the names that indices stand for."""

    meaning: Meaning | None
    names: tuple[str, ...] = ()
    free: bool = False  # numbers here belong to no column
    link: bool = False  # a number here is that of a node
    predicted: bool = False  # numbers here may be those of a response
    listed: bool = False  # names here are those of features
    classes: bool = False  # labels here are those of the response

    def inside(self, name: Any, data: Any) -> "Place":
        """Where one is inside a field that is no column's, and that holds this."""
        word = str(name).lower()
        rows = words.holds_rows(word, data)
        return Place(
            None if rows else words.meaning_in(word, self.meaning),
            self.names,
            (self.free or words.belongs_to_no_column(word)) and not rows,
            word in words.LINKS,
            self.predicted or word in words.PREDICTED,
            word in words.NAMES,
            words.holds_classes(word),
        )

    def column(self, feature: Any) -> str | None:
        """The name of a feature that is named, or is a place among the names."""
        if isinstance(feature, int) and not isinstance(feature, bool):
            return self.names[feature] if 0 <= feature < len(self.names) else None
        return feature if isinstance(feature, str) else None

    def with_names_in(self, data: Mapping[str, Any]) -> "Place":
        """With the list of names that an object has, unless it has two that differ."""
        lists = (data[name] for name in words.NAMES if name in data)
        found = {
            tuple(names)
            for names in lists
            if isinstance(names, list) and names and all(isinstance(name, str) for name in names)
        }
        if not found:
            return self
        return replace(self, names=found.pop() if len(found) == 1 else ())


def numbers_in(text: str) -> list[float]:
    """The numbers in a text that are no part of a word."""
    return [float(found) for found in _NUMBER.findall(_NO_MASK.sub(" ", text))]


def are_places(keys: Collection[Any]) -> bool:
    """Whether keys count from 0, as places in a list do: no mask is 0."""
    return {str(key) for key in keys} == {str(place) for place in range(len(keys))}


@dataclass
class LooseNumbers:
    """Whether there are numbers of nobody knows whom, and those that a response may have."""

    scattered: bool = False
    valued: bool = False  # values, perhaps of a response
    coded: bool = False  # classes that are numbers: those of a response, or codes of its labels
    counted: bool = False  # numbers of which it is said how many there are
    of_a_tree: bool = False  # the result has cuts, so that its values are predicted
    _classes: list[float] = field(default_factory=list)

    def add(self, number: float, place: Place) -> None:
        """A number of JSON; a node has a whole number."""
        is_link = place.link and (isinstance(number, int) or number.is_integer())
        if not (place.free or is_link):
            self._add([number], place)

    def add_text(self, text: str, place: Place, *, is_key: bool = False) -> None:
        """The numbers in a text; where a masked name stands in it, `read_text` answers for them."""
        is_whole = is_number(text)
        is_link = place.link and text.isdecimal() and not is_key
        is_count = place.free and not (place.classes and (is_key or is_whole))
        numbers = [] if is_link or is_count or _NAME.search(text) else numbers_in(text)
        if place.free:
            self.counted |= bool(numbers)
            self._classes += numbers if is_key else []
        elif numbers:
            self._add(numbers, place)

    def _add(self, numbers: list[float], place: Place) -> None:
        if not (place.predicted or place.classes):
            self.scattered = True
            return
        self.valued |= place.predicted
        self.coded |= not place.predicted
        self._classes += numbers

    def may_be_of(
        self, masks: Mapping[str, ColumnMask], mentioned: set[str], features: set[str]
    ) -> set[str]:
        """The names that stand alone, of columns or of features, that a number may belong to.

        What a tree predicts may be its response's, but is no feature's.
        """
        if self.scattered or (self.valued and not self.of_a_tree):
            return {name for name in mentioned | features if self._may_be_of(masks[name])}
        return {name for name in mentioned if self._may_be_of(masks[name])}

    def _may_be_of(self, mask: ColumnMask) -> bool:
        """Labels of a category may be coded as numbers, but what is predicted is counted."""
        is_number = isinstance(mask, NumberMask)
        return self.scattered or self.coded or ((self.valued or self.counted) and is_number)

    def may_be_masks(self, masks: Mapping[str, ColumnMask]) -> list[str]:
        """The columns whose masks are the classes of a result that does not say whose they are."""
        return [
            mask.masked_name
            for mask in self._possible(masks)
            if set(self._classes) <= set(mask.masked.tolist())
        ]

    def remarks(self, masks: Mapping[str, ColumnMask]) -> list[str]:
        """What is said of predicted numbers that may be masked means, or roughly printed masks."""
        columns = ", ".join(mask.column for mask in self._possible(masks))
        return [f"what is predicted may be masked means of: {columns}"] if columns else []

    def _possible(self, masks: Mapping[str, ColumnMask]) -> list[NumberMask]:
        return [
            mask
            for mask in masks.values()
            if isinstance(mask, NumberMask)
            and self._classes
            and all(map(mask.can_be, self._classes))
        ]


def is_scattered(data: Any, place: Place) -> bool:
    """Whether a field has numbers of nobody knows whom; nodes of a tree speak for themselves."""
    found = LooseNumbers()
    waiting = [(data, place)]
    while waiting:
        item, here = waiting.pop()
        if isinstance(item, list):
            waiting += [(part, here) for part in item]
        elif isinstance(item, Mapping):
            if not here.link and cuts_in(item) is None:
                unnamed = [name for name in item if not _NAME.match(str(name))]
                waiting += [(item[name], here.inside(name, item[name])) for name in unnamed]
        elif isinstance(item, str):
            found.add_text(item, here)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            found.add(item, here)
    return found.scattered
