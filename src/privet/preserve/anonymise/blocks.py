"""Blocks of all records and their values: the partition and the fill of `preserve.rich`, no tree.

There is one group, the whole table, so that each column as a whole keeps its distribution. No
category is named that fewer than k records have: it could point at a person. Such cells are filled
like missing ones.
"""

import numpy as np

from privet.engine import Engine, MemoryEngine
from privet.engine.blocks import MemoryBlocks
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.preserve.rich.fill import by_leaf
from privet.preserve.rich.members import Members
from privet.preserve.rich.partition import Rule, partition
from privet.preserve.rich.rule import conditions_for
from privet.roles import target_of
from privet.schema import Schema
from privet.table import Coded, Domain, Table


def blocks_of(engine: MemoryEngine, schema: Schema, settings: AnonymiseSettings) -> MemoryBlocks:
    """All records, cut as finely as the settings allow."""
    return partition(engine.blocks([()]), schema.quasi, rule_for(engine, schema, settings))


def rule_for(engine: Engine, schema: Schema, settings: AnonymiseSettings) -> Rule:
    """The rule by which the table is divided into blocks."""
    mixed = settings.one_class_rule(schema) == "forbid"
    by_gain = settings.method == "infogain"
    return Rule(
        settings.k,
        target_of(schema) if mixed or by_gain else None,
        mixed=mixed,
        conditions=conditions_for(engine, schema, settings),
        first=frozenset(settings.keep),
        by_gain=by_gain,
    )


def filled(blocks: MemoryBlocks, schema: Schema, k: int) -> Table:
    """The table with one value for each block in each quasi-identifier."""
    named = {name: with_common_labels(blocks.table[name], k) for name in schema.quasi}
    blocks = MemoryBlocks(blocks.table.replace(named), blocks.rows, blocks.starts, blocks.compiled)
    one_group = np.zeros(len(blocks), dtype=np.int64)
    values = {
        name: (by_leaf(Members.of(blocks.count([name]), c.domain, one_group), name), c.domain)
        for name, c in named.items()
    }
    table = blocks.fill(values)
    return table.replace({name: table[name].compact() for name in named})


def with_common_labels(column: Coded, k: int) -> Coded:
    """A column whose categories of fewer than k records are missing."""
    domain = column.domain
    if domain.kind.is_ordered:
        return column
    records = np.bincount(column.codes, minlength=domain.size)
    common = records[: len(domain.values)] >= k
    if common.all():
        return column
    new_of_old = np.where(common, np.cumsum(common) - 1, common.sum())
    if domain.missing:
        new_of_old = np.append(new_of_old, common.sum())
    return column.merged(new_of_old, Domain(domain.kind, domain.values[common], missing=True))
