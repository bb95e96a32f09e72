"""What a publisher says of a release in words: its title, who publishes it, under which licence.

Nothing in the files can show whether that is so, and `verify` says so. What is checked is that each
is one line of plain text. It stands in the manifest, so the fingerprint covers it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from privet.errors import InvalidParameter

MOST_LETTERS = 200


@dataclass(frozen=True)
class About:
    """The words of the publisher; None where nothing is said."""

    title: str | None = None
    publisher: str | None = None
    licence: str | None = None

    def __post_init__(self) -> None:
        for name, text in self._given():
            if not _is_plain(text):
                raise InvalidParameter(
                    name,
                    f"one line of plain text, at most {MOST_LETTERS} letters",
                    text,
                    "leave out control characters and blanks around it.",
                )

    def __bool__(self) -> bool:
        return any(True for _ in self._given())

    def to_data(self) -> dict[str, str]:
        """What is said, by name."""
        return dict(self._given())

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "About":
        """As a manifest holds it; a ValueError where it cannot."""
        try:
            return cls(**data)
        except InvalidParameter:
            raise ValueError("not as Privet writes it") from None

    def _given(self) -> list[tuple[str, Any]]:
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return [(name, value) for name, value in values if value is not None]


def _is_plain(text: Any) -> bool:
    return (
        isinstance(text, str)
        and 0 < len(text) <= MOST_LETTERS
        and text.isprintable()
        and text == text.strip()
    )
