"""`privet verify`: every claim of a release that its files can show, checked from them alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.options import JsonOption, option
from privet.cli.terminal import emit_json, working

if TYPE_CHECKING:
    from privet.release.checks import Verification
    from privet.tree.foreign import Agreement

ReleaseArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a release.")]


def verify(
    folder: ReleaseArgument,
    *,
    fingerprint: Annotated[
        str | None,
        option(
            "--fingerprint",
            "HEX",
            "The fingerprint that the publisher gave out; covers the manifest itself.",
        ),
    ] = None,
    grower: Annotated[
        str | None,
        option(
            "--with",
            "PROGRAM",
            "Have every tree grown by another program as well: privet, sklearn, rpart or weka.",
        ),
    ] = None,
    where: EngineOptions,
    json: JsonOption = False,
) -> int:
    """Check a release: hashes, privacy counted again, the tree grown again and compared.

    The exit status is 0 if nothing is found wrong, and 1 if anything is. With --with, it is 0 as
    well if the other program breaks a tie otherwise, and 2 if it cannot express the settings.

    Example: privet verify patients-release --fingerprint 4be1...
    """
    from privet.release import verify as verify_release

    if grower is not None:
        from privet.tree.foreign import require

        require(grower)  # before any work
    with where.counting(folder):
        if grower is not None:
            where.must_be_memory(f"What {grower} is given")
        with working("Counting again and growing the tree again ..."):
            outcome = verify_release(folder, fingerprint)
        others = _grown_by(folder, grower) if grower is not None and outcome.holds else []
    status = _worst(others) if outcome.holds else 1
    if json:
        emit_json(outcome.to_data() | _other_data(grower, others))
        return status
    _say(outcome, fingerprint)
    for number, other in enumerate(others, start=1):
        _tell(other, f"tree {number}: " if len(others) > 1 else "")
    return status


def _say(outcome: "Verification", fingerprint: str | None) -> None:
    """Every check in a line, and the answer."""
    width = max(len(check.name) for check in outcome.checks)
    words = {"yes": "yes     ", "no": "NO      ", "attested": "attested"}
    for check in outcome.checks:
        typer.echo(f"{words[check.answer]}  {check.name:<{width}}  {check.detail}")
    typer.echo("")
    if not outcome.holds:
        wrong = sum(check.answer == "no" for check in outcome.checks)
        typer.echo(f"NO: {wrong} of {len(outcome.checks)} checks failed.")
        return
    typer.echo("YES: everything that the files can show holds.")
    if any(check.answer == "attested" for check in outcome.checks):
        typer.echo("What is marked attested rests on the publisher's word.")
    if fingerprint is None:
        typer.echo("Without --fingerprint, nobody has checked that this is the release announced.")


def _grown_by(folder: Path, program: str) -> "list[Agreement]":
    from privet.release.verify_with import verify_each_with

    with working(f"Waiting for {program} to grow its tree ..."):
        return verify_each_with(folder, program)


def _worst(others: "list[Agreement]") -> int:
    """The exit status of all answers: another tree is worse than one that cannot be told."""
    statuses = [other.exit_status for other in others]
    return 1 if 1 in statuses else max(statuses, default=0)


def _tell(other: "Agreement", which: str) -> None:
    answers = {
        "same": f"YES: {other.program} grows the same tree.",
        "same, with help": f"YES, with help: {other.program} finds every split of this "
        "tree, but cannot grow it by itself.",
        "tie": f"YES: {other.program} grows the same tree up to a tie.",
        "different": f"NO: {other.program} grows another tree.",
        "inexpressible": f"OPEN: {other.program} cannot be told to grow this tree.",
    }
    typer.echo("")
    typer.echo(which + answers[other.outcome])
    for line in (other.detail, *other.remarks):
        typer.echo(f"  {line}")


def _other_data(program: str | None, others: "list[Agreement]") -> dict[str, Any]:
    """What --with adds for machines; nothing is grown from a release that does not hold."""
    if program is None:
        return {}
    if not others:
        return {"with": program, "outcome": None, "detail": "the release does not hold"}
    first, *more = (other.to_data() for other in others)
    return first | ({"more_trees": more} if more else {})
