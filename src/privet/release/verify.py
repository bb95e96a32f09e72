"""Verify a release from its files alone.

Everything that the files can show is counted again: hashes, privacy figures, and the tree, which
is grown anew from the data and compared node by node. What they cannot show is listed as attested.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from privet.engine import MemoryEngine
from privet.errors import PrivetError
from privet.files import read_table
from privet.release.claims import (
    ORIGINAL_TREE,
    SAME_TREE,
    Figures,
    claims_of,
    count_figures,
    reaches,
    recount,
    shown_sensitive,
)
from privet.release.layout import MANIFEST, MODEL, REPORT, data_file, folder_of
from privet.release.manifest import Claim, Manifest
from privet.release.rows import Rows, sha256_of
from privet.schema import Role
from privet.table import Table
from privet.tree.compare import compare
from privet.tree.grow import grow
from privet.tree.model import Tree
from privet.tree.model_file import read_model

Answer = Literal["yes", "no", "attested"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and the answer."""

    name: str
    answer: Answer
    detail: str

    def to_data(self) -> dict[str, str]:
        return {"name": self.name, "answer": self.answer, "detail": self.detail}


@dataclass(frozen=True)
class Verification:
    """All checks of a release. It holds if none of them says no."""

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        return all(check.answer != "no" for check in self.checks)

    def __bool__(self) -> bool:
        return self.holds

    def to_data(self) -> dict[str, Any]:
        same = [c.answer == "yes" for c in self.checks if c.name == SAME_TREE]
        return {
            "holds": self.holds,
            "same_tree": bool(same) and all(same),
            "checks": [check.to_data() for check in self.checks],
        }


def verify(folder: str | os.PathLike[str], fingerprint: str | None = None) -> Verification:
    """Check every claim of a release that its files can show.

    With the `fingerprint` that the publisher gave out, the manifest itself is checked as well, and
    with it everything that the manifest says.
    """
    return verify_files(folder_of(Path(folder)), fingerprint)


def verify_files(folder: Path, fingerprint: str | None = None) -> Verification:
    manifest = Manifest.read(folder / MANIFEST)
    checks = list(_fingerprint(folder, fingerprint))
    checks += _hashes(folder, manifest)
    try:
        table = _read_data(folder, manifest)
        checks += _contents(table, manifest)
        if all(check.answer == "yes" for check in checks if check.name in ("columns", "rows")):
            checks += _claims(folder, manifest, table)
    except PrivetError as error:
        checks.append(Check("readable", "no", error.message))
    return Verification(tuple(checks))


def _fingerprint(folder: Path, expected: str | None) -> Iterator[Check]:
    if expected is None:
        return
    found = sha256_of(folder / MANIFEST)
    same = found == expected.strip().lower()
    detail = "the manifest is the one that was announced" if same else "another manifest"
    yield Check("fingerprint", "yes" if same else "no", detail)


def _hashes(folder: Path, manifest: Manifest) -> Iterator[Check]:
    for name in (*manifest.files, *({MODEL} - set(manifest.files))):
        if Path(name).name != name or name == MANIFEST:
            yield Check(f"file {name}", "no", "not a name that a release may list")
        elif name not in manifest.files:
            yield Check(f"file {name}", "no", "not listed in the manifest")
        elif not (folder / name).is_file():
            yield Check(f"file {name}", "no", "the file is missing")
        elif sha256_of(folder / name) != manifest.files[name]:
            yield Check(f"file {name}", "no", "its bytes have changed")
        else:
            yield Check(f"file {name}", "yes", "bytes as listed")
    if REPORT not in manifest.files and (folder / REPORT).exists():
        yield Check(f"file {REPORT}", "attested", "made later; the manifest does not cover it")


def _read_data(folder: Path, manifest: Manifest) -> Table:
    path = data_file(folder, manifest)
    kinds = {column.name: column.kind for column in manifest.schema}
    return read_table(path, kinds=kinds, exact=True)


def _contents(table: Table, manifest: Manifest) -> Iterator[Check]:
    schema = manifest.schema
    listed = table.names == schema.names() and not schema.names(Role.IDENTIFIER)
    kinds = listed and all(table[c.name].domain.kind is c.kind for c in schema)
    detail = "as the schema says" if kinds else "other columns or kinds than the schema says"
    yield Check("columns", "yes" if kinds else "no", detail)
    rows = Rows.of(MemoryEngine(table), table.names)
    same = rows.content_sha256() == manifest.content_sha256
    detail = "the rows are those that were published" if same else "other rows than published"
    yield Check("content", "yes" if same else "no", detail)
    is_sorted = all(
        np.array_equal(np.repeat(rows.table[name].codes, rows.counts), table[name].codes)
        for name in table.names
    )
    detail = "sorted, so their order tells nothing" if is_sorted else "not sorted"
    yield Check("rows", "yes" if is_sorted else "no", detail)


def _claims(folder: Path, manifest: Manifest, table: Table) -> Iterator[Check]:
    schema = manifest.schema
    tree = read_model(folder / MODEL)
    engine = MemoryEngine(table)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = count_figures(engine, schema.quasi, schema.target, tree.is_regression, shown)
    known = {(c.name, c.parameters.get("column")) for c in manifest.claims}
    expected = claims_of(figures, schema, shown, {}, tree.n_leaves)
    for claim in expected:
        if (claim.name, claim.parameters.get("column")) not in known:
            yield Check(_title(claim), "no", "the manifest does not make this claim")
    for claim in manifest.claims:
        if claim.name == SAME_TREE:
            yield _same_tree(claim, manifest, tree, engine)
        elif claim.checkable == "attested":
            yield _attested(claim, shown)
        else:
            yield _recounted(claim, figures)


def _same_tree(claim: Claim, manifest: Manifest, tree: Tree, engine: MemoryEngine) -> Check:
    if tree.grower.describe() != manifest.grower:
        return Check(SAME_TREE, "no", "model.json and manifest.json name different growers")
    if claim.measured is not True or claim.parameters.get("leaves") != tree.n_leaves:
        return Check(SAME_TREE, "no", "the claim does not fit model.json")
    unknown = set(tree.grower.attributes or ()) - set(manifest.schema.names())
    if unknown or tree.target != manifest.schema.target:
        return Check(SAME_TREE, "no", "the grower names columns that the data do not have")
    again = grow(engine, manifest.schema, tree.grower)
    outcome = compare(tree, again)
    if not outcome:
        return Check(SAME_TREE, "no", str(outcome))
    return Check(SAME_TREE, "yes", f"{tree.n_leaves} leaves, grown again from the data")


def _attested(claim: Claim, shown: tuple[str, ...]) -> Check:
    column = claim.parameters.get("column")
    if claim.name != ORIGINAL_TREE and (column is None or column in shown):
        return Check(_title(claim), "no", "marked as attested, though the files can show it")
    if claim.claimed is not None and claim.name != ORIGINAL_TREE:
        try:
            enough = reaches(claim, claim.measured)
        except TypeError:
            enough = False
        if not enough:
            return Check(_title(claim), "no", "the attested figure is short of what is claimed")
    return Check(_title(claim), "attested", _figure(claim, claim.measured))


def _recounted(claim: Claim, figures: Figures) -> Check:
    found = recount(claim, figures)
    if found is None:
        return Check(_title(claim), "no", "the files do not show this")
    if found != claim.measured:
        return Check(_title(claim), "no", f"claimed {claim.measured}, counted {found}")
    try:
        enough = reaches(claim, found)
    except TypeError:
        enough = False
    if not enough:
        return Check(_title(claim), "no", f"asked for {claim.claimed}, counted {found}")
    return Check(_title(claim), "yes", _figure(claim, found))


def _title(claim: Claim) -> str:
    column = claim.parameters.get("column")
    return f"{claim.name} of {column}" if column else claim.name


def _figure(claim: Claim, found: Any) -> str:
    if claim.name == ORIGINAL_TREE:
        return "that this is the tree of the original table, only its publisher knows"
    text = f"{found:.6g}" if isinstance(found, float) else str(found)
    return text if claim.claimed is None else f"{text} (asked for {claim.claimed})"
