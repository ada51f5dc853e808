"""An independent check of a front: re-evaluates what its certificate names, and shows that all other nodes are beaten.

Nothing of the searches is used here. The bounds are the same, because they are what is being checked, but they are
computed for all nodes at once, by sweeping the lattice along each attribute.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.evaluation import Evaluator
from paranym.measures.privacy.anonymity import SuppressionUse
from paranym.model.assessment import TOLERANCE, Assessments, alike
from paranym.model.front import Front
from paranym.problem import Problem

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Kind = TypeVar("_Kind", bound=np.generic)

MOST_NODES = 50_000_000
"""The check keeps a few arrays shaped like the lattice."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a front is what it claims to be, and if not, why.

    >>> Verdict(()).holds
    True
    """

    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the front."""
        return not self.faults


def verify(front: Front, problem: Problem) -> Verdict:
    """Check that `front` is the complete front of `problem`.

    >>> import pyarrow as pa
    >>> from paranym.workbench import frontier
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> verify(frontier(problem), problem)
    Verdict(faults=())
    """
    if dict(front.heights) != dict(zip(problem.attributes, problem.lattice.heights, strict=True)):
        return Verdict(("it is a front of other attributes or hierarchies",))
    if not front.complete:
        return Verdict(("it does not claim to be complete",))
    if problem.lattice.size > MOST_NODES:
        raise BadInput(f"A lattice of {problem.lattice.size:,} nodes cannot be swept; at most {MOST_NODES:,} can.")
    evaluator = problem.evaluator()
    named = _named(front, problem)
    steps = evaluator(named)
    faults = [*_check_record(front, steps), *_check_points(front, steps.solutions, evaluator.worst)]
    if not faults and len(named) < problem.lattice.size:
        faults += _check_rest(front, problem, evaluator, steps)
    return Verdict(tuple(faults))


def _named(front: Front, problem: Problem) -> Ints:
    """The nodes that the certificate names, each once; without a certificate, all."""
    if front.certificate is None:
        return problem.lattice.nodes(0, problem.lattice.size)
    inside = front.certificate.levels
    inside = inside[((inside >= 0) & (inside <= np.array(problem.lattice.heights))).all(axis=1)]
    return np.unique(inside, axis=0)


def _check_record(front: Front, steps: Assessments) -> list[str]:
    """The certificate's staircases are those of the data."""
    if front.certificate is None:
        return []
    recorded = front.certificate[_by_node(front.certificate)]
    steps = steps[_by_node(steps)]
    same = (
        np.array_equal(recorded.levels, steps.levels)
        and np.array_equal(recorded.k, steps.k)
        and np.array_equal(recorded.suppressed, steps.suppressed)
        and bool((alike(recorded.loss, steps.loss) | (recorded.loss == steps.loss)).all())
    )
    return [] if same else ["its certificate does not agree with the data"]


def _by_node(steps: Assessments) -> Ints:
    return np.lexsort((steps.k, *steps.levels.T[::-1]))


def _check_points(front: Front, solutions: Assessments, worst: float) -> list[str]:
    """Every evaluated solution is listed under its point or beaten, and nothing else is listed."""
    claimed = {
        (point.k, tuple(solution.levels.values()), solution.suppressed): point.loss
        for point in front
        for solution in point.solutions
    }
    faults = []
    k = np.array([point.k for point in front])
    loss = np.array([point.loss for point in front])
    for row, own in enumerate(solutions.loss.tolist()):
        key = (int(solutions.k[row]), tuple(solutions.levels[row].tolist()), int(solutions.suppressed[row]))
        listed = claimed.pop(key, None)
        near = np.abs(loss - own) <= TOLERANCE * np.maximum(np.abs(loss), abs(own))
        beaten = bool((((k > key[0]) & ((loss <= own) | near)) | ((k == key[0]) & (loss < own) & ~near)).any())
        if listed is None and not beaten:
            faults.append(f"a solution with k = {key[0]} at node {key[1]} is neither listed nor beaten")
        elif listed is not None and (beaten or abs(listed - own) > TOLERANCE * max(abs(listed), abs(own))):
            faults.append(f"the solution with k = {key[0]} at node {key[1]} is beaten, or its loss is not {listed}")
    faults += [f"node {key[1]} does not reach k = {key[0]} as listed" for key in claimed]
    if any(abs(point.loss_fraction * worst - point.loss) > TOLERANCE * max(point.loss, 1) for point in front):
        faults.append("a loss and its fraction do not agree")
    return faults


def _check_rest(front: Front, problem: Problem, evaluator: Evaluator, steps: Assessments) -> list[str]:
    """Every node that was not evaluated is strictly beaten in the best case that the bounds leave."""
    proof = _Proof(steps, problem.lattice.heights, problem.rows)
    low = _sum_over_lattice(evaluator.per_level()) if problem.loss.facts.additive else proof.least_loss()
    limit = proof.most_k()
    least = proof.least_k() if problem.suppression.use is SuppressionUse.ALL else np.ones_like(limit)
    surcharge = proof.surcharge if problem.loss.facts.surcharge_falls else lambda _: np.zeros(proof.shape)
    winning = limit > front[0].k
    for i, point in enumerate(front):
        beyond = front[i + 1].k + 1 if i + 1 < len(front) else 1
        slack = TOLERANCE * np.maximum(abs(point.loss), np.abs(low))
        contends = (limit >= beyond) & (least <= point.k) & (low - slack <= point.loss)
        if beyond < point.k:
            winning |= contends & (low + surcharge(beyond) < point.loss - slack)
        winning |= contends & (limit >= point.k) & (low + surcharge(point.k) <= point.loss + slack)
    winning[proof.nodes] = False
    left = int(winning.sum())
    return [f"{left} nodes that were not evaluated are not shown to be beaten"] if left else []


class _Proof:
    """What the staircases of some nodes say about all nodes, as arrays shaped like the lattice."""

    def __init__(self, steps: Assessments, heights: tuple[int, ...], rows: int) -> None:
        self.shape = tuple(height + 1 for height in heights)
        self._rows = rows
        self._steps = steps
        self._first = np.flatnonzero(steps.suppressed == 0)
        self._last = np.append(self._first[1:], len(steps)) - 1
        self.nodes = tuple(steps.levels[self._first].T)

    def least_loss(self) -> Floats:
        """Without suppression: at least that of every node below."""
        return self._carry(np.maximum, np.zeros(self.shape), self._steps.loss[self._first], upward=True)

    def most_k(self) -> Ints:
        """At most that of every node above, and N."""
        rows = np.full(self.shape, self._rows)
        return self._carry(np.minimum, rows, self._steps.k[self._last], upward=False)

    def least_k(self) -> Ints:
        """On the highest step: at least that of every node below."""
        return self._carry(np.maximum, np.ones(self.shape, np.int64), self._steps.k[self._last], upward=True)

    def surcharge(self, k: int) -> Floats:
        """What suppression adds where k is reached: at least what every node above pays for it."""
        spans = zip(self._first.tolist(), self._last.tolist(), strict=True)
        reaching = np.array([begin + np.searchsorted(self._steps.k[begin : end + 1], k) for begin, end in spans])
        pays = np.where(reaching <= self._last, self._steps.surcharge[np.minimum(reaching, self._last)], np.inf)
        return self._carry(np.maximum, np.zeros(self.shape), pays, upward=False)

    def _carry(self, best: np.ufunc, start: NDArray[_Kind], values: NDArray[_Kind], *, upward: bool) -> NDArray[_Kind]:
        """Carry the values of the nodes to all nodes above (or below) them, keeping the best."""
        best.at(start, self.nodes, values)
        for axis in range(start.ndim):
            view = start if upward else np.flip(start, axis)
            best.accumulate(view, axis=axis, out=view)
        return start


def _sum_over_lattice(per_level: tuple[Floats, ...]) -> Floats:
    total = np.zeros(tuple(map(len, per_level)))
    for axis, entries in enumerate(per_level):
        total += entries.reshape([-1 if axis == j else 1 for j in range(total.ndim)])
    return total
