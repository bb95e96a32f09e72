"""Trees that another program grows: from the original table, and again from the release.

The tree that is kept is ours, grown in a way that makes it the program's as well (`following`).
Whether the program finds it again in a draft, it is asked itself: it grows its tree from the
records as they will be written. Where it draws among equal splits, other seeds are tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privet.engine import Engine
from privet.errors import TreeChanged, UsageError, param
from privet.preserve.asked_grower import PROGRAMS, TITLES
from privet.preserve.settings import PublishSettings
from privet.roles import with_one_target
from privet.schema import Kind, Schema
from privet.table import Domain, Table
from privet.tree.foreign import Agreement, Grown, Inexpressible, Task, agreement, grown_by
from privet.tree.foreign.fitted import FittedTree
from privet.tree.foreign.following import Followed, Parting, first_parting, grow_following
from privet.tree.foreign.sklearn import told
from privet.tree.foreign.weka import corrects
from privet.tree.grower import Grower
from privet.tree.model import Tree

_SEEDS_OF_ORIGINAL = 8
_SEEDS_OF_RELEASE = 100


@dataclass(frozen=True)
class Refit:
    """What the program grew from a draft: the same trees, ties that fall otherwise, or others."""

    seeds: tuple[int, ...]  # with which each tree grows again
    ties: tuple[str, ...] = ()
    different: Parting | None = None


# -- from the original -----------------------------------------------------------------------------


def grow_as(engine: Engine, schema: Schema, settings: PublishSettings, grower: Grower) -> Followed:
    """Our tree that is the program's as well, up to the size at which both still agree."""
    table = engine.table()
    grower = _in_its_words(table, grower, settings)
    title, fitted = TITLES[settings.program], settings.fitted
    if fitted is not None:
        return _as_fitted(engine, schema, grower, fitted)
    best: Followed | None = None
    for seed in range(_SEEDS_OF_ORIGINAL if settings.program == "sklearn" else 1):

        def theirs(tree: Tree, seed: int = seed) -> Grown:
            offered = replace(tree.grower, attributes=grower.attributes)  # in their own order
            asked = Task(table, schema, replace(tree, grower=offered), True, seed, constants=True)
            return _grown(asked, settings)

        found = grow_following(engine, table, schema, grower, theirs)
        if best is None or _is_better(found, best):
            best = found
        if found.parting is None or not found.parting.is_tie:
            break
    assert best is not None
    if best.tree.n_leaves == 1 and best.parting is not None:
        raise TreeChanged(
            f"{title} grows another tree than exact gains ask for: {best.parting}.",
            f"leave out one of these columns ({param('drop')}), or take "
            f"{param('grower', 'privet')}.",
        )
    return best


def _is_better(found: Followed, best: Followed) -> bool:
    return (not found.flips, found.tree.n_leaves) > (not best.flips, best.tree.n_leaves)


def _as_fitted(engine: Engine, schema: Schema, grower: Grower, fitted: FittedTree) -> Followed:
    table, offered = engine.table(), grower.attributes or ()
    if set(offered) != set(fitted.features):
        odd = sorted(set(offered) ^ set(fitted.features))[0]
        lacks = "table" if odd in fitted.features else "fitted tree"
        raise UsageError(
            f"The {lacks} has no column '{odd}'.",
            "fit the tree to every column of the table but its target and identifiers.",
        )
    if table.n_rows != fitted.records:
        raise UsageError(
            f"The tree was fitted to {fitted.records:,} records, the table has {table.n_rows:,}.",
            "fit it to the table that is published.",
        )
    asked = grower.leaves or fitted.leaves  # fewer than it has, perhaps
    grower = replace(grower, attributes=fitted.features, depth=fitted.depth, leaves=fitted.leaves)

    def theirs(tree: Tree) -> Grown:
        return told(Task(table, schema, tree, by_value=True), fitted.splits)

    found = grow_following(engine, table, schema, grower, theirs)
    if found.parting is not None:
        raise UsageError(
            f"The fitted tree is not the one that exact gains ask for: {found.parting}.",
            "number categories in their sorted order, give missing numbers one above all others, "
            "or fit with another random_state; one of two tied columns can be dropped.",
        )
    return Followed(found.tree.prefix(asked))


def _in_its_words(table: Table, grower: Grower, settings: PublishSettings) -> Grower:
    """scikit-learn has no categories: they are cut in their sorted order, as it sees codes. Old
    versions of J48 always lower the gain of cuts between numbers."""
    if settings.program == "j48":
        return replace(grower, mdl=corrects())
    if settings.program != "sklearn":
        return grower
    domains = {name: table[name].domain for name in grower.attributes or ()}
    orders = {n: _sorted(d) for n, d in domains.items() if d.kind is Kind.CATEGORY}
    return replace(grower, category_orders=orders)


def _sorted(domain: Domain) -> tuple[str | None, ...]:
    values = (domain.value(code) for code in range(domain.size))
    return tuple(None if value is None else str(value) for value in values)


def _grown(task: Task, settings: PublishSettings) -> Grown:
    try:
        return grown_by(PROGRAMS[settings.program], task)
    except Inexpressible as cannot:
        raise UsageError(
            f"{TITLES[settings.program]} cannot grow such a tree: {cannot}.",
            f"take {param('grower', 'privet')}.",
        ) from None


# -- from the release ------------------------------------------------------------------------------


def refit(trees: Sequence[Tree], table: Table, schema: Schema, settings: PublishSettings) -> Refit:
    """Have the program grow every tree from the records as they will be written."""
    seeds: list[int] = []
    ties: list[str] = []
    for tree in trees:
        task = Task(table, with_one_target(schema, tree.target), tree, by_value=True)
        found = _refit_one(task, settings)
        if found.different is not None:
            return found
        seeds += found.seeds
        ties += found.ties
    return Refit(tuple(seeds), tuple(ties))


def _refit_one(task: Task, settings: PublishSettings) -> Refit:
    first = 0 if settings.fitted is None else settings.fitted.seed or 0
    grown = _grown(replace(task, seed=first), settings)
    parting = first_parting(task, grown)
    if parting is None:
        return Refit((first,))
    found = agreement(task, grown, settings.program)
    if not isinstance(found, Agreement) or found.outcome != "tie":
        return Refit((), different=parting)
    if settings.program == "sklearn":
        for seed in range(_SEEDS_OF_RELEASE):
            if first_parting(task, _grown(replace(task, seed=seed), settings)) is None:
                return Refit((seed,))
    return Refit((first,), ties=(found.detail,))
