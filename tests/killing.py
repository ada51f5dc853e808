"""Releases that are killed: each in a process of its own, which dies at a chosen moment without a chance to clean up.

    python tests/killing.py FOLDER FORMAT      # reads one moment a line from standard input, writes one verdict a line

A moment is `call N` (before or after the N-th fsync, rename, link or database statement), `byte N` (when a file is
about to grow beyond N bytes), `second X`, or `never`. A verdict is `old`, `new`, `absent`, or what is wrong.
"""

import json
import os
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import paranym as pn
from paranym.engines.duckdb import files as duckdb_files
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.releases import releasing as _preloaded  # noqa: F401 - so that the children need not
from paranym.releases.registry import Registry

PEOPLE = pa.table({
    "age": [30 + n % 40 for n in range(4000)],
    "note": [f"{n} {'x' * (n % 50)}" for n in range(4000)],
})  # fmt: skip
OLD = pn.Point(4000, 4000.0, 1.0, (pn.Solution({"age": 3}, 0, 4000.0),))
NEW = pn.Point(1000, 4000 * 9 / 39, 9 / 39, (pn.Solution({"age": 1}, 0, 1000.0),))


def main() -> None:
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    warm_up()
    fresh, kind = kind.endswith("-fresh"), kind.removesuffix("-fresh")
    _in_child(lambda: prepare(folder, kind, fresh=fresh))
    shutil.copytree(folder / "place", folder / "before")
    for line in sys.stdin:
        moment, *amount = line.split()
        shutil.rmtree(folder / "place")
        shutil.copytree(folder / "before", folder / "place")
        calls = _in_child(partial(die, folder, kind, moment, amount))
        found = _in_child(lambda: check(folder, kind))
        print(json.dumps({"moment": line.strip(), "calls": calls, "found": found}), flush=True)  # noqa: T201


def warm_up() -> None:
    """Load what was compiled, so that the children find it."""
    hierarchy = Hierarchy.suppression(["a"], attribute="x")
    packing = Packing.of((1,))
    one = np.ones(1, np.int64)
    rollup(FrequencySet((0,), packing, np.zeros((1, 1), np.int64), one), lifts_of([hierarchy]), (1,))


def _in_child(job: Callable[[], str]) -> str:
    """What a job says that runs in a process of its own; nothing if it was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            said = job()
        except BaseException as error:  # noqa: BLE001 - whatever went wrong is told
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


def place(folder: Path, kind: str) -> Path:
    return folder / "place" / f"out.{'duckdb' if kind == 'table' else kind}"


def release(folder: Path, kind: str, point: pn.Point, *, overwrite: bool) -> None:
    problem = pn.Problem(folder / "people.parquet", quasi_identifiers={"age": {"intervals": [10, 20]}}, keep=["note"])
    pn.release(problem, point, place(folder, kind), overwrite=overwrite)


def prepare(folder: Path, kind: str, *, fresh: bool) -> str:
    """Nothing, or an old release; a table joins others in its file."""
    for left in ("place", "before"):
        shutil.rmtree(folder / left, ignore_errors=True)
    (folder / "place").mkdir()
    pq.write_table(PEOPLE, folder / "people.parquet")
    if registry := Registry.of_user():  # its key is made once, which would be a moment of the first run only
        registry.record(frozenset({b"another table"}), "another release")
    if kind == "table":
        with duckdb.connect(str(place(folder, kind))) as database:
            database.execute("CREATE TABLE mine AS SELECT 1 AS a")
    if not fresh:
        release(folder, kind, OLD, overwrite=False)
    return ""


def die(folder: Path, kind: str, moment: str, amount: list[str]) -> str:
    """Release anew, and die on the way."""
    calls: Counter[str] = Counter()
    deadly = int(amount[0]) if moment == "call" else None
    _watch(calls, deadly)
    if moment == "byte":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(amount[0]), int(amount[0])))
    if moment == "second":
        child = os.getpid()
        if os.fork() == 0:
            time.sleep(float(amount[0]))
            os.kill(child, signal.SIGKILL)
            os._exit(0)
    release(folder, kind, NEW, overwrite=True)
    return str(calls.total())


def _watch(calls: Counter[str], deadly: int | None) -> None:
    """Count every moment before and after a step that matters, and die at the deadly one."""

    def step(name: str) -> None:
        calls[name] += 1
        if calls.total() == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            step(name)
            result = function(*arguments, **options)
            step(name)
            return result

        return run

    for name in ("fsync", "replace", "rename", "link", "rmdir"):
        setattr(os, name, watched(name, getattr(os, name)))
    opened = duckdb_files._open

    @contextmanager
    def open_watched(path: Path, *, read_only: bool = False) -> Iterator[Any]:
        with opened(path, read_only=read_only) as database:
            yield _Watched(database, watched)

    duckdb_files._open = open_watched


class _Watched:
    """A database whose statements are moments."""

    def __init__(self, database: Any, watched: Callable[..., Any]) -> None:
        self.execute = watched("statement", database.execute)


def check(folder: Path, kind: str) -> str:
    """What is there, before and after the next run has looked at the place."""
    path = place(folder, kind)
    known = _state(folder, kind)
    if known == "absent":
        release(folder, kind, NEW, overwrite=False)
        return known if _is_clean(folder, kind) else f"debris: {sorted(each.name for each in path.parent.iterdir())}"
    if not pn.verify_release(path).holds:
        return "broken: it does not verify"
    if _state(folder, kind) != known:
        return "broken: it changed"
    manifest = json.loads(next(path.parent.glob("*.manifest.json")).read_text(encoding="utf-8"))
    if manifest["levels"] != dict((OLD if known == "old" else NEW).levels):
        return "broken: the manifest is that of another release"
    return known if _is_clean(folder, kind) else f"debris: {sorted(each.name for each in path.parent.iterdir())}"


def _state(folder: Path, kind: str) -> str:
    """Which release is there, whole, without the help of what is being tested."""
    path = place(folder, kind)
    if not path.exists():
        return "absent"
    with duckdb.connect() as database:
        source = f"read_csv('{path}', all_varchar = true)" if kind == "csv" else f"'{path}'"
        if kind in ("duckdb", "table"):
            database.execute(f"ATTACH '{path}' AS f (READ_ONLY)")
            tables = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
            if "release" not in tables:
                return "absent"
            source = "f.main.release"
        ages = Counter(age for (age,) in database.execute(f"SELECT age FROM {source}").fetchall())
        notes = database.execute(f"SELECT count(DISTINCT note) FROM {source}").fetchone()
    if notes != (4000,) or ages.total() != 4000:
        return "broken: rows are missing"
    return "old" if set(ages) == {"*"} else "new" if set(ages) == {"30-39", "40-49", "50-59", "60-69"} else "broken"


def _is_clean(folder: Path, kind: str) -> bool:
    path = place(folder, kind)
    if kind == "table":
        with duckdb.connect(str(path), read_only=True) as database:
            tables = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        if tables != {"mine", "release"}:
            return False
    table = ".release" if kind in ("duckdb", "table") else ""
    return {each.name for each in path.parent.iterdir()} == {
        path.name,
        f"{path.name}{table}.manifest.json",
        f"{path.name}{table}.recoding.json",
    }


if __name__ == "__main__":
    main()
