"""Built-in tables, drawn at random from a seed: for demonstrations, tests and benchmarks.

`adult_like` is a census, `hospital` has everything that makes a table hard to publish, `houses` has
a numeric response; `csd` and `crd` are the customers and credits of the papers on noise, `agrawal`
has the people of the papers on perturbed trees, in five groupings. `public` reads tables that
others publish. `python -m privet.datasets NAME ROWS --out FILE` writes one to a file.
"""

from collections.abc import Callable
from functools import partial

from privet.datasets.adult import adult_like
from privet.datasets.agrawal import FUNCTIONS, agrawal, agrawal_schema
from privet.datasets.crd import crd
from privet.datasets.csd import csd
from privet.datasets.hospital import hospital
from privet.datasets.houses import houses
from privet.errors import UsageError
from privet.schema import Schema
from privet.table import Table

__all__ = [
    "adult_like",
    "agrawal",
    "agrawal_schema",
    "crd",
    "csd",
    "hospital",
    "houses",
    "make",
    "registry",
    "schema_of",
]

_ROLES: dict[str, dict[str, str]] = {
    "adult": {"target": "income"},
    "crd": {"target": "credit_risk"},
    "csd": {"target": "status"},
    "hospital": {"identifier": "patient_id", "sensitive": "diagnosis", "target": "readmitted"},
    "houses": {"target": "price"},
}


def registry() -> dict[str, Callable[[int, int], Table]]:
    """The generators by name; each takes the number of rows and a seed."""
    return {
        "adult": adult_like,
        "crd": crd,
        "csd": csd,
        "hospital": hospital,
        "houses": houses,
        **{f"agrawal-{number}": partial(agrawal, number) for number in FUNCTIONS},
    }


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
    if name.startswith("agrawal-"):
        return agrawal_schema(table)
    return table.schema().with_roles(**_ROLES[name])
