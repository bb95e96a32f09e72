"""Errors speak the language of the caller: parameters in Python, options on the command line."""

import ast
import re
from pathlib import Path

import pytest

import privet
from privet.cli.main import main
from privet.errors import (
    InvalidParameter,
    PrivetError,
    UsageError,
    either,
    in_options,
    in_python,
    param,
    read_as_category,
)
from privet.preserve.settings import PublishSettings

SOURCE = Path(privet.__file__).parent
OPTION = re.compile(r"(^|[\s(`'\"])--([a-z]|$)")


@pytest.mark.parametrize(
    ("said", "python", "options"),
    [
        (param("leaves"), "leaves", "--leaves"),
        (param("min_leaf", 6), "min_leaf=6", "--min-leaf 6"),
        (param("way", "by-class"), 'way="by-class"', "--way by-class"),
        (param("force", True), "force=True", "--force"),
        (param("strict", False), "strict=False", "--no-strict"),
        (param("k", 5), "k=5", "-k 5"),
        (param("class_noise"), "class_noise", "--class"),
        (either("here", "there"), "here", "there"),
        (read_as_category("zip"), 'kinds={"zip": "category"}', "--category zip"),
    ],
)
def test_a_parameter_is_worded_for_either(said: str, python: str, options: str) -> None:
    assert in_python(f"give {said}.") == f"give {python}."
    assert in_options(f"give {said}.") == f"give {options}."


def test_an_error_speaks_python_unless_asked() -> None:
    error = UsageError(f"{param('leaves')} is too large.", f"try {param('leaves', 6)}.")
    assert str(error) == "leaves is too large.\nHint: try leaves=6."
    assert (error.message, error.hint) == ("leaves is too large.", "try leaves=6.")
    assert error.args == ("leaves is too large.",)
    assert [in_options(text) for text in error.raw] == ["--leaves is too large.", "try --leaves 6."]
    assert str(InvalidParameter("min_leaf", "a number", "x")).startswith("min_leaf must be")
    assert in_options(InvalidParameter("min_leaf", "a", "x").raw[0]).startswith("--min-leaf must")


def strings_outside_either(path: Path) -> list[str]:
    """Every text of a module that is no docstring and no wording for the command line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    spared: set[int] = set()
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "either"
        if is_call or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            spared |= {id(inner) for inner in ast.walk(node)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared
    ]


def test_only_the_command_line_speaks_of_options() -> None:
    programs = {"rpart.py", "__main__.py", "errors.py"}  # R's options, a program of its own
    for path in sorted(SOURCE.rglob("*.py")):
        if "cli" in path.relative_to(SOURCE).parts or path.name in programs:
            continue
        found = [text for text in strings_outside_either(path) if OPTION.search(text)]
        assert not found, f"{path.name}: {found}"


def test_one_refusal_in_both_languages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"age": age, "y": "no" if age < 40 else "yes"} for age in range(20, 60)]
    frame = {"age": [row["age"] for row in rows], "y": [row["y"] for row in rows]}
    with pytest.raises(PrivetError, match="min_leaf must be"):
        privet.publish(frame, target="y", k=2, min_leaf=0)
    table = tmp_path / "t.csv"
    table.write_text("age,y\n" + "".join(f"{row['age']},{row['y']}\n" for row in rows))
    asked = ["publish", str(table), "--target", "y", "-k", "2", "--min-leaf", "0"]
    assert main([*asked, "--out", str(tmp_path / "r")]) == 2
    assert "--min-leaf must be" in capsys.readouterr().err


def test_unknown_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="leafs"):
        privet.publish({"a": [1, 2], "y": ["a", "b"]}, target="y", k=1, leafs=4)  # type: ignore[call-arg]


def test_what_was_given_is_shown_in_the_language_of_the_caller() -> None:
    error = InvalidParameter("k", "a whole number", "5")
    assert error.message == 'k must be a whole number, got "5".'
    assert in_options(error.raw[0]) == "-k must be a whole number, got 5."
    long = InvalidParameter("k", "a whole number", "5" * 200)
    assert len(in_options(long.raw[0])) < 150
    with pytest.raises(InvalidParameter) as caught:
        PublishSettings(k=0)
    assert caught.value.hint == "k=1 asks for no k-anonymity."
