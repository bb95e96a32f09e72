"""All that `privet measure` says of a release, put together: risk, distortion, likeness, utility.

Each part is counted where it is at home: risk in `privet.attack`, the others next door.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.engine.likeness import Likeness
from privet.measure.distortion import Distortion
from privet.measure.miners import Utility, ranked


@dataclass(frozen=True)
class Measured:
    """The figures of a release beside its original. `risk` has one entry for each attack."""

    risk: Mapping[str, Any]
    distortion: Distortion
    followed_by: str
    likeness: Likeness
    utility: Utility | None

    def to_data(self) -> dict[str, Any]:
        pairs = self.likeness.associations
        return {
            "risk": dict(self.risk),
            "distortion": {"followed_by": self.followed_by, **self.distortion.to_data()},
            "likeness": {
                "marginals": dict(self.likeness.marginals),
                "marginal_error": self.likeness.marginal_error,
                "associations": [[*pair, moved] for pair, moved in pairs.items()],
                "association_error": self.likeness.association_error,
            },
            "utility": None if self.utility is None else self.utility.to_data(),
        }

    def sentences(self) -> list[str]:
        """The figures, for people."""
        linkage = self.risk.get("linkage")
        found = []
        if linkage:
            found.append(
                f"Risk: prosecutor at most {linkage['prosecutor']['highest']:.2%}, marketer "
                f"{linkage['marketer']['share']:.2%} of the records."
            )
        mean = self.distortion.mean_ncp
        lost = "" if mean is None else f"a mean NCP of {mean:.3f}, "
        data = self.distortion.to_data()
        found.append(
            f"Distortion: {lost}equivalence classes of {data['average_class_size']:.1f} records "
            f"in the mean; columns are {self.likeness.marginal_error:.3f} from the original, "
            f"pairs of columns {self.likeness.association_error:.3f}."
        )
        return found + ([] if self.utility is None else _on_miners(self.utility))


def _on_miners(utility: Utility) -> list[str]:
    width = max(map(len, utility.before))
    lines = [
        f"Utility for {utility.target} ({utility.score}; tested on {utility.tested:,} rows of "
        f"{utility.held_out}):"
    ]
    for name in ranked(utility.before):
        before, after = utility.before[name], utility.after[name]
        lines.append(f"  {name:<{width}}  {before:.4f} before  {after:.4f} after")
    same = "The ranking of miners is the same before and after."
    swapped = ", ".join(f"{one} and {two}" for one, two in utility.swapped)
    lines.append(f"Changed places: {swapped}." if swapped else same)
    if utility.is_flattered:
        lines.append(
            "What is learnt from the release has seen the people it is tested on, so figures after "
            "are flattered: a test table of rows that were not published tells better."
        )
    return lines
