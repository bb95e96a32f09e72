"""mechanism.json: everything about a random substitution that may be known, and nothing more.

    {"format": 1, "method": "random substitution",
     "blocks": [{"matrix": {"kind": "gamma-diagonal", "gamma": "9", "size": 20},
                 "columns": [{"name": "age", "kind": "integer", "shown": [..], "edges": [..],
                              "representative": "centre", "may_be_missing": false,
                              "other": null, "from_data": false}]}],
     "unchanged": ["class"],
     "epsilon": {"by_column": {"age": 2.1973}, "of_a_record": 19.7751}}

A block is one draw: one column, or several that are drawn together over all their combinations (the
last column of a block runs fastest). A matrix of another kind is {"kind": "weights", "total": ..,
"weights": [[..]]}. Neither the seed is written nor whether there was one, which would tell whose
seed to guess. `epsilon` is for readers; it is computed again. `mechanism_data` reads and writes
matrices and domains.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.documents import json_of, read_json
from privet.errors import InputError, PrivetError, UnknownColumn, UsageError
from privet.mechanism.domains import ColumnDomain
from privet.mechanism.identities import Identities, identities_of
from privet.mechanism.matrices import Matrix, epsilon
from privet.mechanism.mechanism_data import (
    domain_data,
    domain_of,
    matrix_data,
    matrix_of,
    text_of,
)
from privet.mechanism.row_bits import RowBits, bits_together
from privet.mechanism.sampling import substitute
from privet.table import Coded, Codes, Table, code_type

_FORMAT = 1
_MOST_STATES = 1 << 24  # of a block: what counts them takes some bytes for each
_BESIDE = "it is the file that `privet substitute` wrote beside the table."
METHOD_NAME = "random substitution"


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that are drawn together from one matrix over all their combinations."""

    domains: tuple[ColumnDomain, ...]
    matrix: Matrix

    def __post_init__(self) -> None:
        if self.matrix.size > _MOST_STATES:
            raise UsageError(
                f"Columns that are drawn together have {self.matrix.size:,} combinations, at most "
                f"{_MOST_STATES:,} can be counted.",
                "draw fewer columns together, or give them fewer bins.",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(domain.column for domain in self.domains)

    @property
    def name(self) -> str:
        return "+".join(self.columns)

    @cached_property
    def purpose(self) -> str:
        """What seeded bits are drawn for: this matrix over these domains, and no other.

        Under one seed, two matrices or two ways to cut bins must share no bits. Their outcomes
        together would rule out originals, which no sum of their epsilons allows.
        """
        text = json.dumps(self.to_data(), sort_keys=True)
        return f"{self.name}:{hashlib.sha256(text.encode()).hexdigest()}"

    def to_data(self) -> dict[str, Any]:
        return {
            "matrix": matrix_data(self.matrix),
            "columns": [domain_data(domain) for domain in self.domains],
        }

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(domain.size for domain in self.domains)

    def encode(self, table: Table) -> Codes:
        """One code for each record, over all combinations of the block's values."""
        codes = self.domains[0].encode(table[self.columns[0]])
        for domain in self.domains[1:]:
            wide = codes.astype(code_type(self.matrix.size)) * domain.size
            codes = (wide + domain.encode(table[domain.column])).astype(wide.dtype)
        return codes

    def parts(self, codes: Codes) -> dict[str, Codes]:
        """The codes of each column, from codes of combinations."""
        if len(self.domains) == 1:
            return {self.columns[0]: codes}
        places: Sequence[npt.NDArray[Any]] = np.unravel_index(codes, self.sizes)
        return {
            domain.column: part.astype(code_type(domain.size))
            for domain, part in zip(self.domains, places, strict=True)
        }


def refuse_shared_names(groups: Sequence[Sequence[str]], unchanged: Iterable[str]) -> None:
    """Refuse columns drawn together whose name is that of another column or of another group.

    Blocks are told apart by their names everywhere: in what an epsilon is dealt out by, too.
    """
    taken = set(unchanged) | {group[0] for group in groups if len(group) == 1}
    for group in groups:
        name = "+".join(group)
        if len(group) > 1 and name in taken:
            raise UsageError(
                f"'{name}' is the name of columns drawn together, and of another column or of "
                "others drawn together as well.",
                "rename the column whose name holds a +.",
            )
        taken.add(name)


@dataclass(frozen=True, eq=False)
class Substitution:
    """What was done to a table: its blocks, and the columns left as they were.

    >>> table = privet.table_of({"age": [30, 61] * 40, "buys": ["no", "yes"] * 40})
    >>> schema = table.schema().with_roles(target="buys")
    >>> settings = {"gamma": 9, "bins": 2, "domain_from_data": True}
    >>> perturber = privet.RandomSubstitution(**settings).fit(table, schema)
    >>> perturber.mechanism_.unchanged
    ('buys',)
    """

    blocks: tuple[Block, ...]
    unchanged: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse_shared_names([block.columns for block in self.blocks], self.unchanged)

    @property
    def columns(self) -> tuple[str, ...]:
        """The perturbed columns."""
        return tuple(name for block in self.blocks for name in block.columns)

    @property
    def domains_from_data(self) -> tuple[str, ...]:
        """The perturbed columns whose domain shows which values occur in the records."""
        return tuple(d.column for b in self.blocks for d in b.domains if d.from_data)

    def block_of(self, column: str) -> Block:
        for block in self.blocks:
            if column in block.columns:
                return block
        raise UnknownColumn(column, self.columns, where="the mechanism")

    def released(self, table: Table) -> tuple[str, ...]:
        """The columns of a table that are released, in their order."""
        known = {*self.columns, *self.unchanged}
        return tuple(name for name in table.names if name in known)

    def refuse_outside(self, table: Table) -> None:
        """Refuse cells outside their public domains, before any is drawn."""
        for block in self.blocks:
            for domain in block.domains:
                domain.refuse_outside(table[domain.column])

    def restored(self, table: Table) -> Table:
        """A perturbed table that was read from a file which may have rounded what was drawn."""
        domains = {d.column: d for block in self.blocks for d in block.domains}
        return Table(
            {n: domains[n].restored(table[n]) if n in domains else table[n] for n in table.names}
        )

    def refuse_undrawn(self, table: Table) -> None:
        """Refuse cells that no draw can show, such as those of a table that was not perturbed."""
        for block in self.blocks:
            for domain in block.domains:
                domain.refuse_undrawn(table[domain.column])

    def drawn(
        self,
        table: Table,
        seed: int | None,
        progress: Callable[[int], None] | None = None,
        rows: Identities | None = None,
    ) -> Table:
        """The released columns of a table, in their order; every block drawn by its matrix.

        `rows` says who the rows are, where the table is a part of another one.
        """
        names = self.released(table)
        if seed is not None and rows is None:
            rows = identities_of(table.select(names), seed)
        bits: dict[str, RowBits] = {}
        if seed is not None and rows is not None:
            bits = bits_together(seed, [block.purpose for block in self.blocks], rows)
        found: dict[str, Coded] = {}
        for block in self.blocks:
            originals, own = block.encode(table), bits.pop(block.purpose, None)
            codes = substitute(block.matrix, originals, seed, bits=own, progress=progress)
            for domain, part in zip(block.domains, block.parts(codes).values(), strict=True):
                found[domain.column] = domain.decode(part, seed, rows, block.purpose)
        return Table({name: found[name] if name in found else table[name] for name in names})

    @property
    def epsilon_of_a_record(self) -> float:
        """Blocks are drawn independently, so their epsilons add up."""
        return math.nextafter(math.fsum(epsilon(b.matrix) for b in self.blocks), math.inf)

    @property
    def epsilons(self) -> tuple[float | None, ...]:
        """The epsilon of each block; None where a matrix rules out originals."""
        return tuple(_finite(epsilon(block.matrix)) for block in self.blocks)

    @property
    def finite_epsilon_of_a_record(self) -> float | None:
        return _finite(self.epsilon_of_a_record)

    def to_data(self) -> dict[str, Any]:
        by_column = {b.name: _finite(epsilon(b.matrix)) for b in self.blocks}
        return {
            "format": _FORMAT,
            "method": METHOD_NAME,
            "blocks": [block.to_data() for block in self.blocks],
            "unchanged": list(self.unchanged),
            "epsilon": {"by_column": by_column, "of_a_record": _finite(self.epsilon_of_a_record)},
        }

    def to_text(self) -> str:
        return json.dumps(self.to_data(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_data(cls, raw: Mapping[str, Any]) -> "Substitution":
        try:
            _refuse_unknown_format(raw)
            blocks = tuple(
                Block(tuple(map(domain_of, entry["columns"])), matrix_of(entry["matrix"]))
                for entry in raw["blocks"]
            )
            fits = all(math.prod(b.sizes) == b.matrix.size for b in blocks)
            unchanged = tuple(text_of(name) for name in raw["unchanged"])
            names = [*unchanged, *(name for block in blocks for name in block.columns)]
            fits = fits and len(set(names)) == len(names)
        except InputError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PrivetError):
            fits = False
        if not fits:
            raise InputError(
                "The mechanism file lacks an entry or holds one that cannot be.",
                _BESIDE,
            )
        try:
            return cls(blocks, unchanged)
        except UsageError as error:
            raise InputError(*error.raw) from None

    @classmethod
    def from_text(cls, text: str) -> "Substitution":
        raw = json_of(text, "mechanism file", hint=_BESIDE)
        return cls.from_data(raw if isinstance(raw, dict) else {})

    @classmethod
    def read(cls, path: Path) -> "Substitution":
        raw = read_json(path, "mechanism file", hint=_BESIDE)
        return cls.from_data(raw if isinstance(raw, dict) else {})


def _refuse_unknown_format(raw: Mapping[str, Any]) -> None:
    if raw["format"] != _FORMAT or raw["method"] != METHOD_NAME:
        raise InputError(
            "The mechanism file is of a kind or format that this Privet does not know.",
            "a newer Privet may have written it.",
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
