"""Built-in tables, drawn at random from a seed: for demonstrations, tests and benchmarks.

`adult_like` is a census, `hospital` has everything that makes a table hard to publish, `houses` has
a numeric response. `python -m privet.datasets NAME ROWS --out FILE` writes one to a file.
"""

from collections.abc import Callable

from privet.datasets.adult import adult_like
from privet.datasets.hospital import hospital
from privet.datasets.houses import houses
from privet.errors import UsageError
from privet.schema import Schema
from privet.table import Table

__all__ = ["adult_like", "hospital", "houses", "make", "registry", "schema_of"]

_ROLES: dict[str, dict[str, str]] = {
    "adult": {"target": "income"},
    "hospital": {"identifier": "patient_id", "sensitive": "diagnosis", "target": "readmitted"},
    "houses": {"target": "price"},
}


def registry() -> dict[str, Callable[[int, int], Table]]:
    """The generators by name; each takes the number of rows and a seed."""
    return {"adult": adult_like, "hospital": hospital, "houses": houses}


def make(name: str, n: int, seed: int = 0) -> Table:
    """A built-in table by its name."""
    generators = registry()
    if name not in generators:
        raise UsageError(
            f"There is no built-in table '{name}'.", f"choose one of: {', '.join(generators)}."
        )
    return generators[name](n, seed)


def schema_of(name: str, table: Table) -> Schema:
    """The schema of a built-in table, with the roles that its columns are meant to have."""
    return table.schema().with_roles(**_ROLES[name])
