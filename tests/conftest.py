"""What all tests share."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler.loadscope import LoadScopeScheduling

TOGETHER = ("tests/contract/engines/", "tests/golden/")
"""Folders whose tests share what takes long to start or compute, so that one process runs all of them."""
SHARED = Path(__file__).parents[2] / "shared"


def pytest_configure() -> None:
    """Let an interrupt interrupt, for tests that send one: a shell that starts a run in the background ignores them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Tables, hierarchies and independent results that lie beside the project where it is developed."""
    if not SHARED.is_dir():
        pytest.skip("the shared data are not here")
    return SHARED


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the registry of the user who runs the tests as it is, and that of every test to itself."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # no types
    """Tests one by one to the process that is free, but those of some folders all to one.

    The marks of xdist for this purpose have no effect with this version of pytest.
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Return the scheduler of a run with several processes."""
    return Scheduling(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing may be left out: a skipped test is a failure there."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


settings.register_profile("here", deadline=None, print_blob=False, max_examples=50)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, database=None)
settings.register_profile("soak", settings.get_profile("here"), max_examples=2000)
settings.load_profile("soak" if os.environ.get("SOAK") else "ci" if os.environ.get("CI") else "here")
