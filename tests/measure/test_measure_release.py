"""A release beside its original: NCP as by hand, miners as scikit-learn has them, in one JSON."""

import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import privet
from oracles import naive_attacks
from oracles.independent_reader import Stranger
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import PrivetError, UsageError
from privet.files import write_table
from privet.measure.distortion import ncp
from privet.measure.miners import Encoder, Utility
from privet.measure.naive_bayes import NaiveBayes
from privet.table import Table

ROLES: Any = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}
K = 5


def naive_ncp(cells: list[Any], groups: list[int], numbers: bool) -> Fraction:
    """Row by row: how far what a row's group has is spread, over what the table has."""
    of_group = defaultdict(set)
    for cell, group in zip(cells, groups, strict=True):
        if cell is not None or not numbers:
            of_group[group].add(cell)
    table = set().union(*of_group.values())

    def spread(values: set[Any]) -> Fraction:
        if not values:
            return Fraction(0)
        return (
            Fraction(max(values)) - Fraction(min(values)) if numbers else Fraction(len(values) - 1)
        )

    if not spread(table):
        return Fraction(0)
    return sum((spread(of_group[g]) / spread(table) for g in groups), Fraction(0)) / len(groups)


@given(
    st.lists(st.tuples(st.integers(-3, 9) | st.none(), st.integers(0, 2)), min_size=1),
    st.sampled_from([0, 2**53, 2**62, -(2**60)]),
)
@example([(1, 1), (2, 1), (3, 1), (5, 2)], 2**53)  # no floats between them
def test_ncp_is_the_naive_one(rows: list[tuple[int | None, int]], origin: int) -> None:
    cells = [None if cell is None else origin + cell for cell, _ in rows] + [origin]
    groups = [group for _, group in rows] + [0]
    words = [None if cell is None else f"w{cell}" for cell in cells]
    table = privet.table_of({"n": cells, "c": words}, {"n": "integer", "c": "category"})
    numbers = np.array(groups)
    assert ncp(table["n"], numbers) == pytest.approx(float(naive_ncp(cells, groups, True)))
    assert ncp(table["c"], numbers) == pytest.approx(float(naive_ncp(words, groups, False)))


@pytest.fixture(scope="module")
def people() -> Table:
    return hospital(300, seed=4)


@pytest.fixture(scope="module", params=["rich", "leaf", "global"])
def home(request: pytest.FixtureRequest, people: Table, tmp_path_factory: Any) -> Path:
    place: Path = tmp_path_factory.mktemp("measured")
    write_table(people, place / "people.csv")
    release = privet.publish(people, **ROLES, k=K, leaves=4, recoding=request.param)
    release.save(place / "release", audit=place / "audit", format="csv")
    return place


def test_every_figure_of_a_release(
    home: Path, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["measure", str(home / "people.csv"), str(home / "release"), "--no-utility"]
    assert main([*asked, "--audit", str(home / "audit"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    stranger = Stranger(home / "release")
    sizes = Counter(zip(*(stranger.texts[c] for c in stranger.quasi), strict=True)).values()
    assert told["distortion"]["discernibility"] == sum(n * n for n in sizes)
    assert told["distortion"]["average_class_size"] == 300 / len(sizes)
    assert told["distortion"]["followed_by"] == "classes"
    classes = json.loads((home / "audit" / "audit.json").read_text())["class_of_row"]
    rows = naive_attacks.rows_of(people)
    for name, found in told["distortion"]["ncp"].items():
        treatment = stranger.manifest["recoding"]["columns"][name]["treatment"]
        cells: list[Any] = [row[name] for row in rows]
        numbers = people[name].domain.kind.is_ordered
        if numbers:  # dates are days
            values = [*people[name].domain.values.tolist(), None]
            cells = [values[code] for code in people[name].codes]
        expected = {"kept": 0, "suppressed": 1}.get(treatment)
        if expected is None:
            expected = float(naive_ncp(cells, classes, numbers))
        assert found == pytest.approx(expected), name
    found = privet.measure.likeness(people, privet.read_release(home / "release").rows.records())
    assert told["likeness"]["marginals"] == pytest.approx(dict(found.marginals))
    assert told["risk"]["linkage"]["prosecutor"]["smallest_class"] == min(sizes) >= K
    assert set(told["risk"]) == {"homogeneity", "order", "linkage", "minimality"}
    assert told["utility"] is None
    assert main(asked) == 0
    assert "Distortion: a mean NCP of" in capsys.readouterr().out


def test_without_the_audit_groups_are_those_that_are_shown(home: Path, people: Table) -> None:
    with_audit = privet.measure_release(
        people, home / "release", audit=home / "audit", utility=False
    )
    without = privet.measure_release(people, home / "release", utility=False)
    assert without.followed_by == "groups"
    for name, penalty in with_audit.distortion.ncp.items():
        other = without.distortion.ncp[name]
        assert penalty is not None
        assert other is not None
        assert other >= penalty - 1e-12  # groups are unions of classes


def test_the_kept_tree_scores_the_same_before_and_after(people: Table) -> None:
    release = privet.publish(people, **ROLES, k=K, leaves=4, guard=1)
    later = hospital(200, seed=8)
    found = privet.measure_release(people, release, test=later).utility
    assert found is not None
    assert found.before["tree"] == found.after["tree"]
    assert found.held_out == "a table of its own"
    assert not found.is_flattered
    assert found.tested == 200
    assert set(found.before) == {
        "naive Bayes", "support vectors", "regression", "forest", "boosting", "tree"
    }  # fmt: skip
    data = found.to_data()
    assert sorted(data["ranking"]["before"]) == sorted(data["ranking"]["after"])


def test_published_people_are_tested_in_turn(home: Path, people: Table) -> None:
    found = privet.measure_release(people, home / "release").utility
    assert found is not None
    assert found.tested == 300
    assert found.trained == (240, 300)
    assert "published people" in found.held_out
    assert found.is_flattered
    assert all(0 <= score <= 1 for score in (*found.before.values(), *found.after.values()))


def test_numbers_are_learnt_as_scikit_learn_learns_them() -> None:
    from sklearn.linear_model import LinearRegression

    rng = np.random.default_rng(1)
    x, z = rng.integers(0, 50, 400), rng.integers(0, 9, 400)
    y = 3 * x - 2 * z + rng.integers(0, 20, 400)
    rows = {"x": x.tolist(), "z": z.tolist(), "y": y.tolist()}
    train, test = ({n: v[part] for n, v in rows.items()} for part in (slice(300), slice(300, None)))
    release = privet.publish(train, target="y", k=1, leaves=3)
    found = privet.measure_release(train, release, test=test).utility
    assert found is not None
    assert found.score == "R2"
    fitted = LinearRegression().fit(np.column_stack([x, z])[:300], y[:300])
    expected = fitted.score(np.column_stack([x, z])[300:], y[300:])
    assert found.before["regression"] == pytest.approx(expected)


def test_columns_become_numbers() -> None:
    training = privet.table_of({"n": [1, 3, None], "c": ["a", "b", None]})
    matrix = Encoder.of(training, ["n", "c"]).matrix(
        privet.table_of({"n": [5, 2], "c": ["b", "z"]})
    )
    assert matrix.tolist() == [[3.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_naive_bayes_of_numbers_is_that_of_scikit_learn() -> None:
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(3)
    known, rows = rng.normal(size=(200, 3)), rng.normal(size=(80, 3))
    answers = np.where(known[:, 0] + known[:, 1] ** 2 > 1, "yes", "no")
    expected = GaussianNB().fit(known, answers).predict(rows)
    assert (NaiveBayes().fit(known, answers).predict(rows) == expected).all()


def test_naive_bayes_of_categories_is_counted() -> None:
    hot = np.array([[1, 0]] * 3 + [[0, 1]] * 5, dtype=float)
    answers = np.array(["a", "a", "b", "b", "b", "b", "b", "a"])
    # a: (2 + 1) / (3 + 2) of 3/8; b: (1 + 1) / (5 + 2) of 5/8; and 2/5 of 3/8 against 5/7 of 5/8
    assert NaiveBayes().fit(hot, answers).predict(np.eye(2)).tolist() == ["a", "b"]


def test_a_ranking_is_the_same_if_no_pair_changes_places() -> None:
    def utility(after: dict[str, float]) -> Utility:
        return Utility("y", "accuracy", "", (1, 1), 1, {"a": 0.9, "b": 0.8, "c": 0.8}, after)

    assert utility({"a": 0.7, "b": 0.6, "c": 0.5}).swapped == []  # a tie may break
    assert utility({"a": 0.5, "b": 0.6, "c": 0.4}).swapped == [("a", "b")]
    assert utility({"a": 0.5, "b": 0.6, "c": 0.4}).to_data()["ranking"]["same"] is False


def test_what_cannot_be_measured_is_refused(home: Path, people: Table) -> None:
    with pytest.raises(PrivetError, match="'shoe'"):
        privet.measure_release(people, home / "release", target="shoe")
    part = people.select([name for name in people if name != "sex"])
    with pytest.raises(PrivetError, match="'sex'"):
        privet.measure_release(part, home / "release")


def test_noise_has_no_groups_to_follow(people: Table) -> None:
    noisy = privet.add_noise(people, **ROLES, seed=1)
    found = privet.measure_release(people, noisy, utility=False)
    assert found.followed_by == "nothing"
    assert None in found.distortion.ncp.values()
    assert "linkage" not in found.risk


def test_the_original_is_the_table_that_was_published() -> None:
    people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    release = privet.publish(people, target="buys", k=3, leaves=2)
    fewer = {name: cells[:5] for name, cells in people.items()}
    with pytest.raises(UsageError, match="5 rows, the release 6 records"):
        privet.measure_release(fewer, release, utility=False)


def test_ranges_too_wide_for_a_number() -> None:
    people = {"x": [-1.7e308, -1e308, 1e308, 1.7e308], "y": ["a", "a", "b", "b"]}
    release = privet.anonymise(people, k=2)
    found = privet.measure_release(people, release, utility=False)
    assert found.distortion.ncp["x"] == 1.0  # nothing shows the blocks without the audit
    json.dumps(found.to_data(), allow_nan=False)


@pytest.mark.parametrize("asked", [{"normalise_target": True}, {"target_step": "10"}])
def test_a_target_that_was_reshaped_is_measured_as_it_was_published(asked: dict[str, Any]) -> None:
    people = {
        "age": [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63],
        "pay": [10, 11, 12, 13, 20, 21, 22, 23, 50, 51, 52, 53],
    }
    release = privet.publish(people, target="pay", k=2, leaves=3, **asked)
    found = privet.measure_release(people, release, utility=False)
    assert found.likeness.marginals["pay"] == 0.0
    assert privet.attack.by_minimality(release, original=people).columns == {}
