"""What model.json and model.pmml say beside their tree: nothing that does not follow from it."""

from collections.abc import Iterator

from privet.documents import read_bytes
from privet.errors import OutputError
from privet.release.checks import Check, yes_or_no
from privet.release.claims.tree_method import MORE_GROWERS
from privet.release.layout import PMML
from privet.release.manifest import canonical
from privet.release.opened import OpenedRelease
from privet.tree.exchange.model_file import to_data
from privet.tree.exchange.pmml_write import to_pmml


def model_checks(opened: OpenedRelease) -> Iterator[Check]:
    """model.json is what its tree says, model.pmml is that tree, the grower is the manifest's."""
    tree, manifest = opened.tree, opened.manifest
    same = canonical(opened.model_data) == canonical(to_data(*opened.trees))
    same = same and all(
        kind is manifest.schema[name].kind and set(one.kinds) == {*one.attributes_used, one.target}
        for one in opened.trees
        for name, kind in one.kinds.items()
    )
    yield yes_or_no(
        "model", same, "model.json says what its tree says", "model.json says more than its tree"
    )
    growers = [one.grower.describe() for one in opened.trees]
    yield yes_or_no(
        "grower",
        canonical(growers) == canonical([manifest.grower, *manifest.method.get(MORE_GROWERS, [])]),
        "model.json and manifest.json name the same grower",
        "model.json and manifest.json name different growers",
    )
    try:
        pmml: bytes | None = to_pmml(tree).encode()
    except OutputError:
        pmml = None
    if pmml is None:
        fits = PMML not in manifest.files
    else:
        fits = PMML in manifest.files and read_bytes(opened.folder / PMML, PMML) == pmml
    yield yes_or_no(
        "pmml",
        fits,
        "model.pmml is the tree of model.json" if pmml else "XML cannot hold this tree",
        "model.pmml is missing, or is not the tree of model.json",
    )
