"""Trees from perturbed records: one face for all ways, and the choice among them.

`auto` asks the perturbed records themselves (`evidence`): halves of them grow a tree each way, and
judge the trees of the other half. No clean record is seen. A way that the unbiased estimate finds
worse by several standard errors is struck off. Of the others the favourite is taken, unless the
steady estimate ranks another above it by more than its bias and its noise. The way chosen then
grows its tree from all records. Halves can be too few to see what the whole shows (two columns that
tell the class only together), so that the favourite is looked at once more beside `estimated`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.errors import InvalidParameter, UsageError, param
from privet.files import as_table
from privet.mechanism.substitution import Substitution
from privet.schema import Schema
from privet.substitution.evidence import Evidence, evidence_for
from privet.substitution.likelihood import worth
from privet.substitution.regions import PerturbedRows
from privet.substitution.stacked import grow_from_best_stack, has_laws
from privet.substitution.ways import (
    CLASSES_OF_NUMBERS,
    WAYS,
    Way,
    grown,
    settings_for_perturbed,
)
from privet.table import Table
from privet.tree import Grower, Tree
from privet.tree.accuracy import accuracy_on
from privet.tree.response import looks_numeric

TRIED = ("stacked", "by-class", "estimated", "perturbed")  # by `auto`, favourites first
STRUCK_OFF = 3.0  # standard errors of the unbiased estimate
BIAS = 0.01  # of the steady estimate, from one way to another, as seen where the truth was known,
SHORT_SIGHT = 1.5  # and this over the root of n: a half of few records does not see what pairs say
CLEARLY = 2.0  # standard errors of a difference between two ways, from half to half
NEARLY = 0.02  # the model that grew one tree sees another as nearly as right, this far behind
_FEWEST = 12  # records that can be cut into halves


@dataclass(frozen=True)
class Score:
    """Accuracy on the originals of the other half, as far as perturbed records tell."""

    accuracy: float  # on the rebuilt records of the other half: ranks
    unbiased: float
    standard_error: float  # of the unbiased estimate

    @classmethod
    def of(cls, evidence: Evidence) -> "Score":
        return cls(float(evidence.steady.mean()), evidence.unbiased, evidence.standard_error)

    def to_data(self) -> dict[str, float]:
        return dict(vars(self))


@dataclass(frozen=True)
class Chosen:
    """A tree from perturbed records, the way it was grown, and how the tried ways scored."""

    tree: Tree
    way: str
    scores: dict[str, Score]


def grow_from_perturbed(
    table: Any,
    mechanism: Substitution,
    schema: Schema,
    grower: Grower | None = None,
    way: Way = "auto",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Chosen:
    """A tree that predicts originals, grown from perturbed records alone.

    The seed breaks ties and draws from models; it hides nothing. `progress` hears of each step.
    Without a number of leaves in the grower, the tree of `stacked` is pruned.

    >>> table = privet.table_of({"age": [30, 61] * 40, "buys": ["no", "yes"] * 40})
    >>> schema = table.schema().with_roles(target="buys")
    >>> settings = {"gamma": 9, "bins": 2, "domain_from_data": True}
    >>> perturber = privet.RandomSubstitution(**settings).fit(table, schema)
    >>> seen = perturber.transform(table)
    >>> privet.grow_from_perturbed(seen, perturber.mechanism_, schema, way="by-class").way
    'by-class'
    """
    table = as_table(table)
    if way not in WAYS:
        raise InvalidParameter("way", "one of " + ", ".join(WAYS), way)
    domain = table[schema.target].domain
    if looks_numeric(domain) and domain.size > CLASSES_OF_NUMBERS:
        raise UsageError(
            f"The target '{schema.target}' is a number; perturbed records grow trees of classes.",
            "name a column of classes.",
        )
    say = progress or (lambda _: None)
    growers = {
        name: grower or settings_for_perturbed(table.n_rows, way=name)
        for name in (TRIED if way == "auto" else (way,))
    }
    if way == "auto":
        if table.n_rows < _FEWEST:
            raise UsageError(
                "There are too few records to hold some out.", f"name a {param('way')}."
            )
        found = evidence_for(table, mechanism, schema, growers, seed, say)
        best = best_way(found, table.n_rows)
        scores = {name: Score.of(evidence) for name, evidence in found.items()}
        if best == "stacked":
            say("growing stacked and estimated")
            tree, best = _looked_at_again(table, mechanism, schema, growers, seed)
            return Chosen(tree, best, scores)
    else:
        best, scores = way, {}
    say(f"growing {best}")
    return Chosen(grown(table, mechanism, schema, growers[best], best, seed), best, scores)


def best_way(found: Mapping[str, Evidence], records: int) -> str:
    """The first way that is neither struck off nor clearly behind; favourites stand first."""
    ceiling = max(e.unbiased - STRUCK_OFF * e.standard_error for e in found.values())
    standing = {
        way: e for way, e in found.items() if e.unbiased + STRUCK_OFF * e.standard_error >= ceiling
    }
    allowed = BIAS + SHORT_SIGHT / math.sqrt(records)
    for way, evidence in standing.items():
        if not any(_clearly_ahead(other, evidence, allowed) for other in standing.values()):
            return way
    return next(iter(standing))  # each is behind another one: nobody can tell


def _looked_at_again(
    table: Table, mechanism: Substitution, schema: Schema, growers: Mapping[str, Grower], seed: int
) -> tuple[Tree, str]:
    """The tree of `stacked` from all records, or that of `estimated` if it is no larger, the very
    model of `stacked` sees it as nearly as right, and the seen classes do not speak against it."""
    own, originals = grow_from_best_stack(table, mechanism, schema, growers["stacked"], seed)
    if not has_laws(table, mechanism, schema.target):
        return own, "stacked"
    other = grown(table, mechanism, schema, growers["estimated"], "estimated", seed)
    behind = accuracy_on(own, originals) - accuracy_on(other, originals)
    if other.n_leaves <= own.n_leaves and behind <= NEARLY:
        rows = PerturbedRows(table, mechanism)
        if worth(other, rows, seed) > worth(own, rows, seed):
            return other, "estimated"
    return own, "stacked"


def _clearly_ahead(other: Evidence, own: Evidence, allowed: float) -> bool:
    ahead = other.steady - own.steady
    noise = float(np.std(ahead)) / math.sqrt(max(len(ahead) - 1, 1))
    return float(ahead.mean()) > allowed + CLEARLY * noise
