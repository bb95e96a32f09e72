"""The claims of a table whose values were replaced at random under a public matrix.

No tree is published, and nothing is claimed of k. What anybody can count again: the records, that
every value is one that its matrix can draw, none of them more or less often than originals can make
it (a false alarm of a column is less likely than 1e-12), and epsilon, which follows from the
matrices.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from privet.errors import UsageError
from privet.mechanism.seen_counts import cannot_be_drawn
from privet.mechanism.substitution import METHOD_NAME, Substitution
from privet.release.checks import Check, yes_or_no
from privet.release.claims.figures import RECORDS
from privet.release.layout import MECHANISM
from privet.release.manifest import Claim, Manifest, canonical
from privet.release.opened import OpenedRelease
from privet.schema import Role

METHOD = METHOD_NAME
FILES: tuple[str, ...] = (MECHANISM,)

EPSILON, EPSILON_OF_RECORD = "epsilon", "epsilon-of-a-record"
DRAWN_BY_MATRIX = "drawn-by-the-matrix"


def keeps_order(manifest: Manifest) -> bool:
    return manifest.method.get("order") == "kept"


def claims_of(mechanism: Substitution, records: int) -> tuple[Claim, ...]:
    """All claims of a release: its epsilons, and that the values were drawn as the matrices say."""
    of_block = [
        Claim(EPSILON, {"columns": list(block.columns)}, None, figure, "release")
        for block, figure in zip(mechanism.blocks, mechanism.epsilons, strict=True)
    ]
    return (
        Claim(RECORDS, {}, None, records, "release"),
        *of_block,
        Claim(EPSILON_OF_RECORD, {}, None, mechanism.finite_epsilon_of_a_record, "release"),
        Claim(DRAWN_BY_MATRIX, {}, True, True, "attested"),
    )


def treatments(mechanism: Substitution, names: tuple[str, ...]) -> dict[str, Any]:
    """What became of each column, as the manifest says it."""
    changed = set(mechanism.columns)
    columns = {n: {"treatment": "substituted" if n in changed else "kept"} for n in names}
    return {"method": METHOD, "columns": columns}


def checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the files show of each claim."""
    manifest, table = opened.manifest, opened.table
    method = manifest.method
    known_words = set(method) == {"name", "order"} and method["order"] in ("sorted", "kept")
    if not known_words or manifest.grower or len(manifest.schema.names(Role.TARGET)) > 1:
        yield Check("method", "no", "the manifest does not say in known words what was done")
        return
    mechanism = Substitution.from_data(opened.mechanism)
    known = set(mechanism.columns) | set(mechanism.unchanged)
    yield yes_or_no(
        "mechanism",
        known == set(table.names) and canonical(opened.mechanism) == canonical(mechanism.to_data()),
        "its matrices speak of these columns",
        "mechanism.json speaks of other columns, or says more than its matrices",
    )
    if known != set(table.names):
        return
    yield yes_or_no(
        "recoding",
        canonical(manifest.recoding) == canonical(treatments(mechanism, table.names)),
        "the manifest says of every column what became of it",
        "the manifest says other things of the columns than mechanism.json",
    )
    yield _in_domains(mechanism, opened)
    expected = {_key(claim): claim for claim in claims_of(mechanism, table.n_rows)}
    made = Counter(_key(claim) for claim in manifest.claims)
    for key in dict.fromkeys([*expected, *made]):
        if made[key] != 1:
            yield Check(_title(key), "no", "the manifest must make this claim once")
    for claim in manifest.claims:
        yield _judged(claim, expected)


def _in_domains(mechanism: Substitution, opened: OpenedRelease) -> Check:
    table = opened.table
    for domain in (domain for block in mechanism.blocks for domain in block.domains):
        if domain.shown.kind is not table[domain.column].domain.kind:
            said = f"'{domain.column}' is of another kind than its matrix draws"
            return Check("domains", "no", said)
        if not domain.is_as_made():
            said = f"bins or values of '{domain.column}' are not those between its ends"
            return Check("domains", "no", said)
    try:
        mechanism.refuse_undrawn(table)
    except UsageError:
        return Check("domains", "no", "the data hold values that the matrices do not know")
    for block in mechanism.blocks:
        codes = block.encode(table.select(block.columns))
        if cannot_be_drawn(block.matrix, np.bincount(codes, minlength=block.matrix.size)):
            said = f"a value of '{block.name}' is seen more or less often than its matrix can draw"
            return Check("domains", "no", said)
    return Check("domains", "yes", "every value is one that its matrix can draw")


def _judged(claim: Claim, expected: Mapping[tuple[str, Any], Claim]) -> Check:
    title, usual = _title(_key(claim)), expected.get(_key(claim))
    if usual is None or canonical(claim.to_data()) != canonical(usual.to_data()):
        found = "nothing" if usual is None else usual.measured
        return Check(title, "no", f"claimed {claim.measured}, the files show {found}")
    if claim.checkable == "attested":
        said = (
            "that the values were drawn by these matrices, and that domains not marked so do not "
            "come from the records, only the publisher knows"
        )
        return Check(title, "attested", said)
    return Check(title, "yes", "no bound" if claim.measured is None else f"{claim.measured:,.6g}")


def _key(claim: Claim) -> tuple[str, Any]:
    columns = claim.parameters.get("columns")
    return claim.name, tuple(map(str, columns)) if isinstance(columns, list) else None


def _title(key: tuple[str, Any]) -> str:
    name, columns = key
    return f"{name} of {' and '.join(columns)}" if columns else name
