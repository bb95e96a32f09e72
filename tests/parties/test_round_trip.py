"""Mask, join, mine, decode by all parties = mine the original."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.files import read_table, table_of
from privet.files.maskings import maskings_of, united
from privet.parties import Codebook, Decoded, ProjectKey, decode_tree, join, mask
from privet.parties.codebook import merged
from privet.schema import Kind
from privet.table import Table
from privet.tree import Grower, Tree, grow
from privet.tree.compare import compare
from privet.tree.exchange.model_file import from_data

KEY = ProjectKey("test", bytes(32))
PARTIES = (("n", "c"), ("m", "d"), ("y",))
COLUMNS = [name for party in PARTIES for name in party]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n = draw(st.integers(8, 60))
    number = (
        st.one_of(st.none(), st.integers(-20, 60)) if draw(st.booleans()) else st.integers(0, 9)
    )
    label = st.sampled_from(
        ["a", "b", "B", "é", "z z", None] if draw(st.booleans()) else ["u", "v"]
    )
    classes = draw(st.sampled_from([["no", "yes"], ["p", "q", "r"]]))
    cells: dict[str, list[Any]] = {"id": draw(st.permutations(range(n)))}
    for name in COLUMNS:
        cell = {"n": number, "m": number, "y": st.sampled_from(classes)}.get(name, label)
        cells[name] = draw(st.lists(cell, min_size=n, max_size=n))
    cells["n"][:2], cells["m"][:2], cells["y"][:2] = [1, 2], [1, 2], classes[:2]
    cells["c"][:1] = cells["d"][:1] = ["b"]
    kinds = {"c": Kind.CATEGORY, "d": Kind.CATEGORY, "y": Kind.CATEGORY}
    return table_of(cells, {**kinds, "n": Kind.INTEGER, "m": Kind.INTEGER})


def decoded_by(tree: Tree, books: list[Codebook]) -> Decoded:
    """Decoded by all these codebooks; the joined table that was mined names their maskings."""
    return decode_tree(tree, merged(books), maskings=united(book.identities for book in books))


def mined(table: Table, target: str, grower: Grower) -> Tree:
    return grow(MemoryEngine(table), table.schema().with_roles(target=target), grower)


def joined(
    table: Table, sensitive: set[str], folder: Path, **choices: Any
) -> tuple[Table, list[Codebook]]:
    """Each party masks and sends its file, the miner joins them."""
    books = []
    for number, columns in enumerate(PARTIES):
        own = [name for name in columns if name in sensitive]
        bounds = {n: b for n, b in choices.get("bounds", {}).items() if n in own}
        masked = mask(
            table.select(["id", *columns]),
            key="id",
            sensitive=own,
            project_key=KEY,
            **{**choices, "bounds": bounds},
        )
        masked.write(folder / f"{number}.parquet")
        books.append(masked.codebook)
    result = join([folder / f"{number}.parquet" for number in range(len(PARTIES))])
    result.write(folder / "joined.parquet")
    assert maskings_of(folder / "joined.parquet") == united(book.identities for book in books)
    return read_table(folder / "joined.parquet"), books


growers = st.builds(
    Grower,
    impurity=st.sampled_from(["gini", "entropy", "gain-ratio"]),
    categories=st.sampled_from(["subset", "multiway"]),
    leaves=st.integers(2, 12),
    min_leaf=st.integers(1, 4),
)


@given(tables(), growers, st.integers(0, 2**32))
def test_exact_for_equal_groups_and_sorted_aliases(table: Table, grower: Grower, seed: int) -> None:
    with TemporaryDirectory() as folder:
        sent, books = joined(table, set(COLUMNS), Path(folder), kept_order=True, seed=seed)
    original = mined(table.select(COLUMNS), "y", grower)
    masked = mined(sent, "H_y", grower)
    decoded = decoded_by(masked, books)
    assert str(compare(original, decoded.tree)) == "identical"
    assert decoded.tree.grower == original.grower
    assert decoded.tree.kinds == original.kinds
    assert decoded.still_masked == ()
    # one party after the other is the same as all at once
    step = replace(masked, maskings=united(book.identities for book in books))
    for book in books:
        step = decode_tree(step, book).tree
    assert str(compare(original, step)) == "identical"
    assert from_data(decoded.to_data()) == decoded.tree


@given(tables(), growers, st.integers(0, 2**32))
def test_any_bounds_give_the_same_shape_and_training_predictions(
    table: Table, grower: Grower, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    inside = sorted(set(rng.integers(-19, 60, 4).tolist()))
    bounds = {name: [-30, *inside, 70] for name in ("n", "m")}
    with TemporaryDirectory() as folder:
        sent, books = joined(
            table, set(COLUMNS), Path(folder), bounds=bounds, kept_order=True, seed=seed
        )
    # Which of two equal splits comes last may depend on thresholds: so all are made.
    whole = replace(grower, leaves=None)
    original = mined(table.select(COLUMNS), "y", whole)
    decoded = decoded_by(mined(sent, "H_y", whole), books).tree
    assert original.n_leaves == decoded.n_leaves
    assert original.predict(table) == decoded.predict(table)


@given(tables(), st.integers(0, 2**32))
def test_what_others_own_stays_masked(table: Table, seed: int) -> None:
    with TemporaryDirectory() as folder:
        sent, books = joined(table, set(COLUMNS), Path(folder), seed=seed)
    masked = mined(sent, "H_y", Grower(leaves=8))
    decoded = decoded_by(masked, books[2:])
    assert decoded.tree.target == "y"
    assert all(name.startswith("H_") for name in decoded.tree.attributes_used)
    assert set(decoded.still_masked) == set(decoded.tree.attributes_used)
    assert decoded.undecoded == ()


@given(tables(), st.integers(0, 2**32))
def test_a_masked_response_decodes_exactly_for_equal_groups(table: Table, seed: int) -> None:
    if table["n"].domain.missing:
        return
    grower = Grower(impurity="deviance", leaves=6)
    with TemporaryDirectory() as folder:
        sent, books = joined(table, set(COLUMNS), Path(folder), kept_order=True, seed=seed)
    original = mined(table.select(COLUMNS), "n", grower)
    decoded = decoded_by(mined(sent, "H_n", grower), books)
    assert str(compare(original, decoded.tree)) == "identical"


def test_random_aliases_on_public_data(shared_data: Path, tmp_path: Path) -> None:
    people = read_table(shared_data / "german_credit.csv", kinds={"class": "category"})
    table = Table({"id": _numbers(len(people)), **{name: people[name] for name in people}})
    key = {"key": "id", "project_key": KEY, "seed": 1}
    half = len(people.names) // 2
    books = []
    for number, own in enumerate((people.names[:half], people.names[half:])):
        masked = mask(table.select(["id", *own]), sensitive=own, **key)  # type: ignore[arg-type]
        masked.write(tmp_path / f"{number}.parquet")
        books.append(masked.codebook)
    sent = join([tmp_path / "0.parquet", tmp_path / "1.parquet"]).table
    for impurity in ("gini", "gain-ratio"):
        grower = Grower(impurity=impurity, leaves=12, min_leaf=10)  # type: ignore[arg-type]
        decoded = decoded_by(mined(sent, "H_class", grower), books)
        assert str(compare(mined(people, "class", grower), decoded.tree)) == "identical"


def _numbers(n: int) -> Any:
    return table_of({"id": list(range(n))})["id"]


def test_homophones_come_back_as_one_class_and_split_ones_stay_masked() -> None:
    n = 400
    rng = np.random.default_rng(0)
    x = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    y = np.where(rng.random(n) < 0.8, np.where(x == "a", "yes", "no"), "no")
    table = table_of({"id": list(range(n)), "x": x.tolist(), "y": y.tolist()})
    masked = mask(
        table, key="id", sensitive=["x", "y"], project_key=KEY, homophones={"y": 6}, seed=3
    )
    counts = np.bincount(masked.table["H_y"].codes)
    assert len(counts) == 6
    assert counts.max() < 0.35 * n
    decoded = decoded_by(mined(masked.table, "H_y", Grower(leaves=2)), [masked.codebook])
    assert decoded.tree.classes == ("no", "yes")
    assert decoded.tree.root.weights == (int((y == "no").sum()), int((y == "yes").sum()))

    split = mask(table, key="id", sensitive=["x"], project_key=KEY, homophones={"x": 9}, seed=3)
    tree = mined(split.table, "y", Grower(leaves=9, categories="multiway"))
    decoded = decoded_by(tree, [split.codebook])
    assert decoded.still_masked == decoded.undecoded == ("H_x",)
    assert "homophones" in decoded.notes[0]


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_dates_and_decimals_are_graded_too(mode: Any) -> None:
    table = table_of(
        {
            "id": [1, 2, 3, 4],
            "born": ["2001-01-01", "1999-05-05", "1980-02-29", "2010-12-31"],
            "dose": [0.1, 0.25, 7.5, 2.0],
            "y": ["a", "a", "b", "a"],
        },
        {"born": Kind.DATE},
    )
    masked = mask(
        table,
        key="id",
        sensitive=["born", "dose"],
        project_key=KEY,
        bounds={"born": "1970-01-01,1990-01-01,2011-01-01"},
        mode=mode,
        seed=1,
    )
    decoded = decoded_by(mined(masked.table, "y", Grower(leaves=2)), [masked.codebook])
    assert decoded.tree.attributes_used == ("born",)
    assert "1980-02-29" in decoded.sentences()[0]
    assert "1999-05-05" in decoded.sentences()[0]


@pytest.mark.parametrize(("recoding", "words"), [("leaf", "a | b"), ("rich", "('a', 'b')")])
def test_the_tree_of_a_published_joined_table_is_decoded(
    recoding: Literal["leaf", "rich"], words: str
) -> None:
    from privet.pipeline import publish

    rng = np.random.default_rng(2)
    x = rng.choice(list("abcdef"), 600)
    age = rng.integers(20, 80, 600)
    y = np.where((np.isin(x, ["a", "b"]) & (age > 40)) ^ (rng.random(600) < 0.1), "yes", "no")
    table = table_of(
        {"id": list(range(600)), "x": x.tolist(), "age": age.tolist(), "y": y.tolist()}
    )
    masked = mask(table, key="id", sensitive=["x", "age"], project_key=KEY, seed=3)
    release = publish(masked.table, target="y", k=20, leaves=3, recoding=recoding)
    decoded = decoded_by(release.tree, [masked.codebook])
    assert decoded.still_masked == ()
    assert set(decoded.tree.attributes_used) == {"x", "age"}
    assert any(words in str(node.split) for node in decoded.tree.inner)
