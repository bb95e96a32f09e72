"""`privet advise`: which gamma and how many bins, tried on a table or a stand-in for it.

The trials are made in `privet.substitution.advise`; here are the options and what is printed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.choices import Way
from privet.cli.loading import load_for_tree
from privet.cli.options import (
    DropOption,
    ForceOption,
    IdentifierOption,
    JsonOption,
    ReadingOptions,
    TableArgument,
    TargetOption,
    option,
)
from privet.cli.saving import Files
from privet.cli.terminal import emit_json, working
from privet.errors import InvalidParameter

if TYPE_CHECKING:
    from privet.substitution.advise import Advice


def advise(
    table: TableArgument,
    *,
    target: TargetOption = None,
    gammas: Annotated[str, option("--gammas", "LIST", "Values of gamma to try.")] = "5,7,9,12",
    bins: Annotated[str, option("--bins", "LIST", "Numbers of bins N to try.")] = "5,10,20,50",
    accuracy: Annotated[
        float | None, option("--accuracy", "A", "A share of right answers to be reached.")
    ] = None,
    way: Annotated[Way, option("--way", "WAY", "How trees are grown, as in `privet tree`.")] = (
        "by-class"
    ),
    plot: Annotated[
        Path | None, option("--plot", "F.png", "Accuracy, gamma and N against entropy.")
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Draws of the trials.")] = 0,
    drop: DropOption = None,
    identifier: IdentifierOption = None,
    reading: ReadingOptions,
    json: JsonOption = False,
    force: ForceOption = False,
) -> int:
    """Try gamma and the number of bins before anything is handed out.

    Exit status 1 if --accuracy is given and no trial reaches it.

    Example: privet advise people.csv --target class --accuracy 0.85 --plot advice.png
    """
    from privet.files.figures import refuse_picture
    from privet.report.advice import advice_picture
    from privet.substitution.advise import advise as tried
    from privet.substitution.advise import refuse_accuracy

    files = Files((plot,), (table, reading.schema), force).checked()
    if plot is not None:
        refuse_picture(plot)
    refuse_accuracy(accuracy)
    to_try = _numbers(gammas, "--gammas"), _numbers(bins, "--bins")
    loaded, schema = load_for_tree(table, reading, target, identifier, drop)
    with working("Trying gamma and bins"):
        advice = tried(loaded, schema, *to_try, way, seed)
    if plot is not None:
        files.write({plot: advice_picture(advice, plot.suffix, accuracy)})
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
        most = max(trial.accuracy for trial in advice.trials)
        wish = f"ask for {most:.4f} or less, or try larger values with --gammas."
        return "\n".join([*lines, f"No trial reaches an accuracy of {accuracy}.", f"Hint: {wish}"])
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
