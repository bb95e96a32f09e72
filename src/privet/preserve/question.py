"""What was asked, as one digest: `publish` knows by it whether an exploration is of the same table
with the same settings, and need not try every size again for the audit.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from privet.errors import UsageError
from privet.preserve.settings import PublishSettings
from privet.schema import Schema
from privet.table import Table, stretches

if TYPE_CHECKING:
    from privet.preserve.exploration import Exploration, SizeLine


def question_of(table: Table, schema: Schema, settings: PublishSettings) -> str:
    """The same for whoever asks the same; empty for a fitted tree, which no text describes.

    How many leaves are asked, and whether sensitive columns are released, changes no size.
    """
    if not isinstance(settings.grower, str):
        return ""
    asked = replace(settings, leaves=None, release_sensitive=False)
    digest = hashlib.sha256(repr(asked).encode() + schema.to_toml().encode())
    for name in table:
        codes, domain = table[name].codes, table[name].domain
        digest.update(repr((name, str(domain.kind), domain.texts, str(codes.dtype))).encode())
        for some in stretches(codes):
            digest.update(some.tobytes())
    return digest.hexdigest()


def lines_of(
    explored: "Exploration | None", table: Table, schema: Schema, settings: PublishSettings
) -> "Mapping[int, SizeLine]":
    """The sizes that are known already, as `publish` finds them; refuses those of another
    question."""
    if explored is None:
        return {}
    if not explored.question or explored.question != question_of(table, schema, settings):
        raise UsageError(
            "What was explored is another table, or was explored with other settings.",
            "explore this table with these settings, or leave explored out.",
        )
    return {line.leaves: line for line in explored.lines if not line.sketched}
