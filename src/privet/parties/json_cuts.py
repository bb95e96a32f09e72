"""A feature and its threshold in one object of JSON: one of each, or two lists of one length.

What the comparison between them is says how a cut is decoded: `x < t` and `x <= t` divide a column
differently at `t` itself, and `x == t` is no cut at all. `decode_json` decodes what is found here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from privet.parties import json_words as words


class Comparison(StrEnum):
    """How a column is compared with a threshold."""

    UP_TO = "up to"  # values that are the threshold lie left
    BELOW = "below"  # they lie right
    EQUAL = "equal"  # or not equal: the threshold is a value
    UNKNOWN = "unknown"


_BY_SIGN = {
    **dict.fromkeys(("<=", ">", "≤", "le", "gt", "lessorequal", "greaterthan"), Comparison.UP_TO),
    **dict.fromkeys(("<", ">=", "≥", "lt", "ge", "lessthan", "greaterorequal"), Comparison.BELOW),
    **dict.fromkeys(("=", "==", "eq", "equal", "is"), Comparison.EQUAL),
    **dict.fromkeys(("!=", "<>", "≠", "ne", "notequal"), Comparison.EQUAL),
}


@dataclass(frozen=True)
class Cuts:
    """The fields of features and thresholds, their pairs, and how they are compared."""

    feature: str
    cut: str
    pairs: list[tuple[Any, Any]]
    are_lists: bool
    comparison: Comparison


def cuts_in(data: Mapping[str, Any]) -> Cuts | None:
    """The cuts of an object; None if it has none."""
    feature = next((f for f in words.FEATURE if f in data), None)
    cut = next((c for c in words.CUT if c in data), None)
    if feature is None or cut is None:
        return None
    pairs = _paired(data[feature], data[cut])
    are_lists = isinstance(data[feature], list)
    comparison = _comparison(data, strict=cut == "split_condition")
    return Cuts(feature, cut, pairs, are_lists, comparison) if pairs else None


def _paired(features: Any, thresholds: Any) -> list[tuple[Any, Any]]:
    if isinstance(features, list) and isinstance(thresholds, list):
        same_length = len(features) == len(thresholds)
        return list(zip(features, thresholds, strict=True)) if same_length else []
    if isinstance(features, list | dict) or isinstance(thresholds, list | dict):
        return []
    return [(features, thresholds)]


def _comparison(data: Mapping[str, Any], strict: bool) -> Comparison:
    """What the signs of an object say; where there is none, what is usual.

    A sign counts in whatever field it stands; a word only in a field of signs. Signs that
    contradict each other, and words that nobody knows, say nothing.
    """
    found = {
        _BY_SIGN.get(text.lower(), Comparison.UNKNOWN)
        for name, value in data.items()
        for text in _texts(value)
        if name in words.SIGN or (text in _BY_SIGN and not text.isalpha())
    }
    if not found:
        return Comparison.BELOW if strict else Comparison.UP_TO
    return found.pop() if len(found) == 1 else Comparison.UNKNOWN


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item.strip()
