"""k-anonymity of people, where a person may have several records.

An equivalence class must have k different people, whatever the number of their records. A person
whose records are in several classes counts in each. So it is the number of distinct values of the
column that tells people apart, as distinct l-diversity counts them; records of which it is not
known whose they are count as one person.
"""

from dataclasses import replace

from privet.criteria.l_diversity import LDiversity, measure_l
from privet.criteria.verdict import Verdict
from privet.engine import Counts
from privet.errors import UsageError, param

K_PEOPLE = "k-anonymity-people"


def people_of(k: int) -> LDiversity:
    """The criterion that a class has k people, for counts by the column of people."""
    return LDiversity(k, "distinct")


def measure_people(counts: Counts) -> int:
    """The fewest people of an equivalence class; the last column of the counts tells people."""
    return int(measure_l(counts, "distinct"))


def counts_no_people(letter: str) -> UsageError:
    """l and t are criteria of records."""
    return UsageError(
        f"{letter} counts records and not people: {param('person')} does not go with it.",
        f"leave out one of the two; {param('person')} is for k.",
    )


def judge_people(k: int, counts: Counts) -> Verdict:
    """Whether every equivalence class has k people."""
    return replace(people_of(k).judge(counts), criterion=K_PEOPLE, parameters={"k": k})
