"""Tables that a cluster has: its machines write them to Parquet files, and these are read here.

A table is named as in the cluster's catalogue (`spark:clinic.visits`), or by the path of Parquet
files that the cluster reaches (`spark:hdfs://host/visits`). `files.several` knows such names.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import InputError, OutputError

if TYPE_CHECKING:
    from privet.engine.on_spark import OnSpark

_PATH = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/+(.*)")


class SparkTables:
    """The tables of a cluster, each handed over once, into a folder that passes with the work."""

    def __init__(self, place: "OnSpark", folder: Path) -> None:
        self._place, self._folder = place, folder
        self._parts: dict[str, list[Path]] = {}

    def hand_over(self, table: str) -> list[Path]:
        """The files of a table."""
        if table not in self._parts:
            found = self._find(table)
            folder = self._folder / f"handed-over-{len(self._parts)}"
            self._place.carry_out(lambda: found.write.parquet(folder.as_uri()))
            self._parts[table] = sorted(folder.glob("part-*.parquet"))
        if not self._parts[table]:
            raise OutputError(
                "The cluster wrote the table where this machine does not see it.",
                "name a folder that all its machines see in the environment variable TMPDIR.",
            )
        return self._parts[table]

    def _find(self, table: str) -> Any:
        from pyspark.errors import AnalysisException

        session = self._place.session
        path = _PATH.fullmatch(table)
        try:
            return session.table(table) if path is None else session.read.parquet(_address(path))
        except AnalysisException:
            raise InputError(
                "Spark knows no table of that name.",
                "name one of its catalogue, such as spark:clinic.visits, or the path of Parquet "
                "files, such as spark:hdfs://host/visits.",
            ) from None


def _address(path: re.Match[str]) -> str:
    """A path as it was typed: taken for one of this machine, it has lost a slash."""
    return f"{path[1]}:{'///' if path[1] == 'file' else '//'}{path[2]}"
