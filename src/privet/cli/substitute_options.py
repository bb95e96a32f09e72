"""The options of `privet substitute`: which columns change, and how likely a value stays."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from privet.cli.choices import Representative
from privet.cli.loading import names
from privet.cli.options import Columns, flag, option, values_by_column
from privet.errors import UsageError

if TYPE_CHECKING:
    from privet.substitution import RandomSubstitution


@dataclass(frozen=True, kw_only=True)
class SubstitutionOptions:
    """Columns, matrices and domains."""

    columns: Annotated[
        Columns,
        option(
            "--columns",
            "COLUMNS",
            "Columns to perturb one by one: a,b; without it all but identifiers and the target.",
        ),
    ] = None
    joint: Annotated[
        list[str] | None,
        option("--joint", "A+B", "Columns to perturb together, as one; repeatable."),
    ] = None
    gamma: Annotated[
        str | None,
        option(
            "--gamma",
            "G",
            "How much likelier a value stays: 9, 9.5 or 19/2; 9 without it. With --rho1 and "
            "--rho2 the smaller gamma holds.",
        ),
    ] = None
    epsilon: Annotated[
        str | None,
        option(
            "--epsilon",
            "E",
            "What a whole record may tell, all its columns together; instead of --gamma.",
        ),
    ] = None
    importance: Annotated[
        list[str] | None,
        option(
            "--importance",
            "COLUMN=W",
            "With --epsilon: this column gets W parts where others get 1; a guess that is public, "
            "never taken from the records. Repeatable.",
        ),
    ] = None
    matrix: Annotated[
        list[str] | None,
        option(
            "--matrix",
            "FILE",
            "A matrix of one's own instead of gamma, CSV or JSON: for every column, or COLUMN=FILE "
            "for one; repeatable.",
        ),
    ] = None
    with_target: Annotated[bool, flag("--with-target", "Perturb the target as well.")] = False
    rho1: Annotated[
        str | None, option("--rho1", "P", "A belief held before; with --rho2 gives gamma.")
    ] = None
    rho2: Annotated[
        str | None, option("--rho2", "P", "The most that a belief of --rho1 may become.")
    ] = None
    bins: Annotated[int, option("--bins", "N", "Bins of numbers and dates.")] = 20
    representative: Annotated[
        Representative, option("--show", "HOW", "A bin is shown by: centre, lower or random.")
    ] = "centre"
    domain_from_data: Annotated[
        bool,
        flag(
            "--domain-from-data",
            "Take domains from the records where the schema declares none (this leaks).",
        ),
    ] = False

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The columns of each --joint."""
        return [tuple(part.strip() for part in text.split("+")) for text in self.joint or ()]

    @property
    def named(self) -> dict[str, list[str]]:
        """The columns that are named, by option."""
        together = [name for group in self.groups for name in group]
        return {"--columns": names(self.columns), "--joint": together}

    @property
    def matrix_files(self) -> dict[str, Path]:
        """The files of matrices by column; "" stands for all others."""
        found: dict[str, Path] = {}
        for text in self.matrix or ():
            name, equals, rest = text.partition("=")
            column, place = (
                (name.strip(), rest) if equals and not Path(text).exists() else ("", text)
            )
            if column in found:
                raise UsageError(
                    "Two matrices are given for one column, or for all of them.",
                    "write --matrix COLUMN=FILE once for each column.",
                )
            found[column] = Path(place)
        return found

    def perturber(self) -> "RandomSubstitution":
        """What changes the records."""
        from privet.mechanism.matrix_file import read_matrix
        from privet.substitution import RandomSubstitution

        rho1, rho2 = self._beliefs_in_force()
        own = {column: read_matrix(path) for column, path in self.matrix_files.items()}
        return RandomSubstitution(
            columns=names(self.columns) if self.columns else None,
            gamma=self.gamma,
            bins=self.bins,
            joint=self.groups,
            rho1=rho1,
            rho2=rho2,
            representative=self.representative,
            domain_from_data=self.domain_from_data,
            epsilon=self.epsilon,
            importance=values_by_column("--importance", self.importance),
            with_target=self.with_target,
            matrix=own.pop("", None),
            matrices=own,
        )

    def _beliefs_in_force(self) -> tuple[str | None, str | None]:
        """Gamma and beliefs are limits that the owner set: what keeps more private must win."""
        from privet.mechanism.matrices import exact_number, largest_gamma

        if self.gamma is None or self.rho1 is None or self.rho2 is None:
            return self.rho1, self.rho2
        lesser_gamma = exact_number(self.gamma, "gamma") < largest_gamma(self.rho1, self.rho2)
        return (None, None) if lesser_gamma else (self.rho1, self.rho2)
