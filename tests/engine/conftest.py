"""Every engine through one fixture: what is asked of one is asked of all.

Spark is large and slow to start. Where `PRIVET_TESTS` is `spark`, it takes the place of DuckDB, and
fewer random tables are tried (`make test-spark`).
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from privet.engine import Engine, MemoryEngine, SqlEngine, small_regions
from privet.engine.on_duckdb import OnDuckDB
from privet.engine.workplace import Workplace
from privet.files.disk import passing_folder
from privet.table import Table

DATABASE = "spark" if os.environ.get("PRIVET_TESTS") == "spark" else "duckdb"


@pytest.fixture(scope="module", autouse=True)
def every_question_is_asked() -> Iterator[None]:
    """Tables of tests are small, and small regions would be counted in memory."""
    usual, small_regions.FEW = small_regions.FEW, -1
    yield
    small_regions.FEW = usual


@pytest.fixture(scope="session")
def on_duckdb() -> Iterator[OnDuckDB]:
    with passing_folder("test") as folder:
        place = OnDuckDB(folder, 10**9)
        yield place
        place.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session for very small tables: compiling each question would take longer than asking it."""
    sql = pytest.importorskip("pyspark.sql")
    with passing_folder("test") as folder:
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.warehouse.dir", (folder / "warehouse").as_uri())
            .getOrCreate()
        )
        yield session
        session.stop()


@pytest.fixture(scope="session")
def workplace(request: pytest.FixtureRequest) -> Iterator[Workplace]:
    if DATABASE == "duckdb":
        yield request.getfixturevalue("on_duckdb")
        return
    from privet.engine.on_spark import OnSpark

    place = OnSpark(request.getfixturevalue("spark"), None, stops=False)
    yield place
    place.close()


@pytest.fixture(params=["numpy", "compiled", DATABASE])
def engine_on(request: pytest.FixtureRequest) -> Callable[[Table], Engine]:
    """Makes an engine that holds a table."""
    if request.param == DATABASE:
        place = request.getfixturevalue("workplace")
        return lambda table: SqlEngine.holding(table, place)
    return lambda table: MemoryEngine(table, compiled=request.param == "compiled")
