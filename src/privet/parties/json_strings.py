"""The texts of a result in JSON: whether a masked name stands there, and the clear one beside it.

`decode_json` asks before it decodes, for two columns must never become one. `TextReader` reads the
texts as `decode_printed` does.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from privet.parties import json_words as words
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.decode_printed import read_text
from privet.parties.outcome import Outcome
from privet.parties.printed.mentions import may_have_unnamed_numbers

_ROOT = re.compile(r"[A-Za-z0-9_]*")


def is_number(text: Any) -> bool:
    """Whether a text is that of a number."""
    try:
        float(text)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def filter_names(fits: Callable[[ColumnMask], bool], masks: Mapping[str, ColumnMask]) -> list[str]:
    """The names of the masks that fit."""
    return [name for name, mask in masks.items() if fits(mask)]


@dataclass
class Strings:
    """The keys and texts of a result, and the keys that stand in one object."""

    keys: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    objects: list[set[str]] = field(default_factory=list)

    @classmethod
    def of(cls, data: Any) -> "Strings":
        found = cls()
        found._gather(data)
        return found

    def _gather(self, data: Any) -> None:
        if isinstance(data, str):
            self.texts.add(data)
        elif isinstance(data, Mapping):
            self.objects.append({name for name in data if isinstance(name, str)})
            self.keys |= self.objects[-1]
            for value in data.values():
                self._gather(value)
        elif isinstance(data, list | tuple | set | frozenset):
            for item in data:
                self._gather(item)

    def name(self, mask: ColumnMask) -> bool:
        """Whether the masked name stands anywhere."""
        return any(mask.masked_name in text for text in (*self.keys, *self.texts))

    def hold_both(self, mask: ColumnMask) -> bool:
        """Whether the clear name stands beside the masked one: two columns would become one.

        A key that is the word of a field means no column, unless the two stand in one object.
        """
        if not self.name(mask):
            return False
        both = {mask.masked_name, mask.column}
        tested = re.compile(
            rf"(?<!\w){re.escape(mask.column)}\s*(?:[<>=!\u2264\u2265]|(?:in|is|between)\b)"
        )
        return (
            any(both <= keys for keys in self.objects)
            or (mask.column in self.keys and not words.is_known(mask.column.lower()))
            or mask.column in self.texts
            or any(tested.search(text) for text in (*self.keys, *self.texts))
        )


class TextReader:
    """Reads each text once, and only with the masks of which something may stand in it.

    Reading costs time for each mask, and a file may hold a million texts, most of them alike. In a
    text of several lines, such as a printed tree, and in one of its lines that predicts a number, a
    column may be meant that is not named.
    """

    def __init__(self, masks: Mapping[str, ColumnMask]) -> None:
        self._masks = masks
        self._roots = {name: _roots(mask) for name, mask in masks.items()}
        self._known: dict[str, Outcome[str]] = {}

    def read(self, text: str) -> Outcome[str]:
        if text not in self._known:
            may_be_anybodys = "\n" in text or may_have_unnamed_numbers(text)
            within = {
                name: mask
                for name, mask in self._masks.items()
                if may_be_anybodys or any(root in text for root in self._roots[name])
            }
            self._known[text] = read_text(text, within) if within else Outcome(text, {})
        return self._known[text]


def _roots(mask: ColumnMask) -> list[str]:
    """How the name and the aliases of a column begin, whatever a program makes of the rest."""
    begins = [mask.masked_name]
    if isinstance(mask, CategoryMask):
        ends = zip(min(mask.label_of), max(mask.label_of), strict=False)
        begins.append("".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], ends)))
    return [found[0] for found in map(_ROOT.match, begins) if found]
