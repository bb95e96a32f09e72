"""Any text at all: decoding never stumbles, and a name in clear never has a masked number."""

import re
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.files import table_of
from privet.parties import Codebook, Masked, Outcome, ProjectKey, decode_text, mask
from privet.tree import Grower, Tree, grow
from privet.tree.exchange.dot import to_dot
from privet.tree.exchange.pictures import draw_text
from privet.tree.rules import rules

KEY = ProjectKey("test", b"k" * 32)
BOUNDS = {"age": [0, 8, 16, 24, 32, 40, 48]}  # 10, 20, 30, 40 are 2.25, 3.5, 4.75, 6.0


def small() -> Codebook:
    cells = {"id": [1, 2, 3, 4], "age": [10, 20, 30, 40], "sex": ["m", "f", "f", "m"]}
    sensitive = ["age", "sex"]
    return mask(
        table_of(cells),
        key="id",
        sensitive=sensitive,
        project_key=KEY,
        bounds=BOUNDS,
        kept_order=True,
    ).codebook


BOOK = small()


def read(text: str, book: Codebook = BOOK) -> Outcome[str]:
    return decode_text(text, book, maskings=book.identities)


pieces = st.sampled_from(
    [
        *("H_age", "H_sex", "sex_1", "sex_2", "sex_9", "H_other", "age", "H_age_2", "H_sex_sex_1"),
        *("3.5", "2.25", "3", "1e999", "-7", "." * 3, "9" * 60, "0.5", "4.75e0", "NaN", "inf"),
        *("<=", ">=", "<", ">", "=", "==", "!=", "in", "between", "and", "is missing", "->", "=>"),
        *("(", ")", "[", "]", "{", "}", ",", ":", "*", "+", "-", "/", "|", "'", "\\", '"', "~"),
        *("\n", "\n", "\n", "  ", "\t", "J48 pruned tree\n", "REPTree\n===\n", "JRIP rules:\n"),
        *("Attributes: 2\n  H_age\n", "  mean ", "  std. dev. ", "Rules:\n===\n", "===\n"),
        *("Coefficients...\n  Class\nVariable  a\n===\n", "Intercept 3.5\n", "Odds Ratios...\n"),
        *("Attribute  Full Data 0\n (3) (3)\n===\n", "+/-0.5", "Cluster 0: 3.5,sex_1\n"),
        *("formula = H_age ~ H_sex,", "node), split, n,", "|--- ", "value: [3.5]", "?"),
    ]
)


@given(st.lists(pieces, max_size=30), st.sampled_from([" ", "", "  "]))
def test_no_text_makes_decoding_stumble(parts: list[str], glue: str) -> None:
    text = glue.join(parts)
    told = read(text)
    for name in ("H_age", "H_sex"):
        word = rf"(?<!\w){name}(?!\w|[.-]\w)"
        if name in told.undecoded:
            assert len(re.findall(word, told.result)) == len(re.findall(word, text))
        else:
            assert not re.findall(word, told.result)
    if told.undecoded.keys() >= {"H_age", "H_sex"}:
        assert told.result == text


EXPLORER = """=== Run information ===

Relation:     joined
Instances:    4
Attributes:   3
              H_age
              H_sex
              ill
Test mode:    evaluate on training data

"""


def test_a_list_of_attributes_beside_numbers_without_a_name() -> None:
    """The response of a regression tree is named in the list alone, and its numbers in leaves."""
    tree = "REPTree\n============\n\nH_sex = sex_1 : 3.07 (11/0.25) [7/0.14]\n"
    told = read(EXPLORER + tree)
    assert "sex = f : 3.07 (11" in told.result
    assert list(told.undecoded) == ["H_age"]
    for unnamed in (
        "ZeroR predicts class value: 4.17\n",
        " FarthestFirst\n===\n\nCluster 0\n\t 3.5 sex_2 no\n",
    ):
        assert list(read(EXPLORER + unnamed).undecoded) == ["H_age"]
    plain = read(EXPLORER + "J48 pruned tree\n---\n\nH_sex = sex_1: no (4.0)\n")
    assert plain.undecoded == {}
    assert "              age\n" in plain.result
    used = "REPTree\n============\n\nH_age < 4.15 : 3.07 (11/0.25) [7/0.14]\n"
    assert read(EXPLORER + used).undecoded == {}


KMEANS = """kMeans
======

Initial starting points (random):

Cluster 0: {first},sex_1
Cluster 1: 4.75,sex_2

Final cluster centroids:
                         Cluster#
Attribute    Full Data          0          1
                 (4.0)      (2.0)      (2.0)
============================================
H_age            4.125      2.875      5.375
H_sex            sex_1      sex_1      sex_2


"""


def test_starting_points_of_later_wekas_are_decoded_with_the_centres() -> None:
    told = read(KMEANS.format(first="3.5"))
    assert told.undecoded == {}
    assert "Cluster 0: 20,f\n" in told.result
    assert "Cluster 1: 30,m\n" in told.result
    assert re.search(r"^age +25.0\d? +15.0\d? +35.0\d?$", told.result, re.MULTILINE)
    assert "H_age            4.125" in read(KMEANS.format(first="3.6")).result
    assert list(read(KMEANS.format(first="3.5,1")).undecoded) == ["H_age"]


@pytest.mark.parametrize("cell", ["3,0649", "3.06*", "about 3", "3.1;3.2"])
def test_a_row_with_a_cell_that_is_no_number_stays_masked(cell: str) -> None:
    text = f"Naive Bayes Classifier\n\nH_age\n  mean    {cell} 4.4131\n  std. dev.  1.1 1.2\n\n"
    told = read(text)
    assert told.result == text
    assert list(told.undecoded) == ["H_age"]


TABLE = "Attribute  Full Data 0\n (3) (3)\n===\n"
LOGISTIC = "Coefficients...\n  Class\nVariable a\n===\n"


@pytest.mark.parametrize(
    "text",
    [
        "formula = " * 20_000,
        LOGISTIC + "H_age " + "3.5 " * 20_000 + "x\n",
        ("H_age" + " " * 20_000 + "x\n") * 5,
        "3.5" + " " * 20_000 + "<" + " " * 20_000 + "H_age",
        "H_age <= " + "9." * 20_000,
        "y =\n 1 *" + " " * 20_000 + "+" + " " * 20_000 + "z",
        "|" * 20_000 + ": 1 " * 5_000,
        TABLE + " " * 20_000 + "x",
        "Rules:\n===\nH_age\n===\n" + "\\'" * 20_000 + "\n===\n",
        "-> sex_1 " * 10_000,
        "1) " + "1 sex_1 " * 10_000,
        ":" + " " * 20_000 + "sex_1",
        "H_other" + " word" * 20_000,
        "H_other = " + "other_1, " * 20_000,
        " " * 50_000 + "H_age",
        "\t" * 80_000 + "x",
        "\n" * 60_000 + "H_age <= 3.5",
    ],
    ids=lambda text: text[:12].strip() or repr(text[0]),
)
def test_no_text_makes_decoding_slow(text: str) -> None:
    """Each takes well under a second; a pattern that backtracks takes minutes."""
    begun = time.process_time()
    read(text)
    assert time.process_time() - begun < 15


def sent(seed: int) -> Masked:
    rng = np.random.default_rng(seed)
    n = 120
    cells: dict[str, list[Any]] = {"id": list(range(n)), "age": rng.integers(17, 90, n).tolist()}
    cells["drug"] = rng.choice(["none", "beta", "statin"], n).tolist()
    cells["age"][3] = cells["drug"][5] = None
    cells["ill"] = [
        "yes" if (a or 0) > 50 or d == "beta" else "no"
        for a, d in zip(*list(cells.values())[1:3], strict=True)
    ]
    return mask(table_of(cells), key="id", sensitive=["age", "drug"], project_key=KEY, seed=seed)


def printed(tree: Tree, columns: list[str]) -> tuple[str, ...]:
    """A tree in all forms that Privet prints: lines, DOT, sentences."""
    sentences = "\n".join(rule.sentence for rule in rules(tree, columns))
    return draw_text(tree), to_dot(tree), sentences


@pytest.mark.parametrize("seed", range(8))
def test_what_privet_itself_prints_of_a_tree_is_decoded(seed: int) -> None:
    masked = sent(seed)
    table = masked.table
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="ill"), Grower(leaves=8))
    for text in printed(tree, ["H_age", "H_drug"]):
        told = read(text, masked.codebook)
        assert told.undecoded == {}
        assert "H_" not in told.result
        assert "drug_" not in told.result


@pytest.mark.parametrize("seed", range(4))
def test_cuts_that_privet_prints_are_decoded_exactly(seed: int) -> None:
    """Between 1 and 3 a tree cuts at 2, which is a value of other records: no digit is missing."""
    kids = [0, 1, 3, 4, 5] * 12 + [0, 1, 2, 3, 4, 5] * 10
    jobs = ["a"] * 60 + ["b"] * 60
    ill = ["yes" if job == "a" and n >= 3 else "no" for n, job in zip(kids, jobs, strict=True)]
    cells = {"id": list(range(120)), "kids": kids, "job": jobs, "ill": ill}
    masked = mask(table_of(cells), key="id", sensitive=["kids"], project_key=KEY, seed=seed)
    table = masked.table
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="ill"), Grower(leaves=3))
    for text in printed(tree, ["H_kids", "job"]):
        told = read(text, masked.codebook)
        assert (told.undecoded, told.remarks) == ({}, ())
        cuts = re.findall(r"kids [≤>] (.*?\S)(?=:| and | or | then|\\n|\")", told.result)
        assert {*cuts} == {"2 [2, 3)"}


@pytest.mark.parametrize("seed", range(4))
def test_a_masked_response_of_classes_is_decoded_in_what_privet_prints(seed: int) -> None:
    masked = sent(seed)
    table = masked.table
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="H_drug"), Grower(leaves=4))
    for text in printed(tree, ["H_age", "ill"]):
        told = read(text, masked.codebook)
        assert told.undecoded == {}
        assert "H_" not in told.result
        assert "drug_" not in told.result


@pytest.mark.parametrize("seed", range(4))
def test_means_of_a_masked_response_never_stand_under_its_own_name(seed: int) -> None:
    """Leaves print means of masked numbers, which a text does not decode: the name stays masked."""
    masked = sent(seed)
    absent = masked.table["H_age"].codes == len(masked.table["H_age"].domain.values)
    table = masked.table.take(np.flatnonzero(~absent))
    table = table.replace({"H_age": table["H_age"].compact()})
    grower = Grower(impurity="deviance", leaves=4)
    tree = grow(MemoryEngine(table), table.schema().with_roles(target="H_age"), grower)
    for text in printed(tree, ["H_drug", "ill"]):
        told = read(text, masked.codebook)
        assert list(told.undecoded) == ["H_age"]
        assert told.result.count("H_age") == text.count("H_age")
