"""Which draft of a size is taken, and whether it passes.

A draft passes if the criteria hold on it and the same tree grows from it, also by the program that
was asked for (`outside`). `drafts` makes them;
`search` and the publisher look for the largest size whose draft passes.
"""

from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

from privet.criteria import LDiversity, TCloseness
from privet.criteria.people import judge_of_people
from privet.preserve.drafts import Draft, Drafts, Size
from privet.preserve.leaf_recodings import EXACT_TO
from privet.preserve.outside import Refit, refit
from privet.preserve.people_columns import fewest_people
from privet.preserve.search import LARGE, tried
from privet.release.rows import Rows
from privet.tree.compare import Comparison

Progress = Callable[[int, int, int], None]


class Judge:
    """Judges the drafts of a table; each size is decided once.

    `progress` hears before each size how many have been decided or recoded, of how many, and which
    is next.
    """

    def __init__(self, drafts: Drafts, progress: Progress | None = None) -> None:
        self.drafts = drafts
        self.progress = progress
        self._stages = 0  # recoded on the way to larger sizes
        drafts.hear_of_stages(self._tell_of_stage)
        self._taken: dict[Size, Draft] = {}
        self._sketched: dict[int, Draft] = {}
        self._regrown: WeakKeyDictionary[Draft, Comparison] = WeakKeyDictionary()
        self._refits: dict[int, tuple[Draft, Refit]] = {}

    def draft(self, size: Size) -> Draft:
        """The draft of a size that would be released: as asked if that passes, else by one map."""
        if size not in self._taken:
            self._tell(size if isinstance(size, int) else max(size))
            self._taken[size] = self._choose(size)
        return self._taken[size]

    def _tell(self, leaves: int) -> None:
        if self.progress is not None:
            sizes = len(self.drafts.sizes)
            self.progress(min(len(self._taken) + self._stages, sizes), sizes, leaves)

    def _tell_of_stage(self, leaves: int) -> None:
        self._tell(leaves)
        self._stages += 1

    def sketch(self, size: int) -> Draft:
        """What a draft of a size is like, for those who only look: the draft itself where it is
        known or soon made. By leaf, others have values that follow from those of smaller sizes, in
        much less time."""
        known = size in self._taken or size <= EXACT_TO or size > LARGE
        if known or self.drafts.settings.recoding != "leaf":
            return self.draft(size)
        if size not in self._sketched:
            found = self._passing_by_leaf(size, self.drafts.sketched(size))
            self._sketched[size] = found or self.draft(size)
        return self._sketched[size]

    def climbed(self) -> list[int]:
        """Sizes by leaf that are handed down from now on (`Drafts.climbed`), decided anew."""
        sizes = self.drafts.climbed()
        for size in sizes:
            self._taken.pop(size, None)
        return sizes

    @property
    def sizes_tried(self) -> list[int]:
        """The sizes that may be released: by leaf and richly not all large ones."""
        sizes = self.drafts.sizes
        return tried(sizes) if self.drafts.settings.by_leaf else sizes

    @property
    def decided(self) -> list[int]:
        """The sizes that have been decided, for all trees together."""
        return sorted(size for size in self._taken if isinstance(size, int))

    def _choose(self, size: Size) -> Draft:
        if self.drafts.settings.rich:
            rich = self.drafts.richly(size)
            if rich is not None and self.passes(rich):
                return rich
            return self.drafts.by_one_map(size)
        if self.drafts.settings.by_leaf:
            passing = self._passing_by_leaf(size, self.drafts.by_leaf(size))
            if passing is not None:
                return passing
        return self.drafts.by_one_map(size)

    def _passing_by_leaf(self, size: Size, drafts: Iterable[Draft]) -> Draft | None:
        """The first of some drafts by leaf that passes."""
        # Where leaves are told apart by columns released as they are, equivalence classes may span
        # leaves, and recoding by leaf could part them; elsewhere it only joins them.
        rival = None if self.drafts.told_apart(size) else self.drafts.by_one_map(size)
        for draft in drafts:
            worse = rival and draft.figures.worse_than(rival.figures) and self.passes(rival)
            if not worse and self.passes(draft):
                return draft
        return None

    def spared(self, size: Size) -> Draft | None:
        """The first gentler draft of a size that passes."""
        return next(filter(self.passes, self.drafts.by_gentler_maps(size)), None)

    def size_holds(self, size: Size) -> bool:
        """Whether the draft of a size is what was asked for, privacy and recoding."""
        draft = self.draft(size)
        rich = draft.rich is not None or not self.drafts.settings.rich
        return rich and self.criteria_hold(draft)

    def size_passes(self, size: Size) -> bool:
        """Whether the same tree grows from it, too."""
        return self.size_holds(size) and bool(self.same_tree(self.draft(size)))

    def passes(self, draft: Draft) -> bool:
        return self.criteria_hold(draft) and bool(self.same_tree(draft))

    def same_tree(self, draft: Draft) -> Comparison:
        """Whether the trees grow again from a draft, by exact gains and by the program asked; they
        are grown once. Where the exact conditions of all columns of a sketch were checked, they say
        the same, and nobody releases it."""
        if draft not in self._regrown:
            known = draft.sketched and self.drafts.is_checked(draft)
            self._regrown[draft] = (
                Comparison(True) if known else draft.grown_again(self.drafts.schema)
            )
        outcome = self._regrown[draft]
        if not outcome or not self.drafts.settings.outside:
            return outcome
        found = self.refit(draft).different
        return outcome if found is None else Comparison(False, found.node.id, found.how)

    def refit(self, draft: Draft) -> Refit:
        """What the program that was asked for grows from a draft; it is asked once."""
        if id(draft) not in self._refits:
            drafts = self.drafts
            written = Rows.of(drafts.released(draft), drafts.schema.names()).records()
            found = refit(draft.released_trees, written, drafts.schema, drafts.settings)
            self._refits[id(draft)] = draft, found
        return self._refits[id(draft)][1]

    def criteria_hold(self, draft: Draft) -> bool:
        """Whether a draft has the privacy that was asked for."""
        schema, settings, figures = self.drafts.schema, self.drafts.settings, draft.figures
        reached = figures.k_with_target if settings.target_known else figures.k
        if reached < settings.k or (self.drafts.k_people(draft) or settings.k) < settings.k:
            return False
        for column in schema.sensitive:
            ordered = self.drafts.engine.domain(column).kind.is_ordered
            criteria = settings.criteria_for(ordered)
            if criteria and not self._hold(draft, column, criteria):
                return False
        return settings.person is None or self._leaves_have_people(draft, settings.person)

    def _hold(self, draft: Draft, column: str, criteria: Sequence[LDiversity | TCloseness]) -> bool:
        quasi, person = self.drafts.schema.quasi, self.drafts.settings.person
        if person is None:
            counts = draft.judged.count([*quasi, column])
            return all(criterion.judge(counts).holds for criterion in criteria)
        counts = draft.judged.count([*quasi, column, person])
        return all(judge_of_people(criterion, counts).holds for criterion in criteria)

    def _leaves_have_people(self, draft: Draft, person: str) -> bool:
        """Whether the smallest leaf that was asked for is reached in people."""
        table = self.drafts.table
        for tree, asked in zip(draft.trees, self.drafts.settings.of_each_tree(), strict=True):
            if asked.smallest_leaf > 1:
                leaves = tree.leaf_of_rows(table)
                if fewest_people(leaves, table[person].codes) < asked.smallest_leaf:
                    return False
        return True
