"""`privet attack recovery`: how near perturbed numbers come to be known from the release alone."""

from privet.cli.attacks.options import OriginalOption, SubstitutedArgument, tell
from privet.cli.options import JsonOption, MissingOption, SeedOption


def recovery(
    release: SubstitutedArgument,
    *,
    original: OriginalOption,
    missing: MissingOption = None,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> int:
    """Recover perturbed numbers in every way that needs nothing but the release.

    The original is drawn again by the release's matrices, so that guesses can be scored.

    Example: privet attack recovery perturbed --original people.csv
    """
    from privet.attack import by_recovery
    from privet.files.fence import fence

    with fence(release, "release"):
        found = by_recovery(release, original=original, seed=seed, missing=missing or ())
    return tell(found, json)
