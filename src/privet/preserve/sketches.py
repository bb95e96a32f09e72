"""Sketches of sizes by leaf, for those who only look: their values follow from those of the next
smaller size (`by_leaf.handed_down`), which takes much less time than to find them anew."""

from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace

from privet.preserve.by_leaf.handed_down import handed_down
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.preserve.drafts import Draft, Drafts

EXACT_TO = 12  # leaves: up to here a sketch would save no time


class Sketches:
    """What was sketched of the sizes of one tree, one after the other from `exact_to` on; so it
    does not depend on the size that is asked for first."""

    def __init__(self, drafts: Drafts, exact_to: int = EXACT_TO) -> None:
        self.drafts, self.exact_to = drafts, exact_to
        self._known: dict[int, LeafRecoding | None] = {}

    def of(self, size: int) -> Iterator[Draft]:
        """Drafts of a size beyond `exact_to`: with detail given back, then without. None where some
        column has no values for whole leaves, and none of several trees."""
        drafts = self.drafts
        if len(drafts.trees) > 1:
            return
        for larger in drafts.sizes[bisect(drafts.sizes, self.exact_to) :]:
            if larger > size:
                break
            if larger not in self._known:
                self._known[larger] = handed_down(
                    self._whole_before(larger),
                    *drafts.base(larger),
                    drafts.settings.float32_safe,
                    drafts.solver,
                )
        plain = self._known[size]
        if plain is not None:
            for draft in drafts.more_and_less_detailed(plain):
                yield replace(draft, sketched=True)

    def _whole_before(self, size: int) -> LeafRecoding | None:
        """The recoding of the largest smaller size whose leaves are whole in all columns."""
        for smaller in reversed(self.drafts.sizes[: self.drafts.sizes.index(size)]):
            exact = smaller <= self.exact_to
            found = self.drafts.recoded_by_leaf(smaller) if exact else self._known[smaller]
            if found is not None and found.whole:
                return found
        return None
