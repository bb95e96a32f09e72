"""Lies about claims: other figures, criteria that nobody asked for, or that nobody can claim."""

from collections.abc import Callable
from typing import Any

from falsehoods.telling import (
    BY_CLASSES,
    EVERY,
    ROWS,
    WITH_A_TREE,
    WITH_NOISE,
    WITH_TARGET_AND_CLASSES,
    WITHOUT_A_TREE,
    Falsehood,
    NothingToChange,
    edit,
    flip,
)

COUNTED: dict[str, tuple[str, ...]] = {
    "records": EVERY,
    "equivalence-classes": BY_CLASSES,
    "k-anonymity": BY_CLASSES,
    "k-anonymity-with-target": WITH_TARGET_AND_CLASSES,
    "one-class-equivalence-classes": WITH_TARGET_AND_CLASSES,
    "one-class-records": WITH_TARGET_AND_CLASSES,
    "target-guessed": WITH_TARGET_AND_CLASSES,
    "l-diversity": ("leaf", "infogain"),
    "t-closeness": ("leaf", "infogain"),
    "records-in-leaves": ("noise",),
    "class-totals-in-leaves": ("noise",),
    "records-in-homogeneous-leaves": WITH_NOISE,
    "classes-guessed-by-leaf": WITH_NOISE,
    "expected-class-changes": WITH_NOISE,
    "classified-rightly-by-the-tree": WITH_NOISE,
    "epsilon": ("substitution",),
    "epsilon-of-a-record": ("substitution",),
}
OTHER_FIGURES: dict[str, Callable[[Any], Any]] = {
    "one more": lambda v: v + 1 if v is not True else False,
    "much better": lambda v: 0.0 if isinstance(v, float) else 10**6,
    "as a text": str,
    "as another kind of number": lambda v: int(v) if isinstance(v, float) else float(v),
    "no figure": lambda v: None,
    "in a list": lambda v: [v],
}
LEVELS = ("k-anonymity", "k-anonymity-with-target", "l-diversity", "t-closeness")
ATTESTED_OF_NOISE: dict[str, tuple[Any, ...]] = {
    "changed-values": (10**6, -1, 3.5, None),
    "squared-correlation": (-0.5, 2.0, "small", True),
    "found-by-the-intruder": (1.5, -0.1, 0.0, "few"),
    "class-changes": (10**6, -1, 0.5),
    "records-that-stayed-in-their-leaf": (10**6, -1, 0.5),
    "accuracy-of-a-tree-grown-again": (1.5, -0.1, "high"),
}
REGROWN = "accuracy-of-a-tree-grown-again"


def made(manifest: Any, name: str) -> list[Any]:
    """The claims of a name."""
    found = [claim for claim in manifest["claims"] if claim["name"] == name]
    if not found:
        raise NothingToChange
    return found


def each(name: str, **fields: Any) -> Callable[[Any], object]:
    """Every claim of a name with other fields."""
    return lambda manifest: [claim.update(fields) for claim in made(manifest, name)]


def about(name: str, **parameters: Any) -> Callable[[Any], object]:
    """Every claim of a name with other parameters."""
    return lambda manifest: [
        claim["parameters"].update(parameters) for claim in made(manifest, name)
    ]


def _figure(name: str, change: Callable[[Any], Any]) -> Callable[[Any], object]:
    return lambda m: [c.update(measured=change(c["measured"])) for c in made(m, name)]


def _more(name: str, measured: Any = 0.99, claimed: Any = None, **parameters: Any) -> Any:
    claim = {"name": name, "parameters": parameters, "claimed": claimed, "measured": measured}
    return lambda manifest: manifest["claims"].append({**claim, "checkable": "attested"})


def _unlike_what_was_expected(manifest: Any) -> None:
    """Nothing changed where nearly everything must, everything where nearly nothing can."""
    for claim in made(manifest, "changed-values"):
        claim["measured"] = 0 if claim["parameters"]["expected"] > ROWS / 2 else ROWS


def _of_counted(name: str, releases: tuple[str, ...]) -> list[Falsehood]:
    lies = [
        edit(f"{name}: {what}", releases, _figure(name, change))
        for what, change in OTHER_FIGURES.items()
    ]
    for asked in (1, 0.001, True, "all", -1):
        if asked is True and name in ("records-in-leaves", "class-totals-in-leaves"):
            continue  # as it is
        if type(asked) is int and asked == 1 and name in LEVELS:
            continue  # somebody can have asked for that
        lies.append(edit(f"{name}: {asked} was asked for", releases, each(name, claimed=asked)))
    return [
        *lies,
        edit(f"{name}: certified", releases, each(name, checkable="certified")),
        edit(f"{name}: with a remark", releases, about(name, note="audited")),
        edit(f"{name}: twice", releases, lambda m: m["claims"].append(made(m, name)[0])),
        edit(f"{name}: not claimed", releases, lambda m: m["claims"].remove(made(m, name)[0])),
    ]


def _of_attested(name: str, figures: tuple[Any, ...]) -> list[Falsehood]:
    lies = [
        edit(f"attested {name}: {figure}", WITH_NOISE, each(name, measured=figure))
        for figure in figures
    ]
    lies += [
        edit(f"attested {name}: asked for", WITH_NOISE, each(name, claimed=1)),
        edit(f"attested {name}: with a remark", WITH_NOISE, about(name, note="x")),
        edit(f"attested {name}: twice", WITH_NOISE, lambda m: m["claims"].append(made(m, name)[0])),
    ]
    if name != "squared-correlation":  # a constant column has none
        gone = edit(
            f"attested {name}: left out", WITH_NOISE, lambda m: m["claims"].remove(made(m, name)[0])
        )
        lies.append(gone)
    return lies


LIES = [
    *(lie for name, releases in COUNTED.items() for lie in _of_counted(name, releases)),
    *(lie for name, figures in ATTESTED_OF_NOISE.items() for lie in _of_attested(name, figures)),
    *(
        edit(f"l of the kind {kind}", ("leaf", "infogain"), about("l-diversity", kind=kind))
        for kind in ("distinct", "entropy", "recursive", "best")
    ),
    *(
        edit(f"a criterion of nobody: {name}", EVERY, _more(name))
        for name in ("accuracy", "differential-privacy", "lawfulness", "delta-presence")
    ),
    edit("epsilon of a tree", (*WITH_A_TREE, *WITH_NOISE), _more("epsilon", 0.1)),
    edit("a tree that is none", WITHOUT_A_TREE, _more("tree-of-the-original", True, True)),
    edit("a margin without a tree", WITHOUT_A_TREE, _more("margin", 0.5)),
    edit(
        "a target that is none",
        ("mondrian",),
        _more("k-anonymity-with-target", 3, None, quasi=["age", "y"]),
    ),
    edit("a figure of a column that is hidden", ("mondrian",), _more("l-diversity", 2.0, None)),
    edit("an unknown kind of hidden l", ("leaf, hidden",), about("l-diversity", kind="best")),
    edit("k stronger than the data", BY_CLASSES, each("k-anonymity", claimed=1000)),
    edit("l stronger than the data", ("leaf", "infogain"), each("l-diversity", claimed=50)),
    edit("t stronger than the data", ("leaf", "infogain"), each("t-closeness", claimed=0.0)),
    edit("a hidden l beyond all", ("leaf, hidden",), each("l-diversity", claimed=10**9)),
    edit("a figure of a hidden column", ("leaf, hidden",), each("l-diversity", measured=3.0)),
    edit("hidden l with a remark", ("leaf, hidden",), about("l-diversity", note="x")),
    edit(
        "l of a column that nobody called sensitive",
        ("leaf", "leaf, hidden"),
        _more("l-diversity", None, 2, column="unused", kind="strong"),
    ),
    edit("another number of leaves", WITH_A_TREE, about("same-tree", leaves=6)),
    edit("leaves as a decimal", WITH_A_TREE, about("same-tree", leaves=5.0)),
    edit("the same tree is 1", WITH_A_TREE, each("same-tree", claimed=1, measured=1)),
    edit(
        "a record left its leaf, strictly",
        ("noise",),
        each("records-that-stayed-in-their-leaf", measured=ROWS - 1),
    ),
    edit("expected class changes", WITH_NOISE, about("class-changes", expected=0.0)),
    edit("variance of class changes", WITH_NOISE, about("class-changes", variance=0.0)),
    edit("accuracy of the original tree", WITH_NOISE, about(REGROWN, of_the_original_tree=0.5)),
    edit(
        "the same rules",
        WITH_NOISE,
        lambda m: flip(made(m, REGROWN)[0]["parameters"], "same_rules"),
    ),
    edit(
        "the same counts",
        WITH_NOISE,
        lambda m: flip(made(m, REGROWN)[0]["parameters"], "same_counts"),
    ),
    edit("judged on other records", WITH_NOISE, about(REGROWN, judged_on="new records")),
    edit("changes of an unknown column", WITH_NOISE, about("changed-values", column="shoe")),
    edit("less than no change expected", WITH_NOISE, about("changed-values", expected=-3.0)),
    edit("as many changes as cannot be", WITH_NOISE, _unlike_what_was_expected),
    edit(
        "a mean that leaves its column",
        WITH_NOISE,
        about("changed-values", expected_shift_of_the_mean=1e9),
    ),
    edit("nobody unlike before", WITH_NOISE, about("found-by-the-intruder", before=0.0)),
]
