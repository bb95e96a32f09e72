"""What the intruder found, for programs and for people. `intruder` next door looks for it."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Calibration:
    """Pairs of record and person by their chance, in ten bins: how many, the right ones expected,
    those that were, and the standard error of that number."""

    pairs: tuple[int, ...]
    expected: tuple[float, ...]
    right: tuple[int, ...]
    error: tuple[float, ...]

    @property
    def worst(self) -> float:
        """The largest distance from what was expected, in standard errors."""
        off = zip(self.expected, self.right, self.error, strict=True)
        return max((abs(r - e) / s for e, r, s in off if s > 0), default=0.0)


@dataclass(frozen=True)
class Intrusion:
    """What the intruder finds. Shares are of the records that were tried.

    `found` is the chance that naming the likeliest person is right, `before` the same without
    noise; `counted` the share that was right, `true` the mean chance of the true person and
    `by_paper` of the true record, where it is known which is whose. `right_class` is the mean
    chance that the intruder gives to a person's true class, `by_leaf` the share of classes guessed
    by the majority of the leaf. `asked_only` is what an intruder finds who knows only columns that
    the tree asks: all but the innocent ones.
    """

    known: tuple[str, ...]
    people: int
    tried: int
    found: float
    before: float
    candidates: float
    no_candidate: int
    by_leaf: float
    right_class: float | None = None
    right_class_before: float | None = None
    counted: float | None = None
    true: float | None = None
    by_paper: float | None = None
    naive: float | None = None
    asked_only: float | None = None
    calibration: Calibration | None = field(default=None, repr=False)

    def sentence(self) -> str:
        """The finding in words."""
        return (
            f"Of 100 people whose other values are known, {100 * self.found:.0f} are found again; "
            f"before the noise {100 * self.before:.0f}."
        )

    def sentences(self) -> list[str]:
        said = [self.sentence()]
        if self.naive is not None:
            said.append(f"Who takes the nearest person, knowing no law, finds {self.naive:.0%}.")
        if self.asked_only is not None:
            said.append(
                f"Who knows only the columns that the tree asks finds {self.asked_only:.0%}."
            )
        if self.right_class is not None and self.right_class_before is not None:
            said.append(
                f"To a person's true class the intruder gives the chance {self.right_class:.0%}, "
                f"before the noise {self.right_class_before:.0%}; the majority of the leaf is "
                f"right for {self.by_leaf:.0%}."
            )
        if self.no_candidate:
            said.append(
                f"{self.no_candidate:,} of {self.tried:,} records have no candidate among these "
                "people."
            )
        return said

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"attack": "intruder", "known": list(self.known)}
        told = [f.name for f in fields(self) if f.name not in ("known", "calibration")]
        data |= {name: getattr(self, name) for name in told}
        if self.calibration is not None:
            bins = self.calibration
            data["calibration"] = {
                "pairs": list(bins.pairs),
                "expected": list(bins.expected),
                "right": list(bins.right),
                "standard_errors": list(bins.error),
            }
        return data
