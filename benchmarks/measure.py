"""How benchmarks measure: the best of several runs, ratios within one process, memory of a fresh one."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"


def seconds(*jobs: Callable[[], object], runs: int = 9, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """The shortest of several runs of every job; they take turns, so that a busy spell hits all alike.

    Jobs on one core can be measured by `time.process_time`, which others on the machine do not distort.
    """
    best = [float("inf")] * len(jobs)
    for _ in range(runs):
        for i, job in enumerate(jobs):
            begin = clock()
            job()
            best[i] = min(best[i], clock() - begin)
    return best


def peak_memory(script: str) -> float:
    """Peak memory in MB of a fresh process that runs a script."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert after > before, "a larger child ran before: measure this one first"
    return after / 1024


def report(what: str, value: float, unit: str, *, bar: float | None = None) -> None:
    """Print one figure, and whether it keeps its bar."""
    verdict = "" if bar is None else f"  (bar {bar:g}{unit}: {'kept' if value <= bar else 'MISSED'})"
    print(f"{what:<72} {value:>9.3g}{unit}{verdict}")
