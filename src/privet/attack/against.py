"""Every attack that the original table alone lets one try on a release.

The attacker knows all quasi-identifiers of everybody in the table. `privet measure` and the
steward's page show what is found; attacks that need more than the original (a register, a second
release) are asked for by name.
"""

from typing import Any, Protocol

from privet.attack.extremes import attack_by_order
from privet.attack.homogeneity import attack_by_homogeneity
from privet.attack.linkage import attack_by_linkage
from privet.attack.minimality import attack_by_minimality
from privet.attack.seen import what_is_seen
from privet.release import Release
from privet.release.new_rows import drawn_at_random
from privet.table import Table


class Found(Protocol):
    """What an attack found, for programs and for people."""

    def to_data(self) -> dict[str, Any]: ...

    def sentences(self) -> list[str]: ...


def attacks_against(release: Release, original: Table) -> dict[str, Found]:
    """What each attack finds that can be tried, by name."""
    seen = what_is_seen(release)
    shown = [seen.rows[name].domain for name in seen.known]
    found: dict[str, Found] = {}
    if seen.sought:
        found["homogeneity"] = attack_by_homogeneity(release)
    if any(domain.kind.is_ordered and len(domain.values) for domain in shown):
        found["order"] = attack_by_order(release)
    if drawn_at_random(release.manifest):
        return found
    found["linkage"] = attack_by_linkage(release, original)
    if release.tree is not None:
        found["minimality"] = attack_by_minimality(release, original=original)
    return found
