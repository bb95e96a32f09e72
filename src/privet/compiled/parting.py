"""A compiled loop that parts the rows of a node between two children.

`privet.tree.model` has the same in plain NumPy, which parts rows among any number of children.
"""

from typing import Any

from privet.compiled.counting import _jit


@_jit
def part_rows(rows: Any, codes: Any, right: Any, left_rows: Any, right_rows: Any) -> int:
    """Rows whose code goes left, and those whose code goes right, each in their order; how many go
    left. `right` is 1 or 0 for each code; there is room for one row more than all on both sides."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        goes = right[codes[rows[i]]]
        left_rows[n_left] = rows[i]  # the next one takes its place where it goes right
        right_rows[n_right] = rows[i]
        n_left += 1 - goes
        n_right += goes
    return n_left
