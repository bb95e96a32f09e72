"""k, l and t of a table: Privet against pycanon, on the same rows in one run.

    python benchmarks/bench_criteria.py [ROWS]        (default 200,000)

With a million rows pycanon takes many minutes for t.
"""

import sys

from pycanon import anonymity

from measure import cpu_seconds, show
from privet.criteria import measure_k, measure_l, measure_t
from privet.datasets import adult_like
from privet.engine import MemoryEngine
from privet.files.frames import frame_of

QUASI = ["age", "education_num", "marital_status", "occupation", "sex", "hours_per_week"]
SENSITIVE = "income"


def main(rows: int) -> None:
    import pandas as pd

    table = adult_like(rows)
    frame = frame_of(table, pd.DataFrame())
    MemoryEngine(adult_like(400_000)).count(QUASI)  # compiles, or loads what is compiled
    MemoryEngine(adult_like(400_000)).count([*QUASI, SENSITIVE])
    engine = MemoryEngine(table)
    classes = len(engine.count(QUASI).n)
    print(f"{rows:,} rows, {len(QUASI)} quasi-identifiers, {classes:,} equivalence classes")
    ours, k = cpu_seconds(lambda: measure_k(engine.count(QUASI)))
    peer, their_k = cpu_seconds(lambda: anonymity.k_anonymity(frame, QUASI), repeats=1)
    show("k", ours, peer, goal=20)
    assert k == their_k
    counted = [*QUASI, SENSITIVE]
    ours, l = cpu_seconds(lambda: measure_l(engine.count(counted), "distinct"))  # noqa: E741
    peer, their_l = cpu_seconds(lambda: anonymity.l_diversity(frame, QUASI, [SENSITIVE]), repeats=1)
    show("l (distinct)", ours, peer, goal=50)
    assert l == their_l
    ours, _ = cpu_seconds(lambda: measure_t(engine.count(counted)))
    peer, _ = cpu_seconds(lambda: anonymity.t_closeness(frame, QUASI, [SENSITIVE]), repeats=1)
    show("t", ours, peer, goal=50)
    floor, _ = cpu_seconds(lambda: frame.groupby(QUASI, observed=True).size())
    show("k against a pandas group-by", cpu_seconds(lambda: engine.count(QUASI))[0], floor)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
