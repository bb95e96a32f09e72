"""DOT: every node and branch is there, and no label can break out of its quotes."""

import re

from hypothesis import given

from oracles.random_tables import plain_tables
from privet import Grower, MemoryEngine, grow, table_of
from privet.tree.exchange.dot import to_dot
from privet.tree.exchange.write import write_tree


@given(plain_tables())
def test_every_node_and_branch_is_drawn(plain) -> None:
    tree = grow(MemoryEngine(plain.table()), plain.schema(), Grower())
    lines = to_dot(tree).splitlines()
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    nodes = [line for line in lines if re.match(r"  \d+ \[label=", line)]
    edges = [line for line in lines if re.match(r"  \d+ -> \d+ \[label=", line)]
    assert len(nodes) == len(tree.nodes)
    assert len(edges) == len(tree.nodes) - 1


def test_quotes_and_backslashes_are_escaped(tmp_path) -> None:
    table = table_of({'say "x"': ["a\\", 'b"', "a\\", 'b"'], "y": ["p\nq", "r", "p\nq", "r"]})
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="y"), Grower())
    write_tree(tree, tmp_path / "tree.dot")
    text = (tmp_path / "tree.dot").read_text(encoding="utf-8")
    assert text == to_dot(tree)
    for line in text.splitlines()[2:-1]:
        label = re.search(r"label=(\"(?:[^\"\\]|\\.)*\")", line)
        assert label is not None
        assert line.endswith(("];", "lightgrey];"))
    assert "p\\nq" in text
