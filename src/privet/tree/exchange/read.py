"""A tree from a file: model.json or PMML, as the end of the name says.

`write` next door is the way back.
"""

from pathlib import Path

from privet.tree.model import Tree

TREES_READ = (".json", ".pmml", ".xml")


def is_tree_file(path: Path) -> bool:
    """Whether a name ends like a tree; everything else is a table."""
    return path.suffix.lower() in TREES_READ


def read_tree(path: str | Path) -> Tree:
    """The tree of a file.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> privet.write_tree(privet.grow(people, target="buys"), "model.json")
    >>> privet.read_tree("model.json").n_leaves
    2
    """
    from privet.tree.exchange.model_file import read_model
    from privet.tree.exchange.pmml_read import read_pmml

    path = Path(path)
    return read_model(path) if path.suffix.lower() == ".json" else read_pmml(path)
