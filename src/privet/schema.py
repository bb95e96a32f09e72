"""What each column of a table is: its kind (how values are ordered) and its role (who may know it).

A schema is plain data. It is written as TOML for a person to edit:

    missing = ["?"]

    [columns.age]
    kind = "integer"
    role = "quasi"

    domain = [0, 120]
    bins = 20

    [groups.education]
    "at most college" = ["HS-grad", "Some-college"]

`domain` is optional and public: what a column may hold, whatever the records are. It is a list of
categories, or the ends of a range with its number of `bins`; `other` names the category that stands
for values outside, `may_be_missing` says that cells may be missing.

`privet.proposal` makes one for an unknown table; `privet.table` holds the values themselves.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from privet.documents import read_toml, toml_of
from privet.errors import InputError, UnknownColumn, UsageError, param
from privet.shown import html_table

_SETTINGS = ("kind", "role", "sensitive", "domain", "bins", "other", "may_be_missing")
_START = "`privet schema TABLE` writes one to start from."


E = TypeVar("E", bound=StrEnum)


class Kind(StrEnum):
    """How the values of a column are read, ordered and written.

    >>> [kind.value for kind in privet.Kind]
    ['integer', 'decimal', 'date', 'datetime', 'category']
    """

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DATETIME = "datetime"
    CATEGORY = "category"

    @property
    def is_ordered(self) -> bool:
        """Whether a tree cuts such a column at a threshold (everything but categories)."""
        return self is not Kind.CATEGORY

    @property
    def is_integral(self) -> bool:
        """Whether values are whole numbers inside (integers, days, microseconds)."""
        return self in (Kind.INTEGER, Kind.DATE, Kind.DATETIME)


class Role(StrEnum):
    """Who may know a column and what becomes of it.

    >>> [role.value for role in privet.Role]
    ['identifier', 'quasi', 'sensitive', 'target', 'other']
    """

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    TARGET = "target"
    OTHER = "other"


@dataclass(frozen=True)
class PublicDomain:
    """What a column may hold, said without looking at its records.

    `values` are categories, or the two ends of a range (numbers or ISO texts). `other` is the
    category for values outside; None refuses them.
    """

    values: tuple[int | float | str, ...]
    bins: int | None = None
    other: str | None = None
    may_be_missing: bool = False


@dataclass(frozen=True)
class Column:
    """One column's declaration. `also_sensitive` marks a target that is sensitive, too."""

    name: str
    kind: Kind
    role: Role = Role.QUASI
    also_sensitive: bool = False
    domain: PublicDomain | None = None


@dataclass(frozen=True)
class Schema:
    """The columns in their order, names for groups of categories, and markers of missing cells.

    >>> schema = privet.table_of({"age": [30], "buys": ["no"]}).schema().with_roles(target="buys")
    >>> schema.target, [column.role.value for column in schema]
    ('buys', ['quasi', 'target'])
    """

    columns: tuple[Column, ...]
    groups: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = Counter(str(column.role) for column in self.columns)
        roles = ", ".join(f"{number} {role}" for role, number in counts.items())
        return f"<Schema of {len(self.columns)} columns: {roles}>"

    def _repr_html_(self) -> str:
        rows = [(c.name, str(c.kind), str(c.role)) for c in self.columns]
        return html_table([("column", "kind", "role"), *rows])

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownColumn(name, self.names())

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def names(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns, in order; with roles given, only of those that have one of them."""
        return tuple(c.name for c in self.columns if not roles or c.role in roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.names(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive columns, a target that is sensitive as well among them."""
        return tuple(c.name for c in self if c.role is Role.SENSITIVE or c.also_sensitive)

    @property
    def target(self) -> str:
        """The response; an error if none is declared."""
        names = self.names(Role.TARGET)
        if len(names) != 1:
            raise UsageError(
                f"The schema must name exactly one target, it names {len(names)}.",
                f'give {param("target", "COLUMN")}, or role = "target" to one column of the '
                "schema file.",
            )
        return names[0]

    def with_roles(self, **roles: Iterable[str] | str | None) -> "Schema":
        """The same schema with other roles: `with_roles(target="y", quasi=["a", "b"])`.

        A column named both as target and as sensitive is a target that is sensitive as well.
        """
        wanted, also = self._wanted(roles)
        has_new_target = Role.TARGET in wanted.values()
        columns = []
        for column in self.columns:
            is_named = column.name in wanted
            role = wanted.get(column.name, column.role)
            if role is Role.TARGET and has_new_target and not is_named:
                role = Role.QUASI
            as_before = column.also_sensitive and role is Role.TARGET and not is_named
            columns.append(
                replace(column, role=role, also_sensitive=as_before or column.name in also)
            )
        return replace(self, columns=tuple(columns))

    def _wanted(
        self, roles: Mapping[str, Iterable[str] | str | None]
    ) -> tuple[dict[str, Role], set[str]]:
        """The role that each named column is to have, and targets that are sensitive as well."""
        wanted: dict[str, Role] = {}
        also: set[str] = set()
        for role_name, given in roles.items():
            role = Role(role_name)
            for name in [given] if isinstance(given, str) else (given or ()):
                if name not in self:
                    raise UnknownColumn(name, self.names(), where=param(role_name))
                earlier = wanted.get(name, role)
                if {earlier, role} == {Role.TARGET, Role.SENSITIVE}:
                    also.add(name)
                    role_of_both = Role.TARGET
                elif earlier is not role:
                    raise UsageError(
                        f"Column '{name}' is named both as {earlier} and as {role}.",
                        "give each column one role (only a target may be sensitive as well).",
                    )
                else:
                    role_of_both = role
                wanted[name] = role_of_both
        if sum(role is Role.TARGET for role in wanted.values()) > 1:
            raise UsageError(
                "More than one target is named.", f"give {param('target')} one column."
            )
        return wanted, also

    def without(self, names: Iterable[str]) -> "Schema":
        """The same schema without some columns."""
        gone = set(names)
        for name in gone:
            if name not in self:
                raise UnknownColumn(name, self.names(), where=param("drop"))
        return replace(self, columns=tuple(c for c in self.columns if c.name not in gone))

    # -- TOML ------------------------------------------------------------------------------------

    def to_toml(self) -> str:
        lines = []
        if self.missing:
            lines += [f"missing = [{', '.join(map(_quote, self.missing))}]", ""]
        for column in self.columns:
            lines += [f"[columns.{_quote(column.name)}]", f'kind = "{column.kind}"']
            lines += [f'role = "{column.role}"']
            lines += ["sensitive = true"] if column.also_sensitive else []
            lines += _domain_lines(column.domain) if column.domain else []
            lines += [""]
        for name, groups in self.groups.items():
            lines.append(f"[groups.{_quote(name)}]")
            for label, members in groups.items():
                lines.append(f"{_quote(label)} = [{', '.join(map(_quote, members))}]")
            lines.append("")
        return "\n".join(lines)

    @classmethod
    def from_toml(cls, text: str) -> "Schema":
        return cls.from_dict(toml_of(text, "schema", hint=_START))

    @classmethod
    def read(cls, path: str | Path) -> "Schema":
        return cls.from_dict(read_toml(Path(path), "schema file", hint=_START))

    # -- plain data (manifest) -------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        columns: dict[str, dict[str, Any]] = {}
        for c in self.columns:
            columns[c.name] = {"kind": str(c.kind), "role": str(c.role)}
            if c.also_sensitive:
                columns[c.name]["sensitive"] = True
        return {"columns": columns}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "Schema":
        unknown = set(raw) - {"columns", "groups", "missing"}
        if unknown or not isinstance(raw.get("columns"), Mapping):
            raise InputError(
                "A schema holds `columns`, and may hold `groups` and `missing`; "
                + (f"it also has '{sorted(unknown)[0]}'." if unknown else "`columns` is absent."),
                "`privet schema TABLE` shows what a schema looks like.",
            )
        columns = []
        for name, entry in raw["columns"].items():
            if not isinstance(entry, Mapping):
                raise InputError(
                    f"Column '{name}' of the schema is no table.",
                    f'write [columns.{_quote(name)}], and below it kind = "..." and role = "...".',
                )
            for setting in entry:
                if setting not in _SETTINGS:
                    raise InputError(
                        f"Column '{name}' of the schema has a setting '{_shown(setting)}', which "
                        "Privet does not know.",
                        _meant(setting, _SETTINGS),
                    )
            kind = _one_of(Kind, name, "kind", entry.get("kind", "category"))
            role = _one_of(Role, name, "role", entry.get("role", "quasi"))
            sensitive = bool(entry.get("sensitive", False))
            columns.append(Column(name, kind, role, sensitive, _public_domain(name, kind, entry)))
        try:
            groups = {
                name: {label: tuple(map(str, members)) for label, members in entry.items()}
                for name, entry in raw.get("groups", {}).items()
            }
            missing = tuple(map(str, raw.get("missing", ())))
        except (AttributeError, TypeError):
            raise InputError(
                "`groups` or `missing` of the schema is not what it must be.",
                'write missing = ["?"], and for each column of groups: label = ["member", ..].',
            ) from None
        return cls(tuple(columns), groups, missing)


def _one_of(choices: type[E], name: str, what: str, given: object) -> E:
    """A kind or role as the file names it; what is none of them is quoted back."""
    try:
        return choices(str(given))
    except ValueError:
        raise InputError(
            f"Column '{name}' of the schema has the {what} '{_shown(given)}', which is none.",
            _meant(given, tuple(choices)),
        ) from None


def _shown(given: object) -> str:
    text = str(given)
    return text if len(text) <= 40 else text[:37] + "..."


def _meant(given: object, allowed: Sequence[str]) -> str:
    near = get_close_matches(str(given)[:40], allowed, n=1)
    return (f"did you mean '{near[0]}'? " if near else "") + f"Allowed: {', '.join(allowed)}."


def _public_domain(name: str, kind: Kind, entry: Mapping[str, Any]) -> PublicDomain | None:
    if "domain" not in entry:
        return None
    values, bins, other = entry["domain"], entry.get("bins"), entry.get("other")
    types = (str,) if kind is Kind.CATEGORY else (int, float, str)
    listed = isinstance(values, list) and all(
        isinstance(v, types) and not isinstance(v, bool) for v in values
    )
    enough = listed and (len(set(values)) == len(values) >= 2)
    if kind.is_ordered:
        enough = enough and len(values) == 2 and other is None
    if not enough or not isinstance(bins, int | None) or not isinstance(other, str | None):
        raise InputError(
            f"The domain of column '{name}' in the schema is not what it must be.",
            'write domain = ["a", "b"] (and other = "c") for categories, '
            "or domain = [0, 120] and bins = 20 for a range.",
        )
    return PublicDomain(tuple(values), bins, other, bool(entry.get("may_be_missing", False)))


def _domain_lines(domain: PublicDomain) -> list[str]:
    values = (_quote(v) if isinstance(v, str) else repr(v) for v in domain.values)
    lines = [f"domain = [{', '.join(values)}]"]
    lines += [f"bins = {domain.bins}"] if domain.bins is not None else []
    lines += [f"other = {_quote(domain.other)}"] if domain.other is not None else []
    return lines + (["may_be_missing = true"] if domain.may_be_missing else [])


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
