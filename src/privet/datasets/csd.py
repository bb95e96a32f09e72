"""`csd`: customers with six categories, after the Customer Status Dataset of the DETECTIVE paper.

Its 399 records have exact counts, deduced from what the paper tells of them: 247 good customers in
one leaf of the tree for the car make, 152 bad ones in three sibling leaves by profession. Only the
order of the rows and two columns without any pattern are random. A longer table repeats the 399, in
another order each time.
"""

import numpy as np
import numpy.typing as npt

from privet.datasets.sampling import Block, Drawn, assemble, categories
from privet.randomness import at_row
from privet.table import Table

RECORDS = 399
_COUNTRIES = ("Australia", "England", "USA")
_MAKES = ("Ford", "Holden", "Nissan", "Toyota")
_PROFESSIONS = ("Academic", "Engineering", "Scientist")
_STATUSES = ("Bad", "Good")
_RANDOM_VALUES = 30

_DOMAINS = {
    "country_of_origin": categories(*_COUNTRIES),
    "car_make": categories(*_MAKES),
    "profession": categories(*_PROFESSIONS),
    "parents_country": categories(*(f"P{number:02d}" for number in range(_RANDOM_VALUES))),
    "favourite_city": categories(*(f"F{number:02d}" for number in range(_RANDOM_VALUES))),
    "status": categories(*_STATUSES),
}

_Cell = tuple[str, str]  # profession, country
_GOOD: dict[_Cell, float] = {
    ("Scientist", "USA"): 0.46,
    ("Scientist", "England"): 0.33,
    ("Scientist", "Australia"): 0.03,
    ("Engineering", "USA"): 0.04,
    ("Engineering", "England"): 0.03,
    ("Engineering", "Australia"): 0.02,
    ("Academic", "USA"): 0.04,
    ("Academic", "England"): 0.03,
    ("Academic", "Australia"): 0.02,
}
# Status, make, how many, and how they are spread over profession and country.
_PARTS: tuple[tuple[str, str, int, dict[_Cell, float]], ...] = (
    ("Good", "Ford", 132, _GOOD),
    ("Good", "Toyota", 62, _GOOD),
    ("Good", "Nissan", 48, _GOOD),
    ("Good", "Holden", 5, _GOOD),
    ("Bad", "Toyota", 30, {("Scientist", "USA"): 0.4, ("Scientist", "England"): 0.6}),
    *(
        (
            "Bad",
            make,
            n,
            {
                ("Engineering", "USA"): 0.2,
                ("Engineering", "England"): 0.2,
                ("Engineering", "Australia"): 0.6,
            },
        )
        for make, n in (("Toyota", 40), ("Holden", 20))
    ),
    (
        "Bad",
        "Nissan",
        62,
        {("Academic", "USA"): 0.1, ("Academic", "England"): 0.1, ("Academic", "Australia"): 0.8},
    ),
)


def csd(n: int = RECORDS, seed: int = 2005) -> Table:
    """Customers: six categories, target `status`."""
    return assemble("csd", n, seed, _DOMAINS, _draw)


def _draw(block: Block) -> dict[str, Drawn]:
    rows = _PATTERN[_places(block)]
    names = ("country_of_origin", "car_make", "profession", "status")
    drawn: dict[str, Drawn] = {name: rows[:, place] for place, name in enumerate(names)}
    for name in ("parents_country", "favourite_city"):
        drawn[name] = (block.uniform(name) * _RANDOM_VALUES).astype(np.int64)
    return drawn


def _places(block: Block) -> npt.NDArray[np.int64]:
    """For each row the record of the pattern that stands there: each 399 rows are shuffled."""
    first, last = block.start // RECORDS, (block.start + block.rows - 1) // RECORDS
    orders = [
        np.argsort(at_row(block.seed, f"{block.dataset}:order", RECORDS * turn).random(RECORDS))
        for turn in range(first, last + 1)
    ]
    begin = block.start - first * RECORDS
    return np.concatenate(orders)[begin : begin + block.rows]


def _pattern() -> npt.NDArray[np.int64]:
    """The 399 records as codes of country, make, profession and status."""
    rows: list[tuple[int, int, int, int]] = []
    for status, make, records, spread in _PARTS:
        for (profession, country), n in _largest_remainders(records, spread).items():
            row = (
                _COUNTRIES.index(country),
                _MAKES.index(make),
                _PROFESSIONS.index(profession),
                _STATUSES.index(status),
            )
            rows += [row] * n
    return np.array(rows, dtype=np.int64)


def _largest_remainders(records: int, spread: dict[_Cell, float]) -> dict[_Cell, int]:
    """Whole numbers that add up: each share rounded down, the largest rests get one more."""
    total = sum(spread.values())
    exact = {cell: records * weight / total for cell, weight in spread.items()}
    counts = {cell: int(share + 1e-9) for cell, share in exact.items()}
    by_rest = sorted(exact, key=lambda cell: counts[cell] - exact[cell])
    for cell in by_rest[: records - sum(counts.values())]:
        counts[cell] += 1
    return counts


_PATTERN = _pattern()
