"""`privet compare`: two trees, how alike they are and where they part."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.options import ForceOption, JsonOption, MissingOption, option
from privet.cli.saving import Files
from privet.cli.terminal import emit_json
from privet.errors import UsageError
from privet.words import count

if TYPE_CHECKING:
    from privet.table import Table
    from privet.tree.model import Tree
    from privet.tree.similar import TreeLikeness

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
    predict. Of releases with several trees each is compared with the other's. The exit status is
    0 if the trees are the same, else 1.

    Example: privet compare original.json regrown.json --data patients.csv --picture both.svg
    """
    from privet.tree.exchange.model_file import read_models
    from privet.tree.similar import tree_likeness

    _refuse_other_pictures(picture)
    paths = [_model_in(path) for path in (first, second)]
    files = Files((picture,), (*paths, data), force).checked()
    ones, others = (read_models(path) for path in paths)
    table = None if data is None else _records(data, (*others, *ones), missing or ())
    pairs = list(zip(ones, others, strict=False))
    found = [tree_likeness(one, other, table) for one, other in pairs]
    if picture is not None:
        files.write({picture: _drawn(*pairs[0], found[0])})
    if json:
        more = [each.to_data() for each in found[1:]]
        emit_json(found[0].to_data() | ({"more_trees": more} if more else {}))
    else:
        typer.echo("\n".join(_said(found, len(ones), len(others))))
    return 0 if len(ones) == len(others) and all(each.identical for each in found) else 1


def _refuse_other_pictures(picture: Path | None) -> None:
    if picture is not None and picture.suffix != ".svg":
        raise UsageError(
            "The picture of two trees is an SVG file, and its name must say so.",
            "write --picture both.svg.",
        )


def _records(data: Path, trees: "Sequence[Tree]", missing: Sequence[str]) -> "Table":
    """The table to judge on, its columns of the kinds that the trees ask."""
    from privet.files import read_table

    kinds = {name: kind for tree in trees for name, kind in dict(tree.kinds).items()}
    return read_table(data, missing=missing, kinds=kinds)


def _model_in(path: Path) -> Path:
    from privet.release.layout import MODEL

    return path / MODEL if path.is_dir() else path


def _said(found: "list[TreeLikeness]", ones: int, others: int) -> Iterator[str]:
    """What is said of each pair of trees; where there are several, each has its number."""
    if ones != others:
        yield (
            f"{count(ones, 'tree')} against {count(others, 'tree')}: "
            f"{'the first is' if len(found) == 1 else f'the first {len(found)} are'} compared."
        )
    for number, each in enumerate(found, start=1):
        if len(found) > 1:
            yield f"Tree {number}"
        yield from each.sentences()


def _drawn(one: "Tree", other: "Tree", found: "TreeLikeness") -> str:
    """Both trees, with the nodes at which they part; of several, the first of each."""
    from privet.files.svg import as_file
    from privet.tree.exchange.tree_svg import tree_svg

    return as_file(
        [
            tree_svg(one, False, {part.first for part in found.parts}),
            tree_svg(other, False, {part.second for part in found.parts}),
        ]
    )
