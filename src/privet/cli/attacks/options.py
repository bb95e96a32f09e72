"""What the commands of `privet attack` share: the release or table, what is known and sought."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.loading import names
from privet.cli.options import CategoryOption, Columns, JsonOption, MissingOption, option
from privet.cli.terminal import emit_json
from privet.schema import Kind

if TYPE_CHECKING:
    from privet.attack.against import Found

KnownOption = Annotated[
    Columns,
    option("--known", "COLUMNS", "What the attacker knows: a,b; else all quasi-identifiers."),
]


@dataclass(frozen=True, kw_only=True)
class AttackedOptions:
    """What is attacked, by whom, and how the answer is told."""

    release: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE", help="The folder of a release, or a table as it is, with --known."
        ),
    ]
    known: KnownOption = None
    missing: MissingOption = None
    category: CategoryOption = None
    json: JsonOption = False

    @property
    def given(self) -> dict[str, Any]:
        """The arguments that every call of an attack on a release has."""
        return {
            "release": self.release,
            "known": names(self.known),
            "missing": self.missing or (),
            "kinds": dict.fromkeys(names(self.category), Kind.CATEGORY),
        }


SoughtOption = Annotated[
    Columns,
    option("--sought", "COLUMNS", "What is to be learnt: a,b; else target and sensitive columns."),
]


SubstitutedArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE", help="The folder of a release by substitution, or its mechanism.json."
    ),
]
OriginalOption = Annotated[
    Path, option("--original", "TABLE", "The table that was published, which stays inside.")
]
OutsideArgument = Annotated[
    Path, typer.Argument(metavar="OUTSIDE", help="A table of people, with columns that both have.")
]


def tell(found: "Found", json: bool) -> int:
    """Say what an attack found; finding something is no failure of the command."""
    if json:
        emit_json(found.to_data())
    else:
        for sentence in found.sentences():
            typer.echo(sentence)
    return 0
