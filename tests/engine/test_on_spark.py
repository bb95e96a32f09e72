"""What Spark does as a place where tables are counted: the same releases, and nothing left behind.

These tests need Spark and Java; `make test-spark` runs them, and the contract that all engines
keep (`test_counts`, `test_same_answers`) with them.
"""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import privet
from privet.cli.main import main
from privet.datasets import hospital
from privet.engine import SqlEngine, on_spark, sql_blocks
from privet.engine.on_spark import OnSpark
from privet.engine.spark_tables import SparkTables
from privet.errors import InputError, InvalidParameter, OutputError, UsageError
from privet.files import write_table
from privet.files.frames import table_of
from privet.tree.exchange.model_file import to_data

pytestmark = pytest.mark.skipif(
    os.environ.get("PRIVET_TESTS") != "spark", reason="`make test-spark` runs the tests of Spark"
)
PUBLISH = ["--target", "readmitted", "--identifier", "patient_id", "-k", "5", "--leaves", "4"]


@pytest.fixture
def place(spark: Any) -> Iterator[OnSpark]:
    with on_spark(spark) as place:
        assert isinstance(place, OnSpark)
        yield place


def hard_cells(rows: int = 60) -> dict[str, list[Any]]:
    """A table of everything that databases see in ways of their own."""
    floats = [None, float("nan"), -0.0, 0.0, 2.5, -3.5, 1e300]
    texts = ["", "Ärztin", "ärztin", "日本", " a", None]
    return {
        "float": [floats[row % 7] for row in range(rows)],
        "text": [texts[row % 6] for row in range(rows)],
        "large": [2**53 + row % 4 for row in range(rows)],
        "day": [None if row % 9 == 0 else date(1969, 12, 28 + row % 4) for row in range(rows)],
        "y": ["yes" if row % 7 < 3 or row % 5 == 0 else "no" for row in range(rows)],
    }


@pytest.mark.parametrize("recoding", ["global", "leaf", "rich"])
def test_the_same_release_of_hard_cells(spark: Any, recoding: str) -> None:
    def published() -> tuple[object, ...]:
        release = privet.publish(
            table_of(hard_cells()), target="y", k=3, leaves=3, recoding=recoding, one_class="allow"
        )
        tree = to_data(release.trees[0])
        return release.manifest.to_text(), tree, release.rows.content_sha256()

    there = published()
    small = 10 if recoding == "rich" else sql_blocks.SMALL  # blocks cut there, and fetched
    with patch.object(sql_blocks, "SMALL", small), on_spark(spark):
        assert published() == there


def test_the_same_measures(spark: Any) -> None:
    def judged() -> object:
        asked = {"quasi": ["text", "large"], "sensitive": ["y"], "l": 2, "t": "0.3"}
        return privet.check(table_of(hard_cells()), **asked)

    there = judged()
    with on_spark(spark):
        assert judged() == there


@pytest.mark.parametrize("by_file", [False, True])
def test_large_tables_are_not_sent_at_once(spark: Any, tmp_path: Path, by_file: bool) -> None:
    """All rows arrive, in a question that is asked at once and in one that is asked later."""
    place = OnSpark(spark, tmp_path if by_file else None, stops=False)
    with closing(place), patch.object(sys.modules[OnSpark.__module__], "ROWS_SENT", 3):
        given = {"v": np.arange(7, dtype=np.uint8)}
        assert sorted(place.ask("SELECT v FROM given", given=given)["v"].tolist()) == list(range(7))
        engine = SqlEngine.holding(table_of({"a": list(range(7))}), place)
        assert engine.count(["a"]).n.tolist() == [1] * 7
        assert not list(tmp_path.glob("*.parquet"))


def test_rows_are_numbered_across_partitions(place: OnSpark, spark: Any) -> None:
    rows = np.arange(5000, dtype=np.uint32) * 7919 % 5000
    place.do("CREATE TABLE default.s AS SELECT * FROM given", given={"v": rows})
    relation = place.new_name()
    try:
        place.create_in_order(relation, "SELECT v FROM default.s", "v")
    finally:
        place.do("DROP TABLE default.s")
    found = place.ask(f"SELECT v, at_row, piece FROM {relation} ORDER BY v")
    assert found["at_row"].tolist() == found["v"].tolist() == list(range(5000))


def test_nothing_is_left_in_a_session(spark: Any) -> None:
    def there() -> tuple[object, ...]:
        return spark.sql("SHOW DATABASES").collect(), spark.catalog.listTables()

    before = there()
    with on_spark(spark) as place:
        engine = SqlEngine.holding(table_of({"a": [1, 1, 2]}), place)
        list(engine.recode({}).portions(["a"], 1))
        assert there() != before
    assert there() == before
    with pytest.raises(UsageError, match="runs in this process already"), on_spark("local[1]"):
        pass
    with pytest.raises(InvalidParameter, match="memory must be left out"), on_spark(spark, "1GB"):
        pass


def test_what_spark_says_is_not_passed_on(place: OnSpark) -> None:
    with pytest.raises(
        OutputError, match=r"could not answer .*\(TABLE_OR_VIEW_NOT_FOUND\)"
    ) as told:
        place.ask("SELECT secret FROM nowhere")
    assert "secret" not in str(told.value)
    assert told.value.__cause__ is None
    with pytest.raises(OutputError, match="DIVIDE_BY_ZERO"):
        place.ask("SELECT 1 // 0 AS n")


def test_a_full_disk_is_told_wherever_it_is_met(place: OnSpark) -> None:
    """By Spark, or on the way to it: what is sent passes by a file."""
    from pyspark.errors import PySparkException

    for said in (OSError(errno.ENOSPC, "said"), PySparkException("No space left on device")):
        with pytest.raises(OutputError, match="disk is full"):
            place.carry_out(partial(_raise, said))
    with pytest.raises(PermissionError):  # which is told elsewhere
        place.carry_out(partial(_raise, PermissionError("said")))


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("after_s", [0.01, 4], ids=["before the job", "while it runs"])
def test_a_signal_ends_the_jobs(place: OnSpark, spark: Any, after_s: float) -> None:
    class Told(BaseException):
        pass

    def tell(*_: object) -> None:
        raise Told

    before = signal.signal(signal.SIGINT, tell)
    tracker = spark.sparkContext.statusTracker()
    timer = threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(Told):
            place.ask("SELECT COUNT(DISTINCT id % 7) AS n FROM range(10000000000000)")
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    until = time.monotonic() + 30
    while tracker.getActiveJobsIds() and time.monotonic() < until:
        time.sleep(0.1)
    assert list(tracker.getActiveJobsIds()) == []
    assert place.ask("SELECT 1 AS n")["n"].tolist() == [1]


# -- from outside ----------------------------------------------------------------------------------


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    write_table(hospital(200), path)
    return path


def started(patients: Path, out: Path, *more: str) -> "subprocess.Popen[str]":
    """`publish` by a Spark of its own, whose passing files lie beside the table."""
    passing = patients.parent / "passing"
    passing.mkdir(exist_ok=True)
    words = ["publish", str(patients), *PUBLISH, "--recoding", "leaf", "--out", str(out), *more]
    return subprocess.Popen(
        [sys.executable, "-m", "privet", *words, "--engine", "spark", "--spark-master", "local[1]"],
        env={**os.environ, "TMPDIR": str(passing)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_published_in_parts_and_verified_by_others(patients: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "by-spark", tmp_path / "in-memory"
    working = started(patients, out, "--format", "parts")
    _, said = working.communicate(timeout=400)
    assert working.returncode == 0, said
    assert list((out / "data").glob("part-*.parquet"))
    assert list((tmp_path / "passing").iterdir()) == []
    words = [*PUBLISH, "--recoding", "leaf", "--format", "parts", "--out", str(other)]
    assert main(["publish", str(patients), *words]) == 0
    manifests = [(folder / "manifest.json").read_bytes() for folder in (out, other)]
    assert manifests[0] == manifests[1]
    assert main(["verify", str(out), "--engine", "duckdb"]) == 0
    assert main(["verify", str(out)]) == 0


def test_a_table_of_the_cluster_by_name_and_by_path(
    spark: Any, patients: Path, tmp_path: Path
) -> None:
    """The release is that of the file; where the rows are written meanwhile, nothing is left."""
    asked = {"target": "readmitted", "identifier": "patient_id", "k": 5, "leaves": 2}
    there = privet.publish(patients, **asked, recoding="leaf").rows.content_sha256()
    judged = privet.check(patients, quasi=["sex"])
    privet.write_table(privet.read_table(patients), tmp_path / "visits.parquet")
    spark.read.parquet(str(tmp_path / "visits.parquet")).repartition(3).write.parquet(
        str(tmp_path / "in-parts")
    )
    spark.read.parquet(str(tmp_path / "in-parts")).createOrReplaceTempView("visits")
    passing = tmp_path / "handed"
    passing.mkdir()
    with patch.object(tempfile, "tempdir", str(passing)), on_spark(spark):
        release = privet.publish("spark:visits", **asked, recoding="leaf")
        assert release.rows.content_sha256() == there
        assert privet.check(f"spark:file://{tmp_path}/in-parts", quasi=["sex"]) == judged
        assert len(list(passing.glob("*/handed-over-*"))) == 2
        with pytest.raises(InputError, match="knows no table of that name") as told:
            privet.check("spark:visits; DROP TABLE visits", quasi=["sex"])
        assert "DROP" not in str(told.value)
        with pytest.raises(InputError, match="knows no table"):
            privet.check(f"spark:file://{tmp_path}/nowhere", quasi=["sex"])
    assert list(passing.iterdir()) == []
    with pytest.raises(UsageError, match="a table of a cluster"):
        privet.check("spark:visits", quasi=["sex"])


def test_what_the_cluster_writes_must_be_seen(spark: Any, tmp_path: Path) -> None:
    spark.range(3).createOrReplaceTempView("three")
    with on_spark(spark) as place:
        assert isinstance(place, OnSpark)
        tables = SparkTables(place, tmp_path)
        with (
            patch.object(place, "carry_out", lambda work: None),  # it goes to another disk
            pytest.raises(OutputError, match="does not see it"),
        ):
            tables.hand_over("three")


def test_ctrl_c_leaves_nothing(patients: Path, tmp_path: Path) -> None:
    working = started(patients, tmp_path / "out")
    passing, until = tmp_path / "passing", time.monotonic() + 120
    while not list(passing.glob("*/relations/*")) and time.monotonic() < until:
        time.sleep(0.1)
    assert list(passing.glob("*/relations/*"))
    working.send_signal(signal.SIGINT)
    _, said = working.communicate(timeout=60)
    assert working.returncode == 130
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
    assert list(passing.iterdir()) == []
    until = time.monotonic() + 20
    while _names_of_processes(passing) and time.monotonic() < until:
        time.sleep(0.2)
    assert _names_of_processes(passing) == []


def _names_of_processes(folder: Path) -> list[str]:
    """Processes that were started with a folder in their words."""
    found = []
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if os.fsencode(folder) in words.read_bytes():
                found.append(words.parent.name)
        except OSError:
            continue
    return found
