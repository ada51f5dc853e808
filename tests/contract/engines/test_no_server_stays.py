"""Tests that are ended from outside leave no server behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
ENDED = """
import os, signal
from pathlib import Path
from engine_servers import {server}

def test_it():
    with {server}():
        started = Path(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read_text()
        print("started", started, flush=True)
        signal.pause()
"""


@pytest.mark.parametrize(
    ("server", "number"),
    [
        pytest.param("postgres_server", signal.SIGTERM, marks=pytest.mark.postgres),
        pytest.param("postgres_server", signal.SIGKILL, marks=pytest.mark.postgres),
        pytest.param("spark_cluster", signal.SIGTERM, marks=pytest.mark.spark),
        pytest.param("spark_session", signal.SIGTERM, marks=pytest.mark.spark),
    ],
)
def test_a_test_run_that_is_ended_leaves_no_server(
    tmp_path: Path, request: pytest.FixtureRequest, server: str, number: int
) -> None:
    (tmp_path / "test_it.py").write_text(ENDED.format(server=server), encoding="utf-8")
    place = Path(tempfile.mkdtemp(prefix="tests-"))  # another test run may close the folders of all at any time
    request.addfinalizer(lambda: shutil.rmtree(place))
    place.chmod(0o711)  # Postgres does not run as root, and must get there
    command = [sys.executable, "-m", "pytest", "-sq", "-c", os.devnull, f"--rootdir={tmp_path}"]
    command += ["-p", "no:cacheprovider", str(tmp_path / "test_it.py")]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "TMPDIR": str(place)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        told = next(line for line in run.stdout if "started" in line).partition("started ")[2].split()
        run.send_signal(number)

    servers = [Path(f"/proc/{started}") for started in told]
    assert servers
    while any(each.exists() for each in servers) or list(place.glob("paranym-*")):  # if they stay, so does this test
        time.sleep(0.05)
