"""What is said to Spark and how it is started, without Spark: that needs no large download."""

from pathlib import Path

import pytest

from privet.engine import spark_session
from privet.engine.on_spark import in_sparks_words, without_order
from privet.errors import UsageError


@pytest.mark.parametrize(
    ("ours", "sparks"),
    [
        ("CAST(x AS UTINYINT)", "CAST(x AS SMALLINT)"),
        ("CAST(x AS USMALLINT)", "CAST(x AS INT)"),
        ("CAST(x AS UINTEGER)", "CAST(x AS BIGINT)"),
        ("SUM(CAST(units AS HUGEINT) * n)", "SUM(CAST(units AS DECIMAL(38, 0)) * n)"),
        ("(start + n + 3) // 10", "(start + n + 3) DIV 10"),
        ("SELECT c0, n FROM t1 WHERE TRUE", "SELECT c0, n FROM t1 WHERE TRUE"),
    ],
)
def test_words_that_spark_has_others_for(ours: str, sparks: str) -> None:
    assert in_sparks_words(ours) == sparks


@pytest.mark.parametrize(
    ("ours", "unsorted", "by"),
    [
        ("SELECT a FROM t ORDER BY 1, 2", "SELECT a FROM t", ["1", "2"]),
        ("SELECT a\nFROM t ORDER BY at_row", "SELECT a\nFROM t", ["at_row"]),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", "", []),
        ("SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t", "", []),
    ],
)
def test_only_the_order_of_an_answer_is_left_out(ours: str, unsorted: str, by: list[str]) -> None:
    assert without_order(ours) == (unsorted or ours, by)


def test_spark_is_told_of_memory_only_if_somebody_says_so(tmp_path: Path) -> None:
    untold = spark_session.settings("spark://host:7077", None, tmp_path)
    assert untold["spark.master"] == "spark://host:7077"
    assert not [name for name in untold if "memory" in name]
    told = spark_session.settings("local[*]", 2 * 10**9, tmp_path)
    assert (told["spark.driver.memory"], told["spark.executor.memory"]) == ("2000m", "2000m")


def test_java_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="needs Java, and there is none here") as told:
        spark_session.require_java()
    assert "Java 17 or newer" in told.value.hint
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch()
    spark_session.require_java()
