"""What is wrong with a recoding of one column, for many trials at once.

An alphabet is a fixed domain of new values (`new_values`). `FaultCounter` counts, in floats, the
faults of recodings over one: candidates that reach a split of the trees, thresholds that moved,
groups of a printed list that no record carries. `local_search` walks in it. Nothing here decides:
`conditions` does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.preserve.by_leaf.atoms import Atoms
from privet.preserve.by_leaf.conditions import ColumnTask, Form
from privet.preserve.by_leaf.contests import NodeSeen
from privet.preserve.by_leaf.new_values import neighbours_keeping
from privet.preserve.responses import Responses
from privet.table import Domain
from privet.tree.candidates import all_masks
from privet.tree.impurity import RULES, Deviance, Gini, ImpurityRule

_MOST_EXHAUSTIVE = 12
_EXACT = 1 << 53  # floats hold whole numbers up to here

Changes = tuple[Integers, Integers]  # the codes of all atoms, before and after


@dataclass(frozen=True, eq=False)
class _Block:
    """The nodes of one tree, all with one impurity, as arrays; codes are in the order in which
    this tree cuts them."""

    tree: int
    cutting: "_Cutting"
    rule: ImpurityRule
    min_leaf: int
    nodes: Integers  # their places in the counter
    inside: Booleans  # nodes x atoms
    parent: Floats  # nodes: purity of the whole node
    limit: Floats  # a candidate above it is a fault
    later_limit: Floats  # the same for cuts behind the chosen one
    own: Booleans
    right: Booleans  # nodes x codes: goes right, where the node is its own
    n_left: Floats
    required: Booleans  # nodes x codes: must be carried below
    first_left: Booleans  # nodes where the first category must stay left
    keeps: Booleans  # nodes x codes x codes: neighbours that keep the threshold
    has_threshold: Booleans

    @cached_property
    def any_threshold(self) -> bool:
        return bool(self.has_threshold.any())

    @cached_property
    def any_required(self) -> bool:
        return bool(self.required.any())

    @cached_property
    def any_first_left(self) -> bool:
        return bool(self.first_left.any())


@dataclass(frozen=True, eq=False)
class _Cutting:
    """How one tree cuts the values of the column: by mean, every subset, into single values, or
    else along an order, which is None where it is that of the codes."""

    order: Integers | None
    by_mean: bool
    exhaustive: bool
    multiway: bool

    @classmethod
    def of(cls, task: ColumnTask, tree: int, domain: Domain) -> "_Cutting":
        rank, model = task.rank(domain, tree), task.leaf_counts.trees[tree]
        by_mean = not task.ordered and rank is None
        many_classes = not model.is_regression and len(model.root.weights) > 2
        return cls(
            None if rank is None else np.argsort(rank),
            by_mean,
            by_mean and many_classes,
            not task.ordered and model.grower.categories == "multiway",
        )

    def in_order(self, values: Any, axis: int = -1) -> Any:
        return values if self.order is None else values.take(self.order, axis)


class FaultCounter:
    """Faults of recodings over one alphabet, for whole groups or pieces."""

    def __init__(
        self, task: ColumnTask, atoms: Atoms, domain: Domain, form: Form, complete: bool
    ) -> None:
        self.task, self.atoms, self.domain = task, atoms, domain
        self.allowed = task.allowed(atoms, domain)
        self.weights = _centred(atoms.weights, task.responses)
        cuttings = {tree: _Cutting.of(task, tree, domain) for tree in sorted(task.index)}
        tried = [c for c in cuttings.values() if c.exhaustive and not c.multiway]
        self.possible = bool(self.allowed.any(axis=1).all()) and not (
            tried and domain.size > _MOST_EXHAUSTIVE
        )
        if tried and self.possible:
            self.masks = all_masks(domain.size) if domain.size > 1 else np.ones((1, 1), dtype=bool)
        self.blocks: list[_Block] = []
        self.n_nodes = 0
        self._add_blocks(cuttings, form, complete)

    def _add_blocks(self, cuttings: Mapping[int, _Cutting], form: Form, complete: bool) -> None:
        seen, inside = self.task.nodes_seen, self.task.inside[:, self.atoms.group]
        of_many = np.flatnonzero(inside.sum(axis=1) > 1).tolist()
        for tree, cutting in cuttings.items():
            rows = [row for row in of_many if seen[row].tree == tree]
            if rows:
                of_tree = [seen[row] for row in rows]
                block = self._block(tree, cutting, of_tree, inside[rows], form, complete)
                self.blocks.append(block)
                self.n_nodes += len(rows)

    def _block(
        self,
        tree: int,
        cutting: _Cutting,
        nodes_seen: Sequence[NodeSeen],
        inside: Booleans,
        form: Form,
        complete: bool,
    ) -> _Block:
        task = self.task
        grower = task.leaf_counts.trees[tree].grower
        rule = RULES[grower.impurity]
        weights = task.responses.own(self.weights, tree)
        if self._is_exact:
            parents = inside.astype(np.float64) @ weights
        else:
            parents = np.stack([weights[row].sum(axis=0) for row in inside])
        limits = [self._limit(s, task.index[tree], form) for s in nodes_seen]
        own = np.array([s.own for s in nodes_seen])
        right, n_left, required = self._chosen_sides(cutting, nodes_seen, complete)
        return _Block(
            tree,
            cutting,
            rule,
            grower.min_leaf,
            np.arange(self.n_nodes, self.n_nodes + len(nodes_seen)),
            inside,
            rule.purity(parents),
            np.array([low for low, _ in limits]),
            np.array([high for _, high in limits]),
            own,
            right,
            n_left,
            required,
            own & cutting.exhaustive & (not cutting.multiway),
            self._kept_thresholds(nodes_seen),
            np.array([task.ordered and s.threshold is not None for s in nodes_seen]),
        )

    def _chosen_sides(
        self, cutting: _Cutting, nodes_seen: Sequence[NodeSeen], complete: bool
    ) -> tuple[Booleans, Floats, Booleans]:
        """For each own node: which values go right, records on the left, values to be carried."""
        task, domain = self.task, self.domain
        right = np.zeros((len(nodes_seen), domain.size), dtype=bool)
        required = np.zeros((len(nodes_seen), domain.size), dtype=bool)
        n_left = np.zeros(len(nodes_seen))
        for number, seen in enumerate(nodes_seen):
            if not seen.own or cutting.multiway:
                continue
            goes_right = task.side(seen, 1, domain)
            right[number] = cutting.in_order(goes_right)
            n_left[number] = self.atoms.records[self.atoms.going_left(seen)].sum()
            if not task.ordered and complete:
                required[number] = cutting.in_order(task.side(seen, 0, domain) | goes_right)
        return right, n_left, required

    def _kept_thresholds(self, nodes_seen: Sequence[NodeSeen]) -> Booleans:
        """For each own threshold the pairs of neighbouring values that keep it."""
        task, size = self.task, self.domain.size
        keeps = np.zeros((len(nodes_seen), size, size), dtype=bool)
        for number, seen in enumerate(nodes_seen):
            if seen.own and task.ordered and seen.threshold is not None:
                goes_right = task.side(seen, 1, self.domain)
                apart = ~goes_right[:, None] & goes_right
                keeps[number] = apart & neighbours_keeping(task, seen, self.domain)
        return keeps

    def _limit(self, seen: NodeSeen, index: int, form: Form) -> tuple[float, float]:
        """What a candidate's score must not exceed: before the chosen cut, and behind it."""
        lows, highs = [], []
        for kept_split in seen.kept_splits:
            slack = 2 * kept_split.own_slack
            tie_lost = form == "index" and kept_split.index < index
            lows.append(kept_split.score + (slack if tie_lost else -slack))
            behind = tie_lost or (form == "index" and seen.own and self.task.ordered)
            highs.append(kept_split.score + (slack if behind else -slack))
        return min(lows), min(highs)

    @property
    def is_plain(self) -> bool:
        """Whether there is one tree, of cuts by Gini's gain or deviance, and sums of its counts are
        exact in floats: then it does not matter in which order they are added up."""
        if len(self.blocks) != 1 or not self.possible:
            return False
        (block,) = self.blocks
        if block.cutting.multiway or block.cutting.exhaustive:
            return False
        if not isinstance(block.rule, Gini | Deviance) or not (self.atoms.records > 0).all():
            return False
        squared = isinstance(block.rule, Gini)  # for deviance each product is rounded once
        return self._is_exact and (not squared or self._total**2 < _EXACT)

    @cached_property
    def _total(self) -> float:
        return float(np.abs(self.weights).sum())

    @property
    def _is_exact(self) -> bool:
        """Whether every sum of weights is exact in floats."""
        return self._total < _EXACT

    def histograms(self, codes: Integers) -> list[Floats]:
        """For each block: nodes x values x weights."""
        found = []
        for block in self.blocks:
            size, width = self.domain.size, self.weights.shape[1]
            nodes, atoms = np.nonzero(block.inside)
            flat, cells = nodes * size + codes[atoms], len(block.nodes) * size
            histogram = np.empty((cells, width))
            for column in range(width):
                histogram[:, column] = np.bincount(flat, self.weights[atoms, column], cells)
            found.append(histogram.reshape(len(block.nodes), size, width))
        return found

    def moved(
        self, block: _Block, nodes: Integers, histogram: Floats, atoms: Integers, changes: Changes
    ) -> Floats:
        """The histogram of some nodes after atoms that are below all of them took other values."""
        moved = histogram[nodes]
        before, after = (codes[atoms].tolist() for codes in changes)
        for atom, old, new in zip(atoms.tolist(), before, after, strict=True):
            moved[:, old] -= self.weights[atom]
            moved[:, new] += self.weights[atom]
        return moved

    def faults(self, block: _Block, nodes: Any, histogram: Floats) -> Floats:
        """The number of faults in some nodes of a block, for any number of trials at once."""
        histogram = block.cutting.in_order(histogram, -2)
        n = self.task.responses.records(histogram)
        present = n > 0
        own = self.task.responses.own(histogram, block.tree)
        found = self._gain_faults(block, nodes, own, n, present)
        if block.any_threshold:
            found = found + self._moved(block, nodes, present)
        if block.any_required:
            found = found + (block.required[nodes] & ~present).sum(axis=-1)
        if block.any_first_left:
            first = present.argmax(axis=-1)
            right = np.take_along_axis(
                np.broadcast_to(block.right[nodes], present.shape), first[..., None], axis=-1
            )[..., 0]
            found = found + (right & block.first_left[nodes])
        return np.asarray(found, dtype=np.float64)

    def _gain_faults(
        self, block: _Block, nodes: Any, histogram: Floats, n: Floats, present: Booleans
    ) -> Any:
        parent, low, cutting = block.parent[nodes], block.limit[nodes], block.cutting
        if cutting.multiway:
            gain = block.rule.purity(histogram).sum(axis=-1) - parent
            gain = block.rule.worth(gain, list(np.moveaxis(n, -1, 0)))
            legal = (np.where(present, n, np.inf).min(axis=-1) >= block.min_leaf) & (
                present.sum(axis=-1) > 1
            )
            return legal & (gain > low) & ~block.own[nodes]
        n_right = n * block.right[nodes]
        total, n_total = histogram.sum(axis=-2)[..., None, :], n.sum(axis=-1)[..., None]
        if cutting.exhaustive:
            masks = self.masks.astype(np.float64)
            left, n_l = np.matmul(masks, histogram), n @ masks.T
            wrong_l = n_right @ masks.T
            counted: Any = True
        else:
            if cutting.by_mean:
                above = histogram[..., 1]
                means = np.divide(above, n, out=np.full(n.shape, np.inf), where=present)
                order = np.argsort(means, axis=-1, kind="stable")
                histogram = np.take_along_axis(histogram, order[..., None], axis=-2)
                n = np.take_along_axis(n, order, axis=-1)
                n_right = np.take_along_axis(n_right, order, axis=-1)
                present = n > 0
            left, n_l = histogram.cumsum(axis=-2), n.cumsum(axis=-1)
            wrong_l = n_right.cumsum(axis=-1)
            counted = present
        n_r = n_total - n_l
        legal = counted & (np.minimum(n_l, n_r) >= block.min_leaf)
        gain = block.rule.purity(left) + block.rule.purity(total - left) - parent[..., None]
        gain = block.rule.worth(gain, [n_l, n_r])
        n_left = block.n_left[nodes][..., None]
        own = block.own[nodes][..., None]
        chosen = own & (wrong_l == 0) & (n_l == n_left)
        if cutting.exhaustive:
            wrong_total = n_right.sum(axis=-1)[..., None]
            chosen |= own & (wrong_l == wrong_total) & (n_r == n_left)
        # behind the chosen cut, where a tie is lost by the higher threshold
        limit = np.where(own & (wrong_l > 0), block.later_limit[nodes][..., None], low[..., None])
        found = (legal & (gain > limit) & ~chosen).sum(axis=-1)
        if cutting.by_mean or cutting.exhaustive:
            # the chosen left set must itself be among the candidates
            offered = (chosen & legal).any(axis=-1)
            found = found + (block.own[nodes] & ~offered)
        return found

    def _moved(self, block: _Block, nodes: Any, present: Booleans) -> Any:
        right = block.right[nodes]
        size = present.shape[-1]
        lowest = (present & right).argmax(axis=-1)
        highest = size - 1 - (present & ~right)[..., ::-1].argmax(axis=-1)
        kept = block.keeps[nodes]
        return block.has_threshold[nodes] & ~kept[np.arange(len(kept)), highest, lowest]


def _centred(weights: Integers, responses: Responses) -> Floats:
    """Weights as floats; sums of a numeric response relative to the table's mean."""
    centred = weights.copy()
    for tree, part in zip(responses.trees, responses.parts, strict=True):
        if tree.is_regression:
            n, total = weights[:, part].sum(axis=0).tolist()
            centred[:, part.stop - 1] -= weights[:, part.start] * (total // max(n, 1))
    return centred.astype(np.float64)
