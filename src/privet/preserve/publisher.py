"""The publisher: a table in, a release out from which the same tree grows.

It searches the largest size that passes (`search` over `draft`), or lets cross-validation choose
one, and puts rows, tree, claims and audit together. Writing and verifying is the release's job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privet.engine import MemoryEngine
from privet.errors import CriterionNotReached, PrivetError, TreeChanged, UsageError
from privet.preserve.by_leaf.recode import LeafRecoding
from privet.preserve.describe import before_and_after, describe_leaf_column, describe_recoding
from privet.preserve.drafts import Draft, Drafts, records_of
from privet.preserve.recoding import Treatment
from privet.preserve.search import largest_passing
from privet.preserve.settings import PublishSettings
from privet.release.claims import claims_of, shown_sensitive
from privet.release.manifest import Manifest
from privet.release.release import Audit, Release, today
from privet.release.rows import Rows
from privet.schema import Role, Schema
from privet.table import Table
from privet.tree.accuracy import training_accuracy, training_r2
from privet.tree.cross_validation import Score, cross_validate, one_standard_error
from privet.tree.model import Tree
from privet.version import __version__


@dataclass(frozen=True)
class TreePreservingPublisher:
    """Publishes a table with its tree; see `PublishSettings` for what can be asked."""

    settings: PublishSettings

    def publish(self, table: Table, schema: Schema, like: Any = None) -> Release:
        """The release, or an error that says what could be reached."""
        drafts = prepared(table, schema, self.settings)
        size, scores, messages = self._chosen(drafts)
        draft = drafts.at(size)
        return _release(drafts, draft, scores, messages, like)

    def _chosen(self, drafts: Drafts) -> tuple[int, dict[int, Score], list[str]]:
        sizes = drafts.sizes
        if not sizes:
            raise no_tree(drafts)
        monotone = self.settings.recoding == "global" and drafts.is_monotone
        largest = largest_passing(sizes, drafts.criteria_hold, monotone)
        if largest is None:
            raise _not_reached(drafts, sizes[0])
        scores: dict[int, Score] = {}
        wanted = largest
        if self.settings.leaves is None:
            passing = [size for size in sizes if size <= largest]
            scores = cross_validated(drafts, passing)
            wanted = one_standard_error(scores)
        found = _same_tree_at_most(drafts, wanted, exactly_checked=monotone)
        return found, scores, _messages(self.settings, drafts, found, wanted)


def prepared(table: Table, schema: Schema, settings: PublishSettings) -> Drafts:
    """Everything that can be tried with a table; refuses what cannot be meant."""
    settings.check(schema, table.n_rows)
    schema = replace(
        schema,
        columns=tuple(c for c in schema if c.role is not Role.IDENTIFIER and c.name in table),
    )
    if not schema.quasi:
        raise UsageError(
            "No quasi-identifier is left to protect.",
            "columns without a role are quasi-identifiers; name fewer others.",
        )
    return Drafts(records_of(table, schema, settings.float32_safe), schema, settings)


def cross_validated(drafts: Drafts, sizes: list[int]) -> dict[int, Score]:
    """The cross-validated score of each size of the tree."""
    return cross_validate(
        drafts.table, drafts.schema, sizes, lambda part: drafts.grow_on(MemoryEngine(part))
    )


def fit_of(drafts: Drafts, tree: Tree) -> float:
    """Training accuracy, or R2 of a regression tree."""
    if tree.is_regression:
        return training_r2(tree, drafts.engine)
    return training_accuracy(tree)


def _same_tree_at_most(drafts: Drafts, size: int, exactly_checked: bool) -> int:
    """The largest size up to `size` that passes and grows the same tree again."""
    changed = None
    for candidate in reversed([s for s in drafts.sizes if s <= size]):
        if not exactly_checked and not drafts.criteria_hold(candidate):
            continue
        outcome = drafts.at(candidate).grown_again(drafts.schema)
        if outcome:
            return candidate
        if drafts.settings.recoding == "global" and drafts.spare_columns(candidate):
            return candidate
        changed = changed or str(outcome)
    raise TreeChanged(
        f"The tree that grows from the recoded table is another one: {changed}.",
        "try --min-leaf 1, another --leaves, or --categories multiway.",
    )


def _messages(settings: PublishSettings, drafts: Drafts, found: int, wanted: int) -> list[str]:
    messages = []
    asked = settings.leaves
    if asked is not None and found < asked:
        grown_out = drafts.tree.n_leaves == found
        reason = _why_no_more(settings) if grown_out else "no larger tree passes"
        messages.append(f"{asked} leaves were asked for; {found} are published: {reason}.")
    one_class = drafts.at(found).figures.one_class
    if one_class:
        hold = "class holds" if one_class == 1 else "classes hold"
        messages.append(
            f"{one_class} equivalence {hold} one target value only: who is known to be in "
            f"{'it' if one_class == 1 else 'one of them'} has that value disclosed."
        )
    if settings.recoding == "leaf":
        messages += _messages_on_leaves(drafts.at(found).leaf)
    return messages


def _why_no_more(settings: PublishSettings) -> str:
    """Why growth ended before the leaves that were asked for."""
    by_leaf = settings.recoding == "leaf"
    least = settings.smallest_leaf
    needs = [f"{least} records"] if least > 1 else []
    needs += [name for name in ("l", "t") if by_leaf and getattr(settings, name) is not None]
    reason = "no more splits gain" + (f" and keep {' and '.join(needs)} in a leaf" if needs else "")
    return reason + (", or have too many branches" if settings.categories == "multiway" else "")


def no_tree(drafts: Drafts) -> PrivetError:
    """Why there is no split at all: no room for its branches, a level out of reach, or no gain."""
    settings = drafts.settings
    least = settings.smallest_leaf
    by_leaf = settings.recoding == "leaf"
    branches = drafts.first_split(least, judged=by_leaf).n_leaves
    if branches > 1:
        return UsageError(
            f"The first split has {branches} branches, more than the leaves allowed.",
            f"give --leaves {branches} or more, or --categories subset.",
        )
    # By leaf, k asks for large leaves from the start: find the largest that a split can have.
    low, high = (0, least + 1) if by_leaf and settings.min_leaf is None else (least - 1, least + 1)
    while high - low > 1:
        middle = (low + high) // 2
        found = drafts.first_split(middle, judged=False).n_leaves > 1
        low, high = (middle, high) if found else (low, middle)
    if low < max(1, least if settings.min_leaf is not None else 1):
        return UsageError(
            "No split of this table gains anything, so there is no tree to publish.",
            "check the target and the columns offered, or lower --min-leaf.",
        )
    branches = drafts.first_split(low, judged=False).n_leaves
    looser = replace(settings, k=1, l=None, t=None, min_leaf=low, leaves=branches, refine=False)
    return _not_reached(Drafts(drafts.table, drafts.schema, looser), branches)


def _messages_on_leaves(leaf: LeafRecoding | None) -> list[str]:
    if leaf is None:
        return ["Leaf recoding did not keep the tree at this size; global recoding was used."]
    coded = [n for n, c in leaf.columns.items() if c.treatment is Treatment.CODED]
    loose = [n for n, c in leaf.columns.items() if c.form != "strict"]
    messages = []
    if coded:
        messages.append(f"Codes that regrow the tree, not true values: {', '.join(coded)}.")
    if loose:
        messages.append(
            f"Other growers may break ties otherwise on: {', '.join(loose)} "
            "(`privet verify --with` tells)."
        )
    return messages


def _not_reached(drafts: Drafts, smallest: int) -> CriterionNotReached:
    figures = drafts.at(smallest).figures
    settings = drafts.settings
    reached = [f"k = {figures.k_with_target if settings.target_known else figures.k}"]
    worst_l, worst_t = figures.worst_l(_shown_kind(settings)), figures.worst_t()
    if worst_l is not None:
        reached.append(f"l = {worst_l:.4g}")
    if worst_t is not None:
        reached.append(f"t = {worst_t:.4g}")
    return CriterionNotReached(
        f"Not even the smallest tree ({smallest} leaves) reaches what was asked for; "
        f"it reaches {', '.join(reached)}.",
        "ask for less, or leave out a column (--drop) or name fewer quasi-identifiers.",
    )


def _shown_kind(settings: PublishSettings) -> str:
    return "strong" if settings.l_kind == "recursive" else settings.l_kind


def _release(
    drafts: Drafts,
    draft: Draft,
    scores: Mapping[int, Score],
    messages: list[str],
    like: Any,
) -> Release:
    settings, schema = drafts.settings, drafts.schema
    engine = drafts.released(draft)
    rows = Rows.of(engine, schema.names())
    recoding = _recoding_data(drafts, draft)
    shown = shown_sensitive(schema, recoding)
    asked = settings.asked() | {"l_kind": _shown_kind(settings)}
    claims = claims_of(draft.figures, schema, shown, asked, draft.n_leaves)
    manifest = Manifest(
        privet_version=__version__,
        method={
            "name": "tree-preserving",
            "recoding": "global" if draft.leaf is None else "leaf",
            "float32_safe": draft.leaf is not None and settings.float32_safe,
        },
        schema=schema,
        grower=draft.released_tree.grower.describe(),
        claims=claims,
        recoding=recoding,
        content_sha256=rows.content_sha256(),
        published=today(),
    )

    def audit() -> Audit:
        return Audit(
            original_tree=draft.tree,
            recodings=recoding,
            columns=before_and_after(draft.leaf_counts.domains, engine, recoding),
            sizes=tuple(_size_line(drafts, size, scores) for size in drafts.sizes),
            chosen=draft.n_leaves,
        )

    return Release(rows, draft.released_tree, manifest, like, tuple(messages), audit)


def _recoding_data(drafts: Drafts, draft: Draft) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for column in drafts.schema:
        recoding = draft.base.get(column.name)
        by_leaf = draft.leaf.columns.get(column.name) if draft.leaf else None
        if by_leaf is not None and recoding is not None:
            columns[column.name] = describe_leaf_column(by_leaf, recoding, draft.leaf_counts)
        elif recoding is not None:
            columns[column.name] = describe_recoding(recoding, draft.leaf_counts)
        elif column.role is Role.SENSITIVE and not drafts.settings.release_sensitive:
            columns[column.name] = {"treatment": "suppressed"}
        else:
            columns[column.name] = {"treatment": "kept"}
    return {"method": "global" if draft.leaf is None else "leaf", "columns": columns}


def _size_line(drafts: Drafts, size: int, scores: Mapping[int, Score]) -> dict[str, Any]:
    """One size for the steward: what it would have reached."""
    figures = drafts.at(size).figures
    return {
        "leaves": size,
        "k": figures.k,
        "k_with_target": figures.k_with_target,
        "l": figures.worst_l(),
        "t": figures.worst_t(),
        "fit": fit_of(drafts, drafts.tree.prefix(size)),
        "cross_validated": scores[size].quality if size in scores else None,
        "passes": drafts.criteria_hold(size),
    }
