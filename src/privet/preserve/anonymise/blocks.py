"""Blocks of all records and their values: the partition and the fill of `preserve.rich`, no tree.

There is one group, the whole table, so that each column as a whole keeps its distribution. No
category is named that fewer than k records have: it could point at a person. Such records count
like the commonest of their block. A column without any category of k records is suppressed, and
nothing is cut along it.
"""

from dataclasses import replace

import numpy as np

from privet.arrays import Booleans, Integers
from privet.engine import Engine, MemoryEngine
from privet.engine.blocks import MemoryBlocks
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.preserve.recoding import suppressed
from privet.preserve.rich.fill import by_leaf
from privet.preserve.rich.members import Members
from privet.preserve.rich.partition import Rule, partition
from privet.preserve.rich.rule import conditions_for
from privet.schema import Role, Schema
from privet.table import Coded, Domain, Table


def blocks_of(engine: MemoryEngine, schema: Schema, settings: AnonymiseSettings) -> MemoryBlocks:
    """All records, cut as finely as the settings allow."""
    columns = [name for name in schema.quasi if can_be_named(engine.table()[name], settings.k)]
    return partition(engine.blocks([()]), columns, rule_for(engine, schema, settings))


def rule_for(engine: Engine, schema: Schema, settings: AnonymiseSettings) -> Rule:
    """The rule by which the table is divided into blocks."""
    mixed = settings.one_class_rule(schema) == "forbid"
    by_gain = settings.method == "infogain"
    return Rule(
        settings.k,
        schema.names(Role.TARGET) if mixed or by_gain else (),
        mixed=mixed,
        conditions=conditions_for(engine, schema, settings, mixed),
        first=frozenset(settings.keep),
        by_gain=by_gain,
    )


def filled(blocks: MemoryBlocks, schema: Schema, k: int) -> Table:
    """The table with one value for each block in each quasi-identifier."""
    values = {name: _values(blocks, name, k) for name in schema.quasi}
    table = blocks.fill(values)
    return table.replace({name: table[name].compact() for name in values})


def _values(blocks: MemoryBlocks, name: str, k: int) -> tuple[Integers, Domain]:
    """The code of each block in one column, and the domain."""
    column = blocks.table[name]
    one_group = np.zeros(len(blocks), dtype=np.int64)
    if not can_be_named(column, k):
        return one_group, suppressed(name, column.domain).domain
    members = Members.of(blocks.count([name]), column.domain, one_group)
    return by_leaf(_as_common_ones(members, _is_common(column, k)), name), column.domain


def can_be_named(column: Coded, k: int) -> bool:
    """Whether a released column can have values: numbers, or categories of k records."""
    return column.domain.kind.is_ordered or bool(_is_common(column, k).any())


def _is_common(column: Coded, k: int) -> Booleans:
    """For each value, but missing, whether it may be released."""
    many = np.bincount(column.codes, minlength=column.domain.size)[: len(column.domain.values)]
    return (many >= k) | column.domain.kind.is_ordered


def _as_common_ones(members: Members, common: Booleans) -> Members:
    """Records of rare categories counted like the commonest of their block, or of the table."""
    if common.all():
        return members
    labelled = members.code < len(common)
    rare = labelled & ~np.append(common, True)[np.where(labelled, members.code, len(common))]
    usual = labelled & ~rare
    sums = np.bincount(members.code[usual], weights=members.n[usual], minlength=len(common))
    instead = np.full(members.n_blocks, int(np.argmax(sums)), dtype=np.int64)
    order = np.flatnonzero(usual)
    order = order[np.lexsort((members.code[order], -members.n[order], members.block[order]))]
    some, first = np.unique(members.block[order], return_index=True)
    instead[some] = members.code[order[first]]
    code = np.where(rare, instead[members.block], members.code)
    pairs, place = np.unique(np.stack([members.block, code], axis=1), axis=0, return_inverse=True)
    n = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(n, place.ravel(), members.n)
    return replace(members, block=pairs[:, 0], code=pairs[:, 1], n=n)
