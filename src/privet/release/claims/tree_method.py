"""What the manifest says of how a tree was kept, held against the tree and the data.

That it was done so is the publisher's word. But some words the files contradict: a guard that a
split breaks, people told by boundaries that nobody can stand at, values that single precision
does not hold, choices that looked at less than they must have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from privet.exact import in_single_precision
from privet.release.checks import Check
from privet.release.claims.privacy import asks_of_sensitive
from privet.release.claims.recoding import RECODINGS
from privet.release.manifest import Manifest
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.release.regrow import GROWN_BY, is_sound
from privet.schema import Role
from privet.tree.model import Tree

METHOD_NAME = "tree-preserving"
MORE_GROWERS = "more_growers"


def more_growers(trees: Sequence[Tree]) -> dict[str, Any]:
    """What the manifest says of how further trees were grown; nothing where there is one."""
    growers = [tree.grower.describe() for tree in trees[1:]]
    return {MORE_GROWERS: growers} if growers else {}


def method_check(opened: OpenedRelease) -> Check:
    """What was done is said in full and in known words, and the files do not contradict it."""
    manifest = opened.manifest
    told = dict(manifest.method)
    words: dict[str, bool] = {
        "name": told.get("name") == METHOD_NAME,
        "recoding": told.get("recoding") in RECODINGS,
        "float32_safe": isinstance(told.get("float32_safe"), bool),
    }
    if manifest.format > 1:
        records, counted = opened.table.n_rows, opened.table.n_rows * len(opened.trees)
        words["guard"] = _is_count(told.get("guard"), least=1, most=records)
        words["told_by_boundaries"] = _is_count(told.get("told_by_boundaries"), most=counted)
        words["narrowed_by_boundaries"] = _is_count(
            told.get("narrowed_by_boundaries"), most=counted
        )
        words["chosen_by"] = _looked_as_it_must(told.get("chosen_by"), manifest)
        words["stopped_by_clock"] = told.get("stopped_by_clock", True) is True
        words[MORE_GROWERS] = isinstance(told.get(MORE_GROWERS, []), list)
        words[GROWN_BY] = GROWN_BY not in told or is_sound(told[GROWN_BY], len(opened.trees))
    if not set(told) <= set(words) or not all(words.values()):
        return Check("method", "no", "the manifest does not say in known words what was done")
    if told["float32_safe"] and not _holds_single_precision(opened):
        return Check("method", "no", "single precision does not hold the released values")
    if manifest.format == 1:
        return Check("method", "yes", f"{METHOD_NAME}, {told['recoding']} recoding")
    said = f"grown with a guard of {told['guard']}; {told['told_by_boundaries']} told by boundaries"
    wrong = _against_guard(opened, told)
    return Check("method", "no", wrong) if wrong else Check("method", "attested", said)


def _is_count(value: Any, least: int = 0, *, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _looked_as_it_must(choices: Any, manifest: Manifest) -> bool:
    """Which columns each choice looked at: splits and values follow the target at least, and what
    l or t was asked of wherever leaves were grown to be diverse."""
    if not isinstance(choices, Mapping) or set(choices) != {"splits", "leaves", "values"}:
        return False
    targets = list(manifest.schema.names(Role.TARGET))
    asked = asks_of_sensitive(manifest)
    all_of_them = list(dict.fromkeys([*targets, *(manifest.schema.sensitive if asked else ())]))
    possible: tuple[Sequence[str], ...] = (targets, all_of_them)
    splits = (all_of_them,) if manifest.method.get("recoding") != "global" else possible
    return (
        choices["splits"] in splits
        and choices["leaves"] in ([], *possible)
        and choices["values"] in possible
    )


def _holds_single_precision(opened: OpenedRelease) -> bool:
    """Whether the values that columns have by leaf are the same in single precision."""
    if opened.manifest.method.get("recoding") == "global":
        return False
    entries = {c.name: entry_of(opened.manifest.recoding, c.name) for c in opened.manifest.schema}
    by_records = [
        column.name
        for column in opened.manifest.schema
        if column.kind.is_ordered
        and ("by_leaf" in entries[column.name] or "fill" in entries[column.name])
    ]
    return all(in_single_precision(opened.table[n].domain.values).all() for n in by_records)


def _against_guard(opened: OpenedRelease, told: Mapping[str, Any]) -> str:
    """Where the tree contradicts its guard; columns as they were have none."""
    guard = told["guard"]
    counted = told["told_by_boundaries"] + told["narrowed_by_boundaries"]
    if counted > opened.table.n_rows * len(opened.trees):
        return "more people are told by boundaries than there are"
    unguarded = False
    for tree, node in [(one, node) for one in opened.trees for node in one.inner]:
        assert node.split is not None
        treatment = entry_of(opened.manifest.recoding, node.split.attribute).get("treatment")
        if treatment == "kept":
            unguarded = True
        elif any(tree.records(tree.nodes[child]) < guard for child in node.children):
            return "a split has fewer records on a side than the guard asks for"
    if guard > 1 and counted and not unguarded:
        return "with this guard nobody can be told by boundaries"
    return ""
