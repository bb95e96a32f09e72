"""Settings of noise under one name each, for those who do not want to choose thirty of them.

They are settings of `privet.add_noise` and options of `privet noise` alike; whatever is given
besides wins over them.
"""

from typing import Any

from privet.errors import InvalidParameter, param

PRESETS: dict[str, dict[str, Any]] = {
    # as the papers have it: thirteen steps, small leaves, categories drawn on paths as well
    "paper": {"law": "paper", "strict": False, "min_leaf": 2},
    # no record leaves its leaf; what there is without a preset
    "strict": {},
    # fewer people found, for a coarser tree: few leaves, twice the deviation, nothing impossible
    "strong": {"law": "normal", "leaves": 8, "innocent": 0.552, "floor": 0.1},
}


def preset(name: str) -> dict[str, Any]:
    """The settings of a preset by their names.

    >>> preset("strong")["leaves"]
    8
    """
    if name not in PRESETS:
        raise InvalidParameter(param("preset"), "one of " + ", ".join(PRESETS), name)
    return dict(PRESETS[name])
