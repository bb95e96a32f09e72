"""A studio without a network, and who visits it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from privet.studio.application import Studio
from privet.studio.door import Keys
from privet.studio.tabs import Tabs
from studio.visiting import ORIGIN, PORT, Visitor


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def studio(tmp_path: Path, home: Path) -> Studio:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    return Studio(Tabs(private), Keys(PORT), (home,))


@pytest.fixture
def stranger(studio: Studio) -> Iterator[TestClient]:
    """A client that has not shown the token."""
    app = studio.application()
    with TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        yield client


@pytest.fixture
def visitor(studio: Studio, stranger: TestClient) -> Visitor:
    assert stranger.get(f"/?token={studio.keys.token}").status_code == 200
    return Visitor(stranger, studio).open_tab()
