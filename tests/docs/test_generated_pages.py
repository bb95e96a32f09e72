"""Pages made from the source are up to date, and hold every command and every public name."""

import ast
import re
import runpy
from pathlib import Path

import pytest

import privet
from privet.cli.main import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
GENERATE = runpy.run_path(str(DOCS / "generate.py"))


@pytest.mark.parametrize("name", GENERATE["PAGES"])
def test_a_page_says_what_the_source_says(name: str) -> None:
    made = GENERATE["PAGES"][name]()
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == made, f"docs/{name} is out of date: run `python docs/generate.py`"


def test_every_command_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## privet (\S+)$", page, re.MULTILINE))
    assert headings == set(COMMANDS)


def test_every_public_name_is_in_the_reference_once() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto\w+:: privet\.(\w+)$", page, re.MULTILINE)
    assert sorted(documented) == sorted(privet.__all__)


def test_a_page_that_lags_behind_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = GENERATE["main"].__globals__
    monkeypatch.setitem(module, "DOCS", tmp_path)
    monkeypatch.setitem(module, "PAGES", {"page.md": lambda: "as the source says\n"})
    main = GENERATE["main"]
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert (tmp_path / "page.md").read_text() == "as the source says\n"
    assert main(["--check"]) == 0
    (tmp_path / "page.md").write_text("edited\n")
    assert main(["--check"]) == 1


def test_decisions_are_counted() -> None:
    violations = runpy.run_path(str(DOCS / "violations.py"))
    text = "def f(a):\n    if a and a > 1 or a < 0:\n        return [b for b in a if b]\n"
    assert violations["complexity"](ast.parse(text).body[0]) == 6
    assert violations["reason_for"]("nowhere.py") == violations["REASONS"][""]
    assert violations["reason_for"]("cli/publish.py") == violations["REASONS"]["cli/"]
