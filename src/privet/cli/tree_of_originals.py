"""What `privet tree --mechanism` does: the tree of the originals, grown from perturbed records.

`tree` has the options and hands them over as a `Request`; the ways are in `privet.substitution`.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from privet.cli.choices import Way
from privet.cli.options import ReadingOptions
from privet.cli.outlook import in_words
from privet.cli.rebuild import read_perturbed, target_of_release
from privet.cli.saving import Files
from privet.cli.terminal import emit_json, working
from privet.cli.tree_options import GrowthOptions, PruningOptions
from privet.errors import UsageError
from privet.words import count

if TYPE_CHECKING:
    from privet.substitution import Chosen
    from privet.substitution.outlook import Outlook
    from privet.tree import Tree

_TELLS_NOTHING = 0.5  # as a standard error of a share: any share may be the true one


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    table: Path
    mechanism: Path | None
    target: str | None
    way: Way
    drop: list[str]
    growth: GrowthOptions
    pruning: PruningOptions
    accuracy: float | None = None
    reading: ReadingOptions = field(default_factory=ReadingOptions)


def show_tree_of_originals(
    request: Request,
    files: Files,
    *,
    rules: bool,
    json: bool,
) -> None:
    """Grow the tree, write it, draw it, and say how it was made."""
    from privet.tree.exchange.model_file import to_data
    from privet.tree.exchange.pictures import draw_text
    from privet.tree.rules import rules as rules_of

    with working("Growing the tree of the originals"):
        chosen, outlook = _grown(request)
    write_trees(files, chosen.tree)
    if json:
        scores = {way: score.to_data() for way, score in chosen.scores.items()}
        figures = {"leaves": chosen.tree.n_leaves, "depth": chosen.tree.depth}
        expected = None if outlook is None else outlook.to_data(request.accuracy)
        told = {**figures, "way": chosen.way, "scores": scores, "outlook": expected}
        emit_json({**told, "model": to_data(chosen.tree)})
        return
    typer.echo(draw_text(chosen.tree))
    if rules:
        typer.echo("\n".join(f"{rule.sentence}." for rule in rules_of(chosen.tree)))
    typer.echo("")
    for way, score in chosen.scores.items():
        unbiased = (
            f"unbiased {score.unbiased:.3f} ± {score.standard_error:.3f}"
            if score.standard_error < _TELLS_NOTHING
            else "without bias nothing can be told"
        )
        typer.echo(f"{way:<10} {score.accuracy:.3f} right on rebuilt held-out records ({unbiased})")
    leaves = count(chosen.tree.n_leaves, "leaf", "leaves")
    typer.echo(
        f"{leaves}, depth {chosen.tree.depth}, grown {chosen.way}. "
        "Counts in the tree are estimates of the originals."
    )
    for line in in_words(outlook, request.accuracy):
        typer.echo(line)
    for path in filter(None, files.targets):
        typer.echo(f"{files.wrote} {path}.")


def write_trees(files: Files, tree: "Tree") -> None:
    """The tree under each name, as its end says; model.json where it says nothing."""
    from privet.tree.exchange.model_file import to_text
    from privet.tree.exchange.write import TREES_WRITTEN, tree_bytes

    files.write(
        {
            path: tree_bytes(tree, path) if path.suffix.lower() in TREES_WRITTEN else to_text(tree)
            for path in files.targets
            if path is not None
        }
    )


def _grown(request: Request) -> "tuple[Chosen, Outlook | None]":
    from privet.substitution import grow_from_perturbed
    from privet.substitution.advise import refuse_accuracy
    from privet.substitution.outlook import outlook_for
    from privet.substitution.ways import settings_for_perturbed

    if request.mechanism is None and not request.table.is_dir():
        raise UsageError(
            "--way needs to know what was done to the table.", "give --mechanism M.json as well."
        )
    _refuse_what_decides_nothing(request)
    refuse_accuracy(request.accuracy)
    target = request.target or target_of_release(request.table)
    if target is None:
        raise UsageError("No target is named.", "name the response: --target COLUMN.")
    if target in request.drop:
        raise UsageError(
            f"The target '{target}' is dropped or an identifier as well.",
            "leave it out of --drop and --identifier.",
        )
    loaded, mechanism = read_perturbed(request.table, request.mechanism, target)
    schema = loaded.schema().with_roles(target=target).without(request.drop)
    impurity = request.growth.impurity
    changes = request.growth.limits | ({"impurity": impurity} if impurity else {})
    grower = replace(settings_for_perturbed(loaded.n_rows), **changes) if changes else None
    chosen = grow_from_perturbed(loaded, mechanism, schema, grower, request.way)
    return chosen, outlook_for(loaded, mechanism, schema, chosen.tree)


def _refuse_what_decides_nothing(request: Request) -> None:
    """Options that a tree of originals has no use for."""
    if request.reading != ReadingOptions():
        raise UsageError(
            "Perturbed records are read as their mechanism says.",
            "leave out --schema, --missing and --category.",
        )
    if request.growth.categories != "subset" or request.growth.mdl:
        raise UsageError(
            "A tree of originals has no --categories multiway and no --mdl.", "leave them out."
        )
    if request.growth.guard > 1:
        raise UsageError(
            "--guard needs the records themselves, not a perturbed table.", "leave it out."
        )
    if request.pruning.prune not in (None, "none"):
        raise UsageError(
            "A tree of originals is not pruned: its counts are estimates.", "use --min-leaf."
        )
    if request.growth.impurity == "deviance":
        raise UsageError(
            "Perturbed records grow trees of classes, not of numbers.", "leave out --impurity."
        )
