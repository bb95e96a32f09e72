"""The whole trade-off before anything is published: privacy and accuracy, one line a size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from privet.preserve.judging import Judge
from privet.preserve.messages import no_tree
from privet.preserve.publisher import cross_validated, fit_of, prepared
from privet.preserve.settings import PublishSettings
from privet.schema import Schema
from privet.table import Table


@dataclass(frozen=True)
class SizeLine:
    """One size: what its release would reach; `training`, `cross_validated`: accuracy or R2."""

    leaves: int
    k: int
    k_with_target: int
    l: int | float | None  # noqa: E741
    t: int | float | None
    equivalence_classes: int
    told_by_boundaries: int
    training: float
    cross_validated: float
    passes: bool
    same_tree: bool


@dataclass(frozen=True)
class Exploration:
    """Every size, and what accuracy means here ("accuracy" or "R2")."""

    measure: str
    lines: tuple[SizeLine, ...]


def explore(
    table: Table,
    schema: Schema,
    settings: PublishSettings,
    progress: Callable[[int, int], None] | None = None,
) -> Exploration:
    """Try every size of the tree up to the largest."""
    judge = prepared(table, schema, settings)
    measure = "R2" if judge.drafts.tree.is_regression else "accuracy"
    return Exploration(measure, tuple(_lines(judge, progress)))


def _lines(judge: Judge, progress: Callable[[int, int], None] | None) -> Iterator[SizeLine]:
    drafts = judge.drafts
    sizes = drafts.sizes
    if not sizes:
        raise no_tree(drafts)
    scores = cross_validated(drafts, sizes)
    for done, size in enumerate(sizes, start=1):
        draft = judge.draft(size)
        figures = draft.figures
        yield SizeLine(
            leaves=size,
            k=figures.k,
            k_with_target=figures.k_with_target,
            l=figures.worst_l(drafts.settings.l_kind),
            t=figures.worst_t(),
            equivalence_classes=figures.equivalence_classes,
            told_by_boundaries=drafts.boundaries(draft).told,
            training=fit_of(drafts, draft.tree),
            cross_validated=scores[size].quality,
            passes=judge.criteria_hold(draft),
            same_tree=bool(draft.grown_again(drafts.schema)),
        )
        if progress is not None:
            progress(done, len(sizes))
