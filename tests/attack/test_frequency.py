"""Frequency matching: what it recovers, against what, and its ways to guess."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.attack.frequency import FrequencyMatching
from privet.errors import PrivetError
from privet.files import read_table, table_of


@given(st.lists(st.integers(1, 40), min_size=2, max_size=8, unique=True), st.randoms())
def test_known_frequencies_give_every_alias(sizes: list[int], random: object) -> None:
    labels = [f"v{i}" for i, size in enumerate(sizes) for _ in range(size)]
    names = [f"a{i}" for i in range(len(sizes))]
    random.shuffle(names)  # type: ignore[attr-defined]
    aliases = [names[int(label[1:])] for label in labels]
    attack = FrequencyMatching("a", "v")
    guesses = attack.run(table_of({"a": aliases}), table_of({"v": labels}))
    score = guesses.score(table_of({"v": labels})["v"])
    assert score.rows_right == 1.0
    assert score.aliases_right == score.aliases == len(sizes)
    assert score.blind == max(sizes) / sum(sizes)


def test_context_tells_aliases_of_equal_frequency_apart() -> None:
    label = ["x"] * 100 + ["y"] * 100
    beside = ["l"] * 90 + ["r"] * 110
    released = table_of({"a": ["a2"] * 100 + ["a1"] * 100, "c": beside})
    public = table_of({"v": label, "c": beside})
    guesses = FrequencyMatching("a", "v", "context", ("c",)).run(released, public)
    assert guesses.score(public["v"]).rows_right == 1.0


def test_shares_give_several_aliases_to_a_frequent_label() -> None:
    truth = ["x"] * 80 + ["y"] * 20
    released = table_of({"a": [f"a{i // 20}" for i in range(100)]})
    guesses = FrequencyMatching("a", "v", "shares").run(released, table_of({"v": truth}))
    assert sorted(guesses.labels) == ["x"] * 4 + ["y"]


def test_a_wrong_call_is_refused() -> None:
    for way, context in (("best", ()), ("context", ()), ("ranks", ("c",))):
        with pytest.raises(PrivetError):
            FrequencyMatching("a", "v", way, context)  # type: ignore[arg-type]
    guesses = FrequencyMatching("v", "v").run(table_of({"v": ["x"]}), table_of({"v": ["x"]}))
    with pytest.raises(PrivetError, match="rows"):
        guesses.score(table_of({"v": ["x", "y"]})["v"])


def test_all_sixteen_educations_are_recovered(shared_data: Path) -> None:
    people = read_table(shared_data / "adult.csv.gz")
    public = read_table(shared_data / "adult_test.csv.gz")
    column = people["education"]
    renamed = np.random.default_rng(1).permutation(16)
    aliases = [f"e{renamed[code]:02d}" for code in column.codes.tolist()]
    guesses = FrequencyMatching("a", "education").run(table_of({"a": aliases}), public)
    score = guesses.score(column)
    assert (score.aliases_right, score.aliases, score.rows_right) == (16, 16, 1.0)
