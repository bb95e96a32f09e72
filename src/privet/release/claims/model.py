"""What model.json and model.pmml say beside their tree: nothing that does not follow from it."""

from collections.abc import Iterator

from privet.documents import read_bytes
from privet.errors import OutputError
from privet.release.checks import Check, yes_or_no
from privet.release.claims.tree_method import MORE_GROWERS
from privet.release.layout import PMML, PMML_OF_TREES
from privet.release.manifest import canonical
from privet.release.opened import OpenedRelease
from privet.tree.exchange.model_file import to_data
from privet.tree.exchange.pmml_write import to_pmml
from privet.tree.model import Tree


def model_checks(opened: OpenedRelease) -> Iterator[Check]:
    """model.json is what its trees say, each has its PMML, the growers are the manifest's."""
    manifest = opened.manifest
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
    for number, one in enumerate(opened.trees[: len(PMML_OF_TREES)]):
        yield _pmml_check(opened, PMML_OF_TREES[number], one)


def _pmml_check(opened: OpenedRelease, name: str, tree: Tree) -> Check:
    try:
        pmml: bytes | None = to_pmml(tree).encode()
    except OutputError:
        pmml = None
    listed = name in opened.manifest.files
    fits = not listed
    if pmml is not None:
        fits = listed and read_bytes(opened.folder / name, name) == pmml
    return yes_or_no(
        "pmml" if name == PMML else f"pmml ({name})",
        fits,
        f"{name} is the tree of model.json" if pmml else "XML cannot hold this tree",
        f"{name} is missing, or is not the tree of model.json",
    )
