"""Local search for a recoding of one column: few values, many quick trials.

`search` starts from the lowest values that the paths allow (never from the most frequent ones:
they would tell something) and repairs one fault of the `FaultCounter` after another until none is
left. What it finds is a proposal; `conditions` decides exactly. Long searches go on in compiled
loops (`compiled_search`).
"""

from collections.abc import Sequence
from random import Random

import numpy as np

from privet.arrays import Floats, Integers
from privet.preserve.by_leaf.compiled_search import Loops, Words, another_trial, loops_of, pays
from privet.preserve.by_leaf.faults import FaultCounter
from privet.randomness import repeatable

SHORT = (60, 2)  # steps and restarts where the solver stands behind
LONG = (200, 6)


def search(
    counter: FaultCounter,
    name: str,
    steps: int,
    restarts: int,
) -> Integers | None:
    """Codes without a fault, or None. The same task is searched the same way every time."""
    if not counter.possible:
        return None
    chance = repeatable(f"leaf recoding of {name}")
    allowed = [np.flatnonzero(row).tolist() for row in counter.allowed]
    lowest = np.array([codes[0] for codes in allowed], dtype=np.int64)
    loops = loops_of(counter) if pays() else None
    words = Words(chance)
    for attempt in range(restarts):
        codes = lowest
        if attempt:
            choice = chance.choice if loops is None else words.choice
            codes = np.array([choice(options) for options in allowed], dtype=np.int64)
        if loops is None:
            repaired = _repair(counter, codes, allowed, chance, steps)
        else:
            start = Trials(counter, codes)
            repaired = loops.repair(codes, start.faults, start.histograms[0], allowed, words, steps)
        if repaired:
            return codes
    return None


def _repair(
    counter: FaultCounter,
    codes: Integers,
    allowed: list[list[int]],
    chance: Random,
    steps: int,
) -> bool:
    """Give atoms below a faulty node better values, until there is no fault or no step left."""
    trials = Trials(counter, codes)
    below: list[list[int]] = [[] for _ in range(counter.n_nodes)]
    for block in counter.blocks:
        for node, row in zip(block.nodes.tolist(), block.inside, strict=True):
            below[node] = [a for a in np.flatnonzero(row).tolist() if len(allowed[a]) > 1]
    for _ in range(steps):
        broken = np.flatnonzero(trials.faults).tolist()
        if not broken:
            return True
        node = chance.choice(broken)
        if not below[node]:
            return False
        atom = chance.choice(below[node])
        found = trials.faults_with(atom, allowed[atom])
        totals = found.sum(axis=-1)
        best = chance.choice(np.flatnonzero(totals == totals.min()).tolist())
        trials.move(atom, allowed[atom][best], found[best])
    return not trials.faults.any()


class Trials:
    """A recoding on its way: its codes, the faults of each node, and what a change would do."""

    def __init__(self, counter: FaultCounter, codes: Integers) -> None:
        self.counter, self.codes = counter, codes
        self._loops = loops_of(counter) if pays() else None
        self.histograms = counter.histograms(codes)
        self.faults = np.zeros(counter.n_nodes)
        for block, histogram in zip(counter.blocks, self.histograms, strict=True):
            self.faults[block.nodes] = counter.faults(block, slice(None), histogram)

    def faults_with(self, atom: int, options: Sequence[int]) -> Floats:
        """The faults of every node, for each value that an atom might get (options x nodes)."""
        weight = self.counter.weights[atom]
        new = np.array(options, dtype=np.int64)
        if self._loops is not None:
            return self._found_by(self._loops, atom, new)
        another_trial()
        found = np.repeat(self.faults[None], len(options), axis=0)
        for block, histogram in zip(self.counter.blocks, self.histograms, strict=True):
            nodes = np.flatnonzero(block.inside[:, atom])
            if not len(nodes):
                continue
            without = histogram[nodes]
            without[:, int(self.codes[atom])] -= weight
            trials = np.repeat(without[None], len(options), axis=0)
            trials[np.arange(len(options)), :, new] += weight
            found[:, block.nodes[nodes]] = self.counter.faults(block, nodes, trials)
        return found

    def _found_by(self, loops: Loops, atom: int, new: Integers) -> Floats:
        found = np.repeat(self.faults[None], len(new), axis=0)
        nodes = np.flatnonzero(loops.block.inside[:, atom])
        code = int(self.codes[atom])
        found[:, nodes] = loops.faults_with(self.histograms[0], atom, code, nodes, new)
        return found

    def move(self, atom: int, code: int, faults: Floats) -> None:
        """Give an atom a value; `faults` are those that `faults_with` found for it."""
        weight = self.counter.weights[atom]
        for block, histogram in zip(self.counter.blocks, self.histograms, strict=True):
            nodes = np.flatnonzero(block.inside[:, atom])
            histogram[nodes, int(self.codes[atom])] -= weight
            histogram[nodes, code] += weight
        self.codes[atom] = code
        self.faults = faults
