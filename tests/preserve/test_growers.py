"""`grower`: the tree of another program, or a fitted one, is kept and grown again."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import privet
from privet.errors import CriterionNotReached, InvalidParameter, TreeChanged, UsageError
from privet.preserve.outside import grow_as
from privet.preserve.settings import PublishSettings
from tree.foreign.outside import needs

pd = pytest.importorskip("pandas")
sklearn_tree = pytest.importorskip("sklearn.tree")

FEATURES = ["age", "income", "visits"]


def people(rows: int = 240, seed: int = 0, regression: bool = False) -> Any:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, rows),
            "income": np.round(random.normal(30, 8, rows), 2),
            "visits": random.integers(0, 9, rows),
        }
    )
    signal = frame.age / 30 + frame.income / 15 + random.normal(0, 0.7, rows)
    frame["y"] = np.round(signal, 2) if regression else np.where(signal > 4, "yes", "no")
    return frame


def nodes(tree: Any, names: list[str]) -> list[Any]:
    """The arrays of a fitted tree in one order, bit for bit."""
    told, waiting = [], [0]
    while waiting:
        place = waiting.pop()
        left = int(tree.children_left[place])
        name = names[tree.feature[place]] if left >= 0 else None
        value: npt.NDArray[Any] = tree.value[place].ravel()
        told.append(
            (name, float(tree.threshold[place]), int(tree.n_node_samples[place]), value.tolist())
        )
        waiting += [int(tree.children_right[place]), left] if left >= 0 else []
    return told


def refitted(fitted: Any, release: Any, leaves: int, seed: int) -> Any:
    """The same estimator fitted to the released table."""
    from sklearn.base import clone

    data = release.data
    kept = [name for name in fitted.feature_names_in_ if data[name].nunique() > 1]
    again = clone(fitted).set_params(max_leaf_nodes=leaves, random_state=seed)
    return again.fit(data[kept], data["y"]), kept


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 6, "random_state": 3},
        {"max_depth": 2},
        {"max_leaf_nodes": 5, "min_samples_leaf": 0.05, "criterion": "entropy"},
        {"max_depth": 3, "min_samples_leaf": 12, "criterion": "log_loss"},
    ],
)
@pytest.mark.parametrize("recoding", ["rich", "leaf", "global"])
def test_a_fitted_tree_is_kept_bit_for_bit(settings: dict[str, Any], recoding: Any) -> None:
    frame = people()
    fitted = sklearn_tree.DecisionTreeClassifier(**settings).fit(frame[FEATURES], frame["y"])
    release = privet.publish(frame, target="y", k=2, recoding=recoding, grower=fitted)
    seeds = release.manifest.method["grown_by"]["random_states"]
    again, kept = refitted(fitted, release, release.tree.n_leaves, seeds[0])
    whole = sklearn_tree.DecisionTreeClassifier(
        **settings | {"max_leaf_nodes": release.tree.n_leaves, "random_state": seeds[0]}
    ).fit(frame[FEATURES], frame["y"])
    assert nodes(again.tree_, kept) == nodes(whole.tree_, FEATURES)
    if release.tree.n_leaves == fitted.get_n_leaves():
        assert nodes(again.tree_, kept) == nodes(fitted.tree_, FEATURES)


def test_a_fitted_regression_tree_is_kept() -> None:
    frame = people(regression=True)
    fitted = sklearn_tree.DecisionTreeRegressor(max_leaf_nodes=5, min_samples_leaf=5)
    fitted.fit(frame[FEATURES], frame["y"])
    release = privet.publish(frame, target="y", k=3, grower=fitted)
    assert release.tree.is_regression
    again, kept = refitted(fitted, release, release.tree.n_leaves, 0)
    first, second = nodes(fitted.tree_, FEATURES), nodes(again.tree_, kept)
    if release.tree.n_leaves == 5:
        assert [node[:3] for node in first] == [node[:3] for node in second]
        means = [[node[3][0] for node in told] for told in (first, second)]
        assert np.allclose(means[0], means[1], rtol=1e-12)


def test_fewer_leaves_than_fitted_may_be_asked_for() -> None:
    frame = people()
    fitted = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=8, min_samples_leaf=10)
    fitted.fit(frame[FEATURES], frame["y"])
    assert privet.publish(frame, target="y", k=5, leaves=3, grower=fitted).tree.n_leaves == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ccp_alpha": 0.01}, "ccp_alpha cannot be kept: pruning by cost"),
        ({"max_features": 1}, "max_features"),
        ({"splitter": "random"}, "splitter"),
        ({"class_weight": "balanced"}, "class_weight"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_reason(settings: Any, said: str) -> None:
    frame = people(60)
    fitted = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=4, **settings)
    fitted.fit(frame[FEATURES], frame["y"])
    with pytest.raises(UsageError, match=said) as refused:
        privet.publish(frame, target="y", k=2, grower=fitted)
    assert "max_leaf_nodes" in refused.value.hint


def test_a_tree_of_another_table_is_refused() -> None:
    frame = people()
    other = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=4)
    other.fit(people(seed=1)[FEATURES], people(seed=1)["y"])
    with pytest.raises(UsageError, match="not the one that exact gains ask for: node 0"):
        privet.publish(frame, target="y", k=2, grower=other)
    fewer = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=4)
    fewer.fit(frame[FEATURES[:2]], frame["y"])
    with pytest.raises(UsageError, match="fitted tree has no column 'visits'"):
        privet.publish(frame, target="y", k=2, grower=fewer)
    shorter = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=4)
    shorter.fit(frame[FEATURES][:100], frame["y"][:100])
    with pytest.raises(UsageError, match="fitted to 100 records"):
        privet.publish(frame, target="y", k=2, grower=shorter)


def test_what_is_no_fitted_tree_is_refused() -> None:
    frame = people(60)
    for grower in (sklearn_tree.DecisionTreeClassifier(), 5):
        with pytest.raises(UsageError, match="no fitted decision tree"):
            privet.publish(frame, target="y", k=2, grower=grower)
    nameless = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=3)
    nameless.fit(frame[FEATURES].to_numpy(), frame["y"])
    with pytest.raises(UsageError, match="without names"):
        privet.publish(frame, target="y", k=2, grower=nameless)
    with pytest.raises(InvalidParameter, match="privet, sklearn, rpart or j48"):
        privet.publish(frame, target="y", k=2, grower="cart")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"grower": "sklearn", "guard": 5}, "without a guard"),
        ({"grower": "sklearn", "impurity": "gain-ratio"}, "does not grow trees by gain-ratio"),
        ({"grower": "rpart", "categories": "multiway"}, "a branch for each category"),
        ({"grower": "j48", "impurity": "gini"}, "J48 does not grow trees by gini"),
        ({"grower": "j48", "recoding": "leaf"}, "couples the columns"),
    ],
)
def test_what_a_program_cannot_be_asked_for(asked: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        PublishSettings(k=2, **asked)


def test_a_missing_program_is_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVET_RSCRIPT", "/no/such/Rscript")
    with pytest.raises(UsageError, match="PRIVET_RSCRIPT") as missing:
        privet.publish(people(60), target="y", k=2, grower="rpart")
    assert missing.value.hint


def test_ties_fall_as_they_do_there_by_the_order_of_columns() -> None:
    """Two columns that say the same: whichever scikit-learn draws is kept."""
    frame = people()
    frame["years"] = frame["age"]
    names = [*FEATURES, "years"]
    drawn = set()
    for seed in range(6):
        fitted = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=2, random_state=seed)
        fitted.fit(frame[names], frame["y"])
        release = privet.publish(frame, target="y", k=5, grower=fitted)
        drawn.add(release.tree.root.split.attribute)
        assert release.tree.root.split.attribute == names[fitted.tree_.feature[0]]
    assert len(drawn) <= 2


def test_a_seed_that_restores_a_tie_is_found_and_said() -> None:
    found = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        frame = pd.DataFrame(random.integers(0, 4, (30, 4)), columns=list("abcd"))
        frame["y"] = np.where(random.random(30) < 0.5, "yes", "no")
        try:
            release = privet.publish(
                frame, target="y", k=1, leaves=5, grower="sklearn", recoding="global"
            )
        except (TreeChanged, CriterionNotReached):
            continue
        (state,) = release.manifest.method["grown_by"].get("random_states", [0])
        said = [message for message in release.messages if f"random_state={state}" in message]
        assert bool(said) == (state != 0)
        found += state != 0
    assert found > 0


def test_our_own_trees_say_nothing_of_other_programs(tmp_path: Path) -> None:
    release = privet.publish(people(60), target="y", k=2)
    assert "grown_by" not in release.manifest.method
    release.save(tmp_path / "r")
    assert not list((tmp_path / "r").glob("regrow*"))


def test_several_trees_of_another_program() -> None:
    frame = people()
    frame["z"] = np.where(frame.visits > 4, "many", "few")
    frame.loc[:20, "z"] = "few"
    release = privet.publish(
        frame, target="y", k=3, leaves=3, trees="target=z,leaves=2", grower="sklearn"
    )
    assert [tree.target for tree in release.trees] == ["y", "z"]
    assert len(release.manifest.method["grown_by"]["random_states"]) == 2


def test_whole_numbers_are_rounded_as_scikit_learn_rounds_them() -> None:
    frame = people()
    frame["income"] = (frame["income"] * 1e8).astype(int)
    fitted = sklearn_tree.DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
    fitted.fit(frame[FEATURES], frame["y"])
    release = privet.publish(frame, target="y", k=2, recoding="leaf", grower=fitted)
    again, kept = refitted(fitted, release, release.tree.n_leaves, 0)
    assert [node[:3] for node in nodes(again.tree_, kept)] == [
        node[:3] for node in nodes(fitted.tree_, FEATURES)
    ]


@needs("weka")
def test_j48_is_asked_itself() -> None:
    frame = people()
    frame["town"] = np.random.default_rng(5).choice(["a", "b", "c"], len(frame))
    release = privet.publish(frame, target="y", k=2, leaves=5, grower="j48")
    assert release.manifest.method["grown_by"] == {"program": "j48"}
    assert release.tree.grower.impurity == "c45"
    assert any("No theorem keeps a tree of J48" in message for message in release.messages)


@needs("weka")
def test_no_room_for_the_branches_of_j48_is_said_of_j48() -> None:
    """The town splits in three; what another grower would split first is not spoken of."""
    towns, ages = ["a", "b", "c"] * 10, list(range(30))
    frame = {"town": towns, "age": ages, "y": ["no" if t == "a" else "yes" for t in towns]}
    with pytest.raises(UsageError, match="J48 grows no tree of 2 leaves or fewer"):
        privet.publish(frame, target="y", k=2, leaves=2, grower="j48")


@needs("weka")
def test_where_j48_goes_another_way_the_node_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.engine import MemoryEngine
    from privet.tree.grower import Grower

    frame = people()
    table = privet.table_of({name: frame[name].tolist() for name in frame})
    schema = table.schema().with_roles(target="y")
    settings = PublishSettings(k=2, grower="j48")
    attributes = tuple(FEATURES)
    grower = Grower("c45", "multiway", leaves=4, attributes=attributes, min_leaf=2)
    monkeypatch.setattr("privet.preserve.outside.corrects", lambda: False)
    monkeypatch.setattr("privet.preserve.outside.grown_by", _root_by_the_last_column)
    with pytest.raises(TreeChanged, match=r"J48 grows another tree .* node 0: .* 'visits' there"):
        grow_as(MemoryEngine(table), schema, settings, grower)


def _root_by_the_last_column(program: str, task: Any) -> Any:
    from privet.tree.foreign.grown import Grown

    rows = np.arange(task.table.n_rows)
    low = task.table["visits"].codes <= 3
    return Grown(rows, "visits", None, [Grown(rows[low]), Grown(rows[~low])])
