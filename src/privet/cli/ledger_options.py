"""`--ledger`: the secret file that knows who was released before, for commands that publish."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privet.cli.options import option
from privet.cli.saving import Places

if TYPE_CHECKING:
    from privet.release import Release
    from privet.schema import Schema


@dataclass(frozen=True, kw_only=True)
class LedgerOptions:
    """Where the ledger is, if one is kept."""

    ledger: Annotated[
        Path | None,
        option(
            "--ledger",
            "F.json",
            "Enter the people in this secret file, and be warned of those released before.",
        ),
    ] = None

    def check(self, places: Places) -> None:
        """Refuse, before any work, a place that cannot be."""
        from privet.files.places import check_output, keep_apart, refuse_inputs

        if self.ledger is not None:
            keep_apart(places.out, places.audit, self.ledger)
            refuse_inputs(self.ledger, places.inputs)
            check_output(self.ledger, force=True)  # it is renewed

    def enter(self, release: "Release", table: Path, schema: "Schema") -> "Release":
        """The release, to be entered when it is saved; people are known by their identifiers."""
        if self.ledger is None:
            return release
        from privet.files import read_table
        from privet.schema import Kind, Role

        identifiers = schema.names(Role.IDENTIFIER)
        people = None
        if identifiers:
            kinds = dict.fromkeys(identifiers, Kind.CATEGORY)
            people = read_table(table, columns=identifiers, kinds=kinds)
        return release.in_ledger(self.ledger, people)


def ledger_figures(release: "Release") -> dict[str, Any]:
    """What the ledger says, for programs; nothing where none is kept."""
    return {} if release.ledger is None else {"ledger": release.ledger.meeting.to_data()}
