"""A schema proposed for a table that nobody has described yet.

The proposal is a start for a person to edit: kinds as they were found, likely identifiers, and
remarks on what deserves a look. Remarks speak of counts, never of values.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.schema import Column, Kind, Role, Schema
from privet.table import Coded, Table

_NEARLY_ALL = 0.95  # share of distinct values from which a column looks like an identifier
_HALF = 0.5  # the same, if its name says so as well
_OFTEN_MISSING = 0.3
_FEW = 12  # integers with no more values than this may be codes of categories

_IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|ssn|nhs|mrn|e-?mail|phone|tel|mobile|passport|"
    r"(first|last|full|sur|family)[_ -]?name|name|address|iban|account)([^a-z]|$)"
)


@dataclass(frozen=True)
class Proposal:
    """A proposed schema, with remarks on some of its columns."""

    schema: Schema
    remarks: dict[str, tuple[str, ...]]

    def to_toml(self) -> str:
        """The schema as TOML, with the remarks as comments under the names of the columns."""
        lines = []
        columns = iter(self.schema.columns)
        for line in self.schema.to_toml().split("\n"):
            lines.append(line)
            if line.startswith("[columns."):
                lines += [f"# {remark}" for remark in self.remarks.get(next(columns).name, ())]
        return "\n".join(lines)


def propose(table: Table, missing: Sequence[str] = ()) -> Proposal:
    """Look at every column and propose its kind and role."""
    columns = []
    remarks = {}
    for name in table.names:
        role, said = _look_at(name, table[name])
        columns.append(Column(name, table[name].domain.kind, role))
        if said:
            remarks[name] = tuple(said)
    return Proposal(Schema(tuple(columns), missing=tuple(missing)), remarks)


def _look_at(name: str, column: Coded) -> tuple[Role, list[str]]:
    domain = column.domain
    records = len(column.codes)
    absent = 0
    if domain.missing:
        absent = int(np.count_nonzero(column.codes == domain.missing_code))
    distinct = len(domain.values)
    role, said = Role.QUASI, []

    if distinct == 0:
        said.append("every cell is missing: consider leaving the column out.")
    elif distinct == 1 and not absent:
        said.append("constant: one value in every record.")
    elif looks_like_identifier(name, domain.kind, distinct, records - absent):
        role = Role.IDENTIFIER
        said.append(
            f"likely an identifier: {distinct} different values in {records - absent} records. "
            "Identifiers are never released."
        )
    elif domain.kind is Kind.INTEGER and distinct <= _FEW:
        said.append(
            f'only {distinct} different integers: they could be categories (kind = "category").'
        )
    if domain.kind in (Kind.DATE, Kind.DATETIME) and role is Role.QUASI:
        said.append("dates are often known to others and single people out.")
    if absent and distinct and absent >= _OFTEN_MISSING * records:
        said.append(f"missing in {absent} of {records} records.")
    return role, said


def looks_like_identifier(name: str, kind: Kind, distinct: int, present: int) -> bool:
    if kind not in (Kind.INTEGER, Kind.CATEGORY) or present < 2:
        return False
    if distinct > _NEARLY_ALL * present:
        return True
    spaced = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return distinct > _HALF * present and bool(_IDENTIFIER_NAME.search(spaced))
