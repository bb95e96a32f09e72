"""Several trees of one table, grown one after the other.

Records in different leaves of any tree must differ in the release, so K is at most the smallest
intersection of leaves. With leaf and rich recoding each further tree is therefore grown so that its
leaves have k records or none of every intersection before. Unions of such leaves have that, too, so
growing again from the release needs no such test (docs/guarantees/several-trees.md). With global
recoding, and by another program (`outside`), trees are grown as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privet.engine import Engine, MemoryEngine, SqlEngine
from privet.preserve.diverse_leaves import DiverseLeaves
from privet.preserve.growing import admissible_leaves, grow_largest, grower_of
from privet.preserve.leaf_counts import intersections
from privet.preserve.outside import grow_as
from privet.preserve.settings import PublishSettings
from privet.release.leaf_groups import groups_of_rows
from privet.roles import with_one_target
from privet.schema import Kind, Schema
from privet.table import Coded, Domain, Table, code_type
from privet.tree.foreign.following import Followed
from privet.tree.model import Tree


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree, the counts that its growth looked at, and what it asked of leaves."""

    tree: Tree
    engine: Engine
    admissible: DiverseLeaves | None
    followed: Followed | None = None  # where the program goes whose tree it is


def grow_each(
    engine: Engine,
    schema: Schema,
    settings: PublishSettings,
    targets: Sequence[str],
    sized: Callable[[int, Tree], Tree],
) -> list[Grown]:
    """Every tree that the settings ask for; `sized` cuts the largest to the size that is kept."""
    grown: list[Grown] = []
    for number, (asked, target) in enumerate(zip(settings.of_each_tree(), targets, strict=True)):
        ways = [_plainly(engine, schema, settings)]
        if settings.outside:
            seen = with_one_target(schema, target)
            followed = grow_as(engine, seen, asked, grower_of(engine, seen, asked))
            grown.append(Grown(sized(number, followed.tree), engine, None, followed))
            continue
        if grown and settings.by_leaf and settings.k > 1:
            ways.insert(0, _beside(engine, schema, settings, [one.tree for one in grown]))
        for counts, admissible in ways:
            tree = grow_largest(counts, schema, asked, target, admissible)
            if tree.n_leaves > 1:  # else the trees before leave no room: all must come down
                break
        grown.append(Grown(sized(number, tree), counts, admissible))
    return grown


def _plainly(
    engine: Engine, schema: Schema, settings: PublishSettings
) -> tuple[Engine, DiverseLeaves | None]:
    return engine, admissible_leaves(engine, schema, settings)


def _beside(
    engine: Engine, schema: Schema, settings: PublishSettings, trees: Sequence[Tree]
) -> tuple[Engine, DiverseLeaves | None]:
    """Counts that know where the leaves of other trees intersect, and what is asked there."""
    name = max(engine.columns(), key=len) + " leaves"  # no column has this name
    if isinstance(engine, SqlEngine):
        regions = {leaves: region for region, leaves in intersections(engine, trees)}
        counts: Engine = engine.numbered(name, [regions[leaves] for leaves in sorted(regions)])
    else:
        table = engine.table()
        counts = MemoryEngine(Table({**{n: table[n] for n in table}, name: _leaves(trees, table)}))
    return counts, DiverseLeaves(counts, schema, settings, each_often=[name])


def _leaves(trees: Sequence[Tree], table: Table) -> Coded:
    groups, number = groups_of_rows(trees, table)
    domain = Domain(Kind.INTEGER, np.arange(len(groups)))
    return Coded(domain, number.astype(code_type(domain.size)))
