"""What the fields of results in JSON are called, and what stands in them, for `decode_json`.

A word that is not here says nothing: numbers and labels under it are not decoded.
"""

import re
from collections.abc import Mapping
from typing import Any

from privet.parties.meanings import Meaning, meaning_of

FEATURE = (
    *("feature", "features", "attribute", "attributes", "column", "columns", "field", "variable"),
    *("split", "split_feature", "split_variable", "name"),
)
CUT = ("threshold", "thresholds", "cut", "cuts", "split_point", "split_value", "split_condition")
NAMES = ("feature_names", "feature_names_in_", "feature_name", "columns", "names", "attributes")
SIGN = ("decision_type", "operator", "op", "sign", "comparison", "comparator", "relation")
# a number of a node, or a node
LINKS = (
    *("node", "parent", "left", "right", "yes", "no", "children", "left_child", "right_child"),
)
PREDICTED = (
    "value",
    "values",
    "prediction",
    "predictions",
    "leaf",
    "mean_response",
    "score",
    "internal_value",
    "leaf_value",
)
# Numbers in these fields belong to no column, so that a name may stand beside them.
_OF_NO_COLUMN = frozenset(
    (
        *("id", "node_id", "nodeid", "depth", "level", "children_left", "children_right"),
        *("n_node_samples", "node_count"),
        *("weighted_n_node_samples", "impurity", "class_counts", "missing_go_to_left", "version"),
        *("confidence", "conf", "lift", "leverage", "conviction", "coverage", "accuracy", "kappa"),
        *("cover", "split_gain", "split_index", "internal_count", "internal_weight", "leaf_count"),
        *("leaf_weight", "leaf_index", "gini", "entropy", "improvement", "probability"),
        *("n_leaves", "n_features", "n_classes", "max_depth", "format", "random_state", "seed"),
    )
)
# Of records they belong to no column; under the name of one they may be its coefficients.
_WEIGHTS = ("weight", "weights")
# Labels in these fields are those of the response, whose name need not stand beside them.
_CLASSES = frozenset(
    (
        *PREDICTED,
        *("class", "classes", "classes_", "class_name", "class_names", "target_names", "label"),
        *("labels", "majority", "outcome", "predicted", "predicted_class", "then", "consequent"),
    )
)
_NO_UNIT = (Meaning.COUNTS, Meaning.NOTHING)
# These fields hold more of the same: what numbers in them are is what they are around.
_WRAPPERS = re.compile(
    r"data|rows|cells|table|results?|clusters?|groups?|(?:cluster|group|row|class)?[ _-]?\d+"
)


def belongs_to_no_column(word: str) -> bool:
    """Whether numbers in a field, beside names, have no unit of any column."""
    return word in _OF_NO_COLUMN or word in _WEIGHTS or meaning_of(word) in _NO_UNIT


def holds_classes(word: str) -> bool:
    """Whether labels in a field are classes: those that are counted, or predicted."""
    return word in _CLASSES or belongs_to_no_column(word)


def meaning_in(word: str, around: Meaning | None) -> Meaning | None:
    """What numbers in a field are, under the name of a column; None if nobody knows."""
    if word in _WEIGHTS:
        return None
    found = Meaning.NOTHING if word in _OF_NO_COLUMN else meaning_of(word)
    if is_of_counts(around, found):
        return None
    goes_on = around in _NO_UNIT or _WRAPPERS.fullmatch(word)
    return around if found is None and goes_on else found


def is_of_counts(around: Meaning | None, found: Meaning | None) -> bool:
    """Whether a mean, a spread or the like is one of counts or importances, and not of a column."""
    return around in _NO_UNIT and found is not None and found not in _NO_UNIT


def holds_rows(word: str, data: Any) -> bool:
    """Whether a field that should hold counts holds objects: `"records": [{"H_age": 3.25}]`."""
    is_list = isinstance(data, list) and any(isinstance(item, Mapping) for item in data)
    counts = word in _OF_NO_COLUMN or meaning_of(word) is Meaning.COUNTS
    return is_list and counts


def is_known(word: str) -> bool:
    """Whether a word is that of a field, so that no column need be meant by it."""
    fields = {*FEATURE, *CUT, *NAMES, *SIGN, *LINKS}
    return word in fields or holds_classes(word) or meaning_in(word, Meaning.VALUES) is not None
