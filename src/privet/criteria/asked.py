"""What is asked of a table, from plain parameters: k, l, t."""

from privet.criteria.k_anonymity import KAnonymity
from privet.criteria.l_diversity import LDiversity
from privet.criteria.t_closeness import TCloseness
from privet.criteria.verdict import Criterion

Level = int | float | str  # a decimal text is exact


def criteria_of(
    k: int | str | None,
    l: Level | None,  # noqa: E741
    l_kind: str = "strong",
    c: Level = 3,
    t: Level | None = None,
) -> list[Criterion]:
    """The criteria that were asked for; wrong values are refused, of l's kind and c in any case."""
    criteria: list[Criterion] = []
    if k is not None:
        criteria.append(KAnonymity(k))
    diversity = LDiversity(1 if l is None else l, l_kind, c)
    if l is not None:
        criteria.append(diversity)
    if t is not None:
        criteria.append(TCloseness(t))
    return criteria
