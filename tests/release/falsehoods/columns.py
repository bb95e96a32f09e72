"""Lies about columns: what became of them, what their values stand for, what they are."""

from collections.abc import Callable
from typing import Any

from falsehoods.telling import (
    BY_CLASSES,
    BY_LEAF,
    EVERY,
    MODELLED,
    WITH_A_TREE,
    WITH_NOISE,
    WITH_TARGET_AND_CLASSES,
    WITHOUT_A_TREE,
    Falsehood,
    Folder,
    NothingToChange,
    edit,
    flip,
)
from privet.release.claims.figures import count_figures
from privet.release.claims.privacy import shown_sensitive
from privet.release.claims.tree_preserving import claims_of
from privet.release.opened import OpenedRelease
from privet.schema import Role

GROUPED = ("leaf", "leaf, hidden", "global")


def _some(found: list[Any]) -> list[Any]:
    if not found:
        raise NothingToChange
    return found


def _treated(manifest: Any, *treatments: str) -> list[Any]:
    columns = manifest["recoding"]["columns"].values()
    return _some([entry for entry in columns if entry.get("treatment") in treatments])


def _by_leaf(manifest: Any) -> list[Any]:
    columns = manifest["recoding"]["columns"].values()
    return _some([entry for entry in columns if "by_leaf" in entry])


def _cells(manifest: Any, field: str) -> list[Any]:
    """The cells of every column that has them, by leaf or as a whole."""
    cells = [entry.get("cells", entry) for entry in manifest["recoding"]["columns"].values()]
    return _some([one for one in cells if one.get(field)])


def _each(found: Callable[..., list[Any]], change: Callable[[Any], object], *which: str) -> Any:
    return lambda manifest: [change(entry) for entry in found(manifest, *which)]


def _treat(new: str, *old: str) -> Callable[[Any], object]:
    return _each(_treated, lambda entry: entry.update(treatment=new), *old)


def _note(entry: Any) -> None:
    entry["note"] = "x"


def _exchange_members(cells: Any) -> None:
    groups = cells["groups"]
    members = [group["members"] for group in groups]
    for group, others in zip(groups, members[1:] + members[:1], strict=True):
        group["members"] = others


def _share_a_member(cells: Any) -> None:
    for group in cells["groups"][1:]:
        group["members"].append(cells["groups"][0]["members"][0])


def _first_group(**fields: Any) -> Callable[[Any], object]:
    return _each(_cells, lambda cells: cells["groups"][0].update(fields), "groups")


def _role(name: str, **fields: Any) -> Callable[[Any], object]:
    return lambda manifest: manifest["schema"]["columns"][name].update(fields)


def _other_and_counted_again(folder: Folder) -> None:
    """A coded column is called `other`, and every claim is counted without it."""
    folder.edit("manifest.json", _role("age", role="other"))
    opened = OpenedRelease.at(folder.path)
    schema = opened.manifest.schema
    shown = shown_sensitive(schema, opened.manifest.recoding)
    figures = count_figures(opened.engine, schema.quasi, schema.names(Role.TARGET), shown)
    claims = claims_of(figures, schema, shown, {"k": 3}, opened.trees)
    folder.edit("manifest.json", lambda m: m.update(claims=[c.to_data() for c in claims]))


NUMBERS: dict[str, Callable[[Any], object]] = {
    "values as texts": lambda e: e.update(values=[str(v) for v in e["values"]]),
    "values as decimals": lambda e: e.update(values=[v + 0.0 for v in e["values"]]),
    "cuts at the values": lambda e: e.update(cuts=e["values"][1:]),
    "cuts as texts": lambda e: e.update(cuts=[str(c) for c in e["cuts"]]),
    "cuts moved": lambda e: e.update(cuts=[c + 0.001 for c in e["cuts"]]),
    "a cut less": lambda e: e["cuts"].pop(),
    "groups beside cuts": lambda e: e.update(groups=[]),
}
OF_LEAVES: dict[str, Callable[[Any], object]] = {
    "lists complete or not": lambda e: flip(e, "complete_lists"),
    "lists complete in words": lambda e: e.update(complete_lists="yes"),
    "no form": lambda e: e.pop("form"),
    "a form that is none": lambda e: e.update(form="perfect"),
    "values reversed": lambda e: e["values"].reverse(),
    "leaves under other names": lambda e: e.update(
        by_leaf={f"0{leaf}": row for leaf, row in e["by_leaf"].items()}
    ),
    "places in truth values": lambda e: e.update(
        by_leaf={leaf: [p == 1 if p < 2 else p for p in row] for leaf, row in e["by_leaf"].items()}
    ),
}
OF_AGGREGATED: dict[str, Callable[[Any], object]] = {
    "aggregated with a remark": _note,
    "aggregated is kept": lambda e: (e.clear(), e.update(treatment="kept")),
    "aggregated is suppressed": lambda e: (e.clear(), e.update(treatment="suppressed")),
    "aggregated is generalised": lambda e: e.update(treatment="generalised"),
    "filled by leaves that are none": lambda e: e.update(fill=f"leaf-{e['fill']}"),
    "filled as nobody does": lambda e: e.update(fill="mean"),
    "numbers filled as categories": lambda e: e.update(fill="quota"),
    "joined values": lambda e: e.update(joined=[]),
}
SHOWN = ("kept", "suppressed")
OF_SCHEMA: dict[str, Callable[[Any], object]] = {
    "an identifier": _role("age", role="identifier"),
    "two targets": _role("age", role="target"),
    "a column with a remark": _role("age", note="x"),
    "a column with a domain": _role("age", domain=[0, 120]),
    "markers of missing cells": lambda m: m["schema"].update(missing=["0"]),
    "columns in another order": lambda m: m["schema"].update(
        columns=dict(reversed(m["schema"]["columns"].items()))
    ),
    "recoding with a remark": lambda m: _note(m["recoding"]),
    "a column less": lambda m: m["recoding"]["columns"].pop("age"),
}

LIES = [
    *(
        edit(f"{treatment}, with a remark", WITH_A_TREE, _each(_treated, _note, treatment))
        for treatment in ("kept", "suppressed", "generalised", "coded")
    ),
    edit(
        "suppressed to a value",
        WITH_A_TREE,
        _each(_treated, lambda entry: entry.update(value=0), "suppressed"),
    ),
    edit("suppressed is generalised", WITH_A_TREE, _treat("generalised", "suppressed")),
    edit("suppressed is noise", WITH_A_TREE, _treat("noise", "suppressed")),
    edit("coded is generalised", BY_LEAF, _treat("generalised", "coded")),
    edit("recoded is suppressed", WITH_A_TREE, _treat("suppressed", "coded", "generalised")),
    edit("recoded is kept", WITH_A_TREE, _treat("kept", "coded", "generalised")),
    edit(
        "the target is suppressed",
        WITH_A_TREE,
        lambda m: m["recoding"]["columns"]["y"].update(treatment="suppressed"),
    ),
    *(edit(n, WITH_A_TREE, _each(_cells, change, "cuts")) for n, change in NUMBERS.items()),
    *(edit(n, BY_LEAF, _each(_by_leaf, change)) for n, change in OF_LEAVES.items()),
    edit("a member in two groups", GROUPED, _each(_cells, _share_a_member, "groups")),
    edit("members exchanged", GROUPED, _each(_cells, _exchange_members, "groups")),
    edit("a group without members", GROUPED, _first_group(members=[])),
    edit("a group of another label", GROUPED, _first_group(label="Atlantis")),
    edit("a group with a remark", GROUPED, _first_group(note="x")),
    edit("members that are numbers", GROUPED, _first_group(members=[1, 2])),
    edit("noise is kept", WITH_NOISE, _treat("kept", "noise")),
    edit(
        "another class noise",
        WITH_NOISE,
        lambda m: m["recoding"]["columns"]["y"].update(method="no"),
    ),
    edit(
        "noise in other words",
        WITH_NOISE,
        _each(_treated, lambda entry: entry.update(method="laplace"), "noise"),
    ),
    edit("noise with a remark", WITH_NOISE, _each(_treated, _note, "noise")),
    edit("substituted is kept", ("substitution",), _treat("kept", "substituted")),
    edit("kept is substituted", ("substitution",), _treat("substituted", "kept")),
    edit("substituted with a remark", ("substitution",), _each(_treated, _note, "substituted")),
    edit("a quasi-identifier is other", BY_CLASSES, _role("age", role="other")),
    Falsehood("a coded column is other, all counted again", BY_LEAF, _other_and_counted_again),
    edit("no target", (*WITH_TARGET_AND_CLASSES, *WITH_NOISE), _role("y", role="other")),
    *(
        edit(name, WITHOUT_A_TREE, _each(_treated, change, "aggregated"))
        for name, change in OF_AGGREGATED.items()
    ),
    edit("kept or suppressed, with a remark", WITHOUT_A_TREE, _each(_treated, _note, *SHOWN)),
    edit("what was hidden is shown", ("mondrian",), _treat("kept", "suppressed")),
    edit("what is shown is hidden", ("infogain",), _treat("suppressed", "kept")),
    edit("a target is called so", ("mondrian",), _role("y", role="target")),
    # without a tree nothing contradicts who writes the data anew, as decimals
    edit("another kind of column", (*MODELLED, "substitution"), _role("age", kind="decimal")),
    *(edit(name, EVERY, change) for name, change in OF_SCHEMA.items()),
]
