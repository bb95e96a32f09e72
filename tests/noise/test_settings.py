"""Settings as the manifest and the audit state them: enough to draw a release again."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet
from privet.cli.main import main
from privet.datasets import crd, schema_of
from privet.errors import InvalidParameter, UnknownColumn, UsageError
from privet.files import read_table, write_table
from privet.noise.framework import NoiseFramework
from privet.noise.publisher import NoisePublisher
from privet.noise.settings import NoiseSettings
from privet.noise_pipeline import judged_by_intruder
from privet.schema import Schema
from privet.tree.natural import NoiseTreeSettings

shares = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@st.composite
def noise_settings(draw: st.DrawFn) -> NoiseSettings:
    """Any settings for the table of applicants."""
    spikes = st.lists(st.integers(0, 600).map(float), min_size=1, max_size=2).map(tuple)
    law = draw(st.sampled_from(["bell", "normal", "laplace", "correlated", "paper"]))
    scaled = ["income", "rent"] if law != "correlated" else []
    return NoiseSettings(
        class_noise=draw(st.sampled_from(["random", "probabilistic", "all-leaves"])),
        innocent=draw(st.sampled_from([None, 0.05, 0.276])),
        which=draw(st.sampled_from(["tia", "lia", "both"])),
        where=draw(st.sampled_from(["heterogeneous", "all"])),
        ends=draw(st.sampled_from(["reflect", "reflect-whole", "clamp"])),
        law=law,
        relative_to=draw(st.sampled_from(["value", "column"])),
        influential=draw(st.sampled_from([None, "shuffle", "wrap", "reflect"])),
        influential_sd=draw(st.sampled_from([0.1, 0.276])),
        influential_scale=draw(st.sampled_from(["value", "column", "leaf"])),
        detective=draw(st.sampled_from([None, 0.0, 0.1, 0.5])),
        participation=draw(shares),
        random_value=draw(shares),
        cousins=draw(st.integers(0, 2)),
        floor=draw(st.sampled_from([0.0, 0.0, 0.1])),
        draw=draw(st.sampled_from([None, ("city",)])),
        strict=draw(st.booleans()),
        inside=draw(st.booleans()),
        keep_tree=draw(st.sampled_from([False, False, False, True])),
        scales=draw(
            st.dictionaries(st.sampled_from(scaled), st.just(50.0)) if scaled else st.just({})
        ),
        spikes=draw(st.dictionaries(st.sampled_from(["income", "rent"]), spikes)),
        together=draw(st.sampled_from([None, (), (("city", "job_grade"),)])),
        trees=NoiseTreeSettings(
            impurity=draw(st.sampled_from(["gini", "entropy", "gain-ratio", "c45"])),
            categories=draw(st.sampled_from(["subset", "multiway"])),
            min_leaf=draw(st.sampled_from([None, 5])),
            leaves=draw(st.sampled_from([None, 6])),
            depth=draw(st.sampled_from([None, 4])),
            prune=draw(st.sampled_from(["none", "pessimistic"])),
        ),
    )


@given(noise_settings())
def test_settings_read_back_from_json(asked: NoiseSettings) -> None:
    written = json.loads(json.dumps(asked.describe()))
    assert NoiseSettings.from_description(written) == asked
    assert NoiseSettings.from_description({"name": "noise", "order": "sorted", **written}) == asked


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(noise_settings(), st.integers(0, 2**40))
def test_seed_and_audit_draw_the_release_again(asked: NoiseSettings, seed: int) -> None:
    table = crd(120, 3)
    schema = schema_of("crd", table)
    first = NoisePublisher(asked, judged_by_intruder).publish(table, schema, seed=seed)
    assert first.audit is not None
    audit: Any = json.loads(json.dumps(first.audit.to_data()))
    method = json.loads(json.dumps(first.manifest.method))
    for stated in (audit["settings"], method):
        again = NoisePublisher(NoiseSettings.from_description(stated), judged_by_intruder).publish(
            table, schema, seed=audit["seed"]
        )
        assert again.manifest.content_sha256 == first.manifest.content_sha256


@pytest.mark.parametrize("more", [[], ["--keep-order", "--keep-tree", "--leaves", "6"]])
def test_audit_and_table_alone_draw_the_same_bytes(tmp_path: Path, more: list[str]) -> None:
    """Neither the manifest nor the command line is asked: roles, settings and seed are inside."""
    path, out, inside = (tmp_path / name for name in ("people.csv", "out", "inside"))
    write_table(crd(150, 4), path)
    asked = ["--target", "credit_risk", "--other", "rent", "--law", "correlated", *more]
    asked += ["--seed", "11", "--audit", str(inside), "--format", "csv"]
    assert main(["noise", str(path), *asked, "--out", str(out)]) == 0
    audit = json.loads((inside / "audit.json").read_text())
    schema, stated = Schema.from_dict(audit["schema"]), audit["settings"]
    table = read_table(path, kinds={column.name: column.kind for column in schema})
    publisher = NoisePublisher(
        NoiseSettings.from_description(stated), judged_by_intruder, stated["order"] == "kept"
    )
    again = publisher.publish(table, schema, seed=audit["seed"])
    again.save(tmp_path / "again", format="csv")
    for name in ("data.csv", "model.json", "mechanism.json"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.parametrize("option", ["scales", "spikes", "together"])
def test_unknown_columns_are_refused(option: str) -> None:
    table = crd(60, 1)
    given_: dict[str, Any] = {
        "scales": {"nope": 1.0},
        "spikes": {"nope": (0.0,)},
        "together": (("nope", "income"),),
    }
    parts = {"innocent": None, "influential": None, "detective": None}  # whatever is switched on
    with pytest.raises(UnknownColumn, match=option):
        NoiseFramework(NoiseSettings(**parts, **{option: given_[option]})).fit(
            table, schema_of("crd", table)
        )


def test_together_needs_a_category() -> None:
    table = crd(60, 1)
    with pytest.raises(UsageError, match="is a category"):
        NoiseFramework(NoiseSettings(together=(("income", "rent"),))).fit(
            table, schema_of("crd", table)
        )


def test_what_is_stated_is_in_the_manifest(tmp_path: Path) -> None:
    table = crd(60, 1)
    made = NoisePublisher(NoiseSettings(cousins=1), judged_by_intruder).publish(
        table, schema_of("crd", table), seed=5
    )
    made.save(tmp_path / "out", report=False)
    method = json.loads((tmp_path / "out" / "manifest.json").read_text())["method"]
    assert method["cousins"] == 1
    assert method["trees"]["impurity"] == "gain-ratio"
    assert "seed" not in json.dumps(method)


@pytest.mark.parametrize("scale", [1e13, 1e20, 1e308])
def test_a_scale_beyond_what_floats_tell_apart_is_refused(scale: float) -> None:
    """Noise so wide left the range of whole numbers, and moved all values by one and the same."""
    frame = {"age": list(range(100)), "ill": ["no", "yes"] * 50}
    with pytest.raises(InvalidParameter, match="scale of age") as refused:
        privet.add_noise(frame, target="ill", scales={"age": scale}, leaves=1)
    assert refused.value.hint
    wide = privet.add_noise(frame, target="ill", scales={"age": 1e12}, leaves=1, keep_order=True)
    moves = {(new - old) % 200 for old, new in enumerate(wide.data["age"])}
    assert len(moves) > 40
