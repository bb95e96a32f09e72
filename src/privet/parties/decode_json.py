"""Results in JSON read back: trees of other programs, rules, centres, figures by column.

Known are parallel lists of features and thresholds (as scikit-learn has them), nodes that name a
feature and a threshold, and figures under the name of a column. A masked name keeps its mask if any
number or label that may belong to it is in no known place. `decode_printed` reads the texts inside.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from privet.parties import json_words as words
from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.clashes import NAME_IS_TAKEN
from privet.parties.codebook import Codebook
from privet.parties.decode_printed import read_text
from privet.parties.json_cuts import Comparison, cuts_in
from privet.parties.json_numbers import (
    NAMELESS,
    SCATTERED,
    LooseNumbers,
    Place,
    are_places,
    is_scattered,
    numbers_in,
)
from privet.parties.json_strings import Strings, TextReader, filter_names, is_number
from privet.parties.meanings import Meaning, Undecodable, decode_cell, decode_threshold, meaning_of
from privet.parties.number_mask import PREFIX, NumberMask
from privet.parties.outcome import Outcome

_ROUGH = "a cut lies so near a value that it may fall on either side"
_NO_LABEL = "an alias that may be the name or a label of another column"
_MEET = "fields that would become one"
_NO_MEANING = "numbers in a field that does not say what they are"


def decode_data(
    data: Any,
    codebook: Codebook,
    *,
    maskings: Collection[str] = (),
    unchecked: bool = False,
    numbers: Meaning | str = Meaning.VALUES,
) -> Outcome[Any]:
    """A result as JSON holds it, with what the codebook holds decoded.

    `numbers` says what numbers under the name of a column are where no field says it: values of
    the column, or means of some.
    """
    codebook.check_identity(maskings, unchecked=unchecked)
    masks = codebook.by_masked_name()
    found = Strings.of(data)
    undecoded = dict.fromkeys(filter_names(found.hold_both, masks), NAME_IS_TAKEN)
    alone = filter_names(lambda mask: _are_labels_of(data, mask), masks)
    named = {*alone, *filter_names(found.name, masks)}
    while True:
        reading = _Reading({n: m for n, m in masks.items() if n not in undecoded}, named)
        result = reading.read(data, Place(Meaning(numbers), classes=bool(alone)))
        reading.settle()
        if not reading.failed:
            break
        undecoded |= reading.failed
    others = {name for name in reading.others if name not in masks}
    return Outcome(result, undecoded, tuple(sorted(others)), tuple(reading.remarks))


@dataclass
class _Reading:
    masks: Mapping[str, ColumnMask]
    named: Collection[str]  # masked names that stand somewhere in the result
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    _mentioned: set[str] = field(default_factory=set)
    _features: set[str] = field(default_factory=set)
    _tested: set[str] = field(default_factory=set)
    _loose: LooseNumbers = field(default_factory=LooseNumbers)

    def __post_init__(self) -> None:
        self._texts = TextReader(self.masks)

    def settle(self) -> None:
        """Names beside numbers of which nobody knows whose they are fail."""
        loose = self._loose
        for name in loose.may_be_of(self.masks, self._mentioned, self._features):
            self.failed.setdefault(name, SCATTERED)
        untested = {name: mask for name, mask in self.masks.items() if name not in self._tested}
        for name in loose.may_be_masks(untested):
            self.failed.setdefault(name, NAMELESS)
        self.remarks += loose.remarks(untested)

    def read(self, data: Any, place: Place) -> Any:
        if isinstance(data, str):
            return self._text(data, place)
        if isinstance(data, Mapping):
            return self._object(data, place)
        if isinstance(data, list | tuple | set | frozenset):
            return type(data)(self.read(item, place) for item in data)
        if isinstance(data, int | float) and not isinstance(data, bool):
            self._loose.add(data, place)
        return data

    def _text(self, text: str, place: Place, *, is_key: bool = False) -> str:
        if text in self.masks:
            (self._features if place.listed else self._mentioned).add(text)
            return self.masks[text].column
        if text.startswith(PREFIX) and text.isidentifier():
            self.others.add(text)
        self._leave_strange_alias(text, place)
        self._loose.add_text(text, place, is_key=is_key)
        self._mention(text)
        read = self._texts.read(text)
        self.failed |= read.undecoded
        self._remark(*read.remarks)
        return read.result

    def _mention(self, text: str) -> None:
        """A text that names a column and holds no number: the column's may stand beside it."""
        for name, mask in self.masks.items():
            if isinstance(mask, NumberMask) and name in text:
                (self._tested if numbers_in(text) else self._mentioned).add(name)

    def _leave_strange_alias(self, text: str, place: Place) -> None:
        """An alias without its column is a label of it only as a class of a named response."""
        for name, mask in self.masks.items():
            is_alias = isinstance(mask, CategoryMask) and text in mask.label_of
            if is_alias and not (place.classes and name in self.named):
                self.failed.setdefault(name, _NO_LABEL)

    # -- objects -----------------------------------------------------------------------------------

    def _object(self, data: Mapping[str, Any], place: Place) -> dict[Any, Any]:
        place = place.with_names_in(data)
        cuts = self._cuts(data, place)
        pairs: list[tuple[Any, Any]] = []
        for name, value in data.items():
            if name in cuts:
                pairs.append((name, cuts[name]))
            elif name in self.masks:
                mask = self.masks[name]
                pairs.append((mask.column, self._under(value, mask, place)))
            else:
                key = self._field(name, data, place) if isinstance(name, str) else name
                pairs.append((key, self.read(value, place.inside(name, value))))
        self._leave_keys_that_meet(data, [key for key, _ in pairs])
        return dict(pairs)

    def _leave_keys_that_meet(self, old: Iterable[Any], new: Sequence[Any]) -> None:
        """Two keys that became one would be one of what stands under them: their masks stay."""
        times = Counter(new)
        for before, after in zip(old, new, strict=True):
            if times[after] > 1 and before != after:
                known = [name for name, m in self.masks.items() if _is_named_by(before, m)]
                self.failed |= dict.fromkeys(known or self.masks, _MEET)

    def _field(self, name: str, data: Mapping[str, Any], place: Place) -> str:
        is_place = not place.classes and are_places(data)
        return self._text(name, replace(place, free=place.free or is_place), is_key=True)

    def _cuts(self, data: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """The fields of a feature and its threshold decoded, alone or as parallel lists."""
        found = cuts_in(data)
        if found is None:
            return {}
        beside = (name for name in data if name not in (found.feature, found.cut, *self.masks))
        crowded = any(is_scattered(data[name], place.inside(name, data[name])) for name in beside)
        named = {data[name] for name in words.FEATURE if isinstance(data.get(name), str)}
        rivals = (named & self.masks.keys()) - {place.column(data[found.feature])}
        self.failed |= dict.fromkeys(rivals, SCATTERED)  # two columns, and one threshold
        crowded = crowded or bool(rivals)
        decoded = [self._cut(f, t, place, found.comparison, crowded) for f, t in found.pairs]
        if found.are_lists:
            return {found.feature: [f for f, _ in decoded], found.cut: [t for _, t in decoded]}
        ((name, threshold),) = decoded
        return {found.feature: name, found.cut: threshold}

    def _cut(
        self, feature: Any, threshold: Any, place: Place, comparison: Comparison, crowded: bool
    ) -> tuple[Any, Any]:
        self._loose.of_a_tree = True
        is_index = isinstance(feature, int) and not isinstance(feature, bool)
        if feature is None or (is_index and feature < 0):
            return feature, threshold  # a leaf
        named = place.column(feature)
        mask = self.masks.get(named) if named is not None else None
        if mask is None:
            if named is None or (place.names and named not in place.names):
                self._loose.scattered = True  # nobody knows whose threshold it is
            return self.read(feature, Place(None, link=True)), threshold
        shown = feature if is_index else mask.column
        self._tested.add(mask.masked_name)
        try:
            if crowded:
                raise Undecodable(SCATTERED)
            return shown, self._threshold(threshold, mask, comparison)
        except Undecodable as error:
            self.failed.setdefault(mask.masked_name, str(error))
            return feature, threshold

    def _threshold(self, threshold: Any, mask: ColumnMask, comparison: Comparison) -> Any:
        if threshold is None:
            return None
        if isinstance(mask, CategoryMask):
            return decode_cell(threshold, mask, Meaning.VALUES)
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | str):
            raise Undecodable("a threshold that is no number")
        if comparison is Comparison.UNKNOWN:
            raise Undecodable("a comparison that is not known")
        if comparison is Comparison.EQUAL:
            return decode_cell(threshold, mask, Meaning.VALUES)
        strict = comparison is Comparison.BELOW
        decoded, certain = decode_threshold(threshold, mask, strict=strict)
        if not certain:
            self._remark(f"{mask.column}: {_ROUGH}")
        return decoded

    def _remark(self, *remarks: str) -> None:
        self.remarks += [remark for remark in remarks if remark not in self.remarks]

    # -- figures under the name of a column --------------------------------------------------------

    def _under(self, value: Any, mask: ColumnMask, place: Place) -> Any:
        try:
            return self._figures(value, mask, place.meaning)
        except Undecodable as error:
            self.failed.setdefault(mask.masked_name, str(error))
            return value

    def _figures(self, value: Any, mask: ColumnMask, meaning: Meaning | None) -> Any:
        if isinstance(value, list | tuple):
            _refuse_values_as_counts(value, mask, meaning)
            return type(value)(self._figures(item, mask, meaning) for item in value)
        if isinstance(value, Mapping):
            _refuse_values_as_keys(value, mask)
            _refuse_figures_of_importances(value, mask)
            decoded = {
                self._key(name, mask): self._figures(item, mask, _inside(name, mask, meaning))
                for name, item in value.items()
            }
            if len(decoded) < len(value):
                raise Undecodable(_MEET)
            return decoded
        return self._figure(value, mask, meaning)

    def _figure(self, value: Any, mask: ColumnMask, meaning: Meaning | None) -> Any:
        if isinstance(mask, NumberMask) and isinstance(value, str):
            read = read_text(f"{mask.masked_name} {value}", {mask.masked_name: mask})
            if not read.undecoded:
                self._remark(*read.remarks)
                return read.result.removeprefix(f"{mask.column} ")
        if isinstance(mask, CategoryMask):  # its own labels are known wherever they stand
            is_label = isinstance(value, str) or meaning not in (Meaning.COUNTS, Meaning.NOTHING)
            return decode_cell(value, mask, Meaning.VALUES if is_label else Meaning.NOTHING)
        if meaning is None and value is not None:
            raise Undecodable(_NO_MEANING)
        return decode_cell(value, mask, meaning or Meaning.NOTHING)

    def _key(self, name: Any, mask: ColumnMask) -> Any:
        if isinstance(mask, CategoryMask) and mask.knows(name):
            return mask.value_of(name)
        return self._text(name, Place(None, free=True)) if isinstance(name, str) else name


def _are_labels_of(data: Any, mask: ColumnMask) -> bool:
    """Whether a result is nothing but a list of labels of one column: predictions, or its cells."""
    aliases = mask.label_of if isinstance(mask, CategoryMask) else {}
    is_list = isinstance(data, list) and bool(data)
    return is_list and all(isinstance(text, str) and text in aliases for text in data)


def _is_named_by(text: Any, mask: ColumnMask) -> bool:
    is_alias = isinstance(mask, CategoryMask) and text in mask.label_of
    return is_alias or mask.masked_name in str(text)


def _inside(name: Any, mask: ColumnMask, meaning: Meaning | None) -> Meaning | None:
    """What numbers mean in a field under a column: its own word, or its place in a list."""
    if isinstance(mask, CategoryMask) and mask.knows(name):
        return Meaning.NOTHING  # how often a label occurs
    found = meaning_of(str(name))
    if found is None and not str(name).isdecimal():
        raise Undecodable("a field that is not known")
    if words.is_of_counts(meaning, found):
        raise Undecodable(_NO_MEANING)
    return found or meaning


def _refuse_values_as_keys(data: Mapping[Any, Any], mask: ColumnMask) -> None:
    """Numbers as keys may be places in a list, or values whose counts stand there."""
    if isinstance(mask, NumberMask) and data:
        keys = [float(key) if is_number(key) else None for key in data]
        if all(key is not None and mask.value_of(key) is not None for key in keys):
            raise Undecodable("fields that may be places in a list or values of it")


def _refuse_values_as_counts(data: Sequence[Any], mask: ColumnMask, what: Meaning | None) -> None:
    """A list of `samples` may hold their cells, one of `support` the ends of a column's range."""
    if isinstance(mask, NumberMask) and what is Meaning.COUNTS and data:
        numbers = [float(item) for item in data if is_number(item)]
        are_cells = all(mask.value_of(number) is not None for number in numbers)
        if are_cells or not all(number.is_integer() or number < 1 for number in numbers):
            raise Undecodable("numbers that may be counts or values of it")


def _refuse_figures_of_importances(data: Mapping[Any, Any], mask: ColumnMask) -> None:
    """Beside an importance a mean or a spread may be that of the importance."""
    meanings = {meaning_of(str(name)) for name in data}
    both = Meaning.NOTHING in meanings and meanings & {Meaning.MEANS, Meaning.SPREADS}
    if isinstance(mask, NumberMask) and both:
        raise Undecodable("means or spreads of it, or of numbers beside it")
