"""The publisher without a tree: a table in, a release out whose records share their values."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from privet.arrays import Integers
from privet.engine import Engine, engine_of
from privet.errors import param
from privet.preserve.anonymise.blocks import blocks_of, filled
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.preserve.describe import before_and_after
from privet.preserve.people_columns import PeopleFigures, people_figures, with_pairs
from privet.preserve.reachable import refuse_too_little, refuse_unreachable
from privet.preserve.recoding import apply, suppressed
from privet.preserve.records import records_of, released_schema
from privet.preserve.remarks import on_one_class, on_sensitive
from privet.preserve.row_numbers import origin_of, with_row_numbers
from privet.release.audit import Audit
from privet.release.claims.anonymised import looked_at, method_entry, nameless, treatments
from privet.release.claims.figures import ClassFigures, Figures, figures_of
from privet.release.claims.privacy import privacy_claims, shown_sensitive
from privet.release.manifest import Manifest
from privet.release.release import Release, today
from privet.release.rows import Rows
from privet.schema import Role, Schema
from privet.table import Table
from privet.version import __version__


@dataclass(frozen=True)
class AnonymisingPublisher:
    """Publishes a table without a tree; see `AnonymiseSettings` for what can be asked."""

    settings: AnonymiseSettings

    def publish(self, table: Table, schema: Schema, frame: str = "arrow") -> Release:
        """The release of a table whose columns all have their roles."""
        settings = self.settings
        settings.check(schema, table.n_rows)
        schema = replace(released_schema(table, schema, settings.person), groups={})
        records = records_of(table, schema, person=settings.person)
        records = with_row_numbers(with_pairs(records, schema, settings.person))
        original = engine_of(records)
        refuse_unreachable(original, schema, settings)
        blocks = blocks_of(original, schema, settings)
        recoded = filled(blocks, schema, settings.k)
        figures = figures_of(recoded, schema, schema.sensitive)
        hidden = () if settings.shows_sensitive else schema.names(Role.SENSITIVE)
        released = apply(recoded, {n: suppressed(n, original.domain(n)) for n in hidden})
        rows = Rows.of(released, schema.names())
        people = people_figures(recoded, schema, settings)
        refuse_too_little(recoded, schema, settings)
        manifest = _manifest(rows, schema, settings, figures, people)

        def audit() -> Audit:
            return Audit(
                settings.method,
                asdict(settings),
                {
                    "blocks": len(blocks),
                    "equivalence_classes": figures.equivalence_classes,
                    "columns": before_and_after(original, released, manifest.recoding),
                    "recodings": dict(manifest.recoding),
                    "l_by_column": {c: dict(ls) for c, ls in figures.l.items()},
                    "t_by_column": dict(figures.t),
                },
            )

        messages = tuple(_messages(original, schema, settings, figures))
        origin = origin_of(records, released, schema.quasi)
        return Release(rows, None, manifest, frame, messages, {}, audit, origin)


def _manifest(
    rows: Rows,
    schema: Schema,
    settings: AnonymiseSettings,
    figures: ClassFigures,
    people: PeopleFigures | None,
) -> Manifest:
    one_class = settings.one_class_rule(schema)
    shown = [c.name for c in schema if c.role is not Role.SENSITIVE or settings.shows_sensitive]
    looked = looked_at(
        schema, settings.method, one_class, settings.asks_of_sensitive, settings.target_known
    )
    recoding = treatments(settings.method, schema, shown, nameless(rows.table, schema))
    shown_ones = shown_sensitive(schema, recoding)
    asked = settings.asked() | {"of_people": people}
    return Manifest(
        privet_version=__version__,
        method=method_entry(settings.method, one_class, looked),
        schema=schema,
        grower={},
        claims=tuple(privacy_claims(figures, schema, shown_ones, asked)),
        recoding=recoding,
        content_sha256=rows.content_sha256(),
        published=today(),
    )


# -- what the steward should know ------------------------------------------------------------------


def _messages(
    original: Engine, schema: Schema, settings: AnonymiseSettings, figures: ClassFigures
) -> Iterator[str]:
    if figures.equivalence_classes == 1:
        yield "All records look alike: no cut satisfies what was asked for."
    if isinstance(figures, Figures):
        yield from on_one_class(figures)
    yield from on_sensitive(schema.names(Role.SENSITIVE), settings)
    yield from _on_rare_labels(original, schema, settings.k)
    yield from _on_others(original, schema)


def _on_rare_labels(original: Engine, schema: Schema, k: int) -> Iterator[str]:
    rare = {
        name: number
        for name in schema.quasi
        if not schema[name].kind.is_ordered and (number := int((_labels(original, name) < k).sum()))
    }
    empty = [name for name in rare if not (_labels(original, name) >= k).any()]
    columns = ", ".join(
        f"{name} ({number:,})" for name, number in rare.items() if name not in empty
    )
    if columns:
        yield (
            f"Categories of fewer than {k} records are not named; their records have others: "
            f"{columns}."
        )
    if empty:
        yield (
            f"Suppressed, since no category there has {k} records: {', '.join(empty)}. "
            f"If a column tells who a record is, name it: {param('identifier')}."
        )


def _on_others(original: Engine, schema: Schema) -> Iterator[str]:
    others = schema.names(Role.OTHER)
    if not others:
        return
    yield f"Released as they are, and counted in no claim: {', '.join(others)}."
    alone = {name: int((original.count([name]).n == 1).sum()) for name in others}
    if any(alone.values()):
        columns = ", ".join(f"{name} ({number:,})" for name, number in alone.items() if number)
        yield (
            f"Some records have a value there that no other has, which may tell who they are: "
            f"{columns}."
        )


def _labels(engine: Engine, name: str) -> Integers:
    """The records of each category of a column."""
    counts = engine.count([name])
    return counts.n[counts.keys[:, 0] < len(engine.domain(name).values)]
