"""A release with noise: rows, tree, mechanism and claims put together; the audit that stays inside.

Writing and verifying is the release's job. What the claims attest is counted here, where the
original table still is.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.engine import engine_of
from privet.noise.figures import ColumnFigures, change_of_correlations, figures_of
from privet.noise.framework import NoiseFramework
from privet.noise.in_batches import Drawn
from privet.noise.observed import Observed
from privet.noise.settings import NoiseSettings
from privet.randomness import Seed, seed_of
from privet.release.audit import Audit
from privet.release.claims.noise import METHOD, claims_of_noise, shown_figures
from privet.release.claims.noise_attested import CHANGED, OBSERVED, R2, REGROWN, STAYED
from privet.release.claims.noise_epsilon import claims_of_epsilon, epsilons
from privet.release.layout import MECHANISM
from privet.release.manifest import Claim, Manifest
from privet.release.release import Release, today
from privet.release.rows import Rows, RowsInOrder
from privet.schema import Schema
from privet.table import Coded, Table
from privet.tree.accuracy import accuracy_on
from privet.tree.compare import same_counts, same_rules
from privet.tree.model import Tree
from privet.tree.natural import tree_grown_again
from privet.tree.similar import tree_likeness
from privet.version import __version__
from privet.words import count

HARDLY = 0.05  # of a column's values

MOST_JUDGED = 100_000  # people among whom an intruder looks for records

Judge = Callable[[Tree, Mapping[str, Any], Drawn], Claim]


@dataclass(frozen=True)
class NoisePublisher:
    """Publishes a table with noise that follows its tree; see `NoiseSettings`.

    `judge` is given the tree, the mechanism, and original and released rows side by side (of a
    large table some, drawn at random), and says what an intruder would find: a method does not
    judge itself.
    """

    settings: NoiseSettings
    judge: Judge
    keep_order: bool = False

    def publish(
        self, table: Table, schema: Schema, frame: str = "arrow", seed: Seed = None
    ) -> Release:
        """The release of a table whose columns all have their roles."""
        settings, seed = self.settings, seed_of(seed)
        noise = NoiseFramework(settings).fit(table, schema)
        drawn = noise.drawn(table, seed, in_order=self.keep_order)
        original, released = drawn.original, drawn.released
        seen = Observed.of(noise, original, released)
        columns = figures_of(noise, original, released, seen)
        order = "kept" if self.keep_order else "sorted"
        method = {"name": METHOD, **settings.describe(), "order": order}
        figures = shown_figures(method, noise.tree_, released)
        laws = {"format": 1, "method": METHOD, **noise.mechanism_}
        shown = _without_trees(laws) if settings.inside else laws
        attested = (
            *_attested(noise, original, released, columns, seen.stayed),
            self.judge(noise.tree_, laws, drawn.some(MOST_JUDGED)),
            *claims_of_epsilon(epsilons(method, noise.tree_, shown)),
        )
        names = noise.schema_.names()
        released = released.select(names)
        rows = (
            RowsInOrder.keep(released) if self.keep_order else Rows.of(engine_of(released), names)
        )
        manifest = Manifest(
            privet_version=__version__,
            method=method,
            schema=noise.schema_,
            grower=noise.tree_.grower.describe(),
            claims=claims_of_noise(figures, settings.class_noise, attested),
            recoding={"method": METHOD, "columns": {f.column: _treatment(f) for f in columns}},
            content_sha256=rows.content_sha256(),
            published=today(),
        )
        mechanism = json.dumps(shown, ensure_ascii=False, allow_nan=False) + "\n"
        by_leaf = zip(noise.tree_.leaves, seen.classes_changed.tolist(), strict=True)
        audit = Audit(
            METHOD,
            {**settings.describe(), "order": order},
            {
                "schema": noise.schema_.to_dict(),
                "columns": [figures.to_data() for figures in columns],
                "class_changes_by_leaf": {str(leaf.id): n for leaf, n in by_leaf},
                **({"mechanism": laws} if settings.inside else {}),
            },
            seed,
        )
        messages = (
            *_messages(noise, original.n_rows - seen.stayed),
            *_hardly_touched(columns),
            *_on_correlations(change_of_correlations(noise, original, released)),
        )
        return Release(
            rows, noise.tree_, manifest, frame, messages, {MECHANISM: mechanism}, lambda: audit
        )


def _without_trees(laws: dict[str, Any]) -> dict[str, Any]:
    """The laws, of categories only which are drawn together and how many will change."""
    if laws["detective"] is None:
        return laws
    columns = {
        name: {
            "columns": entry["columns"],
            "expected_changed": round(entry["expected_changed"], 2),
        }
        for name, entry in laws["detective"]["columns"].items()
    }
    return {**laws, "detective": {**laws["detective"], "columns": columns}}


def _treatment(figures: ColumnFigures) -> dict[str, str]:
    return {"treatment": "kept" if figures.method == "kept" else "noise", "method": figures.method}


def _attested(
    noise: NoiseFramework,
    original: Table,
    released: Table,
    columns: tuple[ColumnFigures, ...],
    stayed: int,
) -> tuple[Claim, ...]:
    """Claims on the original. Sums over all records are told in few digits; the audit has all."""
    claims = []
    for figures in columns:
        if figures.column == noise.tree_.target:
            law = noise.class_.law_
            about = {"expected": float(law.expected), "variance": float(law.variance)}
            claims.append(Claim(OBSERVED, about, None, figures.observed, "attested"))
        elif figures.method != "kept":
            about_column = {"column": figures.column, "expected": float(round(figures.expected))}
            if figures.shift is not None:
                shift = _coarse_shift(figures.shift, original[figures.column])
                about_column["expected_shift_of_the_mean"] = shift
            claims.append(Claim(CHANGED, about_column, None, figures.observed, "attested"))
            if figures.r2 is not None:
                which = {"column": figures.column}
                claims.append(Claim(R2, which, None, round(figures.r2, 3), "attested"))
    claims.append(Claim(STAYED, {}, None, stayed, "attested"))
    again = tree_grown_again(engine_of(released), noise.schema_, noise.settings.trees)
    judged = {
        "judged_on": "the original records",
        "of_the_original_tree": accuracy_on(noise.tree_, original),
        "same_rules": same_rules(noise.tree_, again),
        "same_counts": same_counts(noise.tree_, again),
        "likeness": tree_likeness(noise.tree_, again, released).figures(),
    }
    claims.append(Claim(REGROWN, judged, None, accuracy_on(again, original), "attested"))
    return tuple(claims)


def _coarse_shift(shift: float, column: Coded) -> float:
    """A shift of a mean to a thousandth of the column's range: a sum over everybody, which would
    tell with all its digits the last value to one who knows all others."""
    low, high = (Fraction(column.domain.values[end].item()) for end in (0, -1))
    if low == high:
        return 0.0
    width = high - low  # exact: it may be beyond floats
    return float(f"{float(round(Fraction(shift) / width, 3) * width):.3g}")


def _hardly_touched(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    """The columns of which next to nothing is expected to change, all in one sentence."""
    few = [f.column for f in columns if f.expected < HARDLY * f.records]
    if few:
        yield (
            f"Noise hardly touches {', '.join(few)}: fewer than {HARDLY:.0%} of the values are "
            "expected to change."
        )


def _on_correlations(most: float | None) -> Iterator[str]:
    if most is not None:
        yield f"Correlations of the numbers that were moved together changed by at most {most:.3f}."


def _messages(noise: NoiseFramework, moved: int) -> tuple[str, ...]:
    law = noise.class_.law_
    messages = list(noise.warnings_)
    if law.unprotected:
        share = law.unprotected / law.records
        messages.append(
            f"{law.unprotected:,} of {law.records:,} records ({share:.1%}) lie in leaves of one "
            "class: who knows the tree and the values on the path knows their class."
        )
    kept = noise.kept_
    if kept is not None and kept.resists is None:
        messages.append(f"The tree is kept, after {count(kept.redraws, 'redraw')}.")
    elif kept is not None:
        messages.append(
            f"The tree is not kept: after {count(kept.redraws, 'redraw')} node {kept.resists} "
            f"still resists ({kept.how})."
        )
    if not noise.settings.keeps_leaves:
        messages.append(f"Without the strict rule {moved:,} records left their leaf of the tree.")
    return tuple(messages)
