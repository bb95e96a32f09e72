"""Privacy criteria, judged on counts: `k_anonymity`, `l_diversity`, `t_closeness`.

`assessment` judges a whole table, `verdict` holds what a criterion answers, `groups` the view of
counts that the judges share, `exact` and `entropy` the arithmetic that leaves nothing to floats.
No module here knows any publishing method.
"""

from privet.criteria.asked import criteria_of
from privet.criteria.assessment import Assessment, Finding, assess
from privet.criteria.k_anonymity import KAnonymity, measure_k
from privet.criteria.l_diversity import KINDS, LDiversity, measure_l
from privet.criteria.t_closeness import TCloseness, measure_t
from privet.criteria.verdict import Criterion, Figure, Verdict

__all__ = [
    "KINDS",
    "Assessment",
    "Criterion",
    "Figure",
    "Finding",
    "KAnonymity",
    "LDiversity",
    "TCloseness",
    "Verdict",
    "assess",
    "criteria_of",
    "measure_k",
    "measure_l",
    "measure_t",
]
