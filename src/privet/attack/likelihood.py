"""How likely noise made a released record out of a known person's: all pairs, as logarithms.

The person's leaf, where the known values leave it open, and the class, which the intruder does not
know, are summed out. Beside the sum over classes stands the part of it that is of the person's own
class: their ratio is what the intruder thinks of that class. `noise_laws` next door has the laws of
the single columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.attack.columns_together import ColumnsTogether
from privet.attack.noise_laws import CategoryTreeLaw, Cells, ColumnLaw
from privet.attack.whereabouts import Whereabouts, possible_leaves
from privet.mechanism.class_laws import ClassLaw
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type
from privet.tree.leaves import Leaves
from privet.tree.model import Tree

Rows = npt.NDArray[np.intp]

MOST_CELLS = 4_000_000  # of the table of records and people that is held at once


class Likelihoods:
    """Released records against people of whom some columns are known.

    `told` is what mechanism.json says, `people` has a row for each person with the known columns.
    """

    def __init__(
        self,
        tree: Tree,
        told: Mapping[str, Any],
        released: Table,
        people: Table,
        known: Sequence[str],
    ) -> None:
        self.tree, self.told = tree, told
        self.released, self.people, self.known = released, people, tuple(known)
        self.leaves = Leaves(tree, released)
        detective = told["detective"] or {"columns": {}}
        entries = list(detective["columns"].values())
        grouped = {name for entry in entries for name in entry["columns"]}
        self.stay_in_leaves = bool(told["strict"]) or told["detective"] is None
        self._asked_and_kept = set(tree.attributes_used) - (
            set() if self.stay_in_leaves else grouped
        )
        self.where = Whereabouts(tree, people, known)
        told_class = told["class"]
        leaves = [leaf.weights for leaf in tree.leaves]
        self.law = ClassLaw.of(told_class["technique"], leaves, float(told_class.get("floor", 0.0)))
        self.judges_class = tree.target in people and tree.target not in known
        self.columns = [
            ColumnLaw(self._cells([name]), told, self.leaves, self.records_in)
            for name in known
            if name not in grouped and name != tree.target
        ]
        self.groups = [
            self._group(entry) for entry in entries if set(entry["columns"]) & set(known)
        ]

    def _cells(self, names: Sequence[str]) -> Cells:
        return Cells.of(names, self.people, self.released)

    def _group(self, entry: Mapping[str, Any]) -> CategoryTreeLaw:
        influential = self.told["influential"]
        spikes = {
            name: told["spikes"]
            for name, told in (influential or {"columns": {}})["columns"].items()
        }
        cells = self._cells([name for name in entry["columns"] if name in self.known])
        return CategoryTreeLaw(
            cells,
            entry,
            bool(self.told["strict"]),
            influential is not None,
            self.leaves,
            self.records_in,
            spikes,
        )

    @cached_property
    def _in_leaf(self) -> npt.NDArray[np.bool_] | None:
        """Released records by the leaves they may come from, where categories were drawn anew."""
        if self.stay_in_leaves:
            return None
        return possible_leaves(self.tree, self.released, self._asked_and_kept)

    def records_in(self, leaf: int) -> Rows:
        """The released records that come from a leaf, or may."""
        if self._in_leaf is None:
            return np.flatnonzero(self.leaves.rank == leaf)
        return np.flatnonzero(self._in_leaf[:, leaf])

    # -- all pairs -------------------------------------------------------------------------------

    def chunks(self, rows: Rows) -> Iterator[tuple[Rows, Rows, Floats]]:
        """The released records in portions, each with the people who come into question and the
        log-likelihoods: a line for each record, a column for each of them. Where it can be judged
        what is learnt of classes, a second such table is of the person's own class alone."""
        everybody = np.arange(self.people.n_rows)
        if not (self.stay_in_leaves and self.where.is_sure):
            for part in _parts(rows, len(everybody)):
                yield part, everybody, self._anywhere(part)
            return
        for leaf in range(self.leaves.number):
            here = rows[self.leaves.rank[rows] == leaf]
            people = np.flatnonzero(self.where.chance_of(leaf) > 0) if len(here) else everybody
            for part in _parts(here, len(people)):
                yield part, people, self._in(leaf, part, people)

    def of(self, rows: Rows) -> Floats:
        """The log-likelihood of each of some released records for each person."""
        return np.asarray(self._anywhere(rows)[0])

    def _anywhere(self, rows: Rows) -> Floats:
        """The tables of some released records and all people, in whatever leaf each lies."""
        found = np.full((1 + self.judges_class, len(rows), self.people.n_rows), -np.inf)
        for leaf in range(self.leaves.number):
            here = np.flatnonzero(np.isin(rows, self.records_in(leaf)))
            chance = self.where.chance_of(leaf)
            people = np.flatnonzero(chance > 0)
            if len(here) and len(people):
                own = self._in(leaf, rows[here], people) + np.log(chance[people])
                place = np.ix_(np.arange(len(found)), here, people)
                found[place] = np.logaddexp(found[place], own)
        return found

    def _in(self, leaf: int, rows: Rows, people: Rows) -> Floats:
        """The same for people who lie in a leaf."""
        total = np.zeros((len(rows), len(people)))
        together = self._together.moved_in(leaf) if self._together else {}
        if self._together and together:
            total += self._together.log_chances(together, rows, people)
        for column in self.columns:
            if column.cells.names[0] in together:
                continue
            total += _spread_out(
                column.cells, rows, people, lambda x, y, c=column: c.chances(leaf, x, y)
            )
        drawn = [group for group in self.groups if group.is_drawn[leaf]]
        for group in self.groups:
            if not group.is_drawn[leaf]:
                total += _spread_out(
                    group.cells, rows, people, lambda x, y, g=group: g.chances_on_path(leaf, x, y)
                )
        return total + self._by_class(leaf, drawn, rows, people)

    def _by_class(
        self, leaf: int, drawn: Sequence[CategoryTreeLaw], rows: Rows, people: Rows
    ) -> Floats:
        """The class, and the categories whose trees ask it: summed over the classes."""
        shown = self._released_class[rows]
        by_class = []
        own_class = np.full((len(rows), len(people)), -np.inf)
        turns, shares = self.law.transition(leaf), self.law.shares_in(leaf)
        asked = any(group.asks(self.tree.target) for group in drawn)
        fixed = np.zeros((len(rows), len(people)))
        for group in drawn:
            if not group.asks(self.tree.target):
                fixed += self._of_group(group, None, rows, people)
        for number in range(self.law.classes):
            prior = self._class_chances(number, shares, people)
            if not prior.any():
                continue
            turn = turns[number][shown]
            with np.errstate(divide="ignore"):
                own = np.log(prior)[None, :] + np.log(turn)[:, None]
            for group in drawn if asked else ():
                if group.asks(self.tree.target):
                    own = own + self._of_group(group, number, rows, people)
            by_class.append(own)
            if self.judges_class:
                theirs = self._class_of_people[people] == number
                own_class[:, theirs] = own[:, theirs]
        tables = [np.logaddexp.reduce(by_class, axis=0)] + [own_class] * self.judges_class
        return np.asarray(fixed + np.stack(tables))

    def _class_chances(self, number: int, shares: Floats, people: Rows) -> Floats:
        """For each person the chance of a class: known, or as the leaf has it."""
        if self.tree.target in self.known:
            return np.asarray(self._class_of_people[people] == number, dtype=np.float64)
        return np.full(len(people), shares[number], dtype=np.float64)

    def _of_group(
        self, group: CategoryTreeLaw, number: int | None, rows: Rows, people: Rows
    ) -> Floats:
        codes, place = np.unique(group.cells.released[rows], return_inverse=True)
        where = self._whereabouts(group, number)
        with np.errstate(divide="ignore"):
            logs = np.log(group.drawn_for(where, people, codes))
        return np.asarray(logs.T[place])

    def _whereabouts(self, group: CategoryTreeLaw, number: int | None) -> Whereabouts:
        """Where people lie in a category's tree if their class is a certain one."""
        key = (id(group), number)
        if key not in self._places:
            people, known = self.people, set(self.known) - {self.tree.target}
            if number is not None:
                assert self.tree.classes is not None
                label = self.tree.classes[number]
                values = np.array([] if label is None else [label], dtype=object)
                domain = Domain(Kind.CATEGORY, values, label is None)
                codes = np.zeros(people.n_rows, dtype=code_type(1))
                columns = {name: people[name] for name in people if name in known}
                people = Table({**columns, self.tree.target: Coded(domain, codes)})
                known |= {self.tree.target}
            self._places[key] = Whereabouts(group.tree, people, known)
        return self._places[key]

    @cached_property
    def _together(self) -> ColumnsTogether | None:
        innocent = self.told["innocent"]
        told = None if innocent is None else innocent.get("together")
        return None if told is None else ColumnsTogether(told, self.columns)

    @cached_property
    def _places(self) -> dict[tuple[int, int | None], Whereabouts]:
        return {}

    @cached_property
    def _released_class(self) -> npt.NDArray[np.int64]:
        return class_numbers(self.tree, self.released)

    @cached_property
    def _class_of_people(self) -> npt.NDArray[np.int64]:
        return class_numbers(self.tree, self.people)


def _parts(rows: Rows, people: int) -> Iterator[Rows]:
    """Rows in portions that make tables of a bounded size with so many people."""
    size = max(MOST_CELLS // max(people, 1), 1)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def class_numbers(tree: Tree, table: Table) -> npt.NDArray[np.int64]:
    """For each row the number of its class in the tree; a class the tree lacks counts as the
    first."""
    column = table[tree.target]
    labels = {label: number for number, label in enumerate(tree.classes or ())}
    of_code = [labels.get(column.domain.value(code), 0) for code in range(column.domain.size)]
    return np.array(of_code, dtype=np.int64)[column.codes]


def _spread_out(cells: Cells, rows: Rows, people: Rows, chances: Any) -> Floats:
    """Chances of codes as logarithms, for all pairs of records and people that have them."""
    theirs, place = np.unique(cells.people[people], return_inverse=True)
    shown, at = np.unique(cells.released[rows], return_inverse=True)
    with np.errstate(divide="ignore"):
        logs = np.log(chances(theirs, shown))
    return np.asarray(logs.T[at][:, place])
