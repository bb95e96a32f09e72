"""A target in steps or normalised: exact rounding, common values, and what verify finds."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles.independent_reader import differences
from oracles.random_tables import coded
from privet.datasets import hospital
from privet.errors import CriterionNotReached, InvalidParameter, UsageError
from privet.preserve.choosing import _with_larger_k
from privet.preserve.settings import PublishSettings
from privet.release import verify
from privet.release.target_values import normalised, rounded, with_common_values
from privet.schema import Kind
from release.tampering import edit_json, mend_hashes

ROLES: dict[str, Any] = {"target": "stay_days", "identifier": "patient_id", "drop": "diagnosis"}
steps = st.sampled_from(["1", "2", "3", "10", "0.5", "0.1", "2.5", "0.001"])


@pytest.fixture(scope="module")
def people() -> privet.Table:
    return hospital(800, seed=3)


def values_of(column: Any) -> list[Any]:
    return [column.domain.value(code) for code in column.codes.tolist()]


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20), st.integers(1, 50))
def test_whole_numbers_go_to_the_nearest_step(cells: list[int], step: int) -> None:
    found = values_of(rounded("y", coded(cells, Kind.INTEGER), Fraction(step)))
    by_hand = [min(range(-step, step + 1), key=lambda d: _nearness(v + d, v, step)) for v in cells]
    assert found == [v + d for v, d in zip(cells, by_hand, strict=True)]
    assert values_of(rounded("y", coded(found, Kind.INTEGER), Fraction(step))) == found


def _nearness(candidate: int, value: int, step: int) -> tuple[bool, int, bool]:
    """The nearest whole step comes first, of two the even one."""
    return candidate % step != 0, abs(candidate - value), candidate // step % 2 == 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), steps)
def test_decimals_become_the_nearest_floats_to_whole_steps(cells: list[float], text: str) -> None:
    step = Fraction(text)
    found = values_of(rounded("y", coded([c + 0.0 for c in cells], Kind.DECIMAL), step))
    for value, new in zip(cells, found, strict=True):
        number = round(Fraction(new) / step)
        assert new == float(number * step)
        assert abs(Fraction(value) - number * step) <= step / 2
    again = values_of(rounded("y", coded(found, Kind.DECIMAL), step))
    assert again == found


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(1, 9))
def test_every_value_has_enough_records(cells: list[int], least: int) -> None:
    found = values_of(with_common_values(coded(cells, Kind.INTEGER), least))
    assert min(Counter(found).values()) >= min(least, len(cells))
    pairs = sorted(zip(cells, found, strict=True))
    assert [new for _, new in pairs] == sorted(found)  # neighbours were joined, none changed place
    assert set(found) <= set(cells)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=20, unique=True))
def test_normalised_numbers_keep_their_order(cells: list[int]) -> None:
    found = values_of(normalised("y", coded(cells, Kind.INTEGER)))
    assert (min(found), max(found)) == (0.0, 1.0)
    low, high = min(cells), max(cells)
    assert found == [float(Fraction(v - low, high - low)) for v in cells]


@pytest.mark.parametrize("recoding", ["global", "leaf", "rich"])
@pytest.mark.parametrize("asked", [{"target_step": 10}, {"normalise_target": True}])
def test_the_tree_is_that_of_the_released_target(
    people: privet.Table, tmp_path: Path, recoding: Any, asked: Any
) -> None:
    release = privet.publish(people, **ROLES, k=4, leaves=4, recoding=recoding, **asked)
    release.save(tmp_path / "r", format="csv")
    assert differences(tmp_path / "r") == []
    assert verify(tmp_path / "r")
    assert release.tree.is_regression
    released = values_of(release.rows.records()["stay_days"])
    if "target_step" in asked:
        by_hand = [round(Fraction(v, 10)) * 10 for v in values_of(people["stay_days"])]
        assert Counter(released) == Counter(by_hand)
    else:
        assert (min(released), max(released)) == (0.0, 1.0)


def test_k_with_the_target_known_can_be_met(people: privet.Table, tmp_path: Path) -> None:
    asked: Any = {"k": 4, "leaves": 4, "target_known": True}
    with pytest.raises(CriterionNotReached, match="no release can reach k = 4"):
        privet.publish(people, **ROLES, **asked)
    release = privet.publish(people, **ROLES, **asked, target_step=20)
    release.save(tmp_path / "r", format="csv")
    assert release.figure("k-anonymity-with-target") >= 4
    assert release.manifest.recoding["columns"]["stay_days"] == {
        "treatment": "rounded",
        "step": 20,
        "at_least": 4,
    }
    assert differences(tmp_path / "r") == []


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"step": 7}, "between steps"),
        ({"at_least": 500}, "fewer records"),
        ({"treatment": "normalised"}, "from 0 to 1"),
        ({"step": "ten"}, "cannot be"),
        ({"why": 1}, "cannot be"),
    ],
)
def test_what_the_manifest_says_of_steps_is_held_against_the_data(
    people: privet.Table, tmp_path: Path, lie: dict[str, Any], said: str
) -> None:
    release = privet.publish(people, **ROLES, k=4, leaves=3, recoding="leaf", target_step=10)
    release.save(tmp_path / "r", format="csv", report=False)
    entry = ["recoding", "columns", "stay_days"]

    def change(manifest: Any) -> None:
        for key in entry:
            manifest = manifest[key]
        manifest.update(lie)

    edit_json(tmp_path / "r" / "manifest.json", change)
    mend_hashes(tmp_path / "r")
    wrong = [check for check in verify(tmp_path / "r").checks if check.answer == "no"]
    assert any(check.name == "recoding of stay_days" and said in check.detail for check in wrong)


def test_new_rows_are_rounded_as_well(people: privet.Table) -> None:
    release = privet.publish(people, **ROLES, k=4, leaves=3, recoding="leaf", target_step=10)
    assert set(values_of(privet.recode(release, people)["stay_days"])) <= set(range(0, 400, 10))
    scaled = privet.publish(people, **ROLES, k=4, leaves=3, recoding="leaf", normalise_target=True)
    with pytest.raises(UsageError, match="does not tell its range"):
        privet.recode(scaled, people)


@pytest.mark.parametrize("step", [0, -1, "ten", "1/0", True])
def test_a_step_is_a_number_above_zero(step: Any) -> None:
    with pytest.raises(InvalidParameter, match="target_step"):
        PublishSettings(target_step=step)


def test_only_numbers_have_steps(people: privet.Table) -> None:
    with pytest.raises(UsageError, match="only numbers"):
        privet.publish(people, target="readmitted", identifier="patient_id", k=4, target_step=2)
    with pytest.raises(UsageError, match="must be whole"):
        privet.publish(people, **ROLES, k=4, target_step="2.5")


def test_only_numbers_are_normalised() -> None:
    with pytest.raises(UsageError, match="'y' cannot be normalised"):
        normalised("y", coded(["a", "b"], Kind.CATEGORY))


def test_steps_beyond_the_largest_float_are_refused() -> None:
    with pytest.raises(UsageError, match="'y' holds numbers too large to be rounded"):
        rounded("y", coded([1.0, 1.7e308], Kind.DECIMAL), Fraction(10) ** 308)


def test_of_equally_good_sizes_the_one_with_the_larger_k_is_taken() -> None:
    """The first three score alike; the second is kept by nobody, the third has the larger K."""

    def draft(leaves: int, k: int) -> Any:
        figures = SimpleNamespace(k_with_target=k)
        return SimpleNamespace(n_leaves=leaves, figures=figures)

    every = {2: draft(2, 1), 3: draft(3, 9), 4: draft(4, 5), 5: draft(5, 7)}
    judge: Any = SimpleNamespace(
        drafts=SimpleNamespace(sizes=[2, 3, 4, 5], schema=None),
        draft=every.__getitem__,
        size_holds=lambda size: True,
        same_tree=lambda draft: draft.n_leaves != 3,
    )
    scores: Any = {size: SimpleNamespace(loss=0.5 if size == 5 else 0.25) for size in every}
    assert _with_larger_k(judge, every[2], scores) is every[4]
    assert _with_larger_k(judge, every[5], scores) is every[5]
