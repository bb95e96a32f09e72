"""The people of Agrawal, Imielinski and Swami (1993), in the five groups of Agrawal and Srikant.

Attributes (all uniform unless said otherwise):

    salary      20,000 .. 150,000
    commission  0 where salary >= 75,000, else 10,000 .. 75,000
    age         20 .. 80
    elevel      0 .. 4, level of education
    car         1 .. 20, the make
    zipcode     0 .. 8
    hvalue      k * 50,000 .. k * 150,000 with k = 9 - zipcode: the value of the house
    hyears      1 .. 30, years that the house was owned
    loan        0 .. 500,000

A person is in group A, and else in group B, where

    1  age < 40 or age >= 60
    2  age < 40 and 50K <= salary <= 100K, or 40 <= age < 60 and 75K <= salary <= 125K,
       or age >= 60 and 25K <= salary <= 75K
    3  age < 40: elevel 0-1 and 25K <= salary <= 75K, or elevel 2-3 and 50K <= salary <= 100K
       40 <= age < 60: elevel 1-3 and 50K <= salary <= 100K, or elevel 4 and 75K <= salary <= 125K
       age >= 60: elevel 2-4 and 50K <= salary <= 100K, or elevel 1 and 25K <= salary <= 75K
    4  0.67 (salary + commission) - 0.2 loan - 20K > 0
    5  0.67 (salary + commission) - 0.2 loan + 0.2 equity - 10K > 0,
       where equity = 0.1 hvalue max(hyears - 20, 0)

Functions 1 and 2 are those of 1993; 3 varies the fourth, 4 is the seventh and 5 resembles the ninth
of them. Money is whole; ages and years have one digit after the point.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from privet.arrays import Floats
from privet.datasets.sampling import Block, Drawn, assemble, categories, integers, tenths, to_codes
from privet.errors import InvalidParameter
from privet.schema import PublicDomain, Schema
from privet.table import Domain, Table

FUNCTIONS = (1, 2, 3, 4, 5)
_K = 1000.0
_RANGES: dict[str, tuple[int, int]] = {
    "salary": (20_000, 150_000),
    "commission": (0, 75_000),
    "age": (20, 80),
    "elevel": (0, 4),
    "hvalue": (50_000, 1_350_000),
    "hyears": (1, 30),
    "loan": (0, 500_000),
}


def agrawal(function: int, n: int, seed: int = 0) -> Table:
    """Nine attributes and the `group` by one of the five functions."""
    if function not in FUNCTIONS:
        raise InvalidParameter("function", "1, 2, 3, 4 or 5", function)
    return assemble("agrawal", n, seed, _domains(), partial(_draw, function))


def agrawal_schema(table: Table, bins: int = 20) -> Schema:
    """The schema of such a table: `group` is the target, every attribute has its public domain."""
    schema = table.schema().with_roles(target="group")
    columns = []
    for column in schema:
        if column.name in _RANGES:
            domain = PublicDomain(_RANGES[column.name], bins)
            columns.append(replace(column, domain=domain))
        elif column.name != "group":
            labels = tuple(_domains()[column.name].values.tolist())
            columns.append(replace(column, domain=PublicDomain(labels)))
        else:
            columns.append(replace(column, domain=PublicDomain(("A", "B"))))
    return replace(schema, columns=tuple(columns))


@cache
def _domains() -> dict[str, Domain]:
    return {
        "salary": integers(*_RANGES["salary"]),
        "commission": integers(*_RANGES["commission"]),
        "age": tenths(200, 800),
        "elevel": integers(*_RANGES["elevel"]),
        "car": categories(*(f"make {number:02d}" for number in range(1, 21))),
        "zipcode": categories(*(f"zone {number}" for number in range(9))),
        "hvalue": integers(*_RANGES["hvalue"]),
        "hyears": tenths(10, 300),
        "loan": integers(*_RANGES["loan"]),
        "group": categories("A", "B"),
    }


def _draw(function: int, block: Block) -> dict[str, Drawn]:
    u = block.uniform
    salary = np.floor(20 * _K + u("salary") * (130 * _K + 1))
    commission = np.where(
        salary >= 75 * _K, 0.0, np.floor(10 * _K + u("commission") * (65 * _K + 1))
    )
    age = np.floor(200 + u("age") * 601) / 10
    elevel = (u("elevel") * 5).astype(np.int64)
    zipcode = (u("zipcode") * 9).astype(np.int64)
    hvalue = np.floor((9 - zipcode) * 100 * _K * (0.5 + u("hvalue")))
    hyears = np.floor(10 + u("hyears") * 291) / 10
    loan = np.floor(u("loan") * (500 * _K + 1))
    money = salary + commission
    in_group: dict[int, Callable[[], npt.NDArray[np.bool_]]] = {
        1: lambda: (age < 40) | (age >= 60),
        2: lambda: _second(age, salary),
        3: lambda: _third(age, elevel, salary),
        4: lambda: 67 * money - 20 * loan - 2_000_000 > 0,
        5: lambda: _fifth(money, loan, hvalue, hyears),
    }
    values = {"salary": salary, "commission": commission, "hvalue": hvalue, "loan": loan}
    domains = _domains()
    return {
        **{name: to_codes(numbers, domains[name]) for name, numbers in values.items()},
        "age": np.rint(age * 10).astype(np.int64) - 200,
        "elevel": elevel,
        "car": (u("car") * 20).astype(np.int64),
        "zipcode": zipcode,
        "hyears": np.rint(hyears * 10).astype(np.int64) - 10,
        "group": 1 - in_group[function]().astype(np.int64),
    }


def _within(values: Floats, low: float, high: float) -> npt.NDArray[np.bool_]:
    return (values >= low * _K) & (values <= high * _K)


def _by_age(
    age: Floats,
    young: npt.NDArray[np.bool_],
    middle: npt.NDArray[np.bool_],
    old: npt.NDArray[np.bool_],
) -> npt.NDArray[np.bool_]:
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def _second(age: Floats, salary: Floats) -> npt.NDArray[np.bool_]:
    return _by_age(age, _within(salary, 50, 100), _within(salary, 75, 125), _within(salary, 25, 75))


def _third(age: Floats, elevel: Drawn, salary: Floats) -> npt.NDArray[np.bool_]:
    low, middle, high = _within(salary, 25, 75), _within(salary, 50, 100), _within(salary, 75, 125)
    return _by_age(
        age,
        np.where(elevel <= 1, low, (elevel <= 3) & middle),
        np.where(elevel == 4, high, (elevel >= 1) & middle),
        np.where(elevel >= 2, middle, (elevel == 1) & low),
    )


def _fifth(money: Floats, loan: Floats, hvalue: Floats, hyears: Floats) -> npt.NDArray[np.bool_]:
    equity = 0.1 * hvalue * np.maximum(hyears - 20, 0.0)
    return np.asarray(0.67 * money - 0.2 * loan + 0.2 * equity - 10 * _K > 0)
