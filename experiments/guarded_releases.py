"""Random tables of every kind, published with a guard: is the tree kept?

Numbers of all sizes, dates, odd and many categories, missing cells, two classes, three or a numeric
target (tests/properties). Each release is written and verified, and a stranger who knows nothing of
Privet (tests/oracles) grows its tree: from the release without a guard, from the release with the
guard, and from the original with the guard. `what_the_tree_tells` prints the table made here.
"""

import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import privet
from privet.errors import PrivetError
from privet.preserve.publisher import TreePreservingPublisher, choose, prepared
from privet.preserve.settings import PublishSettings, Recoding

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracles.independent_reader import Stranger
from oracles.slow_grower import SlowGrowth
from oracles.slow_words import plain
from properties.seeded_tables import Case, drawn

OUTCOMES = ("trees", "all leaves kept", "the same, no guard", "fewer leaves", "global recoding")
ANSWERS = ("verified", "release without guard", "release with guard", "original with guard")
HEADER = ("impurity", "categories", *OUTCOMES, "refused", *ANSWERS)


def guarded_releases(seeds: Sequence[int], recoding: Recoding) -> list[list[Any]]:
    """One line for each impurity and kind of split: how many trees, and what became of them."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            case = drawn(seed)
            settings = asked(case, recoding)
            kind = str(settings.impurity), settings.categories
            found[kind].update(outcome(case, settings, Path(folder) / str(seed)))
    lines = [[*kind, *cells(counts)] for kind, counts in sorted(found.items())]
    return [*lines, ["all", "", *cells(sum(found.values(), Counter()))]]


def asked(case: Case, recoding: Recoding) -> PublishSettings:
    """A k of 2 to 5 with a guard of k, as `publish` would have it."""
    nothing_else: dict[str, Any] = {"l": None, "t": None, "target_known": False, "min_leaf": None}
    k, refine = 2 + case.seed % 4, case.seed % 8 < 4
    return replace(case.settings, recoding=recoding, k=k, guard=k, refine=refine, **nothing_else)


def outcome(case: Case, settings: PublishSettings, folder: Path) -> Counter[str]:
    table, schema = case.table(), case.schema()
    try:
        judge = prepared(table, schema, settings)
        largest = max(judge.drafts.sizes, default=1)
    except PrivetError:  # no leaf could hold what was asked: there is no tree to keep
        largest = 1
    if largest == 1:
        return Counter()
    counts = Counter({"trees": 1, "the same, no guard": int(keeps_plain_tree(case, settings))})
    try:
        release = TreePreservingPublisher(settings).publish(table, schema)
    except PrivetError:
        return counts + Counter({"refused": 1})
    release.save(folder, format="csv", report=False)
    counts["verified"] += bool(privet.verify(folder))
    stranger = Stranger(folder)
    counts["release without guard"] += not stranger.differences()
    if release.manifest.method["recoding"] != settings.recoding:
        return counts + Counter({"global recoding": 1})
    leaves = release.tree.n_leaves
    counts["all leaves kept" if leaves == largest else "fewer leaves"] += 1
    open_columns = frozenset(table.names) - set(judge.drafts.recoded_columns)
    growth, nodes = stranger.grow(stranger.model)
    guarded = replace(growth.settings, guard=settings.guard_in_force, unguarded=open_columns)
    growth.settings = guarded
    counts["release with guard"] += growth.grow() == nodes
    own = judge.draft(leaves).trees[0]
    original = SlowGrowth(
        case.plain.cells, case.plain.ordered, list(own.grower.attributes or ()), own.target, guarded
    )
    counts["original with guard"] += original.grow() == plain(own)
    return counts


def keeps_plain_tree(case: Case, settings: PublishSettings) -> bool:
    """Whether the whole tree that grows without a guard is kept."""
    judge = prepared(case.table(), case.schema(), replace(settings, guard=1))
    try:
        _, draft, _ = choose(judge)
    except PrivetError:
        return False
    by_records = draft.leaf is not None or draft.rich is not None
    return by_records and draft.n_leaves == max(judge.drafts.sizes)


def cells(counts: Counter[str]) -> list[int]:
    return [counts[name] for name in HEADER[2:]]
