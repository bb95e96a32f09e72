"""mechanism.json of a release with noise: its laws follow from the settings, the data obey them.

What only the publisher knows of the laws (the grid and the ends of a column, the trees of its
categories) is taken from the file; everything else is worked out again from that, the settings and
the tree. `noise_settings` next door looks at the settings, `noise` at the claims.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.errors import PrivetError
from privet.mechanism.class_laws import ClassLaw
from privet.mechanism.correlated_laws import CorrelatedLaw
from privet.mechanism.grids import MOST_DECIMALS, Grid
from privet.mechanism.number_laws import NumberLaw
from privet.mechanism.shapes import shape_of
from privet.release.claims.noise_settings import is_grown_by, is_number
from privet.release.manifest import canonical
from privet.release.opened import OpenedRelease
from privet.schema import Kind, Role
from privet.table import Domain
from privet.tree.exchange.model_file import from_data, to_data
from privet.tree.relatives import law_of_leaves

_MOST_UNITS = 1 << 63
_EXACT_UP_TO = 1 << 51  # units; a column beyond them may have values beside its grid
_NEAR = 1e-9  # sums of floats may differ from machine to machine


class Laws:
    """The laws of mechanism.json beside all that they must fit."""

    def __init__(self, opened: OpenedRelease) -> None:
        self.told: Mapping[str, Any] = opened.mechanism
        self.method = opened.manifest.method
        self.table, self.tree = opened.table, opened.tree
        self.schema = opened.manifest.schema
        self.used = set(self.tree.attributes_used)
        self.drawn = [
            name
            for entry in (self.told["detective"] or {"columns": {}})["columns"].values()
            for name in entry["columns"]
        ]

    # -- which columns each part reaches -----------------------------------------------------------

    @property
    def reached(self) -> list[str]:
        return list(self.schema.names(Role.QUASI, Role.SENSITIVE))

    @property
    def numbers(self) -> list[str]:
        return [
            name
            for name in self.reached
            if self.schema[name].kind.is_ordered and len(self.table[name].domain.values)
        ]

    @property
    def innocent(self) -> set[str]:
        which = self.method["which"]
        alone = set(self.numbers) - set(self.drawn)
        return {n for n in alone if which == "both" or (n in self.used) == (which == "lia")}

    @property
    def influential(self) -> set[str]:
        able = {n for n in self.reached if self.schema[n].kind is Kind.CATEGORY}
        return self.used & (able | set(self.numbers))

    def treatments(self) -> dict[str, dict[str, str]]:
        """What became of each column, as the manifest must say it."""
        innocent = self.innocent if self.told["innocent"] else set()
        influential = self.influential if self.told["influential"] else set()
        found = {}
        for name in self.schema.names():
            if name == self.tree.target:
                how = f"class, {self.method['class']}"
            elif name in self.drawn:
                how = "detective"
            elif name in self.numbers:
                moved = [self.method["influential"]] if name in influential else []
                how = " and ".join([*moved, *(["innocent"] if name in innocent else [])]) or "kept"
            else:
                how = "exchange" if name in influential else "kept"
            found[name] = {"treatment": "kept" if how == "kept" else "noise", "method": how}
        return found

    # -- what is wrong -----------------------------------------------------------------------------

    def fault(self) -> str:
        """What does not fit; empty if everything does."""
        words = ("strict", "keep_tree")
        parts = {"format", "method", "class", "innocent", "influential", "detective", *words}
        leaves = [leaf.weights for leaf in self.tree.leaves]
        law = ClassLaw.of(self.method["class"], leaves, self.method["floor"])
        about = {"format": 1, "method": "noise"}
        about |= {word: self.method[word] for word in words}
        about["class"] = law.to_data()
        if set(self.told) != parts or canonical({k: self.told[k] for k in about}) != canonical(
            about
        ):
            return "mechanism.json speaks of another method than the manifest"
        return self._of_innocent() or self._of_influential() or self._of_detective()

    def _of_innocent(self) -> str:
        told, method = self.told["innocent"], self.method
        if told is None or method["innocent"] is None:
            return "" if told is method["innocent"] else "its innocent part is another one"
        words = {"which": method["which"], "where": method["where"]}
        correlated = method["law"] == "correlated"
        parts = {"columns", "noise", *(["together"] if correlated else [])}
        rest = {k: v for k, v in told.items() if k not in parts}
        if rest != words or not _is_curve(told.get("noise"), method["law"]):
            return "its innocent part has other settings than the manifest"
        if set(told["columns"]) != self.innocent:
            return "its innocent part reaches other columns than there are"
        for name, entry in told["columns"].items():
            if wrong := self._of_number(name, entry):
                return wrong
        return self._of_together(told) if correlated else ""

    def _of_number(self, name: str, entry: Mapping[str, Any]) -> str:
        """The law of a column of numbers off the path."""
        method = self.method
        _grid(entry["grid"], self.schema[name].kind)
        law = NumberLaw.from_data(entry, shape_of(method["law"]), self.schema[name].kind)
        expected = {**law.to_data(), "sd": method["innocent"], "ends": method["ends"]}
        expected["relative_to"] = self._size(name, entry["relative_to"], law.grid)
        expected["spikes"] = method["spikes"].get(name, [])
        if method["law"] == "correlated":
            expected["mean"] = _mean(entry)
        if law.is_too_wide or canonical(entry) != canonical(expected):
            return f"the law of '{name}' is not that of the settings"
        if not _obeys(self.table[name].domain, law.grid, entry["low"], entry["high"]):
            return f"values of '{name}' lie beside its grid or beyond its ends"
        return ""

    def _of_together(self, told: Mapping[str, Any]) -> str:
        """Columns that are moved together: each once, with correlations that columns can have."""
        together, shape = told["together"], shape_of(self.method["law"])
        if set(together) != {"columns", "correlations"} or sorted(together["columns"]) != sorted(
            told["columns"]
        ):
            return "it moves other columns together than there are"
        laws = {
            name: NumberLaw.from_data(entry, shape, self.schema[name].kind)
            for name, entry in told["columns"].items()
        }
        try:
            _ = CorrelatedLaw.from_data(together, laws).among(together["columns"]).factors
        except (ValueError, ZeroDivisionError):
            return "its columns cannot have the correlations that it tells"
        return ""

    def _size(self, name: str, told: Any, grid: Grid) -> Any:
        """What noise is a share of; the spread of the originals is told."""
        if name in self.method["scales"]:
            return float(self.method["scales"][name] / grid.width)
        by_column = self.method["relative_to"] == "column" or self.method["law"] == "correlated"
        if by_column or not self._has_size(name):
            return told if isinstance(told, float) and told > 0 else None
        return "the value"

    def _has_size(self, name: str) -> bool:
        return self.schema[name].kind not in (Kind.DATE, Kind.DATETIME)

    def _of_influential(self) -> str:
        told, method = self.told["influential"], self.method
        if told is None or method["influential"] is None:
            return "" if told is method["influential"] else "its influential part is another one"
        moves = method["influential"] != "shuffle"
        parts = {"method", "columns"} | ({"noise"} if moves else set())
        fits = set(told) == parts and told["method"] == method["influential"]
        if not fits or (moves and not _is_curve(told["noise"], method["law"])):
            return "its influential part has other settings than the manifest"
        if set(told["columns"]) != self.influential:
            return "its influential part reaches other columns than there are"
        for name, entry in told["columns"].items():
            if canonical(entry) != canonical(self._influential_law(name, entry)):
                return f"the law of '{name}' is not that of the settings"
            if "grid" in entry:
                grid = _grid(entry["grid"], self.schema[name].kind)
                if not _obeys(self.table[name].domain, grid, *entry["ends"]):
                    return f"values of '{name}' lie beside its grid or beyond its ends"
        return ""

    def _influential_law(self, name: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """What must be told of a column on paths; its grid and ends are believed, or those of its
        innocent part."""
        method = self.method
        law: dict[str, Any] = {"spikes": method["spikes"].get(name, [])}
        if method["influential"] == "shuffle" or name not in self.numbers:
            return law
        innocent = (self.told["innocent"] or {"columns": {}})["columns"].get(name)
        low, high = (innocent["low"], innocent["high"]) if innocent else told["ends"]
        by_value = method["influential_scale"] == "value" and self._has_size(name)
        sizes = "the value" if by_value else self._sizes_by_leaf(told["relative_to"])
        return law | {
            "grid": innocent["grid"] if innocent else told["grid"],
            "sd": method["influential_sd"],
            "ends": [int(low), int(high)],
            "relative_to": sizes,
        }

    def _sizes_by_leaf(self, told: Any) -> Any:
        """Spreads of the originals in each leaf, as they are told, if they can be."""
        right = isinstance(told, list) and len(told) == self.tree.n_leaves
        right = right and all(isinstance(size, float) and size >= 0 for size in told)
        return told if right else None

    def _of_detective(self) -> str:
        told, method = self.told["detective"], self.method
        if told is None or method["detective"] is None:
            return "" if told is method["detective"] else "its part for categories is another one"
        if set(told) != {"p", "columns"} or canonical(told["p"]) != canonical(method["detective"]):
            return "its part for categories has other settings than the manifest"
        if not self._draws_what_it_must(told):
            return "its part for categories reaches other columns than there are"
        for name, entry in told["columns"].items():
            parts = {"columns", "expected_changed"}
            if set(entry) != (parts if method["inside"] else parts | {"law", "tree"}):
                return f"the law of '{name}' says more than a law does"
            if name != " + ".join(entry["columns"]):
                return f"the law of '{name}' is of other columns"
            wrong = self._of_inside(entry) if method["inside"] else self._of_suspect(name, entry)
            if wrong:
                return wrong
        return ""

    def _draws_what_it_must(self, told: Mapping[str, Any]) -> bool:
        """Every category of several values, each column once, and groups as they were asked for."""
        several = {
            name
            for name in self.reached
            if self.schema[name].kind is Kind.CATEGORY and self.table[name].domain.size > 1
        }
        if self.method["draw"] is not None:
            several &= set(self.method["draw"])
        groups = [entry["columns"] for entry in told["columns"].values()]
        together = [group for group in groups if len(group) > 1]
        once = len(set(self.drawn)) == len(self.drawn)
        fits = several <= set(self.drawn) <= set(self.reached)
        return once and fits and self.method["together"] in (None, together)

    def _of_inside(self, entry: Mapping[str, Any]) -> str:
        """Of a category whose tree stays inside only the expected share of changes is told."""
        share = entry["expected_changed"]
        right = isinstance(share, float) and 0 <= share <= 1
        return "" if right else "an expected share of changes is none"

    def _of_suspect(self, name: str, entry: Mapping[str, Any]) -> str:
        """The tree of a category, and the law that follows from it."""
        try:
            tree = from_data(entry["tree"])
        except PrivetError:
            return f"the tree of '{name}' is none"
        as_told = canonical(to_data(tree)) == canonical(entry["tree"]) and tree.target == name
        if not as_told or not is_grown_by(tree, self.method, self.table.n_rows):
            return f"the tree of '{name}' is not one of this table"
        method = self.method
        law = law_of_leaves(
            tree,
            method["detective"],
            method["cousins"],
            participation=method["participation"],
            random_value=method["random_value"],
            floor=method["floor"],
        )
        if not _is_same_law(entry["law"], law.to_data([leaf.id for leaf in tree.leaves])):
            return f"the chances of '{name}' are not those of its tree and the settings"
        if abs(entry["expected_changed"] - law.changed) > _NEAR:
            return f"other changes of '{name}' are expected than its law implies"
        alone, drawn = len(entry["columns"]) == 1, set(tree.classes or ())
        if alone and not _values(self.table[name].domain) <= drawn:
            return f"'{name}' holds values that its law does not draw"
        return ""


def _is_same_law(told: Mapping[str, Any], law: Mapping[str, Any]) -> bool:
    """Whether a law is told as it is, up to the last digits of its chances."""
    told, law = dict(told), dict(law)
    rows, right = told.pop("by_leaf"), law.pop("by_leaf")
    return (
        canonical(told) == canonical(law)
        and {leaf: len(row) for leaf, row in rows.items()} == {k: len(v) for k, v in right.items()}
        and all(np.allclose(rows[leaf], right[leaf], rtol=0, atol=_NEAR) for leaf in right)
    )


def _is_curve(told: Any, law: str) -> bool:
    """Whether the curve of the noise is told as it is, up to the last digits of its chances."""
    right = shape_of(law).to_data()
    if not isinstance(told, Mapping) or set(told) != set(right) or told["law"] != law:
        return False
    lists = [name for name in right if name != "law"]
    return all(
        isinstance(told[name], list)
        and len(told[name]) == len(right[name])
        and all(map(is_number, told[name]))
        and np.allclose(told[name], right[name], rtol=_NEAR, atol=_NEAR)
        for name in lists
    )


def _mean(entry: Mapping[str, Any]) -> Any:
    """The mean of a column, as it is told, if it can be: between the ends."""
    mean = entry.get("mean")
    ends = sorted((entry["low"], entry["high"]))
    return mean if isinstance(mean, float) and ends[0] <= mean <= ends[1] else None


def _grid(told: Mapping[str, Any], kind: Kind) -> Grid:
    """A grid that a column can have; nonsense is a ValueError."""
    grid = Grid.from_data(told, kind)
    sound = grid.step >= 1 and 0 <= grid.decimals <= MOST_DECIMALS
    sound = sound and (grid.exponent is None or -1074 <= grid.exponent < 1024)
    if not sound or (kind.is_integral and (grid.decimals or grid.exponent is not None)):
        raise ValueError
    return grid


def _obeys(domain: Domain, grid: Grid, low: int, high: int) -> bool:
    """Whether the values of a column lie on its grid and between its ends.

    Where numbers are too large or too fine for a grid, those that were not moved lie beside it.
    """
    if max(abs(low), abs(high)) > _MOST_UNITS:
        return False
    if low > high:  # no grid point lies between the ends: nothing was moved
        return True
    is_exact = grid.exponent is None and max(abs(low), abs(high)) < _EXACT_UP_TO
    with np.errstate(all="ignore"):
        units = grid.units_of(domain.values)
        on_grid = np.array_equal(grid.values_of(units), domain.values)
    room = 0 if is_exact else 1
    inside = bool((units >= low - room).all() and (units <= high + room).all())
    return inside and (on_grid or not is_exact)


def _values(domain: Domain) -> set[Any]:
    return {domain.value(code) for code in range(domain.size)}
