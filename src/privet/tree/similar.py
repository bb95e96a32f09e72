"""How alike two trees are that need not be the same: rule by rule, and record by record.

The rule of a leaf is what its path leaves of each column, and what it predicts. Shares are of the
records of the first tree: of a table if one is given, else as many as its leaves have. `compare`
next door says whether two trees are the same.
"""

from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet.arrays import Integers
from privet.engine.combinations import Combinations
from privet.errors import UnknownColumn
from privet.files import as_table
from privet.table import Table, Value, stretches_of
from privet.tree.compare import paired_children, question_difference
from privet.tree.model import Node, Threshold, Tree
from privet.tree.paths import Left, paths

Word = Literal["exactly same", "very similar", "similar", "dissimilar"]

TOLERANCE = 0.05  # of the range from the 5th to the 95th percentile of a column
_ENDS = (0.05, 0.95)

Condition = tuple[Any, ...]  # ("among", categories) or ("between", above, up to, missing, numbers)


@dataclass(frozen=True)
class Part:
    """Where two trees part: a node of each, and in what they differ."""

    first: int
    second: int
    how: str


@dataclass(frozen=True)
class TreeLikeness:
    """How alike two trees are.

    `same_rule` is the share of records whose rule is in the other tree exactly, `within_tolerance`
    with thresholds a little off, `kin` also where one rule is the other with conditions dropped.
    `shared_path` is the mean share of the columns on both paths of a record that are on each.
    `attributes_kept` and `thresholds_kept` are shares of those that the first tree asks.
    `agreement` is the share of equal predictions, `wrong` how many records each tree misclassifies;
    both need a table.
    """

    identical: bool
    same_root: bool
    same_rule: float
    within_tolerance: float
    kin: float
    attributes_kept: float
    thresholds_kept: float
    leaves: tuple[int, int]
    parts: tuple[Part, ...]
    agreement: float | None = None
    shared_path: float | None = None
    wrong: tuple[int, int] | None = None

    @property
    def word(self) -> Word:
        """In a word; the numbers are to be told beside it."""
        if self.identical:
            return "exactly same"
        if self.kin >= 0.8 and self.within_tolerance >= 0.5:
            return "very similar"
        agrees = self.agreement is not None and self.agreement >= 0.9
        return "similar" if self.kin >= 0.5 or (self.same_root and agrees) else "dissimilar"

    def to_data(self) -> dict[str, Any]:
        return {"word": self.word, **asdict(self)}

    def figures(self) -> dict[str, Any]:
        """The word and the shares that it follows from."""
        names = ("same_rule", "within_tolerance", "kin", "agreement")
        return {"word": self.word, **{name: getattr(self, name) for name in names}}

    def sentences(self) -> list[str]:
        """For people."""
        said = [f"The trees are {self.word}." if not self.identical else "The same tree."]
        said.append(
            f"Records under exactly the same rule {self.same_rule:.1%}, within a tolerance "
            f"{self.within_tolerance:.1%}, under a rule of kin {self.kin:.1%}."
        )
        if self.agreement is not None:
            said.append(f"Both predict the same for {self.agreement:.1%} of the records.")
        if self.wrong is not None:
            said.append(
                f"Misclassified: {self.wrong[0]:,} by the first, {self.wrong[1]:,} by the second."
            )
        said.append(
            f"Kept: {self.attributes_kept:.0%} of the attributes and {self.thresholds_kept:.0%} of "
            f"the thresholds; the root is {'the same' if self.same_root else 'another'}."
        )
        said += [f"They part at node {p.first} against {p.second}: {p.how}." for p in self.parts]
        return said


@dataclass(frozen=True)
class _Rule:
    conditions: Mapping[str, Condition]
    prediction: Value


def tree_likeness(first: Tree, second: Tree, data: Any = None) -> TreeLikeness:
    """How alike two trees are, judged on the records of a table of any shape, or on the
    counts of the first.

    >>> table = privet.datasets.crd(200, 1)
    >>> tree = privet.grow(privet.MemoryEngine(table), table.schema().with_roles(
    ...     target="credit_risk"), privet.Grower(leaves=4))
    >>> privet.tree_likeness(tree, tree, table).word
    'exactly same'
    """
    table = None if data is None else as_table(data)
    if table is not None:
        for name in (*first.attributes_used, *second.attributes_used):
            if name not in table:
                raise UnknownColumn(name, table.names)
    pairs = None if table is None else _Pairs.of(first, second, table)
    records = _records(first, pairs)
    room = {} if table is None else _room(table)
    ours, theirs = _rules(first), _rules(second)
    grades = np.array([_grades(rule, theirs.values(), room) for rule in ours.values()])
    shares = (records @ grades) / max(float(records.sum()), 1.0)
    asked = [set(tree.attributes_used) for tree in (first, second)]
    cuts = [_cuts(tree) for tree in (first, second)]
    parts = tuple(_parts(first, second, set(np.flatnonzero(records == 0).tolist())))
    return TreeLikeness(
        identical=not parts and first.target == second.target,
        same_root=_root(first) == _root(second),
        same_rule=float(shares[0]),
        within_tolerance=float(shares[1]),
        kin=float(shares[2]),
        attributes_kept=_kept(*asked),
        thresholds_kept=_kept(*cuts),
        leaves=(first.n_leaves, second.n_leaves),
        parts=parts,
        **({} if table is None or pairs is None or not table.n_rows else _on_records(pairs, table)),
    )


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Which leaf of each tree a record reaches: the pairs that occur, by what the records have in
    the target if the trees tell classes, and how often."""

    trees: tuple[Tree, Tree]
    leaves: tuple[Integers, Integers]
    times: Integers
    labels: Integers | None  # codes of the target

    @classmethod
    def of(cls, first: Tree, second: Tree, table: Table) -> "_Pairs":
        judged = first.target in table and not first.is_regression
        sizes = [len(first.nodes), len(second.nodes)]
        counted = Combinations([*sizes, table[first.target].domain.size] if judged else sizes)
        for part in stretches_of(table):
            codes: list[npt.NDArray[Any]] = [first.leaf_of_rows(part), second.leaf_of_rows(part)]
            counted.add([*codes, part[first.target].codes] if judged else codes)
        one, two, *labels = counted.keys.T
        return cls((first, second), (one, two), counted.n, labels[0] if judged else None)

    def mean(self, of_pair: npt.NDArray[Any]) -> float:
        """The mean over the records of what is known of each pair."""
        return float(of_pair @ self.times) / int(self.times.sum())


def _records(tree: Tree, pairs: _Pairs | None) -> npt.NDArray[np.float64]:
    """How many records each leaf has, of a table or as it was grown."""
    if pairs is None:
        return np.array([tree.records(leaf) for leaf in tree.leaves], dtype=np.float64)
    counts = np.bincount(pairs.leaves[0], pairs.times, minlength=len(tree.nodes))
    return counts[[leaf.id for leaf in tree.leaves]].astype(np.float64)


def _kept(ours: Set[Any], theirs: Set[Any]) -> float:
    return len(ours & theirs) / len(ours) if ours else 1.0


def _on_records(pairs: _Pairs, table: Table) -> dict[str, Any]:
    """What only records tell: equal predictions, columns on both paths, misclassified ones."""
    first = pairs.trees[0]
    said = [[tree.prediction(node) for node in tree.nodes] for tree in pairs.trees]
    places = zip(*(leaves.tolist() for leaves in pairs.leaves), strict=True)
    alike = np.array([said[0][one] == said[1][two] for one, two in places])
    wrong = None
    if pairs.labels is not None:
        domain = table[first.target].domain
        code_of = {domain.value(code): code for code in range(domain.size)}
        codes = [np.array([code_of.get(value, -1) for value in own]) for own in said]
        ways = zip(codes, pairs.leaves, strict=True)
        wrong_of = [int(pairs.times[of_node[at] != pairs.labels].sum()) for of_node, at in ways]
        wrong = (wrong_of[0], wrong_of[1])
    return {
        "agreement": pairs.mean(alike),
        "shared_path": pairs.mean(_shared_paths(pairs)),
        "wrong": wrong,
    }


def _rules(tree: Tree) -> dict[int, _Rule]:
    steps = paths(tree)
    found = {}
    for leaf in tree.leaves:
        left = Left.by(steps[leaf.id])
        conditions: dict[str, Condition] = {
            name: ("among", frozenset(values)) for name, values in left.sets.items()
        }
        for name, one in left.ranges.items():
            conditions[name] = ("between", one.above, one.up_to, one.missing, one.numbers)
        # A mean moves with every record; what a regression tree says is its conditions.
        prediction = None if tree.is_regression else tree.prediction(leaf)
        found[leaf.id] = _Rule(conditions, prediction)
    return found


def _grades(rule: _Rule, others: Any, room: Mapping[str, float]) -> tuple[bool, bool, bool]:
    """Whether a rule is among others exactly, within the tolerance, and up to conditions."""
    exact = near = kin = False
    for other in others:
        if other.prediction != rule.prediction:
            continue
        both = [name for name in rule.conditions if name in other.conditions]
        close = all(
            _is_near(rule.conditions[name], other.conditions[name], room.get(name, 0.0))
            for name in both
        )
        few = min(len(rule.conditions), len(other.conditions))
        kin = kin or (close and len(both) == few)
        near = near or (close and rule.conditions.keys() == other.conditions.keys())
        exact = exact or rule.conditions == other.conditions
    return exact, near, kin


def _is_near(one: Condition, two: Condition, room: float) -> bool:
    if one[0] != two[0] or one[0] == "among":
        return one == two
    bounds = zip(one[1:3], two[1:3], strict=True)
    return one[3:] == two[3:] and all(
        a == b or (a is not None and b is not None and abs(a - b) <= room) for a, b in bounds
    )


def _room(table: Table) -> dict[str, float]:
    """For each column of numbers how far apart two thresholds count as near."""
    found = {}
    for name in table:
        domain = table[name].domain
        if domain.kind.is_ordered and len(domain.values):
            up_to = np.cumsum(table[name].counts()[: len(domain.values)])
            if up_to[-1]:
                places = [int(share * (int(up_to[-1]) - 1)) for share in _ENDS]
                ends = np.searchsorted(up_to, places, side="right")
                low, high = domain.values[ends].astype(np.float64)
                found[name] = float(TOLERANCE * high - TOLERANCE * low)
    return found


def _cuts(tree: Tree) -> set[tuple[str, float | None]]:
    return {
        (node.split.attribute, node.split.threshold)
        for node in tree.inner
        if isinstance(node.split, Threshold)
    }


def _root(tree: Tree) -> str | None:
    return None if tree.root.split is None else tree.root.split.attribute


def _shared_paths(pairs: _Pairs) -> npt.NDArray[np.float64]:
    """For each pair of leaves the share of columns that both their paths ask."""
    asked = [
        [{split.attribute for split, _ in steps} for steps in paths(tree)] for tree in pairs.trees
    ]
    both = [
        (asked[0][one], asked[1][two])
        for one, two in zip(*(leaves.tolist() for leaves in pairs.leaves), strict=True)
    ]
    return np.array([len(a & b) / len(a | b) if a | b else 1.0 for a, b in both])


def _parts(first: Tree, second: Tree, empty: set[int]) -> list[Part]:
    """The topmost pairs of nodes that ask or predict different things; what an empty leaf, given
    by its place among the leaves, predicts does not matter."""
    empty_ids = {leaf.id for place, leaf in enumerate(first.leaves) if place in empty}
    found = []
    waiting: list[tuple[Node, Node]] = [(first.root, second.root)]
    for one, two in waiting:  # grows while it is walked through
        how = _difference(first, second, one, two, one.id in empty_ids)
        if how:
            found.append(Part(one.id, two.id, how))
        elif one.split is not None:
            waiting += [(first.nodes[a], second.nodes[b]) for a, b in paired_children(one, two)]
    return found


def _difference(first: Tree, second: Tree, one: Node, two: Node, is_empty: bool) -> str:
    if one.split is None and two.split is None:
        same = is_empty or first.is_regression or first.prediction(one) == second.prediction(two)
        return "" if same else "another prediction"
    if one.split is None or two.split is None:
        return "a leaf against a split"
    return question_difference(one.split, two.split)
