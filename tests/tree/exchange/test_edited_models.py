"""Model files that somebody edited: refused in one sentence, or sound in everything that uses them.

The reader is the gate. What it lets through must be drawn, told as rules, written as PMML and DOT,
applied to a table, compared and written again without a stumble.
"""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from privet.engine import MemoryEngine
from privet.errors import InputError, PrivetError
from privet.files import table_of
from privet.tree.compare import compare
from privet.tree.exchange.dot import to_dot
from privet.tree.exchange.model_file import from_data, read_model, to_data, to_text
from privet.tree.exchange.pictures import draw_text
from privet.tree.exchange.pmml_read import from_pmml
from privet.tree.exchange.pmml_write import to_pmml
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.rules import rules

TABLE = table_of(
    {
        "age": [25, 31, 44, 52, 60, 38, 29, 71],
        "sex": ["f", "m", "f", None, "m", "f", "m", "f"],
        "since": ["2001-05-06", "1999-01-01", None, "2010-10-10"] * 2,
        "y": ["no", "yes", "yes", "no", "yes", "no", "no", "yes"],
        "cost": [1.5, 2.25, 9.0, 4.5, 8.0, 3.0, 2.0, 7.5],
    },
    {"since": "date"},
)
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1,
    1.5,
    10**30,
    10**400,
    1e308,
    "",
    "x",
    "2001-05-06",
    "day+" + "9" * 30,
    [],
    [1],
    ["f", "f"],
    [["f"]],
    {},
    {"f": 1},
]


def tree_of(target: str, categories: str = "subset", **more: Any) -> dict[str, Any]:
    schema = TABLE.schema().with_roles(target=target)
    columns = tuple(n for n in TABLE.names if n not in ("y", "cost"))
    impurity = "deviance" if target == "cost" else "gini"
    grower = Grower(impurity=impurity, categories=categories, attributes=columns, **more)
    return to_data(grow(MemoryEngine(TABLE), schema, grower))


MODELS = [tree_of("y"), tree_of("cost"), tree_of("y", "multiway"), tree_of("cost", "multiway")]
MODELS.append(tree_of("y", category_orders={"sex": ("m", "f", None)}))


def use(data: Any) -> bool:
    """Do everything with a model that Privet does; whether it was read."""
    try:
        tree = from_data(data)
    except InputError:
        return False
    draw_text(tree)
    to_dot(tree)
    to_text(tree)
    assert len(rules(tree)) == tree.n_leaves
    assert compare(tree, from_data(json.loads(to_text(tree))))
    try:
        from_pmml(to_pmml(tree))
        tree.predict(TABLE)
    except PrivetError:
        pass  # a column that the table lacks, a date that PMML cannot hold
    return True


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a tree of lists and objects."""
    found = [path] if path else []
    inner = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in inner:
        found += places(value, (*path, key))
    return found


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def test_whole_models_are_read() -> None:
    assert all(map(use, MODELS))


@pytest.mark.parametrize("number", range(len(MODELS)))
def test_every_place_may_hold_anything(number: int) -> None:
    whole = MODELS[number]
    chance = random.Random(number)
    refused = 0
    for path in places(whole):
        for odd in chance.sample(ODD, 6):
            edited = copy.deepcopy(whole)
            at(edited, path[:-1])[path[-1]] = copy.deepcopy(odd)
            refused += not use(edited)
    assert refused > 100


@pytest.mark.parametrize("number", range(len(MODELS)))
def test_parts_may_be_missing_doubled_or_exchanged(number: int) -> None:
    whole = MODELS[number]
    chance = random.Random(number)
    every = places(whole)
    for _ in range(300):
        edited = copy.deepcopy(whole)
        one, two = chance.choice(every), chance.choice(every)
        move = chance.randrange(3)
        try:
            if move == 0:
                del at(edited, one[:-1])[one[-1]]
            elif move == 1:
                at(edited, one[:-1])[one[-1]] = copy.deepcopy(at(whole, two))
            elif isinstance(at(edited, one[:-1]), list):
                at(edited, one[:-1]).append(copy.deepcopy(at(whole, one)))
        except (KeyError, IndexError, TypeError):
            continue
        use(edited)


def edited_node(number: int, **changes: Any) -> dict[str, Any]:
    data = copy.deepcopy(MODELS[0])
    data["nodes"][number] |= changes
    return data


@pytest.mark.parametrize(
    "data",
    [
        MODELS[0] | {"classes": ["no", 1]},
        MODELS[0] | {"classes": ["no", ["yes"]]},
        MODELS[0] | {"classes": ["no", "no"]},
        MODELS[0] | {"classes": []},
        MODELS[0] | {"kinds": {"y": "category"}},
        MODELS[0] | {"target": ["y"]},
        MODELS[0] | {"nodes": []},
        edited_node(0, records=True),
        edited_node(0, children=[1, 1]),
        edited_node(0, children=[0, 2]),
        edited_node(0, children=["1", "2"]),
    ],
)
def test_what_cannot_be_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="lacks a field or holds one of a wrong type"):
        from_data(data)


def test_numbers_without_end_are_refused_in_the_file(tmp_path: Path) -> None:
    text = to_text(from_data(MODELS[0]))
    for old in ('"threshold": ', '"records": '):
        path = tmp_path / "model.json"
        head, _, tail = text.partition(old)
        path.write_text(f"{head}{old}1e999{tail[tail.index(',') :]}")
        with pytest.raises(InputError, match="beyond what a float can hold"):
            read_model(path)


def test_a_model_that_is_one_endless_path_is_refused() -> None:
    """Rules and drawings of such a tree would take for ever."""
    n = 5000
    inner = [
        {"id": 2 * i, "attribute": "a", "kind": "threshold", "threshold": float(i)}
        | {"children": [2 * i + 1, 2 * i + 2]}
        for i in range(n)
    ]
    nodes: list[dict[str, Any]] = []
    for i in range(n):
        counts = {"x": n + 1 - i, "y": 0}
        nodes.append(inner[i] | {"records": n + 1 - i, "counts": counts, "prediction": "x"})
        nodes.append(leaf(2 * i + 1))
    nodes.append(leaf(2 * n))
    data = MODELS[0] | {
        "nodes": nodes,
        "classes": ["x", "y"],
        "kinds": {"a": "decimal", "y": "category"},
    }
    with pytest.raises(InputError):
        from_data(data)
    short = [*nodes[:6], leaf(6)]
    for place, n_left in ((0, 4), (2, 3), (4, 2)):
        short[place] = short[place] | {"records": n_left, "counts": {"x": n_left, "y": 0}}
    assert use(data | {"nodes": short})


def leaf(number: int) -> dict[str, Any]:
    empty = {"id": number, "attribute": None, "kind": "leaf", "children": []}
    return empty | {"records": 1, "counts": {"x": 1, "y": 0}, "prediction": "x"}


@pytest.mark.parametrize("encoding", ["UHF-8", "utf-99", "base64", "", "utf-16"])
def test_pmml_in_an_encoding_that_is_none(encoding: str) -> None:
    whole = to_pmml(from_data(MODELS[0]))
    text = whole.replace('encoding="UTF-8"', f'encoding="{encoding}"')
    assert text != whole
    with pytest.raises(InputError, match="not well-formed"):
        from_pmml(text.encode())


def test_pmml_nested_very_deeply_is_refused() -> None:
    text = to_pmml(from_data(MODELS[0]))
    deep = text.replace("</TreeModel>", "<a>" * 100_000 + "</a>" * 100_000 + "</TreeModel>")
    from_pmml(deep)  # what is not a node does not matter
    with pytest.raises(InputError):
        from_pmml(text.replace("<Node", "<Node>" * 100_000 + "<Node", 1))
