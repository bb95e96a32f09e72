"""Numbers behind a name: what follows must be known, or the name keeps its mask."""

import pytest

from privet.files import table_of
from privet.parties import Outcome, ProjectKey, decode_text, mask

CELLS = {"id": list(range(12)), "age": [10, 20, 30, 40] * 3, "kids": [0, 1, 2, 3, 4, 5] * 2}
BOUNDS = {"age": [0, 8, 16, 24, 32, 40, 48]}  # 10, 20, 30, 40 are 2.25, 3.5, 4.75, 6.0
BOOK = mask(
    table_of(CELLS),
    key="id",
    sensitive=["age", "kids"],
    project_key=ProjectKey("test", b"k" * 32),
    bounds=BOUNDS,
    kept_order=True,
    seed=7,
).codebook
KIDS = [f"{number:g}" for number in BOOK.columns["kids"].masked]  # type: ignore[union-attr]


def read(text: str) -> Outcome[str]:
    return decode_text(text, BOOK, maskings=BOOK.identities)


def stays(text: str, name: str) -> None:
    told = read(text)
    assert (told.result, list(told.undecoded)) == (text, [name])


@pytest.mark.parametrize(
    "listed",
    [
        *("{} or {}: yes", "{}, {}", "{}; {}", "{}|{}", "{} | {}", "{} & {}", "{} and {}"),
        *(
            "{}..{}",
            "{}:{}",
            "{}  {}",
            "{}\t{}",
            "{},\n{}",
            "{} or\n  {}",
            "{}\nor {}",
            "{} or '{}'",
        ),
        *("{} or ({})", "{} or = {}", "{}, or {}", "{} ELSE {}", "{}\nELSE {}", "{} or not {}"),
        *("{}  to {}", "{} … {}", "{} ∨ {}", "{} nor {}", "{} or > {} x"),
    ],
)
@pytest.mark.parametrize("sign", ["=", "!=", "<="])
def test_a_list_of_which_the_first_alone_would_be_decoded(listed: str, sign: str) -> None:
    stays(f"IF a = b THEN H_kids {sign} {listed.format(KIDS[1], KIDS[2])}", "H_kids")


def test_a_list_in_brackets_is_no_interval() -> None:
    stays("WHERE H_age in (2.25, 3.5)", "H_age")
    assert read("H_age in (2.25, 3.5]").undecoded == {}


@pytest.mark.parametrize("more", [" or 4.75", ", (3.5, 4.75]", " or (3.5, 4.75]", " and [4.75]"])
@pytest.mark.parametrize(
    "first", ["H_age in (2.25, 3.5]", "H_age between 2.25 and 3.5", "2 < H_age"]
)
def test_a_number_behind_other_tests(first: str, more: str) -> None:
    stays(first + more, "H_age")


@pytest.mark.parametrize(
    "after",
    [
        *(
            " ± 0.5",
            " ⋅ 2",
            " ∗ 2",
            " — 1",
            " ‐ 1",
            "!",
            "\n* 2",
            "\n  + 2",
            " \\* 2",
            "(2)",
            "[2]",
        ),
        *("°", " $", " ?", "  ± 2", " + 1"),
    ],
)
def test_what_is_done_to_a_number(after: str) -> None:
    stays(f"H_age <= 3.5{after}", "H_age")


@pytest.mark.parametrize("before", ["transform=log ", "'log' ", '"z" ', "log | ", "log & ", "a=b "])
def test_what_is_done_to_a_name(before: str) -> None:
    stays(f"{before}H_age <= 3.5", "H_age")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "{}",
            "({})",
            "[{}] yes=1,no=2",
            "{}:",
            "{}: yes (3.0)",
            "{} : yes (3/0) [2/0]",
            "{} (3)",
        ),
        *(
            "{} and bmi > 2",
            "{} AND\nbmi > 2: no (3.0)",
            "{} & bmi > 2",
            "{} | sex = m",
            "{}, bmi<2",
        ),
        *(
            "{} or missing",
            "{} and 2 < bmi ≤ 3",
            "{} and 2020-01-01 < visit ≤ 2021-01-01",
            "{} or {}",
        ),
        *("{} then yes (3 records)", "{} => yes", "{} -> yes", "{} ==> yes", "{}; criterion = 1"),
        *(
            "sex = m | {}",
            "sex is m & {}",
            "| {}",
            "'{}'",
            'label="{}\\nyes"',
            "{}   yes",
            "{}.\n3 a",
        ),
        *(
            "{} to the left,  improve=3",
            "{}\n|   bmi > 3",
            "{}\n3 records",
            "{}\n- bmi",
            "x=y ==> a=b {}",
        ),
        *("{}\r\nyes", "{}\n+--- no", "IF {} THEN 'a' ELSE 'b'", "P({}) = 0.3", "{} [3 records]"),
    ],
)
def test_what_ordinary_results_have_around_a_test(text: str) -> None:
    told = read(text.replace("{}", "H_age <= 3.5"))
    assert told.undecoded == {}
    assert told.result == text.replace("{}", "age <= 20 [20, 30)")
