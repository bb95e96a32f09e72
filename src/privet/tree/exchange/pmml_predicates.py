"""The tests of the branches in a PMML file: from predicates to one of our splits.

`pmml_read` walks the nodes; here the predicates of the children of one node are put together.
Predicates of one field are understood: comparisons, sets, missing or not, and what is made of
them by "or" and "and" as other writers do. Of surrogates the first counts.
"""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field

from privet.documents import json_of
from privet.errors import InputError
from privet.schema import Kind
from privet.table import Value, parse_iso
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Split, Subset, Threshold

SURROGATES = "Surrogate splits are left out: where the first is missing, ours does not ask others."
MISSING = (
    "Missing cells go right of a threshold; the file sends them elsewhere at some nodes, "
    "and that is left out."
)
REPLACED = "Values that the file puts in place of missing cells are left out: cells stay missing."

_ITEM = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)
_PREDICATES = {"True", "False", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate"}


@dataclass(frozen=True)
class Field:
    """A column as the file declares it."""

    name: str
    kind: Kind
    categorical: bool
    values: list[str]


@dataclass
class Reading:
    """What is known of the whole file while its nodes are read."""

    fields: dict[str, Field]
    strategy: str
    grower: Grower | None  # of our own files
    losses: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Test:
    """The predicate of one child: `how` is le, lt, gt, ge, in, not-in, missing, present or any."""

    how: str
    field: str = ""
    value: str = ""
    labels: tuple[str, ...] = ()
    with_missing: bool = False


def extension(element: ET.Element, name: str) -> str | None:
    """The value of one of our own extensions."""
    for item in element.iterfind("Extension"):
        if item.get("extender") == "privet" and item.get("name") == name:
            return item.get("value")
    return None


def whole_count(element: ET.Element) -> int | None:
    """The recordCount, if there is one and it is whole."""
    count = float(element.get("recordCount", "nan"))
    return int(count) if count.is_integer() else None


def split_of(
    node: ET.Element, children: list[ET.Element], reading: Reading
) -> tuple[Split, list[ET.Element]]:
    """The split of a node, and its children in the order that our split gives them."""
    tests = [_test(child, reading) for child in children]
    name = next((test.field for test in tests if test.field), "")
    if name not in reading.fields or any(test.field not in (name, "") for test in tests):
        raise _unknown("its branches do not ask one column of the data dictionary")
    if any(test.how == "any" for test in tests[:-1]):
        raise _unknown("a branch takes everything, and others stand after it")
    about = reading.fields[name]
    ways = {test.how for test in tests}
    if ways & {"in", "not-in"} or (about.categorical and ways <= {"missing", "present", "any"}):
        return _category_split(about, node, children, tests, reading)
    return _threshold(about, node, children, tests, reading)


# -- thresholds ------------------------------------------------------------------------------------


def _threshold(
    about: Field,
    node: ET.Element,
    children: list[ET.Element],
    tests: list[Test],
    reading: Reading,
) -> tuple[Split, list[ET.Element]]:
    if len(children) != 2:
        raise _unknown("a number is split more than two ways")
    if tests[0].how in ("gt", "ge", "missing") or tests[1].how in ("le", "lt", "present"):
        children, tests = children[::-1], tests[::-1]
    left, right = tests
    ways = (left.how, right.how)
    if ways in (("present", "missing"), ("present", "any"), ("any", "missing")):
        return Threshold(about.name, about.kind, None), children
    if ways in (("le", "gt"), ("lt", "ge")) and left.value == right.value:
        said = left
    elif ways in (("le", "any"), ("lt", "any"), ("any", "gt"), ("any", "ge")):
        said = left if right.how == "any" else right
    else:
        raise _unknown("its branches leave a gap or overlap")
    exact = extension(children[0], "threshold")
    value = _number(said.value if exact is None else exact, about.kind)
    if said.how in ("lt", "ge"):
        value = math.nextafter(value, -math.inf)  # the same for every number that is not missing
    if not _sends_missing_right(node, children, left, right, reading.strategy):
        reading.losses.add(MISSING)
    return Threshold(about.name, about.kind, value), children


def _sends_missing_right(
    node: ET.Element, children: list[ET.Element], left: Test, right: Test, strategy: str
) -> bool:
    if left.with_missing or right.with_missing:
        return right.with_missing
    if strategy == "defaultChild":
        return node.get("defaultChild", "") == children[1].get("id")
    return strategy == "none" and right.how == "any"


def _number(text: str, kind: Kind) -> float:
    return parse_iso(text, kind) if kind in (Kind.DATE, Kind.DATETIME) else float(text)


# -- categories ------------------------------------------------------------------------------------


def _category_split(
    about: Field,
    node: ET.Element,
    children: list[ET.Element],
    tests: list[Test],
    reading: Reading,
) -> tuple[Split, list[ET.Element]]:
    groups = _groups(about, children, tests)
    _place_missing(node, children, groups, reading)
    if any(not group for group in groups):
        raise _unknown("no category is left for one of its branches")
    multiway = reading.grower is not None and reading.grower.categories == "multiway"
    if len(groups) == 2 and not multiway:
        return Subset(about.name, tuple(groups[0]), tuple(groups[1])), children
    if any(len(group) > 1 for group in groups):
        raise _unknown("categories are split more than two ways, several to a branch")
    return Multiway(about.name, tuple(group[0] for group in groups)), children


def _groups(about: Field, children: list[ET.Element], tests: Sequence[Test]) -> list[list[Value]]:
    """The categories of each branch; the first branch that takes a category has it."""
    listed = {label for test in tests for label in test.labels}
    known = about.values or sorted(listed)
    taken: set[Value] = set()
    groups: list[list[Value]] = []
    for child, test in zip(children, tests, strict=True):
        stored = extension(child, "categories")
        group: list[Value]
        if stored is not None:
            group = list(json_of(stored, "list of categories in the PMML file"))
        elif test.how in ("in", "missing"):
            group = list(test.labels)
        else:  # none of these, any, or not missing
            group = [label for label in known if label not in test.labels]
        if stored is None and (test.how in ("missing", "any") or test.with_missing):
            group.append(None)
        group = [label for label in group if label not in taken]
        taken |= set(group)
        groups.append(group)
    return groups


def _place_missing(
    node: ET.Element, children: list[ET.Element], groups: list[list[Value]], reading: Reading
) -> None:
    """Missing goes to the default child, unless a branch asks for it or the file is our own."""
    asked = any(None in group for group in groups)
    if asked or reading.grower is not None or reading.strategy != "defaultChild":
        return
    for child, group in zip(children, groups, strict=True):
        if child.get("id") == node.get("defaultChild", ""):
            group.append(None)


# -- predicates ------------------------------------------------------------------------------------


def _test(child: ET.Element, reading: Reading) -> Test:
    for item in child:
        if item.tag in _PREDICATES:
            return _predicate(item, reading)
    raise _unknown("a branch has no predicate")


def _predicate(item: ET.Element, reading: Reading) -> Test:
    if item.tag == "True":
        return Test("any")
    if item.tag == "SimplePredicate":
        return _simple(item, reading)
    if item.tag == "SimpleSetPredicate":
        how = {"isIn": "in", "isNotIn": "not-in"}[item.attrib["booleanOperator"]]
        return Test(how, item.attrib["field"], labels=_array(item.find("Array")))
    if item.tag == "CompoundPredicate":
        parts = [part for part in item if part.tag in _PREDICATES]
        if item.get("booleanOperator") == "surrogate":
            if len(parts) > 1:
                reading.losses.add(SURROGATES)
            return _predicate(parts[0], reading)
        return _joined(item.get("booleanOperator", ""), [_predicate(p, reading) for p in parts])
    raise _unknown(f"a predicate is {item.tag}")


def _simple(item: ET.Element, reading: Reading) -> Test:
    name, operator = item.attrib["field"], item.attrib["operator"]
    ways = {"lessOrEqual": "le", "lessThan": "lt", "greaterThan": "gt", "greaterOrEqual": "ge"}
    ways |= {"isMissing": "missing", "isNotMissing": "present"}
    if operator in ways:
        return Test(ways[operator], name, item.get("value", ""))
    if operator in ("equal", "notEqual"):
        if name in reading.fields and not reading.fields[name].categorical:
            raise _unknown("a number is tested for equality")
        how = "in" if operator == "equal" else "not-in"
        return Test(how, name, labels=(item.attrib["value"],))
    raise _unknown(f"a predicate has the operator {operator}")


def _joined(operator: str, parts: list[Test]) -> Test:
    """Several predicates of one field as one: a or b, neither a nor b, missing or something."""
    names, ways = {part.field for part in parts}, {part.how for part in parts}
    if len(names) == 1:
        labels = tuple(label for part in parts for label in part.labels)
        if (operator, ways) in (("or", {"in"}), ("and", {"not-in"})):
            return Test(ways.pop(), names.pop(), labels=labels)
        rest = [part for part in parts if part.how != "missing"]
        if operator == "or" and len(rest) == 1 and len(parts) == 2:
            only = rest[0]
            return Test(only.how, only.field, only.value, only.labels, with_missing=True)
    raise _unknown("predicates are joined in a way that makes no single split")


def _array(element: ET.Element | None) -> tuple[str, ...]:
    if element is None:
        raise _unknown("a set predicate has no array")
    items = _ITEM.finditer(element.text or "")
    return tuple(
        re.sub(r"\\(.)", r"\1", i[1], flags=re.DOTALL) if i[2] is None else i[2] for i in items
    )


def _unknown(what: str) -> InputError:
    return InputError(
        f"A split of the PMML tree cannot be read: {what}.",
        "Privet reads splits of one column at a threshold or into sets of categories.",
    )
