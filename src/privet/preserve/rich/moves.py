"""Moves: blocks with records on both sides of a winning cut change sides until it loses.

A block may only move to a value near it (`members`), so whatever it moves to could be true of some
of its records, and no move leaves a leaf's path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from privet.arrays import Booleans, Floats, Integers
from privet.preserve.by_leaf.contests import NodeSeen, Violation
from privet.preserve.rich.members import Members
from privet.preserve.rich.watch import Watch
from privet.tree.model import Multiway

_TRIED = 6  # moves that are tried out before one is made


@dataclass(frozen=True, eq=False)
class _Options:
    """Blocks that could move: each to a value, from one child of the candidate to another."""

    blocks: Integers
    codes: Integers
    source: Integers
    goal: Integers

    def only(self, these: Booleans) -> "_Options":
        parts = (self.blocks, self.codes, self.source, self.goal)
        return _Options(*(part[these] for part in parts))


def move(watch: Watch, members: Members, fixed: Booleans, violation: Violation) -> Integers | None:
    """Move blocks until the candidate loses; the blocks moved, or None if it cannot be made to.

    If one move is enough, one of the smallest blocks moves; else the one that costs the candidate
    most for its records.
    """
    seen = violation.seen
    options, children = _options(watch, members, violation)
    options = options.only(~fixed[options.blocks])
    before = watch.state()
    records = watch.task.records_of(watch.atoms.weights)
    moved: list[int] = []
    score = float(_scores(seen, [child[None, :] for child in children])[0])
    while len(options.blocks):
        weights = watch.task.responses.own(watch.atoms.weights[options.blocks], seen.tree)
        after = [
            child
            + weights * ((options.goal == j).astype(np.int64) - (options.source == j))[:, None]
            for j, child in enumerate(children)
        ]
        scores = _scores(seen, after)
        sizes = np.stack([seen.kept_splits[0].rule.records(child) for child in after])
        min_leaf = watch.task.leaf_counts.trees[seen.tree].grower.min_leaf
        cured = (scores < _bar(seen)) | (sizes.min(axis=0) < min_leaf)
        size = records[options.blocks]
        if cured.any():
            best = _least_harmful(watch, options, np.lexsort((options.blocks, size, ~cured)), cured)
        else:
            falls = (score - scores) / size
            best = int(np.lexsort((options.blocks, -falls))[0])
            if falls[best] <= 0:
                break
        block = int(options.blocks[best])
        watch.set(np.array([block]), int(options.codes[best]))
        moved.append(block)
        if cured[best]:
            return np.array(moved, dtype=np.int64)
        score, children = float(scores[best]), [child[best] for child in after]
        options = options.only(options.blocks != block)
    watch.back_to(before)
    return None


def _least_harmful(watch: Watch, options: _Options, in_order: Integers, cured: Booleans) -> int:
    """Of the smallest blocks whose move alone is enough, the one that breaks least elsewhere; it is
    made already, so that nobody has to look again at what it breaks."""
    before = watch.state()
    fewest, best, after = -1, -1, before
    for place in in_order[: min(_TRIED, int(cured.sum()))].tolist():
        watch.set(options.blocks[place : place + 1], int(options.codes[place]))
        harm = sum(not violation.tie for violation in watch.violations())
        if best < 0 or harm < fewest:
            fewest, best, after = harm, place, watch.state()
        watch.back_to(before)
    watch.back_to(after)
    return best


def _bar(seen: NodeSeen) -> float:
    """A score that loses for certain to every split that the candidate must not beat."""
    return min(kept.score - 2 * kept.slack(kept.score, kept.error) for kept in seen.kept_splits)


def _scores(seen: NodeSeen, children: list[Integers]) -> Floats:
    parent = np.array(seen.node.weights, dtype=np.int64)
    return seen.kept_splits[0].rule.approximate(children, parent).scores


def _options(
    watch: Watch, members: Members, violation: Violation
) -> tuple[_Options, list[Integers]]:
    """What could move, and the weights of the candidate's children."""
    task, codes = watch.task, watch.codes
    weights = task.responses.own(watch.atoms.weights, violation.seen.tree)
    inside = np.concatenate([violation.left, violation.right])
    if task.ordered:
        low, high = int(codes[violation.left].max()), int(codes[violation.right].min())
        up = violation.left[members.near(violation.left, high)]
        down = violation.right[members.near(violation.right, low)]
        source = np.concatenate([np.zeros(len(up)), np.ones(len(down))]).astype(np.int64)
        options = _Options(
            np.concatenate([up, down]),
            np.concatenate([np.full(len(up), high), np.full(len(down), low)]),
            source,
            1 - source,
        )
        return options, [weights[violation.left].sum(axis=0), weights[violation.right].sum(axis=0)]
    present = np.unique(codes[inside])
    multiway = task.leaf_counts.trees[violation.seen.tree].grower.categories == "multiway"
    side_of_code = np.full(watch.domain.size, -1, dtype=np.int64)
    if multiway:
        side_of_code[present] = np.arange(len(present))
    else:
        side_of_code[present] = 1
        side_of_code[np.unique(codes[violation.left])] = 0
    children = [
        weights[inside[side_of_code[codes[inside]] == side]].sum(axis=0)
        for side in range(len(present) if multiway else 2)
    ]
    return _other_labels(members, codes, inside, side_of_code), children


def _other_labels(
    members: Members, codes: Integers, inside: Integers, side_of_code: Integers
) -> _Options:
    """For each block its commonest category that would bring it to another side."""
    goal = side_of_code[members.code]
    source = np.full(members.n_blocks, -1, dtype=np.int64)
    source[inside] = side_of_code[codes[inside]]
    able = (goal >= 0) & (source[members.block] >= 0) & (goal != source[members.block])
    block, code, n = members.block[able], members.code[able], members.n[able]
    order = np.lexsort((code, -n, block))
    blocks, first = np.unique(block[order], return_index=True)
    best = code[order[first]]
    return _Options(blocks, best, source[blocks], side_of_code[best])


def rename(watch: Watch, members: Members, fixed: Booleans, seen: NodeSeen) -> Integers | None:
    """Where the tree's own list of categories is no beginning of the order by mean: the blocks of
    the offending label with the fewest records take another label of their side, one of their own
    if they have one, else the commonest."""
    split = seen.node.split
    if watch.task.ordered or isinstance(split, Multiway) or len(seen.sides) != 2:
        return None
    sides = [np.flatnonzero(np.isin(watch.atoms.group, side)) for side in seen.sides]
    labels = [_labels(watch, side, seen.tree) for side in sides]
    for number, code in _out_of_order(labels):
        side, here = sides[number], labels[number]
        blocks = side[watch.codes[side] == code]
        if fixed[blocks].any():
            continue
        others = {other: label.records for other, label in here.items() if other != code}
        new = [_another_label(members, block, others) for block in blocks.tolist()]
        watch.set(blocks, np.array(new, dtype=np.int64))
        return np.asarray(blocks)
    return None


@dataclass(frozen=True)
class _Label:
    """What blocks of one label on one side hold together."""

    records: int
    mean: float


def _labels(watch: Watch, side: Integers, tree: int) -> dict[int, _Label]:
    """The labels of a side, by their codes."""
    codes, weights = watch.codes[side], watch.atoms.weights[side]
    records = watch.task.records_of(weights)
    own = watch.task.responses.own(weights, tree)
    found = {}
    for code in np.unique(codes).tolist():
        here = codes == code
        total = int(records[here].sum())
        found[code] = _Label(total, float(own[here, 1].sum()) / float(total))
    return found


def _out_of_order(labels: Sequence[Mapping[int, _Label]]) -> list[tuple[int, int]]:
    """Sides and codes of labels that lie beyond one of the other side, the fewest records first.

    A side keeps its only label.
    """
    left, right = labels
    highest = max(label.mean for label in left.values())
    lowest = min(label.mean for label in right.values())
    found = [(label.records, 0, code) for code, label in left.items() if label.mean >= lowest]
    found += [(label.records, 1, code) for code, label in right.items() if label.mean <= highest]
    return [(side, code) for _, side, code in sorted(found) if len(labels[side]) > 1]


def _another_label(members: Members, block: int, others: Mapping[int, int]) -> int:
    """One of `others` (codes with their records) for a block: its own commonest, else of all."""
    own = members.of_block(block)
    held = zip(members.n[own].tolist(), members.code[own].tolist(), strict=True)
    able = [(-n, code) for n, code in held if code in others]
    if able:
        return int(min(able)[1])
    return max(others, key=lambda code: (others[code], -code))
