"""Every public name has an example in its docstring, and it runs."""

import doctest
import inspect
import os
from pathlib import Path

import pytest

import privet
import privet.version

PARSER = doctest.DocTestParser()


def docstring_of(name: str) -> str:
    thing = getattr(privet, name)
    described = thing if callable(thing) else privet.version  # a plain value has no docstring
    return inspect.getdoc(described) or ""


@pytest.mark.parametrize("name", privet.__all__)
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = docstring_of(name)
    example = PARSER.get_doctest(text, {"privet": privet}, f"privet.{name}", None, 0)
    assert example.examples, f"privet.{name} needs an example (>>> ...) in its docstring"
    assert "privet." in "".join(one.source for one in example.examples)
    if name == "on_spark" and os.environ.get("PRIVET_TESTS") != "spark":
        pytest.skip("`make test-spark` runs the example of Spark")
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert not told, "".join(told)
