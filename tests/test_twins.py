"""Library and command line are twins: every command has a public function that does the same."""

import dataclasses
import inspect
import sys
import typing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import privet
import privet.attack
import privet.measure
from privet.cli.attack import ATTACKS
from privet.cli.main import COMMANDS
from privet.datasets import hospital
from privet.files import frame_of, write_table
from privet.preserve.anonymise.settings import AnonymiseSettings
from privet.preserve.settings import PublishSettings

TWINS = {
    "schema": "propose",
    "check": "check",
    "tree": "grow",
    "compare": "tree_likeness",
    "alike": "alike",
    "publish": "publish",
    "anonymise": "anonymise",
    "verify": "verify",
    "explore": "explore",
    "recode": "recode",
    "predict": "predict",
    "report": "write_report",
    "measure": "measure_release",
    "noise": "add_noise",
    "convert": "convert",
    "party": "ProjectKey",
    "mask": "mask",
    "join": "join",
    "decode": "decode",
    "substitute": "substitute",
    "rebuild": "rebuild",
    "advise": "advise",
}
PACKAGES = {"attack"}  # `privet attack NAME` is `privet.attack.by_NAME`
PAGES = {"studio"}  # every click is one of the calls
ROLES = {"target": "readmitted", "identifier": "patient_id"}


def test_every_command_has_its_function() -> None:
    assert set(TWINS) | PACKAGES | PAGES == set(COMMANDS)
    for name in TWINS.values():
        assert name in privet.__all__
        assert callable(getattr(privet, name))


@pytest.mark.parametrize(
    "call",
    [
        *(getattr(privet, name) for name in TWINS.values() if name != "ProjectKey"),
        *(getattr(privet.attack, f"by_{name}") for name in ATTACKS),
    ],
)
def test_parameters_are_spelled_out_and_typed(call: typing.Any) -> None:
    """An editor completes `k=`, and a type checker knows what it may be."""
    for parameter in inspect.signature(call).parameters.values():
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        assert parameter.annotation is not parameter.empty
        assert parameter.name != "rng", "seeds are called seed"


@pytest.mark.parametrize(
    ("call", "settings"),
    [
        (privet.publish, PublishSettings),
        (privet.explore, PublishSettings),
        (privet.anonymise, AnonymiseSettings),
    ],
)
def test_parameters_are_those_of_the_settings(call: typing.Any, settings: typing.Any) -> None:
    """Settings are made of the arguments by their names, so names, types and defaults agree."""
    parameters = inspect.signature(call).parameters
    known = vars(sys.modules[settings.__module__])
    for setting in dataclasses.fields(settings):
        if setting.name == "k":  # `publish` insists on it
            continue
        if call is privet.explore and setting.name == "release_sensitive":
            continue  # says what is released, and changes no figure
        parameter = parameters[setting.name]
        assert parameter.default == setting.default
        written = parameter.annotation
        kind = eval(written, known) if isinstance(written, str) else written
        assert kind == setting.type


@pytest.fixture(scope="module")
def people() -> privet.Table:
    return hospital(300, seed=3)


@pytest.fixture(params=["table", "arrow", "pandas", "polars", "lists", "path", "text"])
def given(request: pytest.FixtureRequest, people: privet.Table, tmp_path: Path) -> typing.Any:
    """One table in every shape that a caller may have."""
    if request.param == "table":
        return people
    if request.param in ("path", "text"):
        path = tmp_path / "people.parquet"
        write_table(people, path)
        return path if request.param == "path" else str(path)
    return frame_of(people, request.param)


def test_every_shape_of_table_goes_in(given: typing.Any, people: privet.Table) -> None:
    tree = privet.grow(given, **ROLES, leaves=4)
    assert privet.compare(tree, privet.grow(people, **ROLES, leaves=4))
    quasi = ["stay_days", "sex"]
    judged = privet.check(given, quasi=quasi, k=2)
    assert judged == privet.check(people, quasi=quasi, k=2)
    assert privet.propose(given).schema.names() == people.names
    schema = people.schema().with_roles(**ROLES)
    noise = privet.ClassNoise().fit(given, schema)
    released = noise.transform(given, seed=1)
    if not isinstance(given, Path | str):  # of a file nobody knows which frame is meant
        assert type(released) is type(given)


def test_one_seed_for_all(people: privet.Table) -> None:
    schema = people.schema().with_roles(**ROLES)
    noise = privet.ClassNoise().fit(people, schema)
    whole = noise.transform(people, seed=5)
    again = noise.transform(people, seed=5)
    assert np.array_equal(whole["readmitted"].codes, again["readmitted"].codes)
    drawn = [noise.transform(people, seed=np.random.default_rng(2)) for _ in range(2)]
    assert np.array_equal(*(table["readmitted"].codes for table in drawn))
    perturber = privet.RandomSubstitution(["sex"], domain_from_data=True).fit(people)
    seen = [perturber.transform(people, seed=np.random.default_rng(2)) for _ in range(2)]
    assert np.array_equal(*(table["sex"].codes for table in seen))


def test_new_rows_through_python_and_command_agree(
    people: privet.Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from privet.cli.main import main

    release = privet.publish(people, **ROLES, sensitive="diagnosis", k=4, leaves=3)
    release.save(tmp_path / "release")
    write_table(people, tmp_path / "new.parquet")
    asked = ["predict", str(tmp_path / "release"), str(tmp_path / "new.parquet")]
    assert main([*asked, "--out", str(tmp_path / "p.csv")]) == 0
    told = pl.read_csv(tmp_path / "p.csv")["predicted"].to_list()
    assert privet.predict(tmp_path / "release", tmp_path / "new.parquet") == told
    assert privet.predict(release, frame_of(people, "pandas")) == told
    recoded = privet.recode(release, frame_of(people, "polars"))
    assert isinstance(recoded, pl.DataFrame)
    assert privet.write_report(tmp_path / "release", tmp_path / "r.html").exists()


def test_conversion_keeps_what_is_there(people: privet.Table, tmp_path: Path) -> None:
    write_table(people, tmp_path / "a.csv")
    privet.convert(tmp_path / "a.csv", tmp_path / "b.parquet")
    assert privet.read_table(tmp_path / "b.parquet").names == people.names
    with pytest.raises(privet.PrivetError, match="exists already"):
        privet.convert(tmp_path / "a.csv", tmp_path / "b.parquet")
    with pytest.raises(privet.PrivetError, match="it is the input"):
        privet.convert(tmp_path / "a.csv", tmp_path / "a.csv", force=True)


def test_attacks_and_measures_have_a_door() -> None:
    for package in (privet.attack, privet.measure):
        assert package.__all__ == sorted(package.__all__)
        for name in package.__all__:
            assert getattr(package, name).__doc__
