"""Publishing with a guard: nobody is told by boundaries, and the plain grower grows the tree again.

`PRIVET_TESTS=long` draws ten times as many tables. A failure names its seed.
"""

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privet
from oracles.independent_reader import differences
from privet.errors import PrivetError, UsageError
from privet.preserve.drafts import Drafts
from privet.preserve.explore import explore
from privet.preserve.judging import Judge
from privet.preserve.publisher import TreePreservingPublisher
from privet.preserve.settings import PublishSettings
from properties.seeded_tables import Case, drawn

MORE = 10 if os.environ.get("PRIVET_TESTS") == "long" else 1


def guarded(case: Case, guard: int, **more: Any) -> PublishSettings:
    nothing_else = {"k": 1, "l": None, "t": None, "target_known": False, "refine": False}
    return replace(case.settings, recoding="leaf", guard=guard, **(nothing_else | more))


@pytest.mark.parametrize("guard", [2, 3, 5])
def test_nobody_is_told_but_by_columns_released_as_they_are(guard: int) -> None:
    tried = kept = told = 0
    for seed in range(150 * MORE):
        case = drawn(seed)
        table, schema = case.table(), case.schema()
        drafts = Drafts(table, schema, guarded(case, guard))
        if not drafts.sizes:
            continue
        tried += 1
        draft = Judge(drafts).draft(drafts.sizes[-1])
        kept += bool(draft.grown_again(schema))
        free = {place.attribute for place in drafts.boundaries(draft).places}
        assert free.isdisjoint(drafts.recoded_columns), f"seed {seed}"
        plain = Drafts(table, schema, guarded(case, 1))
        for size in plain.sizes[-1:]:
            places = plain.boundaries(plain.by_one_map(size)).places
            told += any(place.attribute in plain.recoded_columns for place in places)
    assert kept >= 0.9 * tried
    assert told >= 0.1 * tried  # without a guard somebody is, in many of these tables


def test_a_stranger_grows_the_guarded_tree_without_a_guard(tmp_path: Path) -> None:
    written = 0
    for seed in range(7_000, 7_000 + 40 * MORE):
        case = drawn(seed)
        settings = guarded(case, 3, k=2, refine=seed % 2 == 0)
        try:
            release = TreePreservingPublisher(settings).publish(case.table(), case.schema())
        except PrivetError:
            continue
        assert release.manifest.method["guard"] == 3
        release.save(tmp_path / str(seed), format="csv", report=False)
        assert differences(tmp_path / str(seed)) == [], f"seed {seed}"
        written += 1
    assert written >= 20 * MORE


@pytest.fixture
def people() -> dict[str, list[Any]]:
    """300 people; one alone has the colour z and is ill, as most on that side are not."""
    rng = random.Random(5)
    colour = [rng.choice("abcd") for _ in range(299)] + ["z"]
    age = [rng.randint(20, 60) for _ in colour]
    ill = ["yes" if (c > "b") != (rng.random() < 0.2) else "no" for c in colour]
    return {"age": age, "colour": colour, "job": colour[::-1], "ill": ill}


def published(people: dict[str, list[Any]], **asked: Any) -> Any:
    return privet.publish(people, target="ill", **({"k": 5, "leaves": 4} | asked))


def test_the_guard_is_k_for_leaf_recoding_and_off_for_global(people: dict[str, list[Any]]) -> None:
    assert published(people).manifest.method["guard"] == 5
    assert published(people, guard=8).manifest.method["guard"] == 8
    plain = published(people, recoding="global", k=1)
    assert plain.manifest.method["guard"] == 1
    assert plain.tree.grower == published(people, recoding="global", k=1, guard=1).tree.grower


def test_people_told_are_counted_and_named_in_a_message(people: dict[str, list[Any]]) -> None:
    open_tree = published(people, guard=1)
    n = open_tree.manifest.method["told_by_boundaries"]
    assert n >= 1
    assert any(
        message.startswith(f"{n} ") and "the tree tells their target" in message
        for message in open_tree.messages
    )
    closed = published(people)
    assert closed.manifest.method["told_by_boundaries"] == 0
    assert not any("tells their target" in message for message in closed.messages)


def test_columns_released_as_they_are_stay_unguarded_and_are_counted(
    people: dict[str, list[Any]],
) -> None:
    release = published(people, other="colour", leaves=2)
    assert release.tree.attributes_used == ("colour",)
    assert release.manifest.method["told_by_boundaries"] == 1
    assert any("cannot be guarded: colour" in message for message in release.messages)


def test_a_guard_that_no_split_can_have_is_named(people: dict[str, list[Any]]) -> None:
    with pytest.raises(UsageError, match="No split between units of 200 records") as caught:
        published(people, guard=200)
    assert "guard=1" in str(caught.value.hint)
    for guard in (0, 2.5, True):
        with pytest.raises(privet.PrivetError, match="guard must be"):
            published(people, guard=guard)


def test_a_smaller_tree_is_published_and_said_where_the_guard_cannot_be_kept() -> None:
    """By one map a rival cut inside a block cannot be removed."""
    rng = random.Random(1)
    a, b = ([rng.randint(0, 40) for _ in range(200)] for _ in range(2))
    y = ["n" if (p + q + rng.randint(0, 30)) % 50 < 25 else "y" for p, q in zip(a, b, strict=True)]
    release = privet.publish(
        {"a": a, "b": b, "y": y}, target="y", k=1, leaves=8, recoding="global", guard=10
    )
    assert release.tree.n_leaves < 8
    assert any("8 leaves were asked for" in m and "guard" in m for m in release.messages)


def test_the_manifest_names_what_each_choice_looked_at(people: dict[str, list[Any]]) -> None:
    everything = ["ill", "job"]
    chosen = published(people, sensitive="job", l="1.5", leaves=None).manifest.method["chosen_by"]
    assert chosen == {"splits": everything, "leaves": everything, "values": everything}
    fixed = published(people, leaves=2, refine=False).manifest.method["chosen_by"]
    assert fixed == {"splits": ["ill"], "leaves": [], "values": ["ill"]}


def test_explore_counts_the_people_told_at_each_size(people: dict[str, list[Any]]) -> None:
    from privet.files.frames import table_of
    from privet.roles import Roles, schema_for

    table = table_of(people, {}, ())
    schema = schema_for(table, None, Roles(target="ill"))
    open_lines = explore(table, schema, PublishSettings(k=5, leaves=4, guard=1)).lines
    assert max(line.told_by_boundaries for line in open_lines) >= 1
    lines = explore(table, schema, PublishSettings(k=5, leaves=4)).lines
    assert {line.told_by_boundaries for line in lines} == {0}
