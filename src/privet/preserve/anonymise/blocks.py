"""Blocks of all records and their values: the partition and the fill of `preserve.rich`, no tree.

There is one group, the whole table, so that each column as a whole keeps its distribution. No
category is named that fewer than k records have: it could point at a person. Such records count
like the commonest of their block. A column without any category of k records is suppressed, and
nothing is cut along it.
"""

from dataclasses import replace

import numpy as np

from privet.arrays import Booleans
from privet.engine import Engine
from privet.engine.blocks import Blocks, Filling, fill_compactly
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.preserve.recoding import suppressed
from privet.preserve.rich.fill import by_leaf
from privet.preserve.rich.members import Members
from privet.preserve.rich.partition import Rule, partition
from privet.preserve.rich.rule import conditions_for
from privet.schema import Role, Schema


def blocks_of(engine: Engine, schema: Schema, settings: AnonymiseSettings) -> Blocks:
    """All records, cut as finely as the settings allow."""
    blocks = engine.blocks([()])
    columns = [name for name in schema.quasi if _common(blocks, name, settings.k).any()]
    return partition(blocks, columns, rule_for(engine, schema, settings))


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


def filled(blocks: Blocks, schema: Schema, k: int) -> Engine:
    """The table with one value for each block in each quasi-identifier."""
    return fill_compactly(blocks, {name: _values(blocks, name, k) for name in schema.quasi})


def _values(blocks: Blocks, name: str, k: int) -> Filling:
    domain, common = blocks.domain(name), _common(blocks, name, k)
    one_group = np.zeros(len(blocks), dtype=np.int64)
    if not (domain.kind.is_ordered or common.any()):
        return one_group, suppressed(name, domain).domain
    members = Members.of(blocks.count([name]), domain, one_group)
    return by_leaf(_as_common_ones(members, common), name), domain


def _common(blocks: Blocks, name: str, k: int) -> Booleans:
    """For each value, but missing, whether it may be released: numbers, categories of k records."""
    domain = blocks.domain(name)
    many = blocks.records(name)[: len(domain.values)]
    return np.asarray((many >= k) | domain.kind.is_ordered)


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
