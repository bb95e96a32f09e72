"""Names and labels that would mean two things once decoded: refused by join, left masked else."""

from pathlib import Path
from typing import Any

import pytest

import privet
from privet.cli.main import main
from privet.errors import UsageError
from privet.files import frame_of, table_of
from privet.parties import ProjectKey, decode_table, decode_tree, join, mask, stack
from privet.tree.exchange.pmml_read import read_pmml
from privet.tree.exchange.pmml_write import to_pmml

KEY = ProjectKey("test", b"k" * 32)


def send(path: Path, cells: dict[str, list[Any]], *sensitive: str) -> Any:
    masked = mask(table_of(cells), key="id", sensitive=sensitive, project_key=KEY, kept_order=True)
    masked.write(path)
    return masked


def test_join_refuses_a_column_beside_its_mask(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    send(one, {"id": [1, 2], "age": [30, 40]}, "age")
    send(two, {"id": [1, 2], "age": [3, 4]})
    for order in ([one, two], [two, one]):
        with pytest.raises(UsageError, match="'H_age' of one would be called 'age'") as error:
            join(order)
        assert "two must rename or drop its 'age'" in str(error.value.hint)


@pytest.mark.parametrize("as_name", [False, True])
def test_join_refuses_aliases_that_are_anything_else(tmp_path: Path, as_name: bool) -> None:
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    send(one, {"id": [1, 2, 3], "status": ["single", "wed", "wed"]}, "status")
    alias = mask_of(one)[0]
    theirs: dict[str, list[Any]] = {alias: [3, 4, 5]} if as_name else {"town": [alias, "b", "c"]}
    send(two, {"id": [1, 2, 3], **theirs})
    with pytest.raises(UsageError, match="'H_status'") as error:
        join([one, two])
    assert as_name or alias not in str(error.value)


def mask_of(path: Path) -> list[str]:
    return sorted(set(frame_of(privet.read_table(path), "lists")["H_status"]))


def test_what_nobody_joins_is_not_refused(tmp_path: Path) -> None:
    """Only values of people who are kept count; and a clear column may be called H_something."""
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    send(one, {"id": [1, 2, 3], "status": ["single", "wed", "wed"]}, "status")
    aliases = mask_of(one)
    send(two, {"id": [1, 2, 9], "town": ["a", "b", aliases[0]], "H_school": ["a", "b", "a"]})
    assert join([one, two]).table.n_rows == 2


def test_stacked_aliases_are_told_apart_as_well(tmp_path: Path) -> None:
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    first = send(one, {"id": [1, 2], "status": ["single", "wed"], "town": ["a", "b"]}, "status")
    cells = {"id": [3, 4], "status": ["single", "wed"], "town": [mask_of(one)[0], "b"]}
    mask(
        table_of(cells), key="id", sensitive="status", project_key=KEY, codebook=first.codebook
    ).write(two)
    with pytest.raises(UsageError, match="'H_status'"):
        stack([one, two])


def test_no_alias_is_a_label_of_the_same_table() -> None:
    cells = {"id": [1, 2], "status": ["single", "wed"], "town": ["status_1", "status_2"]}
    masked = mask(table_of(cells), key="id", sensitive="status", project_key=KEY, kept_order=True)
    sent = frame_of(masked.table, "lists")
    assert not set(sent["H_status"]) & set(sent["town"])


@pytest.fixture
def mined(tmp_path: Path) -> tuple[Any, Any, Path]:
    """A tree of `H_age` and of another `age`, as a careless join would make it."""
    n = 60
    masked = mask(
        table_of({"id": list(range(n)), "age": [20 + i for i in range(n)]}),
        key="id",
        sensitive="age",
        project_key=KEY,
    )
    both = masked.table.replace({})
    other = table_of({"age": [i % 7 for i in range(n)], "y": ["ny"[i % 7 > 3] for i in range(n)]})
    columns = {name: both[name] for name in both} | {name: other[name] for name in other}
    hidden = privet.table.Table(columns)
    numbers = both["H_age"].domain.values
    place = float(numbers[len(numbers) // 2])
    labels = [
        "y" if row > place and other_age > 3 else "n"
        for row, other_age in zip(
            frame_of(hidden, "lists")["H_age"], frame_of(hidden, "lists")["age"], strict=True
        )
    ]
    hidden = hidden.replace({"y": table_of({"y": labels})["y"]})
    tree = privet.grow(hidden, target="y", leaves=4)
    assert set(tree.attributes_used) == {"age", "H_age"}
    return masked, (hidden, tree), tmp_path


def test_a_tree_keeps_the_mask(mined: Any) -> None:
    masked, (_, tree), folder = mined
    found = decode_tree(tree, masked.codebook, unchecked=True)
    assert found.undecoded == ("H_age",)
    assert set(found.tree.attributes_used) == {"age", "H_age"}
    assert "stays masked" in found.notes[0]
    path = folder / "tree.pmml"
    path.write_text(to_pmml(tree), encoding="utf-8")
    again = decode_tree(read_pmml(path), masked.codebook, unchecked=True)
    assert again.undecoded == ("H_age",)


def test_the_command_says_so_with_its_status(
    mined: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    masked, (_, tree), folder = mined
    monkeypatch.chdir(folder)
    masked.codebook.write(Path("book"))
    Path("tree.json").write_text(privet.tree.exchange.model_file.to_text(tree))
    status = main(["decode", "tree.json", "--codebook", "book", "--unchecked"])
    told = capsys.readouterr()
    assert status == 1
    assert "H_age" in told.out
    assert "Still masked: H_age" in told.err


def test_a_table_keeps_the_mask(mined: Any) -> None:
    masked, (hidden, _), _ = mined
    found = decode_table(hidden, masked.codebook, unchecked=True)
    assert found.result.names == hidden.names
    assert list(found.undecoded) == ["H_age"]


def test_a_tree_decodes_labels_of_its_own_column_alone() -> None:
    """A label of another column that looks like an alias stays, as one that its owner restored."""
    n = 80
    status = ["single" if i % 2 else "wed" for i in range(n)]
    masked = mask(
        table_of({"id": list(range(n)), "status": status}),
        key="id",
        sensitive="status",
        project_key=KEY,
    )
    aliases = masked.table["H_status"].domain.values.tolist()
    hidden = frame_of(masked.table, "lists")["H_status"]
    town = [aliases[i // 2 % 2] for i in range(n)]
    y = [f"{a}{b}" for a, b in zip(hidden, town, strict=True)]
    mined = privet.grow(table_of({"H_status": hidden, "town": town, "y": y}), target="y")
    found = decode_tree(mined, masked.codebook, unchecked=True).tree
    labels = {
        node.split.attribute: {*node.split.left, *node.split.right}  # type: ignore[union-attr]
        for node in found.nodes
        if node.split
    }
    assert labels == {"status": {"single", "wed"}, "town": set(aliases)}
    assert found.classes == mined.classes


def test_a_tree_that_takes_masked_numbers_for_labels_keeps_their_mask() -> None:
    n = 80
    cells = {"id": list(range(n)), "kids": [i % 4 for i in range(n)], "age": list(range(20, 100))}
    masked = mask(
        table_of(cells), key="id", sensitive=["kids", "age"], project_key=KEY, kept_order=True
    )
    hidden = frame_of(masked.table, "lists")
    labels = [f"{number:.3f}x" for number in hidden["H_kids"]]
    y = [str((i % 4 > 1) + 2 * (i > 40)) for i in range(n)]
    mined = privet.grow(
        table_of({"H_kids": labels, "H_age": hidden["H_age"], "y": y}), target="y", leaves=4
    )
    assert set(mined.attributes_used) == {"H_kids", "H_age"}
    found = decode_tree(mined, masked.codebook, unchecked=True)
    assert set(found.tree.attributes_used) == {"H_kids", "age"}
    assert found.undecoded == ("H_kids",)
    assert "tests 'kids' as a category" in found.notes[0]


def test_join_takes_clear_columns_that_look_like_masks(tmp_path: Path) -> None:
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    send(one, {"id": [1, 2], "age": [30, 40]}, "age")
    send(two, {"id": [1, 2], "H_index": [3, 4], "index": [5, 6]})
    assert join([one, two]).table.names == ("H_age", "H_index", "index")
