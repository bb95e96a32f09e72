"""Releases without a tree: what holds on disk, counted row by row, and what cannot be asked."""

import csv
import json
import random
import tracemalloc
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from oracles.naive_criteria import equal_distance, equivalence_classes, strong_l
from oracles.nearest_row import nearest_place
from privet.errors import CriterionNotReached, InvalidParameter, UnknownColumn, UsageError

TOWNS = ["Aix", "Bonn", "Cork", "Dole", "Ems"]
QUASI = ["age", "pay", "town", "day"]


def people(rows: int, seed: int) -> dict[str, list[Any]]:
    rng = random.Random(seed)
    age = [rng.choice([None, *range(20, 60)]) for _ in range(rows)]
    return {
        "person": [f"Person {i}" for i in range(rows)],
        "age": age,
        "pay": [rng.randrange(40) / 4 for _ in age],
        "town": [rng.choice([*TOWNS, *TOWNS, None, f"Hamlet {i}"]) for i, _ in enumerate(age)],
        "day": [f"2020-0{rng.randrange(1, 10)}-1{rng.randrange(10)}" for _ in age],
        "ill": [rng.choice(["flu", "cold", "gout"]) for _ in age],
        "note": [f"n{rng.randrange(5)}" for _ in age],
        "y": ["yes" if (a or 0) > 40 or rng.random() < 0.3 else "no" for a in age],
    }


def on_disk(folder: Path) -> list[dict[str, str]]:
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(20, 120),
    st.integers(1, 9),
    st.sampled_from(["mondrian", "infogain", "no target"]),
    st.booleans(),
)
def test_what_was_asked_holds_on_disk(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rows: int, k: int, how: Any, allowed: bool
) -> None:
    cells = people(rows, seed)
    named: dict[str, Any] = {"other": ["note", "y"], "method": "mondrian"}
    if how != "no target":
        named = {"other": "note", "target": "y", "method": how}
        named["one_class"] = "allow" if allowed else "forbid"
    level = Fraction(11, 10)
    release = privet.anonymise(
        cells, identifier="person", sensitive="ill", k=k, l="1.1", t="0.9", **named
    )
    folder = tmp_path_factory.mktemp("releases") / "r"
    fingerprint = release.save(folder, format="csv")
    assert privet.verify(folder, fingerprint).holds

    released = on_disk(folder)
    table = [tuple(row[name] for name in (*QUASI, "ill", "y")) for row in released]
    classes = equivalence_classes(table, range(len(QUASI)), len(QUASI))
    everybody = Counter(cells["ill"])
    assert min(group.total() for group in classes) == release.figure("k-anonymity") >= k
    assert len(classes) == release.figure("equivalence-classes")
    assert all(strong_l(group) >= level for group in classes)
    assert all(equal_distance(group, everybody) <= Fraction(9, 10) for group in classes)
    if how != "no target" and not allowed:
        by_target = equivalence_classes(table, range(len(QUASI)), len(QUASI) + 1)
        assert all(len(group) > 1 for group in by_target) or len(set(cells["y"])) == 1
    # as they are: the same records in the columns that nobody recoded; nobody is named
    kept = [(row["ill"], row["note"], row["y"]) for row in released]
    assert Counter(kept) == Counter(zip(cells["ill"], cells["note"], cells["y"], strict=True))
    everything = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"Person" not in everything
    towns = Counter(cells["town"])
    named_towns = {row["town"] for row in released} - {""}
    assert all(towns[town] >= k for town in named_towns)


@given(st.integers(0, 50), st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_order_of_rows_does_not_matter(seed: int, chance: random.Random) -> None:
    cells = people(60, seed)
    order = list(range(60))
    chance.shuffle(order)
    mixed = {name: [values[i] for i in order] for name, values in cells.items()}
    asked: dict[str, Any] = {"identifier": "person", "target": "y", "k": 3, "sensitive": "ill"}
    assert privet.anonymise(cells, **asked).data == privet.anonymise(mixed, **asked).data


@pytest.mark.parametrize("asked", [{"t": "0.3"}, {"l": 2}, {"l": 2, "method": "infogain"}])
def test_a_sensitive_number_of_many_values_costs_little(asked: dict[str, Any]) -> None:
    """Counts by two columns of many values each are never held as one table."""
    rows = 6000
    rng = random.Random(9)
    cells = {
        "born": [rng.randrange(rows) for _ in range(rows)],
        "weight": [rng.randrange(10 * rows) / 100 for _ in range(rows)],
        "pay": [rng.randrange(10 * rows) for _ in range(rows)],
        "y": [rng.choice(["no", "yes"]) for _ in range(rows)],
    }
    tracemalloc.start()
    release = privet.anonymise(cells, target="y", sensitive="pay", k=10, **asked)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert release.figure("equivalence-classes") > 50
    assert peak < 500 << 20  # one table of born and pay would hold 1.4 times as much


def test_distributions_stay() -> None:
    cells = people(2000, 4)
    release = privet.anonymise(cells, identifier="person", drop=["note", "y", "ill"], k=10)
    before, after = sorted(cells["pay"]), sorted(release.data["pay"])
    assert abs(sum(before) - sum(after)) / 2000 < 0.2
    shares = [abs(before.count(v) - after.count(v)) for v in TOWNS]
    assert max(shares) < 100


def test_roles_say_what_is_released_and_messages_what_is_exposed() -> None:
    cells = people(60, 1) | {"card": [f"c{i}" for i in range(60)]}
    asked: dict[str, Any] = {"identifier": "person", "k": 4, "drop": "y", "sensitive": "ill"}
    hidden = privet.anonymise(cells, **asked, other=["card", "note"])
    assert set(hidden.data["ill"]) == {None}
    said = " ".join(hidden.messages)
    assert "Suppressed, since neither l nor t was asked for: ill" in said
    assert "Released as they are, and counted in no claim: note, card." in said
    assert "card (60)" in said  # each value is one record's own
    assert "are not named; their records have others: town" in said
    shown = privet.anonymise(cells, **asked, other=["card", "note"], release_sensitive=True)
    assert Counter(shown.data["ill"]) == Counter(cells["ill"])
    assert shown.figure("l-diversity", "ill") >= 1
    assert privet.anonymise(cells, **asked, quasi="age", rest="drop").manifest.schema.names() == (
        "age",
        "ill",
    )


def test_a_column_in_which_nothing_can_be_named_is_suppressed(tmp_path: Path) -> None:
    release = privet.anonymise(people(60, 1), drop=["y", "ill", "note"], k=4)
    assert release.manifest.recoding["columns"]["person"] == {"treatment": "suppressed"}
    assert set(release.data["person"]) == {None}
    said = " ".join(release.messages)
    assert "Suppressed, since no category there has 4 records: person" in said
    assert "person (60)" not in said  # no record of it has another category
    fingerprint = release.save(tmp_path / "alike", report=False)
    assert privet.verify(tmp_path / "alike", fingerprint)
    cut_without = privet.anonymise(people(60, 1), drop=["person", "y", "ill", "note"], k=4)
    assert Counter(release.data["age"]) == Counter(cut_without.data["age"])


def test_k_holds_with_the_target_known() -> None:
    cells = people(200, 2)
    asked: dict[str, Any] = {"identifier": "person", "target": "y", "drop": ["note", "ill"]}
    release = privet.anonymise(cells, **asked, k=3, target_known=True)
    assert release.figure("k-anonymity-with-target") >= 3
    assert release.figure("equivalence-classes") > 1
    rare = cells | {"y": ["once", *cells["y"][1:]]}
    with pytest.raises(CriterionNotReached, match="has only 1 record"):
        privet.anonymise(rare, **asked, k=3, target_known=True)


def test_columns_that_matter_most_are_cut_first() -> None:
    cells = people(300, 3)
    asked: dict[str, Any] = {"identifier": "person", "drop": ["note", "ill", "y", "day"], "k": 10}

    def distance(**more: Any) -> float:
        after = sorted(privet.anonymise(cells, **asked, **more).data["pay"])
        return sum(abs(a - b) for a, b in zip(sorted(cells["pay"]), after, strict=True))

    assert distance(keep="pay") < distance()


def test_the_target_of_one_value_leaves_one_equivalence_class(tmp_path: Path) -> None:
    cells = people(40, 5) | {"y": ["yes"] * 40}
    release = privet.anonymise(cells, identifier="person", target="y", k=2, drop="ill")
    assert release.figure("equivalence-classes") == release.figure("one-class-records") / 40 == 1
    assert "All records look alike" in " ".join(release.messages)
    assert privet.verify(tmp_path / "r", release.save(tmp_path / "r")).holds


CANNOT: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no k": ({}, UsageError, "k is not given"),
    "no target for gains": ({"k": 2, "method": "infogain"}, UsageError, "needs a target"),
    "no target for the rule": ({"k": 2, "one_class": "forbid"}, UsageError, "needs a target"),
    "no target to be known": ({"k": 2, "target_known": True}, UsageError, "needs a target"),
    "a target of numbers": (
        {"k": 2, "method": "infogain", "target": "pay"},
        UsageError,
        "a target of categories; 'pay' is of kind decimal",
    ),
    "a method that is none": (
        {"k": 2, "method": "magic"},
        InvalidParameter,
        "mondrian or infogain",
    ),
    "a rule that is none": ({"k": 2, "one_class": "no"}, InvalidParameter, "forbid or allow"),
    "k of nobody": ({"k": 0}, InvalidParameter, "at least 1"),
    "k of more than there are": ({"k": 61}, InvalidParameter, "at most the number of records"),
    "l of nothing": ({"k": 2, "l": 2}, UsageError, "no sensitive column"),
    "l beyond the table": (
        {"k": 2, "l": 9, "sensitive": "ill"},
        CriterionNotReached,
        "No release of this table can reach l = 9",
    ),
    "nobody to protect": (
        {"k": 2, "other": ["person", *QUASI, "ill", "note", "y"]},
        UsageError,
        "No quasi-identifier",
    ),
    "an unknown column": ({"k": 2, "keep": "shoe"}, UnknownColumn, "shoe"),
    "what is not filled": ({"k": 2, "keep": "y", "other": "y"}, UsageError, "cannot be kept best"),
}


@pytest.mark.parametrize("why", CANNOT)
def test_what_cannot_be_meant_is_refused_kindly(why: str) -> None:
    asked, error, said = CANNOT[why]
    with pytest.raises(error, match=said):
        privet.anonymise(people(60, 1), **asked)


def test_new_rows_take_the_values_of_the_nearest_released(tmp_path: Path) -> None:
    cells = {name: values for name, values in people(120, 6).items() if name in QUASI}
    release = privet.anonymise(cells, k=4)
    release.save(tmp_path / "r")
    table = release.rows.table
    values = {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}
    released = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    new = {name: column[:9] for name, column in people(50, 7).items() if name in QUASI}
    found = privet.recode(tmp_path / "r", new, nearest=True)
    ordered = {"age": True, "pay": True, "town": False}
    days = [str(day) for day in found["day"]]
    assert set(days) <= {str(row["day"]) for row in released}
    without_days = privet.anonymise({n: cells[n] for n in ordered}, k=4)
    rows = without_days.rows.table
    cells_of = {n: [rows[n].domain.value(c) for c in rows[n].codes.tolist()] for n in ordered}
    rivals = [dict(zip(cells_of, r, strict=True)) for r in zip(*cells_of.values(), strict=True)]
    taken = privet.recode(without_days, {n: new[n] for n in ordered}, nearest=True)
    for place in range(9):
        row = {name: new[name][place] for name in ordered}
        best = rivals[nearest_place(row, rivals, rivals, ordered)]
        assert {name: taken[name][place] for name in ordered} == best
    plain = privet.recode(without_days, {n: new[n] for n in ordered})
    assert plain["pay"] == new["pay"]
    with pytest.raises(UsageError, match="has no tree"):
        privet.predict(without_days, new)


def test_the_audit_tells_what_the_release_does_not(tmp_path: Path) -> None:
    cells = people(80, 8)
    release = privet.anonymise(
        cells, identifier="person", sensitive="ill", target="y", k=4, method="infogain"
    )
    release.save(tmp_path / "r", audit=tmp_path / "a")
    told = json.loads((tmp_path / "a" / "audit.json").read_text(encoding="utf-8"))
    assert told["settings"]["method"] == told["method"] == "infogain"
    assert told["blocks"] >= told["equivalence_classes"] == release.figure("equivalence-classes")
    assert told["l_by_column"]["ill"]["strong"] >= 1
    page = (tmp_path / "a" / "steward.html").read_text(encoding="utf-8")
    assert "Must stay inside" in page
    assert "Records before" in page
    report = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "Records before" not in report
    assert "leaf" not in report.lower().partition("<body")[2]  # there is no tree


def test_l_beside_a_known_target_is_said_to_be_judged_without_it() -> None:
    people = {
        "age": [20, 21, 22, 23, 40, 41, 42, 43],
        "ill": ["flu", "cold"] * 4,
        "y": ["no", "no", "yes", "yes"] * 2,
    }
    asked = {"target": "y", "sensitive": "ill", "k": 2, "l": 2, "one_class": "allow"}
    known = privet.anonymise(people, **asked, target_known=True)
    assert any("judged without the target" in said for said in known.messages)
    assert not any("judged without" in said for said in privet.anonymise(people, **asked).messages)
