"""A stranger reads a release: standard library and the slow grower, nothing of Privet.

`differences(folder)` reads data.csv, grows every tree again by the settings in model.json, compares
it node by node and counts K, strong L and what classes tell of targets. It gives a list of
sentences, empty if all is as told.
"""

import csv
import json
import struct
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracles.slow_grower import SlowGrowth, SlowNode, SlowSettings

ORDERED = {"integer", "decimal", "date", "datetime"}


class Stranger:
    """What can be said of a release folder from outside."""

    def __init__(self, folder: Path) -> None:
        self.model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        self.models = [self.model, *self.model["more_trees"]]
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        columns = self.manifest["schema"]["columns"]
        self.kinds = {name: column["kind"] for name, column in columns.items()}
        self.quasi = [name for name, column in columns.items() if column["role"] == "quasi"]
        self.targets = [name for name, column in columns.items() if column["role"] == "target"]
        with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
            header, *self.lines = list(csv.reader(file))
        self.texts = {name: [line[i] for line in self.lines] for i, name in enumerate(header)}
        self.cells = {
            name: [parsed(text, self.kinds[name]) for text in texts]
            for name, texts in self.texts.items()
        }

    def differences(self) -> list[str]:
        found = [said for model in self.models for said in self.of_tree(model)]
        if {model["target"] for model in self.models} != set(self.targets):
            found.append("other targets than the trees have")
        return [*found, *self.of_claims()]

    # -- the tree --------------------------------------------------------------------------------

    def grow(self, model: dict[str, Any]) -> tuple[SlowGrowth, list[SlowNode]]:
        grower = model["grower"]
        settings = SlowSettings(
            impurity=grower["impurity"],
            categories=grower["categories"],
            leaves=grower["leaves"],
            depth=grower["depth"],
            min_leaf=grower["min_leaf"],
            min_gain=grower["min_gain"],
            step=grower["response_step"] or 1.0,
        )
        ordered = {name for name, kind in self.kinds.items() if kind in ORDERED}
        growth = SlowGrowth(self.cells, ordered, grower["attributes"], model["target"], settings)
        growth.stored = dict(grower["category_orders"])
        return growth, growth.grow()

    def of_tree(self, model: dict[str, Any]) -> list[str]:
        growth, nodes = self.grow(model)
        told = model["nodes"]
        if len(nodes) != len(told):
            return [f"{len(told)} nodes are told of, {len(nodes)} grow"]
        found = []
        for node, item in zip(nodes, told, strict=True):
            mine = self.as_model_says(growth, node, model["target"])
            found += [
                f"node {node.id}: {field} is {item.get(field)!r}, should be {value!r}"
                for field, value in mine.items()
                if not same(item.get(field), value)
            ]
            extra = item.keys() - mine.keys() - {"more_left", "more_right"}  # carried by no record
            found += [f"node {node.id}: unknown {field}" for field in extra]
        return found

    def as_model_says(self, growth: SlowGrowth, node: SlowNode, target: str) -> dict[str, Any]:
        data: dict[str, Any] = {"id": node.id, "attribute": None, "kind": "leaf"}
        if node.split is not None:
            data |= {"attribute": node.split[1], "kind": node.split[0]}
        match node.split:
            case ("threshold", attribute, threshold):
                data["threshold"] = shown(threshold, self.kinds[attribute])
            case ("subset", _, left, right):
                data |= {"left": list(left), "right": list(right)}
            case ("multiway", _, branches):
                data["branches"] = list(branches)
        data["children"] = list(node.children)
        if growth.regression:
            records, total = node.weights
            step = Fraction(growth.settings.step)
            mean = float(Fraction(total, records) * step)
            return data | {
                "records": records,
                "mean": mean,
                "sum_steps": total,
                "prediction": mean,
            }
        labels = [label_of(c, self.kinds[target]) for c in growth.classes]
        counts = {"" if c is None else str(c): w for c, w in zip(labels, node.weights, strict=True)}
        prediction = labels[node.weights.index(max(node.weights))]
        return data | {
            "records": sum(node.weights),
            "counts": counts,
            "prediction": prediction,
        }

    # -- the privacy figures -----------------------------------------------------------------------

    def k(self, columns: list[str]) -> int:
        return min(Counter(zip(*(self.texts[c] for c in columns), strict=True)).values())

    def strong_l(self, column: str) -> Fraction:
        classes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        keys = zip(*(self.texts[c] for c in self.quasi), strict=True)
        for key, value in zip(keys, self.texts[column], strict=True):
            classes[key][value] += 1
        return min(Fraction(c.total(), max(c.values())) for c in classes.values())

    def one_class(self, target: str) -> int:
        keys = zip(*(self.texts[c] for c in self.quasi), strict=True)
        classes: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for key, value in zip(keys, self.texts[target], strict=True):
            classes[key].add(value)
        return sum(len(values) == 1 for values in classes.values())

    def of_claims(self) -> list[str]:
        found = []
        for claim in self.manifest["claims"]:
            match claim["name"]:
                case "records":
                    mine: Any = len(self.lines)
                case "k-anonymity":
                    mine = self.k(self.quasi)
                case "k-anonymity-with-target":
                    mine = self.k([*self.quasi, *self.targets])
                case "one-class-equivalence-classes":
                    mine = self.one_class(claim["parameters"].get("column", self.targets[0]))
                case "target-guessed":
                    column = claim["parameters"].get("column", self.targets[0])
                    mine = float(1 / self.strong_l(column))
                case "equivalence-classes":
                    mine = len(set(zip(*(self.texts[c] for c in self.quasi), strict=True)))
                case "l-diversity" if claim["checkable"] == "release":
                    mine = float(self.strong_l(claim["parameters"]["column"]))
                case _:
                    continue
            if claim["measured"] != mine:
                found.append(f"{claim['name']}: told {claim['measured']}, counted {mine}")
            if claim["claimed"] is not None and claim["measured"] < claim["claimed"]:
                found.append(f"{claim['name']}: asked {claim['claimed']}, told {mine}")
        return found


def differences(folder: Path) -> list[str]:
    """What a release says and a stranger cannot confirm; nothing if all is well."""
    return Stranger(folder).differences()


def parsed(text: str, kind: str) -> Any:
    """A cell: None if empty, whole numbers for integers, dates (days) and datetimes (µs)."""
    if text == "":
        return None
    match kind:
        case "integer":
            return int(text)
        case "decimal":
            return float(text)
        case "date":
            return (date.fromisoformat(text) - date(1970, 1, 1)).days
        case "datetime":
            return (datetime.fromisoformat(text) - datetime(1970, 1, 1)) // timedelta(
                microseconds=1
            )
    return text


def shown(threshold: float | None, kind: str) -> Any:
    """A threshold as model.json shows it: dates as ISO texts, half a day as noon."""
    if threshold is None or kind in ("integer", "decimal"):
        return threshold
    if kind == "date":
        day = date(1970, 1, 1) + timedelta(days=int(threshold // 1))
        return day.isoformat() + ("T12:00:00" if threshold % 1 else "")
    moment = datetime(1970, 1, 1) + timedelta(microseconds=int(threshold // 1))
    text = moment.isoformat()
    if threshold % 1:
        text += "5" if moment.microsecond else ".0000005"
    return text


def label_of(value: Any, kind: str) -> Any:
    return shown(value, kind) if kind in ("date", "datetime") else value


def same(told: Any, mine: Any) -> bool:
    """Equal, and floats bit for bit."""
    if isinstance(told, float) and isinstance(mine, float):
        return struct.pack("<d", told) == struct.pack("<d", mine)
    return type(told) is type(mine) and told == mine
