"""What privacy is asked of a release: k, l and t, with a tree (`settings`) or without one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Literal

from privet.criteria import KINDS, LDiversity, TCloseness
from privet.criteria.people import require_kind_of_people
from privet.errors import InvalidParameter, UnknownColumn, UsageError, param
from privet.schema import Schema

OneClass = Literal["forbid", "allow"]
ONE_CLASS: tuple[OneClass, ...] = ("forbid", "allow")
Level = int | float | str  # a decimal text is exact


@dataclass(frozen=True)
class PrivacySettings:
    """Privacy asked for, and which columns blocks of records shall keep best.

    Sensitive columns are released as they are where l or t is asked for (and so holds), or with
    `release_sensitive`; otherwise they are suppressed. `target_known` counts the target among what
    an attacker knows. `person` is a column, never released, that tells people apart where one may
    have several records: k, l and t are then of people (`criteria.people`).
    """

    k: int = 1
    l: Level | None = None  # noqa: E741
    l_kind: str = "strong"
    t: Level | None = None
    keep: str | Sequence[str] = ()
    release_sensitive: bool = False
    target_known: bool = False
    person: str | None = None

    def __post_init__(self) -> None:
        self._be_whole("k", f"{param('k', 1)} asks for no k-anonymity.")
        self._be_one_of("l_kind", KINDS, "one of " + ", ".join(KINDS))
        named = [self.keep] if isinstance(self.keep, str) else self.keep
        object.__setattr__(self, "keep", tuple(named))
        if self.person is not None and self.l is not None:
            require_kind_of_people(self.l_kind)

    def _be_whole(self, name: str, hint: str = "", least: int | None = 1) -> None:
        """Refuse a setting that is no whole number; all but k may be left open."""
        value = getattr(self, name)
        if value is None and name != "k":
            return
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise InvalidParameter(name, "a whole number", value)
        if least is not None and value < least:
            raise InvalidParameter(name, f"at least {least}", value, hint)
        object.__setattr__(self, name, int(value))

    def _be_one_of(self, name: str, choices: Sequence[str], said: str = "") -> None:
        if getattr(self, name) not in choices:
            *first, last = choices
            said = said or f"{', '.join(first)} or {last}"
            raise InvalidParameter(name, said, getattr(self, name))

    rounds_targets: ClassVar[bool] = False  # whether the method can

    def diversity(self) -> LDiversity | None:
        return None if self.l is None else LDiversity(self.l, self.l_kind)

    def closeness(self, ordered: bool) -> TCloseness | None:
        return None if self.t is None else TCloseness(self.t, ordered)

    def criteria_for(self, ordered: bool) -> list[LDiversity | TCloseness]:
        """The criteria that a sensitive column must satisfy."""
        asked = [self.diversity(), self.closeness(ordered)]
        return [criterion for criterion in asked if criterion is not None]

    @property
    def asks_of_sensitive(self) -> bool:
        """Whether l or t is asked for."""
        return self.l is not None or self.t is not None

    @property
    def shows_sensitive(self) -> bool:
        """Whether sensitive columns are released as they are: where l or t holds for them."""
        return self.release_sensitive or self.asks_of_sensitive

    def asked(self) -> dict[str, Any]:
        """The levels asked for, as the manifest's claims hold them."""
        return {
            "k": self.k if self.k > 1 else None,
            "l": None if self.l is None else _plain(self.l),
            "l_kind": self.l_kind,
            "t": None if self.t is None else _plain(self.t),
            "target_known": self.target_known,
            "people": self.person is not None,
        }

    def check(self, schema: Schema, records: int) -> None:
        """Refuse what cannot be meant."""
        if self.k > records:
            raise InvalidParameter(
                "k", f"at most the number of records ({records})", self.k, "choose a smaller k."
            )
        for name in self.keep:
            if name not in schema.names():
                raise UnknownColumn(name, schema.names())
            if name not in schema.quasi:
                raise UsageError(
                    f"Column '{name}' cannot be kept best: it is no quasi-identifier.",
                    f"{param('keep')} is for columns that are filled from blocks of records.",
                )
        if self.asks_of_sensitive and not schema.sensitive:
            what = "l" if self.l is not None else "t"
            raise UsageError(
                f"{what} is asked for, but no sensitive column is named.",
                f"name the columns that nobody should learn: {param('sensitive', 'COLUMN')}.",
            )


def _plain(value: Level) -> int | float:
    exact = Fraction(str(value))
    return int(exact) if exact.denominator == 1 else float(exact)
