"""`privet attack repetition`: whether perturbing released values again leads back."""

from typing import Annotated

from privet.cli.attacks.options import SubstitutedArgument, tell
from privet.cli.options import JsonOption, option


def repetition(
    release: SubstitutedArgument,
    *,
    times: Annotated[int, option("--times", "N", "Draws, one after another.")] = 20,
    json: JsonOption = False,
) -> int:
    """Draw released values again and again, and see whether that leads back.

    Example: privet attack repetition perturbed
    """
    from privet.attack import by_repetition
    from privet.files.fence import fence

    with fence(release, "release"):
        found = by_repetition(release, times=times)
    return tell(found, json)
