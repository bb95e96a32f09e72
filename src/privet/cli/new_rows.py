"""What `privet recode` and `privet predict` share: new rows, treated by a release."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.options import CategoryOption, DryRunOption, ForceOption, MissingOption, option
from privet.cli.saving import Files, as_table_file
from privet.cli.verify import ReleaseArgument

if TYPE_CHECKING:
    from privet.release import Release
    from privet.table import Table


@dataclass(frozen=True, kw_only=True)
class NewRowOptions:
    """The release, the new rows and where the result goes."""

    release: ReleaseArgument
    new: Annotated[Path, typer.Argument(metavar="NEW", help="New rows, with the original columns.")]
    out: Annotated[Path, option("--out", "F", "The file to write.")]
    missing: MissingOption = None
    category: CategoryOption = None
    force: ForceOption = False
    dry_run: DryRunOption = False

    def write(self, treated: "Callable[[Table, Release], Table]", verb: str) -> None:
        """Read the rows, treat them by the release, write them and say so."""
        from privet.files import refuse_format
        from privet.files.fence import fence
        from privet.release import read_release
        from privet.release.new_rows import read_new_rows

        refuse_format(self.out)
        published = read_release(self.release)
        files = Files((self.out,), (self.release, self.new), self.force, self.dry_run).checked()
        rows = read_new_rows(self.new, published.manifest, self.missing or (), self.category or ())
        with fence(self.release, "release"):
            result = treated(rows, published)
        files.write({self.out: as_table_file(result)})
        typer.echo(f"{files.wrote} {self.out}: {rows.n_rows:,} rows {verb}.")
