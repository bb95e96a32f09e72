"""`privet tree`: grow the tree of a table, draw it, write it.

The growing is done in `privet.tree`; here are the options and what is printed.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.choices import CategorySplits, Impurity, Pruning, Way
from privet.cli.options import (
    CategoryOption,
    DropOption,
    DryRunOption,
    ForceOption,
    IdentifierOption,
    JsonOption,
    MissingOption,
    SchemaOption,
    TableArgument,
    TargetOption,
    emit_json,
    load,
    names,
    read_schema,
)
from privet.cli.saving import Files
from privet.cli.tree_of_originals import Request, show_tree_of_originals, write_trees
from privet.errors import InvalidParameter, UsageError
from privet.schema import Kind, Schema

if TYPE_CHECKING:
    from privet.engine import MemoryEngine
    from privet.tree import Grower, Tree

DEFAULT_LEAVES = 16
LEAVES_TO_PRUNE = 256
MOST_DECIMAL_CLASSES = 20


def tree(
    table: TableArgument,
    target: TargetOption = None,
    impurity: Annotated[
        Impurity | None,
        typer.Option(
            "--impurity",
            metavar="NAME",
            help="entropy, gini, gain-ratio or deviance; gini for classes, deviance for numbers.",
        ),
    ] = None,
    categories: Annotated[
        CategorySplits,
        typer.Option("--categories", metavar="MODE", help="Category splits: subset or multiway."),
    ] = "subset",
    leaves: Annotated[
        int | None,
        typer.Option(
            "--leaves",
            metavar="M",
            help=f"At most M leaves; {DEFAULT_LEAVES} when nothing else limits the growth "
            f"({LEAVES_TO_PRUNE} when the tree is pruned).",
        ),
    ] = None,
    min_leaf: Annotated[
        int | None, typer.Option("--min-leaf", metavar="N", help="At least N records in a leaf.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", help="At most D splits on a path.")
    ] = None,
    min_gain: Annotated[
        float | None,
        typer.Option("--min-gain", metavar="G", help="Least gain of a split, per record."),
    ] = None,
    guard: Annotated[
        int,
        typer.Option(
            "--guard",
            metavar="G",
            help="A split depends on G records at least, so that it tells of no single one.",
        ),
    ] = 1,
    prune: Annotated[
        Pruning,
        typer.Option("--prune", metavar="METHOD", help="none, pessimistic or cost-complexity."),
    ] = "none",
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", metavar="A", help="Of cost-complexity; else cross-validated."),
    ] = None,
    drop: DropOption = None,
    identifier: IdentifierOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    schema: SchemaOption = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print each leaf as a sentence, too.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="F.png", help="Draw the tree: .png, .svg or .pdf."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="model.json", help="Write the tree, as `privet convert` does."
        ),
    ] = None,
    mechanism: Annotated[
        Path | None,
        typer.Option(
            "--mechanism",
            metavar="M.json",
            help="What `privet substitute` did to the table: grow the tree of its originals.",
        ),
    ] = None,
    way: Annotated[
        Way | None,
        typer.Option(
            "--way",
            metavar="WAY",
            help="With --mechanism: auto (default), modelled, estimated, by-class, by-node, "
            "global or perturbed.",
        ),
    ] = None,
    json: JsonOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Grow the tree of a table and draw it.

    Example: privet tree patients.csv --target outcome --drop id --leaves 8 --out model.json
    """
    from privet.files.figures import refuse_picture
    from privet.files.maskings import maskings_of
    from privet.tree import default_impurity, grow
    from privet.tree.exchange.model_file import to_data
    from privet.tree.guard import Guard

    _check_pruning(prune, alpha)
    limits = {"leaves": leaves, "depth": depth, "min_leaf": min_leaf, "min_gain": min_gain}
    limits = {name: value for name, value in limits.items() if value is not None}
    unlimited = not limits
    if unlimited:
        limits["leaves"] = DEFAULT_LEAVES if prune == "none" else LEAVES_TO_PRUNE
    settings = _grower(impurity or "gini", categories, limits)  # wrong ones are refused at once
    guarded = Guard(guard)
    inputs = (table, schema, mechanism)
    files = Files((out, picture), inputs, force, dry_run).checked()
    if picture is not None:
        refuse_picture(picture)
    if mechanism is not None or way is not None or table.is_dir():
        if guard > 1:
            raise UsageError(
                "--guard needs the records themselves, not a perturbed table.", "leave it out."
            )
        limits = {} if unlimited else limits
        dropped = [*names(drop), *names(identifier)]
        show_tree_of_originals(
            Request(table, mechanism, target, way or "auto", dropped, impurity, limits, prune),
            files,
            rules=rules,
            json=json,
        )
        return
    engine, declared = _read(
        table, target, names(drop), names(identifier), missing, category, read_schema(schema)
    )
    chosen = impurity or default_impurity(engine, declared.target)
    _refuse_classes_of_decimals(engine, declared.target, chosen)
    settings = replace(settings, impurity=chosen)

    def grown_from(source: "MemoryEngine", by: "Grower") -> "Tree":
        return grow(source, declared, by, guard=guarded)

    whole = grown_from(engine, settings)
    grown = _pruned(whole, engine, declared, settings.leaves, grown_from, prune, alpha)
    grown = replace(grown, maskings=maskings_of(table))
    write_trees(files, grown)
    if json:
        emit_json({**_figures(grown, engine), "model": to_data(grown)})
        return
    typer.echo(_in_words(grown, engine, rules))
    if prune != "none":
        typer.echo(
            f"Pruned ({prune}). A pruned tree does not grow again from its settings: "
            "to publish one, use --leaves."
        )
    elif guard > 1:
        typer.echo(
            f"Guarded ({guard}). A guarded tree does not grow again from its settings alone: "
            "`privet publish --guard` keeps one."
        )
    elif unlimited:
        typer.echo(f"Nothing else limits the growth: at most {DEFAULT_LEAVES} leaves (--leaves M).")
    for path in filter(None, files.targets):
        typer.echo(f"{files.wrote} {path}.")


def _grower(impurity: Impurity, categories: CategorySplits, limits: dict[str, Any]) -> "Grower":
    from privet.tree import Grower

    return Grower(impurity=impurity, categories=categories, **limits)


def _check_pruning(prune: Pruning, alpha: float | None) -> None:
    if alpha is not None and prune != "cost-complexity":
        raise UsageError(
            "--alpha is for cost-complexity pruning alone.", "give --prune cost-complexity as well."
        )
    if alpha is not None and not 0 <= alpha < float("inf"):
        raise InvalidParameter("--alpha", "a number from 0 on", alpha, "0.01 is a usual start.")


def _read(
    path: Path,
    target: str | None,
    drop: list[str],
    identifier: list[str],
    missing: list[str] | None,
    category: list[str] | None,
    declared: Schema | None,
) -> "tuple[MemoryEngine, Schema]":
    """The table, and the schema with the roles of the options; identifiers are not even kept."""
    from privet.calls import schema_of_tree
    from privet.engine import MemoryEngine

    if target is None and declared is None:
        raise UsageError("No target is named.", "name the response: --target COLUMN.")
    loaded = load(
        path,
        missing=missing,
        category=category,
        schema=declared,
        named={"--target": [target] if target else [], "--drop": drop, "--identifier": identifier},
    )
    schema = schema_of_tree(declared or loaded.schema(), target, identifier, drop)
    return MemoryEngine(loaded.select(schema.names())), schema


def _refuse_classes_of_decimals(engine: "MemoryEngine", target: str, impurity: str) -> None:
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
    engine: "MemoryEngine",
    schema: Schema,
    leaves: int | None,
    grown_from: Callable[["MemoryEngine", "Grower"], "Tree"],
    method: Pruning,
    alpha: float | None,
) -> "Tree":
    from privet.engine import MemoryEngine
    from privet.tree.prune import choose_alpha, prune

    penalty: Any = alpha
    if method == "cost-complexity" and alpha is None:
        # the grid and the stored orders stay those of the whole table
        again = replace(grown.grower, leaves=leaves)
        penalty = choose_alpha(
            grown, engine.table(), schema, lambda part: grown_from(MemoryEngine(part), again)
        )
    return prune(grown, method, penalty)


def _figures(grown: "Tree", engine: "MemoryEngine") -> dict[str, Any]:
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


def _in_words(grown: "Tree", engine: "MemoryEngine", with_rules: bool) -> str:
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
    count = f"{grown.n_leaves} {'leaf' if grown.n_leaves == 1 else 'leaves'}"
    lines.append(
        f"{count}, depth {grown.depth}, {grown.grower.impurity}; "
        f"training {fit} on {figures['records']:,} records."
    )
    return "\n".join(lines)
