"""`crd`: people who ask for a credit, after the Credit Risk Dataset of the DETECTIVE paper.

Four numbers, a city and a risk. The rules are made so that the tree for the city has about two
dozen leaves, a third of them with several cities, and the tree for the risk asks the city
deep down.
"""

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.datasets.sampling import Block, Drawn, assemble, categories, integers
from privet.table import Table

RECORDS = 399
_RANGES = {
    "income": (30, 100),  # thousands a year
    "rent": (100, 600),  # a month
    "dependents": (0, 7),
    "job_grade": (1, 4),
}
_CITIES = ("Armidale", "Melbourne", "Newcastle", "Sydney")
_A, _M, _N, _S = range(4)
_RISKS = ("no", "yes")
_FLIPPED, _ELSEWHERE = 0.02, 0.03

_DOMAINS = {
    **{name: integers(*ends) for name, ends in _RANGES.items()},
    "city": categories(*_CITIES),
    "credit_risk": categories(*_RISKS),
}

_Mask = npt.NDArray[np.bool_]


def crd(n: int = RECORDS, seed: int = 2005) -> Table:
    """Credit applicants: four numbers, `city`, and the target `credit_risk`."""
    return assemble("crd", n, seed, _DOMAINS, _draw)


def _draw(block: Block) -> dict[str, Drawn]:
    numbers = {
        name: low + (block.uniform(name) * (high - low + 1)).astype(np.int64)
        for name, (low, high) in _RANGES.items()
    }
    i, r, p, j = numbers.values()
    risk = np.where(i <= 50, (p >= 3) | (j <= 1), (i <= 75) & (r > 420) & (p >= 4))
    risk ^= block.uniform("flip") < _FLIPPED
    city = _city(i, r, p, j, risk, block.uniform("elsewhere"))
    risk |= (i > 50) & (i <= 79) & (r > 218) & (r <= 398) & (p >= 5) & (city == _S)
    codes = {name: values - _RANGES[name][0] for name, values in numbers.items()}
    return {**codes, "city": city, "credit_risk": risk.astype(np.int64)}


def _city(i: Drawn, r: Drawn, p: Drawn, j: Drawn, risk: _Mask, uniform: Floats) -> Drawn:
    """The city of each record: the first rule that fits names the main one and another one."""
    rules: list[tuple[_Mask, int, int]] = [
        (~risk & (i > 80) & (r > 300), _S, _M),
        (~risk & (i > 80) & (p <= 4), _M, _S),
        (~risk & (i > 80), _N, _S),
        (~risk & (i > 60) & (r > 400), _M, _S),
        (~risk & (i > 60) & (r > 220) & (j >= 3), _N, _A),
        (~risk & (i > 60) & (r > 220), _S, _M),
        (~risk & (i > 60), _A, _N),
        (~risk & (r > 350), _N, _A),
        (~risk & (p <= 3), _A, _S),
        (~risk, _M, _N),
        ((i > 45) & (r > 460), _S, _M),
        ((i > 45) & (r > 300), _M, _S),
        (i > 45, _N, _M),
        ((r > 380) & (p <= 4), _A, _S),
        (r > 380, _S, _A),
        (j >= 3, _A, _N),
        (np.ones(len(i), dtype=bool), _N, _A),
    ]
    fits = [mask for mask, _, _ in rules]
    main = np.select(fits, [main for _, main, _ in rules])
    other = np.select(fits, [other for _, _, other in rules])
    city: Drawn = np.where(uniform < _ELSEWHERE, other, main).astype(np.int64)
    return city
