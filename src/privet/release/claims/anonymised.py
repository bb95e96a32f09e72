"""The claims of a table released without a tree: Mondrian by width, or by information gain.

Equivalence classes are counted again from the files (`privacy`), and so is the rule against one
target value alone. What became of each column follows from the schema and from which sensitive
columns are shown; that the blocks were cut as the method says, only the publisher knows.
"""

from collections.abc import Collection, Iterator
from typing import Any

from privet.release.checks import Check, yes_or_no
from privet.release.claims.figures import ClassFigures, Figures, figures_of
from privet.release.claims.privacy import (
    asks_of_sensitive,
    by_key,
    judged,
    made_once,
    privacy_claims,
    shown_sensitive,
)
from privet.release.claims.recoding import attested_treatments
from privet.release.manifest import Manifest, canonical
from privet.release.opened import OpenedRelease
from privet.roles import target_of
from privet.schema import Role, Schema
from privet.table import Table

MONDRIAN, INFOGAIN = "mondrian", "infogain"
METHODS: tuple[str, ...] = (MONDRIAN, INFOGAIN)
FILES: tuple[str, ...] = ()


def keeps_order(manifest: Manifest) -> bool:
    return False


def method_entry(name: str, one_class: str | None, looked_at: Collection[str]) -> dict[str, Any]:
    """What the manifest says of the method: how it cut, what it forbade, what cuts looked at."""
    return {"name": name, "one_class": one_class, "chosen_by": {"cuts": list(looked_at)}}


def looked_at(
    schema: Schema, name: str, one_class: str | None, sensitive: bool, target_known: bool
) -> tuple[str, ...]:
    """The columns besides quasi-identifiers that cuts looked at."""
    by_target = name == INFOGAIN or one_class == "forbid" or target_known
    target = [schema.target] if by_target else []
    return tuple(dict.fromkeys([*target, *(schema.sensitive if sensitive else ())]))


def treatments(
    name: str, schema: Schema, shown: Collection[str], empty: Collection[str]
) -> dict[str, Any]:
    """What became of each column, as the manifest says it."""
    columns = {c.name: _entry(schema, c.name, shown, empty) for c in schema}
    return {"method": name, "columns": columns}


def nameless(table: Table, schema: Schema) -> set[str]:
    """The quasi-identifiers that were suppressed: categories, but none that could be named."""
    return {
        name
        for name in schema.quasi
        if not schema[name].kind.is_ordered and not len(table[name].domain.values)
    }


def _entry(
    schema: Schema, name: str, shown: Collection[str], empty: Collection[str]
) -> dict[str, Any]:
    column = schema[name]
    if name in empty:
        return {"treatment": "suppressed"}
    if column.role is Role.QUASI:
        fill = "quantile" if column.kind.is_ordered else "quota"
        return {"treatment": "aggregated", "fill": fill}
    hidden = column.role is Role.SENSITIVE and name not in shown
    return {"treatment": "suppressed" if hidden else "kept"}


# -- what the files show ---------------------------------------------------------------------------


def checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the files show of each claim."""
    manifest, schema = opened.manifest, opened.manifest.schema
    shown = shown_sensitive(schema, manifest.recoding)
    figures = figures_of(opened.engine, schema, shown)
    yield _method(opened, figures)
    yield from _recoding(opened, shown)
    usual = by_key(privacy_claims(figures, schema, shown, {}))
    yield from made_once(usual, manifest)
    for claim in manifest.claims:
        yield judged(claim, usual, figures, manifest, shown)


def _method(opened: OpenedRelease, figures: ClassFigures) -> Check:
    """What was done is said in full and in known words, and the files do not contradict it."""
    manifest = opened.manifest
    if not is_told_in_known_words(manifest):
        return Check("method", "no", "the manifest does not say in known words what was done")
    one_class, target = manifest.method["one_class"], target_of(manifest.schema)
    if one_class == "forbid" and isinstance(figures, Figures) and target is not None:
        # a table of one target value has no cut that leaves two on both sides
        most = 0 if opened.table[target].domain.size > 1 else 1
        if figures.one_class > most or (most and figures.equivalence_classes > 1):
            return Check("method", "no", "equivalence classes have one target value alone")
    said = f"cut by {manifest.method['name']}; that it was done so, only the publisher knows"
    return Check("method", "attested", said)


def is_told_in_known_words(manifest: Manifest) -> bool:
    """Whether what the manifest says of the method can be, with these columns and claims."""
    known = canonical(manifest.method) in _possible_methods(manifest)
    return known and not manifest.grower and manifest.format > 1


def _possible_methods(manifest: Manifest) -> set[str]:
    """Everything that can be said of the method with these columns and claims."""
    schema, name = manifest.schema, manifest.method["name"]
    target = target_of(schema)
    if name == INFOGAIN and (target is None or schema[target].kind.is_ordered):
        return set()
    rules: tuple[str | None, ...] = (None,) if target is None else ("forbid", "allow")
    known = manifest.claim("k-anonymity-with-target")
    asked = known is not None and known.claimed is not None
    return {
        canonical(
            method_entry(
                name, rule, looked_at(schema, name, rule, asks_of_sensitive(manifest), asked)
            )
        )
        for rule in rules
    }


def _recoding(opened: OpenedRelease, shown: Collection[str]) -> Iterator[Check]:
    """What the manifest says of each column, as far as the data can show it."""
    manifest, schema = opened.manifest, opened.manifest.schema
    empty = nameless(opened.table, schema)
    expected = treatments(manifest.method["name"], schema, shown, empty)
    yield yes_or_no(
        "recoding",
        canonical(manifest.recoding) == canonical(expected),
        "the manifest says of every column what became of it",
        "the manifest says of some column what cannot have become of it",
    )
    wrong = False
    for name, entry in expected["columns"].items():
        if entry["treatment"] == "suppressed" and len(opened.table[name].domain.values):
            wrong = True
            yield Check(f"recoding of {name}", "no", "it is not suppressed")
    if not wrong:
        yield from attested_treatments(manifest)
