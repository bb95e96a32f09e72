"""The tree of a release grown by another program from the released data, and compared.

`verify` checks the claims with our own grower; this asks somebody else. The comparison itself is in
`privet.tree.foreign`.
"""

import os
from pathlib import Path

from privet.errors import UsageError
from privet.release.layout import MODEL
from privet.release.opened import OpenedRelease
from privet.roles import with_one_target
from privet.tree.foreign import Agreement, grow_with, require


def verify_with(folder: str | os.PathLike[str], program: str) -> Agreement:
    """Grow the tree of a release with `program`: privet, sklearn, rpart or weka.

    >>> people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    >>> _ = privet.publish(people, target="buys", k=3).save("shop")
    >>> privet.verify_with("shop", "privet").outcome
    'same'
    """
    require(program)
    opened = OpenedRelease.at(Path(folder))
    if MODEL not in opened.manifest.files:
        raise UsageError("This release has no tree.", "`privet verify FOLDER` checks its claims.")
    tree, schema = opened.tree, opened.manifest.schema
    return grow_with(program, tree, opened.table, with_one_target(schema, tree.target))
