"""Attacks: what somebody learns who sees only what was released, and knows what is stated.

One file an attack. An attack never imports a method: it is given a released table and the
knowledge of the attacker, and its guesses are scored against the truth afterwards. `seen` reads a
release as an attacker does; the commands of `privet attack NAME` call `by_NAME`.
"""

from privet.attack.bayes import Guessed
from privet.attack.bayes import attack_by_bayes as by_bayes
from privet.attack.epsilon_audit import audit_epsilon
from privet.attack.extremes import Ends, OrderKnown
from privet.attack.extremes import attack_by_order as by_order
from privet.attack.frequency import FrequencyMatching
from privet.attack.homogeneity import Homogeneity, OneValue
from privet.attack.homogeneity import attack_by_homogeneity as by_homogeneity
from privet.attack.intersection import Intersection, ToldByBoth
from privet.attack.intersection import attack_by_intersection as by_intersection
from privet.attack.intruder import attack_by_intruder as by_intruder
from privet.attack.intrusion import Calibration, Intrusion
from privet.attack.linkage import Linkage
from privet.attack.linkage import attack_by_linkage as by_linkage
from privet.attack.membership import Membership
from privet.attack.membership import attack_by_membership as by_membership
from privet.attack.minimality import Minimality, Refused
from privet.attack.minimality import attack_by_minimality as by_minimality
from privet.attack.order import OrderMatching, by_known_people
from privet.attack.recovery import NumbersRecovered
from privet.attack.recovery import attack_by_recovery as by_recovery
from privet.attack.repetition import Repetition, Repetitions
from privet.attack.repetition import attack_by_repetition as by_repetition
from privet.attack.spectral import Recovery, spectral_filter
from privet.attack.spectral import attack_by_spectrum as by_spectrum

__all__ = [
    "Calibration",
    "Ends",
    "FrequencyMatching",
    "Guessed",
    "Homogeneity",
    "Intersection",
    "Intrusion",
    "Linkage",
    "Membership",
    "Minimality",
    "NumbersRecovered",
    "OneValue",
    "OrderKnown",
    "OrderMatching",
    "Recovery",
    "Refused",
    "Repetition",
    "Repetitions",
    "ToldByBoth",
    "audit_epsilon",
    "by_bayes",
    "by_homogeneity",
    "by_intersection",
    "by_intruder",
    "by_known_people",
    "by_linkage",
    "by_membership",
    "by_minimality",
    "by_order",
    "by_recovery",
    "by_repetition",
    "by_spectrum",
    "spectral_filter",
]
