"""The publisher: a table in, a release out from which the same tree grows.

It prepares the records, lets `choosing` find the draft to release, and puts rows, trees, claims and
audit together. `messages` says what it refuses and tells; writing and verifying is the release's
job.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from privet.preserve.asked_grower import require_grower
from privet.preserve.choosing import choose
from privet.preserve.describe import (
    before_and_after,
    describe_leaf_column,
    describe_recoding,
    describe_rich_column,
)
from privet.preserve.disclosure import disclosure_of
from privet.preserve.drafts import Draft, Drafts
from privet.preserve.judging import Judge, Progress
from privet.preserve.messages import messages_on, on_outside
from privet.preserve.on_disk import refuse_on_disk
from privet.preserve.people_columns import people_figures, with_pairs
from privet.preserve.question import lines_of
from privet.preserve.reachable import refuse_unreachable
from privet.preserve.records import (
    DECIMALS,
    SINGLE,
    records_of,
    released_schema,
    target_entry,
    with_reshaped_target,
)
from privet.preserve.row_numbers import origin_of, with_row_numbers
from privet.preserve.search import LARGE
from privet.preserve.settings import PublishSettings
from privet.release.audit import Audit
from privet.release.claims.privacy import shown_sensitive
from privet.release.claims.rich import rich_claims
from privet.release.claims.tree_method import more_growers
from privet.release.claims.tree_preserving import METHOD, claims_of
from privet.release.manifest import Manifest
from privet.release.regrow import GROWN_BY, grown_by
from privet.release.release import Release, today
from privet.release.rows import Rows
from privet.roles import with_targets
from privet.schema import Role, Schema
from privet.table import Table
from privet.tree.accuracy import training_accuracy, training_r2
from privet.tree.cross_validation import Score
from privet.tree.exchange.model_file import to_data
from privet.tree.model import Tree
from privet.version import __version__

if TYPE_CHECKING:
    from privet.preserve.exploration import Exploration, SizeLine


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
        explored: "Exploration | None" = None,
    ) -> Release:
        """The release, or an error that says what could be reached. Sizes that were explored are
        not tried again for the audit."""
        known = lines_of(explored, table, schema, self.settings)
        judge, draft, scores = choose(prepared(table, schema, self.settings, progress))
        told = []
        used, asked = judge.drafts.settings.recoding, self.settings.recoding
        if used != asked:
            told = [
                f"{asked.capitalize()} recoding reaches no tree with what was asked; {used} "
                "recoding was used."
            ]
            known = {}  # they were recoded as asked
        told += [*messages_on(judge.drafts, draft), *on_outside(judge, draft)]
        return _release(judge, draft, scores, told, frame, known)


def prepared(
    table: Table, schema: Schema, settings: PublishSettings, progress: Progress | None = None
) -> Judge:
    """Everything that can be tried with a table; refuses what cannot be meant."""
    settings.check(schema, table.n_rows)
    refuse_on_disk(settings)
    require_grower(settings)
    schema = released_schema(table, schema, settings.person)
    singly = SINGLE if settings.program == "sklearn" else DECIMALS if settings.float32_safe else ()
    records = records_of(table, schema, singly, settings.person)
    if settings.reshapes_target:
        records, schema, settings = with_reshaped_target(records, schema, settings)
    every = with_targets(schema, settings.targets(schema.target))
    records = with_row_numbers(with_pairs(records, every, settings.person))
    drafts = Drafts(records, schema, settings)
    refuse_unreachable(drafts.engine, every, settings)
    return Judge(drafts, progress)


def fit_of(drafts: Drafts, tree: Tree) -> float:
    """Training accuracy, or R2 of a regression tree."""
    if tree.is_regression:
        return training_r2(tree, drafts.engine)
    return training_accuracy(tree)


def _release(
    judge: Judge,
    draft: Draft,
    scores: Mapping[int, Score],
    messages: list[str],
    frame: str,
    known: "Mapping[int, SizeLine]",
) -> Release:
    drafts = judge.drafts
    settings, schema = drafts.settings, drafts.schema
    engine = drafts.released(draft)
    rows = Rows.of(engine, schema.names())
    recoding = _recoding_data(drafts, draft)
    shown = shown_sensitive(schema, recoding)
    asked = settings.asked() | {"of_people": people_figures(draft.judged, schema, settings)}
    claims = claims_of(draft.figures, schema, shown, asked, draft.released_trees)
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
            **_grown_by(judge, draft),
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
                "sizes": [
                    _size_line(judge, draft, size, scores, known) for size in _looked_at(judge)
                ],
                "columns": before_and_after(drafts.engine, engine, recoding),
                "recodings": recoding,
                "original_model": to_data(*draft.trees),
                "released_model": to_data(*draft.released_trees),
                "l_by_column": {c: dict(ls) for c, ls in draft.figures.l.items()},
                "t_by_column": dict(draft.figures.t),
            },
        )

    origin = origin_of(drafts.table, engine, schema.quasi)
    said = tuple(messages)
    tree, *more = draft.released_trees
    return Release(rows, tree, manifest, frame, said, {}, audit, origin, more_trees=tuple(more))


def _grown_by(judge: Judge, draft: Draft) -> dict[str, Any]:
    """What the manifest says of the program whose tree was kept, where that is not our own."""
    program = judge.drafts.settings.program
    if program == "privet":
        return {}
    found = judge.refit(draft)
    return {GROWN_BY: grown_by(program, found.seeds, found.ties)}


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
        elif column.name == drafts.targets[0] and drafts.settings.reshapes_target:
            columns[column.name] = target_entry(drafts.settings)
        else:
            columns[column.name] = {"treatment": "kept"}
    return {"method": draft.recoding, "columns": columns}


def _looked_at(judge: Judge) -> list[int]:
    """The sizes that the steward is told of: all of them, unless that would take very long."""
    sizes = judge.drafts.sizes
    is_long = judge.drafts.settings.time_limit is not None or sizes[-1] > 2 * LARGE
    return judge.decided if is_long else sizes


def _size_line(
    judge: Judge,
    chosen: Draft,
    size: int,
    scores: Mapping[int, Score],
    known: "Mapping[int, SizeLine]",
) -> dict[str, Any]:
    """One size for the steward: what it would have reached."""
    tried = known.get(size)
    if tried is None or size == chosen.n_leaves or judge.drafts.settings.l_kind != "strong":
        draft = chosen if size == chosen.n_leaves else judge.draft(size)
        tree, figures, passes = draft.trees[0], draft.figures, judge.criteria_hold(draft)
        of_k = figures.k, figures.k_with_target
        reached = *of_k, figures.worst_l(), figures.worst_t(), fit_of(judge.drafts, tree), passes
    else:
        of_k = tried.k, tried.k_with_target
        reached = *of_k, tried.l, tried.t, tried.training, tried.passes
    k, k_with_target, worst_l, worst_t, fit, passes = reached
    return {
        "leaves": size,
        "k": k,
        "k_with_target": k_with_target,
        "l": worst_l,
        "t": worst_t,
        "fit": fit,
        "cross_validated": scores[size].quality if size in scores else None,
        "passes": passes,
    }
