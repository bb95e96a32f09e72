"""k, l and t of a table: Privet against pycanon, on the same rows in one run.

    python benchmarks/bench_criteria.py [ROWS]        (default 200,000)

With a million rows pycanon takes many minutes for t. Without pycanon our own seconds are printed.
At last the command `privet check` from start to end, against DuckDB counting the same classes.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import cost_of, cpu_seconds, show
from privet.criteria import measure_k, measure_l, measure_t
from privet.datasets import adult_like
from privet.engine import MemoryEngine
from privet.files import write_table
from privet.files.frames import frame_of
from privet.table import Table

QUASI = ["age", "education_num", "marital_status", "occupation", "sex", "hours_per_week"]
SENSITIVE = "income"
WARM_UP = 400_000  # rows; compiled code comes into play somewhere below


def theirs(criterion: str, *asked: Any) -> tuple[float | None, Any]:
    """The peer's CPU seconds and answer; none where it is not installed."""
    try:
        from pycanon import anonymity
    except ImportError:
        return None, None
    return cpu_seconds(lambda: getattr(anonymity, criterion)(*asked), repeats=1)


def whole_command(table: Table) -> None:
    """`privet check` of a Parquet file, imports and all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(table, path)
        check = [sys.executable, "-m", "privet", "check", str(path), "--quasi", ",".join(QUASI)]
        ours = cost_of([*check, "-k", "2"], 3).seconds
        classes = f"SELECT count(*) n FROM '{path}' GROUP BY {', '.join(QUASI)}"
        query = f"SELECT min(n), count(*), sum(n) FILTER (n < 2) FROM ({classes})"
        asked = f"import duckdb; duckdb.connect().execute({query!r}).fetchall()"
        peer = None
        if importlib.util.find_spec("duckdb") is not None:
            peer = cost_of([sys.executable, "-c", asked], 3).seconds
    show("privet check, the whole command (DuckDB)", ours, peer, goal=1 / 1.3)


def main(rows: int) -> None:
    table = adult_like(rows)
    frame = frame_of(table, "pandas")
    counted = [*QUASI, SENSITIVE]
    warm = MemoryEngine(adult_like(min(WARM_UP, rows)))
    warm.count(QUASI)  # compiles, or loads what is compiled
    warm.count(counted)
    engine = MemoryEngine(table)
    classes = len(engine.count(QUASI).n)
    print(f"{rows:,} rows, {len(QUASI)} quasi-identifiers, {classes:,} equivalence classes")
    ours, k = cpu_seconds(lambda: measure_k(engine.count(QUASI)))
    peer, their_k = theirs("k_anonymity", frame, QUASI)
    show("k", ours, peer, goal=20)
    assert their_k in (k, None)
    ours, l = cpu_seconds(lambda: measure_l(engine.count(counted), "distinct"))  # noqa: E741
    peer, their_l = theirs("l_diversity", frame, QUASI, [SENSITIVE])
    show("l (distinct)", ours, peer, goal=50)
    assert their_l in (l, None)
    ours, _ = cpu_seconds(lambda: measure_t(engine.count(counted)))
    peer, _ = theirs("t_closeness", frame, QUASI, [SENSITIVE])
    show("t", ours, peer, goal=50)
    if peer is None:
        print("pycanon is not installed: pip install privet[bench]")
    floor, _ = cpu_seconds(lambda: frame.groupby(QUASI, observed=True).size())
    show("k against a pandas group-by", cpu_seconds(lambda: engine.count(QUASI))[0], floor)
    whole_command(table)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
