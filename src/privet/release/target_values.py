"""A numeric target that is released in steps or normalised, and what files show of it.

Rounding and normalising come before the tree is grown, so the tree is that of the released target.
The publisher does it; `verify` and `recode` follow the manifest. Rounding is exact: halves
go to the even step, and decimals are the nearest floats to whole steps. Where k shall hold for
somebody who knows the target, steps of fewer than k records become one with the next.
"""

import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from privet.arrays import Integers
from privet.errors import UsageError, param
from privet.release.manifest import Manifest
from privet.release.recoded import entry_of
from privet.schema import Kind, Role
from privet.table import Coded, Domain, Table

ROUNDED, NORMALISED = "rounded", "normalised"
_MOST = 2**63 - 1


def rounded(column: str, coded: Coded, step: Fraction) -> Coded:
    """A column of numbers with every value at the nearest whole step."""
    domain = coded.domain
    if domain.kind not in (Kind.INTEGER, Kind.DECIMAL):
        raise UsageError(
            f"Column '{column}' is of kind {domain.kind}; only numbers are rounded to steps.",
            f"leave out {param('target_step')}.",
        )
    whole = domain.kind is Kind.INTEGER
    if whole and step.denominator != 1:
        raise UsageError(
            f"Column '{column}' holds whole numbers; its step must be whole as well.",
            f"for example {param('target_step', max(1, round(step)))}.",
        )
    steps = [round(Fraction(value) / step) * step for value in domain.values.tolist()]
    most = _MOST if whole else sys.float_info.max
    if any(abs(value) > most for value in steps):
        raise UsageError(
            f"Column '{column}' holds numbers too large to be rounded.",
            f"leave out {param('target_step')}.",
        )
    numbers = [int(value) if whole else float(value) + 0.0 for value in steps]
    return _merged(coded, np.array(numbers, dtype=domain.values.dtype))


def with_common_values(coded: Coded, least: int) -> Coded:
    """Numbers with so many records at least for each value: from the lowest on, values are joined
    until there are enough, and all take the one that most records have."""
    domain = coded.domain
    records = np.bincount(coded.codes, minlength=domain.size).tolist()
    groups: list[list[int]] = [[]]
    for code in range(len(domain.values)):
        if sum(records[c] for c in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(code)
    if len(groups) > 1 and sum(records[c] for c in groups[-1]) < least:
        groups[-2:] = [groups[-2] + groups[-1]]
    new = domain.values.copy()
    for group in groups:
        new[group] = domain.values[max(group, key=lambda code: (records[code], -code))]
    return _merged(coded, new)


def normalised(column: str, coded: Coded) -> Coded:
    """A column of numbers from 0, its smallest value, to 1, its largest."""
    domain = coded.domain
    if domain.kind not in (Kind.INTEGER, Kind.DECIMAL) or len(domain.values) < 2:
        raise UsageError(
            f"Column '{column}' cannot be normalised: it has no two different numbers.",
            f"leave out {param('normalise_target')}.",
        )
    values = [Fraction(value) for value in domain.values.tolist()]
    low, span = values[0], values[-1] - values[0]
    shares = np.array([float((value - low) / span) for value in values], dtype=np.float64)
    return _merged(Coded(Domain(Kind.DECIMAL, shares, domain.missing), coded.codes), shares)


def with_targets_as_released(table: Table, manifest: Manifest) -> Table:
    """The original table, its targets rounded or normalised as they were before publishing."""
    new = {}
    for name in manifest.schema.names(Role.TARGET):
        entry = entry_of(manifest.recoding, name)
        if name not in table or entry.get("treatment") not in (ROUNDED, NORMALISED):
            continue
        column, step = table[name], step_of(entry)
        if step is not None:
            column = rounded(name, column, step)
        if "at_least" in entry:
            column = with_common_values(column, int(entry["at_least"]))
        new[name] = normalised(name, column) if entry["treatment"] == NORMALISED else column
    return table.replace(new)


def _merged(coded: Coded, new: Any) -> Coded:
    """A column whose values became others, in the same order; some may have become one."""
    domain = coded.domain
    distinct, places = np.unique(new, return_inverse=True)
    new_of_old: Integers = places.astype(np.int64)
    if domain.missing:
        new_of_old = np.append(new_of_old, len(distinct))
    return coded.merged(new_of_old, Domain(domain.kind, distinct, domain.missing))


def step_of(entry: Mapping[str, Any]) -> Fraction | None:
    """The step that the manifest tells of; None if it is none."""
    step = entry.get("step")
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < float("inf"):
        return None
    return Fraction(str(step))


def not_as_released(entry: Mapping[str, Any], coded: Coded, name: str) -> str:
    """Where the data contradict what the manifest says of a rounded or normalised target."""
    domain, step, least = coded.domain, step_of(entry), entry.get("at_least", 1)
    known = set(entry) <= {"treatment", "step", "at_least"} and type(least) is int
    if not known or ("step" in entry) != (step is not None):
        return "it is described in a way that cannot be"
    if np.bincount(coded.codes, minlength=domain.size).min() < least:
        return "some value has fewer records than the manifest says"
    if entry["treatment"] == NORMALISED:
        ends = domain.kind is Kind.DECIMAL and len(domain.values) > 1
        ends = ends and (domain.values[0], domain.values[-1]) == (0.0, 1.0)
        return "" if ends else "it does not go from 0 to 1"
    if step is None:
        return "it is described in a way that cannot be"
    try:
        same = rounded(name, coded, step).domain == domain
    except UsageError:
        same = False
    return "" if same else "it has values between steps"
