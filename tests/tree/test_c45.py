"""The rule of C4.5 against a slow twin, and where it may be used."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles.slow_c45 import slow_c45
from privet.datasets import csd
from privet.engine import MemoryEngine
from privet.errors import InvalidParameter, UsageError
from privet.noise.parts.detective import Detective
from privet.tree.c45 import C45Choice
from privet.tree.candidates import OneBranchEach
from privet.tree.exchange.model_file import from_data, to_data
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.impurity import RULES
from privet.tree.model import Node, Threshold, Tree
from privet.tree.natural import NoiseTreeSettings, natural_tree, with_target
from privet.tree.prune import pessimistic
from privet.tree.similar import tree_likeness

rows = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.integers(20, 30),
            "rent": st.integers(0, 5),
            "city": st.sampled_from(["Bonn", "Kiel", "Ulm"]),
            "job": st.sampled_from(["a", "b"]),
            "buys": st.sampled_from(["no", "yes", "later"]),
        }
    ),
    min_size=4,
    max_size=30,
).filter(lambda people: len({person["buys"] for person in people}) > 1)
COLUMNS = ("age", "rent", "city", "job")
NOTHING = OneBranchEach("job", 0, privet.table_of({"job": ["a", "b"]})["job"].domain, np.arange(2))


def as_lists(tree: Tree, node: Node) -> Any:
    if node.split is None:
        pairs = zip(tree.classes or (), node.weights, strict=True)
        return sorted((label, n) for label, n in pairs if n)
    cut = node.split.threshold if isinstance(node.split, Threshold) else None
    branches = [as_lists(tree, tree.nodes[child]) for child in node.children]
    return [node.split.attribute, cut, branches]


@settings(deadline=None, max_examples=60)
@given(rows, st.integers(1, 3), st.booleans())
def test_the_tree_is_that_of_the_slow_twin(
    people: list[dict[str, Any]], min_leaf: int, mdl: bool
) -> None:
    table = privet.table_of({name: [p[name] for p in people] for name in (*COLUMNS, "buys")})
    schema = table.schema().with_roles(target="buys")
    grower = Grower("c45", "multiway", min_leaf=min_leaf, attributes=COLUMNS, mdl=mdl)
    tree = grow(MemoryEngine(table), schema, grower)
    slow = slow_c45(people, "buys", COLUMNS, min_leaf, mdl)
    assert as_lists(tree, tree.root) == slow
    assert from_data(to_data(tree)) == tree
    assert tree.grower.mdl is mdl


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(40, 160), st.integers(1, 9), st.booleans())
def test_so_it_is_where_there_is_a_street_for_every_other_person(
    seed: int, records: int, min_leaf: int, mdl: bool
) -> None:
    """The streets have no part in the average."""
    rng = np.random.default_rng(seed)
    people = [
        {
            "age": int(rng.integers(20, 60)),
            "rent": int(rng.integers(0, 8)),
            "street": f"s{int(rng.integers(0, records // 2)):03d}",
            "buys": str(rng.choice(["no", "yes"])),
        }
        for _ in range(records)
    ]
    columns = ("age", "rent", "street")
    table = privet.table_of({name: [p[name] for p in people] for name in (*columns, "buys")})
    schema = table.schema().with_roles(target="buys")
    grower = Grower("c45", "multiway", min_leaf=min_leaf, attributes=columns, mdl=mdl)
    tree = grow(MemoryEngine(table), schema, grower)
    assert as_lists(tree, tree.root) == slow_c45(people, "buys", columns, min_leaf, mdl)


def test_without_a_limit_the_tree_is_grown_to_the_end_and_pruned() -> None:
    rng = np.random.default_rng(5)
    people = {
        "age": rng.integers(0, 100, 900),
        "rent": rng.integers(0, 100, 900),
        "ill": rng.choice(["no", "yes"], 900, p=[0.8, 0.2]),
    }
    people["ill"] = np.where(people["age"] > 60, "yes", people["ill"])
    tree = privet.grow(people, target="ill", impurity="c45")
    whole = privet.grow(people, target="ill", impurity="c45", leaves=900)
    assert tree.grower.min_leaf == whole.grower.min_leaf == 9
    assert tree.nodes == pessimistic(whole).nodes
    assert tree.n_leaves < whole.n_leaves
    few = {name: column[:50] for name, column in people.items()}
    assert privet.grow(few, target="ill", impurity="c45").grower.min_leaf == 2
    assert privet.grow(few, target="ill", impurity="c45", min_leaf=3).grower.min_leaf == 3


def test_a_cut_that_parts_next_to_nothing_has_no_chance() -> None:
    """By gain ratio alone one record is cut off first; its gain is below average."""
    people = {
        "odd": [0] * 19 + [1],
        "half": [0] * 10 + [1] * 10,
        "ill": ["no"] * 8 + ["yes"] * 2 + ["no"] * 2 + ["yes"] * 8,
    }
    table = privet.table_of(people)
    schema = table.schema().with_roles(target="ill")
    trees = {
        name: grow(MemoryEngine(table), schema, Grower(name, leaves=2))  # type: ignore[arg-type]
        for name in ("gain-ratio", "c45")
    }
    assert trees["c45"].root.split is not None
    assert trees["c45"].root.split.attribute == "half"


def test_a_column_of_many_values_counts_in_the_average_though_some_branches_are_small() -> None:
    """Chance gains much where there are many branches; what gains less is then not asked."""
    records = 60
    people = {
        "street": [f"s{i * 7 % 40}" for i in range(records)],  # one or two records each
        "half": [i % 2 for i in range(records)],
        "ill": ["yes" if (i % 2 == 1) != (i % 3 == 0) else "no" for i in range(records)],
    }
    table = privet.table_of(people)
    schema = table.schema().with_roles(target="ill")
    asked = {
        min_leaf: grow(MemoryEngine(table), schema, Grower("c45", "multiway", min_leaf=min_leaf))
        for min_leaf in (2, 5)
    }
    roots = {n: tree.root.split.attribute for n, tree in asked.items() if tree.root.split}
    assert roots == {2: "street", 5: "half"}  # with 5, no branch of the streets is large enough


def test_among_nodes_the_gain_decides_and_within_a_node_the_ratio() -> None:
    """Four records that one question sorts have the better ratio, forty the greater gain."""
    few, many = (
        C45Choice(NOTHING, 0, children, parent, score, 0.0, RULES["c45"])
        for children, parent, score in (
            (((2, 0), (0, 2)), (2, 2), 1.0),
            (((18, 2), (2, 18)), (20, 20), 0.531),
        )
    )
    assert few.has_higher_ratio(many)
    assert many.beats(few, older=False)
    assert not few.beats(many, older=True)
    assert few.beats(few, older=True)
    assert not few.beats(few, older=False)


def test_a_split_into_too_many_leaves_is_passed_over() -> None:
    """Of sixty people the street tells, of six hundred a flag does a little."""
    streets = [f"s{i % 10}" for i in range(660)]
    people = {
        "half": [0] * 60 + [1] * 600,
        "street": streets,
        "flag": [i % 2 for i in range(60)] + [0] * 300 + [1] * 300,
        "ill": ["yes" if i % 10 < 5 else "no" for i in range(60)]
        + ["yes" if i % 60 == 0 else "no" for i in range(300)]
        + ["yes" if i % 7 == 0 else "no" for i in range(300)],
    }
    table = privet.table_of(people)
    schema = table.schema().with_roles(target="ill")
    engine = MemoryEngine(table)
    small = grow(engine, schema, Grower("c45", "multiway", leaves=3, min_leaf=5))
    large = grow(engine, schema, Grower("c45", "multiway", leaves=12, min_leaf=5))
    assert [node.split.attribute for node in small.inner if node.split] == ["half", "flag"]
    assert [node.split.attribute for node in large.inner if node.split][:2] == ["half", "street"]


@pytest.mark.parametrize(("column", "least"), [("car_make", 0.95), ("profession", 0.9)])
def test_the_trees_of_csd_outlive_detective(column: str, least: float) -> None:
    """Country, car make and profession are drawn, each by its tree; the trees grow again."""
    table, trees = csd(), NoiseTreeSettings(impurity="c45", min_leaf=2)
    drawn = ("country_of_origin", "car_make", "profession")
    noise = Detective(p=0.1, columns=drawn, trees=trees)
    noise.fit(table, table.schema().with_roles(target="status"))
    schema = with_target(table.schema(), column)
    tree = natural_tree(MemoryEngine(table), schema, trees)
    runs = 20
    again = [
        natural_tree(MemoryEngine(noise.transform(table, n)), schema, trees) for n in range(runs)
    ]
    same = sum(tree_likeness(tree, one, table).identical for one in again)
    assert same >= least * runs


def test_publishing_refuses_it_with_the_reason() -> None:
    people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    with pytest.raises(UsageError, match="couples the columns"):
        privet.publish(people, target="buys", k=3, impurity="c45")
    tree = privet.grow(people, target="buys", impurity="c45", mdl=True)
    assert tree.n_leaves == 2
    release = privet.add_noise(people, target="buys", impurity="c45", min_leaf=2)
    assert release.tree is not None
    assert release.tree.grower.impurity == "c45"
    with pytest.raises(InvalidParameter, match="mdl"):
        privet.grow(people, target="buys", impurity="gini", mdl=True)
