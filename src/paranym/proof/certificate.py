"""A check of a front: verifies the proof in its certificate, and counts some of its nodes a second way.

This module uses no code of the searches. The nodes that the certificate names are evaluated again, and all others are
proved to be dominated. The bounds are the same, since they are what is being checked, but they are computed for all
nodes at once, by sweeping the lattice along each attribute. The evaluator is that of the searches. Therefore the engine
counts a sample of the nodes, or all of them, as well; separate definitions assess them: see `recount`.
"""

import itertools
from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.evaluation.nodes import NodeEvaluator
from paranym.measures.privacy.anonymity import Unit
from paranym.problem import Problem
from paranym.proof.cuts import check_cuts
from paranym.proof.recount import recount as recount_nodes
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.results.front import Corner, Front, Point

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Kind = TypeVar("_Kind", bound=np.generic)

MOST_NODES = 50_000_000
"""The check keeps a few arrays shaped like the lattice."""
RECOUNTED = 16
"""Nodes that are counted a second way by default."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking a front: whether its claims hold, and the faults if not.

    >>> Verdict(()).holds
    True
    """

    faults: tuple[str, ...]
    recounted_nodes: int = field(default=0, repr=False)
    """Nodes that were counted a second way, by the engine itself."""

    @property
    def holds(self) -> bool:
        """True if no fault was found."""
        return not self.faults


def verify_front(
    front: Front, problem: Problem, *, recount: int | Literal["all"] = RECOUNTED, seed: int = 0
) -> Verdict:
    """Check that `front` is the complete front of `problem`.

    The nodes of its certificate are evaluated again, and `recount` of them, or "all", are counted a second way: the
    engine groups the recoded rows, and losses and requirements are computed by definitions that share no code with the
    searches. The sample is drawn by `seed`; it takes the nodes of the points first.

    For a front of cuts, the solutions are measured again, and the division of all cuts in its certificate is followed
    (`paranym.proof.cuts`). All cuts are evaluated as well if there are few, or, with "all", at most a million.

    >>> import pyarrow as pa
    >>> from paranym.solve.fronts import frontier
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> verify_front(frontier(problem), problem)
    Verdict(faults=())
    """
    if front.is_private:
        return Verdict(tuple(check_cuts(front, problem, everything=recount == "all")))
    faults = _check_account(front, problem)
    if faults:
        return Verdict(tuple(faults))
    if problem.lattice.size > MOST_NODES:
        raise BadInput(f"A lattice of {problem.lattice.size:,} nodes cannot be swept; at most {MOST_NODES:,} can.")
    evaluator = problem.evaluator()
    named = _named(front, problem)
    steps = evaluator(named)
    faults = _check_record(front, steps)
    solutions, unresolved = _resolved(problem, evaluator, steps)
    if unresolved:
        faults.append(f"at {unresolved} nodes the classes to suppress are not shown to be the best")
    if problem.objectives.are_plain:
        faults += _check_points(front, solutions, evaluator.worst)
    else:
        faults += _check_many_points(front, problem, solutions, evaluator.worst)
    if not faults and len(named) < problem.lattice.size:
        faults += (_check_rest if problem.objectives.are_plain else _check_many)(front, problem, evaluator, steps)
    sample = _sample(front, named, recount, seed)
    if not faults and len(sample):
        faults += recount_nodes(problem, front, sample, steps, solutions)
    return Verdict(tuple(faults), len(sample))


def _sample(front: Front, named: Ints, most: int | Literal["all"], seed: int) -> Ints:
    """The nodes to count a second way: those of the points alternate with others, drawn at random."""
    if most == "all":
        return named
    rng = np.random.default_rng(seed)
    of_points = {tuple(solution.levels.values()) for point in front for solution in point.solutions}
    is_of_point = np.array([tuple(node) in of_points for node in named.tolist()], bool)
    points, others = rng.permutation(named[is_of_point]), rng.permutation(named[~is_of_point])
    first = points[: max(most - min(len(others), most // 2), 0)]
    return np.concatenate([first, others[: most - len(first)]])


def _resolved(problem: Problem, evaluator: NodeEvaluator, steps: Assessments) -> tuple[Assessments, int]:
    """Return all solutions, and the number of nodes that may have better ones.

    A node may if its possible sets of suppressed classes were not searched completely. Nodes that no solution dominates
    are searched more thoroughly.
    """
    solutions = steps.solutions
    left = _non_dominated(problem, steps.bounds, solutions)
    if not len(left):
        return solutions, 0
    again = evaluator.resolve(left)
    solutions += again.solutions
    return solutions, len(np.unique(_non_dominated(problem, again.bounds, solutions).levels, axis=0))


def _non_dominated(problem: Problem, bounds: Assessments, solutions: Assessments) -> Assessments:
    """The bounds that no solution dominates, and no solution of the same node matches."""
    if problem.objectives.further or not problem.loss.facts.bounded_by_unsuppressed:
        return bounds
    values, wants = _wants(problem, bounds), _wants(problem, solutions)
    signs = np.array([1.0 if each.larger_is_better else -1.0 for each in problem.objectives.listed])
    keep = np.ones(len(bounds), bool)
    for row, one in enumerate(values):
        slack = TOLERANCE * np.maximum(np.abs(wants), np.abs(one))
        here = (solutions.levels == bounds.levels[row]).all(axis=1)
        equals = here & (signs * (wants - one) >= -slack).all(axis=1)
        keep[row] = not (equals.any() or _dominates(wants, one, problem).any())
    return bounds[keep]


def _check_account(front: Front, problem: Problem) -> list[str]:
    """Check the claims of the front about the problem, before anything is evaluated."""
    if tuple(front.heights.items()) != tuple(zip(problem.attributes, problem.lattice.heights, strict=True)):
        return ["it is a front of other attributes or hierarchies"]
    if not front.complete:
        return ["it does not claim to be complete"]
    true = {
        "rows": problem.rows,
        "unit": problem.unit.value,
        "people": None if problem.unit is Unit.ROW else problem.people,
        "metric": problem.loss.name,
        "suppression_use": problem.suppression.use.value,
        "suppression_limit": problem.suppression.limit(problem.rows),
        "objectives": problem.objectives.names,
        "demands": str(problem.demands) if problem.demands.are_made else None,
        "suppression_searched": not problem.demands.are_local(problem.suppression.limit(problem.rows)),
        "lattice_nodes": problem.lattice.size,
        "decided_nodes": problem.lattice.size,
    }
    return [
        f"it says {name} = {getattr(front, name)!r}, where the problem has {value!r}"
        for name, value in true.items()
        if getattr(front, name) != value
    ] + _check_list(front, in_order=problem.objectives.are_plain)


def _check_list(front: Front, *, in_order: bool) -> list[str]:
    """Check that points list each solution once, with all attributes and possible values, and `in_order` of k."""
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
    """Check that the staircases of the certificate are those of the data, and as many as the front claims."""
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
    """Return whether values are equal, losses up to the tolerance."""
    if recorded.shape != measured.shape or measured.dtype.kind != "f":
        return np.array_equal(recorded, measured)
    return np.allclose(recorded.astype(float), measured.astype(float), rtol=TOLERANCE, atol=0, equal_nan=True)


def _by_node(steps: Assessments) -> Ints:
    return np.lexsort((steps.k, *steps.levels.T[::-1]))


def _check_points(front: Front, solutions: Assessments, worst: float) -> list[str]:
    """Check that every evaluated solution is listed under its point or dominated, and no other solution is listed."""
    claimed = {
        (point.k, tuple(solution.levels.values()), solution.suppressed): (point.loss, solution.weighted_k)
        for point in front
        for solution in point.solutions
    }
    faults, weighted_k = [], solutions.weighted_k.tolist()
    k = np.array([point.k for point in front])
    loss = np.array([point.loss for point in front])
    for key, row in _least_of_each(solutions).items():
        own = float(solutions.loss[row])
        listed = claimed.pop(key, None)
        near = np.abs(loss - own) <= TOLERANCE * np.maximum(np.abs(loss), abs(own))
        dominated = bool((((k > key[0]) & ((loss <= own) | near)) | ((k == key[0]) & (loss < own) & ~near)).any())
        if listed is None and not dominated:
            faults.append(f"a solution with k = {key[0]} at node {key[1]} is neither listed nor dominated")
        elif listed is not None and (
            dominated or not np.allclose(listed, (own, weighted_k[row]), rtol=TOLERANCE, atol=0)
        ):
            faults.append(
                f"the solution with k = {key[0]} at node {key[1]} is dominated, or its values are not as listed"
            )
    faults += [f"node {key[1]} does not reach k = {key[0]} as listed" for key in claimed]
    fractions = loss / worst if worst else np.zeros(len(loss))
    if not np.allclose([point.loss_fraction for point in front], fractions, rtol=TOLERANCE, atol=0):
        faults.append("a loss and its fraction do not agree")
    return faults


def _least_of_each(solutions: Assessments) -> dict[tuple[int, tuple[int, ...], int], int]:
    """Map k, node and suppressed rows to the solution with the least loss among the sets of classes that share them."""
    least: dict[tuple[int, tuple[int, ...], int], int] = {}
    for row, (k, levels, suppressed) in enumerate(
        zip(solutions.k.tolist(), solutions.levels.tolist(), solutions.suppressed.tolist(), strict=True)
    ):
        known = least.setdefault((k, tuple(levels), suppressed), row)
        if solutions.loss[row] < solutions.loss[known]:
            least[k, tuple(levels), suppressed] = row
    return least


def _check_rest(front: Front, problem: Problem, evaluator: NodeEvaluator, steps: Assessments) -> list[str]:
    """Check that the best case of every node that was not evaluated is strictly dominated."""
    proof = _Proof(steps.binding, problem.lattice.heights, problem.people)
    low = _sum_over_lattice(evaluator.per_level()) if problem.loss.facts.additive else proof.least_loss()
    limit = proof.most_k()
    least = proof.least_k() if evaluator.one_step else np.ones_like(limit)
    surcharge = proof.surcharge if problem.loss.facts.surcharge_falls else lambda _: np.zeros(proof.shape)
    unevaluated = np.ones(proof.shape, bool)
    unevaluated[proof.nodes] = False
    winning = unevaluated & (limit > (front[0].k if len(front) else problem.demands.least_k - 1))
    for i, point in enumerate(front):
        beyond = np.maximum(front[i + 1].k + 1 if i + 1 < len(front) else problem.demands.least_k, least)
        slack = TOLERANCE * np.maximum(abs(point.loss), np.abs(low))
        contends = unevaluated & ~winning & (limit >= beyond) & (least <= point.k) & (low - slack <= point.loss)
        winning |= contends & (limit >= point.k) & (low + surcharge(point.k) <= point.loss + slack)
        contends &= beyond < point.k
        while contends.any():  # a loss that is too large at some k is no smaller at a larger k
            k = int(beyond[contends].min())
            contends &= low + surcharge(k) < point.loss - slack
            winning |= contends & (beyond == k)
            contends &= beyond > k
    left = int(winning.sum())
    return [f"{left} nodes that were not evaluated are not shown to be dominated"] if left else []


def _check_many_points(front: Front, problem: Problem, solutions: Assessments, worst: float) -> list[str]:
    """Check, in several objectives, that the points are exactly the non-dominated evaluated solutions."""
    values = _wants(problem, solutions)
    fractions = solutions.loss / worst if worst else np.zeros(len(solutions))
    true = np.column_stack([values, solutions.k, solutions.loss, fractions, solutions.weighted_k])
    nodes = [tuple(levels) for levels in solutions.levels.tolist()]
    places: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for row, key in enumerate(zip(nodes, solutions.suppressed.tolist(), strict=True)):
        places.setdefault(key, []).append(row)
    faults, listed = list[str](), set[int]()
    for point in front:
        claimed_values = [*(_value(point, name) for name in front.objectives), point.k, point.loss, point.loss_fraction]
        for one in point.solutions:
            node = tuple(one.levels.values())
            rows = places.get((node, one.suppressed), [])
            same = [
                row for row in rows if np.allclose([*claimed_values, one.weighted_k], true[row], rtol=TOLERANCE, atol=0)
            ]
            listed.update(same)
            faults += [] if same else [f"node {node} does not have the listed solution"]
    for row, node in enumerate(nodes):
        dominated = bool(_dominates(values, values[row], problem).any())
        if dominated == (row in listed):
            faults.append(
                f"the solution at node {node} is {'dominated but' if dominated else 'non-dominated but not'} listed"
            )
    return faults


def _check_many(front: Front, problem: Problem, evaluator: NodeEvaluator, steps: Assessments) -> list[str]:
    """Check that every node that was not evaluated is dominated at every k that it might have."""
    proof = _Proof(steps.binding, problem.lattice.heights, problem.people)
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
    decisive = np.unique([problem.demands.least_k, *ks, *(ks + 1)]) if suppresses else np.array([1])
    winning = open_nodes & (limit > ks[-1]) if suppresses else np.zeros_like(open_nodes)
    for k in decisive[decisive >= (problem.demands.least_k if suppresses else 1)].tolist():
        where = np.nonzero(open_nodes & ~winning & (limit >= k))
        best = {
            "k": np.full(len(where[0]), k) if suppresses else limit[where],
            "suppression": proof.rows_lost(k)[where] if suppresses else np.zeros(len(where[0])),
            "loss": low[where] + (proof.surcharge(k)[where] if falls else 0.0),
        } | {name: bound[where] for name, bound in further.items()}
        corner = np.column_stack([best[name] for name in front.objectives])
        winning[where] = [not _dominates(values, one, problem).any() for one in corner]
    left = int(winning.sum())
    return [f"{left} nodes that were not evaluated are not shown to be dominated"] if left else []


def _wants(problem: Problem, solutions: Assessments) -> Floats:
    return np.column_stack([each.of(solutions) for each in problem.objectives.listed])


def _value(point: Point, name: str) -> float:
    return {"k": point.k, "loss": point.loss}.get(name, point.values.get(name, np.nan))


def _dominates(rivals: Floats, one: Floats, problem: Problem) -> NDArray[np.bool_]:
    """Return which rivals dominate: as good in every objective and better in one, up to the tolerance."""
    signs = np.array([1.0 if each.larger_is_better else -1.0 for each in problem.objectives.listed])
    with np.errstate(invalid="ignore"):
        ahead = signs * (rivals - one)
        slack = TOLERANCE * np.maximum(np.abs(rivals), np.abs(one))
        same = (rivals == one) | (np.abs(ahead) <= slack) & np.isfinite(slack)
    beats: NDArray[np.bool_] = (same | (ahead > 0)).all(axis=1) & (~same & (ahead > 0)).any(axis=1)
    return beats


class _Proof:
    """Bounds on all nodes from the staircases of some, as arrays shaped like the lattice."""

    def __init__(self, steps: Assessments, heights: tuple[int, ...], largest_k: int) -> None:
        self.shape = tuple(height + 1 for height in heights)
        self._largest_k = largest_k
        self._steps = steps
        self._first = np.flatnonzero(steps.suppressed == 0)
        self._last = np.append(self._first[1:], len(steps)) - 1
        self.nodes = tuple(steps.levels[self._first].T)

    def least_loss(self) -> Floats:
        """Lower bound of the loss without suppression: the largest of every node below."""
        return self._carry(np.maximum, np.zeros(self.shape), self._steps.loss[self._first], upward=True)

    def most_k(self) -> Ints:
        """Upper bound of k: the smallest of every node above, and all rows or people."""
        largest = np.full(self.shape, self._largest_k)
        return self._carry(np.minimum, largest, self._steps.k[self._last], upward=False)

    def least_k(self) -> Ints:
        """Lower bound of k on the highest step: the largest of every node below."""
        return self._carry(np.maximum, np.ones(self.shape, np.int64), self._steps.k[self._last], upward=True)

    def surcharge(self, k: int) -> Floats:
        """Return a lower bound of the suppression cost at k: the largest of every node above."""
        return self._at_least(k, self._steps.surcharge)

    def rows_lost(self, k: int) -> Floats:
        """Return a lower bound of the rows suppressed at k: the most of every node above."""
        return self._at_least(k, self._steps.suppressed.astype(float))

    def best(self, achieved: Floats, *, larger: bool) -> Floats:
        """Return a bound on a privacy value: no better than that of every node above, on its first step."""
        if larger:
            return self._carry(np.minimum, np.full(self.shape, np.inf), achieved[self._first], upward=False)
        return self._carry(np.maximum, np.full(self.shape, -np.inf), achieved[self._first], upward=False)

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
