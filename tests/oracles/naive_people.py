"""k, l and t of people by looking at rows, with sets and fractions."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Rows = Sequence[tuple[Any, Any, Any]]  # class, sensitive value, person


def k_of_people(rows: Rows) -> int:
    return min(len(people) for people in _people(rows).values())


def l_of_people(rows: Rows) -> Fraction:
    """People with the commonest value over people, in the worst class, the other way round."""
    having = defaultdict(set)
    for key, value, person in rows:
        having[key, value].add(person)
    people = _people(rows)
    return min(Fraction(len(people[key]), len(with_it)) for (key, _), with_it in having.items())


def t_of_people(rows: Rows, ordered: bool) -> Fraction:
    """The largest distance of a class, where each person weighs one, shared over their rows."""
    values = sorted({value for _, value, _ in rows}, key=lambda v: (v is None, v))
    whole = _shares([("all", value, person) for _, value, person in rows])["all"]
    worst = Fraction(0)
    for shares in _shares(rows).values():
        differences = [shares.get(v, Fraction(0)) - whole[v] for v in values]
        if not ordered:
            distance = sum((abs(d) for d in differences), Fraction(0)) / 2
        else:
            running, distance = Fraction(0), Fraction(0)
            for d in differences:
                running += d
                distance += abs(running)
            distance /= max(1, len(values) - 1)
        worst = max(worst, distance)
    return worst


def guessed_of_people(rows: Rows) -> tuple[int, Fraction]:
    """People in classes where all have one value, and the largest share of people with one."""
    having = defaultdict(set)
    for key, value, person in rows:
        having[key, value].add(person)
    people = _people(rows)
    told = {key for (key, _), with_it in having.items() if with_it == people[key]}
    shares = [Fraction(len(with_it), len(people[key])) for (key, _), with_it in having.items()]
    return sum(len(people[key]) for key in told), max(shares)


def _people(rows: Rows) -> dict[Any, set[Any]]:
    people = defaultdict(set)
    for key, _, person in rows:
        people[key].add(person)
    return people


def _shares(rows: Rows) -> dict[Any, dict[Any, Fraction]]:
    visits: dict[Any, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for key, value, person in rows:
        visits[key][person].append(value)
    found: dict[Any, dict[Any, Fraction]] = {}
    for key, by_person in visits.items():
        weights: dict[Any, Fraction] = defaultdict(Fraction)
        for values in by_person.values():
            for value in values:
                weights[value] += Fraction(1, len(values))
        found[key] = {value: weight / len(by_person) for value, weight in weights.items()}
    return found
