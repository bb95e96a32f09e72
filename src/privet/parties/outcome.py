"""What decoding gives: the result in the owner's words, and the names that are still masked."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """A decoded text, table or JSON value.

    `undecoded` names the columns of the codebook that stay masked, each with the reason;
    `of_others` the masked names that the codebook does not hold. `remarks` say what is uncertain.
    """

    result: T
    undecoded: dict[str, str]
    of_others: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def still_masked(self) -> tuple[str, ...]:
        return tuple(sorted({*self.undecoded, *self.of_others}))

    def to_data(self) -> dict[str, Any]:
        """What is said for programs beside the result."""
        return {
            "still_masked": list(self.still_masked),
            "undecoded": self.undecoded,
            "remarks": list(self.remarks),
        }
