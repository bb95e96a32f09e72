"""What the tree tells beyond K, with and without a guard, and what the guard costs.

    python experiments/what_the_tree_tells.py [FOLDER] [--quick]

Prints the tables of docs/results/what-the-tree-tells.md as Markdown. First small random tables are
published, and all worlds of each are tried (`all_worlds`): who has one possible target? Then random
tables of every kind are published with a guard (`guarded_releases`), and trees of public tables are
grown with and without one (`guard_price`). FOLDER holds the public tables (default: ../shared/data
beside the repository); those that are not there are left out. The run stops if somebody whom the
rule names has two possible targets, or if the grower does not agree with the list of worlds.
"""

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import guard_price
from all_worlds import MOST_PEOPLE, Published, Worlds, possible_classes
from guarded_releases import HEADER, guarded_releases
from privet.arrays import Booleans
from privet.engine import MemoryEngine
from privet.files.frames import table_of
from privet.preserve.drafts import Draft
from privet.preserve.publisher import TreePreservingPublisher, choose, prepared
from privet.preserve.settings import PublishSettings, Recoding
from privet.schema import Schema
from privet.table import Coded, Table
from privet.tree import Tree, grow
from privet.tree.boundaries import people_at_boundaries
from privet.tree.compare import compare
from privet.tree.guard import Guard

DATA = Path(__file__).parents[2] / "shared" / "data"
MOST_TRIALS = 400  # worlds of a table that are published to see whether the release is the same
MOST_LOOKED_AT = 5_000  # worlds among which those are chosen


def show(title: str, header: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Print a table, each line as soon as it is there; nothing if there is none."""
    for number, line in enumerate(lines):
        if number == 0:
            print(f"\n## {title}\n")
            for first in (header, ["---"] * len(header)):
                print("| " + " | ".join(first) + " |")
        print("| " + " | ".join(map(str, line)) + " |", flush=True)


# -- all worlds of small tables --------------------------------------------------------------------


def small_table(rng: np.random.Generator) -> tuple[Table, Schema]:
    """24 people: an age that few share, one of five bands, one of eight towns, most in few of them.

    The target is whether the sum of the three is above its median, for one in five the opposite.
    """
    n, towns = MOST_PEOPLE, list("abcdefgh")
    often = 1 / np.arange(1, len(towns) + 1)
    age, band = rng.integers(0, 100, n), rng.integers(0, 5, n)
    town = rng.choice(len(towns), n, p=often / often.sum())
    lean = rng.permutation(len(towns)) / len(towns)
    total = age / 100 + band / 5 + lean[town]
    ill = (total > np.median(total)) != (rng.random(n) < 0.2)
    cells = {
        "age": age.tolist(),
        "band": band.tolist(),
        "town": [towns[t] for t in town],
        "ill": ["yes" if one else "no" for one in ill],
    }
    table = table_of(cells, {}, ())
    return table, table.schema().with_roles(target="ill")


@dataclass(frozen=True)
class Asked:
    """How some small tables are published."""

    recoding: Recoding
    refine: bool
    leaves: int
    k: int
    guard: int

    def settings(self) -> PublishSettings:
        return PublishSettings(
            k=self.k,
            leaves=self.leaves,
            guard=self.guard,
            recoding=self.recoding,
            refine=self.refine,
        )


@dataclass(frozen=True)
class Found:
    """How many people of one table have one possible target: by the counts of their equivalence
    class, by these and the tree, by the whole release at most; and how many the rule names."""

    by_counts: int
    by_tree: int
    by_release: int
    by_rule: int
    published_again: int
    other_release: int

    @property
    def mixed(self) -> int:
        return MOST_PEOPLE - self.by_counts


def look(seed: int, asked: Asked) -> Found | None:
    """Publish a small table and try all its worlds; None if no tree of that size is kept."""
    rng = np.random.default_rng(seed)
    table, schema = small_table(rng)
    draft = drafted_as_asked(table, schema, asked.settings())
    if draft is None:
        return None
    guard, classes = Guard(asked.guard), equal_rows(draft, schema)
    published = Published(table, draft.trees[0], guard, classes)
    worlds = published.worlds()
    check_worlds(published, worlds, schema, rng)
    possible = possible_classes(worlds)
    told = told_by_rule(table, draft.trees[0], guard)
    if possible[told].all(axis=1).any():
        raise SystemExit(f"seed {seed}: the rule names somebody with two possible targets")
    answers = table[schema.target].codes
    pure = [len(set(answers[classes == c].tolist())) == 1 for c in classes]
    sure, again, other = confirmed(published, worlds, schema, asked.settings(), rng)
    by_tree, by_release = (int((~pairs.all(axis=1)).sum()) for pairs in (possible, sure))
    return Found(sum(pure), by_tree, by_release, len(told), again, other)


def drafted_as_asked(table: Table, schema: Schema, settings: PublishSettings) -> Draft | None:
    judge = prepared(table, schema, settings)
    if settings.leaves not in judge.drafts.sizes:
        return None
    taken, draft, _ = choose(judge)
    as_asked = taken.drafts.settings.recoding == settings.recoding
    by_records = draft.leaf is not None or draft.rich is not None
    return draft if as_asked and by_records and draft.n_leaves == settings.leaves else None


def equal_rows(draft: Draft, schema: Schema) -> npt.NDArray[np.int64]:
    """The number of each person's equivalence class in the release."""
    engine = draft.recoded
    assert isinstance(engine, MemoryEngine)
    released = engine.table()
    codes = np.stack([released[name].codes for name in schema.quasi], axis=1)
    _, classes = np.unique(codes, axis=0, return_inverse=True)
    return np.asarray(classes.ravel(), dtype=np.int64)


def told_by_rule(table: Table, tree: Tree, guard: Guard) -> list[int]:
    """The rows of the people whom the boundaries tell."""
    leaves, rows = tree.leaf_of_rows(table), []
    for person in people_at_boundaries(MemoryEngine(table), tree, guard=guard):
        mark = person.marks[0]
        (row,) = np.flatnonzero(
            (leaves == person.leaf) & (table[mark.attribute].codes == mark.code)
        )
        if person.told:
            rows.append(int(row))
    return rows


def in_world(table: Table, schema: Schema, answers: npt.NDArray[Any]) -> Table:
    column = table[schema.target]
    return table.replace({schema.target: Coded(column.domain, answers.astype(column.codes.dtype))})


def check_worlds(
    published: Published, worlds: Worlds, schema: Schema, rng: np.random.Generator
) -> None:
    """The truth is possible; the grower agrees on a world that is and on one drawn at random."""
    table, tree = published.table, published.tree
    truth = table[schema.target].codes
    drawn = truth.copy()
    for c in np.unique(published.classes):
        alike = np.flatnonzero(published.classes == c)
        drawn[alike] = rng.permutation(drawn[alike])
    for answers in (truth, worlds[:, rng.integers(worlds.shape[1])], drawn):
        world = MemoryEngine(in_world(table, schema, answers))
        again = grow(world, schema, tree.grower, guard=published.guard)
        is_listed = bool((worlds == answers[:, None]).all(axis=0).any())
        if bool(compare(tree, again)) != is_listed or (answers is truth and not is_listed):
            raise SystemExit("the grower does not agree with the list of worlds")


def confirmed(
    published: Published,
    worlds: Worlds,
    schema: Schema,
    settings: PublishSettings,
    rng: np.random.Generator,
) -> tuple[Booleans, int, int]:
    """Which classes of each person occur in worlds that were published and gave the same release.

    Worlds that show most of what is not yet confirmed come first; at most MOST_TRIALS are
    published. The other figures: how many were, and how many of them gave another release.
    """
    publisher = TreePreservingPublisher(settings)
    first = publisher.publish(published.table, schema)
    shown = np.stack([worlds == 0, worlds == 1], axis=1)  # people x classes x worlds
    possible = shown.any(axis=2)
    sure = np.zeros_like(possible)
    untried = rng.permutation(worlds.shape[1])[:MOST_LOOKED_AT]
    trials = other = 0
    while (possible & ~sure).any() and len(untried) and trials < MOST_TRIALS:
        new = (shown[:, :, untried] & ~sure[:, :, None]).sum(axis=(0, 1))
        number, untried = untried[new.argmax()], np.delete(untried, new.argmax())
        release = publisher.publish(in_world(published.table, schema, worlds[:, number]), schema)
        trials += 1
        if release.manifest == first.manifest and release.tree == first.tree:
            sure |= shown[:, :, number]
        else:
            other += 1
    return sure, trials, other


def share(amounts: Sequence[float], wholes: Sequence[float]) -> str:
    """A ratio of sums over tables in percent, with its standard error."""
    a, b = np.array(amounts, dtype=float), np.array(wholes, dtype=float)
    ratio, n = a.sum() / b.sum(), len(a)
    error = np.sqrt(n / (n - 1) * ((a - ratio * b) ** 2).sum()) / b.sum()
    return f"{100 * ratio:.1f} ± {100 * error:.1f}"


TOLD = ("leaves", "k", "guard", "tables", "class counts, %", "and the tree, %")
TOLD += ("and the release, at most %", "of mixed classes, %", "named by the rule", "other release")


def all_worlds(asked: Iterable[Asked], tables: int) -> Iterator[list[Any]]:
    """One line for each way of publishing so many small tables."""
    for one in asked:
        tried = [look(seed, one) for seed in range(tables)]
        found = [found for found in tried if found is not None]
        if len(found) > 1:
            yield [one.leaves, one.k, one.guard, len(found), *summed_up(found)]


def summed_up(found: Sequence[Found]) -> list[str]:
    def total(name: str) -> int:
        return sum(getattr(one, name) for one in found)

    everybody = [MOST_PEOPLE] * len(found)
    more = [one.by_tree - one.by_counts for one in found]
    return [
        share([one.by_counts for one in found], everybody),
        share([one.by_tree for one in found], everybody),
        share([one.by_release for one in found], everybody),
        share(more, [one.mixed for one in found]),
        f"{total('by_rule')} of {sum(more)}",
        f"{total('other_release')} of {total('published_again')}",
    ]


def small_tables(quick: bool) -> None:
    ks, sizes, many, few = ([5], [3], 4, 2) if quick else ([2, 3, 4, 5], [2, 3, 4], 120, 60)
    whole = [Asked("leaf", False, m, k, guard) for m in sizes for k in ks for guard in (1, k)]
    show("All worlds: leaf recoding without refinement", TOLD, all_worlds(whole, many))
    for recoding in ("leaf", "rich"):
        finer = [Asked(recoding, True, 3, k, guard) for k in ks if k % 2 for guard in (1, k)]
        named = "leaf recoding with refinement" if recoding == "leaf" else "rich recoding"
        show(f"All worlds: {named}", TOLD, all_worlds(finer, few))


# -- all of it -------------------------------------------------------------------------------------


def public_tables(folder: Path, quick: bool) -> None:
    accuracies, people, times, kept = [], [], [], []
    for data in guard_price.public_tables(folder):
        accuracies += guard_price.accuracy(data, runs=2 if quick else 30)
        people += guard_price.told(data)
        times.append(guard_price.seconds(data, times=1 if quick else 5))
        if not quick:
            kept.append(guard_price.kept(data))
    _, *guards = guard_price.GUARDS
    named = ["table", "no guard", *(f"guard {guard}" for guard in guards)]
    show("Accuracy on rows held out", ["table", "leaves", *named[1:]], accuracies)
    header = ["table", "people", "minimum leaf", "leaves", "told", "narrowed", "told, %"]
    show("People told by boundaries", [*header, "told, guard 5"], people)
    show("CPU seconds of growing 32 leaves", named, times)
    header = [f"k {k}, guard {guard}" for k in guards for guard in (1, k)]
    show("Leaves published, of those grown (32 asked)", ["table", *header], kept)


def main(words: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=DATA)
    options.add_argument("--quick", action="store_true", help="few tables, few runs")
    asked = options.parse_args(words)
    start = time.process_time()
    small_tables(asked.quick)
    for recoding in ("leaf", "rich"):
        releases = guarded_releases(range(30 if asked.quick else 500), recoding)
        show(f"Random tables of every kind, {recoding} recoding, guard k", HEADER, releases)
    public_tables(asked.folder, asked.quick)
    print(f"\n{time.process_time() - start:.0f} CPU seconds in all")


if __name__ == "__main__":
    main()
