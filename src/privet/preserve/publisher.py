"""The publisher: a table in, a release out from which the same tree grows.

It searches the largest size whose draft passes (`search` over what `judging` says), or lets
cross-validation choose one, and puts rows, tree, claims and audit together. `messages` says what it
refuses and tells; writing and verifying is the release's job.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from privet.engine import MemoryEngine
from privet.errors import CriterionNotReached, PrivetError, TreeChanged, param
from privet.preserve.deadline import TimeUp
from privet.preserve.describe import (
    before_and_after,
    describe_leaf_column,
    describe_recoding,
    describe_rich_column,
)
from privet.preserve.disclosure import disclosure_of
from privet.preserve.drafts import Draft, Drafts
from privet.preserve.judging import Judge, Progress
from privet.preserve.messages import messages_on, no_tree, not_reached, nothing_in_time
from privet.preserve.reachable import refuse_unreachable
from privet.preserve.records import records_of, released_schema
from privet.preserve.search import STEP_OF, found_in_steps, largest_passing, preferred_of_largest
from privet.preserve.settings import RECODINGS, PublishSettings, Recoding
from privet.release.audit import Audit
from privet.release.claims.privacy import shown_sensitive
from privet.release.claims.rich import rich_claims
from privet.release.claims.tree_method import more_growers
from privet.release.claims.tree_preserving import METHOD, claims_of
from privet.release.manifest import Manifest
from privet.release.origin import Origin
from privet.release.release import Release, today
from privet.release.rows import Rows
from privet.schema import Role, Schema
from privet.table import Table
from privet.tree.accuracy import training_accuracy, training_r2
from privet.tree.cross_validation import Score, one_standard_error
from privet.tree.exchange.model_file import to_data
from privet.tree.model import Tree
from privet.version import __version__


@dataclass(frozen=True)
class TreePreservingPublisher:
    """Publishes a table with its tree; see `PublishSettings` for what can be asked."""

    settings: PublishSettings

    def publish(
        self,
        table: Table,
        schema: Schema,
        frame: str = "arrow",
        progress: Progress | None = None,
    ) -> Release:
        """The release, or an error that says what could be reached."""
        judge, draft, scores = choose(prepared(table, schema, self.settings, progress))
        told = []
        used, asked = judge.drafts.settings.recoding, self.settings.recoding
        if used != asked:
            told = [
                f"{asked.capitalize()} recoding reaches no tree with what was asked; {used} "
                "recoding was used."
            ]
        return _release(judge, draft, scores, [*told, *messages_on(judge.drafts, draft)], frame)


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
            return found_in_steps(sizes, judge.size_holds)
        return largest_passing(sizes, judge.size_holds, monotone)

    found = wanted() if settings.time_limit is None else _in_time(judge, wanted, scores)
    if found is None:
        raise not_reached(judge, sizes[0])
    draft = _same_tree_at_most(judge, found, exactly_checked=monotone)
    return _grown_in_turns(judge, draft) if settings.further else draft, scores


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
        if trial is not None and trial.grown_again(judge.drafts.schema):
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
        for n in range(len(sizes).bit_length()):
            if not judge.size_holds(sizes[2**n - 1]):
                break
        return wanted()
    except (TimeUp, KeyboardInterrupt):
        deadline.cut_short()
        passing = [size for size in judge.decided if judge.size_holds(size)]
        if not passing:
            raise nothing_in_time(judge.drafts.settings) from None
        if scores:
            return one_standard_error({size: scores[size] for size in passing})
        return max(passing)


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


def prepared(
    table: Table, schema: Schema, settings: PublishSettings, progress: Progress | None = None
) -> Judge:
    """Everything that can be tried with a table; refuses what cannot be meant."""
    settings.check(schema, table.n_rows)
    schema = released_schema(table, schema)
    records = records_of(table, schema, settings.float32_safe)
    refuse_unreachable(MemoryEngine(records), schema, settings)
    return Judge(Drafts(records, schema, settings), progress)


def fit_of(drafts: Drafts, tree: Tree) -> float:
    """Training accuracy, or R2 of a regression tree."""
    if tree.is_regression:
        return training_r2(tree, drafts.engine)
    return training_accuracy(tree)


def _same_tree_at_most(judge: Judge, size: int, exactly_checked: bool) -> Draft:
    """The draft of the largest size up to `size` that passes."""
    changed = None
    drafts = judge.drafts
    for candidate in reversed([s for s in drafts.sizes if s <= size]):
        if not exactly_checked and not judge.size_holds(candidate):
            continue
        draft = judge.draft(candidate)
        outcome = draft.grown_again(drafts.schema)
        if outcome:
            return draft
        spared = None if drafts.settings.by_leaf else judge.spared(candidate)
        if spared is not None:
            return spared
        changed = changed or str(outcome)
    raise TreeChanged(
        f"The tree that grows from the recoded table is another one: {changed}.",
        (f"try {param('guard', 1)}, " if drafts.settings.guard_in_force > 1 else "try ")
        + f"{param('min_leaf', 1)}, another {param('leaves')}, or "
        f"{param('categories', 'multiway')}.",
    )


def _release(
    judge: Judge, draft: Draft, scores: Mapping[int, Score], messages: list[str], frame: str
) -> Release:
    drafts = judge.drafts
    settings, schema = drafts.settings, drafts.schema
    engine = drafts.released(draft)
    rows = Rows.of(engine, schema.names())
    recoding = _recoding_data(drafts, draft)
    shown = shown_sensitive(schema, recoding)
    claims = claims_of(draft.figures, schema, shown, settings.asked(), draft.released_trees)
    if draft.rich is not None:
        claims += rich_claims(draft.recoded, schema, draft.released_trees)
    manifest = Manifest(
        privet_version=__version__,
        method={
            "name": METHOD,
            "recoding": draft.recoding,
            "float32_safe": settings.float32_safe and draft.is_single_precision,
            **disclosure_of(drafts, draft),
            **({"stopped_by_clock": True} if drafts.stopped_by_clock else {}),
            **more_growers(draft.released_trees),
        },
        schema=schema,
        grower=draft.released_trees[0].grower.describe(),
        claims=claims,
        recoding=recoding,
        content_sha256=rows.content_sha256(),
        published=today(),
    )

    def audit() -> Audit:
        return Audit(
            METHOD,
            asdict(settings),
            {
                "chosen_leaves": draft.n_leaves,
                "sizes": [_size_line(judge, draft, size, scores) for size in _looked_at(judge)],
                "columns": before_and_after(drafts.engine, engine, recoding),
                "recodings": recoding,
                "original_model": to_data(*draft.trees),
                "released_model": to_data(*draft.released_trees),
                "l_by_column": {c: dict(ls) for c, ls in draft.figures.l.items()},
                "t_by_column": dict(draft.figures.t),
            },
        )

    origin = Origin(drafts.table, engine.table(), schema.quasi)
    said = tuple(messages)
    tree, *more = draft.released_trees
    return Release(rows, tree, manifest, frame, said, {}, audit, origin, more_trees=tuple(more))


def _recoding_data(drafts: Drafts, draft: Draft) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for column in drafts.schema:
        recoding = draft.base.get(column.name)
        by_leaf = draft.leaf.columns.get(column.name) if draft.leaf else None
        rich = draft.rich.columns.get(column.name) if draft.rich else None
        if rich is not None and recoding is not None:
            columns[column.name] = describe_rich_column(rich, recoding, draft.leaf_counts)
        elif by_leaf is not None and recoding is not None:
            columns[column.name] = describe_leaf_column(by_leaf, recoding, draft.leaf_counts)
        elif recoding is not None:
            columns[column.name] = describe_recoding(recoding, draft.leaf_counts)
        elif column.role is Role.SENSITIVE and not drafts.settings.shows_sensitive:
            columns[column.name] = {"treatment": "suppressed"}
        else:
            columns[column.name] = {"treatment": "kept"}
    return {"method": draft.recoding, "columns": columns}


def _looked_at(judge: Judge) -> list[int]:
    """The sizes that the steward is told of: all of them, unless that would take very long."""
    sizes = judge.drafts.sizes
    is_long = judge.drafts.settings.time_limit is not None or sizes[-1] > 2 * STEP_OF
    return judge.decided if is_long else sizes


def _size_line(
    judge: Judge, chosen: Draft, size: int, scores: Mapping[int, Score]
) -> dict[str, Any]:
    """One size for the steward: what it would have reached."""
    draft = chosen if size == chosen.n_leaves else judge.draft(size)
    figures = draft.figures
    return {
        "leaves": size,
        "k": figures.k,
        "k_with_target": figures.k_with_target,
        "l": figures.worst_l(),
        "t": figures.worst_t(),
        "fit": fit_of(judge.drafts, draft.trees[0]),
        "cross_validated": scores[size].quality if size in scores else None,
        "passes": judge.criteria_hold(draft),
    }
