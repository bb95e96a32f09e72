"""A tree as PMML 4.4, the language that other programs read; `pmml_read` is the way back.

Every child has one plain predicate, because many readers know no others. Where a cell is missing
the predicate is unknown and the record goes to the `defaultChild`; a category that the node never
saw goes to the larger child, which therefore takes "none of the others". What PMML has no place
for (the grower, exact sums, lists behind "none of the others") stands in `Extension` elements,
which other programs pass over. The same tree gives the same bytes.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from privet.errors import OutputError
from privet.files.outputs import write_text
from privet.schema import Kind
from privet.table import Value, iso_text
from privet.tree.exchange.model_file import class_text
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree

NAMESPACE, EXTENDER = "http://www.dmg.org/PMML-4_4", "privet"

_DATA_TYPES = {
    Kind.INTEGER: "double",  # thresholds lie between whole numbers
    Kind.DECIMAL: "double",
    Kind.DATE: "date",
    Kind.DATETIME: "dateTime",
    Kind.CATEGORY: "string",
}
# three short ranges: as one set they take ten times as long to be made ready
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]|[\ud800-\udfff]|[\ufffe\uffff]")
_AWKWARD_IN_ARRAYS = re.compile(r'["\\\n\r\t]')


def write_pmml(tree: Tree, path: str | Path) -> None:
    """Write a tree as PMML 4.4, whole or not at all; a file that exists is replaced.

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> tree = privet.grow(privet.MemoryEngine(table), schema, privet.Grower())
    >>> privet.write_pmml(tree, "tree.pmml")
    """
    write_text(path, to_pmml(tree), force=True)


def to_pmml(tree: Tree) -> str:
    """A tree as the text of a PMML 4.4 file."""
    return "\n".join(_document(tree)) + "\n"


def _document(tree: Tree) -> Iterator[str]:
    fields = [tree.target, *sorted(tree.attributes_used)]
    multiway = any(len(node.children) > 2 for node in tree.inner)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield _open("PMML", xmlns=NAMESPACE, version="4.4")
    yield f"<Header>{_lone('Application', name='Privet')}</Header>"
    yield _open("DataDictionary", numberOfFields=len(fields))
    yield from _target_field(tree)
    for name in fields[1:]:
        yield from _field(name, tree.kinds[name], "", _categories(tree, name))
    yield "</DataDictionary>"
    yield _open(
        "TreeModel",
        modelName="tree",
        functionName="regression" if tree.is_regression else "classification",
        algorithmName="privet-best-first",
        missingValueStrategy="defaultChild",
        noTrueChildStrategy="returnLastPrediction",
        splitCharacteristic="multiSplit" if multiway else "binarySplit",
    )
    yield _extension("grower", json.dumps(tree.grower.describe(), ensure_ascii=False))
    if tree.maskings:
        yield _extension("maskings", " ".join(tree.maskings))
    yield "<MiningSchema>"
    yield _lone("MiningField", name=tree.target, usageType="target")
    for name in fields[1:]:
        yield _lone("MiningField", name=name, usageType="active", invalidValueTreatment="asIs")
    yield "</MiningSchema>"
    yield from _nodes(tree)
    yield "</TreeModel>"
    yield "</PMML>"


# -- fields ----------------------------------------------------------------------------------------


def _target_field(tree: Tree) -> Iterator[str]:
    kind = tree.kinds[tree.target]
    if tree.classes is None:
        yield from _field(tree.target, kind, "", ())
        return
    types = {Kind.INTEGER: "integer", Kind.DECIMAL: "double"}
    yield from _field(
        tree.target, kind, types.get(kind, "string"), [class_text(c) for c in tree.classes]
    )


def _field(name: str, kind: Kind, data_type: str, values: Sequence[str]) -> Iterator[str]:
    categorical = bool(values) or kind is Kind.CATEGORY
    yield _open(
        "DataField",
        name=name,
        optype="categorical" if categorical else "continuous",
        dataType=data_type or _DATA_TYPES[kind],
    )
    yield _extension("kind", str(kind))
    for value in values:
        yield _lone("Value", value=value)
    yield "</DataField>"


def _categories(tree: Tree, name: str) -> list[str]:
    """The categories of a column that the tree knows, sorted."""
    known: set[str] = set()
    for node in tree.inner:
        if node.split is not None and node.split.attribute == name:
            for group in _groups(node.split):
                known |= {str(label) for label in group if label is not None}
    return sorted(known)


# -- nodes -----------------------------------------------------------------------------------------


def _nodes(tree: Tree) -> Iterator[str]:
    waiting: list[tuple[Node, list[str]] | str] = [(tree.root, ["<True/>"])]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        node, tests = item
        below = _branches(tree, node)
        yield _open(
            "Node",
            id=node.id,
            score=_score(tree, node),
            recordCount=tree.records(node),
            **({"defaultChild": _goes_missing(tree, node)} if below else {}),
        )
        if tree.is_regression and node.is_leaf:
            yield _extension("sum_steps", str(node.weights[1]))
        yield from tests
        if node.is_leaf and tree.classes is not None:
            for label, count in zip(tree.classes, node.weights, strict=True):
                if count:
                    yield _lone("ScoreDistribution", value=class_text(label), recordCount=count)
        waiting.append("</Node>")
        waiting += reversed(below)


def _branches(tree: Tree, node: Node) -> list[tuple[Node, list[str]] | str]:
    """The children of a node with the lines before their distribution: extension, predicate."""
    if node.split is None:
        return []
    children = [tree.nodes[child] for child in node.children]
    if isinstance(node.split, Threshold):
        tests = _threshold_tests(node.split)
    else:
        tests = _category_tests(node.split, tree.default_child(node))
    return list(zip(children, tests, strict=True))


def _goes_missing(tree: Tree, node: Node) -> int:
    """The id of the child to which missing cells go."""
    if node.split is None or isinstance(node.split, Threshold):
        return node.children[1]
    for child, group in zip(node.children, _groups(node.split), strict=True):
        if None in group:
            return child
    return node.children[tree.default_child(node)]


def _groups(split: Threshold | Subset | Multiway) -> list[tuple[Value, ...]]:
    match split:
        case Subset(_, left, right):
            return [left, right]
        case Multiway(_, branches):
            return [(branch,) for branch in branches]
    return []


def _threshold_tests(split: Threshold) -> list[list[str]]:
    if split.threshold is None:
        return [[_test(split.attribute, how)] for how in ("isNotMissing", "isMissing")]
    text, exact = _threshold_text(split.threshold, split.kind)
    extra = [] if exact is None else [_extension("threshold", exact)]
    return [
        [*extra, _test(split.attribute, "lessOrEqual", text)],
        [_test(split.attribute, "greaterThan", text)],
    ]


def _threshold_text(threshold: float, kind: Kind) -> tuple[str, str | None]:
    """The threshold, and its exact text where PMML can only name the last value before it."""
    if kind not in (Kind.DATE, Kind.DATETIME):
        return repr(float(threshold)), None
    exact = iso_text(threshold, kind)
    if exact.startswith("day"):
        raise OutputError(
            "PMML cannot hold a threshold on a date outside the years 1 to 9999.",
            "write the tree as model.json.",
        )
    whole = iso_text(threshold // 1, kind)
    return whole, exact if exact != whole else None


def _category_tests(split: Subset | Multiway, larger: int) -> list[list[str]]:
    groups = _groups(split)
    tests = []
    for number, group in enumerate(groups):
        own = _labels(group)
        others = [
            label for place, g in enumerate(groups) if place != number for label in _labels(g)
        ]
        listed = len(own) == len(group) and number != larger
        extra = [] if listed else [_extension("categories", json.dumps(group, ensure_ascii=False))]
        if number == larger:
            test = _none_of(split.attribute, others)
        else:
            test = _any_of(split.attribute, own)
        tests.append([*extra, *test])
    return tests


def _labels(group: Sequence[Value]) -> list[str]:
    return [str(label) for label in group if label is not None]


def _any_of(field: str, labels: list[str]) -> list[str]:
    if not labels:
        return [_test(field, "isMissing")]
    return _set_test(field, labels, "isIn", "equal", "or")


def _none_of(field: str, labels: list[str]) -> list[str]:
    if not labels:
        return [_test(field, "isNotMissing")]
    return _set_test(field, labels, "isNotIn", "notEqual", "and")


def _set_test(field: str, labels: list[str], many: str, one: str, joined: str) -> list[str]:
    """A list of labels; one by one where the quoting of PMML's arrays is not clear to all."""
    if not any(_AWKWARD_IN_ARRAYS.search(label) for label in labels):
        listed = _escaped(" ".join(f'"{label}"' for label in labels))
        array = f'<Array n="{len(labels)}" type="string">{listed}</Array>'
        head = _open("SimpleSetPredicate", field=field, booleanOperator=many)
        return [f"{head}{array}</SimpleSetPredicate>"]
    tests = [_test(field, one, label) for label in labels]
    if len(tests) == 1:
        return tests
    head = _open("CompoundPredicate", booleanOperator=joined)
    return [head, *tests, "</CompoundPredicate>"]


def _score(tree: Tree, node: Node) -> str:
    prediction = tree.prediction(node)
    return repr(prediction) if tree.is_regression else class_text(prediction)


# -- XML -------------------------------------------------------------------------------------------


def _test(field: str, operator: str, value: str | None = None) -> str:
    more = {} if value is None else {"value": value}
    return _lone("SimplePredicate", field=field, operator=operator, **more)


def _extension(name: str, value: str) -> str:
    return _lone("Extension", extender=EXTENDER, name=name, value=value)


def _open(tag: str, **attributes: object) -> str:
    pairs = (f" {name}={_quoted(str(value))}" for name, value in attributes.items())
    return f"<{tag}{''.join(pairs)}>"


def _lone(tag: str, **attributes: object) -> str:
    return _open(tag, **attributes)[:-1] + "/>"


def _quoted(text: str) -> str:
    text = _escaped(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    mark = "'" if '"' in text and "'" not in text else '"'
    return mark + text.replace(mark, "&quot;") + mark


def _escaped(text: str) -> str:
    """As `xml.sax.saxutils` has it, whose import brings a client of the web with it."""
    return _speakable(text).replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def _speakable(text: str) -> str:
    if _NOT_IN_XML.search(text):
        raise OutputError(
            "PMML cannot hold this tree: a name or category has a control character.",
            "write the tree as model.json, or rename the column or category.",
        )
    return text
