"""The shape of the source: where foreign libraries may be used, how modules are named.

The direction of imports is checked by import-linter (`.importlinter`, run by `make lint`). Here the
source is read and not imported, so that imports inside functions are seen as well. How long files
are and how many decisions a function makes is counted in `test_house`.
"""

import ast
import re
from pathlib import Path

import pytest

import privet

SOURCE = Path(privet.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

# Where each foreign library may be imported: path prefixes within the package.
FENCES = {
    "pandas": ("table.py", "files/", "engine/"),
    "polars": ("table.py", "files/", "engine/"),
    "pyarrow": ("table.py", "files/", "engine/"),
    "duckdb": ("table.py", "files/", "engine/"),
    "pyspark": ("table.py", "files/", "engine/"),
    "numba": ("compiled/",),
    "tomllib": ("documents.py",),
}
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc"}
METHODS = {"preserve", "noise", "substitution", "parties"}
JUDGES = {"criteria", "measure", "attack", "release"}


def place(module: Path) -> str:
    return module.relative_to(SOURCE).as_posix()


def imported(source: str) -> set[str]:
    """The full names of every module that a source text imports, wherever it does so."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            called = called.id if isinstance(called, ast.Name) else called
            if called in ("import_module", "__import__"):
                names.add(str(node.args[0].value))
    return names


def escapes(source: str, where: str) -> set[str]:
    """The fenced libraries that a module imports although it lies outside their fences."""
    roots = {name.partition(".")[0] for name in imported(source)}
    return {lib for lib in roots & FENCES.keys() if not where.startswith(FENCES[lib])}


def test_the_source_is_found() -> None:
    assert {"errors.py", "table.py", "engine/protocol.py"} <= {place(m) for m in MODULES}


@pytest.mark.parametrize(
    ("source", "where", "found"),
    [
        ("import pandas as pd", "tree/grow.py", {"pandas"}),
        ("def f():\n    from pyarrow.parquet import read_table", "cli/main.py", {"pyarrow"}),
        ("import importlib\nimportlib.import_module('polars')", "schema.py", {"polars"}),
        ("from numba import njit", "files/csv.py", {"numba"}),
        ("import pyarrow", "files/csv.py", set()),
        ("from numba import njit", "compiled/counting.py", set()),
        ("from privet.table import Table", "tree/grow.py", set()),
    ],
)
def test_the_fence_sees_every_way_to_import(source: str, where: str, found: set[str]) -> None:
    assert escapes(source, where) == found


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_json_is_read_in_one_place_only(module: Path) -> None:
    """`privet.documents` reads within bounds; anybody may write JSON."""
    calls = re.findall(r"\bjson(?:_text)?\.loads?\(", module.read_text(encoding="utf-8"))
    assert len(calls) == (1 if place(module) == "documents.py" else 0)


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_foreign_libraries_stay_inside_their_fences(module: Path) -> None:
    assert escapes(module.read_text(encoding="utf-8"), place(module)) == set()


def test_a_judge_never_imports_what_it_judges() -> None:
    judges = [m for m in MODULES if place(m).partition("/")[0] in JUDGES]
    names = {name for m in judges for name in imported(m.read_text(encoding="utf-8"))}
    prefixes = tuple(f"privet.{method}" for method in METHODS)
    assert not {name for name in names if name.startswith(prefixes)}


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_names_say_what_is_inside(module: Path) -> None:
    parts = {part.strip("_") for part in module.relative_to(SOURCE).with_suffix("").parts}
    assert parts & EMPTY_NAMES == set()


@pytest.mark.parametrize("module", MODULES, ids=place)
def test_modules_say_what_they_are(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module opens with what is in it"
