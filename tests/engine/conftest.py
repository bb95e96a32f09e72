"""Every engine through one fixture: what is asked of one is asked of all."""

from collections.abc import Callable, Iterator

import pytest

from privet.engine import Engine, MemoryEngine, SqlEngine
from privet.engine.workplace import Workplace
from privet.files.disk import passing_folder
from privet.table import Table


@pytest.fixture(scope="session")
def workplace() -> Iterator[Workplace]:
    with passing_folder("test") as folder:
        place = Workplace(folder, 10**9)
        yield place
        place.close()


@pytest.fixture(params=["numpy", "compiled", "duckdb"])
def engine_on(request: pytest.FixtureRequest) -> Callable[[Table], Engine]:
    """Makes an engine that holds a table."""
    if request.param == "duckdb":
        place = request.getfixturevalue("workplace")
        return lambda table: SqlEngine.holding(table, place)
    return lambda table: MemoryEngine(table, compiled=request.param == "compiled")
