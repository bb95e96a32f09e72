"""Spark, started for one piece of work: a process of Java beside this one, and its session.

Its logs go to a folder that passes, since they may hold anything. `on_spark` works with the
session; where the caller has one, nothing is started here.
"""

import os
import shutil
import signal
import subprocess
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import MissingExtra, UsageError, param

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEEDS_JAVA = "install Java 17 or newer, or name the folder where it is in JAVA_HOME."


def started(master: str, memory: int | None, folder: Path) -> "SparkSession":
    """A session at a master; what it spills and says lies in a folder."""
    pyspark = _pyspark()
    require_java()
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if SparkSession.getActiveSession() is not None:
        raise UsageError(
            "Spark runs in this process already.", "hand its session over instead of a master."
        )
    conf = pyspark.SparkConf()
    conf.setAll(list(settings(master, memory, folder).items()))
    with (folder / "spark.log").open("wb") as log, _own_signals():
        try:
            # A process has one Java beside it, which an earlier session may have left.
            gateway = pyspark.SparkContext._gateway or launch_gateway(
                conf, popen_kwargs={"stdin": subprocess.PIPE, "stderr": log}
            )
            return SparkSession(pyspark.SparkContext(conf=conf, gateway=gateway))
        except Exception as error:
            if os.environ.get("PRIVET_DEBUG") == "1":
                raise
            raise UsageError(
                f"Spark did not start at {param('spark_master', master)} ({type(error).__name__}).",
                f"see whether a master answers there; {_NEEDS_JAVA}",
            ) from None


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ctrl-C does afterwards what it did before: Spark would take it for its own."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def settings(master: str, memory: int | None, folder: Path) -> dict[str, str]:
    """What Spark is told; everything else is as the machine's own configuration has it."""
    told = {
        "spark.master": master,
        "spark.app.name": "privet",
        "spark.ui.enabled": "false",  # nobody else needs to see what is counted
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.local.dir": str(folder / "spilled"),
        "spark.sql.ansi.enabled": "true",  # sums that overflow are errors, never other sums
    }
    if memory is not None:
        for process in ("driver", "executor"):
            told[f"spark.{process}.memory"] = f"{memory // 10**6}m"
    return told


def require_java() -> None:
    """Refuse to begin where there is no Java."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise UsageError("Spark needs Java, and there is none here.", _NEEDS_JAVA)


def _pyspark() -> Any:
    with warnings.catch_warnings():  # Spark warns of versions of pandas, which nothing here uses
        warnings.simplefilter("ignore")
        try:
            import pyspark.sql
        except ImportError:
            raise MissingExtra("Counting on a cluster needs", "Spark", "spark") from None
        with suppress(ImportError):  # it would be loaded later, and warn then
            import pyspark.testing.utils
    return pyspark
