"""Trees: settings (what is grown), grow (how), model (the result), and what is done with one."""

from privet.tree.grow import Admissible, attributes_for_growing, default_impurity, grow
from privet.tree.grower import Grower
from privet.tree.model import Multiway, Node, Split, Subset, Threshold, Tree

__all__ = [
    "Admissible",
    "Grower",
    "Multiway",
    "Node",
    "Split",
    "Subset",
    "Threshold",
    "Tree",
    "attributes_for_growing",
    "default_impurity",
    "grow",
]
