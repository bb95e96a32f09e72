"""Verify a release from its files alone.

Everything that the files can show is counted again: hashes, privacy figures, and the tree, which
is grown anew from the data and compared node by node. What they cannot show is listed as attested.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from privet.documents import read_bytes, read_json
from privet.engine import MemoryEngine
from privet.errors import InputError, PrivetError
from privet.files import read_table
from privet.release.claims import (
    ORIGINAL_TREE,
    SAME_TREE,
    Figures,
    L,
    T,
    claims_of,
    count_figures,
    reaches,
    recount,
    shown_sensitive,
)
from privet.release.layout import DATA, MANIFEST, MODEL, PMML, data_file, folder_of
from privet.release.manifest import Claim, Manifest
from privet.release.noise_claims import MECHANISM, findings, is_noise
from privet.release.rows import Rows, sha256_of
from privet.schema import Role
from privet.table import Table
from privet.tree.compare import compare
from privet.tree.exchange.model_file import read_model, to_data
from privet.tree.exchange.pmml_write import to_pmml
from privet.tree.grow import grow
from privet.tree.model import Subset, Tree

# What reading raises where an edited file holds a value of a kind that nobody would write there.
_NONSENSE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)

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
        if all(check.answer != "no" for check in checks if check.name in ("columns", "rows")):
            of_method = _noise_claims if is_noise(manifest) else _claims
            checks += of_method(folder, manifest, table)
    except PrivetError as error:
        message = error.message.encode("utf-8", "replace").decode()
        checks.append(Check("readable", "no", message))
    except _NONSENSE:
        checks.append(Check("readable", "no", "a file holds values of a kind it cannot hold"))
    return Verification(tuple(checks))


def _fingerprint(folder: Path, expected: str | None) -> Iterator[Check]:
    if expected is None:
        return
    found = sha256_of(folder / MANIFEST)
    same = found == expected.strip().lower()
    detail = "the manifest is the one that was announced" if same else "another manifest"
    yield Check("fingerprint", "yes" if same else "no", detail)


def _hashes(folder: Path, manifest: Manifest) -> Iterator[Check]:
    unlisted = {MODEL, *([MECHANISM] if is_noise(manifest) else [])}
    unlisted |= {name for name in DATA.values() if (folder / name).exists()}
    for name in (*manifest.files, *sorted(unlisted - set(manifest.files))):
        if Path(name).name != name or name == MANIFEST:
            yield Check(f"file {name}", "no", "not a name that a release may list")
        elif name not in manifest.files:
            yield Check(f"file {name}", "no", "not listed in the manifest")
        elif (found := _hash_of(folder / name)) is None:
            yield Check(f"file {name}", "no", "the file is missing or cannot be read")
        elif found != manifest.files[name]:
            yield Check(f"file {name}", "no", "its bytes have changed")
        else:
            yield Check(f"file {name}", "yes", "bytes as listed")
    if len(set(DATA.values()) & set(manifest.files)) > 1:
        yield Check("files", "no", "more than one data file is listed")
    known = {MANIFEST, *manifest.files, *unlisted}
    for path in sorted(folder.iterdir()):
        if path.name not in known:
            detail = "added later; the manifest does not cover it"
            yield Check(f"file {path.name}", "attested", detail)


def _hash_of(path: Path) -> str | None:
    try:
        return sha256_of(path)
    except (OSError, InputError):
        return None


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
    if is_noise(manifest) and manifest.method.get("order") == "kept":
        yield Check("rows", "attested", "in the order of the original table, as was asked for")
    else:
        detail = "sorted, so their order tells nothing" if is_sorted else "not sorted"
        yield Check("rows", "yes" if is_sorted else "no", detail)
    if kinds:
        yield _recoded_as_told(table, manifest)


def _recoded_as_told(table: Table, manifest: Manifest) -> Check:
    """Suppressed columns have one value; with global recoding others have those that are listed."""
    columns = manifest.recoding.get("columns", {})
    if set(columns) != set(table.names):
        return Check("recoding", "no", "other columns than the data have")
    for name, told in columns.items():
        domain = table[name].domain
        treatment = told["treatment"]
        if treatment == "suppressed" and domain.size != 1:
            return Check("recoding", "no", f"column '{name}' is not suppressed")
        if treatment == "generalised" and manifest.recoding.get("method") == "global":
            listed = told["values"] if "values" in told else [g["label"] for g in told["groups"]]
            found = [domain.value(code) for code in range(domain.size)]
            if {v for v in found if v is not None} != {v for v in listed if v is not None}:
                return Check("recoding", "no", f"column '{name}' has other values than listed")
    return Check("recoding", "yes", "columns are recoded as the manifest says")


def _claims(folder: Path, manifest: Manifest, table: Table) -> Iterator[Check]:
    schema = manifest.schema
    tree = read_model(folder / MODEL)
    _plain_json(folder / MODEL)
    engine = MemoryEngine(table)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = count_figures(engine, schema.quasi, schema.target, tree.is_regression, shown)
    known = {(c.name, c.parameters.get("column")) for c in manifest.claims}
    expected = {
        (claim.name, claim.parameters.get("column")): claim
        for claim in claims_of(figures, schema, shown, {}, tree.n_leaves)
    }
    hidden = [(name, c) for c in schema.sensitive if c not in shown for name in (L, T)]
    for name, column in (*expected, *hidden):
        if (name, column) not in known:
            title = f"{name} of {column}" if column else name
            yield Check(title, "no", "the manifest does not make this claim")
    for claim in manifest.claims:
        usual = expected.get((claim.name, claim.parameters.get("column")))
        if usual is not None and _about(claim) != _about(usual):
            yield Check(_title(claim), "no", "it speaks of other columns than the schema does")
        elif usual is not None and claim.checkable != usual.checkable:
            yield Check(_title(claim), "no", "the manifest is wrong on whether it can be checked")
        elif claim.name in (L, T) and claim.parameters.get("column") not in schema.sensitive:
            yield Check(_title(claim), "no", "its column is not sensitive by the schema")
        elif claim.name == SAME_TREE:
            yield _same_tree(claim, manifest, tree, engine)
            yield _model_file(folder, manifest, tree)
        elif claim.checkable == "attested":
            yield _attested(claim, shown)
        else:
            yield _recounted(claim, figures)


def _noise_claims(folder: Path, manifest: Manifest, table: Table) -> Iterator[Check]:
    tree = read_model(folder / MODEL)
    yield _model_file(folder, manifest, tree)
    if not (folder / MECHANISM).is_file():
        return  # the list of files has said so
    mechanism = _plain_json(folder / MECHANISM)
    for name, holds, detail in findings(manifest, tree, table, mechanism):
        yield Check(name, "attested" if holds is None else "yes" if holds else "no", detail)


def _about(claim: Claim) -> dict[str, Any]:
    """The parameters of a claim, but for the kind of l, which the publisher may choose."""
    return {name: value for name, value in claim.parameters.items() if name != "kind"}


def _model_file(folder: Path, manifest: Manifest, tree: Tree) -> Check:
    """All that model.json says follows from its tree, and model.pmml is that tree."""
    told = _plain_json(folder / MODEL)
    kinds = {name: str(manifest.schema[name].kind) for name in (*tree.attributes_used, tree.target)}
    if _canonical(told) != _canonical(to_data(tree)) or told["kinds"] != kinds:
        return Check("model", "no", "model.json says other things than its tree")
    pmml = folder / PMML
    if pmml.is_file() and read_bytes(pmml, "PMML file") != to_pmml(tree).encode():
        return Check("model", "no", "model.pmml is not the tree of model.json")
    return Check("model", "yes", "model.json says what its tree says")


def _plain_json(path: Path) -> Any:
    return read_json(path, "file")


def _canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True)


def _same_tree(claim: Claim, manifest: Manifest, tree: Tree, engine: MemoryEngine) -> Check:
    if tree.grower.describe() != manifest.grower:
        return Check(SAME_TREE, "no", "model.json and manifest.json name different growers")
    true = claim.claimed is True and claim.measured is True
    if not true or claim.parameters.get("leaves") != tree.n_leaves:
        return Check(SAME_TREE, "no", "the claim does not fit model.json")
    unknown = set(tree.grower.attributes or ()) - set(manifest.schema.names())
    if unknown or tree.target != manifest.schema.target:
        return Check(SAME_TREE, "no", "the grower names columns that the data do not have")
    again = grow(engine, manifest.schema, tree.grower)
    outcome = compare(tree, again)
    if not outcome:
        return Check(SAME_TREE, "no", str(outcome))
    if again.grower.describe() != tree.grower.describe():
        return Check(SAME_TREE, "no", "the settings of the grower do not fit the tree")
    return Check(
        SAME_TREE, "yes", f"{tree.n_leaves} leaves, grown again from the data{_lists(tree)}"
    )


def _lists(tree: Tree) -> str:
    """Which rule holds for printed lists of categories, where the tree has any."""
    subsets = [node.split for node in tree.inner if isinstance(node.split, Subset)]
    if not subsets:
        return ""
    partial = sum(bool(split.more_left or split.more_right) for split in subsets)
    if not partial:
        return "; lists of categories complete"
    return f"; {partial} lists of categories name more groups than the data carry below their node"


def _attested(claim: Claim, shown: tuple[str, ...]) -> Check:
    column = claim.parameters.get("column")
    if claim.name == ORIGINAL_TREE and not (claim.claimed is True and claim.measured is True):
        return Check(_title(claim), "no", "the publisher does not attest it")
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
    if found != claim.measured or type(found) is not type(claim.measured):
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
