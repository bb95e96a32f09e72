"""`privet advise`: which gamma and how many bins, tried on a table or a stand-in for it.

The trials are made in `privet.substitution.advise`; here are the options and what is printed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.choices import Way
from privet.cli.options import (
    CategoryOption,
    DropOption,
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
    working,
)
from privet.cli.saving import Files
from privet.errors import InvalidParameter, UsageError

if TYPE_CHECKING:
    from privet.substitution.advise import Advice


def advise(
    table: TableArgument,
    target: TargetOption = None,
    gammas: Annotated[
        str, typer.Option("--gammas", metavar="LIST", help="Values of gamma to try.")
    ] = "5,7,9,12",
    bins: Annotated[
        str, typer.Option("--bins", metavar="LIST", help="Numbers of bins N to try.")
    ] = "5,10,20,50",
    accuracy: Annotated[
        float | None,
        typer.Option("--accuracy", metavar="A", help="A share of right answers to be reached."),
    ] = None,
    way: Annotated[
        Way, typer.Option("--way", metavar="WAY", help="How trees are grown, as in `privet tree`.")
    ] = "by-class",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="F.png", help="Accuracy, gamma and N against entropy."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Draws of the trials.")] = 0,
    drop: DropOption = None,
    identifier: IdentifierOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    schema: SchemaOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> int:
    """Try gamma and the number of bins before anything is handed out.

    Exit status 1 if --accuracy is given and no trial reaches it.

    Example: privet advise people.csv --target class --accuracy 0.85 --plot advice.png
    """
    from privet.calls import schema_of_tree
    from privet.files.figures import refuse_picture
    from privet.report.advice import advice_picture
    from privet.substitution.advise import advise as tried

    files = Files((plot,), (table, schema), force).checked()
    if plot is not None:
        refuse_picture(plot)
    declared = read_schema(schema)
    if target is None and declared is None:
        raise UsageError("No target is named.", "name the response: --target COLUMN.")
    gone = [*names(drop), *names(identifier)]
    named = {"--target": [target] if target else [], "--drop or --identifier": gone}
    loaded = load(table, missing=missing, category=category, schema=declared, named=named)
    described = schema_of_tree(declared or loaded.schema(), target, None, gone)
    loaded = loaded.select(described.names())
    with working("Trying gamma and bins"):
        advice = tried(
            loaded,
            described,
            _numbers(gammas, "--gammas"),
            _numbers(bins, "--bins"),
            way,
            seed,
        )
    if plot is not None:
        files.write({plot: advice_picture(advice, plot.suffix)})
    best = advice.best(accuracy)
    if json:
        emit_json(
            {
                "clean_accuracy": advice.clean,
                "trials": [trial.to_data() for trial in advice.trials],
                "advised": {str(g): trial.bins for g, trial in advice.by_gamma.items()},
                "best": best.to_data() if best else None,
            }
        )
    else:
        typer.echo(_in_words(advice, plot, accuracy))
    return 0 if best else 1


def _in_words(advice: "Advice", plot: Path | None, accuracy: float | None) -> str:
    lines = ["gamma   N  entropy  accuracy  CPU seconds  matrix bytes"]
    for trial in advice.trials:
        mark = " *" if advice.by_gamma[trial.gamma] == trial else ""
        lines.append(
            f"{trial.gamma:>5}  {trial.bins:>3}  {trial.entropy:7.3f}  {trial.accuracy:8.4f}  "
            f"{trial.seconds:11.2f}  {trial.matrix_bytes:>12,}{mark}"
        )
    lines.append(f"* the smallest N near the best of its gamma. In clear: {advice.clean:.4f}.")
    if plot is not None:
        lines.append(f"Wrote {plot}.")
    best = advice.best(accuracy)
    if best is None:
        return "\n".join([*lines, f"No trial reaches an accuracy of {accuracy}."])
    advised = f"--gamma {best.gamma} --bins {best.bins} (accuracy {best.accuracy:.4f})"
    return "\n".join([*lines, f"Advised: {advised}."])


def _numbers(text: str, option: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or min(found) < 2:
        raise InvalidParameter(option, "whole numbers from 2 on, such as 5,9,12", text)
    return found
