"""The whole trade-off before anything is published: privacy, accuracy and what is kept of the
columns, one line a size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from privet.engine.likeness import Likened
from privet.errors import CriterionNotReached, TreeChanged
from privet.preserve.by_leaf.compiled_search import expect_many_trials
from privet.preserve.choosing import choose
from privet.preserve.deadline import TimeUp
from privet.preserve.drafts import Draft
from privet.preserve.judging import Judge
from privet.preserve.messages import no_tree
from privet.preserve.publisher import fit_of, prepared
from privet.preserve.question import question_of
from privet.preserve.settings import PublishSettings
from privet.schema import Role, Schema
from privet.shown import html_table
from privet.table import Table

_LONG_FROM = 20  # leaves: trying all sizes up to here by leaf takes thousands of trials


@dataclass(frozen=True)
class TreeLine:
    """One of several trees at one size; `training`, `cross_validated`: accuracy or R2."""

    target: str
    leaves: int
    measure: str
    training: float
    cross_validated: float


@dataclass(frozen=True)
class SizeLine:
    """One size: what its release would reach; `training`, `cross_validated`: accuracy or R2.

    `one_class_share` is the share of records in equivalence classes of one target value;
    `marginal_error` and `association_error` say how far the quasi-identifiers are from the
    original, one by one and in pairs (`engine.likeness`); `columns_repaired` counts those that rich
    recoding could not release as filled (None with other recodings). `trees`, where several are
    kept, has each of them; `leaves` is then the most that one has, and accuracy is of the first.
    """

    leaves: int
    k: int
    k_with_target: int
    l: int | float | None  # noqa: E741
    t: int | float | None
    equivalence_classes: int
    told_by_boundaries: int
    one_class_share: float
    marginal_error: float
    association_error: float
    columns_repaired: int | None
    training: float
    cross_validated: float
    passes: bool
    same_tree: bool
    trees: tuple[TreeLine, ...] = ()
    k_people: int | None = None


@dataclass(frozen=True)
class Exploration:
    """Every size, and what accuracy means here ("accuracy" or "R2").

    `chosen` is the size that `publish` would take, by global recoding if `chosen_globally`. If no
    size passes it is None, and `refusal` says why; the lines then show what could be had. Of
    several trees some may then take more splits: `chosen_leaves` has those of each.
    """

    measure: str
    lines: tuple[SizeLine, ...]
    k: int = 1
    chosen: int | None = None
    chosen_globally: bool = False
    chosen_leaves: tuple[int, ...] = ()
    refusal: str = ""
    cut_short: bool = False  # by the limit of time: larger sizes were not tried
    question: str = field(default="", repr=False)  # a digest of what was asked

    def __repr__(self) -> str:
        found = "none passes" if self.chosen is None else f"publish would take {self.chosen} leaves"
        return f"<Exploration of {len(self.lines)} sizes: {found}>"

    def _repr_html_(self) -> str:
        rows = [(*self.head, "publish takes"), *(self.cells(line) for line in self.lines)]
        return html_table(rows, self.refusal)

    @property
    def head(self) -> tuple[str, ...]:
        found = [
            text
            for tree in (self.lines[0].trees if self.lines else ())
            for text in (f"{tree.target}: leaves", tree.measure, "cross-validated")
        ]
        kept = ("columns off", "pairs off", "repaired")
        told = ("leaves", "K", "K in people", "K with target", "L", "t", "told", "one-class")
        return (*told, *kept, *(found or [self.measure, "cross-validated"]), "passes")

    def cells(self, line: SizeLine) -> tuple[str, ...]:
        """A line in words, as a table shows it; the last cell marks what would be published."""
        return (
            str(line.leaves),
            f"{line.k:,}",
            "-" if line.k_people is None else f"{line.k_people:,}",
            f"{line.k_with_target:,}",
            "-" if line.l is None else f"{line.l:.3g}",
            "-" if line.t is None else f"{line.t:.3f}",
            f"{line.told_by_boundaries:,}",
            f"{line.one_class_share:.1%}",
            f"{line.marginal_error:.4f}",
            f"{line.association_error:.4f}",
            "-" if line.columns_repaired is None else str(line.columns_repaired),
            *_quality(line),
            "yes" if line.passes and line.same_tree else "no",
            self._mark(line),
        )

    def _mark(self, line: SizeLine) -> str:
        if line.leaves != self.chosen:
            return ""
        return "<- by global recoding" if self.chosen_globally else "<-"


def _quality(line: SizeLine) -> list[str]:
    """How good the tree is; of several, each with its leaves."""
    if not line.trees:
        return [f"{line.training:.4f}", f"{line.cross_validated:.4f}"]
    return [
        text
        for tree in line.trees
        for text in (str(tree.leaves), f"{tree.training:.4f}", f"{tree.cross_validated:.4f}")
    ]


def explore(
    table: Table,
    schema: Schema,
    settings: PublishSettings,
    progress: Callable[[int, int], None] | None = None,
    seen: Callable[[Exploration], None] | None = None,
) -> Exploration:
    """Try every size of the tree up to the largest; where none passes, show what could be had.

    `seen` is shown what is known after each size. The size that `publish` would take comes first
    then, and the others in an order in which a picture soon has its shape; the result is the same.
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
        trial = _Trial(judge, progress, seen, may_pass=False)
        refusal = Exploration(_measure(judge), (), settings.k, refusal=refused.raw[0])
        return trial.lines_into(refusal)
    trial = _Trial(judge, progress, seen)
    asked = question_of(table, schema, settings)
    nothing = Exploration(_measure(judge), (), settings.k, question=asked)
    if seen is not None and settings.time_limit is None:
        return trial.lines_into(_chosen(judge, trial, nothing))
    found = trial.lines_into(nothing)
    cut_short = len(found.lines) < len(judge.drafts.sizes)
    return replace(_chosen(judge, trial, found), cut_short=cut_short)


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
        may_pass: bool = True,
    ) -> None:
        drafts = judge.drafts
        self.judge, self.progress, self.seen, self.may_pass = judge, progress, seen, may_pass
        self.scores = [drafts.scores(n, tree.sizes) for n, tree in enumerate(drafts.trees)]
        targets = drafts.schema.names(Role.TARGET)
        self.original = Likened(drafts.engine, drafts.schema.quasi, targets)

    def lines_into(self, found: Exploration) -> Exploration:
        """What is known, with the lines of all sizes that there was time for."""
        drafts = self.judge.drafts
        order = list(drafts.sizes)
        if self.seen is not None and drafts.settings.time_limit is None:
            order.sort(key=spread_out(order).index)
            order.sort(key=lambda size: size != found.chosen)
        if drafts.settings.recoding == "leaf" and order and max(order) >= _LONG_FROM:
            expect_many_trials()
        lines: list[SizeLine] = []
        for done, size in enumerate(order, start=1):
            try:
                draft = self.judge.draft(size)
            except (TimeUp, KeyboardInterrupt):
                if drafts.settings.time_limit is None:
                    raise
                break
            lines.append(self._line(size, draft))
            found = replace(found, lines=tuple(sorted(lines, key=lambda line: line.leaves)))
            if self.progress is not None:
                self.progress(done, len(order))
            if self.seen is not None:
                self.seen(found)
        return found

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
        )


def _repaired(draft: Draft) -> int | None:
    if draft.rich is None:
        return None
    return sum(column.is_repaired for column in draft.rich.columns.values())
