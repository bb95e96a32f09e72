"""`privet tree`: grow the tree of a table, draw it, write it.

The growing is done in `privet.tree`; here are the options and what is printed. A table that was
perturbed, or a release, goes on to `tree_of_originals`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import Way
from privet.cli.engine_options import EngineOptions
from privet.cli.loading import load_for_tree, names
from privet.cli.options import (
    DropOption,
    DryRunOption,
    ForceOption,
    IdentifierOption,
    JsonOption,
    ReadingOptions,
    TableArgument,
    TargetOption,
    flag,
    option,
)
from privet.cli.outlook import AccuracyOption
from privet.cli.saving import Files
from privet.cli.terminal import emit_json
from privet.cli.tree_of_originals import Request, show_tree_of_originals, write_trees
from privet.cli.tree_options import DEFAULT_LEAVES, GrowthOptions, PruningOptions
from privet.errors import UsageError
from privet.schema import Kind, Schema
from privet.words import count

if TYPE_CHECKING:
    from privet.engine import Engine
    from privet.tree import Grower, Tree

MOST_DECIMAL_CLASSES = 20


def tree(
    table: TableArgument,
    *,
    target: TargetOption = None,
    growth: GrowthOptions,
    pruning: PruningOptions,
    drop: DropOption = None,
    identifier: IdentifierOption = None,
    reading: ReadingOptions,
    where: EngineOptions,
    rules: Annotated[bool, flag("--rules", "Print each leaf as a sentence, too.")] = False,
    picture: Annotated[
        Path | None, option("--picture", "F.png", "Draw the tree: .png, .svg or .pdf.")
    ] = None,
    out: Annotated[
        Path | None, option("--out", "model.json", "Write the tree, as `privet convert` does.")
    ] = None,
    mechanism: Annotated[
        Path | None,
        option(
            "--mechanism",
            "M.json",
            "What `privet substitute` did to the table: grow the tree of its originals.",
        ),
    ] = None,
    way: Annotated[
        Way | None,
        option(
            "--way",
            "WAY",
            "With --mechanism: auto (default), stacked, modelled, estimated, by-class, by-node, "
            "global or perturbed.",
        ),
    ] = None,
    accuracy: AccuracyOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Grow the tree of a table and draw it.

    Example: privet tree patients.csv --target outcome --drop id --leaves 8 --out model.json
    """
    from privet.engine import engine_of
    from privet.files.figures import refuse_picture
    from privet.files.maskings import maskings_of
    from privet.tree.exchange.model_file import to_data

    pruning.check()
    growth.check()
    files = Files((out, picture), (table, reading.schema, mechanism), force, dry_run).checked()
    if picture is not None:
        refuse_picture(picture)
    if mechanism is not None or way is not None or table.is_dir():
        where.must_be_memory("The tree of originals")
        dropped = [*names(drop), *names(identifier)]
        request = Request(
            table, mechanism, target, way or "auto", dropped, growth, pruning, accuracy, reading
        )
        show_tree_of_originals(request, files, rules=rules, json=json)
        return
    with where.counting(table):
        if accuracy is not None:
            raise UsageError(
                "--accuracy asks what perturbed records can carry; this table was not perturbed.",
                "give --mechanism M.json as well, or leave it out.",
            )
        loaded, schema = load_for_tree(table, reading, target, identifier, drop)
        engine = engine_of(loaded)
        grown = replace(_grown(engine, schema, growth, pruning), maskings=maskings_of(table))
        write_trees(files, grown)
        if json:
            emit_json({**_figures(grown, engine), "model": to_data(grown)})
            return
        typer.echo(_in_words(grown, engine, rules))
    for line in _remarks(growth, pruning):
        typer.echo(line)
    for path in filter(None, files.targets):
        typer.echo(f"{files.wrote} {path}.")


def _grown(
    engine: "Engine", schema: Schema, growth: GrowthOptions, pruning: PruningOptions
) -> "Tree":
    """The tree of the table, pruned where that is asked for."""
    from privet.tree import default_impurity, grow
    from privet.tree.guard import Guard

    impurity = growth.impurity or default_impurity(engine, schema.target)
    _refuse_classes_of_decimals(engine, schema.target, impurity)
    method = pruning.method(growth)
    settings = growth.grower(impurity, method != "none", engine.n_rows())
    guard = Guard(growth.guard)

    def grown_from(source: "Engine", by: "Grower") -> "Tree":
        return grow(source, schema, by, guard=guard)

    whole = grown_from(engine, settings)
    asked = replace(pruning, prune=method)
    return _pruned(whole, engine, schema, settings.leaves, grown_from, asked)


def _remarks(growth: GrowthOptions, pruning: PruningOptions) -> Iterator[str]:
    """What somebody who wants to publish the tree, or more leaves, should know."""
    method = pruning.method(growth)
    if method != "none":
        yield (
            f"Pruned ({method}). A pruned tree does not grow again from its settings: "
            "to publish one, use --leaves."
        )
    elif growth.guard > 1:
        yield (
            f"Guarded ({growth.guard}). A guarded tree does not grow again from its settings "
            "alone: `privet publish --guard` keeps one."
        )
    elif not growth.limits:
        yield f"Nothing else limits the growth: at most {DEFAULT_LEAVES} leaves (--leaves M)."


def _refuse_classes_of_decimals(engine: "Engine", target: str, impurity: str) -> None:
    domain = engine.domain(target)
    if impurity == "deviance" or domain.kind is not Kind.DECIMAL:
        return
    if domain.size > MOST_DECIMAL_CLASSES:
        raise UsageError(
            f"The target '{target}' holds {domain.size} different decimals; "
            f"--impurity {impurity} is for classes.",
            f"use --impurity deviance, or --category {target} if the numbers are labels.",
        )


def _pruned(
    grown: "Tree",
    engine: "Engine",
    schema: Schema,
    leaves: int | None,
    grown_from: Callable[["Engine", "Grower"], "Tree"],
    pruning: PruningOptions,
) -> "Tree":
    from privet.engine import MemoryEngine
    from privet.tree.prune import choose_alpha, prune

    penalty: Any = pruning.alpha
    if pruning.prune == "cost-complexity" and penalty is None:
        # the grid and the stored orders stay those of the whole table
        again = replace(grown.grower, leaves=leaves)
        penalty = choose_alpha(
            grown, engine.table(), schema, lambda part: grown_from(MemoryEngine(part), again)
        )
    return prune(grown, pruning.prune or "none", penalty)


def _figures(grown: "Tree", engine: "Engine") -> dict[str, Any]:
    from privet.tree.accuracy import training_accuracy, training_r2

    figures: dict[str, Any] = {
        "leaves": grown.n_leaves,
        "depth": grown.depth,
        "records": grown.records(grown.root),
    }
    if grown.is_regression:
        figures["r2"] = training_r2(grown, engine)
    else:
        figures["accuracy"] = training_accuracy(grown)
    return {**figures, "target": grown.target, "impurity": grown.grower.impurity}


def _in_words(grown: "Tree", engine: "Engine", with_rules: bool) -> str:
    from privet.tree.exchange.pictures import draw_text
    from privet.tree.rules import rules

    lines = [draw_text(grown), ""]
    if with_rules:
        missing = [name for name in engine.columns() if engine.domain(name).missing]
        lines += [f"{rule.sentence}." for rule in rules(grown, missing)]
        lines.append("")
    figures = _figures(grown, engine)
    fit = (
        f"R2 {figures['r2']:.4f}" if grown.is_regression else f"accuracy {figures['accuracy']:.4f}"
    )
    leaves = count(grown.n_leaves, "leaf", "leaves")
    lines.append(
        f"{leaves}, depth {grown.depth}, {grown.grower.impurity}; "
        f"training {fit} on {figures['records']:,} records."
    )
    return "\n".join(lines)
