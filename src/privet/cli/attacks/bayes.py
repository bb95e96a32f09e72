"""`privet attack bayes`: what somebody reads in perturbed records who has similar people."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.attacks.options import OriginalOption, SubstitutedArgument, tell
from privet.cli.options import JsonOption, MissingOption, SeedOption, option


def bayes(
    release: SubstitutedArgument,
    sample: Annotated[
        Path, typer.Argument(metavar="SAMPLE", help="A table of similar people, in clear.")
    ],
    *,
    original: OriginalOption,
    victims: Annotated[int, option("--victims", "N", "People whose values are guessed.")] = 1_000,
    missing: MissingOption = None,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> int:
    """Guess perturbed values with a table of similar people, who need not be in the release.

    The original is drawn again by the release's matrices, so that guesses can be scored.

    Example: privet attack bayes perturbed census.csv --original people.csv
    """
    from privet.attack import by_bayes
    from privet.files.fence import fence

    with fence(release, "release"):
        found = by_bayes(
            release,
            sample,
            original=original,
            victims=victims,
            seed=seed,
            missing=missing or (),
        )
    return tell(found, json)
