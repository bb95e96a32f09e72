"""`privet measure`: a release beside its original: risk, distortion, utility for other miners."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.loading import names
from privet.cli.options import (
    CategoryOption,
    JsonOption,
    MissingOption,
    SeedOption,
    TargetOption,
    flag,
    option,
)
from privet.cli.terminal import emit_json, working
from privet.cli.verify import ReleaseArgument
from privet.schema import Kind


def measure(
    table: Annotated[
        Path, typer.Argument(metavar="ORIGINAL", help="The table that was published.")
    ],
    release: ReleaseArgument,
    *,
    target: TargetOption = None,
    test: Annotated[
        Path | None,
        option("--test", "TABLE", "Rows that were not published, to test miners on."),
    ] = None,
    audit: Annotated[
        Path | None,
        option("--audit", "FOLDER", "The audit, which says which class each row is in."),
    ] = None,
    no_utility: Annotated[
        bool, flag("--no-utility", "Leave out the miners, which need scikit-learn.")
    ] = False,
    seed: SeedOption = None,
    missing: MissingOption = None,
    category: CategoryOption = None,
    where: EngineOptions,
    json: JsonOption = False,
) -> int:
    """Measure a release beside its original: risk, distortion, utility for other miners.

    Miners learn once from the original and once from the release, and are tested on the same
    original rows. Without --test these are the published people themselves, in turn.

    Example: privet measure patients.csv patients-release --target readmitted
    """
    from privet.files.fence import fence
    from privet.release_calls import measure_release

    with where.counting(table):
        where.refuse_beside({"--audit": audit, "--test": test})
        with working("Attacking, counting and learning ..."), fence(release, "release"):
            found = measure_release(
                table,
                release,
                target=target,
                test=test,
                audit=audit,
                utility=not no_utility,
                seed=seed or 0,
                kinds=dict.fromkeys(names(category), Kind.CATEGORY),
                missing=missing or (),
            )
    if json:
        emit_json(found.to_data())
    else:
        typer.echo("\n".join(found.sentences()))
    return 0
