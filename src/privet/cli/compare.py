"""`privet compare`: two trees, how alike they are and where they part."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.options import ForceOption, JsonOption, MissingOption, option
from privet.cli.terminal import emit_json
from privet.errors import UsageError

_A_TREE = "A tree (model.json), or a release folder with one."


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help=_A_TREE)],
    second: Annotated[Path, typer.Argument(metavar="B", help=_A_TREE)],
    data: Annotated[
        Path | None,
        option("--data", "TABLE", "Records to judge on; else those that the first tree counted."),
    ] = None,
    picture: Annotated[
        Path | None, option("--picture", "F.svg", "Draw both trees and where they part.")
    ] = None,
    missing: MissingOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> int:
    """Say how alike two trees are: the same, very similar, similar or dissimilar.

    The numbers stand beside the word. Counts in the nodes do not matter, nor what empty leaves
    predict. The exit status is 0 if the trees are the same, else 1.

    Example: privet compare original.json regrown.json --data patients.csv --picture both.svg
    """
    from privet.files import read_table
    from privet.files.outputs import write_text
    from privet.files.svg import as_file
    from privet.release.layout import MODEL
    from privet.tree.exchange.model_file import read_model
    from privet.tree.exchange.tree_svg import tree_svg
    from privet.tree.similar import tree_likeness

    if picture is not None and picture.suffix != ".svg":
        raise UsageError(
            "The picture of two trees is an SVG file, and its name must say so.",
            "write --picture both.svg.",
        )
    one, two = (read_model(path / MODEL if path.is_dir() else path) for path in (first, second))
    table = None
    if data is not None:
        table = read_table(
            data, missing=missing or (), kinds={**dict(two.kinds), **dict(one.kinds)}
        )
    found = tree_likeness(one, two, table)
    if picture is not None:
        drawn = [
            tree_svg(one, False, {part.first for part in found.parts}),
            tree_svg(two, False, {part.second for part in found.parts}),
        ]
        write_text(picture, as_file(drawn), force=force)
    if json:
        emit_json(found.to_data())
    else:
        typer.echo("\n".join(found.sentences()))
    return 0 if found.identical else 1
