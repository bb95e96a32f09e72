"""What perturbed records can carry, in words: for `substitute` and for `tree --mechanism`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from privet.cli.options import option

if TYPE_CHECKING:
    from privet.substitution.outlook import Outlook

AccuracyOption = Annotated[
    float | None,
    option("--accuracy", "A", "A share of right answers: say how many records it needs."),
]


def in_words(outlook: "Outlook | None", wanted: float | None) -> Iterator[str]:
    """The accuracy to expect, what it is worth, and what more records would bring."""
    if outlook is None:
        asked = "" if wanted is None else f", nor how many records an accuracy of {wanted:g} needs"
        yield (
            f"What accuracy to expect cannot be told here{asked}: that takes at least 40 records, "
            "at most 200 columns, a target of 2 to 64 classes, and no other column in its draw."
        )
        return
    yield (
        f"Expect {outlook.accuracy:.2f} of the originals to be classified rightly, and between "
        f"{outlook.low:.2f} and {outlook.high:.2f} in 90 of 100 draws."
    )
    if outlook.may_be_no_better:
        yield (
            f"Warning: {outlook.majority:.2f} are right who always name the commonest class, and "
            f"{outlook.records:,} records cannot tell the tree from them."
        )
    if wanted is None:
        four = outlook.with_records(4 * outlook.records)
        yield f"Four times the records would give about {four:.2f} (--accuracy A asks for more)."
        return
    needed = outlook.needed(wanted)
    if needed is None and wanted <= outlook.high:
        yield f"An accuracy of {wanted:g} may be reached already; more records hardly change that."
    elif needed is None:
        yield f"No number of records is expected to reach {wanted:g} with this mechanism."
    elif needed <= outlook.records:
        yield f"An accuracy of {wanted:g} is expected already of these {needed:,} records."
    else:
        yield f"An accuracy of {wanted:g} needs about {needed:,} records."
