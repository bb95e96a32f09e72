"""model.json: a tree and its grower as plain data, and back.

The format is described in docs/model-format.md. Numbers are the shortest decimals that read back
to the same float; dates are ISO texts; None (null) is missing.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from privet.documents import read_json
from privet.errors import InputError
from privet.files.maskings import are_identities
from privet.schema import Kind
from privet.table import Value, iso_text, parse_iso
from privet.tree.exchange.soundness import check_sound
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Node, Split, Subset, Threshold, Tree

FORMAT = 1


def to_data(tree: Tree, *more: Tree) -> dict[str, Any]:
    """A tree as the object that model.json holds, and those that the same table keeps."""
    return {
        "format": FORMAT,
        "target": tree.target,
        "classes": None if tree.classes is None else list(tree.classes),
        "kinds": {name: str(kind) for name, kind in sorted(tree.kinds.items())},
        "grower": tree.grower.describe(),
        "unseen_categories": "go to the child with most records, the first among equals",
        **({"maskings": list(tree.maskings)} if tree.maskings else {}),
        "nodes": _nodes_data(tree),
        "more_trees": [to_data(another) for another in more],
    }


def to_text(tree: Tree, *more: Tree) -> str:
    """model.json: one node a line, so that people and diffs can read it."""
    data = to_data(tree)
    nodes = data.pop("nodes")
    del data["more_trees"]
    head = json.dumps(data, ensure_ascii=False, indent=1)[:-2]
    lines = ",\n  ".join(json.dumps(node, ensure_ascii=False) for node in nodes)
    texts = ",\n".join(to_text(another).rstrip() for another in more)
    further = f"[\n{texts}\n ]" if more else "[]"
    return f'{head},\n "nodes": [\n  {lines}\n ],\n "more_trees": {further}\n}}\n'


def read_model(path: Path) -> Tree:
    """The first tree of a model.json; an InputError if the file is not one."""
    return read_models(path)[0]


def read_models(path: Path) -> tuple[Tree, ...]:
    """All trees of a model.json."""
    return models_of(read_json(path, "model", hint="it must be a model.json of format 1."))


def models_of(data: Any) -> tuple[Tree, ...]:
    """All trees of a model.json object."""
    first = from_data(data)
    more = data.get("more_trees", [])
    if not isinstance(more, list) or any(isinstance(m, dict) and m.get("more_trees") for m in more):
        raise _unsound()
    return first, *map(from_data, more)


def from_data(data: Any) -> Tree:
    """The tree of a model.json object."""
    try:
        if data["format"] != FORMAT:
            raise InputError(
                f"The model has another format than {FORMAT}, which this Privet reads.",
                "use a newer Privet.",
            )
        grower = Grower.from_description(data["grower"])
        kinds = {name: Kind(kind) for name, kind in data["kinds"].items()}
        classes = None if data["classes"] is None else tuple(data["classes"])
        nodes = _nodes_of(data["nodes"], classes, kinds)
        maskings = data.get("maskings", [])
        if not are_identities(maskings):
            raise ValueError("identities of maskings are hexadecimal")
        tree = Tree(
            data["target"], grower, nodes, classes, grower.response_step, kinds, tuple(maskings)
        )
        check_sound(tree)
        if _nodes_data(tree) != data["nodes"]:
            raise ValueError("what follows from the counts (predictions, means) must agree")
        return tree
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        raise _unsound() from None


def _unsound() -> InputError:
    return InputError(
        "The model lacks a field or holds one of a wrong type.",
        "the file may have been edited; docs/model-format.md describes the format.",
    )


def _nodes_data(tree: Tree) -> list[dict[str, Any]]:
    labels = None if tree.classes is None else [class_text(label) for label in tree.classes]
    return [_node_data(tree, node, labels) for node in tree.nodes]


def _node_data(tree: Tree, node: Node, labels: Sequence[str] | None) -> dict[str, Any]:
    data: dict[str, Any] = {"id": node.id, "attribute": None, "kind": "leaf"}
    match node.split:
        case Threshold(attribute, kind, threshold):
            data |= {"attribute": attribute, "kind": "threshold"}
            data["threshold"] = _threshold_out(threshold, kind)
        case Subset(attribute, left, right, more_left, more_right):
            data |= {"attribute": attribute, "kind": "subset"}
            data |= {"left": list(left), "right": list(right)}
            if more_left or more_right:
                data |= {"more_left": list(more_left), "more_right": list(more_right)}
        case Multiway(attribute, branches):
            data |= {"attribute": attribute, "kind": "multiway", "branches": list(branches)}
    data["children"] = list(node.children)
    data["records"] = tree.records(node)
    if labels is None:
        data["mean"] = tree.mean(node)
        data["sum_steps"] = node.weights[1]
    else:
        data["counts"] = dict(zip(labels, node.weights, strict=True))
    data["prediction"] = tree.prediction(node)
    return data


def class_text(label: Value) -> str:
    """A class as the key of an object: missing is the empty text."""
    return "" if label is None else str(label)


def _threshold_out(threshold: float | None, kind: Kind) -> Value:
    if threshold is None or not kind.is_ordered:
        return None
    return iso_text(threshold, kind) if kind in (Kind.DATE, Kind.DATETIME) else threshold


def _nodes_of(
    items: list[Mapping[str, Any]], classes: tuple[Value, ...] | None, kinds: Mapping[str, Kind]
) -> tuple[Node, ...]:
    """The nodes as they are told; `check_sound` says whether they can be."""
    parent_of: dict[int, int] = {}
    depth_of = {0: 0}
    nodes = []
    labels = [] if classes is None else [class_text(label) for label in classes]
    for place, item in enumerate(items):
        children = tuple(item["children"])
        for child in children:
            parent_of[child] = place
            depth_of[child] = depth_of[place] + 1
        weights: tuple[int, ...]
        if classes is None:
            weights = (item["records"], item["sum_steps"])
        else:
            weights = tuple(map(item["counts"].__getitem__, labels))
        split = _split_of(item, kinds)
        parent, depth = parent_of.get(place), depth_of[place]
        nodes.append(Node(place, parent, depth, weights, split, children))
    return tuple(nodes)


def _split_of(item: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Split | None:
    attribute = item["attribute"]
    match item["kind"]:
        case "leaf":
            return None
        case "threshold":
            kind, raw = kinds[attribute], item["threshold"]
            if kind in (Kind.DATE, Kind.DATETIME) and raw is not None:
                return Threshold(attribute, kind, parse_iso(raw, kind))
            return Threshold(attribute, kind, None if raw is None else float(raw))
        case "subset":
            left, right = tuple(item["left"]), tuple(item["right"])
            more = tuple(item.get("more_left", ())), tuple(item.get("more_right", ()))
            return Subset(attribute, left, right, *more)
        case "multiway":
            return Multiway(attribute, tuple(item["branches"]))
    raise ValueError("unknown kind of node")
