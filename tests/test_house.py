"""The figures of the house: how long files and commands are, how many decisions a function makes.

`docs/violations.py` counts decisions, and lists what is near the limits; `test_architecture` has
the names of modules and the fences around foreign libraries.
"""

import ast
import runpy
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

import privet
from privet.cli.main import COMMANDS

SOURCE = Path(privet.__file__).parent
VIOLATIONS = Path(__file__).parents[1] / "docs" / "violations.py"
MODULES = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}

MOST_LINES = 350
MEDIAN_LINES = 160
MOST_DECISIONS = 15
MOST_LINES_OF_A_COMMAND = 60
TYPE_IGNORES_BELOW = 20
LINES_THAT_STAND_ONCE = 10


def functions(text: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_files_are_short() -> None:
    lengths = {path: len(text.splitlines()) for path, text in MODULES.items()}
    assert {path: n for path, n in lengths.items() if n > MOST_LINES} == {}
    assert statistics.median(lengths.values()) < MEDIAN_LINES


def test_no_function_makes_many_decisions() -> None:
    decisions = runpy.run_path(str(VIOLATIONS))["complexity"]
    found = {
        (path.relative_to(SOURCE).as_posix(), function.name): decisions(function)
        for path, text in MODULES.items()
        for function in functions(text)
    }
    assert max(found.values()) > 1  # something was counted
    assert {place: n for place, n in found.items() if n > MOST_DECISIONS} == {}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_short_besides_their_options(command: str) -> None:
    for function in functions(MODULES[SOURCE / "cli" / f"{command}.py"]):
        first = function.body[0]  # the docstring, if there is one
        start = first.end_lineno if ast.get_docstring(function) else first.lineno - 1
        assert function.end_lineno is not None
        assert start is not None
        assert function.end_lineno - start <= MOST_LINES_OF_A_COMMAND


def test_types_are_seldom_ignored() -> None:
    ignored = [
        line for text in MODULES.values() for line in text.splitlines() if "type: ignore" in line
    ]
    assert len(ignored) < TYPE_IGNORES_BELOW


def said(text: str) -> list[tuple[int, str]]:
    """The lines of a module that say something, with their numbers: no comments, no imports, and no
    parameters. Parameters are spelled out for each public function, so that editors know them."""
    passed: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert node.end_lineno is not None
            passed |= set(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.FunctionDef):
            passed |= set(range(node.lineno, node.body[0].lineno))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(n, line) for n, line in lines if n not in passed and line and line[0] != "#"]


def test_nothing_long_is_written_twice() -> None:
    first: dict[tuple[str, ...], str] = {}
    twice = []
    for path, text in MODULES.items():
        lines = said(text)
        for at in range(len(lines) - LINES_THAT_STAND_ONCE + 1):
            run = lines[at : at + LINES_THAT_STAND_ONCE]
            place = f"{path.relative_to(SOURCE).as_posix()}:{run[0][0]}"
            earlier = first.setdefault(tuple(line for _, line in run), place)
            if earlier != place:
                twice.append((earlier, place))
    assert len(first) > 1_000  # something was compared
    assert twice == []
