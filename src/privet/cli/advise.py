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
    gammas: Annotated[
        str, option("--gammas", "LIST", "Values of gamma to try: 5,7.5,12.")
    ] = "5,7,9,12",
    bins: Annotated[str, option("--bins", "LIST", "Numbers of bins N to try.")] = "5,10,20,50",
    accuracy: Annotated[
        float | None,
        option(
            "--accuracy", "A", "A share of right answers to be reached, and by how many records."
        ),
    ] = None,
    way: Annotated[
        Way, option("--way", "WAY", "How trees are grown: what `privet tree` favours, or another.")
    ] = "stacked",
    plot: Annotated[
        Path | None, option("--plot", "F.png", "Accuracy against epsilon, a line for each N.")
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
    to_try = _gammas(gammas), _numbers(bins, "--bins")
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
                "majority": advice.majority,
                "records_of_a_trial": advice.records,
                "outlook": None if advice.outlook is None else advice.outlook.to_data(accuracy),
                "trials": [trial.to_data() for trial in advice.trials],
                "advised": {f"{g:g}": trial.bins for g, trial in advice.by_gamma.items()},
                "best": best.to_data() if best else None,
            }
        )
    else:
        typer.echo(_in_words(advice, plot, accuracy))
    return 1 if accuracy is not None and best is None else 0


def _in_words(advice: "Advice", plot: Path | None, accuracy: float | None) -> str:
    lines = [f"epsilon  gamma    N  entropy  {'accuracy':<15}  {'9 of 10 draws':<13}  CPU seconds"]
    for trial in advice.trials:
        mark = " *" if advice.by_gamma[trial.gamma] == trial else ""
        mark += " (commonest class may do as well)" if trial.low <= advice.majority else ""
        lines.append(
            f"{trial.epsilon:7.2f}  {trial.gamma:>5g}  {trial.bins:>3}  {trial.entropy:7.3f}  "
            f"{trial.accuracy:.4f} ± {trial.standard_error:.4f}  {trial.low:.2f} to "
            f"{trial.high:.2f}   {trial.seconds:>11.2f}{mark}"
        )
    lines.append(
        f"* the smallest N near the best of its gamma. In clear: {advice.clean:.4f}. "
        f"The commonest class alone: {advice.majority:.4f}."
    )
    lines.append(
        f"Each trial perturbed {advice.records:,} records, two thirds of the table; the others "
        "judged its trees."
    )
    if plot is not None:
        lines.append(f"Wrote {plot}.")
    lines += _advised(advice, accuracy)
    return "\n".join(lines)


def _advised(advice: "Advice", accuracy: float | None) -> list[str]:
    """What is advised, and how far that can be trusted; or why nothing is."""
    best, most = advice.best(accuracy), max(trial.accuracy for trial in advice.trials)
    if best is not None:
        said = f"--gamma {best.gamma:g} --bins {best.bins} (accuracy {best.accuracy:.4f})"
        doubt = "Warning: whoever always names the commonest class may be right as often."
        return [f"Advised: {said}.", *([doubt] if best.low <= advice.majority else [])]
    if most <= advice.majority:
        return [
            "Nothing is advised: no trial is right more often than always naming the commonest "
            "class.",
            "Hint: give more records, or try larger values with --gammas.",
        ]
    assert accuracy is not None  # or the most accurate would have been advised
    return [
        f"No trial reaches an accuracy of {accuracy}.",
        _records_needed(advice, accuracy),
        f"Hint: ask for {most:.4f} or less, or try larger values with --gammas.",
    ]


def _records_needed(advice: "Advice", accuracy: float) -> str:
    """How many records the most accurate setting would need for what no trial reaches."""
    from privet.substitution.advise import FEWEST_RECORDS

    best, outlook = advice.most_accurate, advice.outlook
    if outlook is None:
        return (
            f"How many records it needs cannot be said from trials of {advice.records:,}: it takes "
            f"{FEWEST_RECORDS}."
        )
    setting, needed = f"--gamma {best.gamma:g} --bins {best.bins}", outlook.needed(accuracy)
    if needed is None:
        return f"No number of records is expected to reach it with {setting}."
    return f"With {setting} it needs about {needed:,} records."


def _gammas(text: str) -> list[float]:
    """Any numbers above 1."""
    from privet.mechanism.matrices import exact_number
    from privet.substitution.advise import refuse_gammas

    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidParameter("gammas", "numbers above 1, such as 5,7.5,12", text)
    found = [float(exact_number(part, "gammas")) for part in parts]
    refuse_gammas(parts)
    return found


def _numbers(text: str, option: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or min(found) < 2:
        raise InvalidParameter(option, "whole numbers from 2 on, such as 5,9,12", text)
    return found
