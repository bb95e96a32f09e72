"""The tree of a release grown by another program from the released data, and compared.

`verify` checks the claims with our own grower; this asks somebody else. The comparison itself is in
`privet.tree.foreign`.
"""

import os
from pathlib import Path

from privet.errors import UsageError
from privet.release.claims.tree_titles import one_tree
from privet.release.layout import MODEL
from privet.release.opened import OpenedRelease
from privet.release.regrow import seed_of
from privet.roles import with_one_target
from privet.tree.foreign import Agreement, grow_with, require


def verify_with(folder: str | os.PathLike[str], program: str, tree: int = 1) -> Agreement:
    """Grow a tree of a release with `program`: privet, sklearn, rpart or weka.

    Where the release has several trees, `tree` says which; they are counted from 1.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> _ = privet.publish(people, target="buys", k=3).save("shop")
    >>> privet.verify_with("shop", "privet").outcome
    'same'
    """
    opened = _opened(folder, program)
    return _grown(opened, program, tree)


def verify_each_with(folder: str | os.PathLike[str], program: str) -> list[Agreement]:
    """The same for every tree of a release, in the order of model.json."""
    opened = _opened(folder, program)
    return [_grown(opened, program, number + 1) for number in range(len(opened.trees))]


def _opened(folder: str | os.PathLike[str], program: str) -> OpenedRelease:
    require(program)
    opened = OpenedRelease.at(Path(folder))
    if MODEL not in opened.manifest.files:
        raise UsageError("This release has no tree.", "`privet verify FOLDER` checks its claims.")
    return opened


def _grown(opened: OpenedRelease, program: str, number: int) -> Agreement:
    tree = one_tree(opened.trees, number)
    schema = with_one_target(opened.manifest.schema, tree.target)
    seed = seed_of(opened.manifest.method, number, len(opened.trees))
    return grow_with(program, tree, opened.table, schema, seed)
