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
from privet.release import sorted_lines as module
from privet.release.rows import Rows
from privet.release.sorted_lines import sorted_lines

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
    with patch.multiple(module, AT_ONCE=sizes[0], _IN_A_BLOCK=sizes[1]):
        assert Rows.of(MemoryEngine(table), table.names).content_sha256() == expected
