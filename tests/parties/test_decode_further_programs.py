"""Forms of programs that are not among the captured ones: what they print is decoded whole."""

import re

import pytest

from privet.files import table_of
from privet.parties import Outcome, ProjectKey, decode_text, mask

CELLS = {
    "id": [1, 2, 3, 4],
    "age": [10, 20, 30, 40],
    "sex": ["m", "f", "f", "m"],
    "blood sugar": [80, 90, 110, 130],
}
BOOK = mask(
    table_of(CELLS),
    key="id",
    sensitive=["age", "sex", "blood sugar"],
    project_key=ProjectKey("test", b"k" * 32),
    bounds={"age": [0, 8, 16, 24, 32, 40, 48]},  # 10, 20, 30, 40 are 2.25, 3.5, 4.75, 6.0
    kept_order=True,
).codebook

LITTLE_SPACE = """\
|- H_age <= 3.50
| |- class: sex_1
|- H_age >  3.50
| |- class: sex_2
"""
C50 = """\
H_sex = sex_1: no (3)
H_sex = sex_2:
:...H_age <= 3.5:
:   :...H_age <= 2.3: yes (3)
:       H_age > 2.3: no (3)
    H_age > 3.5: yes (3)
"""
SIMPLE_CART = """\
CART Decision Tree

H_sex=(sex_1)|(sex_2)
|  H_age < 3.5: no(6.0/1.0)
|  H_age >= 3.5: yes(2.0/1.0)
H_sex!=(sex_1)|(sex_2): no(3.0/0.0)
"""
M5_RULES = """\
Rule: 1
IF
\tH_age > 3.5
THEN

y =
\t-0.5 * H_age
\t+ 0.5 * H_sex=sex_1
\t+ 4.5 [12/8.3%]
"""
DECISION_TABLE = """\
Rules:
=========================
H_age         H_sex  ill
=========================
'(-inf-3.5]'  sex_1  no
=========================
"""
PRINTCP = """\
Variables actually used in tree construction:
 [1] H_age a b c d e f g h
[10] H_sex

Root node error: 125/250 = 0.5
"""
SUMMARY = """\
Variable importance
H_age     b H_sex
   60    30    10

Node number 1: 250 observations,    complexity param=0.184
  Primary splits:
      H_age < 3.5  to the right, improve=5.120000, (10 missing)
"""
CALLS = "and(x > 3, H_age <= 3.5)\n{milk,H_age=[3.5,4.75)} => {bread}\n"
VALUES = {2.3: "10", 3.5: "20"}  # what is cut at, by the masks that are printed
_CUT = r"age *(<=|>=|<|>) *([\d.]+)"
FORMS = [LITTLE_SPACE, C50, SIMPLE_CART, M5_RULES, DECISION_TABLE, PRINTCP, SUMMARY, CALLS]


def read(text: str) -> Outcome[str]:
    return decode_text(text, BOOK, maskings=BOOK.identities)


@pytest.mark.parametrize("text", FORMS, ids=lambda text: text.split("\n")[0])
def test_what_further_programs_print_is_decoded(text: str) -> None:
    told = read(text)
    assert (told.undecoded, told.of_others) == ({}, ())
    assert not re.search("H_|sex_", told.result)
    cuts = [(sign, VALUES[float(mask)]) for sign, mask in re.findall(rf"H_{_CUT}", text)]
    assert re.findall(_CUT, told.result) == cuts


def test_the_constant_of_a_rule_takes_up_what_masks_shift() -> None:
    told = read(M5_RULES)
    slope, constant = -0.5 / 8, 4.5 - 0.5  # a mask is 1 + age / 8
    assert f"\t{slope} * age" in told.result
    assert f"\t+ {constant:g} [12/8.3%]" in told.result


def test_a_decision_table_with_a_name_of_two_words_stays() -> None:
    text = DECISION_TABLE.replace("H_age      ", "H_blood sugar")
    assert read(text).result == text
    assert "H_blood sugar" in read(text).undecoded
