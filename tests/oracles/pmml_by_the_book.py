"""A PMML TreeModel evaluated record by record as its standard says, and nothing more.

Predicates are true, false or unknown (None). With `defaultChild` an unknown predicate sends the
record to the default child. Extensions are never looked at.
"""

import re
import xml.etree.ElementTree as ET
from typing import Any

_COMPARE = {
    "equal": lambda a, b: a == b,
    "notEqual": lambda a, b: a != b,
    "lessThan": lambda a, b: a < b,
    "lessOrEqual": lambda a, b: a <= b,
    "greaterThan": lambda a, b: a > b,
    "greaterOrEqual": lambda a, b: a >= b,
}


class BookModel:
    def __init__(self, text: str) -> None:
        root = ET.fromstring(text.encode())
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        self.model = root.find("TreeModel")
        self.types = {
            field.get("name"): field.get("dataType")
            for field in root.iterfind("DataDictionary/DataField")
        }
        self.default = self.model.get("missingValueStrategy") == "defaultChild"

    def score(self, record: dict[str, Any]) -> str:
        """The score that a record gets; cells are numbers, labels, ISO texts, or None."""
        node = self.model.find("Node")
        while True:
            chosen = None
            for child in node.findall("Node"):
                answer = self.predicate(child, record)
                if answer is None and self.default:
                    chosen = node.find(f"Node[@id='{node.get('defaultChild')}']")
                    break
                if answer:
                    chosen = child
                    break
            if chosen is None:
                return node.get("score")
            node = chosen

    def predicate(self, node: ET.Element, record: dict[str, Any]) -> bool | None:
        tags = ("True", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate")
        return self.test(next(item for item in node if item.tag in tags), record)

    def test(self, item: ET.Element, record: dict[str, Any]) -> bool | None:
        if item.tag == "True":
            return True
        if item.tag == "CompoundPredicate":
            parts = [self.test(part, record) for part in item]
            if item.get("booleanOperator") == "surrogate":
                return next((part for part in parts if part is not None), None)
            strong = item.get("booleanOperator") == "or"
            if strong in parts:
                return strong
            return None if None in parts else not strong
        cell = record[item.get("field")]
        operator = item.get("operator") or item.get("booleanOperator")
        if operator in ("isMissing", "isNotMissing"):
            return (cell is None) == (operator == "isMissing")
        if cell is None:
            return None
        if item.tag == "SimpleSetPredicate":
            array = item.find("Array")
            labels = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', array.text)]
            assert len(labels) == int(array.get("n", len(labels)))
            return (cell in labels) == (operator == "isIn")
        value: Any = item.get("value")
        if self.types[item.get("field")] in ("double", "integer"):
            value = float(value)
        return bool(_COMPARE[operator](cell, value))
