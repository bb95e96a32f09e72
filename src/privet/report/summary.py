"""What a report says, as plain data: counted from the manifest, the model and the data of a release
folder and from nothing else. `html` puts it into words, `plots` into pictures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.criteria import measure_l
from privet.engine import Engine
from privet.engine.distribution import Ranges, Share
from privet.release.claims.figures import ClassFigures, Figures, figures_of, reaches, recount
from privet.release.claims.privacy import shown_sensitive
from privet.release.columns import meaning_of
from privet.release.manifest import Claim, Manifest
from privet.release.meanings import meanings
from privet.release.opened import OpenedRelease
from privet.release.recoded import entry_of
from privet.schema import Column, Role
from privet.table import Table, Value
from privet.tree.accuracy import training_accuracy, training_r2
from privet.tree.model import Tree
from privet.tree.rules import rules

MOST_VALUES = 12  # of a column that are shown one by one
_TRUE_IN_NUMBERS = ("kept", "aggregated")  # treatments that leave columns their distribution


@dataclass(frozen=True)
class ReleasedValue:
    """A value of a column, what it stands for, and how many records have it."""

    text: str
    meaning: str
    records: int


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of the release. `values` are the most frequent ones in their order, `more_values`
    counts the others, which `more_records` have. Where numbers have many values and are no codes,
    `ranges` has their distribution."""

    name: str
    role: str
    kind: str
    sensitive: bool
    treatment: str
    in_tree: bool
    n_values: int
    values: tuple[ReleasedValue, ...]
    more_values: int
    more_records: int
    span: tuple[str, str] | None  # lowest and highest value of an ordered column
    meaning: str
    ranges: tuple[Share, ...] = ()


@dataclass(frozen=True)
class SizeRange:
    """The equivalence classes of `low` to `high` records."""

    low: int
    high: int
    classes: int
    records: int


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of the equivalence classes. `one_class` ones hold one target value only."""

    number: int
    smallest: int
    largest: int
    small_records: int  # in equivalence classes of fewer than twice the smallest size
    ranges: tuple[SizeRange, ...]
    one_class: int
    one_class_records: int


@dataclass(frozen=True)
class SensitiveRisk:
    """How well a sensitive column can be guessed. `chance` is the largest share of one value in an
    equivalence class, None if only an l of a kind is known that does not bound it."""

    column: str
    kind: str
    l: float | None  # noqa: E741
    asked: float | None
    chance: float | None
    chance_with_target: float | None
    is_shown: bool
    is_target: bool
    in_groups: bool


@dataclass(frozen=True)
class ClaimLine:
    """A claim and whether the counts of this report bear it out (None: they cannot say)."""

    claim: Claim
    holds: bool | None


@dataclass(frozen=True, kw_only=True)
class TableSummary:
    """What a report says of the released table."""

    manifest: Manifest
    columns: tuple[ReleasedColumn, ...]
    sizes: ClassSizes
    figures: ClassFigures
    target: str | None  # the names of all, where there are several
    has_numbers_for_target: bool
    target_chance: float | None  # the largest share of one target value in an equivalence class
    risks: tuple[SensitiveRisk, ...]
    claims: tuple[ClaimLine, ...]
    data_name: str

    @property
    def is_borne_out(self) -> bool:
        return all(line.holds is not False for line in self.claims)


@dataclass(frozen=True)
class TreeSummary:
    """What a report says of one tree."""

    tree: Tree
    sentences: tuple[str, ...]  # the tree as rules
    quality: float  # accuracy, or R2, on the records that grew the tree
    without_tree: int | None  # records that the most frequent class alone would get right


@dataclass(frozen=True, kw_only=True)
class Summary(TableSummary):
    """What a report says of the released table and of its trees."""

    trees: tuple[TreeSummary, ...]

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0].tree


def summarise(opened: OpenedRelease) -> Summary:
    """Count what the report of a release with its tree says."""
    opened.require_one_release()
    return Summary(
        **vars(summarise_table(opened)),
        trees=tuple(_of_tree(opened, tree) for tree in opened.trees),
    )


def _of_tree(opened: OpenedRelease, tree: Tree) -> TreeSummary:
    table = opened.table
    may_miss = [name for name in table if table[name].domain.missing]
    classification = not tree.is_regression
    return TreeSummary(
        tree=tree,
        sentences=tuple(rule.sentence for rule in rules(tree, may_miss)),
        quality=training_accuracy(tree) if classification else training_r2(tree, opened.engine),
        without_tree=max(tree.root.weights) if classification else None,
    )


def summarise_table(opened: OpenedRelease) -> TableSummary:
    """Count what the report of a release says of its table."""
    manifest, table, engine = opened.manifest, opened.table, opened.engine
    schema, targets = manifest.schema, manifest.schema.names(Role.TARGET)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = figures_of(engine, schema, shown)
    return TableSummary(
        manifest=manifest,
        columns=tuple(_column(c, table, manifest, opened.trees) for c in schema),
        sizes=_class_sizes(engine.count(schema.quasi).n, figures),
        figures=figures,
        target=" and ".join(targets) or None,
        has_numbers_for_target=bool(targets) and all(schema[t].kind.is_ordered for t in targets),
        target_chance=figures.guessed if isinstance(figures, Figures) else None,
        risks=_sensitive_risks(manifest, engine, figures, shown),
        claims=tuple(ClaimLine(c, _holds(c, figures)) for c in manifest.claims),
        data_name=opened.data_name,
    )


# -- equivalence classes and risks ---------------------------------------------------------------


def _class_sizes(sizes: Integers, figures: ClassFigures) -> ClassSizes:
    with_target = figures if isinstance(figures, Figures) else None
    smallest = int(sizes.min())
    return ClassSizes(
        number=len(sizes),
        smallest=smallest,
        largest=int(sizes.max()),
        small_records=int(sizes[sizes < 2 * smallest].sum()),
        ranges=_doubling_ranges(sizes, smallest),
        one_class=with_target.one_class if with_target else 0,
        one_class_records=with_target.one_class_records if with_target else 0,
    )


def _doubling_ranges(sizes: Any, smallest: int) -> tuple[SizeRange, ...]:
    """Ranges that double from the smallest size on, empty ones in between included."""
    ranges = []
    low, largest = smallest, int(sizes.max())
    while low <= largest:
        inside = sizes[(sizes >= low) & (sizes < 2 * low)]
        ranges.append(SizeRange(low, min(2 * low - 1, largest), len(inside), int(inside.sum())))
        low *= 2
    return tuple(ranges)


def _sensitive_risks(
    manifest: Manifest, engine: Engine, figures: ClassFigures, shown: Sequence[str]
) -> tuple[SensitiveRisk, ...]:
    schema, targets = manifest.schema, manifest.schema.names(Role.TARGET)
    found = []
    for column in schema.sensitive:
        claim = manifest.claim("l-diversity", column)
        is_shown, is_target = column in shown, column in targets
        with_target = None
        if is_shown and not is_target and targets:
            counts = engine.count([*schema.quasi, *targets, column])
            with_target = float(1 / measure_l(counts))
        treatment = entry_of(manifest.recoding, column).get("treatment")
        found.append(
            SensitiveRisk(
                column=column,
                kind=str(claim.parameters.get("kind")) if claim else "strong",
                l=claim.measured if claim and _is_figure(claim.measured) else None,
                asked=claim.claimed if claim and _is_figure(claim.claimed) else None,
                chance=1 / figures.l[column]["strong"] if is_shown else None,
                chance_with_target=with_target,
                is_shown=is_shown,
                is_target=is_target,
                in_groups=treatment in ("generalised", "coded"),
            )
        )
    return tuple(found)


def _holds(claim: Claim, figures: ClassFigures) -> bool | None:
    counted = recount(claim, figures) if claim.checkable == "release" else None
    if counted is None:
        return None
    try:
        return bool(counted == claim.measured) and reaches(claim, counted)
    except TypeError:
        return False


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# -- columns -------------------------------------------------------------------------------------


def _column(
    column: Column, table: Table, manifest: Manifest, trees: Sequence[Tree]
) -> ReleasedColumn:
    coded = table[column.name]
    domain = coded.domain
    records = np.bincount(coded.codes, minlength=domain.size)
    most_frequent = np.argsort(-records, kind="stable")[:MOST_VALUES]
    values = [domain.value(code) for code in sorted(most_frequent.tolist())]
    counts = [int(records[code]) for code in sorted(most_frequent.tolist())]
    recoding = entry_of(manifest.recoding, column.name)
    stands_for = dict(meanings(recoding, column.kind, trees, column.name))
    span = None
    if domain.kind.is_ordered and len(domain.values):
        span = domain.texts[0], domain.texts[len(domain.values) - 1]
    treatment = str(recoding.get("treatment", "kept"))
    ranges = None
    if domain.kind.is_ordered and domain.size > MOST_VALUES and treatment in _TRUE_IN_NUMBERS:
        ranges = Ranges.over([domain])
    return ReleasedColumn(
        name=column.name,
        role=str(column.role),
        kind=str(column.kind),
        sensitive=column.role is Role.SENSITIVE or column.also_sensitive,
        treatment=treatment,
        in_tree=any(column.name in tree.attributes_used for tree in trees),
        n_values=domain.size,
        values=tuple(
            ReleasedValue(_text(value), stands_for.get(value, ""), n)
            for value, n in zip(values, counts, strict=True)
        ),
        more_values=domain.size - len(values),
        more_records=table.n_rows - sum(counts),
        span=span,
        meaning=meaning_of(column, manifest),
        ranges=() if ranges is None else tuple(ranges.shares(domain, records)),
    )


def _text(value: Value) -> str:
    if value is None:
        return "missing"
    if value == "":
        return "(empty text)"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
