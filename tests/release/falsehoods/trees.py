"""Lies in model.json: other thresholds, categories, counts, predictions, growers."""

from collections.abc import Callable
from typing import Any

from falsehoods.telling import MODELLED, ROWS, WITH_A_TREE, NothingToChange, edit


def _nodes(model: Any, kind: str) -> list[Any]:
    found = [node for node in model["nodes"] if node["kind"] == kind]
    if not found:
        raise NothingToChange
    return found


def _first(kind: str, **fields: Any) -> Callable[[Any], object]:
    return lambda model: _nodes(model, kind)[0].update(fields)


def _higher(model: Any) -> None:
    _nodes(model, "threshold")[0]["threshold"] += 2**-20


def _exchange_sides(model: Any) -> None:
    for node in _nodes(model, "subset"):
        node["left"], node["right"] = node["right"], node["left"]


def _exchange_counts(model: Any) -> None:
    for node in _nodes(model, "leaf"):
        if "counts" not in node:
            raise NothingToChange
        values = list(node["counts"].values())
        node["counts"] = dict(zip(node["counts"], values[::-1], strict=True))


def _other_classes(model: Any) -> None:
    if model["classes"] is None:
        raise NothingToChange
    model["classes"] = [f"{label}!" for label in model["classes"]]


EDITS: dict[str, Callable[[Any], object]] = {
    "a threshold as a text": _first("threshold", threshold="24.5"),
    "a threshold far away": _first("threshold", threshold=1e300),
    "categories exchanged": _exchange_sides,
    "a category less": lambda m: [node["left"].pop() for node in _nodes(m, "subset")],
    "branches exchanged": lambda m: [node["branches"].reverse() for node in _nodes(m, "multiway")],
    "counts exchanged": _exchange_counts,
    "a prediction": _first("leaf", prediction="maybe"),
    "records of a leaf": _first("leaf", records=ROWS),
    "records of the root": lambda m: m["nodes"][0].update(records=ROWS + 1),
    "classes renamed": _other_classes,
    "another attribute": lambda m: m["nodes"][0].update(attribute="unused"),
    "children in another order": lambda m: m["nodes"][0]["children"].reverse(),
    "a child that is its parent": lambda m: m["nodes"][0]["children"].__setitem__(0, 0),
    "no nodes": lambda m: m["nodes"].clear(),
    "a grower's minimum": lambda m: m["grower"].update(min_leaf=50),
    "a grower with a remark": lambda m: m["grower"].update(note="x"),
    "a node with a remark": lambda m: m["nodes"][0].update(note="x"),
    "a second tree": lambda m: m["more_trees"].append({}),
}
OF_GROWERS: dict[str, Callable[[Any], object]] = {
    "the manifest's grower with a remark": lambda m: m["grower"].update(note="x"),
    "the manifest's grower in decimals": lambda m: m["grower"].update(
        leaves=float(m["grower"]["leaves"])
    ),
    "another grower in the manifest": lambda m: m["grower"].update(impurity="entropy"),
}

LIES = [
    *(edit(name, MODELLED, change, "model.json") for name, change in EDITS.items()),
    # noise: the threshold comes from the originals, so that nobody can tell
    edit("a threshold a little higher", WITH_A_TREE, _higher, "model.json"),
    *(edit(name, MODELLED, change) for name, change in OF_GROWERS.items()),
]
