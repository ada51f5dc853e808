"""From a problem to a lower bound on the information loss of every recoding."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np

from paranym.errors import BadInput
from paranym.model.axis import Axis
from paranym.model.values import is_number, is_whole
from paranym.problem import Problem
from paranym.results.bound import LowerBound
from paranym.search.local.bound import BoxSpace, raise_bound

OnBound = Callable[[LowerBound], None]
"""Receives the bound after every pass."""


@overload
def lower_bound(
    problem: Problem,
    k: int = 10,
    *,
    passes: int | None = None,
    seconds: float | None = None,
    tell: OnBound | None = None,
) -> LowerBound: ...


@overload
def lower_bound(
    problem: Problem,
    k: Sequence[int],
    *,
    passes: int | None = None,
    seconds: float | None = None,
    tell: OnBound | None = None,
) -> tuple[LowerBound, ...]: ...


def lower_bound(
    problem: Problem,
    k: int | Sequence[int] = 10,
    *,
    passes: int | None = None,
    seconds: float | None = None,
    tell: OnBound | None = None,
) -> LowerBound | tuple[LowerBound, ...]:
    """Bound the normalized certainty penalty (NCP) that every k-anonymous recoding has at least, whatever its model.

    The bound holds for full-domain generalization, cuts and local recoding alike, with and without suppression, if
    categories are published as values of their hierarchies. Each of at most `passes` over all boxes raises it (32 by
    default, 16 for k above 50), and gives a valid bound; after `seconds` no further pass begins. If the problem
    requires a larger k, the bound is for that. Several `k` give several bounds, in the same order. `pn.verify_bound`
    checks a bound.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5]}})
    >>> lower_bound(problem, k=3)
    LowerBound(k = 3: no recoding has an NCP below 50.0% per cell)
    >>> [round(each.ncp, 2) for each in lower_bound(problem, [2, 3])]
    [0.25, 3.0]
    """
    if is_whole(k):
        [found] = _bounds(problem, [k], passes, seconds, tell)
        return found
    return tuple(_bounds(problem, list(k) if isinstance(k, Sequence) else [k], passes, seconds, tell))


def bounds_so_far(
    problem: Problem, k: int, *, passes: int | None = None, seconds: float | None = None
) -> Iterator[LowerBound]:
    """Yield better and better bounds for one k. The first one is 0; stop at any time."""
    _check(k, passes, seconds)
    axes = tuple(
        Axis(hierarchy, attribute.weight)
        for hierarchy, attribute in zip(problem.hierarchies, problem.schema.quasi_identifiers, strict=True)
    )
    codes, counts = problem.frequency.codes, problem.frequency.counts
    positions = np.column_stack([axis.positions[codes[:, j]] for j, axis in enumerate(axes)])
    space = BoxSpace(axes, positions, counts)
    least = max(k, problem.demands.least_k)
    begun = time.perf_counter()
    for step in raise_bound(space, least, passes=passes):
        taken = time.perf_counter() - begun
        yield LowerBound(
            k=least,
            rows=problem.rows,
            weight=float(sum(axis.weight for axis in axes)),
            values=step.values,
            counts=space.counts,
            passes=step.passes,
            complete=step.complete,
            seconds=taken,
        )
        if seconds is not None and taken >= seconds:
            return


def _bounds(
    problem: Problem, k: Sequence[int], passes: int | None, seconds: float | None, tell: OnBound | None
) -> Iterator[LowerBound]:
    for each in k:
        last = None
        for last in bounds_so_far(problem, each, passes=passes, seconds=seconds):
            if tell is not None:
                tell(last)
        if last is None:
            raise AssertionError("a search yields at least one step")
        yield last


def _check(k: int, passes: int | None, seconds: float | None) -> None:
    for name, value in {"k": k, "passes": passes}.items():
        if value is not None and not (is_whole(value) and value >= 1):
            raise BadInput(f"{name} is a whole number from 1 on; got {value!r}.")
    if seconds is not None and not (is_number(seconds) and seconds > 0):
        raise BadInput(f"seconds is a positive number; got {seconds!r}.")
