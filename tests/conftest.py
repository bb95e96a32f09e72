"""What all tests share: how long properties are tried, and where public data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("quick", max_examples=60, deadline=None, suppress_health_check=_PATIENT)
settings.register_profile("long", max_examples=400, deadline=None, suppress_health_check=_PATIENT)
settings.register_profile("spark", max_examples=2, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile(os.environ.get("PRIVET_TESTS", "quick"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public tables beside the repository."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public tables are not here")
    return folder
