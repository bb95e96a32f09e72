"""`privet anonymise`: a table in, a release out whose records share values, without a tree."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.anonymise_answer import figures_of, in_words
from privet.cli.choices import Cutting, OneClass
from privet.cli.engine_options import EngineOptions
from privet.cli.ledger_options import LedgerOptions, ledger_figures
from privet.cli.loading import load_with_roles, names
from privet.cli.options import (
    Columns,
    JsonOption,
    ReadingOptions,
    RoleOptions,
    TableArgument,
    option,
)
from privet.cli.publish_options import (
    KOption,
    LKindOption,
    LOption,
    PersonOption,
    ReleaseSensitiveOption,
    TargetKnownOption,
    TOption,
)
from privet.cli.saving import AboutOptions, ReleaseOptions, save
from privet.cli.terminal import emit_json, working

if TYPE_CHECKING:
    from privet.preserve.anonymise.settings import AnonymiseSettings


@dataclass(frozen=True, kw_only=True)
class CuttingOptions:
    """What is asked of a release without a tree, but for k."""

    l: LOption = None  # noqa: E741
    l_kind: LKindOption = "strong"
    t: TOption = None
    # other commands have another `--method`, so the parameter has a name of its own
    cutting: Annotated[
        Cutting,
        option(
            "--method",
            "HOW",
            "mondrian: cut where records differ most; infogain: cut where most is told of the "
            "target.",
        ),
    ] = "mondrian"
    one_class: Annotated[
        OneClass | None,
        option(
            "--one-class",
            "forbid|allow",
            "Whether records that look alike may all have one target value; forbid where there is "
            "a target.",
        ),
    ] = None
    keep: Annotated[
        Columns,
        option("--keep", "COLUMNS", "Columns that matter most, cut first: a,b; repeatable."),
    ] = None
    release_sensitive: ReleaseSensitiveOption = False
    target_known: TargetKnownOption = False
    person: PersonOption = None

    def settings(self, k: int) -> "AnonymiseSettings":
        """What is asked, checked before any table is read."""
        from privet.preserve.anonymise.settings import AnonymiseSettings

        asked = asdict(self) | {"keep": tuple(names(self.keep))}
        settings = AnonymiseSettings(k=k, method=asked.pop("cutting"), **asked)
        settings.criteria_for(ordered=False)  # refuses an l or t that cannot be
        return settings


def anonymise(
    table: TableArgument,
    *,
    k: KOption,
    roles: RoleOptions,
    asked: CuttingOptions,
    reading: ReadingOptions,
    where: EngineOptions,
    writing: ReleaseOptions,
    book: LedgerOptions,
    words: AboutOptions,
    json: JsonOption = False,
) -> int:
    """Publish a table without a tree: every record shares its values with at least k - 1 others.

    Columns with no role given are quasi-identifiers; a target is not needed, and released as it is.
    The release is checked from the written files before it appears.

    Example: privet anonymise patients.csv --identifier patient_id --sensitive diagnosis -k 10
    -l 2 --out patients-release
    """
    from privet.pipeline import anonymise_table

    settings = asked.settings(k)
    about = words.about()
    places = writing.places(table, reading.schema)
    book.check(places)
    with where.counting(table, follows_rows=bool(writing.audit or book.ledger)):
        loaded, schema = load_with_roles(
            table, reading, roles, needs_target=False, person=settings.person
        )
        with working("Cutting the records into blocks ..."):
            release = anonymise_table(loaded, schema, settings)
        release = book.enter(release.described(about), table, schema)
        with working("Writing and verifying ..."):
            fingerprint = save(release, places, report=not writing.no_report)
    figures = figures_of(release, places.out, fingerprint) | ledger_figures(release)
    if json:
        emit_json(figures)
    else:
        typer.echo(in_words(release, figures, with_report=not writing.no_report))
    return 0
