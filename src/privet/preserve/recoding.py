"""What becomes of each column: a map of codes, the new domain, and how to say it to people.

`by_column` makes these, and `by_leaf` builds on them. Drafts apply them through the engine, and the
publisher writes their meaning into the manifest, so that new rows can be recoded like the released.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.protocol import Engine
from privet.schema import Kind
from privet.table import Domain, Value
from privet.tree.model import Multiway, Split, Subset, Tree


class Treatment(StrEnum):
    """What a person must know of a released column."""

    KEPT = "kept"  # as it was
    SUPPRESSED = "suppressed"  # every cell missing
    GENERALISED = "generalised"  # each value stands for a range or a set that holds the true one
    AGGREGATED = "aggregated"  # a value near those of a block of records, which all have it
    CODED = "coded"  # values regrow the tree; a cell need not hold a value that is true


@dataclass(frozen=True, eq=False)
class ColumnRecoding:
    """One column's recoding: the new code of each old code."""

    column: str
    new_of_old: Integers
    domain: Domain
    treatment: Treatment

    def refines(self, coarser: "ColumnRecoding") -> bool:
        """Whether values that fall together here fall together there, too."""
        image = np.zeros(self.domain.size, dtype=np.int64)
        image[self.new_of_old] = coarser.new_of_old
        return bool((image[self.new_of_old] == coarser.new_of_old).all())

    def has_the_cells_of(self, other: "ColumnRecoding") -> bool:
        """Whether it makes the same cells, and names them alike."""
        return self.domain == other.domain and np.array_equal(self.new_of_old, other.new_of_old)


def suppressed(column: str, domain: Domain) -> ColumnRecoding:
    """Every cell missing: a suppressed column holds nothing that could be taken for true."""
    nothing = Domain(domain.kind, domain.values[:0], missing=True)
    everything = np.zeros(domain.size, dtype=np.int64)
    return ColumnRecoding(column, everything, nothing, Treatment.SUPPRESSED)


def kept(column: str, domain: Domain) -> ColumnRecoding:
    return ColumnRecoding(column, np.arange(domain.size), domain, Treatment.KEPT)


def from_numbers(column: str, domain: Domain, new_values: npt.NDArray[Any]) -> ColumnRecoding:
    """A recoding of numbers from the new value of each old one, ascending as those are; missing
    stays missing."""
    is_next = np.ones(len(new_values), dtype=bool)
    is_next[1:] = new_values[1:] != new_values[:-1]
    distinct, new_of_old = new_values[is_next], np.cumsum(is_next) - 1
    if domain.missing:
        new_of_old = np.append(new_of_old, len(distinct))
    same = np.array_equal(distinct, domain.values)
    treatment = Treatment.KEPT if same else Treatment.GENERALISED
    return ColumnRecoding(
        column,
        new_of_old.astype(np.int64),
        Domain(domain.kind, distinct, domain.missing),
        treatment,
    )


def from_labels(column: str, domain: Domain, labels: Sequence[str | None]) -> ColumnRecoding:
    """A recoding of categories from the new label of each code; None stays missing."""
    distinct = sorted({label for label in labels if label is not None})
    missing = None in labels
    place = {label: code for code, label in enumerate(distinct)}
    codes = [len(distinct) if label is None else place[label] for label in labels]
    new = Domain(domain.kind, np.array(distinct, dtype=object), missing)
    treatment = Treatment.KEPT if new == domain else Treatment.GENERALISED
    return ColumnRecoding(column, np.array(codes, dtype=np.int64), new, treatment)


def apply(
    engine: Engine, recodings: Mapping[str, ColumnRecoding], besides: Sequence[str] = ()
) -> Engine:
    """The table with its columns recoded, but for some."""
    changed = {
        name: (r.new_of_old, r.domain)
        for name, r in recodings.items()
        if r.treatment is not Treatment.KEPT and name not in besides
    }
    return engine.recode(changed)


def relabelled(
    tree: Tree, recodings: Mapping[str, ColumnRecoding], domains: Mapping[str, Domain]
) -> Tree:
    """The same tree in the words of the released table: categories become their groups."""
    nodes = tuple(
        replace(node, split=_relabelled_split(node.split, recodings, domains))
        for node in tree.nodes
    )
    orders = {}
    for column, order in tree.grower.category_orders.items():
        if column not in recodings:  # released as it is
            orders[column] = order
            continue
        place = _code_of_label(domains[column])
        recoding = recodings[column]
        new = [_label(recoding, place[label]) for label in order]
        orders[column] = tuple(dict.fromkeys(new))
    return replace(tree, nodes=nodes, grower=replace(tree.grower, category_orders=orders))


def _relabelled_split(
    split: Split | None,
    recodings: Mapping[str, ColumnRecoding],
    domains: Mapping[str, Domain],
) -> Split | None:
    if split is None or split.attribute not in recodings:
        return split
    recoding = recodings[split.attribute]
    place = _code_of_label(domains[split.attribute])

    def renamed(labels: Sequence[Value]) -> tuple[Value, ...]:
        codes = sorted({int(recoding.new_of_old[place[label]]) for label in labels})
        return tuple(recoding.domain.value(code) for code in codes)

    match split:
        case Subset(attribute, left, right):
            return Subset(attribute, renamed(left), renamed(right))
        case Multiway(attribute, branches):
            return Multiway(attribute, renamed(branches))
    return split


def _code_of_label(domain: Domain) -> dict[Value, int]:
    if domain.kind is not Kind.CATEGORY:
        return {}
    return {domain.value(code): code for code in range(domain.size)}


def _label(recoding: ColumnRecoding, code: int) -> str | None:
    value = recoding.domain.value(int(recoding.new_of_old[code]))
    return None if value is None else str(value)
