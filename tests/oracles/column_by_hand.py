"""A column of codes as its definition says, cell by cell in Python."""

from typing import Any

import numpy as np

from privet.schema import Kind
from privet.table import Coded, Domain, code_type


def column_by_hand(cells: list[Any], kind: Kind) -> Coded:
    """The sorted distinct values and the place of each cell among them; None comes last."""
    values = sorted({cell for cell in cells if cell is not None})
    missing = None in cells
    dtype = {Kind.CATEGORY: object, Kind.INTEGER: np.int64, Kind.DECIMAL: np.float64}[kind]
    held = np.array(values, dtype=dtype)
    codes = [len(values) if cell is None else values.index(cell) for cell in cells]
    return Coded(Domain(kind, held, missing), np.array(codes, code_type(len(values) + missing)))
