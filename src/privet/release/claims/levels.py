"""Which levels somebody can have asked for: k, l and t, of records or of people."""

from privet.criteria.people import K_PEOPLE, L_PEOPLE, T_PEOPLE
from privet.release.claims.figures import K_WITH_TARGET, K, L, T
from privet.release.manifest import Claim


def is_level(claim: Claim) -> bool:
    """Whether somebody can have asked for what a claim says was asked."""
    level = claim.claimed
    if isinstance(level, bool) or not isinstance(level, int | float):
        return False
    if claim.name in (K, K_WITH_TARGET, K_PEOPLE):
        return isinstance(level, int) and level >= 1
    if claim.name in (L, L_PEOPLE):
        return level >= 1
    return claim.name in (T, T_PEOPLE) and 0 <= level <= 1
