"""The claims of a release with its tree: k, l and t as counted, and that the same tree grows again.

All but two kinds of claims can be counted again from the files. Attested are only that the tree is
that of the original table, and l or t of a column that the release does not show; such a claim
states what was asked for and no figure, since figures could be inverted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privet.criteria import KINDS
from privet.release.checks import SAME_TREE, Check
from privet.release.claims.figures import (
    CLASSES,
    GUESSED,
    K_WITH_TARGET,
    ONE_CLASS,
    ONE_CLASS_RECORDS,
    ORIGINAL_TREE,
    RECORDS,
    Figures,
    K,
    L,
    T,
    count_figures,
    reaches,
    recount,
)
from privet.release.claims.model import model_checks
from privet.release.claims.recoding import recoding_checks
from privet.release.claims.rich import MARGIN, WITHIN_LEAVES, rich_checks
from privet.release.claims.tree_method import METHOD_NAME, method_check
from privet.release.layout import MODEL
from privet.release.manifest import Claim, Manifest, canonical
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.schema import Role, Schema
from privet.tree.compare import compare
from privet.tree.grow import grow
from privet.tree.model import Subset, Tree

METHOD = METHOD_NAME
FILES: tuple[str, ...] = (MODEL,)


def keeps_order(manifest: Manifest) -> bool:
    return False


def claims_of(
    figures: Figures,
    schema: Schema,
    shown: Sequence[str],
    asked: Mapping[str, Any],
    leaves: int,
) -> tuple[Claim, ...]:
    """All claims of a release. `shown` are the sensitive columns released as they are, `asked` the
    levels asked for: k, l, l_kind, t, target_known."""
    quasi = list(schema.quasi)
    known = bool(asked.get("target_known"))
    k, kind = asked.get("k"), asked.get("l_kind") or "strong"
    with_target = {"quasi": [*quasi, schema.target]}
    claims = [
        Claim(RECORDS, {}, None, figures.records, "release"),
        Claim(CLASSES, {"quasi": quasi}, None, figures.equivalence_classes, "release"),
        Claim(K, {"quasi": quasi}, None if known else k, figures.k, "release"),
        Claim(K_WITH_TARGET, with_target, k if known else None, figures.k_with_target, "release"),
        Claim(ONE_CLASS, {"quasi": quasi}, None, figures.one_class, "release"),
        Claim(ONE_CLASS_RECORDS, {"quasi": quasi}, None, figures.one_class_records, "release"),
        Claim(GUESSED, {"quasi": quasi}, None, figures.guessed, "release"),
    ]
    for column in schema.sensitive:
        about = {"column": column, "kind": kind}
        l, t = asked.get("l"), asked.get("t")  # noqa: E741
        if column in shown:
            claims.append(Claim(L, about, l, figures.l[column][kind], "release"))
            claims.append(Claim(T, {"column": column}, t, figures.t[column], "release"))
            continue
        if l is not None:
            claims.append(Claim(L, about, l, None, "attested"))
        if t is not None:
            claims.append(Claim(T, {"column": column}, t, None, "attested"))
    claims.append(Claim(SAME_TREE, {"leaves": leaves}, True, True, "release"))
    claims.append(Claim(ORIGINAL_TREE, {}, True, True, "attested"))
    return tuple(claims)


def shown_sensitive(schema: Schema, recoding: Mapping[str, Any]) -> tuple[str, ...]:
    """The sensitive columns whose values a release shows as they are."""
    return tuple(
        name
        for name in schema.sensitive
        if schema[name].role is Role.TARGET or entry_of(recoding, name).get("treatment") == "kept"
    )


# -- what the files show ---------------------------------------------------------------------------


def checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the files show of each claim."""
    manifest, schema = opened.manifest, opened.manifest.schema
    yield method_check(opened)
    yield from recoding_checks(opened)
    tree = opened.tree
    yield from model_checks(opened)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = count_figures(opened.engine, schema.quasi, schema.target, shown)
    usual = {_key(claim): claim for claim in claims_of(figures, schema, shown, {}, tree.n_leaves)}
    if manifest.format == 1:  # claimed less
        later = [ONE_CLASS_RECORDS, GUESSED, *([ONE_CLASS] if tree.is_regression else [])]
        usual = {key: claim for key, claim in usual.items() if key[0] not in later}
    made = Counter(_key(claim) for claim in manifest.claims)
    for key in dict.fromkeys([*usual, *made]):
        if made[key] != 1:
            yield Check(_title(*key), "no", "the manifest must make this claim once")
    rich = manifest.recoding.get("method") == "rich"
    if rich:
        yield from rich_checks(opened)
    for claim in manifest.claims:
        if rich and claim.name in (MARGIN, WITHIN_LEAVES):
            continue
        yield _judged(claim, usual, figures, opened, shown)


def _judged(
    claim: Claim,
    usual: Mapping[tuple[str, Any], Claim],
    figures: Figures,
    opened: OpenedRelease,
    shown: Sequence[str],
) -> Check:
    title, expected = _title(*_key(claim)), usual.get(_key(claim))
    if expected is None:
        return _attested(claim, opened.manifest, shown, figures)
    if canonical(_about(claim)) != canonical(_about(expected)):
        return Check(title, "no", "it speaks of other columns than the schema does")
    if claim.checkable != expected.checkable:
        return Check(title, "no", "the manifest is wrong on whether it can be checked")
    if claim.name == ORIGINAL_TREE:
        return _attested(claim, opened.manifest, shown, figures)
    if claim.name == SAME_TREE:
        return _same_tree(claim, opened)
    return _recounted(claim, figures)


def _key(claim: Claim) -> tuple[str, Any]:
    return claim.name, claim.parameters.get("column")


def _title(name: str, column: Any) -> str:
    return f"{name} of {column}" if column else name


def _about(claim: Claim) -> dict[str, Any]:
    """The parameters of a claim, but for the kind of l, which the publisher may choose."""
    return {name: value for name, value in claim.parameters.items() if name != "kind"}


def _recounted(claim: Claim, figures: Figures) -> Check:
    title, found = _title(*_key(claim)), recount(claim, figures)
    if found is None:
        return Check(title, "no", "the files do not show this")
    if found != claim.measured or type(found) is not type(claim.measured):
        return Check(title, "no", f"claimed {claim.measured}, counted {found}")
    if claim.claimed is not None and not _is_level(claim):
        return Check(title, "no", "nobody can have asked for that")
    if not reaches(claim, found):
        return Check(title, "no", f"asked for {claim.claimed}, counted {found}")
    text = f"{found:.6g}" if isinstance(found, float) else str(found)
    return Check(
        title, "yes", text if claim.claimed is None else f"{text} (asked for {claim.claimed})"
    )


def _attested(claim: Claim, manifest: Manifest, shown: Sequence[str], figures: Figures) -> Check:
    """The few claims that no file can show: well-formed, and about what is really hidden."""
    title = _title(*_key(claim))
    column = claim.parameters.get("column")
    if claim.name == ORIGINAL_TREE:
        if claim.claimed is not True or claim.measured is not True or claim.parameters:
            return Check(title, "no", "the publisher does not attest it")
        detail = "that this is the tree of the original table, only its publisher knows"
        return Check(title, "attested", detail)
    if claim.name not in (L, T) or claim.checkable != "attested":
        return Check(title, "no", "the files do not show this")
    if column not in manifest.schema.sensitive or column in shown:
        return Check(title, "no", "it is attested of a column that is not hidden and sensitive")
    wrong = _not_a_level(claim, figures)
    if wrong:
        return Check(title, "no", wrong)
    if manifest.format == 1:
        return _attested_figure(claim, title)
    if claim.measured is not None or claim.claimed is None:
        return Check(title, "no", "of a hidden column only the level asked for is attested")
    side = "at least" if claim.name == L else "at most"
    return Check(title, "attested", f"{side} {claim.claimed}")


def _not_a_level(claim: Claim, figures: Figures) -> str:
    """Why nobody can attest so much of a hidden column; empty if somebody can."""
    column, kind = claim.parameters.get("column"), claim.parameters.get("kind")
    about = {"column": column, "kind": kind} if claim.name == L else {"column": column}
    if dict(claim.parameters) != about or (claim.name == L and kind not in KINDS):
        return "it is not said in known words what is attested"
    if claim.claimed is None:
        return ""
    if not _is_level(claim):
        return "of a hidden column only the level asked for is attested"
    too_many = claim.name == L and claim.claimed > figures.k
    return "no column can be so diverse among so few records" if too_many else ""


def _attested_figure(claim: Claim, title: str) -> Check:
    """Releases of format 1 attest measured figures of hidden columns."""
    figure = claim.measured
    if isinstance(figure, bool) or not isinstance(figure, int | float) or figure < 0:
        return Check(title, "no", "the attested figure is none")
    if claim.claimed is not None and not reaches(claim, figure):
        return Check(title, "no", "the attested figure is short of what is claimed")
    return Check(title, "attested", str(figure))


def _is_level(claim: Claim) -> bool:
    """Whether somebody can have asked for what a claim says was asked."""
    level = claim.claimed
    if isinstance(level, bool) or not isinstance(level, int | float):
        return False
    if claim.name in (K, K_WITH_TARGET):
        return isinstance(level, int) and level >= 1
    if claim.name == L:
        return level >= 1
    return claim.name == T and 0 <= level <= 1


def _same_tree(claim: Claim, opened: OpenedRelease) -> Check:
    tree, manifest = opened.tree, opened.manifest
    true = claim.claimed is True and claim.measured is True
    if not true or claim.parameters.get("leaves") != tree.n_leaves:
        return Check(SAME_TREE, "no", "the claim does not fit model.json")
    unknown = set(tree.grower.attributes or ()) - set(manifest.schema.names())
    if unknown or tree.target != manifest.schema.target:
        return Check(SAME_TREE, "no", "the grower names columns that the data do not have")
    again = grow(opened.engine, manifest.schema, tree.grower)
    outcome = compare(tree, again)
    if not outcome:
        return Check(SAME_TREE, "no", str(outcome))
    if again.grower.describe() != tree.grower.describe():
        return Check(SAME_TREE, "no", "the settings of the grower do not fit the tree")
    detail = f"{tree.n_leaves} leaves, grown again from the data{_on_lists(tree)}"
    return Check(SAME_TREE, "yes", detail)


def _on_lists(tree: Tree) -> str:
    """Whether the printed lists of categories are complete, where the tree has any."""
    subsets = [node.split for node in tree.inner if isinstance(node.split, Subset)]
    if not subsets:
        return ""
    partial = sum(bool(split.more_left or split.more_right) for split in subsets)
    if not partial:
        return "; its lists of categories are complete"
    return f"; in {partial} nodes a listed category has no released record"
