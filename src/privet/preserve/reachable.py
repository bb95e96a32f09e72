"""What no release of a table can reach, said before any work is done.

Whatever becomes of the other columns, some equivalence class is no more diverse than the whole
table: the most frequent value has at least its overall share in one of them, no class has more
values than the table, and the entropy of a mix is no smaller than the mean of its parts.
"""

import math

from privet.criteria import KINDS, measure_l
from privet.criteria.verdict import plain
from privet.engine import Engine
from privet.errors import CriterionNotReached
from privet.preserve.privacy import PrivacySettings
from privet.schema import Schema

_DIGITS = 3


def refuse_unreachable(engine: Engine, schema: Schema, settings: PrivacySettings) -> None:
    """Refuse an l that the whole table does not have, with the largest one possible."""
    diversity = settings.diversity()
    if diversity is None:
        return
    for column in schema.sensitive:
        counts = engine.count([column])
        if diversity.judge(counts).holds:
            continue
        largest = {kind: _down(plain(measure_l(counts, kind))) for kind in KINDS}
        others = [
            f"{kind} up to {value}"
            for kind, value in largest.items()
            if kind != settings.l_kind and value >= diversity.l
        ]
        instead = f"; or for another kind of l: {', '.join(others)}" if others else ""
        raise CriterionNotReached(
            f"No release of this table can reach l = {plain(diversity.l)} ({settings.l_kind}) for "
            f"'{column}': the whole table has l = {largest[settings.l_kind]}.",
            f"ask for l = {largest[settings.l_kind]} at most{instead}.",
        )


def _down(figure: float) -> int | float:
    """A figure rounded down, so that asking for it succeeds."""
    floored = math.floor(figure * 10**_DIGITS) / 10**_DIGITS
    return int(floored) if floored == int(floored) else floored
