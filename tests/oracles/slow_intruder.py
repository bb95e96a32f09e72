"""The chance of each released record for each person, pair by pair and sum by sum.

Everything comes from mechanism.json, the tree and the released rows; what is not known of a person
(leaves, the class) is summed over, each possible leaf as likely as it has records.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from oracles.slow_number_law import slow_law
from privet.tree.model import Multiway, Node, Subset, Threshold, Tree

Row = dict[str, Any]


def slow_chances(
    tree: Tree,
    told: dict[str, Any],
    trees: dict[str, Tree],
    released: Sequence[Row],
    people: Sequence[Row],
    known: Sequence[str],
    own_class: bool = False,
) -> list[list[float]]:
    """A line for each released record, with a chance for each person. `trees` are those of the
    categories; numbers are whole, on a grid of step 1. With `own_class` it is the chance that the
    person has the class that it has, and that the record comes of it."""
    mind = _Mind(tree, told, trees, released, known, own_class)
    return [[mind.chance(record, person) for person in people] for record in released]


class _Mind:
    def __init__(
        self,
        tree: Tree,
        told: dict[str, Any],
        trees: dict[str, Tree],
        released: Sequence[Row],
        known: Sequence[str],
        own_class: bool,
    ) -> None:
        self.tree, self.told, self.trees, self.known = tree, told, trees, known
        self.own_class = own_class
        self.by_leaf: dict[int, list[Row]] = {leaf.id: [] for leaf in tree.leaves}
        for record in released:
            (leaf,) = reached(tree, record, list(record))
            self.by_leaf[leaf.id].append(record)

    def chance(self, record: Row, person: Row) -> float:
        """The sum over the person's leaves and classes."""
        (own,) = reached(self.tree, record, list(record))
        leaves = list(reached(self.tree, person, self.known))
        total = sum(self.tree.records(leaf) for leaf in leaves)
        found = 0.0
        for leaf in leaves:
            if leaf.id == own.id:  # no record leaves its leaf
                weight = self.tree.records(leaf) / total
                found += weight * self._in_leaf(record, person, leaf)
        return found

    def _in_leaf(self, record: Row, person: Row, leaf: Node) -> float:
        assert self.tree.classes is not None
        target, size = self.tree.target, self.tree.records(leaf)
        found = 0.0
        for label, count in zip(self.tree.classes, leaf.weights, strict=True):
            if self.own_class and label != person[target]:
                continue
            shown = leaf.weights[self.tree.classes.index(record[target])] / size
            if self.told["class"]["technique"] == "none":
                shown = float(record[target] == label)
            product = count / size * shown
            for name in self.known:
                if not self._is_drawn(name):
                    product *= self._plain(name, record, person, leaf)
            for entry in (self.told["detective"] or {"columns": {}})["columns"].values():
                if set(entry["columns"]) & set(self.known):
                    product *= self._group(entry, record, {**person, target: label}, leaf)
            found += product
        return found

    def _is_drawn(self, name: str) -> bool:
        entries = (self.told["detective"] or {"columns": {}})["columns"].values()
        return any(name in entry["columns"] for entry in entries)

    def _asks(self, leaf: Node, name: str) -> list[Any]:
        """The splits on the way to a leaf that ask a column."""
        found, node = [], leaf
        while node.parent is not None:
            node = self.tree.nodes[node.parent]
            if node.split is not None and node.split.attribute == name:
                found.append(node.split)
        return found

    def _plain(self, name: str, record: Row, person: Row, leaf: Node) -> float:
        same = float(record[name] == person[name])
        asked = self._asks(leaf, name)
        if asked:
            if self.told["influential"] is None or isinstance(asked[0], Multiway):
                return same
            values = [other[name] for other in self.by_leaf[leaf.id]]
            return values.count(record[name]) / len(values)
        innocent = self.told["innocent"]
        if innocent is None or name not in innocent["columns"] or person[name] is None:
            return same
        mixed = sum(n > 0 for n in leaf.weights) > 1
        if record[name] is None or (innocent["where"] == "heterogeneous" and not mixed):
            return same
        entry = innocent["columns"][name]
        law = slow_law(innocent["noise"]["bars"], entry, person[name] // entry["grid"]["step"])
        return law.get(record[name] // entry["grid"]["step"], 0.0)

    def _group(self, entry: dict[str, Any], record: Row, person: Row, leaf: Node) -> float:
        names = [name for name in entry["columns"] if name in self.known]
        same = float(all(record[n] == person[n] for n in names))
        asked = [split for name in entry["columns"] for split in self._asks(leaf, name)]
        if asked:
            if self.told["influential"] is None or any(isinstance(s, Multiway) for s in asked):
                return same
            here = self.by_leaf[leaf.id]
            alike = [other for other in here if all(other[n] == record[n] for n in names)]
            return len(alike) / len(here)
        tree = self.trees[" + ".join(entry["columns"])]
        law = entry["law"]
        rate, v = law["participation"], law["random_value"]
        leaves = list(reached(tree, person, [*self.known, self.tree.target]))
        total = sum(tree.records(one) for one in leaves)
        classes = [_parts(entry["columns"], label) for label in tree.classes or ()]
        fits = [all(parts[n] == _text(record[n], parts) for n in names) for parts in classes]
        drawn = sum(
            tree.records(one) / total * share
            for one in leaves
            for share, fit in zip(law["by_leaf"][str(one.id)], fits, strict=True)
            if fit
        )
        others = (sum(fits) - same) / max(len(classes) - 1, 1)
        v = v if len(classes) > 1 else 0.0
        return (1 - rate) * same + rate * ((1 - v) * drawn + v * max(others, 0.0))


def reached(tree: Tree, row: Row, known: Sequence[str]) -> Iterator[Node]:
    """The leaves that a row can reach if some columns are known."""
    waiting = [tree.root]
    for node in waiting:
        if node.split is None:
            yield node
            continue
        children = [tree.nodes[child] for child in node.children]
        if node.split.attribute not in known:
            waiting += children
            continue
        value = row[node.split.attribute]
        match node.split:
            case Threshold(_, _, threshold):
                waiting.append(children[0 if value is not None and value <= threshold else 1])
            case Multiway(_, branches):
                place = branches.index(value) if value in branches else tree.default_child(node)
                waiting.append(children[place])
            case Subset(_, left, right):
                seen = [n for n, side in enumerate((left, right)) if value in side]
                waiting.append(children[seen[0] if seen else tree.default_child(node)])


def _parts(columns: Sequence[str], label: Any) -> dict[str, Any]:
    if len(columns) == 1:
        return {columns[0]: label}
    return dict(zip(columns, json.loads(label), strict=True))


def _text(value: Any, parts: dict[str, Any]) -> Any:
    """A cell as the classes of columns drawn together have it."""
    return value if len(parts) == 1 else "" if value is None else str(value)
