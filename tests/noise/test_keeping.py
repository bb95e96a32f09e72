"""--keep-tree: the same tree grows from the released rows, or the node that resists is named."""

import json
from pathlib import Path

import numpy as np
import pytest

import privet
from privet.attack.intruder import intrude
from privet.datasets import crd, schema_of
from privet.engine import MemoryEngine
from privet.noise import keeping
from privet.noise.draws import is_changed
from privet.noise.framework import NoiseFramework
from privet.noise.settings import NoiseSettings
from privet.release import verify
from privet.tree.compare import same_rules
from privet.tree.natural import NoiseTreeSettings, natural_tree

TREES = NoiseTreeSettings(leaves=8)


def test_the_same_tree_grows_again_and_as_much_is_changed() -> None:
    table = crd(399, 2005)
    schema = schema_of("crd", table)
    free = NoiseFramework(NoiseSettings(trees=TREES)).fit(table, schema)
    keep = NoiseFramework(NoiseSettings(trees=TREES, keep_tree=True)).fit(table, schema)
    same, redraws = {"free": 0, "kept": 0}, 0
    changes = {"free": 0, "kept": 0}
    for seed in range(8):
        for name, noise in (("free", free), ("kept", keep)):
            released = noise.transform(table, seed=seed)
            again = natural_tree(MemoryEngine(released), schema, TREES)
            is_same = same_rules(noise.tree_, again)
            same[name] += is_same
            changes[name] += sum(
                int(is_changed(table[n], released[n]).sum()) for n in released.names
            )
            if name == "kept":
                assert keep.kept_ is not None
                assert is_same == (keep.kept_.resists is None)
                redraws += keep.kept_.redraws
                counts = np.bincount(keep.tree_.leaf_of_rows(released))
                assert counts.tolist() == np.bincount(keep.tree_.leaf_of_rows(table)).tolist()
    assert same["kept"] == 8
    assert redraws > 0
    assert same["free"] < 8
    assert changes["kept"] >= 0.95 * changes["free"]


def test_a_seed_draws_the_same_and_the_release_says_it(tmp_path: Path) -> None:
    table = crd(399, 2005)
    schema = schema_of("crd", table)
    asked = {"schema": schema, "leaves": 8, "keep_tree": True}
    one, two = (privet.add_noise(table, seed=2, **asked) for _ in range(2))  # type: ignore[arg-type]
    assert one.manifest.content_sha256 == two.manifest.content_sha256
    assert any("The tree is kept" in said for said in one.said)
    claim = one.manifest.claim("accuracy-of-a-tree-grown-again")
    assert claim is not None
    assert claim.parameters["same_rules"] is True
    assert claim.parameters["likeness"]["word"] == "exactly same"
    one.save(tmp_path / "out")
    assert verify(tmp_path / "out").holds
    assert json.loads((tmp_path / "out" / "mechanism.json").read_text())["keep_tree"] is True


def test_the_node_that_resists_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_REDRAWS", 0)
    table = crd(399, 2005)
    schema = schema_of("crd", table)
    said = []
    for seed in range(8):
        made = privet.add_noise(table, schema=schema, leaves=8, keep_tree=True, seed=seed)
        said += [one for one in made.said if "still resists" in one]
    assert said
    assert "node" in said[0]


def test_the_condition_tells_the_intruder_next_to_nothing() -> None:
    """Hits under redraws are as often as the law without them claims."""
    table = crd(250, 3)
    schema = schema_of("crd", table)
    noise = NoiseFramework(NoiseSettings(trees=TREES, keep_tree=True)).fit(table, schema)
    known = [n for n in table.names if n != schema.target]
    claimed, counted = 0.0, 0.0
    for seed in range(6):
        released = noise.transform(table, seed=seed)
        found = intrude(
            noise.tree_, noise.mechanism_, released, table, known, np.arange(250), compare=False
        )
        assert found.counted is not None
        claimed, counted = claimed + found.found / 6, counted + found.counted / 6
    assert counted == pytest.approx(claimed, abs=3 * (claimed * (1 - claimed) / 1500) ** 0.5)
