"""The publisher of substituted tables: a table in, a release with its mechanism out, no tree."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from privet.engine import engine_of
from privet.release.audit import Audit
from privet.release.claims.substitution import METHOD, claims_of, treatments
from privet.release.layout import MECHANISM
from privet.release.manifest import Manifest
from privet.release.release import Release, today
from privet.release.rows import Rows, RowsInOrder
from privet.schema import Schema
from privet.substitution.perturb import RandomSubstitution
from privet.table import Table
from privet.version import __version__


@dataclass(frozen=True)
class SubstitutionPublisher:
    """Publishes a table whose values are drawn anew under public matrices."""

    perturber: RandomSubstitution
    keep_order: bool = False

    def publish(
        self,
        table: Table,
        schema: Schema,
        frame: str = "arrow",
        seed: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Release:
        """The release of a table; `schema` has the public domains of its columns."""
        table = table.select(name for name in table.names if name in schema)
        perturber = self.perturber.fit(table, schema)
        changed = perturber.drawn(table, seed, self.keep_order, progress)
        names = changed.names
        rows = RowsInOrder.keep(changed) if self.keep_order else Rows.of(engine_of(changed), names)
        mechanism = perturber.mechanism_
        released = replace(schema.without(set(schema.names()) - set(names)), groups={}, missing=())
        manifest = Manifest(
            privet_version=__version__,
            method={"name": METHOD, "order": "kept" if self.keep_order else "sorted"},
            schema=released,
            grower={},
            claims=claims_of(mechanism, changed.n_rows),
            recoding=treatments(mechanism, names),
            content_sha256=rows.content_sha256(),
            published=today(),
        )
        audit = Audit(METHOD, {}, {"warnings": list(perturber.warnings_)}, seed)
        return Release(
            rows,
            None,
            manifest,
            frame,
            tuple(perturber.warnings_),
            {MECHANISM: mechanism.to_text()},
            lambda: audit,
        )
