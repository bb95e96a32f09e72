"""Random substitution: every record is handed out, changed at random under a known matrix.

`perturb` changes records, `estimate` finds the original counts again, `rebuild` makes a table that
looks like the original one. Trees from what was perturbed: `laws` and `pairs` are a model of the
originals, `stacked` grows from draws of it, `latent_class`, `by_node` and `estimated` are behind
other `ways`, `evidence` lets halves of the records judge them, `choose` picks. `advise` helps with
gamma and the number of bins. Matrices, samplers and public domains are in `privet.mechanism`.
"""

from privet.substitution.choose import Chosen, grow_from_perturbed
from privet.substitution.estimate import estimate, predicted_error
from privet.substitution.perturb import RandomSubstitution
from privet.substitution.rebuild import rebuild
from privet.substitution.ways import WAYS

__all__ = [
    "WAYS",
    "Chosen",
    "RandomSubstitution",
    "estimate",
    "grow_from_perturbed",
    "predicted_error",
    "rebuild",
]
