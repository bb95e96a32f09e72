"""Where a command writes its release: looked at before any work, used at its end."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import InvalidParameter

if TYPE_CHECKING:
    from privet.release import Release


@dataclass(frozen=True)
class Places:
    """The folders of a release and its audit, and what they must not touch."""

    out: Path
    audit: Path | None
    inputs: tuple[Path | None, ...]
    force: bool
    format: str = "parquet"

    def checked(self) -> "Places":
        """Refuse places that cannot be, before a table is read."""
        from privet.files.outputs import check_output, keep_apart, refuse_inputs

        if self.format not in ("parquet", "csv"):
            raise InvalidParameter("--format", "parquet or csv", self.format)
        keep_apart(self.out, self.audit)
        for place in (self.out, self.audit):
            if place is not None:
                refuse_inputs(place, self.inputs)
                check_output(place, "folder", self.force)
        return self


def save(release: "Release", places: Places, report: bool) -> str:
    """Write a release, and its audit if one is asked for; the fingerprint."""
    return release.save(
        places.out,
        audit=places.audit,
        format="csv" if places.format == "csv" else "parquet",
        force=places.force,
        report=report,
        inputs=[path for path in places.inputs if path is not None],
    )
