"""The claims of a release with its tree: k, l and t as counted, and that the same tree grows again.

What is claimed of equivalence classes is next door (`privacy`). That the tree is that of the
original table is attested.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privet.release.checks import SAME_TREE, Check
from privet.release.claims.figures import (
    GUESSED,
    ONE_CLASS,
    ONE_CLASS_RECORDS,
    ORIGINAL_TREE,
    Figures,
    count_figures,
)
from privet.release.claims.model import model_checks
from privet.release.claims.privacy import (
    by_key,
    judged,
    key_of,
    made_once,
    privacy_claims,
    says_otherwise,
    shown_sensitive,
    title_of,
)
from privet.release.claims.recoding import recoding_checks
from privet.release.claims.rich import MARGIN, WITHIN_LEAVES, rich_checks
from privet.release.claims.tree_method import METHOD_NAME, method_check
from privet.release.claims.tree_titles import TREE, about_tree
from privet.release.layout import MODEL
from privet.release.manifest import Claim, Manifest
from privet.release.opened import OpenedRelease
from privet.roles import with_one_target
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
    trees: Sequence[Tree],
) -> tuple[Claim, ...]:
    """All claims of a release with its trees."""
    claims = privacy_claims(figures, schema, shown, asked)
    for number, tree in enumerate(trees, start=1):
        which = about_tree(number, tree)
        claims.append(Claim(SAME_TREE, {"leaves": tree.n_leaves, **which}, True, True, "release"))
        claims.append(Claim(ORIGINAL_TREE, which, True, True, "attested"))
    return tuple(claims)


# -- what the files show ---------------------------------------------------------------------------


def checks(opened: OpenedRelease) -> Iterator[Check]:
    """What the files show of each claim."""
    manifest, schema = opened.manifest, opened.manifest.schema
    yield method_check(opened)
    yield from recoding_checks(opened)
    yield from model_checks(opened)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = count_figures(opened.engine, schema.quasi, schema.names(Role.TARGET), shown)
    usual = by_key(claims_of(figures, schema, shown, {}, opened.trees))
    if manifest.format == 1:  # claimed less
        later = [ONE_CLASS_RECORDS, GUESSED, *([ONE_CLASS] if opened.tree.is_regression else [])]
        usual = {key: claim for key, claim in usual.items() if key[0] not in later}
    yield from made_once(usual, manifest)
    rich = manifest.recoding.get("method") == "rich"
    if rich:
        yield from rich_checks(opened)
    for claim in manifest.claims:
        if rich and claim.name in (MARGIN, WITHIN_LEAVES):
            continue
        if claim.name in (SAME_TREE, ORIGINAL_TREE) and key_of(claim) in usual:
            yield says_otherwise(claim, usual[key_of(claim)]) or _on_the_tree(claim, opened)
        else:
            yield judged(claim, usual, figures, manifest, shown)


def _on_the_tree(claim: Claim, opened: OpenedRelease) -> Check:
    if claim.name == SAME_TREE:
        return _same_tree(claim, opened)
    title = title_of(key_of(claim))
    if claim.claimed is not True or claim.measured is not True:
        return Check(title, "no", "the publisher does not attest it")
    detail = "that this is the tree of the original table, only its publisher knows"
    return Check(title, "attested", detail)


def _same_tree(claim: Claim, opened: OpenedRelease) -> Check:
    tree, schema = opened.trees[claim.parameters.get(TREE, 1) - 1], opened.manifest.schema
    title = title_of(key_of(claim))
    true = claim.claimed is True and claim.measured is True
    if not true or claim.parameters.get("leaves") != tree.n_leaves:
        return Check(title, "no", "the claim does not fit model.json")
    targets = schema.names(Role.TARGET)
    unknown = set(tree.grower.attributes or ()) - (set(schema.names()) - set(targets))
    if unknown or set(targets) != {one.target for one in opened.trees}:
        return Check(title, "no", "the grower names columns that the data do not have")
    again = grow(opened.engine, with_one_target(schema, tree.target), tree.grower)
    outcome = compare(tree, again)
    if not outcome:
        return Check(title, "no", str(outcome))
    if again.grower.describe() != tree.grower.describe():
        return Check(title, "no", "the settings of the grower do not fit the tree")
    detail = f"{tree.n_leaves} leaves, grown again from the data{_on_lists(tree)}"
    return Check(title, "yes", detail)


def _on_lists(tree: Tree) -> str:
    """Whether the printed lists of categories are complete, where the tree has any."""
    subsets = [node.split for node in tree.inner if isinstance(node.split, Subset)]
    if not subsets:
        return ""
    partial = sum(bool(split.more_left or split.more_right) for split in subsets)
    if not partial:
        return "; its lists of categories are complete"
    return f"; in {partial} nodes a listed category has no released record"
