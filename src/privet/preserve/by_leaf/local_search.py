"""Local search for a recoding of one column: few values, many quick trials.

`search` starts from the lowest values that the paths allow (never from the most frequent ones:
they would tell something) and repairs one fault of the `FaultCounter` after another until none is
left. What it finds is a proposal; `conditions` decides exactly. Long searches go on in compiled
loops (`compiled_search`).
"""

from random import Random
from typing import Any

import numpy as np

from privet.arrays import Floats, Integers
from privet.preserve.by_leaf.compiled_search import Loops, Words, another_trial, pays
from privet.preserve.by_leaf.faults import FaultCounter
from privet.preserve.by_leaf.trials_in_order import TrialsInOrder
from privet.randomness import repeatable

SHORT = (60, 2)  # steps and restarts where the solver stands behind
LONG = (200, 6)


def search(
    counter: FaultCounter,
    name: str,
    steps: int,
    restarts: int,
    start: Integers | None = None,
) -> Integers | None:
    """Codes without a fault, or None. The same task is searched the same way every time, from the
    lowest values or from a start that is given."""
    if not counter.possible:
        return None
    chance = repeatable(f"leaf recoding of {name}")
    options = [np.flatnonzero(row) for row in counter.allowed]
    allowed = [codes.tolist() for codes in options]
    lowest = np.array([codes[0] for codes in allowed], dtype=np.int64)
    quick = quick_of(counter)
    loops = quick if isinstance(quick, Loops) else None
    words = Words(chance)
    for attempt in range(restarts):
        codes = lowest if start is None else start.copy()
        if attempt:
            choice = chance.choice if loops is None else words.choice
            codes = np.array([choice(some) for some in allowed], dtype=np.int64)
        if loops is None:
            repaired = _repair(Trials(counter, codes, quick), options, chance, steps)
        else:
            first = Trials(counter, codes, quick)
            repaired = loops.repair(codes, first.faults, first.histograms[0], allowed, words, steps)
        if repaired:
            return codes
    return None


Quick = Loops | TrialsInOrder


def quick_of(counter: FaultCounter) -> Quick | None:
    """The quickest way to weigh trials that finds what the plain one does, where there is one."""
    if not counter.is_plain:
        return None
    if pays():
        return Loops(counter)
    return None if counter.blocks[0].cutting.by_mean else TrialsInOrder(counter)


def _repair(trials: "Trials", allowed: list[Integers], chance: Random, steps: int) -> bool:
    """Give atoms below a faulty node better values, until there is no fault or no step left."""
    below: dict[int, list[int]] = {}
    # a search that does not get on comes back to where it was
    known: dict[tuple[bytes, int], tuple[Any, list[int]]] = {}
    state = trials.codes.tobytes()
    for _ in range(steps):
        broken = np.flatnonzero(trials.faults).tolist()
        if not broken:
            return True
        node = chance.choice(broken)
        if node not in below:
            below[node] = [a for a in trials.below(node) if len(allowed[a]) > 1]
        if not below[node]:
            return False
        atom = chance.choice(below[node])
        if (state, atom) not in known:
            known[state, atom] = _weighed(trials, atom, allowed[atom])
        found, best_places = known[state, atom]
        best = chance.choice(best_places)
        if (code := int(allowed[atom][best])) != trials.codes[atom]:
            trials.move(atom, code, found[best])
            state = trials.codes.tobytes()
    return not trials.faults.any()


def _weighed(trials: "Trials", atom: int, options: Integers) -> tuple[Any, list[int]]:
    """The faults for each value that an atom might get, and the places of the best values."""
    found = trials.faults_with(atom, options)
    totals = found.sum(axis=1).tolist()
    lowest = min(totals)
    return found, [place for place, total in enumerate(totals) if total == lowest]


class Trials:
    """A recoding on its way: its codes, the faults of each node, and what a change would do."""

    def __init__(self, counter: FaultCounter, codes: Integers, quick: Quick | None = None) -> None:
        self.counter, self.codes, self._quick = counter, codes, quick
        self.histograms = counter.histograms(codes)
        self.faults = np.zeros(counter.n_nodes)
        for block, histogram in zip(counter.blocks, self.histograms, strict=True):
            self.faults[block.nodes] = counter.faults(block, slice(None), histogram)
        self._above: dict[int, list[Integers]] = {}
        self._moved: dict[int, list[Floats]] = {}  # what an atom adds to the nodes of each block

    def below(self, node: int) -> list[int]:
        """The atoms below a node."""
        for block in self.counter.blocks:
            if node < block.nodes[0] + len(block.nodes):
                return np.flatnonzero(block.inside[node - block.nodes[0]]).tolist()
        return []

    def above(self, atom: int) -> list[Integers]:
        """The nodes above an atom, by their places in each block."""
        if atom not in self._above:
            self._above[atom] = [np.flatnonzero(b.inside[:, atom]) for b in self.counter.blocks]
        return self._above[atom]

    def faults_with(self, atom: int, options: Integers) -> Any:
        """The faults of every node above an atom, block by block, for each value that it might get
        (options x nodes); other nodes keep theirs."""
        if not isinstance(self._quick, Loops):
            another_trial()
        code, above = int(self.codes[atom]), self.above(atom)
        if self._quick is not None:
            return self._quick.faults_with(self.histograms[0], atom, code, above[0], options)
        weight = self.counter.weights[atom]
        found = [np.zeros((len(options), 0))]
        for block, histogram, nodes in zip(
            self.counter.blocks, self.histograms, above, strict=True
        ):
            without = histogram[nodes]
            without[:, code] -= weight
            trials = np.repeat(without[None], len(options), axis=0)
            trials[np.arange(len(options)), :, options] += weight
            if len(nodes):
                found.append(self.counter.faults(block, nodes, trials))
        return np.concatenate(found, axis=1)

    def move(self, atom: int, code: int, faults: Any) -> None:
        """Give an atom a value; `faults` are those that `faults_with` found for it."""
        if atom not in self._moved:
            weight = self.counter.weights[atom]
            self._moved[atom] = [b.inside[:, atom, None] * weight for b in self.counter.blocks]
        start = 0
        for block, histogram, moved, nodes in zip(
            self.counter.blocks, self.histograms, self._moved[atom], self.above(atom), strict=True
        ):
            histogram[:, int(self.codes[atom])] -= moved
            histogram[:, code] += moved
            self.faults[block.nodes[nodes]] = faults[start : start + len(nodes)]
            start += len(nodes)
        self.codes[atom] = code
