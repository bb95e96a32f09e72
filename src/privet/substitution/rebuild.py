"""A table rebuilt from a perturbed one, so that ordinary tree builders can use it.

`global` is the way of Dowd, Xu and Zhang: estimate the counts of a column, sort the records by what
is seen, and assign the estimated values in that order. `by-class` does so within each class of
the target. `modelled` draws each original from a latent class model (`latent`), which also sees how
columns are correlated. `by-node` assigns them again at every node of a growing tree (`by_node`).
No way finds the original of a record; only the counts resemble those of the originals.
"""

from typing import Any, Literal, get_args

import numpy as np

from privet.errors import InvalidParameter, UsageError, param
from privet.files import as_given, as_table
from privet.mechanism.substitution import Substitution
from privet.randomness import generator
from privet.substitution.by_node import rebuild_by_node
from privet.substitution.dealing import dealt, rows_by_class, with_codes
from privet.substitution.estimate import Method
from privet.substitution.latent_class import fit_average
from privet.table import Table

RebuildWay = Literal["global", "by-class", "by-node", "modelled"]
REBUILD_WAYS: tuple[str, ...] = get_args(RebuildWay)


def rebuild(
    table: Any,
    mechanism: Substitution,
    way: RebuildWay = "modelled",
    target: str | None = None,
    method: Method = "simplex",
    seed: int = 0,
) -> Any:
    """The table rebuilt, as a frame of the kind that was given.

    The seed orders records that are seen alike and draws from the model; it hides nothing.

    >>> table = privet.table_of({"age": [30, 61] * 40, "buys": ["no", "yes"] * 40})
    >>> schema = table.schema().with_roles(target="buys")
    >>> settings = {"gamma": 9, "bins": 2, "domain_from_data": True}
    >>> perturber = privet.RandomSubstitution(**settings).fit(table, schema)
    >>> seen = perturber.transform(table)
    >>> privet.rebuild(seen, perturber.mechanism_, "by-class", "buys").n_rows
    80
    """
    if way not in REBUILD_WAYS:
        raise InvalidParameter("way", "one of " + ", ".join(REBUILD_WAYS), way)
    given = as_table(table)
    if way != "global" and target is None:
        raise UsageError(
            f"Rebuilding {way} needs the target.",
            f"name the column of classes: {param('target', 'COLUMN')}.",
        )
    if way == "by-node":
        assert target is not None
        rebuilt = rebuild_by_node(given, mechanism, target, method, seed)
    elif way == "modelled":
        assert target is not None
        rebuilt = modelled(given, mechanism, target, seed)
    else:
        rebuilt = sorted_and_dealt(given, mechanism, target, way == "by-class", method, seed)
    return as_given(rebuilt, table)


def sorted_and_dealt(
    table: Table,
    mechanism: Substitution,
    target: str | None,
    by_class: bool,
    method: Method = "simplex",
    seed: int = 0,
) -> Table:
    """Every column by itself, within each class or in the whole table; the target stays as seen."""
    groups = [np.arange(table.n_rows)]
    if by_class:
        assert target is not None
        groups = rows_by_class(table, target)
    codes = {}
    for block in mechanism.blocks:
        if block.columns == (target,):
            continue
        seen = block.encode(table)
        order = generator(seed, f"ties:{block.name}").permutation(table.n_rows)
        codes[block.name] = new = np.empty_like(seen)
        for rows in groups:
            new[rows] = dealt(seen[rows], block.matrix, order[rows], method)
    return with_codes(table, mechanism, codes)


def modelled(table: Table, mechanism: Substitution, target: str, seed: int = 0) -> Table:
    """Originals drawn from a latent class model for each class.

    A perturbed target is one more column of a single model, for the whole table.
    """
    perturbed_target = target in mechanism.columns
    groups = [np.arange(table.n_rows)] if perturbed_target else rows_by_class(table, target)
    seen = [block.encode(table) for block in mechanism.blocks]
    matrices = [block.matrix for block in mechanism.blocks]
    new = [codes.copy() for codes in seen]
    for number, rows in enumerate(groups):
        here = [codes[rows] for codes in seen]
        model = fit_average(here, matrices, seed)
        drawn = model.draw(here, generator(seed, f"originals of class {number}"))
        for codes, own in zip(new, drawn, strict=True):
            codes[rows] = own
    names = [block.name for block in mechanism.blocks]
    return with_codes(table, mechanism, dict(zip(names, new, strict=True)))
