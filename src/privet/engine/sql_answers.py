"""What a database answers, as counts and tallies.

Answers are columns of whole numbers. Counts come sorted; rows of tallies come in any order, those
of all children and columns together, and are told apart here. `sql` asks the questions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Booleans, Integers
from privet.engine.protocol import Counts, RunTally, Tally


def counts_of(by: Sequence[str], found: Mapping[str, npt.NDArray[Any]]) -> Counts:
    keys = np.empty((len(found["n"]), len(by)), dtype=np.int64)
    for place in range(len(by)):
        keys[:, place] = found[f"k{place}"]
    return Counts(tuple(by), keys, found["n"].astype(np.int64, copy=False))


def cut_between(portions: Iterator[Counts], whole: int) -> Iterator[Counts]:
    """The same counts, cut only where another combination of the first columns begins."""
    held: Counts | None = None
    for portion in portions:
        joined = portion if held is None else _after(held, portion)
        last = int(joined.runs(whole)[-1])
        if last:
            yield joined.part(0, last)
        held = joined.part(last)
    if held is not None:
        yield held


def _after(one: Counts, two: Counts) -> Counts:
    keys, n = np.concatenate([one.keys, two.keys]), np.concatenate([one.n, two.n])
    return Counts(one.by, keys, n)


def tallies_of(
    columns: Sequence[str], children: int, found: Mapping[str, npt.NDArray[Any]], width: int | None
) -> list[dict[str, Tally]]:
    """Rows (child, which column, code, weights) told apart; with classes, a row has one weight."""
    of_one = found["child"].astype(np.int64) * len(columns) + found["which"]
    code = found["code"].astype(np.int64)
    order = np.lexsort((code, of_one))
    of_one, code = of_one[order], code[order]
    edges = np.searchsorted(of_one, np.arange(children * len(columns) + 1))
    answers: list[dict[str, Tally]] = [{} for _ in range(children)]
    for number in range(children * len(columns)):
        rows = slice(int(edges[number]), int(edges[number + 1]))
        child, place = divmod(number, len(columns))
        own = order[rows]
        if width is None:
            weights: Integers = np.stack([found["n"][own], found["s"][own]], axis=1)
            tally = Tally(code[rows], weights)
        else:
            codes, row = np.unique(code[rows], return_inverse=True)
            weights = np.zeros((len(codes), width), dtype=np.int64)
            weights[row, found["y"][own]] = found["n"][own]
            tally = Tally(codes, weights)
        answers[child][columns[place]] = tally
    return answers


def in_runs(tallies: dict[str, Tally], lengths: Mapping[str, int]) -> dict[str, Tally]:
    """The same tallies; where runs of codes were counted and numbered, as what they are."""
    return {name: _run_tally(tally, lengths.get(name)) for name, tally in tallies.items()}


def _run_tally(tally: Tally, length: int | None) -> Tally:
    if length is None:
        return tally
    lengths = np.full(len(tally.codes), length, dtype=np.int64)
    return RunTally(tally.codes * length, tally.weights, lengths)


def with_finer(known: RunTally, those: Booleans, finer: Tally, length: int) -> RunTally:
    """Known runs with shorter ones, which were numbered, in the place of those."""
    codes = np.concatenate([known.codes[~those], finer.codes * length])
    order = np.argsort(codes)
    weights = np.concatenate([known.weights[~those], finer.weights])
    lengths = np.append(known.lengths[~those], np.full(len(finer.codes), length))
    return RunTally(codes[order], weights[order], lengths[order])
