"""Records dealt out to blocks: the verbs of a division of the table that is refined cut by cut.

Blocks are numbered depth first, the left part of every cut before the right one, whatever the order
of work: so the numbers are the same on every engine. `memory_blocks` keeps row numbers,
`sql_blocks` a column of block numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.protocol import Counts, Response
from privet.table import Coded, Domain, code_type

if TYPE_CHECKING:
    from privet.engine.memory_blocks import MemoryBlocks
    from privet.engine.protocol import Engine

Filling = tuple[npt.NDArray[Any], Domain]  # the code of each block in a column, and its domain


@dataclass(frozen=True, eq=False)
class Cuts:
    """How some blocks are cut in two: along which column, and up to which place goes left.

    `column` numbers `columns`; `place` says where along each column its codes stand.
    """

    columns: Sequence[str]
    place: Sequence[Integers]
    column: Integers
    last_left: Integers


class SomeBlocks(Protocol):
    """Some blocks of a division. What counting by several columns shares is found once."""

    @property
    def blocks(self) -> Integers: ...

    def count(self, columns: Sequence[str]) -> Counts:
        """How many records have each combination of values; a key begins with the block's place
        among these."""

    def size_of(self, column: str) -> int:
        """How many values a column has."""

    def keep(self, name: str) -> None:
        """Remember a column that every count will ask for."""


class Blocks(Protocol):
    """A division of a table."""

    @property
    def finished_below(self) -> int:
        """Blocks of fewer records than this are not to be cut here: `finished` has it done."""

    @property
    def at_once(self) -> int:
        """How many records may be counted together by all values of a column."""

    @property
    def sizes(self) -> Integers:
        """The records of each block."""

    @property
    def starts(self) -> Integers:
        """The records before each block, and all records."""

    def __len__(self) -> int: ...

    def domain(self, column: str) -> Domain: ...

    def records(self, column: str) -> Integers:
        """How many records of the whole table have each value of a column."""

    def some(self, blocks: Integers) -> SomeBlocks:
        """Some of the blocks, which ascend, to be counted by one column after the other."""

    def count(self, columns: Sequence[str]) -> Counts:
        """How many records of each block have each combination of values, the block first."""

    def weights(self, target: str | Response) -> Integers:
        """For each block the records of each class, or the records and the sum of the response."""

    def divide(self, blocks: Integers, cuts: Cuts) -> Self:
        """Each of some blocks in two, in their order; left parts come first."""

    def finished(self, refine: "Refine") -> Self:
        """Those of fewer records than `finished_below` cut further in memory, all others as they
        are. `refine` gets a number of whole blocks at a time."""

    def fill(self, values: Mapping[str, Filling]) -> "Engine":
        """The table with the values of some columns that each block is given."""


Refine = Callable[["MemoryBlocks"], "MemoryBlocks"]


def portions(lengths: Integers, most: int) -> Iterator[tuple[int, int]]:
    """Stretches of about so much in all, each of one thing at least."""
    portion = (np.cumsum(lengths) - lengths) // most
    firsts = np.flatnonzero(np.diff(portion, prepend=-1)).tolist()
    yield from pairwise([*firsts, len(lengths)])


def fill_compactly(blocks: Blocks, values: Mapping[str, Filling]) -> "Engine":
    """The table filled, and each domain without values that no block has; every block has rows."""
    coded = {
        name: Coded(domain, codes.astype(code_type(domain.size))).compact()
        for name, (codes, domain) in values.items()
    }
    return blocks.fill({name: (column.codes, column.domain) for name, column in coded.items()})
