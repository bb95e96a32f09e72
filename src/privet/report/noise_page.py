"""The report of a release with noise, as plain data and as a page.

Everything comes from the files of the release: the tree and its counts, the laws in mechanism.json,
and the claims of the manifest, those that only its publisher can know being marked as such.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from privet.errors import InputError
from privet.measure.similarity import Similarity, similarities, similarity_matrix
from privet.mechanism.class_laws import ClassLaw
from privet.release.claims import noise as claims
from privet.release.claims import noise_attested, noise_epsilon
from privet.release.claims.figures import ORIGINAL_TREE, RECORDS
from privet.release.layout import MANIFEST, MECHANISM
from privet.release.manifest import Claim, Manifest
from privet.release.opened import OpenedRelease
from privet.report.template import page
from privet.tree.exchange.model_file import from_data
from privet.tree.exchange.tree_svg import tree_svg
from privet.tree.model import Tree
from privet.tree.rules import rules

MOST_PAIRS = 8  # of similar categories that are listed
MOST_VALUES = 24  # of a category that is drawn as a picture
_CELL, _LABELS, _MARGIN = 26, 150, 4
_LETTERS = 20

TITLES = {
    RECORDS: "Records",
    claims.IN_LEAVES: "Every leaf of the tree holds as many records as before",
    claims.CLASS_TOTALS: "Every leaf holds each class as often as before",
    claims.UNPROTECTED: "Records in leaves of one class",
    claims.BEST_GUESS: "Classes guessed rightly by naming the majority of the leaf",
    claims.EXPECTED: "Class changes expected",
    noise_attested.OBSERVED: "Classes changed",
    claims.CORRECT: "Released records that the tree classifies rightly",
    noise_attested.CHANGED: "Changed values",
    noise_attested.R2: "Squared correlation with the original",
    noise_attested.REGROWN: "Accuracy of a tree grown from the release, on the original records",
    noise_attested.STAYED: "Records that stayed in their leaf",
    noise_attested.FOUND: "Found again by who knows the law and all values but the target",
    noise_epsilon.EPSILON: "Epsilon of a drawn cell, given the trees and their leaf laws",
    ORIGINAL_TREE: "It is the tree of the original table",
}


@dataclass(frozen=True)
class NoisyColumn:
    """A released column: what was done, how many values that should change and how many did."""

    name: str
    method: str
    expected: float | None
    observed: int | None
    r2: float | None
    shift: float | None


@dataclass(frozen=True)
class LeafRisk:
    """A leaf: its rule, and the chance to guess the class of a record that lies in it."""

    sentence: str
    records: int
    chance: float


@dataclass(frozen=True)
class AlikeCategories:
    """A category whose values are drawn: the expected change, the share guessed by naming the
    commonest value of the leaf and of the column, and how alike its values are."""

    name: str
    changed: float
    guessed: float
    blind: float
    leaves: int
    pairs: tuple[Similarity, ...]
    picture: Markup | None


@dataclass(frozen=True)
class NoiseSummary:
    """Everything that the report says."""

    manifest: Manifest
    tree: Tree
    law: ClassLaw
    columns: tuple[NoisyColumn, ...]
    leaves: tuple[LeafRisk, ...]
    categories: tuple[AlikeCategories, ...]
    data_name: str

    def figure(self, name: str) -> Any:
        claim = self.manifest.claim(name)
        return None if claim is None else claim.measured

    def parameter(self, name: str, parameter: str) -> Any:
        claim = self.manifest.claim(name)
        return None if claim is None else claim.parameters.get(parameter)


def summarise_noise(opened: OpenedRelease) -> NoiseSummary:
    """What the files of a release with noise say."""
    manifest, tree = opened.manifest, opened.tree
    try:
        leaves = [leaf.weights for leaf in tree.leaves]
        law = ClassLaw.of(manifest.method["class"], leaves, manifest.method.get("floor", 0.0))
        detective = opened.mechanism["detective"] or {"columns": {}}
        told = {n: entry for n, entry in detective["columns"].items() if "tree" in entry}
        categories = [_alike(name, entry) for name, entry in told.items()]
        columns = [_column(name, manifest) for name in manifest.schema.names()]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{MECHANISM} or {MANIFEST} is not that of a release with noise.",
            "`privet verify FOLDER` says what was changed; ask for the original release.",
        ) from None
    by_leaf = {rule.leaf: rule for rule in rules(tree)}
    risks = tuple(
        LeafRisk(
            by_leaf[leaf.id].sentence, tree.records(leaf), max(leaf.weights) / sum(leaf.weights)
        )
        for leaf in tree.leaves
    )
    return NoiseSummary(
        manifest,
        tree,
        law,
        tuple(columns),
        risks,
        tuple(categories),
        opened.data_name,
    )


def render(opened: OpenedRelease) -> str:
    """The text of report.html."""
    summary = summarise_noise(opened)
    return page(
        "noise.html.j2",
        s=summary,
        tree_picture=tree_svg(summary.tree),
        title_of=_title,
        figure_of=_figure,
    )


def _column(name: str, manifest: Manifest) -> NoisyColumn:
    method = str(manifest.recoding["columns"][name]["method"])
    if name == manifest.schema.target:
        changed = manifest.claim(noise_attested.OBSERVED)
    else:
        changed = manifest.claim(noise_attested.CHANGED, name)
    r2 = manifest.claim(noise_attested.R2, name)
    about: Mapping[str, Any] = changed.parameters if changed else {}
    return NoisyColumn(
        name,
        method,
        about.get("expected"),
        changed.measured if changed else None,
        r2.measured if r2 else None,
        about.get("expected_shift_of_the_mean"),
    )


def _alike(name: str, entry: Mapping[str, Any]) -> AlikeCategories:
    tree = from_data(entry["tree"])
    found = sorted(similarities(tree), key=lambda pair: -pair.product)
    pairs: list[Similarity] = []
    for pair in found:
        if (pair.first, pair.second) not in {(p.first, p.second) for p in pairs}:
            pairs.append(pair)
        if len(pairs) == MOST_PAIRS:
            break
    labels = ["missing" if c is None else str(c) for c in tree.classes or ()]
    picture = None
    if 1 < len(labels) <= MOST_VALUES:
        picture = heat_map(name, labels, similarity_matrix([x.weights for x in tree.leaves]))
    records = tree.records(tree.root)
    return AlikeCategories(
        name,
        float(entry["expected_changed"]),
        tree.correct() / records,
        max(tree.root.weights) / records,
        tree.n_leaves,
        tuple(pairs),
        picture,
    )


def heat_map(name: str, labels: Sequence[str], shares: Any) -> Markup:
    """A square of squares, darker where two values share more leaves."""
    size = len(labels)
    off_diagonal = [shares[a][b] for a in range(size) for b in range(size) if a != b]
    most = max(off_diagonal, default=0.0) or 1.0
    shapes = []
    for row, first in enumerate(labels):
        y = _MARGIN + row * _CELL
        shapes.append(
            Markup('<text class="end" x="{}" y="{}">{}</text>').format(
                _LABELS - 6, y + 17, _short(first)
            )
        )
        for column, second in enumerate(labels[:row]):
            share = float(shares[row][column])
            shapes.append(
                Markup(
                    '<g><title>{} and {}: {}</title><rect class="gauge" x="{}" y="{}" width="{}" '
                    'height="{}" fill-opacity="{}"/></g>'
                ).format(
                    first,
                    second,
                    f"{share:.4f}",
                    _LABELS + column * _CELL,
                    y,
                    _CELL - 2,
                    _CELL - 2,
                    f"{0.04 + 0.96 * share / most:.2f}",
                )
            )
        shapes.append(
            Markup('<text x="{}" y="{}">{}</text>').format(
                _LABELS + row * _CELL + 6, y + 17, _short(first)
            )
        )
    width, height = _LABELS + size * _CELL + _LABELS, 2 * _MARGIN + size * _CELL
    return Markup(
        '<svg class="chart" role="img" aria-label="{0}" viewBox="0 0 {1} {2}" width="{1}" '
        'height="{2}">{3}</svg>'
    ).format(
        f"How alike the values of {name} are; the table beside names the pairs.",
        width,
        height,
        Markup("").join(shapes),
    )


def _title(claim: Claim) -> str:
    title = TITLES.get(claim.name, claim.name)
    column = claim.parameters.get("column")
    return f"{title}: {column}" if column else title


def _figure(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
