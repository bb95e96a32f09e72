"""Sentences and drawings: every leaf once, and each rule holds for the records of its leaf."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.random_tables import TARGET, PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.errors import OutputError
from privet.schema import Kind
from privet.tree import Grower, Tree, grow
from privet.tree.exchange.pictures import draw_text
from privet.tree.exchange.write import write_tree
from privet.tree.rules import labels, rules


def grown(table: PlainTable, **limits: int) -> Tree:
    regression = table.kinds[TARGET] is not Kind.CATEGORY
    grower = Grower("deviance" if regression else "gini", **limits)  # type: ignore[arg-type]
    return grow(MemoryEngine(table.table()), table.schema(), grower)


def small_table() -> PlainTable:
    kinds = {"rel": Kind.CATEGORY, "edu": Kind.INTEGER, "born": Kind.DATE, TARGET: Kind.CATEGORY}
    cells = {
        "rel": ["Husband", "Wife", "Own-child", "Husband", "Wife", "Own-child", None, "Husband"],
        "edu": [9, 10, 9, 13, 14, 14, 9, None],
        "born": [0, 1, 2, 3, 4, 5, 6, 7],
        TARGET: ["no", "no", "no", "yes", "yes", "no", "no", "yes"],
    }
    return PlainTable(kinds, cells)


def test_a_leaf_as_a_sentence() -> None:
    table = small_table()
    engine = MemoryEngine(table.table())
    tree = grow(engine, table.schema(), Grower(attributes=("rel", "edu"), leaves=3))
    assert [rule.sentence for rule in rules(tree)] == [
        "If edu ≤ 11.5 then y is no (4 records, 100 %)",
        "If edu > 11.5 or missing and rel is Own-child then y is no (1 record, 100 %)",
        "If edu > 11.5 or missing and rel is Husband or Wife then y is yes (3 records, 100 %)",
    ]
    assert "missing" not in " ".join(rule.sentence for rule in rules(tree, may_miss=[]))
    assert draw_text(tree).splitlines() == [
        "y: 8 records",
        "├── edu ≤ 11.5: no (4 records, 100 %)",
        "└── edu > 11.5: 4 records",
        "    ├── rel is Own-child: no (1 record, 100 %)",
        "    └── rel is Husband or Wife: yes (3 records, 100 %)",
    ]


def test_conditions_on_one_column_become_one_interval() -> None:
    table = small_table()
    tree = grow(MemoryEngine(table.table()), table.schema(), Grower(attributes=("born",)))
    assert [rule.conditions for rule in rules(tree, may_miss=[])] == [
        ("born ≤ 1970-01-03T12:00:00",),
        ("1970-01-03T12:00:00 < born ≤ 1970-01-05T12:00:00",),
        ("1970-01-05T12:00:00 < born ≤ 1970-01-07T12:00:00",),
        ("born > 1970-01-07T12:00:00",),
    ]


def test_long_lists_are_counted_in_pictures_only() -> None:
    assert labels(["a"]) == "a"
    assert labels(["a", "b", None]) == "a, b or missing"
    assert labels(["a", "b", "c", "d", None], most=3) == "a, b, c or 2 more"
    assert labels(["a", "b", "c"], most=3) == "a, b or c"


@given(table=st.one_of(plain_tables(), plain_tables(regression=True)))
def test_every_leaf_has_one_sentence_and_one_line(table: PlainTable) -> None:
    tree = grown(table)
    found = rules(tree)
    assert sorted(rule.leaf for rule in found) == [leaf.id for leaf in tree.leaves]
    assert sum(rule.records for rule in found) == table.n_rows
    assert len({rule.conditions for rule in found}) == tree.n_leaves
    for rule in found:
        assert len(rule.conditions) <= tree.nodes[rule.leaf].depth
    assert len(draw_text(tree).splitlines()) == len(tree.nodes)


@pytest.mark.parametrize(("name", "begins"), [("t.png", b"\x89PNG"), ("t.svg", b"<?xml")])
def test_pictures(name: str, begins: bytes, tmp_path: Path) -> None:
    write_tree(grown(small_table()), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_pictures_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path / "t.docx", tmp_path / "no folder" / "t.png"):
        with pytest.raises(OutputError):
            write_tree(grown(small_table()), path)
    assert list(tmp_path.iterdir()) == []
