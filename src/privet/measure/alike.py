"""Which values of categories are alike: by the trees of DETECTIVE, and by CACTUS.

A tree predicts each column from all others; values that share one of its leaves, or sibling
leaves, are alike there (`similarity` next door). CACTUS looks at the whole table at once
(`cactus`). This is what `privet alike` shows, and what noise on categories goes by.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from privet.engine import MemoryEngine
from privet.errors import UnknownColumn, UsageError, param
from privet.measure.cactus import Clustering, cactus
from privet.measure.similarity import Similarity, similarities
from privet.schema import Kind, Role, Schema
from privet.table import Table, Value
from privet.tree.model import Tree
from privet.tree.natural import NoiseTreeSettings, tree_of_category
from privet.words import count

MOST_VALUES = 100  # of a column that CACTUS takes
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Alike:
    """How alike values are: for each column its tree and the pairs in its leaves and in sets of
    sibling leaves; what CACTUS found, and the columns that have too many values for it."""

    trees: Mapping[str, Tree]
    in_leaves: Mapping[str, Sequence[Similarity]]
    in_siblings: Mapping[str, Sequence[Similarity]]
    clustering: Clustering | None
    left_out: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        columns = {
            name: {
                "leaves": tree.n_leaves,
                "in_leaves": [asdict(pair) for pair in self.in_leaves[name]],
                "in_siblings": [asdict(pair) for pair in self.in_siblings[name]],
            }
            for name, tree in self.trees.items()
        }
        return {
            "columns": columns,
            "cactus": None if self.clustering is None else self.clustering.to_data(),
            "left_out": list(self.left_out),
        }

    def sentences(self) -> Iterator[str]:
        """For people: the most similar pairs of each column, and the clusters."""
        for name, tree in self.trees.items():
            yield f"{name}: its tree has {count(tree.n_leaves, 'leaf', 'leaves')}."
            for where, pairs in (
                ("leaf", self.in_leaves[name]),
                ("siblings", self.in_siblings[name]),
            ):
                for pair in sorted(pairs, key=lambda one: -one.product)[:_SHOWN]:
                    places = " and ".join(map(str, pair.leaves))
                    yield (
                        f"  {where} {places}: {_shown(pair.first)} and {_shown(pair.second)}, "
                        f"{pair.product:,} ({pair.share:.1%})"
                    )
        if self.left_out:
            yield f"More than {MOST_VALUES} values, so not for CACTUS: {', '.join(self.left_out)}."
        if self.clustering is not None:
            yield from _clusters(self.clustering)


def _clusters(found: Clustering) -> Iterator[str]:
    cut = "" if found.is_complete else " (at least: there were too many sets to follow them all)"
    yield (
        f"CACTUS: {count(len(found.strong), 'pair')} of values strong together, "
        f"{count(len(found.clusters), 'cluster')}{cut}."
    )
    for cluster in found.clusters[: 2 * _SHOWN]:
        parts = [
            f"{name} {', '.join(map(_shown, values))}"
            for name, values in zip(found.columns, cluster.values, strict=True)
        ]
        yield (
            f"  {'; '.join(parts)}: {count(cluster.support, 'record')}, "
            f"by chance {cluster.expected:.1f}"
        )


def _shown(value: Value) -> str:
    return "(missing)" if value is None else str(value)


def values_alike(
    table: Table,
    schema: Schema,
    columns: Sequence[str],
    trees: NoiseTreeSettings,
    alpha: float,
) -> Alike:
    """How alike the values of some columns of categories are, of all if none are named."""
    for name in columns:
        if name not in table:
            raise UnknownColumn(name, table.names, where=param("columns"))
    table = table.select(
        c.name for c in schema if c.role is not Role.IDENTIFIER and c.name in table
    )
    chosen = _chosen(table, columns)
    engine = MemoryEngine(table)
    grown = {name: tree_of_category(engine, name, trees) for name in chosen}
    few = [name for name in chosen if table[name].domain.size <= MOST_VALUES]
    return Alike(
        grown,
        {name: similarities(tree, "leaf") for name, tree in grown.items()},
        {name: similarities(tree, "siblings") for name, tree in grown.items()},
        cactus(table, few, alpha) if len(few) > 1 else None,
        tuple(name for name in chosen if name not in few),
    )


def _chosen(table: Table, columns: Sequence[str]) -> list[str]:
    """The columns that are named, or all that hold categories of several values."""
    able = [n for n in table if table[n].domain.kind is Kind.CATEGORY and table[n].domain.size > 1]
    hint = (
        f"name columns of categories: {param('columns', 'city,job')}; numbers that stand for "
        f"groups are read as such with {param('category')}."
    )
    if not columns and not able:
        raise UsageError("There is no column of categories to look at.", hint)
    for name in columns:
        if name not in able:
            raise UsageError(f"Column '{name}' holds no categories of several values.", hint)
    return list(columns) or able
