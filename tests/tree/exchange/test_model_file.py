"""model.json: what is written reads back to the same tree; damaged files are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.errors import InputError
from privet.tree import Grower, Tree, grow
from privet.tree.compare import compare
from privet.tree.exchange.model_file import from_data, read_model, to_data, to_text
from privet.tree.exchange.pictures import draw_text
from privet.tree.exchange.write import write_tree

tables = st.one_of(plain_tables(), plain_tables(regression=True))


def grown(table: PlainTable, **settings: Any) -> Tree:
    impurity: Any = "deviance" if table.kinds["y"].is_ordered else "gini"
    grower = Grower(impurity, **settings)
    return grow(MemoryEngine(table.table()), table.schema(), grower)


@given(table=tables, categories=st.sampled_from(["subset", "multiway"]))
def test_a_tree_reads_back_from_its_file(table: PlainTable, categories: str) -> None:
    tree = grown(table, categories=categories)
    text = to_text(tree)
    assert json.loads(text) == json.loads(json.dumps(to_data(tree)))
    again = from_data(json.loads(text))
    assert again == tree
    assert to_text(again) == text
    assert compare(again, tree).identical


@given(table=tables)
def test_a_model_grows_again_from_its_file_and_the_table(table: PlainTable) -> None:
    tree = grown(table, leaves=4)
    model = from_data(json.loads(to_text(tree)))
    assert grow(MemoryEngine(table.table()), table.schema(), model.grower) == tree


@given(first=tables, second=tables)
def test_other_trees_are_told_apart(first: PlainTable, second: PlainTable) -> None:
    one, two = grown(first), grown(second)
    same = to_data(one)["nodes"] == to_data(two)["nodes"] and one.classes == two.classes
    if not same:
        answer = compare(one, two)
        assert not answer.identical
        assert answer.node is not None
        assert answer.how


@given(table=tables, data=st.data())
def test_a_damaged_model_is_refused_and_not_misread(table: PlainTable, data: st.DataObject) -> None:
    tree = grown(table)
    model = json.loads(to_text(tree))
    junk = st.sampled_from([None, "x", -1, 10**9, [], {}, [0], 1.5, "2020-13-45"])
    part = data.draw(st.sampled_from(["top", "node", "grower"]))
    where = {"top": model, "grower": model["grower"]}.get(part)
    where = data.draw(st.sampled_from(model["nodes"])) if where is None else where
    key = data.draw(st.sampled_from(sorted(where)))
    if data.draw(st.booleans()):
        del where[key]
    else:
        where[key] = data.draw(junk)
    try:
        read = from_data(model)
    except InputError:
        return
    assert json.loads(to_text(read)).keys() == json.loads(to_text(tree)).keys()
    assert read.n_leaves == tree.n_leaves
    assert len(draw_text(read)) > 0


@pytest.mark.parametrize("content", ["", "[]", "3", "null", "{}", '{"format": 2}', "\x00", "{"])
def test_a_file_that_is_no_model(content: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(content)
    with pytest.raises(InputError):
        read_model(path)


def test_writing_and_reading(tmp_path: Path) -> None:
    table = PlainTable(*_small())
    tree = grown(table)
    write_tree(tree, tmp_path / "model.json")
    assert read_model(tmp_path / "model.json") == tree
    with pytest.raises(InputError):
        read_model(tmp_path / "absent.json")


def _small() -> tuple[Any, Any]:
    from privet.schema import Kind

    return {"a": Kind.DATE, "y": Kind.CATEGORY}, {"a": [0, 1, None], "y": ["p", "q", None]}
