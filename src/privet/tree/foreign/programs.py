"""Finding R, Java and WEKA on this machine, and running them in a folder of their own.

Environment variables come first (PRIVET_RSCRIPT, PRIVET_JAVA, PRIVET_WEKA_JAR), then the usual
places. A run is bounded in time (PRIVET_FOREIGN_SECONDS, 600 unless set) and leaves nothing behind.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from privet.errors import InvalidParameter, UsageError

_WEKA_PLACES = (
    "/usr/share/java/weka.jar",
    "/usr/share/weka/weka.jar",
    "/opt/weka/weka.jar",
    "/usr/local/share/weka/weka.jar",
    "/Applications/weka.jar",
    "~/weka/weka.jar",
    "~/weka.jar",
)


def rscript() -> str:
    return _program("Rscript", "PRIVET_RSCRIPT", "install R with its package rpart")


def java() -> str:
    return _program("java", "PRIVET_JAVA", "install a Java runtime")


def weka_jar() -> str:
    named = os.environ.get("PRIVET_WEKA_JAR")
    if named:
        if Path(named).is_file():
            return named
        raise _missing("weka.jar", "PRIVET_WEKA_JAR", "", named=True)
    home = os.environ.get("WEKA_HOME")
    places = [*([f"{home}/weka.jar"] if home else []), *_WEKA_PLACES]
    for place in (Path(p).expanduser() for p in places):
        if place.is_file():
            return str(place)
    raise _missing("weka.jar", "PRIVET_WEKA_JAR", "install WEKA")


def run(command: Sequence[str], folder: Path, name: str) -> str:
    """What a program prints. An error of ours if it fails or takes too long; never its own text,
    which may hold cells of the table."""
    seconds = _seconds()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{name} was still growing its tree after {seconds:g} seconds.",
            "set PRIVET_FOREIGN_SECONDS to allow more.",
        ) from None
    except OSError:
        raise UsageError(f"{name} could not be started.", _hint(name)) from None
    if done.returncode != 0:
        if os.environ.get("PRIVET_DEBUG") == "1":
            print(done.stdout, done.stderr)
        raise UsageError(f"{name} stopped with an error of its own.", _hint(name))
    return done.stdout


def _hint(name: str) -> str:
    return f"check that {name} works by itself; PRIVET_DEBUG=1 shows what it said."


def _seconds() -> float:
    text = os.environ.get("PRIVET_FOREIGN_SECONDS", "600")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InvalidParameter("PRIVET_FOREIGN_SECONDS", "a number above 0", "another text")
    return seconds


def _program(name: str, variable: str, how: str) -> str:
    named = os.environ.get(variable)
    found = shutil.which(named or name)
    if found is None:
        raise _missing(name, variable, how, named=bool(named))
    return found


def _missing(name: str, variable: str, how: str, named: bool = False) -> UsageError:
    if named:
        return UsageError(
            f"{variable} does not name {name}.", f"set it to the path of {name}, or unset it."
        )
    return UsageError(f"{name} was not found.", f"{how}, or set {variable} to its path.")
