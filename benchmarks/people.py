"""The cost of counting people: fronts with a person key against the same fronts in rows, in processor time.

    python benchmarks/people.py [ROWS]

The table has three rows per person on average, and a third of the people have rows in two or more combinations.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import pyarrow as pa

import paranym as pn

Result = TypeVar("Result")

SIZES = {"age": 80, "place": 60, "month": 24, "sex": 2, "job": 12}
LEVELS = {"age": [5, 10, 20, 40], "place": [5, 15, 30], "month": [3, 12], "sex": [], "job": [3, 6]}


def main() -> None:
    """Print processor time of counting and of the exact front: in rows, with one row per person, and with three."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    table = visits(rows)
    hierarchies = {name: {"intervals": widths} if widths else None for name, widths in LEVELS.items()}
    timed(lambda: pn.frontier(pn.Problem(visits(1000), quasi_identifiers=hierarchies, person="person")))  # compile
    first: tuple[float, float] | None = None
    for key in (None, "visit", "person"):
        begun, problem = timed(partial(pn.Problem, table, quasi_identifiers=hierarchies, person=key))
        took, front = timed(partial(pn.frontier, problem))
        first = first or (begun, took)
        print(
            f"{key or 'rows':8} {problem.people:>10,} counted in {begun:6.2f} s ({begun / first[0]:.2f}x), "
            f"front in {took:6.2f} s ({took / first[1]:.2f}x): {len(front)} points, "
            f"{front.evaluated_nodes:,} of {front.lattice_nodes:,} nodes; {len(problem.counted):,} combinations, "
            f"{len(problem.counted.histogram.amounts):,} entries about people"
        )


def visits(rows: int, *, seed: int = 0) -> pa.Table:
    """Each of the people has an own combination; a third of them have some of their rows in others."""
    rng = np.random.default_rng(seed)
    people = rows * 3 // 10
    who = np.concatenate([np.arange(people), rng.integers(0, people, rows - people)])
    home = {name: (size * rng.random(people) ** 2).astype(np.int64) for name, size in SIZES.items()}
    moves = (rng.random(people) < 0.4)[who] & (rng.random(rows) < 0.6)
    cells = {name: values[who] for name, values in home.items()}
    for name in ("month", "place"):
        cells[name] = np.where(moves, (SIZES[name] * rng.random(rows) ** 2).astype(np.int64), cells[name])
    return pa.table({**cells, "person": who, "visit": np.arange(rows)})


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the processor time of some work, and its result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


if __name__ == "__main__":
    main()
