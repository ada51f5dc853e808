"""From a problem to a local recoding: groups of rows that are published by values of their own, and what they cost."""

import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.kernels.local_groups import boxes_of
from paranym.measures.local import certainty_penalty, classes_of, general_loss, reference_of
from paranym.measures.privacy.base import Classes
from paranym.model.axis import Axis, scale_of
from paranym.model.local import LocalRecoding, Style
from paranym.model.local_result import LocalAssessment, LocalResult
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.search.local.base import LocalStep, LocalSteps, Partition, Truths, Tuples
from paranym.search.local.bottom_up import bottom_up
from paranym.search.local.mondrian import mondrian
from paranym.search.local.top_down import top_down

Ints = NDArray[np.int64]
Tell = Callable[[LocalStep], None]
"""Hears how far it has come."""

LOCAL_METHODS = ("top-down", "bottom-up", "mondrian", "mondrian-relaxed")
"""The algorithms, by the names that commands use."""
CATEGORIES = ("tree", "codes")
"""Where Mondrian may cut categories."""


def recode_locally(
    problem: Problem,
    k: int = 10,
    *,
    method: str = "top-down",
    style: str = "range",
    seed: int = 0,
    rounds: int | None = None,
    reach: int | None = None,
    categories: str | None = None,
    tell: Tell | None = None,
) -> LocalResult:
    """Gather the rows of a problem into groups of at least k, so that their values are published as exactly as may be.

    At the same k this loses far less than full-domain generalization: a value need not be published alike everywhere.
    `top-down` and `bottom-up` follow the utility-based paper, `mondrian` and `mondrian-relaxed` cut at medians. Nothing
    is suppressed. What the problem demands besides k holds in every group; a group is then never given only a part of
    the rows of one combination. `style` says what is published of a group: range, label, set, mean or median.

    `rounds` is how often the two seeds of a split are sought farther apart, `reach` how many groups (of bottom-up:
    leaves of its index) are looked at for a merger; without it as many as pay. `categories` are cut by Mondrian between
    the branches of their `tree`, or as `codes` anywhere in its order.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32], "zip": [53712, 53711, 53711, 53711, 53712, 53713]})
    >>> problem = Problem(table, quasi_identifiers=["age", "zip"])
    >>> recoding = recode_locally(problem, k=3).recoding
    >>> sorted(zip(*recoding.published, recoding.rows.tolist()))
    [('24-32', '53712-53713', 3), ('25-30', '53711', 3)]
    """
    _check(method, style, rounds, reach, categories)
    if not (is_whole(k) and k >= 1):
        raise BadInput(f"k is a whole number from 1 on; got {k!r}.")
    begun = time.perf_counter()
    table = LocalTable(problem)
    least = max(k, problem.demands.least_k)
    steps = table.steps(least, method, seed=seed, rounds=rounds, reach=reach, categories=categories)
    last: LocalStep | None = None
    for last in steps:
        if tell is not None:
            tell(last)
    if last is None or last.partition is None:
        raise AssertionError("an algorithm ended without a result")
    recoding = table.recoding(last.partition, Style(style))
    seconds = time.perf_counter() - begun
    return LocalResult(recoding, table.assess(recoding, method, k, seed, seconds))


class LocalTable:
    """A problem as algorithms of local recoding see it."""

    axes: tuple[Axis, ...]
    tuples: Tuples

    def __init__(self, problem: Problem) -> None:
        """Lay the combinations of the problem out on axes."""
        self._problem = problem
        weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
        self.axes = tuple(Axis(*pair) for pair in zip(problem.hierarchies, weights, strict=True))
        codes = problem.frequency.codes
        columns = [axis.positions[codes[:, j]] for j, axis in enumerate(self.axes)]
        demanding = bool(problem.demands.requirements)
        self.tuples = Tuples(
            np.ascontiguousarray(np.column_stack(columns), np.int32),
            problem.frequency.counts,
            scale_of(self.axes),
            tuple(len(axis.leaves) for axis in self.axes),
            divisible=not demanding,
            judge=self._judge if demanding else None,
        )
        self._reference = cache(partial(reference_of, problem.frequency))

    def steps(
        self, k: int, method: str, *, seed: int, rounds: int | None, reach: int | None, categories: str | None
    ) -> LocalSteps:
        if method.startswith("mondrian"):
            by_tree, relaxed = categories != "codes", method == "mondrian-relaxed"
            return mondrian(self.tuples, k, seed=seed, relaxed=relaxed, by_tree=by_tree)
        algorithm = top_down if method == "top-down" else bottom_up
        if rounds is None:
            return algorithm(self.tuples, k, seed=seed, reach=reach)
        return algorithm(self.tuples, k, seed=seed, rounds=rounds, reach=reach)

    def recoding(self, partition: Partition, style: Style) -> LocalRecoding:
        """The groups of a partition; entries of one combination in one group are one."""
        tuples, width = self.tuples, len(self.tuples)
        low = np.empty((len(partition), tuples.positions.shape[1]), np.int32)
        high = np.empty_like(low)
        boxes_of(tuples.positions, partition.tuples, partition.begins, low, high)
        places, entries = np.unique(partition.owners * width + partition.tuples, return_inverse=True)
        return LocalRecoding(
            attributes=self._problem.attributes,
            axes=self.axes,
            positions=tuples.positions,
            combinations=places % width,
            groups=places // width,
            amounts=np.bincount(entries, partition.amounts).astype(np.int64),
            low=low,
            high=high,
            style=style,
        )

    def assess(self, recoding: LocalRecoding, method: str, k: int, seed: int, seconds: float) -> LocalAssessment:
        sizes, rows = recoding.class_sizes, self._problem.rows
        weights = np.array([axis.weight for axis in self.axes])
        penalty, general = certainty_penalty(recoding), general_loss(recoding)
        worst = rows * float(weights.sum())
        squares = float(sizes @ sizes)
        return LocalAssessment(
            method=method,
            asked_k=k,
            seed=seed,
            style=recoding.style,
            rows=rows,
            k=int(sizes.min()),
            groups=len(recoding),
            classes=len(sizes),
            largest=int(sizes.max()),
            ncp=float(weights @ penalty),
            ncp_fraction=float(weights @ penalty) / worst if worst else 0.0,
            glm=float(weights @ general),
            glm_fraction=float(weights @ general) / worst if worst else 0.0,
            dcn=squares,
            dcn_fraction=squares / rows**2,
            c_avg=rows / (len(sizes) * int(sizes.min())),
            per_attribute=dict(zip(recoding.attributes, (penalty / rows).tolist(), strict=True)),
            privacy=self._privacy(recoding),
            seconds=seconds,
        )

    def _privacy(self, recoding: LocalRecoding) -> dict[str, float]:
        """What the published classes reach of what is demanded; raises if that is not enough."""
        requirements = self._problem.demands.requirements
        if not requirements:
            return {}
        class_of = np.empty(len(self.tuples), np.int64)
        class_of[recoding.combinations] = recoding.classes[recoding.groups]
        reached: dict[str, float] = {}
        for requirement in requirements:
            classes = self._classes(class_of, recoding.class_sizes, requirement.attribute)
            if not requirement.is_met(classes):
                raise Unattainable(f"Merging groups did not lead to {requirement}. Ask for less, or another method.")
            reached[str(requirement)] = requirement.model.reached(classes)
        return reached

    def _judge(self, partition: Partition) -> Truths:
        group_of = np.full(len(self.tuples), -1, np.int64)
        group_of[partition.tuples] = partition.owners
        meets, sizes = np.ones(len(partition), bool), partition.rows
        for requirement in self._problem.demands.requirements:
            meets &= requirement.met_by(self._classes(group_of, sizes, requirement.attribute))
        return meets

    def _classes(self, class_of: Ints, sizes: Ints, attribute: str | None) -> Classes:
        """Classes of whole combinations, compared with the whole table: nothing is suppressed."""
        return classes_of(self._problem.frequency, class_of, sizes, attribute, self._reference(attribute))


def _check(method: str, style: str, rounds: int | None, reach: int | None, categories: str | None) -> None:
    _check_name("method", method, LOCAL_METHODS)
    _check_name("style", style, tuple(each.value for each in Style))
    is_mondrian = method.startswith("mondrian")
    if categories is not None:
        _check_name("way to cut categories", categories, CATEGORIES)
        if not is_mondrian:
            raise BadInput(f"Only Mondrian cuts categories; the method is {method!r}.")
    for name, value in {"rounds": rounds, "reach": reach}.items():
        if value is not None and is_mondrian:
            raise BadInput(f"Mondrian has no {name}; only 'top-down' and 'bottom-up' do.")


def _check_name(what: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise BadInput(f"There is no {what} {name!r}; known are {', '.join(known)}.{did_you_mean(name, known)}")


__all__ = [
    "CATEGORIES",
    "LOCAL_METHODS",
    "LocalResult",
    "LocalStep",
    "Problem",
    "recode_locally",
]
