"""The perturber: what it needs, what it says, and that its table has the promised shape."""

import numpy as np
import pytest

from privet.datasets import agrawal, agrawal_schema
from privet.errors import UsageError
from privet.files import frame_of, table_of
from privet.substitution import RandomSubstitution
from privet.table import Table


@pytest.fixture(scope="module")
def people() -> Table:
    return agrawal(2, 3_000, 1)


def test_everything_but_the_target_is_perturbed(people: Table) -> None:
    perturber = RandomSubstitution().fit(people, agrawal_schema(people))
    changed = perturber.transform(people, seed=1, keep_order=True)
    assert changed.names == people.names
    assert perturber.mechanism_.unchanged == ("group",)
    assert np.array_equal(changed["group"].codes, people["group"].codes)
    assert perturber.mechanism_.epsilon_of_a_record == pytest.approx(9 * np.log(9))
    for block in perturber.mechanism_.blocks:
        stayed = (block.encode(changed) == block.encode(people)).mean()
        share = block.matrix.dense()[0, 0]
        assert abs(stayed - share) < 4.5 * np.sqrt(share * (1 - share) / 3_000)


def test_the_order_of_records_tells_nothing(people: Table) -> None:
    schema = agrawal_schema(people)
    perturber = RandomSubstitution().fit(people, schema)
    changed = perturber.transform(people, seed=1)
    keys = np.stack([changed[name].codes for name in changed.names]).T.tolist()
    assert keys == sorted(keys)
    kept = perturber.transform(people, seed=1, keep_order=True)
    assert keys == sorted(np.stack([kept[name].codes for name in kept.names]).T.tolist())


def test_a_seed_repeats_and_without_one_nothing_does(people: Table) -> None:
    perturber = RandomSubstitution(columns=["age"]).fit(people, agrawal_schema(people))
    a, b = (perturber.transform(people, seed=4, keep_order=True)["age"].codes for _ in range(2))
    assert np.array_equal(a, b)
    c = perturber.transform(people, keep_order=True)["age"].codes
    assert not np.array_equal(a, c)


@pytest.mark.parametrize("other", [{"gamma": 5}, {"bins": 19}])
def test_two_matrices_under_one_seed_share_no_bits(other: dict[str, int]) -> None:
    """What two releases show together may rule out no original: the shifts of their draws must
    differ by each number about as often as those of independent draws."""
    n = 4_000
    people = table_of({"age": list(range(20)) * (n // 20), "name": [f"p{i}" for i in range(n)]})
    shifts = []
    for asked in ({"gamma": 9, "bins": 20}, {"gamma": 9, "bins": 20, **other}):
        drawn = RandomSubstitution(columns=["age"], domain_from_data=True, **asked).fit(people)
        block = drawn.mechanism_.blocks[0]
        seen = drawn.transform(people, seed=7, keep_order=True)
        shift = block.encode(seen).astype(int) - block.encode(people)
        shifts.append(shift % block.matrix.size)
    moved = (shifts[0] > 0) & (shifts[1] > 0)
    apart = np.bincount((shifts[0] - shifts[1])[moved] % 20, minlength=20)
    assert apart.min() > 0.5 * apart.mean()


@pytest.mark.parametrize("other", [{"gamma": 5}, {"bins": 10}])
def test_two_matrices_under_one_seed_put_no_row_at_the_same_place(other: dict[str, int]) -> None:
    """Values drawn from anywhere in a bin would say which rows of two releases are one person's."""
    people = table_of({"height": [150 + i / 16 for i in range(800)]})
    places = []
    for asked in ({"gamma": 9, "bins": 20}, {"gamma": 9, "bins": 20, **other}):
        settings = {"domain_from_data": True, "representative": "random", **asked}
        perturber = RandomSubstitution(**settings).fit(people)
        seen = perturber.transform(people, seed=7, keep_order=True)
        edges = perturber.mechanism_.blocks[0].domains[0].edges
        assert edges is not None
        values = seen["height"].domain.values[seen["height"].codes]
        places.append((values - edges[0]) / (edges[1] - edges[0]) % 1)
    assert not np.isclose(*places, atol=1e-6).any()


def test_domains_must_be_public_or_asked_for(people: Table) -> None:
    bare = people.schema().with_roles(target="group")
    with pytest.raises(UsageError, match="no domain for column 'salary'"):
        RandomSubstitution().fit(people, bare)
    perturber = RandomSubstitution(domain_from_data=True, bins=10).fit(people, bare)
    assert any("comes from the records" in text for text in perturber.warnings_)
    assert all(d.from_data for b in perturber.mechanism_.blocks for d in b.domains)


def test_joint_columns_are_one_draw(people: Table) -> None:
    schema = agrawal_schema(people)
    perturber = RandomSubstitution(columns=["loan"], joint=[("age", "elevel")]).fit(people, schema)
    names = [block.name for block in perturber.mechanism_.blocks]
    assert names == ["loan", "age+elevel"]
    assert perturber.mechanism_.blocks[1].matrix.size == 100
    changed = perturber.transform(people, seed=2, keep_order=True)
    block = perturber.mechanism_.blocks[1]
    both = (block.encode(changed) == block.encode(people)).mean()
    assert abs(both - 9 / 108) < 4.5 * np.sqrt(9 / 108 / 3_000)
    with pytest.raises(UsageError, match="at most 65536"):
        RandomSubstitution(columns=[], joint=[("age", "salary", "loan", "hvalue")]).fit(
            people, schema
        )
    with pytest.raises(UsageError, match="two columns"):
        RandomSubstitution(columns=[], joint=[("age",)]).fit(people, schema)


def test_rho_gives_gamma_and_extremes_are_warned_about(people: Table) -> None:
    schema = agrawal_schema(people)
    perturber = RandomSubstitution(columns=["age"], rho1=0.1, rho2=0.5).fit(people, schema)
    assert perturber.mechanism_.blocks[0].matrix.amplification == 9
    assert perturber.warnings_ == []
    noisy = RandomSubstitution(columns=["age"], gamma=1.2).fit(people, schema)
    assert any("accuracy suffers" in text for text in noisy.warnings_)
    assert any("uniform guess" in text for text in noisy.warnings_)
    with pytest.raises(UsageError, match="together"):
        RandomSubstitution(columns=["age"], rho1=0.1).fit(people, schema)


def test_a_matrix_of_ones_own_and_a_perturbed_class(people: Table) -> None:
    schema = agrawal_schema(people)
    own = {"group": [[0.9, 0.2], [0.1, 0.8]]}
    perturber = RandomSubstitution(columns=["group"], matrices=own).fit(people, schema)
    changed = perturber.transform(people, seed=3, keep_order=True)
    moved = changed["group"].codes[people["group"].codes == 1] == 0
    assert abs(moved.mean() - 0.2) < 4.5 * np.sqrt(0.16 / len(moved))
    with pytest.raises(UsageError, match="2 columns, its domain"):
        RandomSubstitution(columns=["elevel"], matrices={"elevel": own["group"]}).fit(
            people, schema
        )


def test_frames_come_back_as_they_went_in(people: Table) -> None:
    import pandas as pd

    frame = frame_of(people.select(["age", "elevel", "group"]), "pandas")
    schema = agrawal_schema(people).without(
        [n for n in people.names if n not in ("age", "elevel", "group")]
    )
    changed = RandomSubstitution().fit_transform(frame, schema, seed=1)
    assert isinstance(changed, pd.DataFrame)
    assert list(changed.columns) == ["age", "elevel", "group"]
    with pytest.raises(UsageError, match="not fitted"):
        RandomSubstitution().transform(frame)


def test_a_large_table_is_drawn_by_the_compiled_loop_alike(
    people: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    perturber = RandomSubstitution().fit(people, agrawal_schema(people))
    slow = perturber.transform(people, seed=1, keep_order=True)
    monkeypatch.setattr("privet.mechanism.sampling.COMPILE_FROM", 1)
    fast = perturber.transform(people, seed=1, keep_order=True)
    assert all(np.array_equal(slow[name].codes, fast[name].codes) for name in people.names)
