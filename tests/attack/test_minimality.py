"""Minimality: the ways that are left are counted as naively; fixed sizes tell nothing."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet
from oracles import naive_attacks
from oracles.slow_grower import SlowGrowth, SlowSettings
from privet.attack.minimality import surest_after
from privet.cli.main import main
from privet.datasets import hospital
from privet.errors import PrivetError
from privet.files import write_table
from privet.table import Table

K, LEVEL = 6, Fraction(3, 2)


@given(st.data())
def test_ways_are_counted_as_naively(data: st.DataObject) -> None:
    lists = st.lists(st.integers(1, 5), min_size=1, max_size=3)
    values = data.draw(lists.filter(lambda found: sum(found) > 1))
    first = data.draw(st.integers(1, sum(values) - 1))
    level = data.draw(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]))
    expected = naive_attacks.surest_after(values, first, level)
    assert surest_after(values, first, level) == expected


@pytest.fixture(scope="module")
def people() -> Table:
    whole = hospital(150, seed=3)
    return whole.select(["bmi", "sex", "stay_days", "readmitted"])


@pytest.fixture(scope="module")
def release(people: Table) -> privet.Release:
    asked: Any = {"target": "readmitted", "k": K, "l": 1.5, "sensitive": "sex"}
    return privet.publish(people, **asked, leaves=3, release_sensitive=True)


def test_it_is_what_a_naive_count_gives(
    people: Table, release: privet.Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release.save(tmp_path / "release")
    write_table(people, tmp_path / "people.csv")
    asked = [str(tmp_path / "release"), "--original", str(tmp_path / "people.csv")]
    assert main(["attack", "minimality", *asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["columns"]["sex"]
    assert release.tree is not None
    leaves = release.tree.leaf_of_rows(people)
    splits, true, before, after = 0, 0, [], []
    for leaf in np.unique(leaves).tolist():
        rows = naive_attacks.rows_of(people.take(np.flatnonzero(leaves == leaf)))
        cells = {name: [row[name] for row in rows] for name in people}
        if len(rows) < 2 * K:
            continue
        settings = SlowSettings("gini", leaves=2, min_leaf=K)
        offered = list(release.tree.grower.attributes or ())
        growth = SlowGrowth(cells, {"bmi", "stay_days"}, offered, "readmitted", settings)
        nodes = growth.grow()
        if len(nodes) == 1:
            continue
        first = [row for row in rows if goes_left(nodes[0].split, row)]
        second = [row for row in rows if not goes_left(nodes[0].split, row)]
        of_parts = [
            naive_attacks.homogeneity(part, [], "sex")["surest_guess"] for part in (first, second)
        ]
        true += max(of_parts) > 1 / LEVEL
        counts = [sum(row["sex"] == v for row in rows) for v in people["sex"].domain.texts]
        values = [n for n in counts if n]
        splits += 1
        before.append(Fraction(max(values), len(rows)))
        after.append(surest_after(values, len(first), LEVEL))
    assert splits > 0
    assert told["leaves"] == splits
    assert told["truly_refused"] == true
    assert told["chance_before"] == float(max(before))
    assert told["chance_after"] == float(max(after))
    assert told["chance_after"] > told["chance_before"]  # the thought tells something
    assert main(["attack", "minimality", *asked]) == 0
    assert "may have been refused" in capsys.readouterr().out


def goes_left(split: Any, row: dict[str, Any]) -> bool:
    kind, name, *rest = split
    if kind == "threshold":
        return row[name] is not None and (rest[0] is None or row[name] <= rest[0])
    return row[name] in rest[0]


def test_nothing_asked_of_values_tells_nothing(people: Table) -> None:
    release = privet.publish(people, target="readmitted", k=K, leaves=2)
    found = privet.attack.by_minimality(release, original=people)
    assert found.columns == {}
    assert found.chosen_by["leaves"] == []
    assert "diverse" in found.sentences()[-1]


def test_what_has_no_size_is_refused(people: Table) -> None:
    with pytest.raises(PrivetError, match="with a tree"):
        privet.attack.by_minimality(privet.anonymise(people, k=3), original=people)
    release = privet.publish(people, target="readmitted", k=K)
    with pytest.raises(PrivetError, match="'bmi'"):
        privet.attack.by_minimality(
            release, original=people.select(["stay_days", "sex", "readmitted"])
        )


def test_leaves_of_one_target_have_no_next_split() -> None:
    people = {"age": list(range(40)), "buys": ["no"] * 20 + ["yes"] * 20}
    release = privet.publish(people, target="buys", k=3, leaves=2)
    assert privet.attack.by_minimality(release, original=people).leaves == 2
