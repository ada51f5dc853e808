"""Counts and releases on a Spark cluster whose workers are lost meanwhile.

    python tests/losing.py MASTER FOLDER

Reads one job a line from standard input, `count N FILE` or `release N FILE`; says on standard output when it is running
on N workers, in the middle of its tasks, and then how it ended.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import paranym as pn
from engines_of import views
from paranym.datasets import adult
from paranym.engines.spark import workers as spark_workers
from paranym.engines.spark.session import SparkSource, start
from paranym.engines.spark.table import SparkTable
from paranym.errors import ParanymError

NAMES = ("age", "education", "race", "sex")
_PATIENCE = 3.0
"""Workers that are lost here do not come back."""


def problem_of(data: object) -> pn.Problem:
    hierarchies = adult().parent / "hierarchies"
    return pn.Problem(data, quasi_identifiers={name: hierarchies / f"{name}.csv" for name in NAMES}, suppression=0.01)


class Watched:
    """A session whose tasks are looked at from the side, from when a method of its tables is called."""

    def __init__(self, session: Any) -> None:
        self.context, self.session = session.sparkContext, session
        self.failed = 0

    def executors(self) -> int:
        return int(self.context._jsc.sc().getExecutorMemoryStatus().size()) - 1

    def announce(self, workers: int) -> None:
        """Say so as soon as all workers are in the middle of a stage."""
        tracker, said = self.context.statusTracker(), False
        while True:
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage is None:
                    continue
                self.failed = max(self.failed, stage.numFailedTasks)
                left = stage.numTasks - stage.numActiveTasks - stage.numCompletedTasks
                if not said and stage.numActiveTasks >= workers and left > stage.numTasks // 2:
                    tell({"running": workers})
                    said = True
            if self.failed:
                return
            time.sleep(0.01)


def tell(what: dict[str, Any]) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


def announcing(method: Callable[..., Any], watched: Watched, workers: int) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        Thread(target=watched.announce, args=(workers,), daemon=True).start()
        return method(*given)

    return call


def run(work: str, workers: int, watched: Watched, source: SparkSource, to: Path) -> dict[str, Any]:
    """Do the work, and say how it ended."""
    while watched.executors() < workers:
        time.sleep(0.05)
    watched.failed = 0
    name = {"count": "count", "release": "write"}[work]
    problem = problem_of(source) if work == "release" else None
    method = getattr(SparkTable, name)
    setattr(SparkTable, name, announcing(method, watched, workers))
    said: dict[str, Any] = {"error": None}
    try:
        problem = problem or problem_of(source)
        said |= {
            each: hashlib.sha256(getattr(problem.frequency, each).tobytes()).hexdigest() for each in ("words", "counts")
        }
        if work == "release":
            pn.release(problem, pn.ask(pn.frontier(problem), min_k=10).point, to, undeclared="keep")
    except ParanymError as error:
        said["error"] = str(error)
    finally:
        setattr(SparkTable, name, method)
    left = [view for view in views(watched.session) if "paranym" in view] + [file.name for file in to.parent.glob(".*")]
    return said | {"failed": watched.failed, "left": left}


def main() -> None:
    spark_workers.PATIENCE = _PATIENCE
    master, folder = sys.argv[1], Path(sys.argv[2])
    source = SparkSource(path=str(folder / "adult.parquet"), master=master)
    watched = Watched(start(source))
    for line in sys.stdin:
        work, workers, to = line.split()
        tell(run(work, int(workers), watched, source, folder / to))


if __name__ == "__main__":
    main()
