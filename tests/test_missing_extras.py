"""Without the library of an extra: one sentence, and a hint that names the extra."""

import subprocess
import sys
from pathlib import Path

import pytest

# Hides libraries as if they were not installed, then runs a line of Python.
HIDDEN = """
import sys
from importlib.machinery import PathFinder
from pathlib import Path

class Without(PathFinder):
    @staticmethod
    def find_spec(name, path=None, target=None):
        hidden = name.partition(".")[0] in {hidden!r}
        return None if hidden else PathFinder.find_spec(name, path, target)

sys.meta_path = [one for one in sys.meta_path if one is not PathFinder] + [Without]
import privet
table = privet.table_of({{"age": [30, 60]}})
try:
    {line}
except privet.PrivetError as error:
    print(type(error).__name__, error.message, error.hint, sep="|")
"""
CASES = {
    "pandas": ({"pandas"}, 'privet.frame_of(table, "pandas")'),
    "polars": ({"polars"}, 'privet.frame_of(table, "polars")'),
    "sklearn": ({"sklearn"}, "privet.TreeClassifier()"),
    "stat": ({"pyreadstat"}, 'privet.write_table(table, "people.sav")'),
    "excel": ({"openpyxl"}, 'privet.read_table("people.xlsx")'),
    "pictures": (
        {"matplotlib"},
        '__import__("privet.files.figures").files.figures.refuse_picture(Path("tree.png"))',
    ),
    "duckdb": ({"duckdb"}, "privet.larger_than_memory().__enter__()"),
    "spark": ({"pyspark"}, "privet.on_spark().__enter__()"),
    "studio": ({"starlette"}, '__import__("privet.studio.server").studio.server.serve(port=-1)'),
    "parties": (
        {"cryptography"},
        'privet.ProjectKey.new("x").write(Path("k"), passphrase="long enough")',
    ),
}


def said_without(hidden: set[str], line: str, folder: Path) -> str:
    code = HIDDEN.format(hidden=hidden, line=line)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("extra", CASES)
def test_a_missing_extra_is_named(extra: str, tmp_path: Path) -> None:
    (tmp_path / "people.xlsx").write_bytes(b"PK")
    hidden, line = CASES[extra]
    kind, message, hint = said_without(hidden, line, tmp_path).split("|")
    assert kind == "MissingExtra"
    assert message.endswith(", which is not installed.")
    assert ". " not in message  # one sentence
    assert hint.startswith(f'install it with: pip install "privet[{extra}]"')


@pytest.mark.parametrize("extra", sorted(CASES.keys() - {"spark"}))
def test_with_the_library_the_line_does_not_speak_of_it(extra: str, tmp_path: Path) -> None:
    """Spark has an environment of its own, with its own tests."""
    _, line = CASES[extra]
    assert "MissingExtra" not in said_without(set(), line, tmp_path)
