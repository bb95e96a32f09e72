"""How likely a tree makes the seen classes: against a slow twin, and what it must prefer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import slow_likelihood
from privet import table_of
from privet.engine import MemoryEngine
from privet.mechanism.substitution import Substitution
from privet.substitution import RandomSubstitution
from privet.substitution import likelihood as fast
from privet.substitution.laws import Classes, laws_by_class
from privet.substitution.likelihood import fitted_likelihood, leaf_chances
from privet.substitution.regions import PerturbedRows
from privet.table import Table
from privet.tree import Grower, Tree, grow


def perturbed(n: int, seed: int, columns: list[str]) -> tuple[Table, Substitution]:
    rng = np.random.default_rng(seed)
    table = table_of(
        {
            "number": rng.integers(0, 5, n),
            "kind": np.array(["a", "b", "c"])[rng.integers(0, 3, n)],
            "open": rng.integers(0, 4, n),
            "class": np.array(["no", "so", "yes"])[rng.integers(0, 3, n)],
        }
    )
    schema = table.schema().with_roles(target="class")
    perturber = RandomSubstitution(columns, 4, 5, domain_from_data=True).fit(table, schema)
    return perturber.transform(table, seed=seed), perturber.mechanism_


def tree_of(table: Table, leaves: int) -> Tree:
    schema = table.schema().with_roles(target="class")
    return grow(MemoryEngine(table), schema, Grower(leaves=leaves, min_leaf=1))


@settings(max_examples=25)
@given(st.integers(6, 40), st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_the_likelihood_is_that_of_a_slow_twin(
    n: int, seed: int, leaves: int, class_too: bool
) -> None:
    columns = ["number", "kind", *(["class"] if class_too else [])]
    seen, mechanism = perturbed(n, seed, columns)
    tree, rows = tree_of(seen, leaves), PerturbedRows(seen, mechanism)
    names = list(tree.attributes_used)
    blocks = [rows.block(name) for name in names]
    domains = [rows.domain(name) for name in names]
    laws = [
        np.full(domain.size, 1.0)  # any law: an open column is what it is seen as
        if block is None
        else laws_by_class(block, rows.codes[block.name], Classes(np.ones((n, 1))))[0]
        for block, domain in zip(blocks, domains, strict=True)
    ]
    matrices = [
        np.eye(domain.size) if block is None else block.matrix.dense()
        for block, domain in zip(blocks, domains, strict=True)
    ]
    codes = [rows.codes.get(name, seen[name].codes).tolist() for name in names]
    place = {leaf.id: at for at, leaf in enumerate(tree.leaves)}

    def leaf_of(originals: tuple[int, ...]) -> int:
        cells = {
            name: [domain.value(code)]
            for name, domain, code in zip(names, domains, originals, strict=True)
        }
        return place[int(tree.leaf_of_rows(table_of(cells))[0])] if names else 0

    slow = slow_likelihood.leaf_chances(
        list(zip(*codes, strict=True)) if names else [()] * n, laws, matrices, leaf_of, len(place)
    )
    chances = leaf_chances(tree, rows, np.arange(n))
    assert chances == pytest.approx(np.array(slow), abs=1e-9)
    assert chances.sum(axis=1) == pytest.approx(np.ones(n))
    classes, channel = fast.seen_classes(tree, rows)
    expected = slow_likelihood.fitted(
        slow,
        classes.tolist(),
        [[float(w) for w in leaf.weights] for leaf in tree.leaves],
        channel.tolist(),
        fast._ROUNDS,
    )
    assert fitted_likelihood(tree, rows) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_a_cut_at_the_true_edge_is_likelier_than_one_beside_it() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 20, 6_000)
    table = table_of({"x": x, "class": np.where(x < 8, "low", "high")})
    schema = table.schema().with_roles(target="class")
    perturber = RandomSubstitution(["x"], 9, 20, domain_from_data=True).fit(table, schema)
    rows = PerturbedRows(perturber.transform(table, seed=4), perturber.mechanism_)
    found = {
        edge: fitted_likelihood(
            tree_of(table_of({"x": x, "class": np.where(x < edge, "low", "high")}), 2), rows
        )
        for edge in (6, 7, 8, 9, 10)
    }
    assert max(found, key=lambda edge: found[edge]) == 8


def test_some_of_many_records_say_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, mechanism = perturbed(4_000, 1, ["number", "kind"])
    tree, rows = tree_of(seen, 4), PerturbedRows(seen, mechanism)
    whole = fitted_likelihood(tree, rows)
    monkeypatch.setattr(fast, "_MOST_CELLS", 2_000 * tree.n_leaves)
    assert fitted_likelihood(tree, rows) == pytest.approx(whole, rel=0.02)
