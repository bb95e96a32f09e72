"""A tree as a file of any kind that Privet writes; the end of the name says which.

Each kind has a module of its own next door: `model_file`, `pmml_write`, `dot`, `pictures`.
"""

from pathlib import Path

from privet.errors import OutputError
from privet.files.figures import PICTURES
from privet.files.outputs import output_file
from privet.tree.model import Tree

TREES_WRITTEN = (".json", ".pmml", ".dot", ".txt", *PICTURES)


def refuse_tree_format(path: Path) -> None:
    """Refuse, before any work, a name that names no format of trees."""
    if path.suffix.lower() not in TREES_WRITTEN:
        raise OutputError(
            f"A tree cannot be written as {path.name}.",
            f"trees are written as {', '.join(TREES_WRITTEN)}.",
        )


def tree_bytes(tree: Tree, path: Path) -> bytes:
    """The bytes of the file that a tree becomes under this name."""
    from privet.tree.exchange.dot import to_dot
    from privet.tree.exchange.model_file import to_text
    from privet.tree.exchange.pictures import draw_text, tree_picture
    from privet.tree.exchange.pmml_write import to_pmml

    refuse_tree_format(path)
    match path.suffix.lower():
        case ".json":
            text = to_text(tree)
        case ".pmml":
            text = to_pmml(tree)
        case ".dot":
            text = to_dot(tree)
        case ".txt":
            text = draw_text(tree) + "\n"
        case ending:
            return tree_picture(tree, ending)
    return text.encode("utf-8")


def write_tree(tree: Tree, path: str | Path, *, force: bool = False) -> None:
    """Write a tree to a file, whole or not at all; the end of its name says how.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> privet.write_tree(privet.grow(people, target="buys"), "tree.dot")
    """
    content = tree_bytes(tree, Path(path))
    with output_file(path, force=force) as place:
        place.write_bytes(content)
