"""What a path leaves of each column is what the records of its node have."""

from hypothesis import given

from oracles.random_tables import PlainTable, plain_tables
from privet.engine import MemoryEngine
from privet.schema import Kind
from privet.tree import Grower, grow
from privet.tree.accuracy import accuracy_on, training_accuracy
from privet.tree.model import Threshold
from privet.tree.paths import Left, paths


@given(plain_tables())
def test_records_have_what_their_path_leaves(plain: PlainTable) -> None:
    table = plain.table()
    tree = grow(MemoryEngine(table), plain.schema(), Grower(leaves=6))
    steps = paths(tree)
    assert [len(path) for path in steps] == [node.depth for node in tree.nodes]
    for row, leaf in enumerate(tree.leaf_of_rows(table).tolist()):
        left = Left.by(steps[leaf])
        assert set(left.order) == {split.attribute for split, _ in steps[leaf]}
        for name, known in left.ranges.items():
            value = plain.cells[name][row]
            if value is None:
                assert known.missing
                continue
            assert known.numbers
            assert known.above is None or value > known.above
            assert known.up_to is None or value <= known.up_to
        for name, labels in left.sets.items():
            assert plain.cells[name][row] in labels


def test_the_tighter_threshold_counts_whatever_its_depth() -> None:
    five, nine = (Threshold("x", Kind.INTEGER, bound) for bound in (5.0, 9.0))
    kept = Left.by([(five, 0), (nine, 0)]).ranges["x"]
    assert (kept.above, kept.up_to, kept.missing) == (None, 5.0, False)
    kept = Left.by([(nine, 1), (five, 1)]).ranges["x"]
    assert (kept.above, kept.up_to, kept.missing) == (9.0, None, True)


@given(plain_tables())
def test_accuracy_on_the_own_records_is_that_of_training(plain: PlainTable) -> None:
    table = plain.table()
    tree = grow(MemoryEngine(table), plain.schema(), Grower(leaves=5))
    assert abs(accuracy_on(tree, table) - training_accuracy(tree)) < 1e-12
