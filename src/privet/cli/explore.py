"""`privet explore`: what every size of the tree would give, before publishing."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.loading import load_with_roles
from privet.cli.options import (
    ForceOption,
    JsonOption,
    ReadingOptions,
    RoleOptions,
    TableArgument,
    flag,
    option,
)
from privet.cli.publish_options import AskedOptions
from privet.cli.saving import Files
from privet.cli.terminal import bar, emit_json
from privet.errors import in_options

if TYPE_CHECKING:
    from privet.preserve.exploration import Exploration


def explore(
    table: TableArgument,
    *,
    k: Annotated[int, option("-k", "K", "Mark the sizes that reach K.")] = 1,
    roles: RoleOptions,
    asked: AskedOptions,
    reading: ReadingOptions,
    where: EngineOptions,
    plot: Annotated[
        Path | None, option("--plot", "F.png", "Also draw it, to .png or .svg.")
    ] = None,
    exact: Annotated[
        bool, flag("--exact", "Work out every size as publish would; by leaf that takes longer.")
    ] = False,
    json: JsonOption = False,
    force: ForceOption = False,
) -> int:
    """Show what each size of the tree would give: privacy, accuracy, what is kept of the columns.

    The size that `privet publish` would take is marked. Where none passes, that is said, and the
    sizes are shown as if nothing had been asked for.

    told: people alone next to a threshold or with a category, whose target the tree tells.

    one-class: the share of records whose equivalence class has one target value only.

    columns off, pairs off: how far the released columns are from the original ones, one by one and
    in pairs; 0 is alike.

    repaired: columns in which cells had to be changed so that the same tree grows.

    ~: with --recoding leaf, a size of more than 12 leaves that was worked out quickly. The tree and
    its accuracy are those that publish would give, privacy and columns may come out a little
    different. With --exact they do not. Of more than 64 leaves only the sizes that publish tries
    are shown, each exactly.

    With several trees (--tree) the leaves of a line are the most that one of them may have. From
    the marked line on, each tree in turn takes one more split while the table still passes.

    Example: privet explore patients.csv --target readmitted --identifier patient_id
    --sensitive diagnosis -k 10 --plot trade-off.png
    """
    from privet.files.figures import refuse_picture
    from privet.preserve.explore import explore as try_all

    settings = asked.settings(k)
    files = Files((plot,), (table, reading.schema), force).checked()
    if plot is not None:
        refuse_picture(plot)
    more = settings.more_targets
    with where.counting(table):
        loaded, schema = load_with_roles(
            table, reading, roles, more_targets=more, person=settings.person
        )
        with bar("Trying every size of the tree ...", 1, shown=True) as step:
            found = try_all(
                loaded,
                schema,
                settings,
                step and (lambda done, sizes: step(done / sizes)),
                exact=exact,
            )
    if plot is not None:
        from privet.report.trade_off import trade_off_picture

        files.write({plot: trade_off_picture(found, plot.suffix)})
    if json:
        sizes = [asdict(line) for line in found.lines]
        chosen: dict[str, Any] = {"chosen": found.chosen}
        chosen |= {"chosen_globally": found.chosen_globally}
        chosen |= {"chosen_leaves": found.chosen_leaves}
        cut = {"cut_short": True} if found.cut_short else {}
        emit_json({"measure": found.measure, **chosen, **cut, "sizes": sizes} | _refusal(found))
    else:
        typer.echo(_as_table(found))
    return 1 if found.chosen is None else 0


def _refusal(found: "Exploration") -> dict[str, str]:
    return {"refusal": in_options(found.refusal)} if found.refusal else {}


def _as_table(found: "Exploration") -> str:
    every = [(*found.head, ""), *(found.cells(line) for line in found.lines)]
    told = [i for i in range(len(every[0])) if any(row[i] != "-" for row in every[1:])]
    rows = [[row[i] for i in told] for row in every]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(c.rjust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
    if found.note:
        lines += ["", f"{found.note} --exact works out each as publish does."]
    if found.cut_short:
        lines += [
            "",
            f"The time was up: sizes beyond {found.lines[-1].leaves} leaves were not tried.",
        ]
    if found.chosen is None:
        return "\n".join([*lines, "", f"No size passes. {in_options(found.refusal)}"])
    leaves = " and ".join(map(str, found.chosen_leaves))
    return "\n".join([*lines, "", f"<- what `privet publish` would take: {leaves} leaves."])
