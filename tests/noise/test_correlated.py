"""Numbers moved together: what is kept of their covariances, and what the intruder makes of it."""

import json
from pathlib import Path

import numpy as np
import pytest

import privet
from oracles.slow_correlated_law import slow_chance
from privet.attack.intruder import intrude
from privet.attack.likelihood import Likelihoods
from privet.errors import InvalidParameter
from privet.noise.figures import figures_of
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.release import verify
from privet.table import Table
from privet.tree.natural import NoiseTreeSettings

NUMBERS = ("height", "weight", "waist", "income")
TREES = NoiseTreeSettings(leaves=4)


def bodies(records: int, seed: int) -> Table:
    """Three numbers that go together and one that does not; the tree asks the smoking alone."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=records)
    smokes = rng.random(records) < 0.4
    ill = rng.random(records) < np.where(smokes, 0.9, 0.1)
    return privet.table_of(
        {
            "height": (170 + 8 * size + 3 * rng.normal(size=records)).round().astype(int).tolist(),
            "weight": (75 + 12 * size + 4 * rng.normal(size=records)).round(1).tolist(),
            "waist": (90 + 9 * size + 4 * rng.normal(size=records)).round(1).tolist(),
            "income": rng.integers(10_000, 90_000, records).tolist(),
            "smokes": np.where(smokes, "yes", "no").tolist(),
            "ill": np.where(ill, "yes", "no").tolist(),
        }
    )


def numbers_of(table: Table) -> np.ndarray:
    return np.stack([table[n].domain.values.astype(float)[table[n].codes] for n in NUMBERS])


def fitted(table: Table, law: str, **more: object) -> NoiseFramework:
    asked = NoiseSettings(law=law, relative_to="column", detective=None, trees=TREES, **more)  # type: ignore[arg-type]
    return NoiseFramework(asked).fit(table, table.schema().with_roles(target="ill"))


def test_means_and_covariances_are_kept_and_columns_moved_alone_lose_them() -> None:
    table = bodies(6000, 1)
    before = numbers_of(table)
    shape = np.cov(before)
    off = {}
    for law in ("correlated", "normal"):
        after = numbers_of(fitted(table, law, innocent=0.5).transform(table, seed=3))
        assert (after != before).mean() > 0.8
        spread = np.sqrt(np.diag(shape))
        assert np.abs(after.mean(axis=1) - before.mean(axis=1)).max() < 0.05 * spread.max()
        off[law] = np.abs(np.corrcoef(after) - np.corrcoef(before)).max()
        ratio = np.diag(np.cov(after)) / np.diag(shape)
        if law == "correlated":
            assert ratio[:3] == pytest.approx(np.ones(3), abs=0.03)
            assert 0.8 < ratio[3] < 1  # much of a uniform column comes back from its ends
        else:
            assert ratio.max() > 1.15
    assert off["correlated"] < 0.02
    assert off["normal"] > 0.1


def test_every_pair_has_the_chance_that_a_reader_works_out() -> None:
    table = bodies(40, 5)
    noise = fitted(table, "correlated")
    told = json.loads(json.dumps(noise.mechanism_))
    released = noise.transform(table, seed=2)
    pairs = Likelihoods(noise.tree_, told, released, table.select([*NUMBERS, "ill"]), NUMBERS)
    part = told["innocent"]
    assert part["together"]["columns"] == list(NUMBERS)
    entries = [part["columns"][name] for name in NUMBERS]
    logs = pairs.of(np.arange(4))
    laws = noise.innocent_.laws_  # type: ignore[union-attr]
    units = [
        [
            laws[name].grid.units_of(rows[name].domain.values)[rows[name].codes].tolist()
            for name in NUMBERS
        ]
        for rows in (table, released)
    ]
    people, shown = (list(zip(*columns, strict=True)) for columns in units)
    for record in range(4):
        slow = np.array(
            [
                slow_chance(
                    part["noise"]["bars"],
                    entries,
                    part["together"]["correlations"],
                    x,
                    shown[record],
                )
                for x in people
            ]
        )
        fast = np.exp(logs[record])
        # The class and the leaf, which are unknown, have one chance for all people.
        assert fast / fast.sum() == pytest.approx(slow / slow.sum(), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("known", [NUMBERS, NUMBERS[1:3]])
def test_guesses_are_as_often_right_as_they_claim(known: tuple[str, ...]) -> None:
    bins = np.zeros((4, 10))
    for seed in range(5):
        table = bodies(250, seed)
        noise = fitted(table, "correlated", innocent=0.3)
        released = noise.transform(table, seed=seed)
        told = json.loads(json.dumps(noise.mechanism_))
        one = intrude(noise.tree_, told, released, table, known, np.arange(250)).calibration
        assert one is not None
        assert sum(one.expected) == pytest.approx(250)
        bins += [one.pairs, one.expected, one.right, [e * e for e in one.error]]
    there = bins[3] > 1e-6
    off = np.abs(bins[2] - bins[1])[there] / np.sqrt(bins[3][there])
    assert off.max() <= 3


def test_cells_that_are_missing_or_spikes_stay_and_the_release_is_verified(tmp_path: Path) -> None:
    table = bodies(300, 2)
    columns = {n: [table[n].domain.value(c) for c in table[n].codes.tolist()] for n in table}
    columns["weight"][:60] = [None] * 60
    columns["income"] = [0 if i % 3 == 0 else x for i, x in enumerate(columns["income"])]
    made = privet.add_noise(
        columns, target="ill", law="correlated", spikes={"income": [0]}, leaves=4, seed=1
    )
    assert any("Correlations of the numbers" in said for said in made.said)
    assert made.manifest.method["law"] == "correlated"
    made.save(tmp_path / "out")
    assert verify(tmp_path / "out").holds
    found = privet.read_table(tmp_path / "out" / "data.parquet")
    assert int((found["weight"].codes == found["weight"].domain.missing_code).sum()) == 60
    zero = found["income"].domain.values.tolist().index(0)
    assert int((found["income"].codes == zero).sum()) >= 100
    again = privet.attack.by_intruder(made, columns)
    assert 0 < again.found < again.before


def test_as_much_is_changed_as_was_expected() -> None:
    table = bodies(3000, 6)
    noise = fitted(table, "correlated", innocent=0.1)
    for seed in range(3):
        found = figures_of(noise, table, noise.transform(table, seed=seed))
        for column in found:
            if column.column in NUMBERS:
                share = column.expected / column.records
                error = (column.records * share * (1 - share)) ** 0.5
                assert abs(column.observed - column.expected) <= 5 * error + 1
                assert column.shift is not None


def test_the_order_of_the_rows_does_not_matter() -> None:
    table = bodies(200, 4)
    order = np.random.default_rng(1).permutation(200)
    one, two = (
        fitted(rows, "correlated").transform(rows, seed=9) for rows in (table, table.take(order))
    )
    assert np.array_equal(numbers_of(one)[:, order], numbers_of(two))


def test_scales_are_refused_beside_it() -> None:
    with pytest.raises(InvalidParameter, match="scales"):
        NoiseSettings(law="correlated", scales={"income": 5.0})
