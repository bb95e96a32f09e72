"""Attacks on a release, row by row and in fractions: slow twins of `privet.attack`.

Rows are dicts of cells by column (None is missing), as any CSV reader gives them.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

from privet.table import Table

Row = dict[str, Any]


def rows_of(table: Table) -> list[Row]:
    """The rows of a table, one by one."""
    columns = {n: [table[n].domain.value(int(c)) for c in table[n].codes] for n in table}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def classes_of(rows: Sequence[Row], known: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """The equivalence classes: rows that agree in what is known."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in known)].append(row)
    return found


def homogeneity(rows: Sequence[Row], known: Sequence[str], column: str) -> dict[str, Any]:
    """Whom equivalence classes of one value tell."""
    groups = [Counter(row[column] for row in g) for g in classes_of(rows, known).values()]
    alone = [group for group in groups if len(group) == 1]
    right = sum(max(group.values()) for group in groups)
    return {
        "one_value_classes": len(alone),
        "people_told": sum(group.total() for group in alone),
        "share_told": Fraction(sum(group.total() for group in alone), len(rows)),
        "guessed_right": Fraction(right, len(rows)),
        "blind": Fraction(max(Counter(row[column] for row in rows).values()), len(rows)),
        "surest_guess": max(Fraction(max(g.values()), g.total()) for g in groups),
    }


def order(rows: Sequence[Row], column: str) -> dict[str, Any]:
    """What the order of a column gives away."""
    counts = Counter(row[column] for row in rows if row[column] is not None)
    first, last, fewest = counts[min(counts)], counts[max(counts)], min(counts.values())
    return {
        "records_with_smallest": first,
        "records_with_largest": last,
        "fewest_records": fewest,
        "values": len(counts),
        "numbers": counts.total(),
        "chance_smallest": Fraction(1, first),
        "chance_largest": Fraction(1, last),
        "highest": Fraction(1, fewest),
        "mean": Fraction(len(counts), counts.total()),
    }


# -- linking: pair by pair -------------------------------------------------------------------------


class Linker:
    """Whether an outside person and a released record agree, by what the folder says."""

    def __init__(self, manifest: Any, model: Any, known: Sequence[str]) -> None:
        self.columns = manifest["recoding"]["columns"]
        self.nodes = model["nodes"]
        self.known = known
        asked = {node["attribute"] for node in self.nodes} - {None}
        self.by_leaf = asked <= set(known)

    def compared(self) -> list[str]:
        """The columns that can contradict."""
        return [name for name in self.known if self._says(self.columns[name])]

    def _says(self, entry: Any) -> bool:
        if entry["treatment"] in ("suppressed", "aggregated"):
            return False
        return "by_leaf" not in entry or (self.by_leaf and "given_back" not in entry)

    def agree(self, person: Row, record: Row) -> bool:
        if self.by_leaf and self.leaf(self.worded(person)) != self.leaf(record):
            return False
        return all(self.expected(person, name) == record[name] for name in self.compared())

    def expected(self, person: Row, name: str) -> Any:
        """What the person would have in the release; `...` is nothing that any record has."""
        entry, value = self.columns[name], person[name]
        if entry["treatment"] == "kept":
            return value
        if "by_leaf" in entry:
            cell = self.cell(entry["cells"], value)
            if cell is None:
                return ...
            leaf = str(self.leaf(self.worded(person)))
            return entry["values"][entry["by_leaf"][leaf][cell]]
        cell = self.cell(entry, value)
        if cell is None:
            return ...
        labels = [g["label"] for g in entry["groups"]] if "groups" in entry else entry["values"]
        return labels[cell] if cell < len(labels) else None

    def cell(self, entry: Any, value: Any) -> int | None:
        """The number of the cell of a value; None if no cell has it."""
        if "groups" in entry:
            for number, group in enumerate(entry["groups"]):
                if value in group["members"]:
                    return number
            return None
        if value is None:
            return len(entry["cuts"]) + 1
        return sum(cut < value for cut in entry["cuts"])

    def worded(self, person: Row) -> Row:
        """The person in the words of the tree: categories by the labels of their groups."""
        new = dict(person)
        for name in self.known:
            entry = self.columns[name].get("cells", self.columns[name])
            for group in entry.get("groups", ()):
                if person[name] in group["members"]:
                    new[name] = group["label"]
            for joined in entry.get("joined", ()):
                if person[name] in joined.get("members", ()):
                    new[name] = joined["value"]
        return new

    def leaf(self, row: Row) -> int:
        node = self.nodes[0]
        while node["attribute"] is not None:
            node = self.nodes[node["children"][self.side(node, row[node["attribute"]])]]
        return int(node["id"])

    def side(self, node: Any, value: Any) -> int:
        if node["kind"] == "threshold":
            if node["threshold"] is None:
                return int(value is None)
            return int(value is None or value > node["threshold"])
        for side, field in enumerate(("left", "right")):
            if value in [*node[field], *node.get(f"more_{field}", ())]:
                return side
        sizes = [self.nodes[child]["records"] for child in node["children"]]
        return sizes.index(max(sizes))


def linkage(rows: Sequence[Row], people: Sequence[Row], agree: Any) -> dict[str, Any]:
    """Journalist, marketer and membership, from all pairs."""
    records_of = [sum(agree(person, row) for row in rows) for person in people]
    friends = [[n for n, person in enumerate(people) if agree(person, row)] for row in rows]
    right, larger = Fraction(0), []
    for here in friends:
        if here:
            f, of = records_of[here[0]], len(here)
            larger.append(max(f, of))
            right += Fraction(min(f, of), max(f, of)) / f
    people_of = {n: len(here) for here in friends for n in here}
    chances = [min(Fraction(records_of[n], of), Fraction(1)) for n, of in people_of.items()]
    return {
        "matched_people": len(people_of),
        "matched_records": sum(bool(here) for here in friends),
        "smallest_group": min(larger, default=None),
        "expected_right": right,
        "certainly_in": sum(records_of[n] >= of for n, of in people_of.items()),
        "certainly_out": sum(not f for f in records_of),
        "highest": max(chances, default=None),
        "lowest": min(chances, default=None),
    }


def intersection(first: Sequence[Any], second: Sequence[Any]) -> dict[str, Any]:
    """Two lists with the group of each person; `...` is nobody's."""
    there = [pair for pair in zip(first, second, strict=True) if ... not in pair]
    counts = Counter(there)
    return {
        "people": len(first),
        "unmatched": len(first) - len(there),
        "intersections": len(counts),
        "k_of_intersection": min(counts.values(), default=None),
        "people_alone": sum(n == 1 for n in counts.values()),
    }


def left_over(first: Sequence[Any], second: Sequence[Any], values: Sequence[Any]) -> dict[str, int]:
    """For how many people one value is left, by their groups in two releases that show values."""
    sets = [
        {group: {v for g, v in zip(groups, values, strict=True) if g == group} for group in groups}
        for groups in (first, second)
    ]
    people = [(sets[0][a], sets[1][b]) for a, b in zip(first, second, strict=True)]
    return {
        "by_first": sum(len(one) == 1 for one, _ in people),
        "by_second": sum(len(two) == 1 for _, two in people),
        "by_both": sum(len(one & two) == 1 for one, two in people),
    }


def surest_after(values: Sequence[int], first: int, level: Fraction) -> Fraction:
    """Every way to choose the people of the first part of a leaf, one by one."""
    people = [value for value, n in enumerate(values) for _ in range(n)]
    ways = []
    for chosen in itertools.combinations(range(len(people)), first):
        parts: list[Counter[int]] = [Counter(), Counter()]
        for place, value in enumerate(people):
            parts[place not in chosen][value] += 1
        if any(max(part.values()) * level > part.total() for part in parts):
            ways.append(parts)
    if not ways or len(ways) == comb(len(people), first):
        return Fraction(max(values), len(people))
    return max(
        Fraction(sum(way[part][value] for way in ways), len(ways) * size)
        for part, size in enumerate((first, len(people) - first))
        for value in range(len(values))
    )
