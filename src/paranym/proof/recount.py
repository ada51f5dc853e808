"""Nodes of a certificate counted a second way: the engine groups the recoded rows, and definitions assess them.

Frequency sets, roll-ups, kernels, losses and privacy models of the search are not used. Shared parts are the reading of
the table and the hierarchies. If there are too many sets of classes to try one by one, the search for sets to suppress
is shared as well; this module then checks that the set of a solution meets the requirements, but not that no other set
is better.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.measures.privacy.anonymity import Unit
from paranym.measures.privacy.base import Classes, Reference, Requirement
from paranym.measures.requirements import See
from paranym.measures.suppression_sets import EFFORTS, suppression_sets
from paranym.problem import Problem
from paranym.proof.definitions import LIKE, CountedNode, LevelledAttribute, defined_loss, defined_value
from paranym.results.assessment import Assessments
from paranym.results.front import Front

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Count = Callable[[tuple[int, ...]], FrequencySet]
"""Has the engine group the rows at a node."""
CountPeople = Callable[[tuple[int, ...]], Ints]
"""Has the engine count the different people of every class of a node."""

_NONE = (np.empty(0, np.int64),)

MOST_CLASSES = 8
"""All sets of classes are tried if there are at most this many classes."""


def recount(problem: Problem, front: Front, levels: Ints, steps: Assessments, solutions: Assessments) -> list[str]:
    """Return the faults in the `steps` and `solutions` of the nodes `levels`, by the counts of the engine."""
    faults = []
    with problem.counting_in_engine() as count, ExitStack() as stack:
        people = None if problem.unit is Unit.ROW else stack.enter_context(problem.counting_people_in_engine())
        rows_per_leaf = (
            _rows_per_leaf(problem, count) if problem.loss.facts.needs_spread else _NONE * len(problem.attributes)
        )
        for node in levels:
            found = _Recount(problem, front, _counted(problem, node, count, people, rows_per_leaf))
            mine, solved = (each[(each.levels == node).all(axis=1)] for each in (steps, solutions))
            faults += [f"at node {tuple(node.tolist())} {fault}" for fault in found.faults(mine, solved)]
    return faults


def _counted(
    problem: Problem, levels: Ints, count: Count, people: CountPeople | None, rows_per_leaf: tuple[Ints, ...]
) -> CountedNode:
    """One node, counted by the engine; people by counting distinct values of their key."""
    counted, label = count(tuple(levels.tolist())), problem.schema.label
    parts = zip(problem.hierarchies, levels.tolist(), problem.schema.quasi_identifiers, rows_per_leaf, strict=True)
    return CountedNode(
        tuple(LevelledAttribute(hierarchy, level, each.weight, rows) for hierarchy, level, each, rows in parts),
        counted.codes,
        counted.counts,
        counted.counts if people is None else people(tuple(levels.tolist())),
        counted.rows if people is None else int(people(problem.lattice.heights)[0]),
        {name: counted.histogram.dense(name, len(counted)) for name in counted.histogram.blocks},
        None if label is None else label.name,
    )


class _Recount:
    """The solutions of one node by definition, and their differences from recorded steps."""

    def __init__(self, problem: Problem, front: Front, node: CountedNode) -> None:
        self._problem, self._front, self._node = problem, front, node
        self._limit = problem.suppression.limit(problem.rows)

    def faults(self, steps: Assessments, solutions: Assessments) -> Iterator[str]:
        """Return the recorded steps that the counts do not confirm."""
        sizes = self._node.sizes
        weighted_k = int((sizes * self._node.people).sum()) / self._node.rows
        if not np.allclose(steps.weighted_k, weighted_k, rtol=LIKE, atol=0):
            yield "weighted k is another one"
        first = steps[(steps.suppressed == 0) & (steps.counts | self._problem.loss.facts.bounded_by_unsuppressed)]
        whole = defined_loss(self._problem.loss.name, self._node, np.ones(len(sizes), bool))
        if whole is not None and not np.allclose(first.loss, whole, rtol=LIKE, atol=LIKE):
            yield "the loss without suppression is another one"
        if not self._problem.demands.requirements:
            yield from self._compare(self._staircase(sizes >= 1), steps.binding, "step")
        yield from self._solutions(solutions)

    def _solutions(self, solutions: Assessments) -> Iterator[str]:
        """Compare the solutions with those by definition; if these are too many to list, check each solution."""
        demands = self._problem.demands
        if demands.are_local(self._limit):
            meets = np.ones(len(self._node.sizes), bool)
            expected = [step for step in self._staircase(self._meeting(meets)) if self._counts(step, demands.least_k)]
            expected = expected[-1:] if self._problem.suppression.use == "all" else expected
            yield from self._compare(expected, solutions, "solution")
        elif len(self._node.sizes) <= MOST_CLASSES:
            yield from self._compare_best(list(self._every_set(demands.least_k)), solutions)
        else:
            yield from self._check_each(solutions)

    def _counts(self, published: Truths, least_k: int) -> bool:
        return self._k(published) >= least_k

    def _staircase(self, meeting: Truths) -> list[Truths]:
        """For each size that the limit allows, the classes of at least that size that meet the requirements."""
        people = self._node.people
        steps = [meeting & (people >= size) for size in np.unique(people[meeting]).tolist()]
        if not (people[meeting] == self._node.everyone).any():
            steps.append(np.zeros(len(people), bool))
        return [step for step in steps if self._lost(step) <= self._limit]

    def _every_set(self, least_k: int) -> Iterator[Truths]:
        """All sets of classes that may be published."""
        for flags in itertools.product([True, False], repeat=len(self._node.sizes)):
            published = np.array(flags, bool)
            allowed = self._lost(published) <= self._limit and self._counts(published, least_k)
            if allowed and bool((self._meeting(published) | ~published).all()):
                yield published

    def _check_each(self, solutions: Assessments) -> Iterator[str]:
        """Check that each solution belongs to some set of classes that meets the requirements."""
        see, problem = self._see(), self._problem
        sets = suppression_sets(problem.demands, see, self._node.sizes, self._limit).published
        for row in range(len(solutions)):
            k = int(solutions.k[row])
            for tries in EFFORTS:
                if any(self._is(solutions, row, published) for published in sets):
                    break
                sets += suppression_sets(
                    problem.demands, see, self._node.sizes, self._limit, tries=tries, ks=(k,)
                ).published
            if not any(self._is(solutions, row, published) for published in sets):
                yield f"no set of classes was found that gives k = {k} as recorded"

    def _is(self, solutions: Assessments, row: int, published: Truths) -> bool:
        """Return whether a set of classes meets the requirements and has the values of a recorded solution."""
        if self._k(published) != solutions.k[row] or self._lost(published) != solutions.suppressed[row]:
            return False
        loss = defined_loss(self._problem.loss.name, self._node, published)
        same = loss is None or bool(np.isclose(loss, solutions.loss[row], rtol=LIKE, atol=LIKE))
        return same and bool((self._meeting(published) | ~published).all())

    def _compare(self, expected: list[Truths], found: Assessments, what: str) -> Iterator[str]:
        by_k = {int(k): row for row, k in enumerate(found.k.tolist())}
        if sorted(by_k) != sorted(map(self._k, expected)):
            yield f"the values of k of its {what}s are others"
            return
        for published in expected:
            row, loss = by_k[self._k(published)], defined_loss(self._problem.loss.name, self._node, published)
            if found.suppressed[row] != self._lost(published):
                yield f"the {what} with k = {self._k(published)} suppresses another number of rows"
            elif loss is not None and not np.isclose(found.loss[row], loss, rtol=LIKE, atol=LIKE):
                yield f"the {what} with k = {self._k(published)} has another loss"

    def _compare_best(self, sets: list[Truths], solutions: Assessments) -> Iterator[str]:
        """Check that no set of classes dominates the front, and that each solution belongs to some set."""
        if self._problem.suppression.use == "all" and sets:
            largest = max(map(self._k, sets))
            sets = [published for published in sets if self._k(published) == largest]
        for published in sets:
            k, loss = self._k(published), defined_loss(self._problem.loss.name, self._node, published)
            rival = min((point.loss for point in self._front if point.k >= k), default=np.inf)
            if loss is not None and rival > loss * (1 + LIKE) + LIKE:
                yield f"a set of classes gives k = {k} at a smaller loss than any point"
        for row in range(len(solutions)):
            if not any(self._is(solutions, row, published) for published in sets):
                yield f"no set of classes gives k = {int(solutions.k[row])} as recorded"

    def _meeting(self, published: Truths) -> Truths:
        """Return which published classes meet all requirements."""
        meets = published.copy()
        for requirement in self._problem.demands.requirements:
            meets &= self._meeting_one(requirement, published)
        return meets

    def _meeting_one(self, requirement: Requirement, published: Truths) -> Truths:
        if requirement.attribute is None:
            return published
        histogram = self._node.histograms[requirement.attribute]
        released = requirement.reference is Reference.RELEASED
        reference = histogram[published if released else slice(None)].sum(axis=0).tolist()
        meets = np.zeros(len(published), bool)
        for place in np.flatnonzero(published).tolist():
            value = defined_value(requirement.model, requirement.model.name, histogram[place].tolist(), reference)
            meets[place] = value is None or _allows(requirement, value)
        return meets

    def _see(self) -> See:
        node = self._node

        def see(name: str | None, reference: Reference) -> Classes:
            if name is None:
                return Classes(node.sizes)
            dense = node.histograms[name]
            owners, columns = np.nonzero(dense)
            original = dense.sum(axis=0) if reference is Reference.ORIGINAL else None
            amounts = dense[owners, columns].astype(np.int64)
            return Classes(node.sizes, owners.astype(np.int32), columns.astype(np.int32), amounts, original)

        return see

    def _k(self, published: Truths) -> int:
        return int(self._node.people[published].min(initial=self._node.everyone))

    def _lost(self, published: Truths) -> int:
        return int(self._node.sizes[~published].sum())


def _allows(requirement: Requirement, value: float) -> bool:
    """Whether a value is at least (or at most) the threshold, or equal up to 1e-9 if equality is allowed."""
    facts, threshold = requirement.model.facts, requirement.threshold
    near = abs(value - threshold) <= LIKE * abs(threshold) + 1e-12
    if near:
        return not facts.strict
    return value > threshold if facts.larger_is_better else value < threshold


def _rows_per_leaf(problem: Problem, count: Count) -> tuple[Ints, ...]:
    """Count the rows under each leaf of each quasi-identifier."""
    found = []
    for j, hierarchy in enumerate(problem.hierarchies):
        node = tuple(0 if place == j else height for place, height in enumerate(problem.lattice.heights))
        counted = count(node)
        rows = np.bincount(counted.codes[:, j], weights=counted.counts, minlength=len(hierarchy.leaves))
        found.append(rows.astype(np.int64))
    return tuple(found)
