"""Results in JSON read back: trees of other programs, rules, centres, figures by column.

Known are parallel lists of features and thresholds (as scikit-learn has them), nodes that name a
feature and a threshold, and figures under the name of a column. A masked name keeps its mask if any
number or label that may belong to it is in no known place. `decode_printed` reads the texts inside.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from privet.parties.category_mask import CategoryMask, ColumnMask
from privet.parties.codebook import Codebook
from privet.parties.decode_printed import read_text
from privet.parties.meanings import Meaning, Undecodable, decode_cell, decode_threshold, meaning_of
from privet.parties.number_mask import PREFIX, NumberMask
from privet.parties.outcome import Outcome

_FEATURE = (
    *("feature", "features", "attribute", "attributes", "column", "columns", "field", "variable"),
    *("split", "split_feature", "split_variable", "name"),
)
_CUT = ("threshold", "thresholds", "cut", "cuts", "split_point", "split_value", "split_condition")
_NAMES = ("feature_names", "feature_names_in_", "feature_name", "columns", "names", "attributes")
_SIGN = ("decision_type", "operator", "op", "sign")
_STRICT = {"<", ">=", "lt", "ge"}
# Numbers in these fields belong to no column, so that a name may stand beside them.
_OF_NO_COLUMN = frozenset(
    (
        *("id", "node_id", "nodeid", "depth", "level", "children_left", "children_right"),
        *("n_node_samples", "node_count"),
        *("weighted_n_node_samples", "impurity", "class_counts", "missing_go_to_left", "version"),
        *("confidence", "conf", "lift", "leverage", "conviction", "coverage", "accuracy", "kappa"),
        *("n_leaves", "n_features", "n_classes", "max_depth", "format", "random_state", "seed"),
    )
)
_LINKS = ("node", "parent", "left", "right", "yes", "no", "children")  # a number, or a node
_PREDICTED = ("value", "values", "prediction", "predictions", "leaf", "mean_response", "score")
_SCATTERED = "numbers beside it that may or may not belong to it"
_ROUGH = "a cut lies so near a value that it may fall on either side"


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
    undecoded: dict[str, str] = {}
    while True:
        reading = _Reading({n: m for n, m in masks.items() if n not in undecoded})
        result = reading.read(data, _Place(Meaning(numbers)))
        reading.settle()
        if not reading.failed:
            break
        undecoded |= reading.failed
    others = {name for name in reading.others if name not in masks}
    return Outcome(result, undecoded, tuple(sorted(others)), tuple(reading.remarks))


@dataclass(frozen=True)
class _Place:
    """Where in a result one is: what numbers mean there, and the names that indices stand for."""

    meaning: Meaning
    names: tuple[str, ...] = ()
    free: bool = False  # numbers here belong to no column
    link: bool = False  # a number here is that of a node
    predicted: bool = False  # numbers here may be those of a response
    listed: bool = False  # names here are those of features


@dataclass
class _Reading:
    masks: Mapping[str, ColumnMask]
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    _mentioned: set[str] = field(default_factory=set)
    _features: set[str] = field(default_factory=set)
    _scattered: bool = False
    _predicted: bool = False

    def settle(self) -> None:
        """Names that were only mentioned fail if there are numbers of which nobody knows whose.

        What a tree predicts may be its response's, but is no feature's.
        """
        for name in self._mentioned if self._scattered else ():
            self.failed.setdefault(name, _SCATTERED)
        for name in self._mentioned - self._features if self._predicted else ():
            if isinstance(self.masks[name], NumberMask):
                self.failed.setdefault(name, _SCATTERED)

    def read(self, data: Any, place: _Place) -> Any:
        if isinstance(data, str):
            return self._text(data, place.listed)
        if isinstance(data, Mapping):
            return self._object(data, place)
        if isinstance(data, list | tuple | set | frozenset):
            return type(data)(self.read(item, place) for item in data)
        if (
            isinstance(data, int | float)
            and not isinstance(data, bool)
            and not (place.free or place.link)
        ):
            self._predicted |= place.predicted
            self._scattered |= not place.predicted
        return data

    def _text(self, text: str, is_feature: bool = False) -> str:
        if text in self.masks:
            self._mentioned.add(text)
            self._features |= {text} if is_feature else set()
            return self.masks[text].column
        if text.startswith(PREFIX) and text.isidentifier():
            self.others.add(text)
        read = read_text(text, self.masks)
        self.failed |= read.undecoded
        self.remarks += [remark for remark in read.remarks if remark not in self.remarks]
        return read.result

    # -- objects -----------------------------------------------------------------------------------

    def _object(self, data: Mapping[str, Any], place: _Place) -> dict[Any, Any]:
        place = _with_names(data, place)
        cuts = self._cuts(data, place)
        decoded = {}
        for name, value in data.items():
            if name in cuts:
                decoded[name] = cuts[name]
            elif name in self.masks:
                decoded[self.masks[name].column] = self._under(value, self.masks[name], place)
            else:
                word = str(name).lower()
                inside = _Place(
                    meaning_of(word) or place.meaning,
                    place.names,
                    place.free or word in _OF_NO_COLUMN or meaning_of(word) is Meaning.NOTHING,
                    word in _LINKS,
                    place.predicted or word in _PREDICTED,
                    word in _NAMES,
                )
                decoded[self._text(name) if isinstance(name, str) else name] = self.read(
                    value, inside
                )
        return decoded

    def _cuts(self, data: Mapping[str, Any], place: _Place) -> dict[str, Any]:
        """The fields of a feature and its threshold decoded, alone or as parallel lists."""
        feature = next((f for f in _FEATURE if f in data), None)
        cut = next((c for c in _CUT if c in data), None)
        if feature is None or cut is None:
            return {}
        features, thresholds = data[feature], data[cut]
        strict = cut == "split_condition" or any(data.get(sign) in _STRICT for sign in _SIGN)
        decoded = [self._cut(f, t, place, strict) for f, t in _paired(features, thresholds)]
        if not decoded:
            return {}
        if isinstance(features, list):
            return {feature: [f for f, _ in decoded], cut: [t for _, t in decoded]}
        ((name, threshold),) = decoded
        return {feature: name, cut: threshold}

    def _cut(self, feature: Any, threshold: Any, place: _Place, strict: bool) -> tuple[Any, Any]:
        is_index = isinstance(feature, int) and not isinstance(feature, bool)
        named = feature
        if is_index:
            if feature < 0:
                return feature, threshold  # a leaf
            named = place.names[feature] if feature < len(place.names) else None
            if named is None:
                self._scattered = True
        mask = self.masks.get(named) if isinstance(named, str) else None
        if mask is None:
            return (self._text(feature) if isinstance(feature, str) else feature), threshold
        shown = feature if is_index else mask.column
        try:
            return shown, self._threshold(threshold, mask, strict)
        except Undecodable as error:
            self.failed.setdefault(mask.masked_name, str(error))
            return feature, threshold

    def _threshold(self, threshold: Any, mask: ColumnMask, strict: bool) -> Any:
        if threshold is None:
            return None
        if isinstance(mask, CategoryMask):
            return decode_cell(threshold, mask, Meaning.VALUES)
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | str):
            raise Undecodable("a threshold that is no number")
        try:
            decoded, certain = decode_threshold(float(threshold), mask, strict=strict)
        except ValueError:
            raise Undecodable("a threshold that is no number") from None
        if not certain:
            self.remarks += [] if _ROUGH in self.remarks else [f"{mask.column}: {_ROUGH}"]
        return decoded

    # -- figures under the name of a column --------------------------------------------------------

    def _under(self, value: Any, mask: ColumnMask, place: _Place) -> Any:
        try:
            return self._figures(value, mask, place.meaning)
        except Undecodable as error:
            self.failed.setdefault(mask.masked_name, str(error))
            return value

    def _figures(self, value: Any, mask: ColumnMask, meaning: Meaning) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self._figures(item, mask, meaning) for item in value)
        if isinstance(value, Mapping):
            return {
                self._key(name, mask): self._figures(item, mask, _inside(name, mask, meaning))
                for name, item in value.items()
            }
        if isinstance(mask, NumberMask) and isinstance(value, str):
            read = read_text(f"{mask.masked_name} {value}", {mask.masked_name: mask})
            if not read.undecoded:
                self.remarks += [r for r in read.remarks if r not in self.remarks]
                return read.result.removeprefix(f"{mask.column} ")
        return decode_cell(value, mask, meaning)

    def _key(self, name: Any, mask: ColumnMask) -> Any:
        if isinstance(mask, CategoryMask) and mask.knows(name):
            return mask.value_of(name)
        return self._text(name) if isinstance(name, str) else name


def _paired(features: Any, thresholds: Any) -> list[tuple[Any, Any]]:
    """Features with their thresholds: one of each, or two lists of one length; nothing else."""
    if isinstance(features, list) and isinstance(thresholds, list):
        same_length = len(features) == len(thresholds)
        return list(zip(features, thresholds, strict=True)) if same_length else []
    if isinstance(features, list | dict) or isinstance(thresholds, list | dict):
        return []
    return [(features, thresholds)]


def _inside(name: Any, mask: ColumnMask, meaning: Meaning) -> Meaning:
    """What numbers mean in a field under a column: its own word, or its place in a list."""
    if isinstance(mask, CategoryMask) and mask.knows(name):
        return Meaning.NOTHING  # how often a label occurs
    found = meaning_of(str(name))
    if found is None and not str(name).isdecimal():
        raise Undecodable("a field that is not known")
    return found or meaning


def _with_names(data: Mapping[str, Any], place: _Place) -> _Place:
    for field_name in _NAMES:
        names: Sequence[Any] = data.get(field_name, ())
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            return replace(place, names=tuple(names))
    return place
