"""Lies about how a release was made: settings, guards, choices, versions, days."""

from typing import Any

from falsehoods.telling import (
    DRAWN,
    EVERY,
    ROWS,
    WITH_A_TREE,
    WITH_NOISE,
    WITHOUT_A_TREE,
    Falsehood,
    edit,
    flip,
)

OF_A_TREE: dict[str, tuple[Any, ...]] = {
    "float32_safe": ("yes", None, 1),
    "guard": (0, -1, 10**6, 60, "many", True, 2.5),
    "told_by_boundaries": (-1, 10**6, "none", False),
    "narrowed_by_boundaries": (-1, 10**6, None),
    "stopped_by_clock": (False, "never"),
    "recoding": ("global and leaf", "rich"),
    "chosen_by": (
        {},
        {"splits": [], "leaves": [], "values": []},
        {"splits": ["y"], "leaves": [], "values": ["y"], "luck": []},
        {"splits": ["y", "y"], "leaves": [], "values": ["y"]},
        {"splits": ["shoe"], "leaves": [], "values": []},
    ),
    "more": ("words",),
}
WITHOUT: dict[str, tuple[Any, ...]] = {
    "one_class": ("never", True, 1),
    "chosen_by": ({}, {"cuts": ["age"]}, {"cuts": []}, {"cuts": ["y"]}, {"splits": ["y"]}, None),
    "recoding": ("rich",),
    "seed": (5,),
}
OF_NOISE: dict[str, Any] = {
    "class": "all-leaves",
    "innocent": 0.1,
    "which": "tia",
    "where": "heterogeneous",
    "ends": "clamp",
    "influential": "reflect",
    "detective": 0.9,
    "participation": 0.25,
    "random_value": 0.3,
    "scales": {"height": 2.0},
    "spikes": {"height": [1.5]},
    "together": [["town", "illness"]],
    "order": "random",
    "strict": "yes",
    "seed": 5,
}
OF_TREES_OF_NOISE: dict[str, Any] = {
    "impurity": "gini",
    "categories": "subset",
    "min_leaf": 7,
    "leaves": 1,
    "depth": 1,
    "prune": "by hand",
    "more": 1,
}


def says(**fields: Any) -> Any:
    return lambda manifest: manifest["method"].update(fields)


def _other_recoding(manifest: Any) -> None:
    other = {"leaf": "global", "global": "leaf", "rich": "leaf"}[manifest["method"]["recoding"]]
    manifest["method"]["recoding"] = manifest["recoding"]["method"] = other


def _of_a_tree() -> list[Falsehood]:
    return [
        edit(f"method: {field} {value!r}", WITH_A_TREE, says(**{field: value}))
        for field, values in OF_A_TREE.items()
        for value in values
    ]


def _other_way_of_cutting(manifest: Any) -> None:
    manifest["method"]["name"] = manifest["recoding"]["method"] = "infogain"


def _of_noise() -> list[Falsehood]:
    lies = [
        edit(f"noise: {field}", WITH_NOISE, says(**{field: value}))
        for field, value in OF_NOISE.items()
    ]
    trees = OF_TREES_OF_NOISE.items()
    return lies + [
        edit(
            f"trees of noise: {n}",
            WITH_NOISE,
            lambda m, n=n, v=v: m["method"]["trees"].update({n: v}),
        )
        for n, v in trees
    ]


LIES = [
    *_of_a_tree(),
    edit("told in spite of the guard", ("leaf", "leaf, hidden"), says(told_by_boundaries=7)),
    edit(
        "more told and narrowed than there are",
        WITH_A_TREE,
        says(told_by_boundaries=ROWS, narrowed_by_boundaries=1),
    ),
    edit("the other recoding", WITH_A_TREE, _other_recoding),
    *(
        edit(f"without a tree: {field} {value!r}", WITHOUT_A_TREE, says(**{field: value}))
        for field, values in WITHOUT.items()
        for value in values
    ),
    edit("gain about a target that is none", ("mondrian",), _other_way_of_cutting),
    edit("a rule about a target that is none", ("mondrian",), says(one_class="forbid")),
    edit("no rule about a target", ("infogain",), says(one_class=None)),
    edit("without a tree: a grower", WITHOUT_A_TREE, lambda m: m["grower"].update(leaves=5)),
    *_of_noise(),
    edit("noise: strict or not", WITH_NOISE, lambda m: flip(m["method"], "strict")),
    edit("noise: another scale on the path", ("loose noise",), says(influential_scale="leaf")),
    edit("noise: other noise on the path", ("loose noise",), says(influential_sd=0.1)),
    # where no category has a tree of more than one leaf, cousins change no law: nothing is false
    edit("noise: other kin", ("loose noise",), says(cousins=5)),
    edit("substitution: more words", ("substitution",), says(audited=True)),
    edit("substitution: an order that is none", ("substitution",), says(order="random")),
    edit("substitution: a grower", ("substitution",), lambda m: m["grower"].update(leaves=5)),
    *(
        edit(f"called {name}", EVERY, says(name=name))
        for name in (
            "tree-preserving",
            "mondrian",
            "infogain",
            "noise",
            "random substitution",
            "magic",
            5,
        )
    ),
    *(
        edit(f"published on {day}", EVERY, lambda m, day=day: m.update(published=day))
        for day in ("2026-02-30", "0000-00-00", "2026-13-01", "9999-99-99", "today")
    ),
    *(
        edit(f"format {form!r}", EVERY, lambda m, form=form: m.update(format=form))
        for form in (1, 3, "2", 2.0, True)
    ),
    *(
        edit(f"version {version}", EVERY, lambda m, v=version: m.update(privet_version=v))
        for version in ("0.1.0", "0.1", "99.0.0", "0.2.0+mine", "0.2", "new")
    ),
    edit("in the original order", ("noise",), says(order=["sorted"])),
    edit("a seed is told", DRAWN, says(seed=5)),
]
