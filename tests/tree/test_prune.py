"""Pruned trees are beginnings of branches of the grown one; C4.5's bound; the weakest links."""

import itertools
from fractions import Fraction
from math import comb, isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, plain_tables
from privet.engine import MemoryEngine
from privet.errors import UsageError
from privet.table import Table
from privet.tree import Grower, Tree, grow
from privet.tree.prune import (
    at_alpha,
    choose_alpha,
    cost_complexity_sequence,
    cut_below,
    deal_folds,
    extra_errors,
    pessimistic,
    prune,
)

every_impurity = pytest.mark.parametrize("impurity", ["gini", "deviance"])


def grown(table: Table, impurity: Any, **limits: Any) -> Tree:
    schema = table.schema().with_roles(target=TARGET)
    return grow(MemoryEngine(table), schema, Grower(impurity, **limits))


def cost(tree: Tree, table: Table) -> Fraction:
    """Records classified wrongly, or squared deviations from the leaves' means, over all."""
    if tree.classes is not None:
        return Fraction(table.n_rows - tree.correct(), table.n_rows)
    total = Fraction(0)
    reached = tree.leaf_of_rows(table)
    values = [Fraction(table[TARGET].domain.value(int(c))) for c in table[TARGET].codes]
    step = Fraction(tree.step or 1)
    values = [round(v / step) * step for v in values]
    for leaf in tree.leaves:
        mine = [v for v, at in zip(values, reached, strict=True) if at == leaf.id]
        mean = sum(mine) / len(mine)
        total += sum((v - mean) ** 2 for v in mine)
    return total / table.n_rows


def subtrees(tree: Tree) -> list[Tree]:
    """Every tree that pruning could leave."""
    inner = [node.id for node in tree.inner]
    sets = itertools.chain.from_iterable(
        itertools.combinations(inner, size) for size in range(len(inner) + 1)
    )
    return [cut_below(tree, set(chosen)) for chosen in sets]


@every_impurity
@settings(max_examples=40)
@given(data=st.data())
def test_each_link_is_the_best_and_least_tree_for_its_penalty(
    impurity: str, data: st.DataObject
) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance", most_rows=12)).table()
    tree = grown(table, impurity, leaves=6)
    links = cost_complexity_sequence(tree)
    alphas = [link.alpha for link in links]
    assert alphas == sorted(set(alphas))
    assert alphas[0] == 0
    assert links[-1].tree.n_leaves == 1
    every = [(cost(t, table), t.n_leaves) for t in subtrees(tree)]
    tried = alphas + [(a + b) / 2 for a, b in itertools.pairwise(alphas)]
    for alpha in tried:
        chosen = at_alpha(links, alpha).tree
        best = min((c + alpha * n, n) for c, n in every)
        assert (cost(chosen, table) + alpha * chosen.n_leaves, chosen.n_leaves) == best
        assert prune(tree, "cost-complexity", alpha) == chosen


@every_impurity
@settings(max_examples=40)
@given(data=st.data())
def test_a_pruned_tree_is_numbered_in_order_of_creation(impurity: str, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance")).table()
    tree = grown(table, impurity)
    cut = set(data.draw(st.lists(st.sampled_from([n.id for n in tree.nodes]), max_size=3)))
    small = cut_below(tree, cut)
    assert [node.id for node in small.nodes] == list(range(len(small.nodes)))
    for node in small.nodes:
        for child in node.children:
            assert small.nodes[child].parent == node.id
            assert small.nodes[child].depth == node.depth + 1
            assert child > node.id
    reached, of_whole = small.leaf_of_rows(table), tree.leaf_of_rows(table)
    pairs = set(zip(of_whole.tolist(), reached.tolist(), strict=True))
    assert len(pairs) == tree.n_leaves  # every leaf of the whole lies in one leaf of the small tree
    assert cut_below(tree, ()) == prune(tree, "none") == tree
    assert small.grower.leaves == small.n_leaves


@pytest.mark.parametrize(
    ("records", "errors", "share"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)],
)
def test_upper_shares_printed_in_the_literature_on_c45(
    records: int, errors: int, share: float
) -> None:
    assert round((errors + extra_errors(records, errors)) / records, 3) == share


def test_extra_errors_in_special_cases() -> None:
    assert extra_errors(2, 1.5) == 0.67 * 0.5
    low, high = extra_errors(10, 0), extra_errors(10, 1)
    assert isclose(extra_errors(10, 0.5), (low + high) / 2)


@given(st.integers(1, 60), st.data())
def test_extra_errors_lie_near_the_binomial_bound(records: int, data: st.DataObject) -> None:
    errors = data.draw(st.integers(0, records - 1))
    share = min(1.0, (errors + extra_errors(records, errors)) / records)
    below = sum(
        comb(records, e) * share**e * (1 - share) ** (records - e) for e in range(errors + 1)
    )
    assert 0.12 < below < 0.4 if errors else isclose(below, 0.25)


@given(data=st.data())
def test_pessimistic_pruning_keeps_only_what_it_expects_to_help(data: st.DataObject) -> None:
    table = data.draw(plain_tables()).table()
    tree = grown(table, "gini")
    small = pessimistic(tree)
    assert small.n_leaves <= tree.n_leaves
    assert pessimistic(small) == small

    def expected(node: Any) -> float:
        errors = sum(node.weights) - max(node.weights)
        return errors + extra_errors(sum(node.weights), errors)

    whole, pruned = (sum(expected(leaf) for leaf in t.leaves) for t in (tree, small))
    assert pruned <= whole + 0.1 * len(tree.inner) + 1e-9


def test_pessimistic_pruning_is_for_classes() -> None:
    from oracles.naive_counts import table_of

    tree = grown(table_of({"a": [1, 2, 3], TARGET: [1, 2, 4]}), "deviance")
    with pytest.raises(UsageError):
        prune(tree, "pessimistic")
    with pytest.raises(UsageError):
        prune(tree, "cost-complexity")


@every_impurity
@settings(max_examples=15)
@given(data=st.data())
def test_cross_validation_does_not_see_the_row_order(impurity: Any, data: st.DataObject) -> None:
    table = data.draw(plain_tables(regression=impurity == "deviance")).table()
    schema = table.schema().with_roles(target=TARGET)
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    chosen = []
    for rows in (table, table.take(order)):
        tree = grown(rows, impurity)
        grower = tree.grower

        def grow_on(part: Table, grower: Grower = grower) -> Tree:
            return grow(MemoryEngine(part), schema, grower)

        chosen.append(choose_alpha(tree, rows, schema, grow_on))
    assert chosen[0] == chosen[1]
    folds = deal_folds(table, schema, 3)
    sizes = np.bincount(folds, minlength=3)
    assert sizes.max() - sizes.min() <= 1
