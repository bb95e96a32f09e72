"""What is said of the package in several files is the same in all of them."""

import re
import tomllib
from pathlib import Path

import pytest

import privet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINORS = ["3.11", "3.12", "3.13"]


def said(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_said_in_one_place_and_repeated_rightly() -> None:
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    assert f"\nversion: {privet.__version__}\n" in said("CITATION.cff")
    newest = re.search(r"^## \[([^\]]+)\]", said("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == privet.__version__


def test_every_version_of_python_that_is_declared_is_tested() -> None:
    declared = [one for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert [one.rpartition(" ")[2] for one in declared] == MINORS
    assert PROJECT["requires-python"] == f">={MINORS[0]}"
    matrix = "[" + ", ".join(f'"{minor}"' for minor in MINORS) + "]"
    assert said(".github/workflows/ci.yml").count(matrix) == 2


def test_the_licence_is_an_expression_and_its_file_is_there() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    assert not [one for one in PROJECT["classifiers"] if one.startswith("License")]
    assert all((ROOT / name).exists() for name in PROJECT["license-files"])


@pytest.mark.parametrize("name", PROJECT["dependencies"])
def test_the_readme_names_what_the_core_needs(name: str) -> None:
    library = re.split(r"[<>=]", name)[0]
    assert {"ortools": "OR-tools"}.get(library, library) in said("README.md")


def test_the_readme_names_every_extra_for_users() -> None:
    for_makers = {"test", "test-spark", "lint", "docs", "bench", "ldp"}
    for extra in PROJECT["optional-dependencies"].keys() - for_makers:
        assert f"privet[{extra}]" in said("README.md"), extra
