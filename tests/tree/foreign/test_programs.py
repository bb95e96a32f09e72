"""Programs are found by variable or place; what is missing or slow is said with a hint."""

import sys
from pathlib import Path

import pytest

from privet.errors import InvalidParameter, UsageError
from privet.tree.foreign import PROGRAMS, programs, require


@pytest.mark.parametrize(
    ("find", "variable"),
    [
        (programs.rscript, "PRIVET_RSCRIPT"),
        (programs.java, "PRIVET_JAVA"),
        (programs.weka_jar, "PRIVET_WEKA_JAR"),
    ],
)
def test_a_variable_names_a_program(
    find: object, variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert callable(find)
    monkeypatch.setenv(variable, sys.executable)
    assert find() == sys.executable
    monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match=variable) as caught:
        find()
    assert "unset it" in caught.value.hint


def test_what_is_missing_is_said_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PRIVET_RSCRIPT", "PRIVET_JAVA", "PRIVET_WEKA_JAR", "WEKA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(programs, "_WEKA_PLACES", ())
    for find, hint in (
        (programs.rscript, "install R"),
        (programs.java, "install a Java"),
        (programs.weka_jar, "install WEKA"),
    ):
        with pytest.raises(UsageError, match="was not found") as caught:
            find()
        assert hint in caught.value.hint


def test_weka_is_found_in_its_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PRIVET_WEKA_JAR", raising=False)
    monkeypatch.setenv("WEKA_HOME", str(tmp_path))
    (tmp_path / "weka.jar").write_bytes(b"")
    assert programs.weka_jar() == str(tmp_path / "weka.jar")


def test_unknown_programs_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="privet, sklearn, rpart, weka"):
        require("cart")
    assert PROGRAMS[0] == "privet"


def test_a_run_is_bounded_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PRIVET_FOREIGN_SECONDS", "0.2")
    with pytest.raises(UsageError, match=r"after 0\.2 seconds"):
        programs.run([sys.executable, "-c", "import time; time.sleep(9)"], tmp_path, "it")
    monkeypatch.setenv("PRIVET_FOREIGN_SECONDS", "soon")
    with pytest.raises(InvalidParameter, match="PRIVET_FOREIGN_SECONDS"):
        programs.run([sys.executable, "-c", ""], tmp_path, "it")


def test_what_a_program_says_in_failing_is_not_shown(tmp_path: Path) -> None:
    failing = "import sys; sys.exit('Smith, 42')"
    with pytest.raises(UsageError, match="error of its own") as caught:
        programs.run([sys.executable, "-c", failing], tmp_path, "it")
    assert "Smith" not in str(caught.value)
    with pytest.raises(UsageError, match="could not be started"):
        programs.run([str(tmp_path / "nothing")], tmp_path, "it")
    assert programs.run([sys.executable, "-c", "print(7)"], tmp_path, "it") == "7\n"
