"""What a person chose on the page, as the arguments of public calls.

`Choices` never change: a click makes new ones. Their arguments go to the library as they are, and
`spoken` writes them as a command line and as Python, so that all three do the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privet.errors import UsageError

ROLES = {
    "quasi": "Others may know it",
    "sensitive": "Sensitive",
    "target": "Target",
    "identifier": "Identifier",
    "other": "Released as it is",
    "drop": "Left out",
}
ROLE_MEANINGS = {
    "quasi": "Somebody who looks for a person may know it: age, town, dates. Records are made "
    "alike in these columns.",
    "sensitive": "Nobody should learn it of a person: a diagnosis, an income.",
    "target": "What the tree predicts. One column.",
    "identifier": "Names one person: a number, a name. It is never released.",
    "other": "Released without any protection, and counted nowhere. Only where nobody can know it.",
    "drop": "Not in the release, and not used.",
}
# The public calls that make a release, as the page offers them.
METHODS = {
    "publish": "Keep the tree",
    "anonymise": "No tree",
    "add_noise": "Noise",
    "substitute": "Substitution",
}
METHOD_MEANINGS = {
    "publish": "Records that look alike share their values, and the same tree grows again.",
    "anonymise": "Records that look alike share their values. No tree, and no target is needed.",
    "add_noise": "Every record stays, a little changed, so that few people are found again. Drawn "
    "anew each time.",
    "substitute": "Every cell is drawn at random under a public matrix, which bounds what can be "
    "learnt of a person. Drawn anew each time.",
}
# What may be asked besides, by method; the first choice is what is taken where nothing is said.
MORE = {
    "publish": (
        *("recoding", "one_class", "grower", "release_sensitive"),
        *("guard", "person", "time_limit"),
    ),
    "anonymise": ("release_sensitive", "person"),
    "add_noise": (),
    "substitute": (),
}
MORE_CHOICES = {
    "recoding": ("rich", "leaf", "global"),
    "one_class": ("forbid", "allow"),
    "grower": ("privet", "sklearn", "rpart", "j48"),
    "release_sensitive": ("no", "yes"),
}
SWITCHES = ("release_sensitive",)  # asked for or not, in a call
MORE_TITLES = {
    "recoding": "Recoding",
    "one_class": "Records of one class",
    "grower": "Whose tree is kept",
    "release_sensitive": "Sensitive columns without l and t",
    "guard": "Guard: records on which a split depends",
    "person": "Column that tells people apart",
    "time_limit": "Limit of time, in seconds",
}
MOST_GUARD = 1_000_000
MOST_SECONDS = 86_400
DEFAULT_K = 10
MOST_K = 1000
_NAMED = ("target", "sensitive", "identifier", "quasi", "other", "drop")


@dataclass(frozen=True)
class Choices:
    """Roles by column, how the table is read, and what is asked of its release."""

    roles: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, str] = field(default_factory=dict)  # roles in the schema that was loaded
    schema: Path | None = None
    categories: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    k: int = DEFAULT_K
    l: str | None = None  # noqa: E741
    t: str | None = None
    leaves: int | None = None  # None: as `publish` chooses
    method: str = "publish"
    found: str = "10"  # of a hundred people, found again at most
    gamma: float | None = None
    bins: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)  # of `MORE`, what is not as usual

    def with_role(self, column: str, role: str) -> "Choices":
        """One column with another role; there is one target, and the former one becomes known."""
        if role not in ROLES:
            raise UsageError("The page asked for a role that there is none of.", "load it again.")
        roles = dict(self.roles)
        if role == "target":
            roles = {name: "quasi" if r == "target" else r for name, r in roles.items()}
        more = dict(self.more)
        if role != "identifier" and more.get("person") == column:
            del more["person"]  # a column that tells people apart is never released
        return replace(self, roles=roles | {column: role}, leaves=None, more=more)

    def asked_besides(self) -> dict[str, Any]:
        """What is asked of this method besides its levels."""
        asked = {name: self.more[name] for name in MORE[self.method] if name in self.more}
        return asked | {name: True for name in SWITCHES if name in asked}

    def columns(self, role: str) -> list[str]:
        return [name for name, given in self.roles.items() if given == role]

    @property
    def target(self) -> str | None:
        found = self.columns("target")
        return found[0] if found else None

    @property
    def hides_columns(self) -> bool:
        """Whether l and t have a column to speak of."""
        return bool(self.columns("sensitive"))

    def reading(self) -> dict[str, Any]:
        """How the table is read."""
        given: dict[str, Any] = {}
        if self.schema is not None:
            given["schema"] = self.schema
        if self.categories:
            given["kinds"] = dict.fromkeys(self.categories, "category")
        if self.missing:
            given["missing"] = list(self.missing)
        return given

    def named_roles(self) -> dict[str, Any]:
        """The roles that are not what they would be anyway: as declared, or known to others."""
        named: dict[str, Any] = {}
        for role in _NAMED:
            columns = [name for name in self.columns(role) if self._must_be_named(name, role)]
            if columns:
                named[role] = columns[0] if role == "target" else columns
        if "quasi" in named:
            named["rest"] = "quasi"
        return named

    def _must_be_named(self, column: str, role: str) -> bool:
        return self.declared.get(column, "quasi") != role

    def levels(self) -> dict[str, Any]:
        """What is asked: k, and l and t where there is a sensitive column."""
        given: dict[str, Any] = {"k": self.k}
        if self.hides_columns:
            given |= {name: value for name, value in (("l", self.l), ("t", self.t)) if value}
        return given

    def to_publish(self) -> dict[str, Any]:
        """The arguments of `publish`."""
        leaves = {} if self.leaves is None else {"leaves": self.leaves}
        besides = replace(self, method="publish").asked_besides()
        return {**self.reading(), **self.named_roles(), **self.levels(), **leaves, **besides}

    def arguments(self) -> dict[str, Any]:
        """The arguments of the call that makes the release."""
        match self.method:
            case "anonymise":
                asked = {**self.levels(), **self.asked_besides()}
                return {**self.reading(), **self.named_roles(), **asked}
            case "add_noise":
                return {**self.reading(), **self.named_roles(), "goal": f"found<={self.found}%"}
            case "substitute":
                drawn = {"gamma": self.gamma, "bins": self.bins, "domain_from_data": True}
                return {**self.to_advise(), **drawn}
        return self.to_publish()

    def to_advise(self) -> dict[str, Any]:
        """For substitution a column is the target, drawn, or not used."""
        unused = [*self.columns("identifier"), *self.columns("drop")]
        given = self.reading() | ({"target": self.target} if self.target else {})
        return given | ({"identifier": unused} if unused else {})

    @property
    def needs_target(self) -> bool:
        return self.method != "anonymise"

    def to_explore(self) -> dict[str, Any]:
        """What no size of the tree depends on is not asked."""
        given = replace(self, leaves=None).to_publish()
        given.pop("release_sensitive", None)
        return given
