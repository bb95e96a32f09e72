"""Lies in mechanism.json: laws that the settings do not give, or that the data do not obey."""

from collections.abc import Callable, Iterator
from typing import Any

from falsehoods.telling import DRAWN, WITH_NOISE, Falsehood, NothingToChange, edit, flip

MECHANISM = "mechanism.json"
DRAWN_BY_MATRIX = ("substitution",)


def _told(name: str, releases: tuple[str, ...], change: Callable[[Any], object]) -> Falsehood:
    return edit(name, releases, change, MECHANISM)


def _laws(mechanism: Any, part: str) -> Iterator[Any]:
    if not (mechanism[part] or {}).get("columns"):
        raise NothingToChange
    yield from mechanism[part]["columns"].values()


def _each(part: str, change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda mechanism: [change(law) for law in _laws(mechanism, part)]


def _field(part: str, **fields: Any) -> Callable[[Any], object]:
    return _each(part, lambda law: law.update(fields))


def _part(part: str, **fields: Any) -> Callable[[Any], object]:
    return lambda mechanism: mechanism[part].update(fields)


def _one_more_record(node: Any) -> None:
    node["records"] += 1
    node["counts"][next(iter(node["counts"]))] += 1


def _without_first(columns: Any) -> None:
    columns.pop(next(iter(columns)))


def _column(mechanism: Any, place: int) -> Any:
    return mechanism["blocks"][place]["columns"][0]


def _edge(mechanism: Any, place: int, end: int) -> None:
    _column(mechanism, 0)["edges"][place] = end


INNOCENT = {
    "law": "uniform",
    "sd": 0.01,
    "relative_to": 17.0,
    "ends": "wrap",
    "spikes": [3],
    "x": 1,
}
NOISE: dict[str, Callable[[Any], object]] = {
    "innocent: lowest above the data": _each("innocent", lambda law: law.update(low=law["high"])),
    "innocent: highest below the data": _each("innocent", lambda law: law.update(high=law["low"])),
    "innocent: a coarser grid": _each("innocent", lambda law: law["grid"].update(step=7)),
    "innocent: a grid that is none": _each("innocent", lambda law: law["grid"].update(step=0)),
    "innocent: fewer columns": lambda m: _without_first(m["innocent"]["columns"]),
    "innocent: which": _part("innocent", which="tia"),
    "innocent: where": _part("innocent", where="heterogeneous"),
    "innocent: nothing": lambda m: m.update(innocent=None),
    "influential: method": _part("influential", method="reflect"),
    "influential: spikes": _field("influential", spikes=[1, 2]),
    "influential: more": _field("influential", more=1),
    "influential: nothing": lambda m: m.update(influential=None),
    "influential: other columns": lambda m: m["influential"]["columns"].update(
        unused={"spikes": []}
    ),
    "detective: p": _part("detective", p=0.5),
    "detective: nothing": lambda m: m.update(detective=None),
    "detective: a column less": lambda m: m["detective"]["columns"].pop("town"),
    "detective: participation": _each(
        "detective", lambda law: law["law"].update(participation=0.7)
    ),
    "detective: random value": _each("detective", lambda law: law["law"].update(random_value=0.7)),
    "detective: expected changes": _field("detective", expected_changed=0.01),
    "detective: chances": _each(
        "detective", lambda law: [row.reverse() for row in law["law"]["by_leaf"].values()]
    ),
    "detective: even chances": _each(
        "detective",
        lambda law: law["law"].update(
            by_leaf={k: [1 / len(r)] * len(r) for k, r in law["law"]["by_leaf"].items()}
        ),
    ),
    "detective: a leaf less": _each("detective", lambda law: law["law"]["by_leaf"].popitem()),
    "detective: a tree with more records": _each(
        "detective", lambda law: [_one_more_record(node) for node in law["tree"]["nodes"]]
    ),
    "detective: a tree of another column": _each(
        "detective", lambda law: law["tree"].update(target="another")
    ),
    "detective: a tree grown otherwise": _each(
        "detective", lambda law: law["tree"]["grower"].update(impurity="gini")
    ),
    "detective: of other columns": _field("detective", columns=["age"]),
    "class: technique": _part("class", technique="all-leaves"),
    "class: a chance": _part("class", chance=0.5),
    "class: within the table": _part("class", within="the table"),
    "strict or not": lambda m: flip(m, "strict"),
}


def _correlation(number: float, *places: tuple[int, int]) -> Callable[[Any], object]:
    def change(mechanism: Any) -> None:
        for one, other in places:
            mechanism["innocent"]["together"]["correlations"][one][other] = number

    return change


TOGETHER: dict[str, Callable[[Any], object]] = {
    "none": lambda m: m["innocent"].pop("together"),
    "a column less": lambda m: m["innocent"]["together"]["columns"].pop(),
    "a column twice": lambda m: m["innocent"]["together"]["columns"].append("height"),
    "from one side": _correlation(0.1, (0, 1)),
    "more than there can be": _correlation(1.5, (0, 1), (1, 0)),
    "with itself": _correlation(0.5, (0, 0)),
    "a row less": lambda m: m["innocent"]["together"]["correlations"].pop(),
    "more": lambda m: m["innocent"]["together"].update(x=1),
    "no means": _each("innocent", lambda law: law.pop("mean")),
    "means beyond the ends": _each("innocent", lambda law: law.update(mean=law["high"] + 1.0)),
    "other deviations": _field("innocent", sd=0.01),
    "no size": _field("innocent", relative_to="the value"),
}
SUBSTITUTION: dict[str, Callable[[Any], object]] = {
    "a matrix of another size": lambda m: m["blocks"][0]["matrix"].update(size=3),
    "another kind of matrix": lambda m: m["blocks"][0]["matrix"].update(kind="identity"),
    "fewer values": lambda m: _column(m, 1)["shown"].pop(),
    "renamed values": lambda m: _column(m, 1).update(
        shown=[f"x{v}" for v in _column(m, 1)["shown"]]
    ),
    "a block less": lambda m: m["blocks"].pop(),
    "a block twice": lambda m: m["blocks"].append(m["blocks"][0]),
    "other edges": lambda m: _column(m, 0).update(edges=[0, 1]),
    "a lower end": lambda m: _edge(m, 0, -9),
    "a higher end": lambda m: _edge(m, 20, 99),
    "a bin that ends elsewhere": lambda m: _edge(m, 3, 27),
    "values instead of bins": lambda m: _column(m, 0).update(edges=None, from_data=False),
    "shown by lower ends": lambda m: _column(m, 0).update(representative="lower"),
    "labels drawn from bins": lambda m: _column(m, 1).update(representative="random"),
    "others in a domain of the data": lambda m: _column(m, 1).update(other="Cork"),
    "a public domain in words": lambda m: _column(m, 0).update(from_data="no"),
    "another column": lambda m: _column(m, 0).update(name="shoe"),
    "a remark": lambda m: m["blocks"][0].update(note="x"),
}

LIES = [
    *(
        _told(f"innocent: {n}", WITH_NOISE, _field("innocent", **{n: v}))
        for n, v in INNOCENT.items()
    ),
    *(_told(name, WITH_NOISE, change) for name, change in NOISE.items()),
    *(_told(f"together: {n}", ("correlated noise",), c) for n, c in TOGETHER.items()),
    *(_told(f"matrices: {n}", DRAWN_BY_MATRIX, change) for n, change in SUBSTITUTION.items()),
    *(
        _told(
            f"matrices: gamma {gamma!r}",
            DRAWN_BY_MATRIX,
            lambda m, gamma=gamma: m["blocks"][0]["matrix"].update(gamma=gamma),
        )
        for gamma in ("2", "1000", "9.5", "1", "-3", "nan", 9, "9/1")
    ),
    _told("mechanism: a seed", DRAWN, lambda m: m.update(seed=5)),
    _told("mechanism: format", DRAWN, lambda m: m.update(format=2)),
    _told("mechanism: method", DRAWN, lambda m: m.update(method="magic")),
]
