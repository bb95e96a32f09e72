"""The tree of a release grown by another program from the released data, and compared.

`verify` checks the claims with our own grower; this asks somebody else. The comparison itself is in
`privet.tree.foreign`.
"""

import os
from pathlib import Path

from privet.files import read_table
from privet.release.layout import MANIFEST, MODEL, data_file, folder_of
from privet.release.manifest import Manifest
from privet.tree.exchange.model_file import read_model
from privet.tree.foreign import Agreement, grow_with, require


def verify_with(folder: str | os.PathLike[str], program: str) -> Agreement:
    """Grow the tree of a release with `program`: privet, sklearn, rpart or weka."""
    require(program)
    place = folder_of(Path(folder))
    manifest = Manifest.read(place / MANIFEST)
    kinds = {column.name: column.kind for column in manifest.schema}
    table = read_table(data_file(place, manifest), kinds=kinds, exact=True)
    return grow_with(program, read_model(place / MODEL), table, manifest.schema)
