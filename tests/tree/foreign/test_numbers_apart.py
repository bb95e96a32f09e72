"""Numbers are called apart in 32 bits only where scikit-learn really cuts between them."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from privet.tree.foreign.numbers import apart_in_singles


def test_neighbours_in_single_precision_are_apart_where_scikit_learn_cuts() -> None:
    found = set()
    for low in (14.4, 6.9, 1.5, 0.3, 1e-6, -14.4, 1e5):
        single = np.float32(low)
        pair = np.array([single, np.nextafter(single, np.float32(np.inf))], dtype=np.float64)
        tree = DecisionTreeClassifier().fit(pair.reshape(-1, 1), [0, 1])
        assert apart_in_singles(pair) == (tree.tree_.node_count == 3)
        found.add(apart_in_singles(pair))
    assert found == {True, False}
