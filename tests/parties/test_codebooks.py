"""Codebooks: whose they are, what they refuse, and that they show nothing of themselves."""

import copy
import json
import logging
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import pmml_by_the_book
from privet.engine import MemoryEngine
from privet.errors import InputError, InvalidParameter, PrivetError, UsageError
from privet.files import read_table, table_of, write_table
from privet.files.maskings import maskings_of
from privet.parties import (
    Codebook,
    Masked,
    ProjectKey,
    decode_data,
    decode_table,
    decode_text,
    decode_tree,
    join,
    mask,
)
from privet.parties.codebook import merged
from privet.table import Table
from privet.tree import Grower, Tree, grow
from privet.tree.exchange.model_file import from_data, to_data
from privet.tree.exchange.pmml_read import from_pmml
from privet.tree.exchange.pmml_write import to_pmml

KEY = ProjectKey("test", b"k" * 32)
N = 80


def people(seed: int, numbers: bool) -> Table:
    rng = np.random.default_rng(seed)
    cells: dict[str, list[Any]] = {"id": list(range(N))}
    if numbers:
        cells["age"] = rng.integers(17, 90, N).tolist()
    cells["drug"] = rng.choice(["none", "beta", "statin"], N).tolist()
    cells["ill"] = ["yes" if rng.random() < 0.4 else "no" for _ in range(N)]
    return table_of(cells)


def masked(table: Table, key: ProjectKey = KEY, **choices: Any) -> Masked:
    sensitive = [name for name in table if name not in ("id", "ill")]
    return mask(table, key="id", sensitive=sensitive, project_key=key, **choices)


def mined(sent: Masked) -> Tree:
    table = sent.table
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="ill"), Grower(leaves=6))
    return replace(tree, maskings=sent.maskings)


# -- identity --------------------------------------------------------------------------------------


def _refused(read: Callable[[Codebook, bool], object], book: Codebook, unchecked: bool) -> bool:
    try:
        read(book, unchecked)
    except UsageError as error:
        return "another masking" in error.message
    return False


@pytest.mark.parametrize("numbers", [True, False], ids=["numbers too", "categories only"])
@pytest.mark.parametrize("same", ["table", "project", "nothing"])
def test_of_a_hundred_wrong_codebooks_none_is_accepted(numbers: bool, same: str) -> None:
    """Another masking of the very same table, of the same project, or of neither."""
    table = people(0, numbers)
    sent = masked(table)
    tree = mined(sent)
    text = "H_drug = drug_1: yes"
    accepted = 0
    for seed in range(100):
        own = table if same == "table" else people(seed + 1, numbers)
        key = KEY if same != "nothing" else ProjectKey("other", bytes([seed]) * 32)
        wrong = masked(own, key).codebook
        for read in (
            lambda book, unchecked: decode_tree(tree, book, unchecked=unchecked),
            lambda book, unchecked: decode_text(
                text, book, maskings=sent.maskings, unchecked=unchecked
            ),
            lambda book, unchecked: decode_data(
                {"rule": text}, book, maskings=sent.maskings, unchecked=unchecked
            ),
            lambda book, unchecked: decode_table(
                sent.table, book, maskings=sent.maskings, unchecked=unchecked
            ),
        ):
            accepted += sum(not _refused(read, wrong, unchecked) for unchecked in (False, True))
    assert accepted == 0
    assert decode_tree(tree, sent.codebook).undecoded == ()


def test_without_an_identity_somebody_must_vouch() -> None:
    sent = masked(people(0, True))
    tree = replace(mined(sent), maskings=())
    with pytest.raises(UsageError, match="does not say from which masking"):
        decode_tree(tree, sent.codebook)
    whole = decode_tree(tree, sent.codebook, unchecked=True)
    assert whole == decode_tree(tree, sent.codebook, maskings=sent.maskings)
    old = Codebook(sent.codebook.columns, sent.codebook.project, sent.codebook.tag)
    with pytest.raises(UsageError, match=r"version 0\.1"):
        decode_tree(mined(sent), old)
    with pytest.raises(UsageError, match=r"version 0\.1"):
        decode_tree(mined(sent), merged([old]))
    assert decode_tree(mined(sent), old, unchecked=True).undecoded == ()


def test_codebooks_of_version_0_1_still_read(tmp_path: Path) -> None:
    sent = masked(people(0, True))
    old = Codebook(sent.codebook.columns, "p", "t")
    assert old.to_data()["format"] == 1
    assert "identity" not in old.to_data()
    old.write(tmp_path / "old")
    again = Codebook.read(tmp_path / "old")
    assert again.identities == ("",)
    assert again.to_data() == old.to_data()


def test_identities_are_random_and_repeat_only_with_seed_and_table() -> None:
    table = people(0, True)
    drawn = {masked(table).maskings for _ in range(20)}
    assert len(drawn) == 20
    assert all(len(identity) == 32 for (identity,) in drawn)
    assert masked(table, seed=4).maskings == masked(table, seed=4).maskings
    assert masked(table, seed=4).maskings != masked(table, seed=5).maskings
    assert masked(table, seed=4).maskings != masked(people(1, True), seed=4).maskings
    first = masked(table)
    assert masked(people(1, True), codebook=first.codebook, extend=True).maskings == first.maskings


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "tsv", "arff"])
def test_the_identity_travels_with_the_files(ending: str, tmp_path: Path) -> None:
    from privet.cli.main import main

    table = people(0, True)
    one = masked(table.select(["id", "age"]))
    two = mask(table.select(["id", "drug", "ill"]), key="id", sensitive=["drug"], project_key=KEY)
    paths = [tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"]
    one.write(paths[0])
    two.write(paths[1])
    assert maskings_of(paths[0]) == one.maskings
    joined = join(paths)
    assert joined.maskings == (*one.maskings, *two.maskings)
    out = tmp_path / f"joined.{ending}"
    joined.write(out)
    assert maskings_of(out) == joined.maskings
    for other in ("joined2.parquet", "joined2.csv", "joined2.arff"):
        assert main(["convert", str(out), str(tmp_path / other)]) == 0
        assert maskings_of(tmp_path / other) == joined.maskings
    model = tmp_path / "m.json"
    assert main(["tree", str(out), "--target", "ill", "--out", str(model), "--leaves", "4"]) == 0
    assert tuple(json.loads(model.read_text())["maskings"]) == joined.maskings
    assert main(["convert", str(model), str(tmp_path / "m.pmml")]) == 0
    assert from_pmml((tmp_path / "m.pmml").read_bytes()).maskings == joined.maskings
    # a table that was changed or replaced is no longer what the file beside it speaks of
    if ending == "csv":
        out.write_text(out.read_text() + "\n")
        assert maskings_of(out) == ()
    write_table(table, tmp_path / "plain.parquet")
    assert maskings_of(tmp_path / "plain.parquet") == ()


def test_a_release_of_a_masked_table_names_no_masking(tmp_path: Path) -> None:
    from privet.cli.main import main

    sent = masked(people(0, True))
    sent.write(tmp_path / "sent.parquet")
    asked = ["publish", str(tmp_path / "sent.parquet"), "--target", "ill", "-k", "3"]
    asked += ["--identifier", "privet_key", "--out", str(tmp_path / "release")]
    assert main(asked) == 0
    for path in (tmp_path / "release").rglob("*"):
        if path.is_file():
            assert sent.maskings[0].encode() not in path.read_bytes()


def test_a_model_that_names_no_identities_is_refused() -> None:
    data = to_data(mined(masked(people(0, True))))
    for wrong in (3, "abc", ["abc"], [None], {"a": 1}, ["A" * 32]):
        with pytest.raises(InputError):
            from_data({**data, "maskings": wrong})


# -- trees as PMML ---------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
def test_decoded_pmml_predicts_as_the_tree_of_the_clear_table(seed: int) -> None:
    table = people(seed, True)
    sent = masked(table, kept_order=True)
    again = from_pmml(to_pmml(mined(sent)))
    assert again.maskings == sent.maskings
    decoded = decode_tree(again, sent.codebook)
    assert decoded.still_masked == ()
    plain = table.select(["age", "drug", "ill"])
    clear = grow(MemoryEngine(plain), plain.schema().with_roles(target="ill"), Grower(leaves=6))
    records = [
        {"age": age, "drug": drug}
        for age in (None, *range(15, 93))
        for drug in ("none", "beta", "statin", "other", None)
    ]
    told = pmml_by_the_book.BookModel(to_pmml(decoded.tree))
    truth = pmml_by_the_book.BookModel(to_pmml(clear))
    assert [told.score(r) for r in records] == [truth.score(r) for r in records]


# -- what a codebook file may be -------------------------------------------------------------------


def _edits(data: Any, rng: random.Random) -> Any:
    """One random edit somewhere in a JSON value."""
    odd = [None, True, -1, 0.5, 1e308, 2**70, "", "x", [], {}, [[]], {"a": []}, "0" * 32, "\ud800"]
    if isinstance(data, dict) and data and rng.random() < 0.8:
        name = rng.choice(list(data))
        action = rng.random()
        if action < 0.15:
            return {k: v for k, v in data.items() if k != name}
        if action < 0.25:
            return {**data, "more": rng.choice(odd)}
        return {**data, name: _edits(data[name], rng)}
    if isinstance(data, list) and data and rng.random() < 0.8:
        place = rng.randrange(len(data))
        action = rng.random()
        if action < 0.2:
            return data[:place] + data[place + 1 :]
        if action < 0.4:
            return [*data, rng.choice([*odd, data[place]])]
        return [*data[:place], _edits(data[place], rng), *data[place + 1 :]]
    return rng.choice(odd)


@pytest.mark.parametrize("seed", range(300))
def test_an_edited_codebook_is_read_or_refused_in_one_sentence(seed: int, tmp_path: Path) -> None:
    """Whatever still reads, decodes: no edit leads to a traceback."""
    rng = random.Random(seed)
    sent = masked(people(0, True), seed=1)
    data = sent.codebook.to_data()
    for _ in range(rng.randint(1, 3)):
        data = _edits(data, rng)
    (tmp_path / "book").write_text(json.dumps(data))
    refused: PrivetError | None = None
    try:
        book = Codebook.read(tmp_path / "book")
        decode_text("H_drug = drug_1, H_age <= 2.51", book, unchecked=True)
        decode_data({"feature": "H_age", "threshold": 2.5}, book, unchecked=True)
        decode_tree(mined(sent), book, unchecked=True)
    except PrivetError as error:
        refused = error
    assert refused is None or (refused.hint and "\n" not in refused.message)


def test_masks_that_contradict_themselves_are_refused(tmp_path: Path) -> None:
    book = masked(people(0, True), seed=1).codebook.to_data()
    age, drug = book["columns"]["age"], book["columns"]["drug"]
    alias = drug["aliases"]["none"][0]
    for column, wrong in [
        ("age", {**age, "values": age["values"][::-1]}),
        ("age", {**age, "values": [*age["values"], 10**6]}),
        ("age", {**age, "values": [0.5, *age["values"]]}),
        ("age", {**age, "bounds": age["bounds"][::-1]}),
        ("age", {**age, "mode": "best"}),
        ("drug", {**drug, "aliases": {**drug["aliases"], "beta": [alias]}}),
        ("drug", {**drug, "aliases": {**drug["aliases"], "beta": "drug_1"}}),
        ("drug", {**drug, "aliases": {}}),
    ]:
        data = {**book, "columns": {**book["columns"], column: wrong}}
        (tmp_path / "book").write_text(json.dumps(data))
        with pytest.raises(InputError, match="not a codebook"):
            Codebook.read(tmp_path / "book")


# -- what is shown, and bounds -------------------------------------------------------------------


def test_nothing_secret_is_printed_or_pickled(caplog: pytest.LogCaptureFixture) -> None:
    table = people(0, True)
    sent = masked(table, bounds={"age": "13,29,..,93"}, seed=987654)
    secrets = [sent, sent.codebook, *sent.codebook.columns.values(), KEY]
    secrets += [sent.codebook.columns["age"].grading]  # type: ignore[union-attr]
    for secret in secrets:
        with caplog.at_level(logging.DEBUG):
            logging.getLogger("t").warning("%r %s", secret, secret)
        shown = f"{secret!r} {secret} {[secret]} {caplog.messages}"
        for word in ("statin", "drug_", "13", "29", "987654", KEY.secret.hex(), "kkkk", "tag"):
            assert word not in shown, shown
        for refuse in (pickle.dumps, copy.deepcopy):
            with pytest.raises(UsageError, match="not pickled"):
                refuse(secret)


def test_more_homophones_than_make_sense_are_refused_at_once() -> None:
    table = people(0, True)
    for wanted in (9_999_999_999, 81, 10**400, 0, -3, 2):
        with pytest.raises(InvalidParameter, match=r"'drug' must be from 3 \(its values\) to 80"):
            masked(table, homophones={"drug": wanted})
    assert len(masked(table, homophones={"drug": 80}).codebook.columns["drug"].label_of) == 80  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "bounds", ["1e999999999,2", "1e-999999999,2", "9" * 5000, "nan,1", "1/0,2", "1,inf"]
)
def test_bounds_that_no_float_can_hold_are_refused_at_once(bounds: str) -> None:
    with pytest.raises(UsageError):
        masked(people(0, True), bounds={"age": bounds})


def test_aliases_never_meet_other_names() -> None:
    cells = {
        "id": [1, 2, 3],
        "a": ["x", "y", "a_1"],
        "a_": ["p", "q", "p"],
        "b": ["u", "v", "u"],
        "b_1": [1, 2, 3],
    }
    book = masked(table_of(cells)).codebook
    aliases = [alias for name in ("a", "a_", "b") for alias in book.columns[name].label_of]  # type: ignore[union-attr]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & {"a_1", "b_1", *cells}


def test_reading_masked_csv_needs_no_identity(tmp_path: Path) -> None:
    sent = masked(people(0, True))
    sent.write(tmp_path / "sent.csv")
    (tmp_path / "sent.csv.privet.json").unlink()
    assert maskings_of(tmp_path / "sent.csv") == ()
    assert read_table(tmp_path / "sent.csv").n_rows == N
