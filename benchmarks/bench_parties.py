"""Masking and joining: against a plain read and write of the same columns, and against polars.

    python benchmarks/bench_parties.py [ROWS]        (default 1,000,000)

A party's table is a key, one number column and one category column. The floor is pyarrow's own
read and write of it with the same compression. Every step runs in a process of its own: CPU seconds
are those of all its threads (two at most), imports left out; memory is the most that it ever held.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import cpu_seconds, peak_mb, show

PARTIES = ("hospital", "pharmacy", "insurer")
WORDS = 200


def make(folder: Path, rows: int) -> None:
    """Three parties' tables, nearly all people in common, each in an order of its own."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = np.array([f"diagnosis {number}" for number in range(WORDS)])
    for number, name in enumerate(PARTIES):
        rng = np.random.default_rng(number)
        people = np.delete(np.arange(rows), rng.integers(0, rows, rows // 100)) * 7 + 10**9
        rng.shuffle(people)
        ages = rng.integers(0, 100, len(people))
        texts = words[rng.integers(0, WORDS, len(people))]
        columns = {"id": people, f"age_{number}": ages, f"word_{number}": pa.array(texts)}
        pq.write_table(pa.table(columns), folder / f"{name}.parquet", compression="zstd")


def plain(folder: Path, columns: list[str] | None, source: str = "hospital") -> None:
    """The floor: read and write."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder / f"{source}.parquet", columns=columns)
    pq.write_table(table, folder / "plain.parquet", compression="zstd")


def mask_columns(folder: Path) -> None:
    """The two columns alone, without a key: what masking itself costs."""
    from privet.files import read_table, write_table
    from privet.parties.column_masks import Choices, mask_for, masked_column
    from privet.table import Table

    table = read_table(folder / "hospital.parquet", columns=["age_0", "word_0"])
    masked = {}
    for name in table:
        mask = mask_for(name, table[name], None, False, Choices(), set())
        masked[mask.masked_name] = masked_column(mask, table[name], None)
    write_table(Table(masked), folder / "columns.parquet")


def mask_party(folder: Path, number: int) -> None:
    """A whole party, as `privet mask` does it: columns, digests of the key, rows sorted."""
    from privet.files import read_table
    from privet.files.keyed import read_keys
    from privet.parties import ProjectKey, mask

    path = folder / f"{PARTIES[number]}.parquet"
    sensitive = [f"age_{number}", f"word_{number}"]
    masked = mask(
        read_table(path, columns=sensitive),
        key="id",
        keys=read_keys(path, "id"),
        sensitive=sensitive,
        project_key=ProjectKey("bench", bytes(32)),
    )
    masked.write(folder / f"sent_{number}.parquet")


def join_parties(folder: Path) -> None:
    from privet.parties import join

    files = [folder / f"sent_{number}.parquet" for number in range(len(PARTIES))]
    join(files).write(folder / "joined.parquet")


def join_polars(folder: Path) -> None:
    import polars

    frames = [polars.read_parquet(folder / f"sent_{n}.parquet") for n in range(len(PARTIES))]
    joined = frames[0]
    for frame in frames[1:]:
        joined = joined.join(frame, on="privet_key")
    joined.drop("privet_key").write_parquet(folder / "polars.parquet", compression="zstd")


STEPS: dict[str, Callable[[Path], None]] = {
    "floor: 2 columns": lambda folder: plain(folder, ["age_0", "word_0"]),
    "mask 2 columns": mask_columns,
    "floor: key and 2 columns": lambda folder: plain(folder, None),
    "mask party 0": lambda folder: mask_party(folder, 0),
    "mask party 1": lambda folder: mask_party(folder, 1),
    "mask party 2": lambda folder: mask_party(folder, 2),
    "floor: what was sent": lambda folder: plain(folder, None, "sent_0"),
    "join": join_parties,
    "join by polars": join_polars,
}


def step(name: str, folder: Path) -> None:
    """One step in this process; what it imports is imported before the clock starts."""
    import pyarrow as pa
    import pyarrow.parquet

    import privet.files.keyed
    import privet.parties  # noqa: F401

    pa.set_cpu_count(2)
    if name == "join by polars":
        import polars  # noqa: F401
    seconds, _ = cpu_seconds(lambda: STEPS[name](folder), repeats=1)
    print(json.dumps({"seconds": seconds, "mb": peak_mb()}))


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, rows)
        found = {}
        for title in STEPS:
            command = [sys.executable, __file__, "step", title, name]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[title] = json.loads(told)
    cpu = {title: figures["seconds"] for title, figures in found.items()}
    print(f"{rows:,} rows a party, CPU seconds of all threads (at most 2)")
    show(
        "mask 2 columns; floor: read and write them", cpu["mask 2 columns"], cpu["floor: 2 columns"]
    )
    times = cpu["mask 2 columns"] / cpu["floor: 2 columns"]
    print(f"    {times:.2f} times the floor (goal 2: {'reached' if times <= 2 else 'NOT reached'})")
    floor = cpu["floor: key and 2 columns"]
    show("mask a party; floor: read and write it", cpu["mask party 0"], floor)
    show(
        "mask a party; floor: read and write what is sent",
        cpu["mask party 0"],
        cpu["floor: what was sent"],
    )
    show("join three parties; peer: polars", cpu["join"], cpu["join by polars"])
    for title in ("mask party 0", "join", "join by polars"):
        print(f"    {title}: {found[title]['mb']:,.0f} MB at most")


if __name__ == "__main__":
    if sys.argv[1:2] == ["step"]:
        step(sys.argv[2], Path(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
