"""One masked category column: its labels, and the aliases that stand for them.

With homophones a label has several aliases. `number_mask` is next door; `aliases` draws aliases.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from privet.parties.aliases import Aliases
from privet.parties.number_mask import PREFIX, NumberMask
from privet.parties.secret_file import Secret
from privet.schema import Kind
from privet.table import Value

_NO_ALIAS = re.compile(r"\*|\+\d+ more")  # what a published table writes for values left out


@dataclass(frozen=True, eq=False, repr=False)
class CategoryMask(Secret):
    """One masked category column."""

    column: str
    aliases: Aliases

    @property
    def masked_name(self) -> str:
        return PREFIX + self.column

    @cached_property
    def label_of(self) -> dict[str, str]:
        return {alias: label for label, group in self.aliases.items() for alias in group}

    @property
    def has_homophones(self) -> bool:
        return any(len(group) > 1 for group in self.aliases.values())

    def knows(self, alias: Value) -> bool:
        """Whether an alias, a group of aliases or missing is one of this column."""
        return alias is None or (
            isinstance(alias, str)
            and all(p in self.label_of or _NO_ALIAS.fullmatch(p) for p in alias.split(" | "))
        )

    def value_of(self, alias: Value) -> str | None:
        """The label behind an alias that the column `knows`; missing stays missing.

        A published table may have groups of aliases, `d_1 | d_4 | +2 more`: each is decoded.
        """
        if alias is None:
            return None
        return " | ".join(self.label_of.get(part, part) for part in str(alias).split(" | "))

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": str(Kind.CATEGORY),
            "aliases": {label: list(group) for label, group in self.aliases.items()},
        }


ColumnMask = NumberMask | CategoryMask
