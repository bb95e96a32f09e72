"""Random substitution: every record is handed out, changed at random under a known matrix.

`perturb` changes records, `estimate` finds the original counts again, `rebuild` makes a table that
looks like the original one, `latent` models how columns are correlated, `by_node` and `estimated`
grow trees from what was perturbed, `choose` picks among these ways, `advise` helps with gamma and
the number of bins. Matrices, samplers and public domains are in `privet.mechanism`.
"""

from privet.substitution.choose import WAYS, Chosen, grow_from_perturbed
from privet.substitution.estimate import estimate, predicted_error
from privet.substitution.perturb import RandomSubstitution
from privet.substitution.rebuild import rebuild

__all__ = [
    "WAYS",
    "Chosen",
    "RandomSubstitution",
    "estimate",
    "grow_from_perturbed",
    "predicted_error",
    "rebuild",
]
