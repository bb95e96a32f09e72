"""The tree of a release grown by another program from the released data, and compared.

`verify` checks the claims with our own grower; this asks somebody else. The comparison itself is in
`privet.tree.foreign`.
"""

import os
from pathlib import Path

from privet.release.opened import OpenedRelease
from privet.tree.foreign import Agreement, grow_with, require


def verify_with(folder: str | os.PathLike[str], program: str) -> Agreement:
    """Grow the tree of a release with `program`: privet, sklearn, rpart or weka."""
    require(program)
    opened = OpenedRelease.at(Path(folder))
    return grow_with(program, opened.tree, opened.table, opened.manifest.schema)
