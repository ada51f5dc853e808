"""An independent check of a front: re-evaluates what its certificate names, and shows that all other nodes are beaten.

Nothing of the searches is used here. The bounds are the same, because they are what is being checked, but they are
computed for all nodes at once, by sweeping the lattice along each attribute.
"""

import itertools
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.evaluation.nodes import Evaluator
from paranym.model.assessment import TOLERANCE, Assessments
from paranym.model.front import Corner, Front, Point
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


def verify_front(front: Front, problem: Problem) -> Verdict:
    """Check that `front` is the complete front of `problem`.

    >>> import pyarrow as pa
    >>> from paranym.workbench import frontier
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> verify_front(frontier(problem), problem)
    Verdict(faults=())
    """
    faults = _check_account(front, problem)
    if faults:
        return Verdict(tuple(faults))
    if problem.lattice.size > MOST_NODES:
        raise BadInput(f"A lattice of {problem.lattice.size:,} nodes cannot be swept; at most {MOST_NODES:,} can.")
    evaluator = problem.evaluator()
    named = _named(front, problem)
    steps = evaluator(named)
    faults = _check_record(front, steps)
    if problem.objectives.are_plain:
        faults += _check_points(front, steps.solutions, evaluator.worst)
    else:
        faults += _check_many_points(front, problem, steps.solutions, evaluator.worst)
    if not faults and len(named) < problem.lattice.size:
        faults += (_check_rest if problem.objectives.are_plain else _check_many)(front, problem, evaluator, steps)
    return Verdict(tuple(faults))


def _check_account(front: Front, problem: Problem) -> list[str]:
    """What the front says of itself holds of the problem, before anything is evaluated."""
    if tuple(front.heights.items()) != tuple(zip(problem.attributes, problem.lattice.heights, strict=True)):
        return ["it is a front of other attributes or hierarchies"]
    if not front.complete:
        return ["it does not claim to be complete"]
    true = {
        "rows": problem.rows,
        "metric": problem.loss.name,
        "suppression_use": problem.suppression.use.value,
        "suppression_limit": problem.suppression.limit(problem.rows),
        "objectives": problem.objectives.names,
        "demands": str(problem.demands) if problem.demands.are_made else None,
        "lattice_nodes": problem.lattice.size,
        "decided_nodes": problem.lattice.size,
    }
    return [
        f"it says {name} = {getattr(front, name)!r}, where the problem has {value!r}"
        for name, value in true.items()
        if getattr(front, name) != value
    ] + _check_list(front, in_order=problem.objectives.are_plain)


def _check_list(front: Front, *, in_order: bool) -> list[str]:
    """The points name each solution once, with all attributes; they are what is possible, and `in_order` of their k."""
    named = [tuple(solution.levels) for point in front for solution in point.solutions]
    solutions = [(point.k, solution.levels, solution.suppressed) for point in front for solution in point.solutions]
    corners = tuple(map(Corner.of, front))
    said = {
        "its points are not sorted by k": not in_order or all(a.k > b.k for a, b in itertools.pairwise(front)),
        "it lists a point without a solution": all(point.solutions for point in front),
        "it lists a solution twice": len(set(solutions)) == len(solutions),
        "a solution names other attributes": set(named) <= {tuple(front.heights)},
        "its points are not all that it calls possible": front.possible in (None, corners),
    }
    return [fault for fault, holds in said.items() if not holds]


def _named(front: Front, problem: Problem) -> Ints:
    """The nodes that the certificate names, each once; without a certificate, all."""
    if front.certificate is None:
        return problem.lattice.nodes(0, problem.lattice.size)
    inside = front.certificate.levels
    inside = inside[((inside >= 0) & (inside <= np.array(problem.lattice.heights))).all(axis=1)]
    return np.unique(inside, axis=0)


def _check_record(front: Front, steps: Assessments) -> list[str]:
    """The certificate's staircases are those of the data, and as many as the front says."""
    if front.certificate is None:
        return []
    recorded = front.certificate[_by_node(front.certificate)]
    steps = steps[_by_node(steps)]
    if not all(_same(getattr(recorded, each.name), getattr(steps, each.name)) for each in fields(steps)):
        return ["its certificate does not agree with the data"]
    nodes = len(np.unique(steps.levels, axis=0))
    if not nodes:
        return ["its certificate names no node"]
    if front.evaluated_nodes != nodes:
        return [f"it claims {front.evaluated_nodes} evaluated nodes, and its certificate names {nodes}"]
    return []


def _same(recorded: NDArray[np.generic], measured: NDArray[np.generic]) -> bool:
    """Whether values are equal, losses and the like up to the tolerance."""
    if recorded.shape != measured.shape or measured.dtype.kind != "f":
        return np.array_equal(recorded, measured)
    return np.allclose(recorded.astype(float), measured.astype(float), rtol=TOLERANCE, atol=0, equal_nan=True)


def _by_node(steps: Assessments) -> Ints:
    return np.lexsort((steps.k, *steps.levels.T[::-1]))


def _check_points(front: Front, solutions: Assessments, worst: float) -> list[str]:
    """Every evaluated solution is listed under its point or beaten, and nothing else is listed."""
    claimed = {
        (point.k, tuple(solution.levels.values()), solution.suppressed): (point.loss, solution.weighted_k)
        for point in front
        for solution in point.solutions
    }
    faults, weighted_k = [], solutions.weighted_k.tolist()
    k = np.array([point.k for point in front])
    loss = np.array([point.loss for point in front])
    for row, own in enumerate(solutions.loss.tolist()):
        key = (int(solutions.k[row]), tuple(solutions.levels[row].tolist()), int(solutions.suppressed[row]))
        listed = claimed.pop(key, None)
        near = np.abs(loss - own) <= TOLERANCE * np.maximum(np.abs(loss), abs(own))
        beaten = bool((((k > key[0]) & ((loss <= own) | near)) | ((k == key[0]) & (loss < own) & ~near)).any())
        if listed is None and not beaten:
            faults.append(f"a solution with k = {key[0]} at node {key[1]} is neither listed nor beaten")
        elif listed is not None and (beaten or not np.allclose(listed, (own, weighted_k[row]), rtol=TOLERANCE, atol=0)):
            faults.append(f"the solution with k = {key[0]} at node {key[1]} is beaten, or its values are not as listed")
    faults += [f"node {key[1]} does not reach k = {key[0]} as listed" for key in claimed]
    fractions = loss / worst if worst else np.zeros(len(loss))
    if not np.allclose([point.loss_fraction for point in front], fractions, rtol=TOLERANCE, atol=0):
        faults.append("a loss and its fraction do not agree")
    return faults


def _check_rest(front: Front, problem: Problem, evaluator: Evaluator, steps: Assessments) -> list[str]:
    """Every node that was not evaluated is strictly beaten in the best case that the bounds leave."""
    proof = _Proof(steps.binding, problem.lattice.heights, problem.rows)
    low = _sum_over_lattice(evaluator.per_level()) if problem.loss.facts.additive else proof.least_loss()
    limit = proof.most_k()
    least = proof.least_k() if evaluator.one_step else np.ones_like(limit)
    surcharge = proof.surcharge if problem.loss.facts.surcharge_falls else lambda _: np.zeros(proof.shape)
    asked = np.ones(proof.shape, bool)
    asked[proof.nodes] = False
    winning = asked & (limit > (front[0].k if len(front) else problem.demands.least_k - 1))
    for i, point in enumerate(front):
        beyond = np.maximum(front[i + 1].k + 1 if i + 1 < len(front) else problem.demands.least_k, least)
        slack = TOLERANCE * np.maximum(abs(point.loss), np.abs(low))
        contends = asked & ~winning & (limit >= beyond) & (least <= point.k) & (low - slack <= point.loss)
        winning |= contends & (limit >= point.k) & (low + surcharge(point.k) <= point.loss + slack)
        contends &= beyond < point.k
        while contends.any():  # what is too dear at some k is no cheaper at a larger one
            k = int(beyond[contends].min())
            contends &= low + surcharge(k) < point.loss - slack
            winning |= contends & (beyond == k)
            contends &= beyond > k
    left = int(winning.sum())
    return [f"{left} nodes that were not evaluated are not shown to be beaten"] if left else []


def _check_many_points(front: Front, problem: Problem, solutions: Assessments, worst: float) -> list[str]:
    """The same in more objectives: listed is just what no evaluated solution beats, with the values that it has."""
    values = _wants(problem, solutions)
    listed = {
        (tuple(solution.levels.values()), solution.suppressed): [
            *(_value(point, name) for name in front.objectives),
            *(point.k, point.loss, point.loss_fraction, solution.weighted_k),
        ]
        for point in front
        for solution in point.solutions
    }
    fractions = solutions.loss / worst if worst else np.zeros(len(solutions))
    true = np.column_stack([values, solutions.k, solutions.loss, fractions, solutions.weighted_k])
    told = {
        (tuple(levels), suppressed): row
        for levels, suppressed, row in zip(
            solutions.levels.tolist(), solutions.suppressed.tolist(), range(len(solutions)), strict=True
        )
    }
    faults = [f"node {node} has no such solution as is listed" for node, _ in set(listed) - set(told)]
    for key, row in told.items():
        beaten = bool(_beats(values, values[row], problem).any())
        if beaten == (key in listed):
            faults.append(f"the solution at node {key[0]} is {'beaten but' if beaten else 'unbeaten and not'} listed")
        elif key in listed and not np.allclose(listed[key], true[row], rtol=TOLERANCE, atol=0):
            faults.append(f"the values listed for node {key[0]} are not those that it has")
    return faults


def _check_many(front: Front, problem: Problem, evaluator: Evaluator, steps: Assessments) -> list[str]:
    """Every node that was not evaluated is beaten at every k that it might reach."""
    proof = _Proof(steps.binding, problem.lattice.heights, problem.rows)
    low = _sum_over_lattice(evaluator.per_level()) if problem.loss.facts.additive else proof.least_loss()
    limit = proof.most_k()
    values = np.array([[_value(point, name) for name in front.objectives] for point in front])
    further = {
        each.name: proof.best(each.of(steps.binding), larger=each.larger_is_better)
        for each in problem.objectives.listed
        if each.place is not None
    }
    suppresses = problem.suppression.limit(problem.rows) > 0
    falls = suppresses and problem.loss.facts.surcharge_falls
    open_nodes = limit >= problem.demands.least_k
    open_nodes[proof.nodes] = False
    ks = np.unique([point.k for point in front])
    asked = np.unique([problem.demands.least_k, *ks, *(ks + 1)]) if suppresses else np.array([1])
    winning = open_nodes & (limit > ks[-1]) if suppresses else np.zeros_like(open_nodes)
    for k in asked[asked >= (problem.demands.least_k if suppresses else 1)].tolist():
        where = np.nonzero(open_nodes & ~winning & (limit >= k))
        best = {
            "k": np.full(len(where[0]), k) if suppresses else limit[where],
            "suppression": proof.rows_lost(k)[where] if suppresses else np.zeros(len(where[0])),
            "loss": low[where] + (proof.surcharge(k)[where] if falls else 0.0),
        } | {name: bound[where] for name, bound in further.items()}
        corner = np.column_stack([best[name] for name in front.objectives])
        winning[where] = [not _beats(values, one, problem).any() for one in corner]
    left = int(winning.sum())
    return [f"{left} nodes that were not evaluated are not shown to be beaten"] if left else []


def _wants(problem: Problem, solutions: Assessments) -> Floats:
    return np.column_stack([each.of(solutions) for each in problem.objectives.listed])


def _value(point: Point, name: str) -> float:
    return {"k": point.k, "loss": point.loss}.get(name, point.values.get(name, np.nan))


def _beats(rivals: Floats, one: Floats, problem: Problem) -> NDArray[np.bool_]:
    """Which rivals are as good in every objective and better in one, up to the tolerance."""
    signs = np.array([1.0 if each.larger_is_better else -1.0 for each in problem.objectives.listed])
    with np.errstate(invalid="ignore"):
        ahead = signs * (rivals - one)
        slack = TOLERANCE * np.maximum(np.abs(rivals), np.abs(one))
        same = (rivals == one) | (np.abs(ahead) <= slack) & np.isfinite(slack)
    beats: NDArray[np.bool_] = (same | (ahead > 0)).all(axis=1) & (~same & (ahead > 0)).any(axis=1)
    return beats


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
        return self._at_least(k, self._steps.surcharge)

    def rows_lost(self, k: int) -> Floats:
        """What must be suppressed where k is reached: at least what every node above suppresses for it."""
        return self._at_least(k, self._steps.suppressed.astype(float))

    def best(self, reached: Floats, *, larger: bool) -> Floats:
        """At most as good as every node above, whose first step has that value."""
        if larger:
            return self._carry(np.minimum, np.full(self.shape, np.inf), reached[self._first], upward=False)
        return self._carry(np.maximum, np.full(self.shape, -np.inf), reached[self._first], upward=False)

    def _at_least(self, k: int, paid: Floats) -> Floats:
        spans = zip(self._first.tolist(), self._last.tolist(), strict=True)
        reaching = np.array([begin + np.searchsorted(self._steps.k[begin : end + 1], k) for begin, end in spans])
        pays = np.where(reaching <= self._last, paid[np.minimum(reaching, self._last)], np.inf)
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
