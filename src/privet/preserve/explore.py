"""The whole trade-off before anything is published: privacy, accuracy and what is kept of the
columns, one line a size."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from privet.engine.likeness import Likened
from privet.errors import CriterionNotReached, TreeChanged
from privet.preserve.by_leaf.compiled_search import expect_many_trials
from privet.preserve.choosing import choose
from privet.preserve.deadline import TimeUp
from privet.preserve.drafts import Draft
from privet.preserve.exploration import Exploration, SizeLine, TreeLine
from privet.preserve.judging import Judge
from privet.preserve.messages import no_tree
from privet.preserve.publisher import fit_of, prepared
from privet.preserve.question import question_of
from privet.preserve.settings import PublishSettings
from privet.schema import Role, Schema
from privet.table import Table

_LONG_FROM = 20  # leaves: recoding all sizes up to here by leaf takes thousands of trials


def explore(
    table: Table,
    schema: Schema,
    settings: PublishSettings,
    progress: Callable[[int, int], None] | None = None,
    seen: Callable[[Exploration], None] | None = None,
    exact: bool = False,
) -> Exploration:
    """Try every size of the tree up to the largest; where none passes, show what could be had.

    `seen` is shown what is known after each size. The size that `publish` would take comes first
    then, and the others in an order in which a picture soon has its shape; the result is the same.
    Large sizes by leaf are sketched, unless they are to be `exact` (`Judge.sketch`).
    """
    try:
        judge = prepared(table, schema, settings)
        if not judge.drafts.sizes:
            raise no_tree(judge.drafts)
    except CriterionNotReached as refused:
        nothing_asked = replace(
            settings, k=1, l=None, t=None, guard=settings.guard or 1, release_sensitive=True
        )
        judge = prepared(table, schema, nothing_asked)
        if not judge.drafts.sizes:
            raise
        trial = _Trial(judge, progress, seen, exact, may_pass=False)
        refusal = Exploration(_measure(judge), (), settings.k, refusal=refused.raw[0])
        return trial.lines_into(refusal)
    trial = _Trial(judge, progress, seen, exact)
    asked = question_of(table, schema, settings)
    nothing = Exploration(_measure(judge), (), settings.k, question=asked)
    if settings.time_limit is None:
        judge.progress = lambda done, sizes, _: trial.tell(done, sizes)
        return trial.lines_into(_chosen(judge, trial, nothing))
    found = trial.lines_into(nothing)
    cut_short = len(found.lines) < len(judge.sizes_tried)
    found = _chosen(judge, trial, found)
    return replace(found, lines=trial.settled(found.lines), cut_short=cut_short)


def _chosen(judge: Judge, trial: "_Trial", found: Exploration) -> Exploration:
    """The same, with the size that `publish` would take, or with why it would take none."""
    try:
        chooser, draft, _ = choose(judge, trial.scores[0])
    except (CriterionNotReached, TreeChanged) as refused:
        return replace(found, refusal=refused.raw[0])
    by_other = chooser.drafts.settings.recoding != judge.drafts.settings.recoding
    leaves = tuple(tree.n_leaves for tree in draft.trees)
    within = [size for size in chooser.drafts.sizes if chooser.drafts.are_within(size, leaves)]
    return replace(found, chosen=max(within), chosen_globally=by_other, chosen_leaves=leaves)


def spread_out(sizes: Sequence[int]) -> list[int]:
    """The first and the last size, then again and again the middle of the widest gap."""
    order = [*sizes[:1], *sizes[1:][-1:]]
    gaps = [(0, len(sizes) - 1)]
    while gaps:
        gaps.sort(key=lambda gap: gap[0] - gap[1])
        low, high = gaps.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            order.append(sizes[middle])
            gaps += [(low, middle), (middle, high)]
    return order


def _measure(judge: Judge, tree: int = 0) -> str:
    return "R2" if judge.drafts.trees[tree].is_regression else "accuracy"


class _Trial:
    """The lines of all sizes, one after the other."""

    def __init__(
        self,
        judge: Judge,
        progress: Callable[[int, int], None] | None,
        seen: Callable[[Exploration], None] | None,
        exact: bool,
        may_pass: bool = True,
    ) -> None:
        drafts = judge.drafts
        self.judge, self.progress, self.seen, self.may_pass = judge, progress, seen, may_pass
        self._looked_at = judge.draft if exact else judge.sketch
        self._done = 0  # sizes that the progress was told of
        if exact and drafts.settings.recoding == "leaf" and drafts.sizes[-1] >= _LONG_FROM:
            expect_many_trials()
        self.scores = [drafts.scores(n, tree.sizes) for n, tree in enumerate(drafts.trees)]
        targets = drafts.schema.names(Role.TARGET)
        self.original = Likened(drafts.engine, drafts.schema.quasi, targets)

    def lines_into(self, found: Exploration) -> Exploration:
        """What is known, with the lines of all sizes that there was time for."""
        drafts = self.judge.drafts
        order = sorted({*self.judge.sizes_tried, *([found.chosen] if found.chosen else ())})
        if self.seen is not None and drafts.settings.time_limit is None:
            order.sort(key=spread_out(order).index)
            order.sort(key=lambda size: size != found.chosen)
        lines: list[SizeLine] = []
        for done, size in enumerate(order, start=1):
            try:
                draft = self._looked_at(size)
            except (TimeUp, KeyboardInterrupt):
                if drafts.settings.time_limit is None:
                    raise
                break
            lines.append(self._line(size, draft))
            found = replace(found, lines=tuple(sorted(lines, key=lambda line: line.leaves)))
            self.tell(done, len(order))
            if self.seen is not None:
                self.seen(found)
        return found

    def settled(self, lines: Sequence[SizeLine]) -> tuple[SizeLine, ...]:
        """The lines anew of sketched sizes that have been decided since."""
        known = {line.leaves for line in lines if line.sketched}.intersection(self.judge.decided)
        draft = self.judge.draft
        return tuple(
            self._line(line.leaves, draft(line.leaves)) if line.leaves in known else line
            for line in lines
        )

    def tell(self, done: int, sizes: int) -> None:
        """Tell how many sizes are done, at least; never fewer than before."""
        self._done = max(self._done, done)
        if self.progress is not None:
            self.progress(min(self._done, sizes), sizes)

    def _line(self, size: int, draft: Draft) -> SizeLine:
        judge, drafts, figures = self.judge, self.judge.drafts, draft.figures
        likeness = self.original.to(draft.recoded)
        trees = [
            TreeLine(
                tree.target,
                tree.n_leaves,
                _measure(judge, number),
                fit_of(drafts, tree),
                self.scores[number][tree.n_leaves].quality,
            )
            for number, tree in enumerate(draft.trees)
        ]
        return SizeLine(
            leaves=size,
            k=figures.k,
            k_with_target=figures.k_with_target,
            l=figures.worst_l(drafts.settings.l_kind),
            t=figures.worst_t(),
            equivalence_classes=figures.equivalence_classes,
            told_by_boundaries=drafts.boundaries(draft).told,
            one_class_share=figures.one_class_records / figures.records,
            marginal_error=likeness.marginal_error,
            association_error=likeness.association_error,
            columns_repaired=_repaired(draft),
            training=trees[0].training,
            cross_validated=trees[0].cross_validated,
            passes=self.may_pass and judge.criteria_hold(draft),
            same_tree=bool(judge.same_tree(draft)),
            trees=tuple(trees) if len(trees) > 1 else (),
            k_people=drafts.k_people(draft),
            sketched=draft.sketched,
        )


def _repaired(draft: Draft) -> int | None:
    if draft.rich is None:
        return None
    return sum(column.is_repaired for column in draft.rich.columns.values())
