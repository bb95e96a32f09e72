"""How much of a table is still there after a method: judged from outside, never by the method."""

from privet.measure.alike import Alike
from privet.measure.cactus import Cluster, Clustering, StrongPair, cactus
from privet.measure.distortion import Distortion
from privet.measure.likeness import likeness
from privet.measure.measured import Measured
from privet.measure.miners import Utility
from privet.measure.similarity import Similarity, similarities, similarity_matrix

__all__ = [
    "Alike",
    "Cluster",
    "Clustering",
    "Distortion",
    "Measured",
    "Similarity",
    "StrongPair",
    "Utility",
    "cactus",
    "likeness",
    "similarities",
    "similarity_matrix",
]
