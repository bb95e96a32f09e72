"""Trees from PMML: our own, bit for bit, and those of other programs (R's `pmml` of rpart trees).

A foreign tree may say what ours cannot: surrogate splits, missing cells that go to the left of a
threshold. It is read all the same, and an `ImportLoss` warning names what was left out. What would
change a prediction for a known value is refused. `pmml_predicates` reads the test of one branch.
"""

import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.documents import json_of, read_bytes
from privet.errors import InputError, PrivetError
from privet.files.maskings import are_identities
from privet.schema import Kind
from privet.table import Value
from privet.tree.exchange.imported import ImportLoss, Sprout, exact_step, numbered, sum_steps
from privet.tree.exchange.pmml_predicates import (
    REPLACED,
    Field,
    Reading,
    extension,
    split_of,
    whole_count,
)
from privet.tree.exchange.pmml_write import EXTENDER
from privet.tree.exchange.soundness import check_sound
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Tree

_KINDS = {
    "double": Kind.DECIMAL,
    "float": Kind.DECIMAL,
    "integer": Kind.INTEGER,
    "date": Kind.DATE,
    "dateTime": Kind.DATETIME,
}


def read_pmml(path: Path) -> Tree:
    """The tree of a PMML file.

    >>> from pathlib import Path
    >>> release = privet.publish({"age": [30, 31, 60, 61], "buys": ["no", "no", "yes", "yes"]},
    ...     target="buys", k=2)
    >>> _ = release.save("shop")
    >>> privet.read_pmml(Path("shop/model.pmml")) == release.tree
    True
    """
    return from_pmml(read_bytes(path, "PMML file"))


def is_our_own(path: Path) -> bool:
    """Whether Privet wrote a PMML file: its thresholds are then exact."""
    return f'extender="{EXTENDER}" name="grower"'.encode() in read_bytes(path, "PMML file")


def from_pmml(text: bytes | str) -> Tree:
    """The tree of a PMML text."""
    data = text.encode() if isinstance(text, str) else text
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError("The PMML file declares a DOCTYPE.", "PMML needs none; take it out.")
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError, RecursionError):
        raise InputError(
            "The PMML file is not well-formed XML.", "export it again from the other program."
        ) from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    try:
        return _tree(root)
    except PrivetError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        raise InputError(
            "The PMML file lacks something that a TreeModel must have.",
            "export it again from the other program.",
        ) from None


@dataclass(frozen=True)
class _Leaf:
    element: ET.Element
    sprout: Sprout


def _tree(root: ET.Element) -> Tree:
    model = root.find("TreeModel")
    if root.tag != "PMML" or model is None:
        raise InputError(
            "The PMML file holds no TreeModel.", "Privet reads single trees, no ensembles."
        )
    fields = {field.name: field for field in _fields(root)}
    mining = {item.get("name", ""): item for item in model.iterfind("MiningSchema/MiningField")}
    target = _target_of(mining)
    _refuse_changed_values(model)
    regression = model.get("functionName") == "regression"
    reading = Reading(fields, model.get("missingValueStrategy", "none"), _stored_grower(model))
    top = model.find("Node")
    if top is None:
        raise ValueError("a TreeModel has a Node")
    whole, leaves, order = _sprouts(top, reading)
    step = _weigh_numbers(leaves, reading.grower) if regression else None
    classes = None if regression else _weigh_classes(leaves, fields[target])
    _tell(reading, mining)
    nodes = numbered(whole, order)
    used = {node.split.attribute for node in nodes if node.split is not None}
    kinds = {name: fields[name].kind for name in (*sorted(used), target)}
    grower = reading.grower or Grower(
        impurity="deviance" if regression else "gini",
        categories=_categories(whole),
        leaves=len(leaves),
        attributes=tuple(n for n, i in mining.items() if i.get("usageType", "active") == "active"),
        response_step=step,
    )
    tree = Tree(target, grower, nodes, classes, step, kinds, _maskings_in(model))
    check_sound(tree)
    return tree


_TARGET = ("target", "predicted")


def _target_of(mining: Mapping[str, ET.Element]) -> str:
    for name, item in mining.items():
        if item.get("usageType") in _TARGET:
            return name
    raise InputError("The TreeModel names no target.", "export it again with its target.")


def _refuse_changed_values(model: ET.Element) -> None:
    """Values may be bent before the tree tests them, and predictions after it gave them."""
    outliers = (item.get("outliers", "asIs") for item in model.iterfind("MiningSchema/MiningField"))
    if any(treated != "asIs" for treated in outliers) or any(
        {"castInteger", "min", "max"} & set(item.keys())
        or float(item.get("rescaleFactor", "1")) != 1
        or float(item.get("rescaleConstant", "0")) != 0
        for item in model.iterfind("Targets/Target")
    ):
        raise InputError(
            "The PMML file changes values or predictions besides the tree (outliers, Targets).",
            "Privet reads the tree alone; export it without such changes.",
        )


def _fields(root: ET.Element) -> Iterator[Field]:
    for item in root.iterfind("DataDictionary/DataField"):
        said = extension(item, "kind")
        kind = _KINDS.get(item.get("dataType", ""), Kind.CATEGORY)
        categorical = item.get("optype") != "continuous"
        values = [v.attrib["value"] for v in item.iterfind("Value") if _is_valid(v)]
        yield Field(item.attrib["name"], Kind(said) if said else kind, categorical, values)


def _is_valid(value: ET.Element) -> bool:
    return value.get("property", "valid") == "valid"


def _stored_grower(model: ET.Element) -> Grower | None:
    text = extension(model, "grower")
    return Grower.from_description(json_of(text, "grower in the PMML file")) if text else None


def _maskings_in(model: ET.Element) -> tuple[str, ...]:
    """The maskings of the table that a tree was grown from, where the file names them."""
    named = (extension(model, "maskings") or "").split()
    if not are_identities(named):
        raise ValueError("identities are hexadecimal")
    return tuple(named)


def _sprouts(top: ET.Element, reading: Reading) -> tuple[Sprout, list[_Leaf], list[Sprout] | None]:
    """The whole tree, its leaves, and the order of the nodes where the file is our own."""
    whole = Sprout()
    leaves: list[_Leaf] = []
    of_id: dict[str, Sprout] = {}
    waiting = [(top, whole)]
    while waiting:
        element, sprout = waiting.pop()
        of_id[element.get("id", f"without-{len(of_id)}")] = sprout
        below = element.findall("Node")
        if len(below) == 1:
            raise InputError("A node of the TreeModel has one child alone.", "Privet needs two.")
        if not below:
            leaves.append(_Leaf(element, sprout))
            continue
        sprout.split, children = split_of(element, below, reading)
        sprout.children = [Sprout() for _ in children]
        waiting += zip(children, sprout.children, strict=True)
    if reading.grower is None:
        return whole, leaves, None
    return whole, leaves, [of_id[str(number)] for number in range(len(of_id))]


def _categories(whole: Sprout) -> Any:
    waiting = [whole]
    while waiting:
        sprout = waiting.pop()
        if isinstance(sprout.split, Multiway):
            return "multiway"
        waiting += sprout.children
    return "subset"


# -- leaves ----------------------------------------------------------------------------------------


def _weigh_numbers(leaves: list[_Leaf], stored: Grower | None) -> float:
    """Give each leaf of a regression tree its records and exact sum; the grid of the sums."""
    if stored is not None and stored.response_step is not None:
        for leaf in leaves:
            records = int(leaf.element.attrib["recordCount"])
            leaf.sprout.weights = (records, int(extension(leaf.element, "sum_steps") or ""))
        return stored.response_step
    means = [float(leaf.element.attrib["score"]) + 0.0 for leaf in leaves]
    step = exact_step(means)
    for leaf, mean in zip(leaves, means, strict=True):
        records = max(1, whole_count(leaf.element) or 1)
        leaf.sprout.weights = (records, sum_steps(records, mean, step))
    return step


def _weigh_classes(leaves: list[_Leaf], target: Field) -> tuple[Value, ...]:
    """Give each leaf of a decision tree its records by class; the classes, sorted."""
    texts = set(target.values)
    for leaf in leaves:
        texts |= {item.attrib["value"] for item in leaf.element.iterfind("ScoreDistribution")}
        texts |= {leaf.element.get("score", "")} - {""}
    known = {text: _class_of(text, target.kind) for text in texts}
    sortable: dict[str, Any] = {text: label for text, label in known.items() if label is not None}
    order = [*sorted(sortable, key=lambda text: sortable[text]), *(known.keys() - sortable.keys())]
    changed = False
    for leaf in leaves:
        changed |= _weigh_leaf(leaf, order)
    if changed:
        warnings.warn(
            "Class counts are left out where they are weighted, absent, or do not name the score "
            "as the most frequent class; the predictions are kept.",
            ImportLoss,
            stacklevel=5,
        )
    return tuple(known[text] for text in order)


def _weigh_leaf(leaf: _Leaf, order: list[str]) -> bool:
    """Set the weights of a leaf; whether its counts had to be left out."""
    items = leaf.element.iterfind("ScoreDistribution")
    told = {item.attrib["value"]: whole_count(item) for item in items}
    counts = [count for text in order if (count := told.get(text, 0)) is not None]
    score = leaf.element.get("score")
    if len(counts) == len(order) and any(counts):
        best = order[counts.index(max(counts))]
        if score is None or score == best:
            leaf.sprout.weights = tuple(counts)
            return False
    if score is None:
        raise ValueError("a leaf has a score")
    records = max(1, whole_count(leaf.element) or 1)
    leaf.sprout.weights = tuple(records if text == score else 0 for text in order)
    return True


def _class_of(text: str, kind: Kind) -> Value:
    if text == "":
        return None
    if kind is Kind.INTEGER:
        return int(text)
    return float(text) if kind is Kind.DECIMAL else text


def _tell(reading: Reading, mining: Mapping[str, ET.Element]) -> None:
    """Warn of what the file says and our tree does not."""
    if any("missingValueReplacement" in item.attrib for item in mining.values()):
        reading.losses.add(REPLACED)
    for loss in sorted(reading.losses):
        warnings.warn(loss, ImportLoss, stacklevel=4)
