"""Random substitution: perturbing and estimating, beside plain NumPy and multi-freq-ldpy.

    python benchmarks/bench_substitution.py [ROWS]

CPU seconds of one thread, best of three, all in one run; ratios say how many times faster ours is.
The floor is a copy of the same bytes. Memory is what perturbing allocates at its peak, per value.
"""

import sys
import tracemalloc

import numpy as np

from measure import cpu_seconds
from privet.mechanism.identities import numbered
from privet.mechanism.matrices import GammaDiagonal
from privet.mechanism.row_bits import bits_together
from privet.mechanism.sampling import substitute
from privet.substitution import estimate

GAMMA, N = 9, 20
COLUMNS = 12  # of a table: with a seed their bits are made together, and each is charged its share
PEER_ROWS = 300_000  # the peer takes one value a call: it is timed on these, and scaled up


def plain_numpy(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What most people would write: keep with probability p, else another value."""
    other = rng.integers(0, N - 1, len(codes))
    other += other >= codes
    return np.where(rng.random(len(codes)) < GAMMA / (GAMMA + N - 1), codes, other)


def main(rows: int) -> None:
    matrix = GammaDiagonal(GAMMA, N)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, N, rows).astype(np.uint8)
    wide = codes.astype(np.int64)
    substitute(matrix, codes[:1000], 1, compiled=True)  # compiled before the clock starts
    print(f"perturbing {rows:,} values, gamma {GAMMA}, N {N}; CPU seconds, one thread")
    rows_known = numbered(rows)
    names = [f"column {number}" for number in range(COLUMNS)]
    drawing, bits = cpu_seconds(lambda: bits_together(1, names, rows_known))
    own = bits[names[0]]
    seeded, _ = cpu_seconds(lambda: substitute(matrix, codes, 1, bits=own, compiled=True))
    seeded += drawing / COLUMNS
    ways = {
        "floor: a copy": codes.copy,
        "ours, operating system's randomness": (
            lambda: substitute(matrix, codes, None, "x", compiled=True)
        ),
        "ours, seeded, a column alone": lambda: substitute(matrix, codes, 1, "x", compiled=True),
        "plain NumPy": lambda: plain_numpy(wide, rng),
    }
    times = {f"ours, seeded, one of {COLUMNS} columns": seeded} | {
        way: cpu_seconds(run)[0] for way, run in ways.items()
    }
    few = min(rows, PEER_ROWS)
    epsilon = float(np.log(GAMMA))
    try:
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    except ImportError:
        print("multi-freq-ldpy is not installed: pip install privet[bench]")
        peer = None
    else:
        GRR_Client(0, N, epsilon)
        some = codes[:few].tolist()
        peer = lambda: [GRR_Client(value, N, epsilon) for value in some]  # noqa: E731
        times[f"multi-freq-ldpy (on {few:,} values)"] = cpu_seconds(peer, 1)[0] * rows / few
    for name, spent in times.items():
        print(f"  {name:<40} {spent:9.4f} s   {spent / seeded:8.2f} x ours")
    tracemalloc.start()
    substitute(matrix, codes, 1, "x", compiled=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"  memory at the peak, the new column included: {peak / rows:.2f} bytes a value")
    print("estimating the counts of the same column (count and invert)")
    seen = substitute(matrix, codes, 1, "x", compiled=True)
    own, _ = cpu_seconds(lambda: estimate(np.bincount(seen, minlength=N), matrix))
    print(f"  ours {own:.4f} s; floor, a copy: {times['floor: a copy']:.4f} s")
    if peer is not None:
        reports = seen[:few].tolist()
        spent = cpu_seconds(lambda: GRR_Aggregator_MI(reports, N, epsilon), 1)[0] * rows / few
        print(f"  multi-freq-ldpy (on {few:,} values) {spent:.4f} s   {spent / own:.2f} x ours")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
