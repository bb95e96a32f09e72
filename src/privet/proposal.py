"""A schema proposed for a table that nobody has described yet.

The proposal is a start for a person to edit: kinds as they were found, likely identifiers, why, and
remarks on what deserves a look. The schema file holds counts, never values: the lowest and highest
value of a column are for the owner's eyes (`Look.range`), and `privet schema` shows them there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import param
from privet.schema import Column, Kind, Role, Schema
from privet.table import Coded, Domain, Table

_NEARLY_ALL = 0.95  # share of distinct values from which a column looks like an identifier
_HALF = 0.5  # the same, if its name says so as well
_MOSTLY = 0.9  # share of distinct texts from which a column is said to look like dates
_OFTEN_MISSING = 0.3
_ENOUGH = 20  # records from which it says something that all values differ
_FEW = 12  # integers with no more values than this may be codes of categories

_IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|ssn|nhs|mrn|e-?mail|phone|tel|mobile|passport|"
    r"(first|last|full|sur|family)[_ -]?name|name|address|iban|account)([^a-z]|$)"
)
_NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_LIKE_A_DATE = re.compile(
    r"\s*([0-9]{1,2}\s?[./-]\s?[0-9]{1,2}\s?[./-]\s?([0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}"
    rf"|[0-9]{{1,2}}[. -]+({_MONTH})[a-z]*[. ,-]+[0-9]{{2,4}}"
    rf"|({_MONTH})[a-z]* [0-9]{{1,2}},? [0-9]{{4}})([T ].*)?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Look:
    """What was seen of one column: counts, its ends if it is ordered, and why it has its role."""

    distinct: int
    missing: int
    why: str
    range: tuple[str, str] | None = None


@dataclass(frozen=True)
class Proposal:
    """A proposed schema, with remarks on some of its columns and a look at each."""

    schema: Schema
    remarks: dict[str, tuple[str, ...]]
    looks: dict[str, Look]

    def to_toml(self) -> str:
        """The schema as TOML, with counts, reasons and remarks as comments."""
        lines = []
        columns = iter(self.schema.columns)
        for line in self.schema.to_toml().split("\n"):
            lines.append(line)
            if line.startswith("[columns."):
                name = next(columns).name
                look = self.looks[name]
                lines.append(f"# {counted(look)}; {look.why}.")
                lines += [f"# {remark}" for remark in self.remarks.get(name, ())]
        return "\n".join(lines)


def propose(table: Table, missing: Sequence[str] = ()) -> Proposal:
    """Look at every column and propose its kind and role.

    >>> table = privet.table_of({"id": ["a1", "a2", "a3"], "sex": ["f", "m", "f"]})
    >>> proposal = privet.propose(table)
    >>> [column.role.value for column in proposal.schema]
    ['identifier', 'quasi']
    """
    columns, remarks, looks = [], {}, {}
    for name in table.names:
        role, looks[name], said = _look_at(name, table[name])
        columns.append(Column(name, table[name].domain.kind, role))
        if said:
            remarks[name] = tuple(said)
    return Proposal(Schema(tuple(columns), missing=tuple(missing)), remarks, looks)


def counted(look: Look) -> str:
    """`12 different values, 3 missing`."""
    values = f"{look.distinct:,} different value{'s' * (look.distinct != 1)}"
    return values + (f", {look.missing:,} missing" if look.missing else "")


def _look_at(name: str, column: Coded) -> tuple[Role, Look, list[str]]:
    domain = column.domain
    records, absent = len(column.codes), _absent(column)
    distinct = len(domain.values)
    like_dates = _share(_LIKE_A_DATE, domain) >= _MOSTLY
    role, why, said = Role.QUASI, "quasi because others may know it", []

    if distinct == 0:
        said.append("every cell is missing: consider leaving the column out.")
    elif distinct == 1 and not absent:
        said.append("constant: one value in every record.")
    elif not like_dates and looks_like_identifier(name, domain.kind, distinct, records - absent):
        role, why = Role.IDENTIFIER, "identifier because nearly every record has its own"
        if distinct <= _NEARLY_ALL * (records - absent):
            why = "identifier because of its name and many values"
        said.append(
            f"likely an identifier: {distinct} different values in {records - absent} records. "
            "Identifiers are never released."
        )
    elif domain.kind is Kind.INTEGER and distinct <= _FEW:
        said.append(
            f'only {distinct} different integers: they could be categories (kind = "category").'
        )
    said += _remarks_on_texts(domain, like_dates)
    if domain.kind in (Kind.DATE, Kind.DATETIME) and role is Role.QUASI:
        said.append("dates are often known to others and single people out.")
    if absent and distinct and absent >= _OFTEN_MISSING * records:
        said.append(f"missing in {absent} of {records} records.")
    return role, Look(distinct, absent, why, _ends(domain)), said


def _remarks_on_texts(domain: Domain, like_dates: bool) -> list[str]:
    if like_dates:
        return [
            "looks like dates in a form that Privet does not read: as categories they have no "
            'order. Write them as year-month-day, such as 1999-12-31, and give kind = "date".'
        ]
    numbers = numbers_among_words(domain)
    if numbers:
        return [
            f"mixes numbers and words: {numbers:,} of {len(domain.values):,} different values are "
            "numbers. If a word stands for a missing cell, name it as missing; if all are "
            "codes, category is right."
        ]
    return []


def numbers_among_words(domain: Domain) -> int:
    """How many values of a column that mixes both are numbers; 0 if it does not."""
    numbers = round(_share(_NUMBER, domain) * len(domain.values))
    return numbers if numbers < len(domain.values) else 0


def _share(pattern: re.Pattern[str], domain: Domain) -> float:
    """The share of the texts of a column of categories that look like something."""
    if domain.kind is not Kind.CATEGORY or not len(domain.values):
        return 0.0
    return sum(pattern.fullmatch(text) is not None for text in domain.values) / len(domain.values)


def _ends(domain: Domain) -> tuple[str, str] | None:
    if not domain.kind.is_ordered or not len(domain.values):
        return None
    return domain.texts[0], domain.texts[len(domain.values) - 1]


def on_likely_identifiers(table: Table, schema: Schema) -> Iterator[str]:
    """What to say of columns that would be released although they look like identifiers: counts
    and what to type, no value. The target and sensitive columns were chosen by somebody."""
    for name in schema.names(Role.QUASI, Role.OTHER):
        column = table[name]
        distinct, present = len(column.domain.values), len(column.codes) - _absent(column)
        if present < _ENOUGH or not looks_like_identifier(
            name, column.domain.kind, distinct, present
        ):
            continue
        if _share(_LIKE_A_DATE, column.domain) < _MOSTLY:
            nearly = "nearly every record" if distinct > _NEARLY_ALL * present else "most records"
            yield (
                f"Column '{name}' has a different value in {nearly} ({distinct:,} in {present:,}) "
                f"and looks like an identifier: leave it out with {param('identifier', name)} or "
                f"{param('drop', name)}."
            )


def _absent(column: Coded) -> int:
    """How many cells are missing."""
    if not column.domain.missing:
        return 0
    return int(np.count_nonzero(column.codes == column.domain.missing_code))


def looks_like_identifier(name: str, kind: Kind, distinct: int, present: int) -> bool:
    if kind not in (Kind.INTEGER, Kind.CATEGORY) or present < 2:
        return False
    if distinct > _NEARLY_ALL * present:
        return True
    spaced = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return distinct > _HALF * present and bool(_IDENTIFIER_NAME.search(spaced))
