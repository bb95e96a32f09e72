"""What a report says, as plain data: counted from the manifest, the model and the data of a release
folder and from nothing else. `html` puts it into words, `plots` into pictures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.criteria import measure_l
from privet.engine import Counts, Engine, MemoryEngine
from privet.errors import InputError
from privet.files import read_table
from privet.release.claims import Figures, count_figures, reaches, recount, shown_sensitive
from privet.release.layout import MANIFEST, MODEL, data_file, folder_of
from privet.release.manifest import Claim, Manifest
from privet.schema import Column, Role
from privet.table import Table, Value
from privet.tree.accuracy import training_accuracy, training_r2
from privet.tree.exchange.model_file import read_model
from privet.tree.model import Tree
from privet.tree.rules import rules

MOST_VALUES = 12  # of a column that are shown one by one


@dataclass(frozen=True)
class ReleasedValue:
    """A value of a column, what it stands for, and how many records have it."""

    text: str
    meaning: str
    records: int


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of the release. `values` are the most frequent ones in their order, `more_values`
    counts the others, which `more_records` have."""

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
    one_class: int | None
    one_class_records: int


@dataclass(frozen=True)
class SensitiveRisk:
    """How well a sensitive column can be guessed. `chance` is the largest share of one value in an
    equivalence class, None if only an l of a kind is known that does not bound it."""

    column: str
    kind: str
    l: float | None  # noqa: E741
    chance: float | None
    chance_with_target: float | None
    is_shown: bool
    is_target: bool


@dataclass(frozen=True)
class ClaimLine:
    """A claim and whether the counts of this report bear it out (None: they cannot say)."""

    claim: Claim
    holds: bool | None


@dataclass(frozen=True)
class Summary:
    """Everything that a report says."""

    manifest: Manifest
    tree: Tree
    sentences: tuple[str, ...]  # the tree as rules
    quality: float  # accuracy, or R2, on the records that grew the tree
    without_tree: int | None  # records that the most frequent class alone would get right
    columns: tuple[ReleasedColumn, ...]
    sizes: ClassSizes
    figures: Figures
    target_chance: float | None  # the largest share of one target value in an equivalence class
    risks: tuple[SensitiveRisk, ...]
    claims: tuple[ClaimLine, ...]
    data_name: str

    @property
    def is_borne_out(self) -> bool:
        return all(line.holds is not False for line in self.claims)


def summarise(folder: Path) -> Summary:
    """Read a release folder and count what its report says."""
    folder = folder_of(folder)
    manifest = Manifest.read(folder / MANIFEST)
    tree = read_model(folder / MODEL)
    path = data_file(folder, manifest)
    schema = manifest.schema
    table = read_table(path, kinds={c.name: c.kind for c in schema}, exact=True)
    _require_agreement(table, tree, manifest)
    engine = MemoryEngine(table)
    shown = shown_sensitive(schema, manifest.recoding)
    figures = count_figures(engine, schema.quasi, schema.target, tree.is_regression, shown)
    with_target = engine.count([*schema.quasi, schema.target])
    may_miss = [name for name in table if table[name].domain.missing]
    classification = not tree.is_regression
    return Summary(
        manifest=manifest,
        tree=tree,
        sentences=tuple(rule.sentence for rule in rules(tree, may_miss)),
        quality=training_accuracy(tree) if classification else training_r2(tree, engine),
        without_tree=max(tree.root.weights) if classification else None,
        columns=tuple(_column(c, table, manifest, tree) for c in schema),
        sizes=_class_sizes(with_target, figures),
        figures=figures,
        target_chance=1 / float(measure_l(with_target)) if classification else None,
        risks=_sensitive_risks(manifest, engine, figures, shown),
        claims=tuple(ClaimLine(c, _holds(c, figures)) for c in manifest.claims),
        data_name=path.name,
    )


def _require_agreement(table: Table, tree: Tree, manifest: Manifest) -> None:
    """Refuse files that cannot be of one release: a report of them would mean nothing."""
    schema = manifest.schema
    recoded = manifest.recoding.get("columns")
    agree = (
        isinstance(recoded, Mapping)
        and all(isinstance(entry, Mapping) for entry in recoded.values())
        and table.names == schema.names()
        and schema.names(Role.TARGET) == (tree.target,)
        and tree.records(tree.root) == table.n_rows
        and all(tree.records(node) > 0 for node in tree.nodes)
    )
    if not agree:
        raise InputError(
            "The manifest, the model and the data are not of one release.",
            "`privet verify FOLDER` says what was changed; ask for the original release.",
        )


# -- equivalence classes and risks ---------------------------------------------------------------


def _class_sizes(with_target: Counts, figures: Figures) -> ClassSizes:
    columns = len(with_target.by) - 1
    starts = with_target.runs(columns)
    sizes = with_target.over(columns).n
    one_value = np.diff(np.append(starts, len(with_target.n))) == 1
    smallest = int(sizes.min())
    return ClassSizes(
        number=len(sizes),
        smallest=smallest,
        largest=int(sizes.max()),
        small_records=int(sizes[sizes < 2 * smallest].sum()),
        ranges=_doubling_ranges(sizes, smallest),
        one_class=figures.one_class,
        one_class_records=0 if figures.one_class is None else int(sizes[one_value].sum()),
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
    manifest: Manifest, engine: Engine, figures: Figures, shown: Sequence[str]
) -> tuple[SensitiveRisk, ...]:
    schema = manifest.schema
    found = []
    for column in schema.sensitive:
        is_target = column == schema.target
        claim = manifest.claim("l-diversity", column)
        kind = str(claim.parameters.get("kind")) if claim else "strong"
        if column in shown:
            strongest: Any = figures.l[column]["strong"]
        else:
            strongest = claim.measured if claim and kind == "strong" else None
        chance = 1 / strongest if _is_figure(strongest) and strongest >= 1 else None
        with_target = None
        if column in shown and not is_target:
            counts = engine.count([*schema.quasi, schema.target, column])
            with_target = 1 / float(measure_l(counts))
        measured = claim.measured if claim and _is_figure(claim.measured) else None
        found.append(
            SensitiveRisk(column, kind, measured, chance, with_target, column in shown, is_target)
        )
    return tuple(found)


def _holds(claim: Claim, figures: Figures) -> bool | None:
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


def _column(column: Column, table: Table, manifest: Manifest, tree: Tree) -> ReleasedColumn:
    coded = table[column.name]
    domain = coded.domain
    records = np.bincount(coded.codes, minlength=domain.size)
    most_frequent = np.argsort(-records, kind="stable")[:MOST_VALUES]
    values = [domain.value(code) for code in sorted(most_frequent.tolist())]
    counts = [int(records[code]) for code in sorted(most_frequent.tolist())]
    recoding = recoding_of(manifest.recoding, column.name)
    meanings = meanings_of(recoding)
    span = None
    if domain.kind.is_ordered and len(domain.values):
        span = domain.texts[0], domain.texts[len(domain.values) - 1]
    return ReleasedColumn(
        name=column.name,
        role=str(column.role),
        kind=str(column.kind),
        sensitive=column.role is Role.SENSITIVE or column.also_sensitive,
        treatment=str(recoding.get("treatment", "kept")),
        in_tree=column.name in tree.attributes_used,
        n_values=domain.size,
        values=tuple(
            ReleasedValue(_text(value), meanings.get(value, ""), n)
            for value, n in zip(values, counts, strict=True)
        ),
        more_values=domain.size - len(values),
        more_records=table.n_rows - sum(counts),
        span=span,
    )


def recoding_of(recoding: Mapping[str, Any], column: str) -> Mapping[str, Any]:
    """What the manifest says of one column's recoding; nothing if it says nothing readable."""
    columns = recoding.get("columns")
    entry = columns.get(column) if isinstance(columns, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}


def meanings_of(recoding: Mapping[str, Any]) -> dict[Value, str]:
    """What each value of a generalised column stands for, where its text alone does not say it.

    Coded values get no meaning: it changes from leaf to leaf.
    """
    if recoding.get("treatment") != "generalised":
        return {}
    meanings: dict[Value, str] = {}
    for group in _list(recoding, "groups"):
        members = [_text(member) for member in _list(group, "members")]
        label = group.get("label")
        if " | ".join(members) != label:
            meanings[label] = ", ".join(members)
    values, cuts = _list(recoding, "values"), _list(recoding, "cuts")
    if len(values) == len(cuts) + 1:
        for value, low, high in zip(values, [None, *cuts], [*cuts, None], strict=True):
            meanings[value] = _interval(low, high)
    return meanings


def _interval(low: Value, high: Value) -> str:
    if low is None:
        return "any value" if high is None else f"up to {_text(high)}"
    above = f"above {_text(low)}"
    return above if high is None else f"{above}, up to {_text(high)}"


def _list(entry: Any, name: str) -> list[Any]:
    found = entry.get(name) if isinstance(entry, Mapping) else None
    return found if isinstance(found, list) else []


def _text(value: Value) -> str:
    if value is None:
        return "missing"
    if value == "":
        return "(empty text)"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
