"""Every false statement is a no, though whatever would give it away was mended."""

import json
import random
import shutil
from pathlib import Path

import pytest
from falsehoods import ALL
from falsehoods.telling import RELEASES, Falsehood, Folder, NothingToChange

from privet.cli.main import main
from privet.release import verify

SAMPLE = 60  # of all lies, in quick tests
FORMS = ("csv", "parquet")
TOLD = [(lie, release) for lie in ALL for release in lie.releases]


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every release in both formats."""
    home = tmp_path_factory.mktemp("falsehoods")
    for name, make in RELEASES.items():
        release = make()
        for form in FORMS:
            release.save(home / f"{name} {form}", format=form)
    return home


def is_found(lie: Falsehood, release: str, form: str, releases: Path, place: Path) -> bool | None:
    """Whether verifying says no to a lie; None if the release has nothing to tell it of."""
    folder = place / "r"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(releases / f"{release} {form}", folder)
    try:
        lie.told_in(folder)
    except NothingToChange:
        return None
    outcome = verify(folder)
    return not outcome.holds


def test_there_are_lies_of_every_kind_and_each_has_a_name_of_its_own() -> None:
    assert len({lie.name for lie in ALL}) == len(ALL) > 300
    for release in RELEASES:
        assert sum(release in lie.releases for lie in ALL) >= 60


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("form", FORMS)
def test_mending_alone_changes_nothing(
    release: str, form: str, releases: Path, tmp_path: Path
) -> None:
    shutil.copytree(releases / f"{release} {form}", tmp_path / "r")
    Folder(tmp_path / "r").mend()
    outcome = verify(tmp_path / "r")
    assert outcome.holds, outcome.first_no


def test_some_false_statements(releases: Path, tmp_path: Path) -> None:
    """One of the chosen at least can be told of its release; those that are told are found."""
    chance = random.Random(20)
    told = 0
    for lie, release in chance.sample(TOLD, SAMPLE):
        found = is_found(lie, release, chance.choice(FORMS), releases, tmp_path)
        assert found is not False, (lie.name, release)
        told += found is True
    assert told > SAMPLE // 2


@pytest.mark.slow
def test_every_false_statement(releases: Path, tmp_path: Path) -> None:
    """Each in one format, in turn; what one format has nothing to tell of, in the other."""
    believed, told = [], set()
    for number, (lie, release) in enumerate(TOLD):
        for form in FORMS if number % 2 else FORMS[::-1]:
            found = is_found(lie, release, form, releases, tmp_path)
            if found is not None:
                break
        told |= {lie.name} if found is not None else set()
        believed += [(lie.name, release)] if found is False else []
    assert believed == []
    assert told == {lie.name for lie in ALL}


def test_the_command_says_no_to_people_and_to_programs(
    releases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_name = {lie.name: lie for lie in ALL}
    for name in ("k-anonymity: one more", "format 3", "manifest: NaN", "called magic"):
        folder = tmp_path / "r"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(releases / "leaf csv", folder)
        by_name[name].told_in(folder)
        assert main(["verify", str(folder)]) == 1, name
        assert "NO: " in capsys.readouterr().out
        assert main(["verify", str(folder), "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["holds"] is False
