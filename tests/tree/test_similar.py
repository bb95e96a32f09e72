"""How alike two trees are: by hand, by record, and as it must be for any two trees."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.cli.main import main
from privet.datasets import crd, schema_of
from privet.engine import MemoryEngine
from privet.errors import UnknownColumn
from privet.files import write_table
from privet.table import Table
from privet.tree.compare import compare, same_counts, same_rules
from privet.tree.exchange.model_file import to_text
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Subset, Tree
from privet.tree.prune import prune
from privet.tree.rules import rules
from privet.tree.similar import tree_likeness


def grown(table: Table, leaves: int = 8, **settings: Any) -> Tree:
    return grow(MemoryEngine(table), schema_of("crd", table), Grower(leaves=leaves, **settings))


def slow_same_rule(first: Tree, second: Tree, table: Table) -> float:
    """Record by record: is the sentence of its rule among those of the other tree?"""
    said = {(frozenset(r.conditions), r.prediction) for r in rules(second)}
    ours = {r.leaf: (frozenset(r.conditions), r.prediction) for r in rules(first)}
    return float(np.mean([ours[leaf] in said for leaf in first.leaf_of_rows(table).tolist()]))


seeds = st.integers(0, 500)


@settings(deadline=None, max_examples=40)
@given(
    seeds, seeds, st.integers(1, 12), st.integers(1, 12), st.sampled_from(["subset", "multiway"])
)
def test_any_two_trees(one: int, two: int, leaves: int, more: int, categories: Any) -> None:
    table = crd(150, one)
    first = grown(table, leaves, categories=categories)
    second = grown(crd(150, two), more, categories=categories)
    found = tree_likeness(first, second, table)
    assert found.same_rule == pytest.approx(slow_same_rule(first, second, table))
    assert 0 <= found.same_rule <= found.within_tolerance <= found.kin <= 1
    assert found.identical == (not found.parts)
    if found.identical:
        assert found.same_rule == 1
    alike = [a == b for a, b in zip(first.predict(table), second.predict(table), strict=True)]
    assert found.agreement == pytest.approx(np.mean(alike))
    assert tree_likeness(second, first, table).agreement == pytest.approx(found.agreement)
    own = tree_likeness(first, first, table)
    assert (own.word, own.kin, own.attributes_kept, own.thresholds_kept) == (
        "exactly same",
        1,
        1,
        1,
    )
    assert own.wrong is not None
    assert own.wrong[0] == table.n_rows - sum(
        a == b for a, b in zip(first.predict(table), _truth(table), strict=True)
    )


def _truth(table: Table) -> list[Any]:
    column = table["credit_risk"]
    return [column.domain.value(code) for code in column.codes.tolist()]


def turned(tree: Tree) -> Tree:
    """The same tree with the branches for categories the other way round."""
    nodes = []
    for node in tree.nodes:
        match node.split:
            case Multiway(name, branches):
                split: Any = Multiway(name, branches[::-1])
            case Subset(name, left, right):
                split = Subset(name, right, left)
            case _:
                nodes.append(node)
                continue
        nodes.append(replace(node, split=split, children=node.children[::-1]))
    return replace(tree, nodes=tuple(nodes))


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(2, 12), st.sampled_from(["subset", "multiway"]))
def test_the_order_of_branches_does_not_matter(seed: int, leaves: int, categories: Any) -> None:
    table = crd(150, seed)
    tree = grown(table, leaves, categories=categories)
    other = turned(tree)
    for data in (None, table):
        assert tree_likeness(tree, other, data).word == "exactly same"
    assert same_counts(tree, other)
    assert compare(tree, other).identical == (tree == other)  # node by node it does matter
    smaller = grown(table, 2, categories=categories)
    assert same_rules(smaller, other) == same_rules(smaller, tree)


def test_counts_and_order_do_not_matter() -> None:
    table = crd(300, 4)
    tree = grown(table, 5)
    twice = table.take(np.concatenate([np.arange(300), np.arange(300)]))
    again = grown(twice, 5)
    assert [n.weights for n in again.nodes] != [n.weights for n in tree.nodes]
    assert tree_likeness(tree, again, table).word == "exactly same"
    assert tree_likeness(tree, again).word == "exactly same"  # by the counts of the first


def test_a_pruned_tree_is_kin() -> None:
    table = crd(399, 2005)
    whole = grown(table, 30)
    less = prune(whole, "pessimistic")
    assert less.n_leaves < whole.n_leaves
    found = tree_likeness(whole, less, table)
    assert found.same_rule < found.kin
    assert found.same_root
    assert all(part.how == "a leaf against a split" for part in found.parts)


def test_thresholds_a_little_off_are_within_the_tolerance() -> None:
    table = crd(399, 2005)
    first, second = grown(table, 2), grown(crd(399, 2006), 2)
    found = tree_likeness(first, second, table)
    if found.same_root and not found.identical:
        assert found.within_tolerance >= found.same_rule
    with pytest.raises(UnknownColumn):
        tree_likeness(first, second, table.select(["credit_risk"]))


def test_the_command_says_it_and_draws_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = crd(200, 1)
    write_table(table, tmp_path / "t.csv")
    (tmp_path / "a.json").write_text(to_text(grown(table, 3)), encoding="utf-8")
    (tmp_path / "b.json").write_text(to_text(grown(table, 6)), encoding="utf-8")
    paths = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert main(["compare", paths[0], paths[0]]) == 0
    assert "The same tree." in capsys.readouterr().out
    picture = tmp_path / "both.svg"
    data = ["--data", str(tmp_path / "t.csv"), "--picture", str(picture)]
    assert main(["compare", *paths, *data]) == 1
    assert "They part at node" in capsys.readouterr().out
    assert picture.read_text(encoding="utf-8").count("≠") >= 2
    assert main(["compare", *paths, "--picture", str(tmp_path / "both.png")]) == 2
    assert "Hint:" in capsys.readouterr().err
