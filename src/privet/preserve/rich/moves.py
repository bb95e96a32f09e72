"""Moves: blocks with records on both sides of a winning cut change sides until it loses.

A block may only move to a value near it (`members`), so whatever it moves to could be true of some
of its records, and no move leaves a leaf's path.
"""

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
    before = watch.codes.copy()
    records = watch.task.records_of(watch.atoms.weights)
    moved: list[int] = []
    score = float(_scores(seen, [child[None, :] for child in children])[0])
    while len(options.blocks):
        weights = watch.atoms.weights[options.blocks]
        after = [
            child
            + weights * ((options.goal == j).astype(np.int64) - (options.source == j))[:, None]
            for j, child in enumerate(children)
        ]
        scores = _scores(seen, after)
        sizes = np.stack([watch.task.records_of(child) for child in after])
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
    watch.set(np.array(moved, dtype=np.int64), before[moved])
    return None


def _least_harmful(watch: Watch, options: _Options, in_order: Integers, cured: Booleans) -> int:
    """Of the smallest blocks whose move alone is enough, the one that breaks least elsewhere."""
    harm = []
    for place in in_order[: min(_TRIED, int(cured.sum()))].tolist():
        block = options.blocks[place : place + 1]
        before = int(watch.codes[block[0]])
        watch.set(block, int(options.codes[place]))
        harm.append((sum(not violation.tie for violation in watch.violations()), place))
        watch.set(block, before)
    fewest = min(count for count, _ in harm)
    return int(next(place for count, place in harm if count == fewest))


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
    weights = watch.atoms.weights
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
    task, codes = watch.task, watch.codes
    if task.ordered or isinstance(seen.node.split, Multiway) or len(seen.sides) != 2:
        return None
    sides = [np.flatnonzero(np.isin(watch.atoms.group, side)) for side in seen.sides]
    weights = watch.atoms.weights
    records = task.records_of(weights)
    found: list[tuple[int, int, int]] = []
    means: list[dict[int, float]] = []
    for side in sides:
        means.append({})
        for code in np.unique(codes[side]).tolist():
            of_code = weights[side[codes[side] == code]].sum(axis=0)
            total = float(task.records_of(of_code[None, :])[0])
            means[-1][code] = float(of_code[1]) / total
    limits = max(means[0].values()), min(means[1].values())
    for number, side in enumerate(sides):
        if len(means[number]) < 2:
            continue  # the side would lose its only label
        for code, mean in means[number].items():
            if (number == 0 and mean >= limits[1]) or (number == 1 and mean <= limits[0]):
                found.append((int(records[side[codes[side] == code]].sum()), number, code))
    for _, number, code in sorted(found):
        side = sides[number]
        blocks = side[codes[side] == code]
        others = {c for c in means[number] if c != code}
        commonest = max(others, key=lambda c: (int(records[side[codes[side] == c]].sum()), -c))
        if fixed[blocks].any():
            continue
        new = []
        for block in blocks.tolist():
            own = members.of_block(block)
            able = [
                (-n, c)
                for n, c in zip(members.n[own].tolist(), members.code[own].tolist(), strict=True)
                if c in others
            ]
            new.append(min(able)[1] if able else commonest)
        watch.set(blocks, np.array(new, dtype=np.int64))
        return np.asarray(blocks)
    return None
