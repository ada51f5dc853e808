"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Tables, hierarchies and independent results that lie beside the project where it is developed."""
    if not SHARED.is_dir():
        pytest.skip("the shared data are not here")
    return SHARED


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing may be left out: a skipped test is a failure there."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


settings.register_profile("here", deadline=None, print_blob=False, max_examples=50)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, database=None)
settings.register_profile("soak", settings.get_profile("here"), max_examples=2000)
settings.load_profile("soak" if os.environ.get("SOAK") else "ci" if os.environ.get("CI") else "here")
