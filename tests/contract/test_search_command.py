"""`paranym search` as people and scripts use it: tables, JSON, exit codes, interrupts."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.search.fixed_k.base import Stage
from paranym.search.fixed_k.names import ALGORITHMS
from paranym.solve.fixed_k.search import FixedSearch

PATIENTS = """birthdate,sex,zipcode
1/21/76,Male,53715
4/13/86,Female,53715
2/28/76,Male,53703
1/21/76,Male,53703
4/13/86,Female,53706
2/28/76,Female,53706
"""
RECIPE = """
[data]
source = "patients.csv"
[attributes.birthdate]
role = "quasi-identifier"
[attributes.sex]
role = "quasi-identifier"
[attributes.zipcode]
role = "quasi-identifier"
hierarchy = { rows = [["53715", "5371*", "537**"], ["53703", "5370*", "537**"], ["53706", "5370*", "537**"]] }
"""

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Searches in a folder with a table and its recipe: exit code, output, errors."""
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paranym.cli.show.front.out._width", 200)

    def search(*arguments: str) -> tuple[int, str, str]:
        code = 0
        try:
            main(["search", "recipe.toml", *arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        written = capsys.readouterr()
        return code, written.out, written.err

    return search


def read(call: Call, *arguments: str) -> dict[str, Any]:
    code, written, _ = call(*arguments, "--json", "-")
    assert code == 0
    document: dict[str, Any] = json.loads(written)
    return document


def test_the_table_lists_minimal_nodes_and_what_they_cost(call: Call) -> None:
    code, written, _ = call("--k", "2", "--by", "height", "--algorithm", "incognito")
    lines = written.splitlines()

    assert code == 0
    assert [line.split() for line in lines[1:4]] == [
        ["1", "2", "50.00%", "0", "1", "1", "0"],
        ["2", "2", "75.00%", "0", "0", "1", "2"],
        ["3", "3", "75.00%", "0", "1", "0", "2"],
    ]
    assert lines[-4:-2] == ["5 of 12 generalizations give k = 2, 3 of them minimal.", "No rows may be suppressed."]
    assert "incognito: 17 nodes checked; 9 scans of the counted table, 8 rollups, 91 combinations read." in lines


def test_a_narrow_terminal_has_levels_in_one_column_and_says_in_which_order(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paranym.cli.show.front.out._width", 40)
    _, written, _ = call("--k", "2", "--by", "height")
    lines = [line.rstrip() for line in written.splitlines()]

    assert lines[:2] == ["#  k    loss  suppressed  levels", "1  2  50.00%           0  1 1 0"]
    assert "fully general is, in the same order, birthdate 1, sex 1, zipcode 2." in " ".join(lines)
    assert all(len(line) <= 40 for line in lines)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_writes_the_promised_keys(call: Call, algorithm: str) -> None:
    document = read(call, "--k", "2", "--algorithm", algorithm, "--all")

    assert {"algorithm", "k", "suppression", "checked_nodes", "solutions"} <= set(document)
    assert (document["algorithm"], document["k"], document["suppression"]) == (algorithm, 2, 0.0)
    assert set(document["solutions"][0]) >= {"levels", "k", "loss", "suppressed", "minimal"}


def test_all_lists_all_and_otherwise_minimal_ones_and_the_best_are_listed(call: Call) -> None:
    assert len(read(call, "--k", "2", "--all")["solutions"]) == 5
    assert len(read(call, "--k", "2")["solutions"]) == 3


def test_minimality_is_the_users(call: Call) -> None:
    assert read(call, "--k", "2", "--by", "height")["best"]["levels"]["sex"] == 1
    assert read(call, "--k", "2", "--prefer", "sex")["best"]["levels"]["sex"] == 0
    assert read(call, "--k", "2", "--keep", "sex")["found_nodes"] == 1
    assert read(call, "--k", "2", "--levels", "zipcode=1-2")["best"]["levels"]["zipcode"] > 0
    assert read(call, "--k", "2", "--forbid", "zipcode=0,1", "--forbid", "sex=0")["found_nodes"] == 2


def test_what_cannot_be_had_ends_with_1_and_the_nearest_that_can(call: Call) -> None:
    code, _, said = call("--k", "7")
    assert (code, "k = 7 is impossible: the table has 6 rows. The largest possible k is 6." in said) == (1, True)

    code, _, said = call("--k", "4", "--keep", "sex")
    assert code == 1
    assert "(birthdate 1, sex 0, zipcode 2) would suppress 6 of 6 rows" in said
    assert "Within the limit it achieves k = 3." in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Say which k is required"),
        (("--k", "0"), "from 1 on"),
        (("--k", "2", "--keep", "sexx"), "Did you mean 'sex'?"),
        (("--k", "2", "--levels", "sex=2"), "0 to 1"),
        (("--k", "2", "--levels", "sex"), "such as age=1-3"),
        (("--k", "2", "--forbid", "sex=0-1"), "No level of 'sex' is left"),
        (("--k", "2", "--by", "heigth"), "Did you mean 'height'?"),
        (("--k", "2", "--memory", "much"), "--memory is given as a number and a unit"),
    ],
)
def test_bad_requests_end_with_2_and_say_what_to_do(call: Call, arguments: tuple[str, ...], said: str) -> None:
    code, _, error = call(*arguments)

    assert code == 2
    assert said in error


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe of a table that every search is busy with for a while: no node but the top has so large a k."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 4096, 300_000).astype(np.int32) for name in "abcd"}
    pq.write_table(pa.table(columns), folder / "large.parquet")
    ladder = "hierarchy = { intervals = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048] }"
    attributes = "".join(f'[attributes.{name}]\nrole = "quasi-identifier"\n{ladder}\n' for name in columns)
    (folder / "recipe.toml").write_text(f'[data]\nsource = "large.parquet"\n{attributes}', encoding="utf-8")
    return folder / "recipe.toml"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_progress_is_seen_and_ctrl_c_ends_the_command_cleanly(large: Path, algorithm: str) -> None:
    """A process of its own at a terminal: once it says how many nodes it has checked, it is interrupted."""
    ours, theirs = os.openpty()
    options = ["--k", "290000", "--forbid", "d=12", "--algorithm", algorithm]
    command = [sys.executable, "-m", "paranym", "search", str(large), *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while not re.search(rb"[1-9][\d,]* nodes checked", shown):
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        said = bytearray()
        with suppress(OSError):  # the other end is closed
            while more := os.read(ours, 4096):
                said += more
        os.close(ours)

    assert process.returncode in (130, -signal.SIGINT)  # said by itself, or ended by the signal
    assert b"Stopped" in said
    assert b"Traceback" not in said


def interrupted(stages: Iterator[Stage], after: int) -> Iterator[Stage]:
    yield from islice(stages, after)
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("algorithm", "after", "code"), [("bottom-up", 3, 0), ("bottom-up", 1, 130), ("incognito", 3, 130)]
)
def test_an_interrupt_keeps_what_is_known_or_says_that_there_is_nothing(
    call: Call, monkeypatch: pytest.MonkeyPatch, algorithm: str, after: int, code: int
) -> None:
    stages = FixedSearch.stages
    monkeypatch.setattr(FixedSearch, "stages", lambda self: interrupted(stages(self), after))

    ended, written, said = call("--k", "2", "--algorithm", algorithm)

    assert ended == code
    assert "Stopped" in said
    assert ("give k = 2 so far" in written) == (code == 0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_interrupt_reaches_a_search_at_work(algorithm: str) -> None:
    """A signal while sets are derived on other threads ends the search, and the process can search again."""
    rng = np.random.default_rng(1)
    table = pa.table({name: rng.integers(0, 60, 200_000) for name in "abcd"})
    problem = pn.Problem(table, quasi_identifiers={name: {"intervals": [2, 10, 30]} for name in "abcd"})
    search = FixedSearch(problem, k=150_000, algorithm=algorithm)
    for _ in search.stages():
        break  # kernels are compiled
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def search_for_ever() -> None:
        timer.start()
        while True:
            for _ in search.stages():
                pass

    with pytest.raises(KeyboardInterrupt):
        search_for_ever()

    assert next(iter(search.stages())).total > 0
