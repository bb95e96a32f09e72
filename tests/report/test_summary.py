"""What a report says, compared with a slow count of the released file."""

import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.random_tables import PlainTable, plain_tables
from privet.errors import InputError, PrivetError
from privet.pipeline import publish_table
from privet.preserve.settings import PublishSettings
from privet.release.meanings import meanings
from privet.release.opened import OpenedRelease
from privet.report import words
from privet.report.summary import MOST_VALUES, Summary, summarise
from privet.schema import Kind
from report.releases import classes_of, edit_manifest, people, rows_of


def summary_of(folder: Path, **settings: object) -> Summary:
    people(**settings).save(folder, format="csv", report=False)
    return summarise(OpenedRelease.at(folder))


@given(st.one_of(plain_tables(), plain_tables(regression=True)))
def test_counts_are_those_of_a_slow_count(plain: PlainTable) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        try:
            settings = PublishSettings(leaves=4, recoding="global")
            release = publish_table(plain.table(), plain.schema(), settings)
        except PrivetError:
            assume(False)
        release.save(folder, format="csv", report=False)
        found = summarise(OpenedRelease.at(folder))
        classes = classes_of(folder, found.manifest.schema.quasi)
        rows = rows_of(folder)
    sizes = [counts.total() for counts in classes.values()]
    assert found.is_borne_out
    assert found.sizes.number == len(sizes)
    assert (found.sizes.smallest, found.sizes.largest) == (min(sizes), max(sizes))
    assert found.sizes.small_records == sum(size for size in sizes if size < 2 * min(sizes))
    assert sum(r.classes for r in found.sizes.ranges) == len(sizes)
    assert sum(r.records for r in found.sizes.ranges) == len(rows)
    for one in found.sizes.ranges:
        assert one.classes == sum(one.low <= size <= one.high for size in sizes)
    if not found.tree.is_regression:
        alone = [counts.total() for counts in classes.values() if len(counts) == 1]
        assert (found.sizes.one_class, found.sizes.one_class_records) == (len(alone), sum(alone))
        shares = [Fraction(max(c.values()), c.total()) for c in classes.values()]
        assert found.target_chance == pytest.approx(float(max(shares)))
    for column in found.columns:
        counted = Counter(row[column.name] for row in rows)
        assert column.n_values == len(counted)
        most_common = [n for _, n in counted.most_common(MOST_VALUES)]
        assert sorted((v.records for v in column.values), reverse=True) == most_common
        assert column.more_records == len(rows) - sum(most_common)


def test_the_rest_of_many_values_is_summed(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "r", other="shoe", k=1)
    shoe = next(c for c in summary.columns if c.name == "shoe")
    assert (shoe.treatment, shoe.role, shoe.n_values, shoe.more_values) == ("kept", "other", 9, 0)
    assert shoe.span == ("36", "44")
    many = summary_of(tmp_path / "many", other="age", k=1)
    age = next(c for c in many.columns if c.name == "age")
    assert (len(age.values), age.more_values) == (MOST_VALUES, 30 - MOST_VALUES)
    assert age.more_records == 60 - sum(v.records for v in age.values)


def test_risks_of_shown_and_hidden_columns(tmp_path: Path) -> None:
    hidden = summary_of(tmp_path / "hidden").risks[0]
    assert (hidden.column, hidden.is_shown, hidden.chance_with_target) == ("illness", False, None)
    assert (hidden.l, hidden.chance) == (None, None)
    shown = summary_of(tmp_path / "shown", release_sensitive=True).risks[0]
    assert shown.is_shown
    assert shown.l is not None
    assert shown.chance == pytest.approx(1 / shown.l)
    assert shown.chance_with_target is not None
    entropy = summary_of(tmp_path / "entropy", l=1.1, l_kind="entropy").risks[0]
    assert (entropy.kind, entropy.is_shown) == ("entropy", True)
    both = summary_of(tmp_path / "both", sensitive=["illness", "smoker"]).risks
    assert [(r.column, r.is_target, r.is_shown) for r in both] == [
        ("illness", False, False),
        ("smoker", True, True),
    ]


def test_claims_that_the_data_do_not_bear_out_are_seen(tmp_path: Path) -> None:
    assert summary_of(tmp_path / "r").is_borne_out

    def boast(data: dict) -> None:
        for claim in data["claims"]:
            if claim["name"] == "k-anonymity":
                claim["measured"] = claim["claimed"] = 1000

    edit_manifest(tmp_path / "r", boast)
    after = summarise(OpenedRelease.at(tmp_path / "r"))
    assert [line.claim.name for line in after.claims if line.holds is False] == ["k-anonymity"]
    assert after.figures.k < 1000


@pytest.mark.parametrize("lost", ["row", "column", "model", "recoding"])
def test_files_of_different_releases_are_refused(tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "r"
    people().save(folder, format="csv", report=False)
    data = folder / "data.csv"
    lines = data.read_text().splitlines()
    if lost == "row":
        data.write_text("\n".join(lines[:-1]) + "\n")
    elif lost == "column":
        data.write_text("\n".join(line.partition(",")[2] for line in lines) + "\n")
    elif lost == "recoding":
        wrong = {"treatment": "generalised", "groups": 3}
        edit_manifest(folder, lambda data: data["recoding"]["columns"].update(town=wrong))
    else:
        (folder / "model.json").write_text("{}")
    with pytest.raises(InputError):
        summarise(OpenedRelease.at(folder))


def test_meanings() -> None:
    numbers = {"treatment": "generalised", "values": [1, 2, 3], "cuts": [1.5, 2.5]}
    assert meanings(numbers, Kind.INTEGER, [], "x") == [
        (1, "up to 1.5"),
        (2, "above 1.5, up to 2.5"),
        (3, "above 2.5"),
    ]
    groups = [{"label": "a | b", "members": ["a", "b"]}, {"label": "rest", "members": ["c", None]}]
    found = meanings({"treatment": "generalised", "groups": groups}, Kind.CATEGORY, [], "x")
    assert found == [("a | b", "a | b"), ("rest", "c | (missing)")]
    assert meanings({"treatment": "kept"}, Kind.INTEGER, [], "x") == []
    with pytest.raises(InputError):
        meanings({"treatment": "generalised", "values": [1], "cuts": "?"}, Kind.INTEGER, [], "x")


@given(st.floats(0, 1e6), st.integers(0, 4))
def test_figures_are_rounded_to_the_safe_side(figure: float, digits: int) -> None:
    slack = 2e-9
    low = float(words.at_least(figure, digits).replace(",", ""))
    high = float(words.at_most(figure, digits).replace(",", ""))
    assert figure - 10**-digits - slack <= low <= figure + slack
    assert figure - slack <= high <= figure + 10**-digits + slack


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "certain for some"),
        (25, "1 in 25 (4 %)"),
        (3, "1 in 3 (33.4 %)"),
        (1000, "1 in 1,000 (0.1 %)"),
    ],
)
def test_chances_in_words(size: int, text: str) -> None:
    assert words.one_in(size) == text
