"""`privet alike`: which values of categories are alike, by trees and by clusters."""

from typing import Annotated

import typer

from privet.cli.loading import load_for_method, names, read_schema
from privet.cli.noise_options import NoiseTreeOptions
from privet.cli.options import (
    Columns,
    DropOption,
    IdentifierOption,
    JsonOption,
    ReadingOptions,
    TableArgument,
    option,
)
from privet.cli.terminal import emit_json, working


def alike(
    table: TableArgument,
    *,
    columns: Annotated[
        Columns, option("--columns", "COLUMNS", "The categories to look at: a,b; else all.")
    ] = None,
    drop: DropOption = None,
    identifier: IdentifierOption = None,
    alpha: Annotated[
        float,
        option("--alpha", "A", "CACTUS: strong is more than A times what chance would have."),
    ] = 1.2,
    trees: NoiseTreeOptions,
    reading: ReadingOptions,
    json: JsonOption = False,
) -> None:
    """Say which values of categories are alike.

    A tree predicts each column from all others, as noise on categories has it: values that share a
    leaf, or sibling leaves, are alike there, by the product of their counts. CACTUS finds clusters
    of values that occur together in all columns. It shows the table itself: keep the answer inside.

    Example: privet alike customers.csv --columns car_make,profession --identifier customer_id
    """
    from privet.measure.alike import values_alike
    from privet.roles import Roles

    settings = trees.settings()
    declared = read_schema(reading.schema)
    wanted, unused = names(columns), [*names(drop), *names(identifier)]
    named = {"--columns": wanted, "--drop": names(drop), "--identifier": names(identifier)}
    loaded, schema = load_for_method(table, reading, declared, Roles(drop=unused), named, wanted)
    with working("Growing a tree for each category ..."):
        found = values_alike(loaded, schema.without(unused), wanted, settings, alpha)
    if json:
        emit_json(found.to_data())
    else:
        typer.echo("\n".join(found.sentences()))
