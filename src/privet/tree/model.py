"""The tree: an immutable model. Growers return one (`grow`), nobody edits one.

Nodes are stored in the order in which they were created, so that the tree with fewer leaves is a
beginning of the list (`Tree.prefix`). `files` turns a tree into model.json and back, `rules` into
sentences, `drawing` into text and pictures, `compare` tells two trees apart.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.compiled import loaded
from privet.engine.protocol import AnyOf, Between, Condition, Path, Region
from privet.schema import Kind
from privet.table import Domain, Table, Value, code_type
from privet.tree.grower import Grower

COMPILE_FROM = 50_000  # rows that a compiled loop parts faster, where such loops are loaded


@dataclass(frozen=True)
class Threshold:
    """Numbers up to the threshold go left, larger ones and missing go right.

    Dates are days, datetimes microseconds here. `threshold` None is the cut between numbers (left)
    and missing (right).
    """

    attribute: str
    kind: Kind
    threshold: float | None

    @property
    def n_children(self) -> int:
        return 2

    def child_of_codes(self, domain: Domain, default: int) -> npt.NDArray[np.int64]:
        """For each code of a domain, the number of the child it goes to."""
        children = np.ones(domain.size, dtype=np.int64)
        children[: self._n_left(domain)] = 0
        return children

    def conditions(self, domain: Domain) -> list[Condition]:
        """What a record must satisfy to go to each child, in codes of a domain."""
        last = self._n_left(domain) - 1
        left = Between(self.attribute, 0, last)
        return [left, Between(self.attribute, last + 1, domain.size - 1)]

    def _n_left(self, domain: Domain) -> int:
        """How many values of a domain go left, compared exactly even for integers beyond 2^53."""
        if self.threshold is None:
            return len(domain.values)
        bound: float | np.int64 = self.threshold
        if domain.kind is not Kind.DECIMAL:
            whole = math.floor(self.threshold)
            bound = np.int64(min(max(whole, -(2**63)), 2**63 - 1))
        return int(np.searchsorted(domain.values, bound, side="right"))


@dataclass(frozen=True)
class Subset:
    """Some categories go left, some right; None is missing. Others were absent when it was made.

    `more_left` and `more_right` go with them but are carried by no record of the table at hand, so
    that a tree grown from it cannot name them (a recoded table; see docs/model-format.md).
    """

    attribute: str
    left: tuple[Value, ...]
    right: tuple[Value, ...]
    more_left: tuple[Value, ...] = field(default=(), compare=False)
    more_right: tuple[Value, ...] = field(default=(), compare=False)

    @property
    def n_children(self) -> int:
        return 2

    def child_of_codes(self, domain: Domain, default: int) -> npt.NDArray[np.int64]:
        sides = (*self.left, *self.more_left), (*self.right, *self.more_right)
        return _children_of_labels(domain, sides, default)

    def conditions(self, domain: Domain) -> list[Condition]:
        return _any_of(self.attribute, domain, (self.left, self.right))


@dataclass(frozen=True)
class Multiway:
    """One child for each category; None is missing."""

    attribute: str
    branches: tuple[Value, ...]

    @property
    def n_children(self) -> int:
        return len(self.branches)

    def child_of_codes(self, domain: Domain, default: int) -> npt.NDArray[np.int64]:
        return _children_of_labels(domain, [(b,) for b in self.branches], default)

    def conditions(self, domain: Domain) -> list[Condition]:
        return _any_of(self.attribute, domain, [(branch,) for branch in self.branches])


Split = Threshold | Subset | Multiway


@dataclass(frozen=True)
class Node:
    """A node: its split and children (none for a leaf) and the records that it saw in growing.

    `weights` are the records in each class, or (records, sum of the response in grid steps).
    """

    id: int
    parent: int | None
    depth: int
    weights: tuple[int, ...]
    split: Split | None = None
    children: tuple[int, ...] = ()

    @property
    def is_leaf(self) -> bool:
        return not self.children


@dataclass(frozen=True)
class Tree:
    """A decision tree (with `classes`) or a regression tree (with a grid `step`).

    >>> table = privet.table_of({"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3})
    >>> schema = table.schema().with_roles(target="buys")
    >>> tree = privet.grow(privet.MemoryEngine(table), schema, privet.Grower())
    >>> tree.n_leaves, tree.prefix(1).n_leaves, tree.root.split.attribute
    (2, 1, 'age')
    """

    target: str
    grower: Grower
    nodes: tuple[Node, ...]
    classes: tuple[Value, ...] | None = None
    step: float | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # of the target and the attributes used
    maskings: tuple[str, ...] = field(default=(), compare=False)  # of the table it was grown from

    def __repr__(self) -> str:
        count = f"{self.n_leaves} lea{'f' if self.n_leaves == 1 else 'ves'}"
        return f"<Tree of {count} for {self.target}, depth {self.depth}, {self.grower.impurity}>"

    def __str__(self) -> str:
        """The tree drawn, one line a node."""
        from privet.tree.exchange.pictures import draw_text

        return draw_text(self)

    def _repr_html_(self) -> str:
        """The tree as a notebook shows it: a picture, or lines where that would be too large."""
        from privet.tree.exchange.pictures import tree_html

        return tree_html(self)

    @property
    def is_regression(self) -> bool:
        return self.classes is None

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.is_leaf)

    @property
    def n_leaves(self) -> int:
        return len(self.leaves)

    @property
    def depth(self) -> int:
        return max(node.depth for node in self.nodes)

    @cached_property
    def inner(self) -> tuple[Node, ...]:
        """Nodes with a split, oldest first."""
        return tuple(node for node in self.nodes if node.split is not None)

    @property
    def attributes_used(self) -> tuple[str, ...]:
        """The columns that the tree asks, each once, in order of first use."""
        return tuple(dict.fromkeys(n.split.attribute for n in self.inner if n.split))

    def records(self, node: Node) -> int:
        return node.weights[0] if self.is_regression else sum(node.weights)

    def mean(self, node: Node) -> float:
        """The exact mean response of a node, rounded once."""
        n, total = node.weights
        return float(Fraction(total, n) * Fraction(self.step or 1.0))

    def prediction(self, node: Node) -> Value:
        """The most frequent class (the first in sorted order among equals), or the mean."""
        if self.classes is None:
            return self.mean(node)
        return self.classes[node.weights.index(max(node.weights))]

    def prefix(self, leaves: int) -> "Tree":
        """The tree as it was when it had at most this many leaves."""
        kept, n_leaves = self._beginning(leaves)
        nodes = tuple(
            node
            if not node.children or node.children[-1] < kept
            else replace(node, split=None, children=())
            for node in self.nodes[:kept]
        )
        used = {node.split.attribute for node in nodes if node.split is not None}
        kinds = {name: k for name, k in self.kinds.items() if name in used or name == self.target}
        grower = replace(self.grower, leaves=n_leaves)
        return replace(self, nodes=nodes, grower=grower, kinds=kinds)

    def leaves_of_prefix(self, leaves: int) -> list[int]:
        """The numbers of the nodes that were leaves then."""
        kept, _ = self._beginning(leaves)
        return [n.id for n in self.nodes[:kept] if not n.children or n.children[-1] >= kept]

    def _beginning(self, leaves: int) -> tuple[int, int]:
        """How many nodes the tree had, and leaves among them, when these were at most so many."""
        step = max(bisect_right(self.sizes, leaves) - 1, 0)
        return (1 if step == 0 else self._in_order[step - 1].children[-1] + 1), self.sizes[step]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Every number of leaves this tree had while it grew, 1 first."""
        sizes = [1]
        for node in self._in_order:
            sizes.append(sizes[-1] + len(node.children) - 1)
        return tuple(sizes)

    @cached_property
    def _in_order(self) -> list[Node]:
        """The inner nodes, in the order in which they were split."""
        return sorted(self.inner, key=lambda node: node.children[0])

    def may_be_split(self, node: Node) -> bool:
        """Whether the grower would look for a split of this node at all."""
        if self.grower.depth is not None and node.depth >= self.grower.depth:
            return False
        mixed = self.is_regression or sum(w > 0 for w in node.weights) > 1
        return mixed and self.records(node) >= 2 * self.grower.min_leaf

    def regions(self, domains: Mapping[str, Domain]) -> list[Region]:
        """For each node the conditions on its path, in codes of these domains."""
        regions = [Path()] * len(self.nodes)
        for node in self.inner:
            assert node.split is not None
            conditions = node.split.conditions(domains[node.split.attribute])
            for child, condition in zip(node.children, conditions, strict=True):
                regions[child] = regions[node.id].then(condition)
        return list(regions)

    def default_child(self, node: Node) -> int:
        """Where a category goes that the node has never seen: to the larger child."""
        records = [self.records(self.nodes[c]) for c in node.children]
        return records.index(max(records))

    def leaf_of_rows(self, table: Table) -> npt.NDArray[np.int64]:
        """For each row the id of the leaf that it reaches."""
        at = np.zeros(table.n_rows, dtype=np.int64)
        rows_at: dict[int, npt.NDArray[Any] | None] = {0: None}
        for node in self.nodes:
            if node.split is None:
                continue
            rows = rows_at.pop(node.id)
            column = table[node.split.attribute]
            lookup = node.split.child_of_codes(column.domain, self.default_child(node))
            goes = lookup.astype(code_type(node.split.n_children))
            parts = _parted(rows, column.codes, goes, node.split.n_children)
            for child, own in zip(node.children, parts, strict=True):
                if self.nodes[child].is_leaf:
                    at[own] = child
                else:
                    rows_at[child] = own
        return at

    def predict(self, table: Table) -> list[Value]:
        """The prediction for each row of a table."""
        of_leaf = {leaf.id: self.prediction(leaf) for leaf in self.leaves}
        return [of_leaf[i] for i in self.leaf_of_rows(table).tolist()]

    def correct(self) -> int:
        """How many of the records that grew a decision tree it classifies rightly."""
        return sum(max(leaf.weights) for leaf in self.leaves)


def _parted(
    rows: npt.NDArray[Any] | None, codes: npt.NDArray[Any], child: npt.NDArray[Any], children: int
) -> list[npt.NDArray[Any]]:
    """The rows of a node (None: all) by its children; `child` says which one takes a code."""
    n = len(codes) if rows is None else len(rows)
    plain = type(codes) is np.ndarray and codes.flags.writeable  # not on disk
    if children == 2 and n >= COMPILE_FROM and loaded() and plain:
        from privet.compiled.parting import part_rows

        here = np.arange(n, dtype=np.uint32) if rows is None else rows
        left, right = np.empty(n + 1, dtype=np.uint32), np.empty(n + 1, dtype=np.uint32)
        n_left = part_rows(here, codes, child, left, right)
        return [left[:n_left].copy(), right[: n - n_left].copy()]  # no longer than they are
    goes = child[codes if rows is None else codes[rows]]
    flags = [goes == number for number in range(children)]
    if rows is None:
        return [np.flatnonzero(mine).astype(np.uint32) for mine in flags]
    return [rows[mine] for mine in flags]


def _children_of_labels(
    domain: Domain, groups: Sequence[tuple[Value, ...]], default: int
) -> npt.NDArray[np.int64]:
    child_of = {label: number for number, group in enumerate(groups) for label in group}
    labels = [*domain.values.tolist(), *([None] if domain.missing else [])]
    return np.array([child_of.get(label, default) for label in labels], dtype=np.int64)


def _any_of(attribute: str, domain: Domain, groups: Sequence[Sequence[Value]]) -> list[Condition]:
    every = [*domain.values.tolist(), *([None] if domain.missing else [])]
    code_of = {label: code for code, label in enumerate(every)}
    return [
        AnyOf(attribute, frozenset(code_of[label] for label in group if label in code_of))
        for group in groups
    ]
