"""Texts in JSON are read with few masks and once each, and as they would be with all masks."""

import time
from pathlib import Path

import pytest

from privet.files import table_of
from privet.parties import Codebook, ProjectKey, decode_data, mask
from privet.parties.decode_printed import read_text
from privet.parties.json_strings import TextReader

CAPTURED = Path(__file__).parent / "captured"
FORMS = sorted(path.stem for path in CAPTURED.glob("*.txt"))


@pytest.mark.parametrize("form", FORMS)
def test_few_masks_read_a_text_as_all_do(form: str) -> None:
    masks = Codebook.read(CAPTURED / "codebook.json").by_masked_name()
    text = (CAPTURED / f"{form}.txt").read_text()
    reader = TextReader(masks)
    for part in {text, *text.splitlines()}:
        few, all_of_them = reader.read(part), read_text(part, masks)
        assert (few.result, few.undecoded) == (all_of_them.result, all_of_them.undecoded)
    assert reader.read(text).remarks == read_text(text, masks).remarks


def test_many_texts_and_masks_take_no_long_time() -> None:
    cells: dict[str, list[object]] = {"id": list(range(40))}
    for number in range(40):
        cells[f"c{number}"] = [f"v{(row + number) % 8}" for row in range(40)]
    key = ProjectKey("test", b"k" * 32)
    names = [name for name in cells if name != "id"]
    book = mask(table_of(cells), key="id", sensitive=names, project_key=key).codebook
    data = [{"row": f"record {n}", "note": "H_c1 = c1_1", "class": "c0_1"} for n in range(10_000)]
    began = time.process_time()
    outcome = decode_data(data, book, maskings=book.identities)
    assert time.process_time() - began < 20  # it took minutes
    assert set(outcome.undecoded) == {"H_c0"}
    assert outcome.result[0]["note"].startswith("c1 = v")


@pytest.mark.parametrize(
    "line",
    [
        "|   |--- class: 2.5",
        "x <= 3: 2.5 (3.0/1.0)",
        "  2) x< 3 9 0 2.5 (1 0)",
        "if H_drug = drug_1 then 2.5",
        "ZeroR predicts class value: 2.5",
    ],
)
def test_a_line_of_a_tree_may_predict_masks_of_a_column_that_is_not_named(line: str) -> None:
    cells = {"id": [1, 2, 3], "age": [20, 30, 40], "drug": ["a", "b", "a"]}
    book = mask(
        table_of(cells),
        key="id",
        sensitive=["age", "drug"],
        project_key=ProjectKey("test", b"k" * 32),
        bounds={"age": [16, 32, 48, 64]},  # 40 -> 2.5
        kept_order=True,
    ).codebook
    masks = book.by_masked_name()
    assert TextReader(masks).read(line) == read_text(line, masks)
    outcome = decode_data({"tree": ["|--- x <= 3.5", line]}, book, maskings=book.identities)
    assert set(outcome.undecoded) == {"H_age"}
