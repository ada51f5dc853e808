"""The best of several algorithms: which of them loses least depends on the table.

A small table is partitioned by each algorithm, every partition is refined, and the one with the least penalty is
taken. On a larger table only the partition that begins with the least penalty is refined, and where that would take
long, bottom-up is not tried. What is run depends on the number of tuples alone, so the result is the same everywhere.
"""

from collections.abc import Callable, Generator
from dataclasses import replace

from paranym.search.local.base import LocalStep, LocalSteps, Partition, Tuples, finished
from paranym.search.local.bottom_up import bottom_up
from paranym.search.local.mondrian import mondrian
from paranym.search.local.refine import is_late, penalty, refine
from paranym.search.local.top_down import top_down

REFINE_ALL = 5_000
"""Tuples up to which the partition of each algorithm is refined."""
MERGE_ALL = 60_000
"""Tuples up to which bottom-up is tried."""
GIVEN = "given"
"""The name of partitions that were known already."""

Start = Callable[[Tuples, int, int], LocalSteps]
_STARTS: dict[str, Start] = {
    "top-down": lambda tuples, k, seed: top_down(tuples, k, seed=seed),
    "bottom-up": lambda tuples, k, seed: bottom_up(tuples, k, seed=seed),
    "mondrian": lambda tuples, k, seed: mondrian(tuples, k, seed=seed, by_tree=True),
}


def best(
    tuples: Tuples,
    k: int,
    *,
    seed: int = 0,
    rounds: int | None = None,
    deadline: float | None = None,
    starts: tuple[Partition, ...] = (),
) -> LocalSteps:
    """Partition tuples into groups of at least k rows by several algorithms, and refine by at most `rounds` rounds.

    `starts` are partitions that are known already, of groups of at least k rows. The last step names the algorithm
    whose partition it is.
    """
    found = [(penalty(tuples, each), GIVEN, each) for each in starts]
    for name, start in _STARTS.items():
        if found and (is_late(deadline) or (name == "bottom-up" and len(tuples) > MERGE_ALL)):
            continue
        partition = yield from _watched(start(tuples, k, seed))
        found.append((penalty(tuples, partition), name, partition))
    found.sort(key=lambda each: each[0])
    refined = []
    for _, name, partition in found if len(tuples) <= REFINE_ALL else found[:1]:
        better = yield from _watched(refine(tuples, partition, k, seed=seed, rounds=rounds, deadline=deadline))
        refined.append((penalty(tuples, better), name, better))
    _, name, partition = min(refined, key=lambda each: each[0])
    yield replace(finished(tuples, partition), start=name)


def _watched(steps: LocalSteps) -> Generator[LocalStep, None, Partition]:
    """Yield the steps of one algorithm among several, and return its result."""
    last: LocalStep | None = None
    for last in steps:
        yield replace(last, partition=None)
    if last is None or last.partition is None:
        raise AssertionError("an algorithm ended without a result")
    return last.partition
