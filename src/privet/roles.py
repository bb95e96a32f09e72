"""Who may know which column: the schema of a table from a schema file and from roles at the call.

Every method asks here, so that the same words have the same meaning everywhere. `privet.schema` is
what comes out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.schema import Column, Kind, Role, Schema
from privet.table import Table

Names = str | Iterable[str] | None
Rest = Literal["quasi", "other", "drop"]
_MOST_NAMED = 6
_NAMED = ("target", "sensitive", "identifier", "quasi", "other")


@dataclass(frozen=True)
class Roles:
    """The roles that a caller gives: columns by name; `rest` is for those that are not named.

    `more_targets` are the responses of further trees; `with_targets` makes them targets. `person`
    tells people apart: it is an identifier that is read all the same.
    """

    target: Names = None
    sensitive: Names = None
    identifier: Names = None
    quasi: Names = None
    other: Names = None
    drop: Names = None
    rest: Rest | None = None
    more_targets: Names = None
    person: str | None = None

    @property
    def named(self) -> dict[str, list[str]]:
        """The columns of every role that is given; to be dropped is no role."""
        given = {role: listed(getattr(self, role)) for role in _NAMED}
        if self.person is not None:
            given["identifier"] = list(dict.fromkeys([*given["identifier"], self.person]))
        return {role: names for role, names in given.items() if names}


def schema_for(
    table: Table,
    declared: Schema | None,
    roles: Roles,
    needs_target: bool = True,
    names: Sequence[str] | None = None,
) -> Schema:
    """The schema of a table: as declared in a file, then changed by roles given at the call.

    Columns that nobody gave a role are quasi-identifiers, which is the careful choice. Who names
    quasi-identifiers may mean that the others are none: then `rest` must say what they are.
    `names` are all columns, where the table holds only those that `columns_to_read` names.
    """
    names = table.names if names is None else names
    known = {column.name: column for column in declared or ()}
    for name in known:
        if name not in names:
            raise UnknownColumn(name, names, where="the schema")
    named, gone, rest = roles.named, listed(roles.drop), roles.rest
    _refuse_both(named, gone)
    _refuse_other_roles(roles)
    columns = tuple(known.get(found.name, found) for found in schema_found(table, names))
    columns = tuple(_as_read(column, table) for column in columns)
    schema = Schema(columns, declared.groups if declared else {}, ()).with_roles(**named)
    given = {*known, *gone, *(name for names in named.values() for name in names)}
    left = [name for name in names if name not in {*given, *listed(roles.more_targets)}]
    schema = _with_rest(schema, left, rest, asked=bool(named.get("quasi"))).without(gone)
    if rest == "drop":
        schema = schema.without(left)
    _check_groups(schema)
    _ = schema.target if needs_target else target_of(schema)  # an error here, before any work
    return schema


def columns_to_read(
    names: Sequence[str],
    declared: Schema | None,
    roles: Roles,
    used: Iterable[str] = (),
) -> list[str]:
    """The columns that a method may look at; identifiers and what is dropped it need not even read.

    Columns that are `used` whatever their role are among them. What contradicts itself in the roles
    is left to `schema_for`; if nothing were read, everything is, for a table has columns.
    """
    others = {"drop": listed(roles.drop), "trees": listed(roles.more_targets)}
    person = {"person": listed(roles.person)}  # an identifier as well, but not named as one
    for role, of_role in (person | roles.named | others).items():
        for name in of_role:
            if name not in names:
                raise UnknownColumn(name, names, where=param(role))
    role_of = {column.name: str(column.role) for column in declared or ()}
    role_of |= dict.fromkeys(listed(roles.drop), "drop")
    role_of |= dict.fromkeys(listed(roles.more_targets), "target")
    role_of |= {name: role for role, of_role in roles.named.items() for name in of_role}
    rest = roles.rest or "quasi"
    unread = {name for name in names if role_of.get(name, rest) in ("identifier", "drop")}
    read = {*used, *listed(roles.person)}
    return [name for name in names if name not in unread.difference(read)] or list(names)


def columns_of_method(
    names: Sequence[str], declared: Schema | None, roles: Roles, used: Iterable[str] = ()
) -> list[str]:
    """The same for methods to which a schema that is declared names all columns that there are."""
    return columns_to_read(names, declared, replace(roles, rest="drop" if declared else None), used)


def schema_found(table: Table, names: Sequence[str]) -> Schema:
    """The kinds of all columns as they were found; those that were not read count as categories."""
    kinds = {name: table[name].domain.kind for name in table}
    return Schema(tuple(Column(name, kinds.get(name, Kind.CATEGORY)) for name in names))


def target_of(schema: Schema) -> str | None:
    """The response, where one is declared; an error if several are."""
    return schema.target if schema.names(Role.TARGET) else None


def with_targets(schema: Schema, targets: Iterable[str]) -> Schema:
    """The schema with more targets than the one that it has: they are released as they are, and no
    tree may ask them. One that was sensitive still is."""
    wanted = set(targets)
    for name in wanted:
        if schema[name].role is Role.IDENTIFIER:
            raise UsageError(
                f"Column '{name}' is an identifier and the target of a tree.",
                "identifiers are never released; targets are.",
            )
    columns = tuple(
        replace(
            column,
            role=Role.TARGET,
            also_sensitive=column.also_sensitive or column.role is Role.SENSITIVE,
        )
        if column.name in wanted
        else column
        for column in schema
    )
    return replace(schema, columns=columns)


def with_one_target(schema: Schema, target: str) -> Schema:
    """The schema as the tree of one target sees it: other targets are not there."""
    return schema.without(name for name in schema.names(Role.TARGET) if name != target)


def listed(names: Names) -> list[str]:
    """Names given as one text or as several."""
    return [names] if isinstance(names, str) else list(names or ())


def _as_read(column: Column, table: Table) -> Column:
    return replace(column, kind=table[column.name].domain.kind) if column.name in table else column


def _refuse_both(named: Mapping[str, list[str]], gone: list[str]) -> None:
    for role, names in named.items():
        for name in names:
            if name in gone:
                raise UsageError(
                    f"Column '{name}' is dropped and named as {role}.", "decide on one of the two."
                )


def _refuse_other_roles(roles: Roles) -> None:
    """The target of a further tree may be sensitive as well, and nothing else."""
    for role in ("quasi", "other", "identifier", "drop"):
        for name in listed(getattr(roles, role)):
            if name in listed(roles.more_targets):
                raise UsageError(
                    f"Column '{name}' is the target of a tree and is named as {role}.",
                    "a target is released as it is and asked by no tree; decide on one of the two.",
                )


def _with_rest(schema: Schema, left: list[str], rest: Rest | None, asked: bool) -> Schema:
    if rest is not None and rest not in get_args(Rest):
        raise InvalidParameter("rest", "quasi, other or drop", rest)
    if rest is None:
        if asked and left:
            some = ", ".join(left[:_MOST_NAMED]) + (" ..." if len(left) > _MOST_NAMED else "")
            raise UsageError(
                f"Quasi-identifiers are named, and {len(left)} columns have no role: {some}.",
                f"say what they are with {param('rest')}: quasi (an attacker may know them "
                "as well), other "
                "(released as they are, counted nowhere) or drop (left out).",
            )
        return schema
    return schema.with_roles(other=left) if rest == "other" else schema


def _check_groups(schema: Schema) -> None:
    for name, groups in schema.groups.items():
        if name not in schema:
            raise UnknownColumn(name, schema.names(), where="[groups] of the schema")
        if schema[name].kind is not Kind.CATEGORY or not groups:
            raise UsageError(
                f"[groups.{name}] needs a column of categories and at least one group.",
                'remove it from the schema file, or set kind = "category".',
            )
