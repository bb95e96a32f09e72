"""Lines are sorted as bytes, in memory or by merging runs from disk; the content is hashed so."""

import hashlib
from collections import Counter
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.engine import MemoryEngine
from privet.files.csv import csv_bytes
from privet.files.frames import table_of
from privet.files.lines_in_order import lines_in_order
from privet.release import sorted_lines as module
from privet.release.rows import Rows
from privet.release.sorted_lines import sorted_lines
from privet.schema import Kind
from privet.table import Coded, Domain, Table

few_at_once = st.sampled_from([(1, 1), (2, 3), (5, 2), (1 << 19, 1 << 12)])


@given(st.lists(st.binary(max_size=5), max_size=40), few_at_once)
def test_lines_are_sorted(lines: list[bytes], sizes: tuple[int, int]) -> None:
    with patch.multiple(module, AT_ONCE=sizes[0], _IN_A_BLOCK=sizes[1]):
        assert list(sorted_lines(iter(lines))) == sorted(lines)


cells = st.sampled_from(["a", "b", 'say "hi"', "two\nlines", '"\n"', "a,b", "é", "A", None])


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=20), few_at_once)
def test_the_content_is_hashed_line_by_line(rows: list[Any], sizes: tuple[int, int]) -> None:
    """By its definition: header, then distinct records with their counts, sorted as bytes."""
    table = table_of({'x "\n': [row[0] for row in rows], "y": [row[1] for row in rows]})
    records: list[bytes] = []
    for number in range(len(rows)):
        header, line = csv_bytes(table.take(np.array([number])))
        records.append(line[:-1])
    counted = sorted(b"%b,%d\n" % pair for pair in Counter(records).items())
    expected = hashlib.sha256(header[:-1] + b",count\n" + b"".join(counted)).hexdigest()
    distinct = Rows.of(MemoryEngine(table), table.names)
    assert distinct.content_sha256() == expected
    with (
        patch.multiple(module, AT_ONCE=sizes[0], _IN_A_BLOCK=sizes[1]),
        patch("privet.files.lines_in_order.MOST_ROWS", 0),
    ):
        assert distinct.content_sha256() == expected


ugly = {
    "number": st.sampled_from(
        [0.0, -0.0, 5e-324, 1e22, 1e16, -1.5, 10.0, 1.0, 100.0, float("nan")]
    ),
    "count": st.sampled_from([0, 1, 9, 10, 11, 100, -1, -10, 2**63 - 1, -(2**63), None]),
    "text": st.one_of(
        st.sampled_from(
            ["a", "a ", " a", 'a"', '"', '""', ",", "a,", "a,b", "a\n", "\r", "+", "!", "-"]
        ),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3),
        st.none(),
    ),
}


@given(
    st.lists(st.fixed_dictionaries(ugly), min_size=1, max_size=30),
    st.sets(st.sampled_from(sorted(ugly)), min_size=1),
)
def test_ranks_of_cells_sort_lines_as_bytes(rows: list[dict[str, Any]], names: set[str]) -> None:
    frame = {name: [row[name] for row in rows] for name in sorted(names)}
    kinds = {"number": Kind.DECIMAL, "count": Kind.INTEGER, "text": Kind.CATEGORY}
    table = table_of(frame, {name: kinds[name] for name in frame})
    distinct = Rows.of(MemoryEngine(table), table.names)
    texts = csv_bytes(distinct.table)
    next(texts)
    quickly = lines_in_order(distinct.table, distinct.counts)
    assert quickly is not None
    assert b"".join(quickly) == b"".join(sorted(distinct._counted_lines(texts)))


def test_values_that_are_written_alike_are_sorted_slowly() -> None:
    domain = Domain(Kind.CATEGORY, np.array(["a", "a"], dtype=object))
    table = Table({"x": Coded(domain, np.array([0, 1], dtype=np.uint8))})
    assert lines_in_order(table, np.array([2, 10])) is None
    expected = hashlib.sha256(b"x,count\na,10\na,2\n").hexdigest()
    assert Rows(table, np.array([2, 10])).content_sha256() == expected
