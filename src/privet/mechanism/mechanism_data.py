"""The matrices and domains of a mechanism as they stand in mechanism.json, read and written.

What is read is what a former or a newer Privet, or a stranger, wrote: any entry that cannot be
raises an error of Python's own or of Privet's, for `Substitution.from_data` to put into words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.mechanism.domains import REPRESENTATIVES, ColumnDomain
from privet.mechanism.matrices import GammaDiagonal, Matrix, TransitionMatrix
from privet.schema import Kind
from privet.table import Domain, parse_iso


def matrix_data(matrix: Matrix) -> dict[str, Any]:
    if isinstance(matrix, GammaDiagonal):
        return {"kind": "gamma-diagonal", "gamma": str(matrix.gamma), "size": matrix.size}
    return {"kind": "weights", "total": matrix.total, "weights": matrix.weights.tolist()}


def matrix_of(raw: Mapping[str, Any]) -> Matrix:
    if raw["kind"] == "gamma-diagonal":
        return GammaDiagonal(text_of(raw["gamma"]), _whole(raw["size"]))
    rows = raw["weights"]
    if any(len(row) != len(rows) for row in rows):
        raise ValueError
    weights = np.array([[_whole(cell) for cell in row] for row in rows], dtype=np.int64)
    return TransitionMatrix.of_weights(weights, _whole(raw["total"]))


def domain_data(domain: ColumnDomain) -> dict[str, Any]:
    return {
        "name": domain.column,
        "kind": str(domain.shown.kind),
        "shown": domain.labels()[: len(domain.shown.values)],
        "edges": None if domain.edges is None else domain.edges.tolist(),
        "representative": domain.representative,
        "may_be_missing": domain.shown.missing,
        "other": domain.other,
        "from_data": domain.from_data,
    }


def domain_of(raw: Mapping[str, Any]) -> ColumnDomain:
    kind = Kind(raw["kind"])
    values: list[Any] = list(raw["shown"])
    if kind in (Kind.DATE, Kind.DATETIME):
        values = [int(parse_iso(v, kind)) for v in values]
    shown = _rising(values, kind)
    edges = None
    if raw["edges"] is not None:
        edges = _edges(raw["edges"], kind)
        if not kind.is_ordered or len(edges) != len(shown) + 1:
            raise ValueError
    other = None if raw["other"] is None else text_of(raw["other"])
    flags = raw["may_be_missing"], raw["from_data"]
    known = other is None or other in values
    if not known or raw["representative"] not in REPRESENTATIVES or not set(flags) <= {True, False}:
        raise ValueError
    missing, from_data = map(bool, flags)
    values_shown = Domain(kind, shown, missing)
    how = raw["representative"]
    domain = ColumnDomain(text_of(raw["name"]), values_shown, edges, other, how, from_data)
    if not domain.shows_its_own_bins():
        raise ValueError
    return domain


def _rising(values: Sequence[Any], kind: Kind) -> npt.NDArray[Any]:
    """Values of one kind, each above the one before."""
    array = _of_kind(values, kind)
    if (array[1:] <= array[:-1]).any():
        raise ValueError
    return array


def _edges(values: Sequence[Any], kind: Kind) -> npt.NDArray[Any]:
    """Where bins start, each above the one before, and where the last one ends: at its own start
    where it holds one value alone."""
    edges = np.append(_rising(values[:-1], kind), _of_kind(values[-1:], kind))
    if edges[-1] < edges[-2]:
        raise ValueError
    return edges


def _of_kind(values: Sequence[Any], kind: Kind) -> npt.NDArray[Any]:
    check = text_of if kind is Kind.CATEGORY else _number if kind is Kind.DECIMAL else _whole
    types = {Kind.CATEGORY: object, Kind.DECIMAL: np.float64}
    return np.array([check(value) for value in values], dtype=types.get(kind, np.int64))


def text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError
    return value


def _number(value: Any) -> float:
    return float(value) if isinstance(value, float) else float(_whole(value))
