"""The local search in compiled loops, where it has become long enough to pay for their import.

`local_search` and `faults` have the same in NumPy, for short searches and as the oracle of the
loops: both find the same values, from the same random choices.
"""

import sys
from functools import cache
from random import Random
from typing import Any

import numpy as np

from privet.arrays import Floats, Integers
from privet.compiled import compiled_before
from privet.preserve.by_leaf.faults import FaultCounter
from privet.tree.impurity import Deviance

PAYS_AFTER = 4000  # trials in NumPy; most of them take as long as the import of the loops
PAYS_TO_COMPILE_AFTER = 30_000  # about as long as compiling them, which is done once
_WORDS = 1024  # drawn at a time

_tried = 0


def another_trial() -> None:
    """Told of each atom whose values were tried in NumPy."""
    global _tried
    _tried += 1


def expect_many_trials() -> None:
    """Told by those who will search for many sizes of a large tree: then the loops pay at once."""
    global _tried
    _tried = max(_tried, PAYS_TO_COMPILE_AFTER)


def pays() -> bool:
    """Whether so much has been searched that more of it is likely to come."""
    if "privet.compiled.repairing" in sys.modules or _tried >= PAYS_TO_COMPILE_AFTER:
        return True
    return _tried >= PAYS_AFTER and _compiled_before()


@cache
def _compiled_before() -> bool:
    return compiled_before("repairing")


class Loops:
    """The arrays of a counter of faults in the form that the loops take."""

    def __init__(self, counter: FaultCounter) -> None:
        (block,) = counter.blocks
        responses, size = counter.task.responses, counter.domain.size
        part = responses.parts[responses.of_tree[block.tree]]
        first = responses.trees[0]
        order = block.cutting.order
        self.counter, self.block = counter, block
        self.tree = (
            np.arange(size) if order is None else order.astype(np.int64),
            block.cutting.by_mean,
            part.start,
            part.stop,
            isinstance(block.rule, Deviance),
            1 if first.is_regression else len(first.root.weights),
            int(block.min_leaf),
        )
        self.nodes = (
            block.parent,
            block.limit,
            block.later_limit,
            block.own,
            block.right,
            block.n_left,
            block.required,
            block.keeps,
            block.has_threshold,
        )

    def faults_with(
        self, histogram: Floats, atom: int, code: int, nodes: Integers, options: Integers
    ) -> Floats:
        """The faults of some nodes for each value that an atom below them might take."""
        from privet.compiled.repairing import trial_faults

        weight = self.counter.weights[atom]
        found: Floats = trial_faults(histogram, weight, code, nodes, options, self.tree, self.nodes)
        return found

    def repair(
        self,
        codes: Integers,
        faults: Floats,
        histogram: Floats,
        allowed: list[list[int]],
        words: "Words",
        steps: int,
    ) -> bool:
        """Give atoms below a faulty node better values, until there is no fault or no step left."""
        from privet.compiled.repairing import MORE_WORDS, REPAIRED, repair

        options = np.array([code for some in allowed for code in some], dtype=np.int64)
        edges = np.cumsum([0, *map(len, allowed)])
        while True:
            outcome, place, steps = repair(
                codes,
                faults,
                histogram,
                self.counter.weights,
                self.block.inside,
                options,
                edges,
                words.drawn,
                words.place,
                steps,
                self.tree,
                self.nodes,
            )
            words.place = place
            if outcome != MORE_WORDS:
                return bool(outcome == REPAIRED)
            words.draw_more()


def loops_of(counter: FaultCounter) -> Loops | None:
    """The loops, where they know the kind of tree and its counts are exact in floats."""
    return Loops(counter) if counter.is_plain else None


class Words:
    """The 32-bit words of Python's generator, one after the other: both ways draw from these."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.drawn = np.zeros(0, dtype=np.uint32)
        self.place = 0

    def draw_more(self) -> None:
        drawn = self._chance.getrandbits(32 * _WORDS).to_bytes(4 * _WORDS, "little")
        left = self.drawn[self.place :]
        self.drawn = np.append(left, np.frombuffer(drawn, dtype="<u4").astype(np.uint32))
        self.place = 0

    def choice(self, options: list[Any]) -> Any:
        """As `Random.choice`, which takes as many bits as the number of options has."""
        n = len(options)
        shift = 32 - n.bit_length()
        while True:
            if self.place == len(self.drawn):
                self.draw_more()
            number = int(self.drawn[self.place]) >> shift
            self.place += 1
            if number < n:
                return options[number]
