"""Trees compared: identical, the same rules, the same counts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.schema import Kind
from privet.tree import Grower, Multiway, Node, Subset, Threshold, Tree, grow
from privet.tree.compare import compare, same_counts, same_rules

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def paths(tree: Tree, node: int = 0, asked: tuple[Any, ...] = ()) -> set[tuple[Any, ...]]:
    """What is asked on the way to each leaf, and what is answered; the order of branches for
    categories says nothing."""
    split = tree.nodes[node].split
    if split is None:
        return {asked}
    answers: Sequence[Any]
    match split:
        case Threshold(attribute, _, threshold):
            what, answers = threshold, (0, 1)
        case Subset(attribute, left, right):
            answers = [frozenset(left), frozenset(right)]
            what = frozenset(answers)
        case Multiway(attribute, branches):
            answers = [frozenset(branch) for branch in branches]
            what = frozenset(answers)
    found = set()
    for answer, child in zip(answers, tree.nodes[node].children, strict=True):
        found |= paths(tree, child, (*asked, (attribute, what, answer)))
    return found


@patient
@given(plain_tables(), st.data())
def test_same_rules_are_the_same_paths(plain: PlainTable, data: st.DataObject) -> None:
    """Two trees of one table, and of the table with a row taken away."""
    table, schema = plain.table(), plain.schema()
    grower = Grower(leaves=data.draw(st.integers(1, 5)))
    first = grow(MemoryEngine(table), schema, grower)
    rows = data.draw(st.lists(st.integers(0, table.n_rows - 1), min_size=2))
    smaller = table.take(rows)  # domains stay, so that classes do
    if len(set(smaller[schema.target].codes.tolist())) < 2:
        return
    second = grow(MemoryEngine(smaller), schema, grower)
    assert same_rules(first, second) == (paths(first) == paths(second))
    if same_counts(first, second):
        assert same_rules(first, second)
    if compare(first, second):
        assert same_counts(first, second)


def test_other_counts_and_another_order_keep_the_rules() -> None:
    cells = {
        "a": [0, 0, 1, 1, 2, 2, 3, 3],
        "y": ["no", "no", "yes", "no", "yes", "yes", "no", "yes"],
    }
    plain = PlainTable({"a": Kind.INTEGER, "y": Kind.CATEGORY}, cells)
    tree = grow(MemoryEngine(plain.table()), plain.schema(), Grower(leaves=4))
    assert tree.n_leaves == 4
    fuller = [replace(node, weights=tuple(2 * w for w in node.weights)) for node in tree.nodes]
    twice = replace(tree, nodes=tuple(fuller))
    assert same_rules(tree, twice)
    assert not same_counts(tree, twice)
    one, two = (node for node in tree.inner if node.id)  # made in another order
    swapped = {**dict(zip(one.children, two.children, strict=True))}
    swapped |= {new: old for old, new in swapped.items()}
    nodes: list[Node] = list(tree.nodes)
    for old in tree.nodes:
        new = swapped.get(old.id, old.id)
        children = tuple(swapped.get(child, child) for child in old.children)
        nodes[new] = replace(old, id=new, children=children)
    later = replace(tree, nodes=tuple(nodes))
    assert not compare(tree, later)
    assert same_counts(tree, later)


@pytest.mark.parametrize("leaves", [1, 2])
def test_a_smaller_tree_has_other_rules(leaves: int) -> None:
    cells = {"a": [0, 1, 2, 3], "y": ["no", "yes", "no", "yes"]}
    plain = PlainTable({"a": Kind.INTEGER, "y": Kind.CATEGORY}, cells)
    engine = MemoryEngine(plain.table())
    large, small = (grow(engine, plain.schema(), Grower(leaves=n)) for n in (4, leaves))
    assert not same_rules(large, small)
    assert not same_counts(large, small)
