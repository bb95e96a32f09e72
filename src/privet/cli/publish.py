"""`privet publish`: a table in, a release folder out from which the same tree grows again."""

import typer

from privet.cli.engine_options import EngineOptions
from privet.cli.ledger_options import LedgerOptions, ledger_figures
from privet.cli.loading import load_with_roles
from privet.cli.options import JsonOption, ReadingOptions, RoleOptions, TableArgument
from privet.cli.publish_answer import figures_of, in_words
from privet.cli.publish_options import AskedOptions, KOption, ReleaseSensitiveOption
from privet.cli.saving import AboutOptions, ReleaseOptions, save
from privet.cli.terminal import emit_json, working


def publish(
    table: TableArgument,
    *,
    k: KOption,
    roles: RoleOptions,
    asked: AskedOptions,
    release_sensitive: ReleaseSensitiveOption = False,
    reading: ReadingOptions,
    where: EngineOptions,
    writing: ReleaseOptions,
    book: LedgerOptions,
    words: AboutOptions,
    json: JsonOption = False,
) -> int:
    """Publish a table with its decision tree, so that the same tree grows again from it.

    Columns with no role given are quasi-identifiers. The release is checked from the written files
    before it appears; if anything does not hold, nothing is published.

    Example: privet publish patients.csv --target readmitted --identifier patient_id
    --sensitive diagnosis -k 10 -l 2 --out patients-release
    """
    from privet.pipeline import publish_table

    settings = asked.settings(k, release_sensitive)
    about = words.about()
    places = writing.places(table, reading.schema)
    book.check(places)
    more = settings.more_targets
    with where.counting(table, follows_rows=bool(writing.audit or book.ledger)):
        loaded, schema = load_with_roles(
            table, reading, roles, more_targets=more, person=settings.person
        )
        with working("Growing the tree and recoding ...") as say:

            def progress(done: int, sizes: int, leaves: int) -> None:
                say(f"Recoding for {leaves} leaves; {done / sizes:.0%} of all sizes were tried ...")

            release = publish_table(loaded, schema, settings, progress=progress)
        release = book.enter(release.described(about), table, schema)
        with working("Writing and verifying ..."):
            fingerprint = save(release, places, report=not writing.no_report)
    figures = figures_of(release, places.out, fingerprint) | ledger_figures(release)
    if json:
        emit_json(figures)
    else:
        typer.echo(in_words(release, figures, with_report=not writing.no_report))
    return 0
