"""Local search for a recoding of one column: few values, many quick trials.

`search` starts from the lowest values that the paths allow (never from the most frequent ones:
they would tell something) and repairs one fault of the `landscape` after another until none is
left. What it finds is a proposal; `conditions` decides exactly.
"""

import random
from collections.abc import Sequence

import numpy as np

from privet.engine.protocol import Integers
from privet.preserve.landscape import Floats, Landscape

SHORT = (60, 2)  # steps and restarts where the solver stands behind
LONG = (200, 6)


def search(
    landscape: Landscape,
    name: str,
    steps: int,
    restarts: int,
) -> Integers | None:
    """Codes without a fault, or None. The same task is searched the same way every time."""
    if not landscape.possible:
        return None
    chance = random.Random(f"leaf recoding of {name}")
    allowed = [np.flatnonzero(row).tolist() for row in landscape.allowed]
    lowest = np.array([codes[0] for codes in allowed], dtype=np.int64)
    for attempt in range(restarts):
        codes = lowest
        if attempt:
            codes = np.array([chance.choice(options) for options in allowed], dtype=np.int64)
        if _repair(landscape, codes, allowed, chance, steps):
            return codes
    return None


def _repair(
    landscape: Landscape,
    codes: Integers,
    allowed: list[list[int]],
    chance: random.Random,
    steps: int,
) -> bool:
    """Give atoms below a faulty node better values, until there is no fault or no step left."""
    trials = Trials(landscape, codes)
    below: list[list[int]] = [[] for _ in range(landscape.n_nodes)]
    for block in landscape.blocks:
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

    def __init__(self, landscape: Landscape, codes: Integers) -> None:
        self.landscape, self.codes = landscape, codes
        self.histograms = landscape.histograms(codes)
        self.faults = np.zeros(landscape.n_nodes)
        for block, histogram in zip(landscape.blocks, self.histograms, strict=True):
            self.faults[block.nodes] = landscape.faults(block, slice(None), histogram)

    def faults_with(self, atom: int, options: Sequence[int]) -> Floats:
        """The faults of every node, for each value that an atom might get (options x nodes)."""
        place = self.landscape.place
        weight = self.landscape.weights[atom]
        new = place[np.array(options, dtype=np.int64)]
        found = np.repeat(self.faults[None], len(options), axis=0)
        for block, histogram in zip(self.landscape.blocks, self.histograms, strict=True):
            nodes = np.flatnonzero(block.inside[:, atom])
            if not len(nodes):
                continue
            without = histogram[nodes]
            without[:, int(place[self.codes[atom]])] -= weight
            trials = np.repeat(without[None], len(options), axis=0)
            trials[np.arange(len(options)), :, new] += weight
            found[:, block.nodes[nodes]] = self.landscape.faults(block, nodes, trials)
        return found

    def move(self, atom: int, code: int, faults: Floats) -> None:
        """Give an atom a value; `faults` are those that `faults_with` found for it."""
        place, weight = self.landscape.place, self.landscape.weights[atom]
        for block, histogram in zip(self.landscape.blocks, self.histograms, strict=True):
            nodes = np.flatnonzero(block.inside[:, atom])
            histogram[nodes, int(place[self.codes[atom]])] -= weight
            histogram[nodes, int(place[code])] += weight
        self.codes[atom] = code
        self.faults = faults
