"""Arguments of a search for a fixed k, checked against the problem before anything is searched."""

import math
from collections.abc import Mapping, Sequence
from typing import cast

from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.model.derivation import Levels
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.search.fixed_k.names import ALGORITHMS, INCOMPLETE, Algorithm

AllowedLevels = int | Sequence[int]

MOST_NODES = 5_000_000
"""Generalizations that a search lists at most."""


def restated(problem: Problem, k: int | None, by: str | None) -> Problem:
    """Return the problem over the same counts with another k and another loss."""
    return problem.replace(metric=None if by == "loss" else by, k=k)


def known_algorithm(name: str) -> Algorithm:
    """The algorithm of that name."""
    if name not in ALGORITHMS:
        raise BadInput(
            f"There is no algorithm {name!r}; known are {', '.join(ALGORITHMS)}.{did_you_mean(name, ALGORITHMS)}"
        )
    return name


def places_of(problem: Problem, what: str, given: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the quasi-identifiers that an argument lists; a text would come apart into letters."""
    if isinstance(given, str):
        raise BadInput(f"{what} takes a list, such as [{given!r}]; got {given!r}.")
    return tuple(_place(problem, str(name)) for name in given)


def allowed_levels(
    problem: Problem, levels: Mapping[str, AllowedLevels], forbidden: Mapping[str, AllowedLevels]
) -> tuple[Levels, ...]:
    """The levels that each attribute may take."""
    allowed = [set(range(height + 1)) for height in problem.lattice.heights]
    for name, given in levels.items():
        place = _place(problem, name)
        allowed[place] &= _levels_of(problem, place, given)
    for name, given in forbidden.items():
        place = _place(problem, name)
        allowed[place] -= _levels_of(problem, place, given)
        if not allowed[place]:
            raise BadInput(f"No level of {name!r} is left that it may take.")
    return tuple(tuple(sorted(each)) for each in allowed)


def check_attainable(problem: Problem, algorithm: Algorithm, allowed: Sequence[Levels]) -> None:
    """Raise if the request cannot be met, or if the algorithm would not be correct for it."""
    if problem.demands.least_k > problem.people:
        raise Unattainable(
            f"k = {problem.demands.least_k:,} is impossible: the table has {problem.unit.counted(problem.people)}. "
            f"The largest possible k is {problem.people:,}."
        )
    if algorithm != "mingen" and not problem.demands.bind(problem.suppression.limit(problem.rows)):
        raise BadInput(
            f"{algorithm} skips nodes, which is correct only if every generalization of a node that meets "
            f"the requirement meets it too. With these requirements and suppression that may not hold. "
            f"Use mingen, which checks every node."
        )
    size = math.prod(map(len, allowed))
    if size > MOST_NODES and algorithm not in INCOMPLETE:
        raise BadInput(
            f"There are {size:,} generalizations, too many to list ({algorithm} takes up to {MOST_NODES:,}). "
            f"Allow fewer levels, use {' or '.join(INCOMPLETE)}, or take the best for this k from the front."
        )


def _place(problem: Problem, name: str) -> int:
    """The number of a quasi-identifier."""
    if name not in problem.attributes:
        raise BadInput(
            f"There is no quasi-identifier {name!r}; there are {', '.join(problem.attributes)}."
            f"{did_you_mean(name, problem.attributes)}"
        )
    return problem.attributes.index(name)


def _levels_of(problem: Problem, place: int, given: AllowedLevels) -> set[int]:
    chosen = [given] if is_whole(given) else list(cast("Sequence[int]", given))
    height, name = problem.lattice.heights[place], problem.attributes[place]
    wrong = [level for level in chosen if not (is_whole(level) and 0 <= level <= height)]
    if wrong or not chosen:
        raise BadInput(f"The levels of {name!r} are 0 to {height}; got {given!r}.")
    return {int(level) for level in chosen}
