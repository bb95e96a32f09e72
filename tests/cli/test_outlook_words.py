"""What is said of the accuracy to expect, and of the records that a wanted one needs."""

import pytest

from privet.cli.outlook import in_words
from privet.substitution.outlook import Outlook


def said(accuracy: float, high: float, wanted: float, slope: float = 0.0) -> str:
    outlook = Outlook(1_000, accuracy, accuracy - 0.1, high, 0.4, slope)
    return list(in_words(outlook, wanted))[-1]


@pytest.mark.parametrize(
    ("accuracy", "high", "slope", "words"),
    [
        (0.98, 1.0, 0.0, "An accuracy of 0.97 is expected already of these 1,000 records."),
        (0.94, 1.0, 0.0, "An accuracy of 0.97 may be reached already"),
        (0.90, 0.95, 0.0, "No number of records is expected to reach 0.97"),
        (0.90, 0.95, 4.0, "An accuracy of 0.97 needs about 5,014 records."),
    ],
)
def test_what_a_wanted_accuracy_needs(
    accuracy: float, high: float, slope: float, words: str
) -> None:
    assert said(accuracy, high, 0.97, slope).startswith(words)


def test_where_it_cannot_be_told_it_is_said_why() -> None:
    [line] = in_words(None, None)
    assert line.startswith("What accuracy to expect cannot be told here: that takes at least 40")
    [line] = in_words(None, 0.9)
    assert "here, nor how many records an accuracy of 0.9 needs: that takes" in line
