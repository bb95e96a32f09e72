"""Numbers that a tree predicts as classes: nothing says whose they are, and they may be masks."""

import pytest

from privet.files import table_of
from privet.parties import Outcome, ProjectKey, decode_text, mask

CELLS = {"id": list(range(12)), "age": [10, 20, 30, 40] * 3, "kids": [0, 1, 2, 3, 4, 5] * 2}
BOOK = mask(
    table_of(CELLS),
    key="id",
    sensitive=["age", "kids"],
    project_key=ProjectKey("test", b"k" * 32),
    bounds={"age": [0, 8, 16, 24, 32, 40, 48], "kids": [-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6]},
    kept_order=True,
).codebook  # 20 is 3.5; 0, 1, 2 are 5, 6, 7

SKLEARN = "|--- H_age <= 3.5\n|   |--- class: {}\n|--- H_age >  3.5\n|   |--- class: {}\n"
RPART = "node), split, n, loss, yval, (yprob)\n\n 1) root 12 3 {1} (0.4 0.6)\n"
FORMS = {
    "scikit-learn": SKLEARN,
    "its DOT": 'digraph Tree {{\n0 [label="H_age <= 3.5\\ngini = 0.7\\nclass = {}"] ;\n'
    '1 [label="gini = 0.0\\nclass = {}"] ;\n0 -> 1 ;\n}}',
    "rpart": RPART + "   2) H_age< 3.5 6 1 {0} (0.6 0.3) *\n   3) H_age>=3.5 6 0 {1} (0.0 1.0) *\n",
    "J48": "J48 pruned tree\n---\n\nH_age <= 3.5: {} (6.0)\nH_age > 3.5: {} (6.0/1.0)\n",
    "stump": "Decision Stump\n\nClassifications\n\nH_age <= 3.5 : {}\nH_age > 3.5 : {}\n",
    "matrix": "H_age <= 3.5: a\n\n  a  b   <-- classified as\n  5  0 |  a = {}\n  1  6 |  b = {}\n",
    "arrows": "H_age <= 3.5 => {}\nH_age > 3.5 => {} (6.0)\n",
    "words": "IF H_age <= 3.5 THEN {} ELSE {}\n",
}


def read(text: str) -> Outcome[str]:
    return decode_text(text, BOOK, maskings=BOOK.identities)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("classes", [("5", "7"), ("5.0", "7.0")])
def test_classes_that_may_be_masks_of_a_column_are_said(
    form: str, classes: tuple[str, str]
) -> None:
    told = read(FORMS[form].format(*classes))
    assert "classes without a name may be its masks" in told.undecoded["H_kids"]
    assert list(told.undecoded) == ["H_kids"]
    assert "H_age" not in told.result
    assert "stay as they were printed" in "".join(told.remarks)


@pytest.mark.parametrize("form", FORMS)
def test_classes_that_are_no_masks_of_ours_are_remarked(form: str) -> None:
    """They may be masks of another party's column."""
    told = read(FORMS[form].format("5.25", "7.75"))
    assert told.undecoded == {}
    assert "stay as they were printed" in "".join(told.remarks)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("classes", [("0", "1"), ("-1", "5"), ("no", "yes")])
def test_classes_that_no_mask_can_be_are_not_spoken_of(form: str, classes: tuple[str, str]) -> None:
    """Masks begin at 1."""
    told = read(FORMS[form].format(*classes))
    assert told.undecoded == {}
    assert "stay as they were printed" not in "".join(told.remarks)


def test_a_column_that_is_tested_is_not_the_response() -> None:
    told = read(SKLEARN.format("5", "7").replace("H_age", "H_kids").replace("3.5", "5.500000"))
    assert told.undecoded == {}
    assert "kids <= 0 [0, 1)" in told.result


def test_a_drawing_of_privet_names_the_response_of_its_classes() -> None:
    told = read(
        "stars: 12 records\n├── H_age ≤ 3.5: 5 (6 records)\n└── H_age > 3.5: 7 (6 records)\n"
    )
    assert (told.undecoded, told.remarks) == ({}, ())
