"""Texts in which others have a say: their names, labels and numbers are never read as ours."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.files import table_of
from privet.parties import Codebook, Masked, Outcome, ProjectKey, decode_text, mask
from privet.tree import Grower, grow
from privet.tree.exchange.dot import to_dot
from privet.tree.exchange.pictures import draw_text

KEY = ProjectKey("test", b"k" * 32)
AGES = {"age": [0, 8, 16, 24, 32, 40, 48]}  # 10, 20, 30, 40 are 2.25, 3.5, 4.75, 6.0


def masked(cells: dict[str, list[Any]], **settings: Any) -> Masked:
    rows = len(next(iter(cells.values())))
    table = table_of({"id": list(range(rows)), **cells})
    settings = {"kept_order": True, **settings}
    return mask(table, key="id", sensitive=list(cells), project_key=KEY, **settings)


def read(text: str, book: Codebook) -> Outcome[str]:
    return decode_text(text, book, maskings=book.identities)


def stays(text: str, book: Codebook, *names: str) -> None:
    """Nothing of these columns is decoded, and that is said."""
    told = read(text, book)
    assert told.result == text
    assert set(names) <= told.undecoded.keys()
    assert not {*names} & {*told.of_others}


PEOPLE = {"age": [10, 20, 30, 40], "status": ["single", "married", "single", "widowed"]}
BOOK = masked(PEOPLE, bounds=AGES).codebook  # married, single, widowed are status_1, _2, _3


# -- aliases ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("longer", ["marital-status", "marital.status", "marital status"])
@pytest.mark.parametrize("is_last", [True, False])
def test_an_alias_inside_a_longer_alias(longer: str, is_last: bool) -> None:
    columns = {"status": ["single", "married", "widowed"], longer: ["yes", "no", "maybe"]}
    book = masked(dict(sorted(columns.items(), reverse=is_last))).codebook
    text = f"H_{longer} = {longer}_1: a (3.0)\nH_{longer} is {longer}_2 or {longer}_3\n"
    text += "H_status = status_1: b (2.0)\n"
    told = read(text, book)
    assert told.undecoded == {}
    assert told.result == (
        f"{longer} = maybe: a (3.0)\n{longer} is no or yes\nstatus = married: b (2.0)\n"
    )
    alone = masked({"status": columns["status"]}).codebook
    told = read(text, alone)
    assert told.result == text.replace("H_status = status_1", "status = married")
    assert told.of_others == (f"H_{longer}",)


words = st.sampled_from(
    [
        *("score", "group", "H_other", "marital-", "marital.", "tax ", "not", "new", "a,", "b or "),
        *("=", " = ", " is ", " in {", " != ", ", ", " or ", " and ", ": ", "'", "(", "<=", "\n"),
        *("  ", "\t", "3.5", " 12 ", "high", "yes", "[1] ", "|   ", "label="),
    ]
)


@given(st.lists(words, max_size=6), st.lists(words, max_size=4))
def test_a_label_of_another_column_is_never_decoded(before: list[str], after: list[str]) -> None:
    """Whatever stands around it: behind `score =` a value that looks like our alias is theirs."""
    text = "".join(["score", *before, " score = status_1 ", *after, "\n"])
    told = read(text, BOOK)
    assert "score = status_1" in told.result
    assert "H_status" in told.undecoded


@pytest.mark.parametrize(
    "text",
    [
        "score is status_1 or status_3",
        "score is high, status_1 or status_3: yes (3 records)",
        "score in ['status_1', 'status_2']",
        "status_2 <= 3: no (4.0)",
        "|--- status_2 <= 3.5",
        "status_1: 300 records\n└── H_age ≤ 3.5: 3 records",
        "score\n  status_1   50.0   19.0\n",
        "score:\n\tstatus_1\t-> yes\n",
        "Attributes: 2\n  status_2\n  H_status\n",
        'digraph tree {\n  1 [label="score: status_1\\n90 records"];\n}\n',
        "score: 90 records\n├── H_age ≤ 3.5: status_1 (30 records, 90 %)",
        "tax-status_1",
        "new status_1 patients",
        "Attribute  Full Data 0\n (3) (3)\n===\nscore   status_1  status_2\n",
    ],
)
def test_labels_where_they_may_be_anybodys(text: str) -> None:
    told = read(text, BOOK)
    labels = re.findall(r"status_\d", text)
    assert re.findall(r"status_\d", told.result)[: len(labels)] == labels
    assert "H_status" in told.undecoded or "Attributes" in text


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("H_age <= 3.5: status_1 (3.0/1.0)", "age <= 20 [20, 30): married (3.0/1.0)"),
        ("|--- class: status_2", "|--- class: single"),
        ("H_status=status_1 <= 0.50", "status=married <= 0.50"),
        ("H_status in {'status_1', 'status_2'}", "status in {'married', 'single'}"),
        (" 90  3 |  a = status_1", " 90  3 |  a = married"),
        ("status_3", "widowed"),
        ("  2) H_status=,status_1 3 1 no (0.5 0.5)", "  2) status=,married 3 1 no (0.5 0.5)"),
        ("  H_age< 3.5 to the left,  improve=3.2", "  age< 20 (10, 20] to the left,  improve=3.2"),
        ("a = b 12 ==> H_status=status_1 9", "a = b 12 ==> status=married 9"),
    ],
)
def test_labels_that_are_surely_ours(text: str, decoded: str) -> None:
    told = read(text, BOOK)
    assert (told.result, told.undecoded) == (decoded, {})


# -- names -----------------------------------------------------------------------------------------


def test_two_columns_that_r_spells_alike() -> None:
    """R calls the first of them `a.b` and the second `a.b.1`: an exact name is not sure either."""
    book = masked({"a.b": [10, 20, 30, 40], "a b": [1000, 2000, 3000, 4000]}).codebook
    for heading in ("", "node), split, n, loss, yval\n"):
        for name in ("H_a.b", "H_a.b.1"):
            if heading or name == "H_a.b":
                stays(f"{heading}  2) {name}< 2.5 3 1 no (0.5 0.5)\n", book, "H_a.b", "H_a b")
    told = read("H_a b <= 2.5", book)
    assert told.result.startswith("a b <= ")


def test_a_column_that_failed_still_counts_among_those_spelt_alike() -> None:
    book = masked({"a.b": [10, 20, 30, 40], "a b": [1000, 2000, 3000, 4000]}).codebook
    stays("log H_a.b <= 2.5\nH_a.b <= 2.5", book, "H_a.b", "H_a b")


def test_the_spelling_of_r_counts_in_texts_of_r() -> None:
    book = masked({"a b": [10, 20, 30, 40]}, bounds={"a b": AGES["age"]}).codebook
    row = "  2) H_a.b< 3.5 3 1 no (0.5 0.5)\n"
    assert read("node), split, n, loss, yval\n" + row, book).result.endswith(
        "  2) a b< 20 (10, 20] 3 1 no (0.5 0.5)\n"
    )
    path = read(" node number: 2 \n   root\n   H_a.b< 3.5\n", book)
    assert path.result == " node number: 2 \n   root\n   a b< 20 (10, 20]\n"
    stays(row, book, "H_a b")
    stays("node), split, n, loss, yval\n" + row.replace("a.b", "a.b.1"), book, "H_a b")


@pytest.mark.parametrize(
    "before",
    [
        *("2 * ", "H_o - ", "1 - ", "- ", "log ", "mean ", "If mean of ", "sd.", "lag-", "rank:"),
        *("H_o / ", "foo-", "3 ", "0.5 * H_o + 2*", "3.5 *\n", "z ", "f(a, ", "pmax(H_o, 3, "),
    ],
)
@pytest.mark.parametrize("test", ["H_age <= 3.5", "H_age in (2.25, 3.5]", "H_age is missing"])
def test_what_is_done_to_a_column_before_it_is_tested(before: str, test: str) -> None:
    told = read(f"{before}{test}", BOOK)
    assert (told.result, list(told.undecoded)) == (f"{before}{test}", ["H_age"])


@pytest.mark.parametrize(
    "after",
    [
        *(" 500", "’500", " 1/2", "%", " %", " − 1", " - 1", " - H_o", " <= 2.5", " = yes", " sd"),
        *(" x", "\u00a0500", ".²", " is yes", "×2", "'500", " – 1"),
    ],
)
def test_what_is_done_to_a_number_that_is_compared(after: str) -> None:
    stays(f"H_age <= 3{after}", BOOK, "H_age")
    stays(f"2.25 < H_age <= 3.5{after}", BOOK, "H_age")


@pytest.mark.parametrize(
    "text", ["3.5 - 2 < H_age", "2 3.5 < H_age", "x<3.5<H_age", "3.5 < H_age - 2"]
)
def test_what_is_done_to_a_number_that_comes_first(text: str) -> None:
    stays(text, BOOK, "H_age")


@pytest.mark.parametrize("name", ["H_age y", "z H_age", "H_age<=3"])
def test_lists_have_whole_names(name: str) -> None:
    stays(f"Attributes:   2\n   {name}\n   H_age\n", BOOK, "H_age")
    stays(f'digraph tree {{\n  0 [label="{name}\\n30 records"];\n}}\n', BOOK, "H_age")
    stays(f"Class attribute: {name}\n", BOOK, "H_age")


def test_names_of_others_are_told_whole_or_as_unknown() -> None:
    told = read("H_blood pressure <= 3\nH_marital-status = b_1\nH_o plays a role", BOOK)
    assert told.of_others == ("H_blood pressure", "H_marital-status", "H_o …")


# -- DOT -------------------------------------------------------------------------------------------


def unquoted(dot: str) -> list[str]:
    """What the labels of a DOT file say, read as Graphviz reads them."""
    assert not re.sub(r'"(?:\\.|[^"\\])*"', "", dot).count('"')
    labels = re.findall(r'label="((?:\\.|[^"\\])*)"', dot)
    return [re.sub(r"\\(.)", lambda c: "\n" if c[1] == "n" else c[1], label) for label in labels]


def test_names_and_labels_with_quotes_in_dot() -> None:
    size, sex = 'size "cm" \\', 'the "m" or \\'
    cells = {size: list(range(40)), "sex": [sex, "f"] * 20}
    sent = masked({**cells, "ill": ["y" if n > 20 and n % 2 else "n" for n in range(40)]})
    schema = sent.table.schema().with_roles(target="H_ill")
    tree = grow(MemoryEngine(sent.table), schema, Grower(leaves=4))
    for text in (to_dot(tree), draw_text(tree)):
        told = read(text, sent.codebook)
        assert (told.undecoded, told.of_others) == ({}, ())
        assert "H_" not in told.result
    said = "\n".join(unquoted(read(to_dot(tree), sent.codebook).result))
    assert f"{size} ≤ " in said
    assert f"sex is {sex}" in said


def test_leaves_of_dot_whose_response_is_missing() -> None:
    line = '  1 [label="{}: missing\\n30 records, 60 %", style=filled, fillcolor=lightgrey];\n'
    told = read(line.format("H_status"), BOOK)
    assert (told.result, told.undecoded) == (line.format("status"), {})
    stays(line.format("H_age"), BOOK, "H_age")
    stays(line.format("sum of H_status"), BOOK, "H_status")


def test_the_dot_of_scikit_learn_with_numbered_nodes() -> None:
    dot = 'digraph Tree {\n0 [label="node #0\\nH_age <= 3.5\\nclass = status_1"] ;\n}'
    told = read(dot, BOOK)
    assert told.undecoded == {}
    assert 'label="node #0\\nage <= 20 [20, 30)\\nclass = married"' in told.result


def test_a_name_in_html_is_not_understood_and_not_called_anothers() -> None:
    book = masked({"a&b": [10, 20, 30, 40]}).codebook
    stays("digraph Tree { 0 [label=<H_a&amp;b &le; 2.5<br/>>] ; }", book, "H_a&b")


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("clear", ["icd = 1.1015", "icd = <1.1015", "dose < 1.1015"])
@pytest.mark.parametrize("heading", ["REPTree\n============\n", "RandomTree\n==========\n"])
def test_digits_of_other_columns_do_not_make_a_cut_exact(heading: str, clear: str) -> None:
    ages = list(range(100))
    book = masked({"age": ages}, bounds={"age": [0, 1000, 2000]}).codebook
    text = f"{heading}\n{clear}\n|   H_age < 1.05 : yes (4/0)\n|   H_age >= 1.05 : no (3/0)\n"
    assert read(text, book).result.count("[more decimals needed]") == 2


def test_cuts_of_floats_of_32_bits() -> None:
    """The cut between two values that no such float tells apart may lie on either side of both."""
    book = masked({"x": [0.0, 0.5, 0.5 + 1e-9, 1.0]}, bounds={"x": [0, 1, 2]}).codebook
    cut = "|--- H_x <= 1.500000000100\n|   |--- class: a\n"
    assert "[more decimals needed]" in read(cut, book).result
    drawn = "y: 4 records\n└── H_x ≤ 1.5000000001: 2 records\n"
    assert "x ≤ 0.5 [0.5, " in read(drawn, book).result


@pytest.mark.parametrize(
    "formula",
    [
        "y =\n\n 1e999 * H_age +\n 3\n",
        "y =\n\n 1e999999999 * H_age +\n 3\n",
        "y =\n\n 1 * H_o\n + -1 * H_age\n + 3\n",
        "y =\n\n 1 * H_age +\n 1e999999999\n",
        "Coefficients...\n  Class\nVariable a\n===\nH_age 1e999999999\nIntercept 1e999999999\n",
    ],
)
def test_coefficients_that_are_no_numbers(formula: str) -> None:
    stays(formula, BOOK, "H_age")


@pytest.mark.parametrize("name", ["num__H_age", "scaled_H_age", "d_H_age_2"])
def test_a_longer_name_that_ends_as_ours_is_said(name: str) -> None:
    """A pipeline of scikit-learn calls a scaled column `num__H_age`."""
    stays(f"|--- {name} <= 3.50\n|   |--- class: no\n", BOOK, "H_age")
    stays(f"|--- {name} <= 3.50\n|   |--- H_age <= 3.50\n", BOOK, "H_age")


def test_a_one_hot_column_of_a_pipeline_is_said() -> None:
    stays("|--- cat__H_status_status_1 <= 0.50\n|   |--- class: no\n", BOOK, "H_status")


def test_words_that_end_in_letters_of_a_masked_name() -> None:
    assert read("BATCH_age <= 3.5\nH_age <= 3.5", BOOK).undecoded == {}


def test_one_hot_columns_of_ours_are_not_called_those_of_others() -> None:
    for text in ("|--- H_status_status_1 <= 0.50\n", "log(H_status_status_1)\nlog H_status"):
        assert read(text + "\n|--- H_o_o_1 <= 0.5", BOOK).of_others == ("H_o_o_1",)
