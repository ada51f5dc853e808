"""Copies of a table that a run needs for itself do not outlive it, however it ends."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from paranym.cli.app import main
from paranym.engines.duckdb.table import DuckDBTable
from paranym.engines.files import scratch
from paranym.engines.files.scratch import PREFIX, discard, make_scratch, sweep

RARE = "Quxburg"
ROWS = "".join(f"{20 + n % 50};{RARE if n == 77 else 'Lyon'};\xe9\n" for n in range(2000))
PART = b"age,city\n" + b"20,Quxburg\n" * 100_000
OLD = 3600
HEARING = "exec env --default-signal=HUP"  # also where the tests themselves run under nohup

HOLDING = """
import sys, time
from paranym.engines.files.scratch import make_scratch
folder = make_scratch()
(folder / "copy.csv").write_text("Quxburg")
print(folder, flush=True)
time.sleep(600)
"""
"""A program of somebody else that uses the library and has a table open."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder of this test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    scratch.discard_all()


def copies(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and RARE.encode() in file.read_bytes()]


def wait_for(condition: Callable[[], object], process: "subprocess.Popen[bytes]") -> None:
    """Wait for something that a process does; however long it takes, a run that ends without it is a failure."""
    while not condition():
        assert process.poll() is None, "it did not come"
        time.sleep(0.01)


@contextmanager
def audit(table: str, given: bytes = b"", *, begun_by: str = HEARING) -> Iterator[subprocess.Popen[bytes]]:
    """A run that is given the beginning of its standard input, and then waits for more."""
    command = f"{begun_by} {sys.executable} -m paranym audit {table} --quasi-identifiers age,city --json -"
    process = subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    try:
        process.stdin.write(given)
        process.stdin.flush()
        yield process
    finally:
        process.stdin.close()
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_standard_input_is_not_left_behind_by_a_signal(temporary: Path, number: signal.Signals) -> None:
    with audit("-", PART) as process:
        wait_for(lambda: copies(temporary), process)

        process.send_signal(number)

        assert process.wait() == -number  # its parent sees which signal ended it
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_transcoded_file_is_not_left_behind_by_a_signal(
    temporary: Path, tmp_path: Path, number: signal.Signals
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age;city;mark\n" + ROWS * 4000, encoding="latin-1")
    with audit(str(table)) as process:
        wait_for(lambda: copies(temporary), process)

        process.send_signal(number)

        assert process.wait() == -number
    assert list(temporary.iterdir()) == []


def test_a_hangup_that_is_ignored_stays_ignored(temporary: Path) -> None:
    with audit("-", PART, begun_by="trap '' HUP; exec") as process:
        wait_for(lambda: copies(temporary), process)

        process.send_signal(signal.SIGHUP)
        assert process.stdin is not None
        process.stdin.close()

        assert process.wait() == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("temporary")
def test_the_library_leaves_the_handlers_of_its_program_alone() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)

    discard(make_scratch())

    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)) == before


def test_the_next_run_sweeps_what_a_killed_one_left(temporary: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDING], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        age(left)

        sweep(temporary)
        assert copies(temporary) == [left / "copy.csv"]  # its process lives

        process.kill()
    age(left)
    discard(make_scratch())  # a first folder in a temporary folder sweeps it

    assert list(temporary.iterdir()) == []


def test_what_is_young_or_not_ours_is_not_swept(temporary: Path) -> None:
    young, other, empty = (temporary / f"{PREFIX}{name}" for name in ("young", "other", "empty"))
    for folder in (young, other, empty):
        folder.mkdir()
    (young / ".lock").touch()
    (other / "mine.csv").write_text("no lock: nothing that paranym made")
    age(other)
    age(empty)
    link = temporary / f"{PREFIX}link"
    target = temporary / "elsewhere"
    target.mkdir()
    (target / ".lock").touch()
    link.symlink_to(target)
    age(target)

    sweep(temporary)

    assert sorted(temporary.iterdir()) == sorted([young, other, link, target])


def test_copies_are_for_their_owner_alone(temporary: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age;city;mark\n" + ROWS, encoding="latin-1")
    before = os.umask(0)
    try:
        with DuckDBTable(table):
            [copy] = copies(temporary)
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (copy.parent, copy)]
    finally:
        os.umask(before)

    assert modes == [0o700, 0o600]


def age(folder: Path) -> None:
    then = time.time() - OLD
    os.utime(folder, (then, then))


def test_an_interrupt_right_after_a_folder_is_made_leaves_none(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_and_stopped() -> Path:
        folder = make_scratch()
        signal.raise_signal(signal.SIGINT)
        return folder

    monkeypatch.setattr("paranym.engines.duckdb.table.make_scratch", made_and_stopped)
    (tmp_path / "t.csv").write_text("age\n31\n")
    with pytest.raises(SystemExit) as end:
        main(["audit", str(tmp_path / "t.csv"), "--quasi-identifiers", "age"])

    assert end.value.code == 130
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("temporary")
def test_a_folder_whose_removal_is_interrupted_is_removed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    folder = make_scratch()
    with monkeypatch.context() as patched:
        patched.setattr("paranym.engines.files.scratch.shutil.rmtree", stopped)
        with pytest.raises(KeyboardInterrupt):
            discard(folder)
    scratch.discard_all()

    assert not folder.exists()


def test_a_table_whose_closing_is_interrupted_leaves_no_folder(temporary: Path) -> None:
    class Stopped:
        def close(self) -> None:
            raise KeyboardInterrupt

    table = DuckDBTable(pa.table({"age": [31]}))
    engine, table._database = table._database, Stopped()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        table.close()
    engine.close()

    assert list(temporary.iterdir()) == []
