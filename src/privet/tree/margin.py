"""How clearly a tree wins: the least distance of a split to its best rival, on one table.

Rivals of a split are the other candidates of its node, and what could have been split instead when
it was made. A margin of 0 is a tie, which the rule of ties decided; above 0 every grower that
compares the same gains makes the same choices.
"""

from collections.abc import Mapping

import numpy as np

from privet.arrays import Floats
from privet.engine.protocol import CountSource, Tally
from privet.tree.candidates import candidates_of, rank_in
from privet.tree.choose import NEAR
from privet.tree.impurity import RULES
from privet.tree.model import Node, Tree
from privet.tree.response import counted_target


def margin(source: CountSource, tree: Tree) -> float:
    """The least (gain - rival's gain) / gain over all splits of a tree that grows from a table."""
    best, second = _two_best(source, tree)
    least = 1.0
    inner = sorted(tree.inner, key=lambda node: node.children[0])  # in the order of their making
    for node in inner:
        rivals = [second.get(node.id, 0.0)]
        made = node.children[0]
        for other in tree.nodes:
            open_then = other.id < made and (not other.children or other.children[0] > made)
            if open_then and other.id != node.id:
                rivals.append(best.get(other.id, 0.0))
        gain = best[node.id]
        distance = (gain - max(rivals)) / gain if gain > 0 else 0.0
        least = min(least, 0.0 if distance <= 2 * NEAR else distance)
    return least


def _two_best(source: CountSource, tree: Tree) -> tuple[dict[int, float], dict[int, float]]:
    """The gains of the best and the second best legal candidate of each node."""
    assert tree.grower.attributes is not None
    domains = {name: source.domain(name) for name in tree.grower.attributes}
    regions = tree.regions(domains)
    target = counted_target(source, tree.target, tree.step)
    best, second = {}, {}
    for node in tree.nodes:
        if not tree.may_be_split(node):
            continue
        (tallies,) = source.tally(tree.grower.attributes, [regions[node.id]], target)
        gains = np.sort(_gains(source, tree, node, tallies))[::-1]
        best[node.id] = float(gains[0]) if len(gains) else 0.0
        second[node.id] = float(gains[1]) if len(gains) > 1 else 0.0
    return best, second


def _gains(source: CountSource, tree: Tree, node: Node, tallies: Mapping[str, Tally]) -> Floats:
    """The gains of every candidate that leaves enough records in each child."""
    grower, rule = tree.grower, RULES[tree.grower.impurity]
    found = [np.zeros(0)]
    for index, (attribute, tally) in enumerate(tallies.items()):
        domain = source.domain(attribute)
        order = grower.category_orders.get(attribute)
        candidates = candidates_of(
            attribute,
            index,
            domain,
            tally,
            grower.categories == "multiway",
            tree.is_regression,
            None if order is None else rank_in(domain, order),
        )
        if candidates is None:
            continue
        children = candidates.spread(tally.weights)
        legal = np.min([rule.records(child) for child in children], axis=0) >= grower.min_leaf
        scores = rule.approximate(children, np.array(node.weights, dtype=np.int64)).scores
        found.append(scores[legal])
    return np.concatenate(found)
