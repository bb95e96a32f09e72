"""House sales of an invented town, for regression trees: the price is what is to be predicted."""

import numpy as np

from privet.datasets.sampling import (
    Block,
    Choice,
    Drawn,
    assemble,
    categories,
    integers,
    tenths,
    to_codes,
)
from privet.table import Table

_AREA = tenths(250, 3500)
_ROOMS = integers(1, 12)
_DISTANCE = tenths(0, 250)
_PRICE = integers(20_000, 3_000_000, 500)
_YEARS = (1890, 2023)
_DOMAINS = {
    "district": categories("Harbour", "Mill End", "North", "Old Town", "Park", "Riverside"),
    "distance_km": _DISTANCE,
    "floor_area": _AREA,
    "rooms": _ROOMS,
    "year_built": integers(*_YEARS),
    "energy_class": categories("A", "B", "C", "D", "E", "F", "G", missing=True),
    "garden": categories("no", "yes"),
    "price": _PRICE,
}

_DISTRICT = Choice([12, 22, 28, 10, 12, 16])
_CENTRE = np.array([3.0, 7.0, 9.0, 0.8, 4.0, 5.0])  # kilometres, by district
_DISTRICT_FACTOR = np.array([1.05, 0.75, 0.85, 1.45, 1.5, 1.1])
_GARDEN = Choice([[80, 20], [35, 65], [40, 60], [90, 10], [25, 75], [50, 50]])

# One row for each building age: before 1945, before 1980, before 2005, newer; the last is missing.
_ENERGY = Choice(
    [
        [0, 1, 4, 12, 26, 29, 20, 8],
        [0, 2, 8, 24, 32, 20, 8, 6],
        [1, 8, 30, 34, 16, 5, 1, 5],
        [34, 40, 16, 5, 1, 0, 0, 4],
    ]
)
_ENERGY_FACTOR = np.array([1.12, 1.08, 1.03, 1.0, 0.96, 0.92, 0.86, 0.97])


def houses(n: int, seed: int = 0) -> Table:
    """House sales: numeric target `price`, in steps of 500."""
    return assemble("houses", n, seed, _DOMAINS, _draw)


def _draw(block: Block) -> dict[str, Drawn]:
    u = block.uniform
    district = _DISTRICT.draw(u("district"))
    distance = np.abs(_CENTRE[district] + 1.5 * block.bell("distance_km"))
    area = np.exp(4.65 + 0.4 * block.bell("floor_area"))
    rooms = np.round(area / 26.0 + 0.7 * block.bell("rooms"))
    age = (u("year_built") ** 1.3 * (_YEARS[1] + 1 - _YEARS[0])).astype(np.int64)
    year = _YEARS[1] - age
    energy = _ENERGY.draw(
        u("energy_class"), np.searchsorted([1945, 1980, 2005], year, side="right")
    )
    garden = _GARDEN.draw(u("garden"), district)
    price = (
        (30_000.0 + 2_300.0 * area)
        * _DISTRICT_FACTOR[district]
        * _ENERGY_FACTOR[energy]
        * (1.0 + 0.08 * garden - 0.012 * distance)
        * np.exp(0.12 * block.bell("price"))
    )
    return {
        "district": district,
        "distance_km": to_codes(distance, _DISTANCE),
        "floor_area": to_codes(area, _AREA),
        "rooms": to_codes(rooms, _ROOMS),
        "year_built": year - _YEARS[0],
        "energy_class": energy,
        "garden": garden,
        "price": to_codes(price, _PRICE),
    }
