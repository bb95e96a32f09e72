"""Several trees in one table: what may be asked, what is refused, what becomes of new rows."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet
from privet.datasets import hospital
from privet.errors import CriterionNotReached, InvalidParameter, UnknownColumn, UsageError
from privet.preserve.asked_trees import TreeAsked
from privet.preserve.settings import PublishSettings
from privet.release import Release, read_release, verify
from privet.schema import Role

ROLES: dict[str, Any] = {"target": "readmitted", "identifier": "patient_id"}
FURTHER: list[dict[str, Any]] = [
    {"target": "stay_days", "leaves": 3},
    {"leaves": 3, "impurity": "entropy"},
]


@pytest.fixture(scope="module")
def people() -> privet.Table:
    return hospital(400, seed=3)


@pytest.fixture(scope="module", params=["global", "leaf", "rich"])
def release(request: pytest.FixtureRequest, people: privet.Table) -> Release:
    return privet.publish(people, **ROLES, k=4, leaves=4, recoding=request.param, trees=FURTHER)


def test_a_tree_is_written_in_words() -> None:
    asked = TreeAsked.of("target=a, b=c,leaves=6 , impurity=entropy,min-leaf=4")
    assert asked == TreeAsked("a, b=c", 6, "entropy", None, 4)
    assert TreeAsked.of({"target": "y", "leaves": 2}) == TreeAsked("y", 2)
    assert TreeAsked.of(' target=" a,leaves=3", leaves=4') == TreeAsked(" a,leaves=3", 4)
    assert TreeAsked.of('target="the ""other"" one"') == TreeAsked('the "other" one')
    assert PublishSettings(trees="leaves=3").further == (TreeAsked(leaves=3),)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("leaves=six", UsageError, "further tree cannot have leaves"),
        ("leaves=1", InvalidParameter, "leaves"),
        ("impurity=best", UsageError, "cannot have impurity"),
        ("categories=all", UsageError, "cannot have categories"),
        ("income", UsageError, "settings with their values"),
        ("leaves=3,leaves=4", UsageError, "each once"),
        ("depth=3", UsageError, "no setting 'depth'"),
        ({"k": 3}, UsageError, "no setting 'k'"),
    ],
)
def test_what_cannot_be_asked_of_a_tree_is_refused(given: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        PublishSettings(trees=[given])


@pytest.mark.parametrize(
    ("roles", "tree", "error", "said"),
    [
        ({"quasi": ["stay_days"], "rest": "quasi"}, "stay_days", UsageError, "named as quasi"),
        ({"other": ["stay_days"]}, "stay_days", UsageError, "named as other"),
        ({"drop": ["stay_days"]}, "stay_days", UsageError, "named as drop"),
        ({}, "patient_id", UsageError, "named as identifier"),
        ({}, "no_such_column", UnknownColumn, "no_such_column"),
    ],
)
def test_a_target_has_no_other_role(
    people: privet.Table, roles: Any, tree: str, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        privet.publish(people, **ROLES, **roles, k=4, trees=[{"target": tree}])


def test_every_tree_grows_again(release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "r")
    outcome = verify(tmp_path / "r")
    same = [check.name for check in outcome.checks if check.name.startswith("same-tree")]
    assert outcome
    assert same == [
        "same-tree",
        "same-tree (tree 2, of stay_days)",
        "same-tree (tree 3, of readmitted)",
    ]
    assert read_release(tmp_path / "r").trees == release.trees
    assert [tree.grower.impurity for tree in release.trees] == ["gini", "deviance", "entropy"]


def test_targets_are_released_and_asked_by_no_tree(release: Release, people: privet.Table) -> None:
    schema = release.manifest.schema
    assert schema.names(Role.TARGET) == ("stay_days", "readmitted")
    for tree in release.trees:
        assert not {"stay_days", "readmitted"} & set(tree.grower.attributes or ())
    for target in ("stay_days", "readmitted"):
        counts = [np.bincount(table[target].codes) for table in (people, release.rows.records())]
        assert counts[0].tolist() == counts[1].tolist()
        assert release.figure("one-class-equivalence-classes", target) is not None


def test_new_rows_are_recoded_like_the_released_ones(
    release: Release, people: privet.Table
) -> None:
    """Rows of the table itself are in leaves that somebody is in; richly, values are of blocks."""
    again = privet.recode(release, people)
    released = release.rows.records()
    assert len(again) == len(released)
    if release.manifest.recoding["method"] == "rich":
        again = privet.recode(release, released)
    names = [name for name in released.names if name in again.names]
    assert sorted(_rows(again, names)) == sorted(_rows(released, names))


def _rows(table: privet.Table, names: list[str]) -> list[str]:
    texts = [[table[n].domain.value(c) for c in table[n].codes.tolist()] for n in names]
    return [repr(row) for row in zip(*texts, strict=True)]


def test_the_report_draws_every_tree(release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "r")
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    for title in ("Tree 1, for", "Tree 2, for", "Tree 3, for"):
        assert title in page


def test_leaves_that_are_not_asked_for_are_chosen(people: privet.Table) -> None:
    found = privet.publish(people, **ROLES, k=4, recoding="leaf", trees="target=stay_days")
    assert min(tree.n_leaves for tree in found.trees) >= 2
    assert found.manifest.method["chosen_by"]["leaves"] == ["stay_days", "readmitted"]


def test_a_tree_that_is_small_enough_is_published_as_asked(people: privet.Table) -> None:
    """Trees come down together, and then each takes what the table still allows."""
    asked: Any = {"k": 2, "recoding": "leaf", "leaves": 7}
    found = privet.publish(people, **ROLES, **asked, trees="target=stay_days,leaves=2")
    alone = privet.publish(people, **ROLES, **asked)
    assert found.trees[1].n_leaves == 2
    assert 2 <= found.trees[0].n_leaves <= alone.trees[0].n_leaves
    explored = privet.explore(people, **ROLES, **asked, trees="target=stay_days,leaves=2")
    assert explored.chosen_leaves == tuple(tree.n_leaves for tree in found.trees)
    assert [line.target for line in explored.lines[0].trees] == ["readmitted", "stay_days"]


def test_a_refusal_names_the_tree_that_is_in_the_way(people: privet.Table) -> None:
    with pytest.raises(CriterionNotReached, match=r"Not even alone: tree 2, of stay_days"):
        privet.publish(
            people,
            **ROLES,
            k=100,
            recoding="global",
            min_leaf=1,
            leaves=2,
            trees=[{"target": "stay_days", "leaves": 2, "min_leaf": 1}],
        )


def test_a_tree_without_a_split_is_named() -> None:
    cells = {"a": [0, 0, 1, 1] * 5, "y": ["p", "p", "q", "q"] * 5, "z": ["s", "t", "s", "t"] * 5}
    with pytest.raises(UsageError, match=r"Tree 2, of z: No split of this table gains"):
        privet.publish(cells, target="y", k=2, trees="target=z")


def test_further_trees_are_grown_so_that_leaves_intersect_in_k(people: privet.Table) -> None:
    """Grown alone, the second tree has leaves that meet those of the first in fewer."""
    asked: Any = {"recoding": "leaf", "leaves": 3}
    found = privet.publish(people, **ROLES, k=10, **asked, trees="target=stay_days,leaves=4")
    leaves = [tree.leaf_of_rows(found.rows.records()) for tree in found.trees]
    met = Counter(zip(*(of.tolist() for of in leaves), strict=True))
    assert min(met.values()) >= 10
    assert [tree.n_leaves for tree in found.trees] == [3, 4]
    alone = privet.publish(
        people.select(n for n in people if n != "readmitted"),
        target="stay_days",
        identifier="patient_id",
        k=10,
        recoding="leaf",
        leaves=4,
    )
    assert not privet.compare(alone.tree, found.trees[1])


def test_rows_where_nobody_is_are_not_recoded_by_leaf() -> None:
    """Leaves of two trees that no released record is in together have no recoding."""
    cells = {
        "a": [0, 0, 1, 1] * 6,
        "b": [0, 1, 1, 1] * 6,
        "y": ["p", "p", "q", "q"] * 6,
        "z": ["s", "t", "t", "t"] * 6,
    }
    release = privet.publish(cells, target="y", k=2, recoding="leaf", trees="target=z")
    assert [tree.n_leaves for tree in release.trees] == [2, 2]
    known = privet.recode(release, {"a": [0, 0, 1], "b": [0, 1, 1]})
    assert [len(known[name]) for name in ("a", "b")] == [3, 3]
    with pytest.raises(UsageError, match="no released record is in together"):
        privet.recode(release, {"a": [1], "b": [0]})
    assert privet.predict(release, {"a": [1], "b": [0]}) == ["q"]
