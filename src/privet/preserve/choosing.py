"""Which size is released: the largest whose draft passes, or one that cross-validation prefers.

`search` finds it over what `judging` says of drafts, in the way of recoding that was asked for or
the next coarser one that passes. Several trees come down together and then grow in turns.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from privet.errors import CriterionNotReached, PrivetError, TreeChanged
from privet.preserve.deadline import TimeUp
from privet.preserve.drafts import Draft, Drafts
from privet.preserve.judging import Judge, Progress
from privet.preserve.messages import another_tree, no_tree, not_reached, nothing_in_time
from privet.preserve.search import (
    LARGE,
    Patience,
    found_in_steps,
    largest_passing,
    preferred_of_largest,
    spaced,
)
from privet.preserve.settings import RECODINGS, Recoding
from privet.tree.cross_validation import Score, one_standard_error

# About how many seconds sizes are recoded by leaf in vain before they are climbed. Where at most
# `LARGE` leaves are asked for, what was released before would be released again within this time.
_PATIENCE = 60.0
_PATIENCE_FOR_LARGE = 3.0
_EQUALS_TRIED = 4  # sizes of equal accuracy whose K with the target is looked at


def choose(
    judge: Judge, known: dict[int, Score] | None = None
) -> tuple[Judge, Draft, dict[int, Score]]:
    """The draft to release: recoded as asked, or in the next coarser way that passes.

    `known` are the scores of cross-validation, for those who have them already.
    """
    refused: PrivetError | None = None
    asked = judge.drafts.settings.recoding
    for way in RECODINGS[RECODINGS.index(asked) :]:
        try:
            if refused is None:
                return judge, *_chosen(judge, known)
            other = _otherwise(judge.drafts, way, judge.progress)
            return other, *_chosen(other)
        except (CriterionNotReached, TreeChanged) as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _chosen(judge: Judge, known: dict[int, Score] | None = None) -> tuple[Draft, dict[int, Score]]:
    """The draft to release, and how sizes did in cross-validation where that chose one."""
    drafts, settings = judge.drafts, judge.drafts.settings
    sizes = drafts.sizes
    if not sizes:
        raise no_tree(drafts)
    monotone = not settings.by_leaf and drafts.is_monotone
    scores: dict[int, Score] = {}
    if settings.leaves is None and not settings.further:
        scores = known or drafts.scores(0, sizes)

    def wanted() -> int | None:
        if scores:
            preferred = partial(_one_standard_error, scores)
            return preferred_of_largest(sizes, judge.size_holds, monotone, preferred)
        if settings.by_leaf:
            return found_in_steps(sizes, judge.size_passes, _patience(drafts), judge.climbed)
        return largest_passing(sizes, judge.size_holds, monotone)

    found = wanted() if settings.time_limit is None else _in_time(judge, wanted, scores)
    if found is None:
        raise not_reached(judge, sizes[0])
    draft = _same_tree_at_most(judge, found, exactly_checked=monotone)
    if scores and not monotone:
        draft = _with_larger_k(judge, draft, scores)
    return _grown_in_turns(judge, draft) if settings.further else draft, scores


def _patience(drafts: Drafts) -> Patience:
    """With recodings by leaf, which for some sizes are looked for in vain for long."""
    if drafts.settings.recoding != "leaf" or len(drafts.trees) > 1:
        return Patience()
    most = _PATIENCE if drafts.sizes[-1] <= LARGE else _PATIENCE_FOR_LARGE
    return Patience(lambda: drafts.solver.effort, most)


def _with_larger_k(judge: Judge, draft: Draft, scores: Mapping[int, Score]) -> Draft:
    """Of the next sizes that cross-validation finds equally good, one with a larger K for somebody
    who knows the target, where there is one. (Where partitions refine, larger trees have none.)"""
    loss = scores[draft.n_leaves].loss
    larger = [s for s in judge.drafts.sizes if s > draft.n_leaves and scores[s].loss == loss]
    for size in larger[:_EQUALS_TRIED]:
        try:
            rival = judge.draft(size) if judge.size_holds(size) else draft
        except TimeUp:
            break
        better = rival.figures.k_with_target > draft.figures.k_with_target
        if better and judge.same_tree(rival):
            draft = rival
    return draft


def _grown_in_turns(judge: Judge, draft: Draft) -> Draft:
    """Several trees came down together; now each in turn takes one more split while the table
    still passes. A tree that cannot stays as it is."""
    sizes = [tree.n_leaves for tree in draft.trees]
    waiting = deque(range(len(sizes)))
    while waiting:
        number = waiting.popleft()
        larger = [size for size in judge.drafts.trees[number].sizes if size > sizes[number]]
        if not larger:
            continue
        wanted = (*sizes[:number], larger[0], *sizes[number + 1 :])
        try:
            trial = judge.draft(wanted) if judge.size_holds(wanted) else None
        except TimeUp:
            break
        if trial is not None and judge.same_tree(trial):
            draft, sizes[number] = trial, larger[0]
            waiting.append(number)
    return draft


def _in_time(
    judge: Judge, wanted: Callable[[], int | None], scores: Mapping[int, Score]
) -> int | None:
    """What is wanted if there is time enough; else the best of the sizes that were tried.

    Small sizes come first, so that there is something to take.
    """
    sizes, deadline = judge.drafts.sizes, judge.drafts.deadline
    try:
        all(map(judge.size_passes, _doubled(judge.drafts)))  # until one does not
        found = wanted()
        if found is None or judge.size_passes(found):
            return found
        return largest_passing([s for s in sizes if s < found], judge.size_passes, monotone=False)
    except (TimeUp, KeyboardInterrupt):
        deadline.cut_short()
        passing = filter(judge.size_passes, reversed(judge.decided))
        largest = next(passing, None)
        if largest is None:
            raise nothing_in_time(judge.drafts.settings) from None
        if scores:
            return one_standard_error({size: scores[size] for size in (largest, *passing)})
        return largest


def _doubled(drafts: Drafts) -> list[int]:
    """Sizes that grow quickly. Large ones by leaf are stages, for each is recoded on the way."""
    sizes = drafts.sizes
    doubled = [sizes[2**n - 1] for n in range(len(sizes).bit_length())]
    if drafts.settings.recoding != "leaf":
        return doubled
    return [n for n in doubled if n <= LARGE] + [n for n in spaced(sizes) if n > LARGE]


def _one_standard_error(scores: Mapping[int, Score], largest: int) -> int:
    """The size that cross-validation chooses among those up to the largest that passes."""
    return one_standard_error({size: s for size, s in scores.items() if size <= largest})


def _otherwise(drafts: Drafts, recoding: Recoding, progress: Progress | None) -> Judge:
    """The same table with another recoding; with global recoding it is the plain tree.

    A column that is released as it is may offer a better split than the leaves that l and t admit.
    Growing again takes it, so no such tree survives; the plain tree does, and its classes may yet
    be large and diverse enough.
    """
    settings = replace(drafts.settings, recoding=recoding, keep=())
    return Judge(drafts.otherwise(settings, drafts.solver), progress)


def _same_tree_at_most(judge: Judge, size: int, exactly_checked: bool) -> Draft:
    """The draft of the largest size up to `size` that passes."""
    changed = None
    drafts = judge.drafts
    for candidate in reversed([s for s in drafts.sizes if s <= size]):
        if not exactly_checked and not judge.size_holds(candidate):
            continue
        draft = judge.draft(candidate)
        outcome = judge.same_tree(draft)
        if outcome:
            return draft
        spared = None if drafts.settings.by_leaf else judge.spared(candidate)
        if spared is not None:
            return spared
        changed = changed or str(outcome)
    raise another_tree(drafts, str(changed))
