"""Texts that hold the output of several programs: what one of them says holds for it alone."""

from typing import Any

import pytest

from privet.files import table_of
from privet.parties import Codebook, Outcome, ProjectKey, decode_text, mask

KEY = ProjectKey("test", b"k" * 32)


def codebook(**settings: Any) -> Codebook:
    cells = {"id": list(range(100)), "age": list(range(100)), "cost": list(range(100, 300, 2))}
    columns = ["age", "cost"]
    return mask(table_of(cells), key="id", sensitive=columns, project_key=KEY, **settings).codebook


BOOK = codebook(bounds={"age": [0, 1000, 2000], "cost": [0, 64, 128, 192, 256, 320]})


def read(text: str) -> Outcome[str]:
    return decode_text(text, BOOK, maskings=BOOK.identities)


# -- digits ----------------------------------------------------------------------------------------

ROUGH = {  # three decimals: 1.05 may be any cut from 1.0495 to 1.0505
    "LADTree": "weka.classifiers.trees.LADTree:\n\n: 0,0\n|  (1)H_age < 1.05: -0.267,0.267\n",
    "M5P": "M5 pruned model tree:\n(using smoothed linear models)\n\nH_age <= 1.05 : LM1 (9/9%)\n",
    "a note": 'A note\n\n"H_age < 1.05"\n',
}
EXACT = {
    "J48": "J48 pruned tree\n------------------\n\nH_age <= 1.049: no (9.0)\n"
    "H_age > 1.049: yes (8.0)\n\nNumber of Leaves  : \t2\n\nSize of the tree : \t3\n\n",
    "JRip": "JRIP rules:\n===========\n\n(H_age <= 1.049) => ill=yes (9.0/1.0)\n\n"
    "Number of Rules : 2\n\n",
    "Decision Table": "Decision Table:\n\nRules:\n=====\nH_age  ill\n=====\n'(-inf-1.0495]'  no\n"
    "=====\n\n",
    "rpart": "n= 17\n\nnode), split, n, loss, yval, (yprob)\n      * denotes terminal node\n\n"
    "1) root 17 8 no (0.53 0.47)\n  2) H_age< 1.049512 9 0 no (1 0) *\n\n",
}


@pytest.mark.parametrize("rough", ROUGH)
@pytest.mark.parametrize("exact", EXACT)
def test_digits_of_one_program_are_not_those_of_the_next(exact: str, rough: str) -> None:
    alone = read(ROUGH[rough])
    assert "[more decimals needed]" in alone.result
    both = read(EXACT[exact] + ROUGH[rough])
    assert both.undecoded == {}
    assert both.result.endswith(alone.result)
    assert "[more decimals needed]" not in both.result[: -len(alone.result)]


def test_digits_of_the_next_program_do_not_make_a_cut_exact() -> None:
    rough = "REPTree\n============\n\nH_age < 1.05 : yes (4/0)\nH_age >= 1.05 : no (3/0)\n\n"
    rough += "Size of the tree : 3\n\n"
    told = read(rough + "M5 pruned model tree:\n\nH_age <= 1.0495 : LM1 (9/9%)\n")
    assert told.result.count("[more decimals needed]") == 2


# -- errors ----------------------------------------------------------------------------------------

LINEAR = "\nLinear Regression Model\n\nH_cost =\n\n      0.5 * H_age +\n      2\n\n"
TRAINED = "=== Error on training data ===\n\n"
ERRORS = (
    "Correlation coefficient                  0.9976\n"
    "Mean absolute error                      0.25\n"
    "Root mean squared error                  0.5\n\n"
)
OF_CLASSES = ERRORS.replace("Correlation coefficient", "Kappa statistic        ")


def test_errors_of_the_masked_response_are_decoded() -> None:
    told = read(LINEAR + TRAINED + ERRORS + "=== Cross-validation ===\n\n" + ERRORS)
    assert told.undecoded == {}
    assert told.result.count("0.25") == told.result.count("0.5\n") == 0
    assert told.remarks == ()


@pytest.mark.parametrize(
    "other",
    [
        "J48 pruned tree\n---\n\nH_age <= 1.049: no (9.0)\n\n" + TRAINED + OF_CLASSES,
        "REPTree\n======\n\n : 3.5 (9/1) [3/1]\n\n" + TRAINED + ERRORS,
        "\nLinear Regression Model\n\ny =\n\n      0.5 * x +\n      2\n\n" + TRAINED + ERRORS,
        "SomeNet\n\nTime taken to build model: 2 seconds\n\n" + TRAINED + ERRORS,
    ],
)
def test_errors_of_another_model_stay(other: str) -> None:
    """They are in units of its own response, or shares of classes."""
    told = read(LINEAR + TRAINED + ERRORS + other)
    assert told.undecoded == {}
    behind = other[other.index(TRAINED) :]
    assert told.result.endswith(behind)
