"""What the steward asks for when anonymising a table without a tree."""

from dataclasses import dataclass
from typing import Literal

from privet.errors import UsageError, param, read_as_category
from privet.preserve.privacy import ONE_CLASS, Level, OneClass, PrivacySettings
from privet.roles import target_of
from privet.schema import Schema

__all__ = ["AnonymiseSettings", "Level", "Method", "OneClass"]
Method = Literal["mondrian", "infogain"]
_METHODS: tuple[Method, ...] = ("mondrian", "infogain")


@dataclass(frozen=True)
class AnonymiseSettings(PrivacySettings):
    """Privacy asked for (`PrivacySettings`), and how blocks of records are cut.

    `method` cuts a block along the column in which it is widest ("mondrian"), or where the cut
    tells most of the target ("infogain"). `one_class` says whether equivalence classes may have one
    target value alone; None forbids it where there is a target. `keep` names columns that are cut
    before all others.
    """

    method: Method = "mondrian"
    one_class: OneClass | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._be_one_of("method", _METHODS)
        if self.one_class is not None:
            self._be_one_of("one_class", ONE_CLASS)

    def one_class_rule(self, schema: Schema) -> OneClass | None:
        """The rule in force; None where no target is declared."""
        return None if target_of(schema) is None else self.one_class or "forbid"

    def check(self, schema: Schema, records: int) -> None:
        """Refuse what cannot be meant."""
        super().check(schema, records)
        target = target_of(schema)
        if target is None:
            self._refuse_without_target()
        elif self.method == "infogain" and schema[target].kind.is_ordered:
            raise UsageError(
                f"{param('method', 'infogain')} needs a target of categories; '{target}' is of "
                f"kind {schema[target].kind}.",
                f"{read_as_category(target)}, or leave it out: mondrian needs no target.",
            )

    def _refuse_without_target(self) -> None:
        asked = {
            param("method", "infogain"): self.method == "infogain",
            param("one_class", "forbid"): self.one_class == "forbid",
            param("target_known", True): self.target_known,
        }
        for what, is_asked in asked.items():
            if is_asked:
                raise UsageError(
                    f"{what} needs a target, and none is named.",
                    f"name it ({param('target', 'COLUMN')}), or leave {what} out.",
                )
