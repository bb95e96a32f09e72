"""Masking at home: what a party sends, and the codebook that it keeps.

Numbers are graded (`grading`), categories get aliases (`aliases`), the join key becomes a digest
(`keys`), and rows are sorted by digest, so that their order says nothing. Masking a column edits
its domain: it costs what the distinct values cost. Missing cells stay missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.arrays import Digests
from privet.errors import UnknownColumn, UsageError
from privet.files.keyed import KEY, write_keyed
from privet.parties.aliases import draw_aliases, homophones_for
from privet.parties.codebook import PREFIX, CategoryMask, Codebook, ColumnMask, NumberMask
from privet.parties.grading import Grading, Mode, equal_groups, progression, random_bounds
from privet.parties.keys import ProjectKey, digests_in_order
from privet.randomness import generator
from privet.schema import Kind
from privet.table import Coded, Domain, Table, Value, code_type, parse_iso

Bounds = str | int | Sequence[float]  # "16,24,..,96", a number of equal groups, or the bounds

WARNING = (
    "This is pseudonymisation, not anonymity: whoever knows how often the values of a masked "
    "column occur, or a few of the people, can read much of it back."
)


@dataclass(frozen=True)
class Choices:
    """How columns are to be masked where nothing else is said: one field for each choice."""

    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    mode: Mode = "exact"
    homophones: Mapping[str, int] = field(default_factory=dict)
    kept_order: bool = False
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Masked:
    """What is sent (`digests`, `table`) and what is not (`codebook`, `about`)."""

    digests: Digests
    table: Table
    codebook: Codebook
    fill: dict[str, Value]
    about: list[dict[str, Any]]

    def write(self, path: Path) -> None:
        """Write what is sent."""
        write_keyed(path, self.digests, self.table)


def mask(
    table: Table,
    *,
    key: str,
    sensitive: Iterable[str],
    project_key: ProjectKey,
    keys: Any = None,
    codebook: Codebook | None = None,
    extend: bool = False,
    bounds: Mapping[str, Bounds] | None = None,
    mode: Mode = "exact",
    homophones: Mapping[str, int] | None = None,
    kept_order: bool = False,
    seed: int | None = None,
) -> Masked:
    """Mask the sensitive columns of a table and replace its key by digests.

    With a `codebook` the columns are masked by it, as parties with the same columns need; values
    that it does not know are refused, or added with `extend`. `keys` are those of
    `privet.files.keyed.read_keys`, for a table that was read without its key.
    """
    names = list(dict.fromkeys(sensitive))
    choices = Choices(bounds or {}, mode, homophones or {}, kept_order, seed)
    _check(table, key if keys is None else None, names, choices)
    if codebook is not None:
        _check_codebook(codebook, names, project_key, choices)
    columns: dict[str, Coded] = {}
    masks: dict[str, ColumnMask] = dict(codebook.columns) if codebook else {}
    about = []
    fill: dict[str, Value] = {}
    for name in table:
        if name == key:
            continue
        column = table[name]
        if name not in names:
            columns[name] = column
            fill[name] = _usual_value(column)
            continue
        known = masks.get(name)
        chosen = _mask_for(name, column, known, extend, choices)
        masks[name] = chosen
        masked = _apply(chosen, column, seed)
        columns[chosen.masked_name] = masked
        about.append(_about(chosen, column, masked))
        fill[chosen.masked_name] = _masked_usual_value(chosen, column)
    digests, order = digests_in_order(table[key] if keys is None else keys, key, project_key)
    made = Codebook(masks, project_key.project, project_key.tag)
    return Masked(digests, Table(columns).take(order), made, fill, about)


# -- checks --------------------------------------------------------------------------------------


def _check(table: Table, key: str | None, names: list[str], choices: Choices) -> None:
    for where, given in (
        ("--key", [] if key is None else [key]),
        ("--sensitive", names),
        ("--bounds", choices.bounds),
        ("--homophones", choices.homophones),
    ):
        for name in given:
            if name not in table:
                raise UnknownColumn(name, table.names, where=where)
    if key in names:
        raise UsageError(f"The key '{key}' is named as sensitive.", "keys are never sent as such.")
    for name in [*choices.bounds, *choices.homophones]:
        if name not in names:
            raise UsageError(f"Column '{name}' is not sensitive.", f"add --sensitive {name}.")
    for name in names:
        is_category = table[name].domain.kind is Kind.CATEGORY
        if name in (choices.bounds if is_category else choices.homophones):
            kind = "categories" if is_category else "numbers"
            raise UsageError(
                f"Column '{name}' holds {kind}.",
                "--bounds is for numbers, --homophones for categories.",
            )
        if PREFIX + name in table:
            raise UsageError(f"The table has a column '{PREFIX + name}' already.", "rename it.")
    if KEY in table:
        raise UsageError(f"The table has a column '{KEY}' already.", "rename or drop it.")


def _check_codebook(
    codebook: Codebook, names: list[str], project_key: ProjectKey, choices: Choices
) -> None:
    if not project_key.fits(codebook.tag):
        raise UsageError(
            "The codebook was made with another project key.",
            "take the key of this project, or a new codebook.",
        )
    absent = [name for name in names if name not in codebook.columns]
    if absent:
        raise UsageError(
            f"The codebook holds no column '{absent[0]}'.",
            "give the codebook of these columns, or the name of a new file.",
        )
    if choices.bounds or choices.homophones or choices.kept_order:
        raise UsageError(
            "The codebook exists already and says how its columns are masked.",
            "leave out --bounds, --homophones and --aliases, or name a new codebook.",
        )


# -- one column ----------------------------------------------------------------------------------


def _mask_for(
    name: str, column: Coded, known: ColumnMask | None, extend: bool, choices: Choices
) -> ColumnMask:
    domain = column.domain
    counts = np.bincount(column.codes, minlength=domain.size)[: len(domain.values)]
    present = domain.values[counts > 0]
    if len(present) == 0:
        raise UsageError(f"Column '{name}' holds no values.", "leave it out with --drop.")
    if known is not None and isinstance(known, CategoryMask) != (domain.kind is Kind.CATEGORY):
        raise UsageError(
            f"Column '{name}' is of another kind than in the codebook.",
            f"read it as in the codebook: --category {name}, or check the table.",
        )
    if domain.kind is Kind.CATEGORY:
        old = known.aliases if isinstance(known, CategoryMask) else None
        return _category_mask(name, present.tolist(), counts[counts > 0], old, extend, choices)
    if isinstance(known, NumberMask):
        values = np.union1d(known.values, present) if extend else known.values
        chosen = NumberMask(name, known.kind, known.grading, values)
    else:
        grading = _grading(name, domain, present, choices)
        chosen = NumberMask(name, domain.kind, grading, present)
    _refuse_bad_bounds(chosen, present)
    return chosen


def _category_mask(
    name: str,
    labels: list[str],
    counts: npt.NDArray[np.int64],
    known: Mapping[str, tuple[str, ...]] | None,
    extend: bool,
    choices: Choices,
) -> CategoryMask:
    rng = generator(choices.seed, name)
    if known is None:
        wanted = choices.homophones.get(name)
        sizes = None if wanted is None else homophones_for(counts, wanted)
        return CategoryMask(name, draw_aliases(name, labels, rng, sizes, choices.kept_order))
    new = [label for label in labels if label not in known]
    if new and not extend:
        raise UsageError(
            f"Column '{name}' has {len(new)} categories that the codebook does not hold.",
            "give --extend to add them, and hand the codebook on to the other parties.",
        )
    return CategoryMask(name, {**known, **draw_aliases(name, new, rng, known=known)})


def _grading(name: str, domain: Domain, present: npt.NDArray[Any], choices: Choices) -> Grading:
    low, high = present[0].item(), present[-1].item()
    given = choices.bounds.get(name)
    if given is None:
        rng = generator(choices.seed, name)
        return Grading(random_bounds(low, high, domain.kind.is_integral, rng), choices.mode)
    if isinstance(given, str):
        texts = [text.strip() for text in given.split(",") if text.strip()]
        if domain.kind in (Kind.DATE, Kind.DATETIME):
            texts = [_day_number(name, text, domain.kind) for text in texts]
        if len(texts) != 1:
            return Grading(progression(texts, high), choices.mode)
        if not texts[0].isdecimal():
            raise UsageError(
                f"The bounds of column '{name}' must be numbers, or a number of groups.",
                f"write {name}=16,24,..,96 or {name}=8.",
            )
        given = int(texts[0])
    if isinstance(given, int):
        return Grading(equal_groups(low, high, given), choices.mode)
    return Grading(tuple(given), choices.mode)


def _day_number(name: str, text: str, kind: Kind) -> str:
    if text.isdecimal() or text in ("..", "..."):
        return text
    try:
        return str(parse_iso(text, kind))
    except ValueError:
        raise UsageError(
            f"The bounds of column '{name}' must be ISO dates.", "write 2020-01-01,2021-01-01."
        ) from None


def _refuse_bad_bounds(chosen: NumberMask, present: npt.NDArray[Any]) -> None:
    outside = chosen.grading.outside(present)
    if outside:
        raise UsageError(
            f"Column '{chosen.column}' has {outside:,} distinct values outside the bounds.",
            "widen the bounds: the first must be at most the lowest value, the last at least the "
            "highest.",
        )
    if chosen.grading.mode == "exact":
        masked = chosen.grading.apply(present)
        if bool((np.diff(masked) <= 0).any()):
            raise UsageError(
                f"Column '{chosen.column}' has values too close for groups so wide: they would "
                "become equal.",
                "give more and narrower groups with --bounds, or round the column.",
            )


def _apply(chosen: ColumnMask, column: Coded, seed: int | None) -> Coded:
    domain = column.domain
    if isinstance(chosen, NumberMask):
        masked = np.full(len(domain.values), np.nan)
        inside = (domain.values >= chosen.grading.bounds[0]) & (
            domain.values <= chosen.grading.bounds[-1]
        )
        masked[inside] = chosen.grading.apply(domain.values[inside])
        if bool(inside.all()) and bool((np.diff(masked) > 0).all()):
            return Coded(Domain(Kind.DECIMAL, masked, domain.missing), column.codes)
        distinct, places = np.unique(masked[inside], return_inverse=True)
        lookup = np.zeros(domain.size, dtype=np.int64)
        lookup[np.flatnonzero(inside)] = places
        if domain.missing:
            lookup[-1] = len(distinct)
        return column.merged(lookup, Domain(Kind.DECIMAL, distinct, domain.missing))
    return _with_aliases(chosen, column, seed)


def _with_aliases(chosen: CategoryMask, column: Coded, seed: int | None) -> Coded:
    old = column.domain
    groups = [chosen.aliases.get(label, ()) for label in old.values.tolist()]
    names = sorted(alias for group in groups for alias in group)
    place = {alias: code for code, alias in enumerate(names)}
    domain = Domain(Kind.CATEGORY, np.array(names, dtype=object), old.missing)
    if all(len(group) <= 1 for group in groups):
        lookup = [place[group[0]] if group else 0 for group in groups]
        return column.merged([*lookup, *([len(names)] * old.missing)], domain)
    sizes = np.array([max(len(group), 1) for group in groups] + [1] * old.missing)
    starts = np.cumsum(sizes) - sizes
    codes = [place[alias] for group in groups for alias in (group or (names[0],))]
    lookup_codes = np.array([*codes, *([len(names)] * old.missing)]).astype(code_type(domain.size))
    draws = generator(seed, f"{chosen.column}: homophones").random(len(column.codes))
    which = (draws * sizes[column.codes]).astype(np.int64)
    return Coded(domain, lookup_codes[starts[column.codes] + which])


# -- what the owner may tell, and is told ----------------------------------------------------------


def _usual_value(column: Coded) -> Value:
    """The mean of a number column (rounded where values are whole), the mode of categories."""
    domain = column.domain
    counts = np.bincount(column.codes, minlength=domain.size)[: len(domain.values)]
    if not counts.any():
        return None
    if domain.kind is Kind.CATEGORY:
        return str(domain.values[int(counts.argmax())])
    mean = _mean(domain.values, counts)
    if domain.kind is Kind.DECIMAL:
        return mean
    nearest = int(np.abs(domain.values - mean).argmin())
    return domain.value(nearest) if domain.kind is not Kind.INTEGER else round(mean)


def _masked_usual_value(chosen: ColumnMask, column: Coded) -> Value:
    """The mask of the mean (not the mean of the masks, which differs), or an alias of the mode."""
    domain = column.domain
    counts = np.bincount(column.codes, minlength=domain.size)[: len(domain.values)]
    if isinstance(chosen, NumberMask):
        return float(chosen.grading.apply(np.array([_mean(domain.values, counts)]))[0])
    return chosen.aliases[str(domain.values[int(counts.argmax())])][0]


def _mean(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> float:
    return float((values.astype(np.float64) * counts).sum() / counts.sum())


def _about(chosen: ColumnMask, column: Coded, masked: Coded) -> dict[str, Any]:
    """What the owner is told of a masked column: no value, no bound, no alias."""
    if isinstance(chosen, CategoryMask):
        n_aliases = len(chosen.label_of)
        return {
            "column": chosen.column,
            "masked": chosen.masked_name,
            "method": "homophones" if chosen.has_homophones else "aliases",
            "values": len(chosen.aliases),
            "aliases": n_aliases,
        }
    present = column.domain.values
    now = masked.domain.values
    counts = np.bincount(column.codes, minlength=column.domain.size)[: len(present)]
    if len(now) == len(present):
        related: float | None = _correlation(present.astype(np.float64), now, counts)
    else:
        related = None
    return {
        "column": chosen.column,
        "masked": chosen.masked_name,
        "method": f"graded, {chosen.grading.mode}",
        "groups": chosen.grading.groups,
        "affine": chosen.grading.is_affine,
        "correlation": related,
    }


def _correlation(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> float | None:
    """Pearson's correlation of values that occur so often."""
    a, b = first - _mean(first, counts), second - _mean(second, counts)
    spread = float((a * a * counts).sum() * (b * b * counts).sum()) ** 0.5
    return float((a * b * counts).sum() / spread) if spread else None
