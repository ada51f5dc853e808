"""Contract check of a loss: the facts that it states are tested at the nodes of a problem."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, UnsuitableLoss
from paranym.evaluation.nodes import Evaluator
from paranym.measures.base import AdditiveLoss, CellCosts, CellLoss, Domain, Loss, LossFacts, Tally
from paranym.measures.catalogue import check_form
from paranym.measures.privacy.anonymity import Suppression
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.results.assessment import TOLERANCE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_Named = Callable[[int], str]
"""A function from the number of a node to its name in messages."""


@dataclass(frozen=True, slots=True)
class LossFault:
    """A false fact of a loss, stated or required of every loss, with the reason.

    >>> str(LossFault("monotone", "it falls from 2 to 1 above age 0"))
    'monotone: it falls from 2 to 1 above age 0'
    """

    fact: str
    """The field of `LossFacts`, or the method of the loss."""
    why: str

    def __str__(self) -> str:
        return f"{self.fact}: {self.why}"


@dataclass(frozen=True, slots=True)
class LossCheck:
    """The result of checking a loss.

    >>> LossCheck(nodes=6, faults=()).holds
    True
    """

    nodes: int
    """Number of nodes that were tried."""
    faults: tuple[LossFault, ...]

    @property
    def holds(self) -> bool:
        """True if no fact was found to be false."""
        return not self.faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults)) or f"No fact was found to be false at {self.nodes:,} nodes."


def check_loss(loss: Loss, problem: Problem, *, nodes: int = 200, seed: int = 0) -> LossCheck:
    """Check the facts of a loss at the nodes of a problem, or at a random sample of about `nodes` of them.

    A search skips nodes because of these facts, so a false one gives a front that lacks points or lists dominated
    ones. The check covers every step of the staircases, whatever the suppression limit of the problem. It can refute a
    fact, and then names the nodes; it cannot prove one.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> from paranym.measures.loss.dcn import Discernibility
    >>> class Liar(Discernibility):
    ...     name = "liar"
    ...     def of(self, tally):
    ...         return tally.kept_squares.astype(float)  # suppressed rows are forgotten
    >>> people = pa.table({"age": [31, 34, 38, 52, 57], "sex": ["F", "M", "F", "M", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> [fault.fact for fault in check_loss(Liar(), problem).faults]
    ['bounded_by_unsuppressed', 'surcharge_falls']
    """
    if not (is_whole(nodes) and nodes > 1):
        raise BadInput(f"The number of nodes to try is a whole number from 2 on; got {nodes!r}.")
    loss = check_form(loss)
    tally = _tally(loss, problem, _sample(problem, nodes, np.random.default_rng(seed)))
    tried = len(np.unique(tally.levels, axis=0))
    faults = list(_needs(loss, tally))
    if not faults:
        faults = list(_values(loss, tally))
    if not faults:
        faults = list(_facts(loss, tally, _Staircases.of(tally, loss.of(tally)), problem.attributes))
    return LossCheck(tried, tuple(faults))


def _sample(problem: Problem, most: int, random: np.random.Generator) -> Ints:
    """Return all nodes that were counted, or a sample with nodes below, directly above and far above each."""
    floor, top = np.array(problem.counted.levels, np.int64), np.array(problem.lattice.heights, np.int64)
    if int(np.prod(top - floor + 1, dtype=object)) <= most:
        levels = [range(low, high + 1) for low, high in zip(floor.tolist(), top.tolist(), strict=True)]
        return np.array(list(itertools.product(*levels)), np.int64)
    drawn = random.integers(floor, top + 1, size=(max(most // 4, 1), len(top)))
    step = np.eye(len(top), dtype=np.int64)[random.integers(len(top), size=len(drawn))]
    around = [np.minimum(drawn + step, top), random.integers(drawn, top + 1), random.integers(floor, drawn + 1)]
    return np.unique(np.concatenate([[floor, top], drawn, *around]), axis=0)


class _Probe:
    """A substitute for a loss that records its input."""

    name, title = "probe", "probe"

    def __init__(self, loss: Loss) -> None:
        self.facts: LossFacts = loss.facts
        self.tallies: list[Tally] = []
        self._loss = loss

    def of(self, tally: Tally) -> Floats:
        self.tallies.append(tally)
        return np.zeros(len(tally.k))

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return self._loss.worst(rows, domains)

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        return cast("CellLoss", self._loss).costs(domain, rows)


def _tally(loss: Loss, problem: Problem, nodes: Ints) -> Tally:
    """Return the complete staircases of some nodes, as the input of the loss."""
    label = problem.schema.label
    if loss.facts.needs_label and (label is None or label.name not in problem.counted.histogram.blocks):
        raise UnsuitableLoss(
            loss.name, "needs a label that was counted: make the problem with this loss as its metric, and a label."
        )
    probe = _Probe(loss)
    evaluator = Evaluator(
        problem.counted,
        problem.hierarchies,
        cast("Loss", probe),
        Suppression(share=1.0),
        weights=[attribute.weight for attribute in problem.schema.quasi_identifiers],
        label=None if label is None else label.name,
        rows_per_leaf=problem.rows_per_leaf,
        cores=1,
    )
    try:
        evaluator(nodes)
    finally:
        evaluator.close()
    return _joined(probe.tallies)


_ALONE = 500
"""Number of steps whose loss is also computed one at a time."""
_PER_STEP = (
    "levels",
    "k",
    "suppressed",
    "kept_classes",
    "kept_squares",
    "kept_majority",
    "kept_costs",
    "spread",
)
"""Fields of a tally that have one entry for every step."""


def _joined(parts: list[Tally]) -> Tally:
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_STEP}
    return replace(parts[0], **columns)


def _part(tally: Tally, which: slice) -> Tally:
    columns: dict[str, Any] = {name: getattr(tally, name)[which] for name in _PER_STEP}
    return replace(tally, **columns)


def _needs(loss: Loss, tally: Tally) -> Iterator[LossFault]:
    """Check that the loss reads only the columns that its facts request: searches leave the others empty."""
    columns = {"needs_costs": "kept_costs", "needs_label": "kept_majority", "needs_spread": "spread"}
    unrequested = {fact: column for fact, column in columns.items() if not getattr(loss.facts, fact)}
    filled: dict[str, Any] = {column: _some(tally, column) for column in unrequested.values()}
    expected = loss.of(replace(tally, **filled))
    for fact, column in unrequested.items():
        lacking = {**filled, column: getattr(tally, column)}
        try:
            same = np.array_equal(expected, loss.of(replace(tally, **lacking)), equal_nan=True)
        except (IndexError, ValueError):  # it takes an array that is empty
            same = False
        if not same:
            yield LossFault(fact, f"it is stated as False, but the loss reads {column} of the tally")


def _some(tally: Tally, column: str) -> Ints | Floats:
    """Return distinct numbers for a column that is not requested."""
    shape = tally.k.shape if column == "kept_majority" else tally.levels.shape
    numbers = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    return numbers if column == "kept_majority" else numbers.astype(float)


def _values(loss: Loss, tally: Tally) -> Iterator[LossFault]:
    """Check that the loss of every step is a number from 0 to the worst, and depends only on the step."""
    found = np.asarray(loss.of(tally))
    if found.shape != tally.k.shape or not np.isfinite(found).all():
        yield LossFault("of", f"it must give one finite number for each of {len(tally.k):,} steps")
        return
    if (found < 0).any():
        yield LossFault("of", f"a loss is {found.min():g}; searches take 0 for the least that a loss can be")
    some = np.unique(np.linspace(0, len(found) - 1, _ALONE).astype(np.int64))
    alone = np.concatenate([loss.of(_part(tally, slice(step, step + 1))) for step in some.tolist()])
    if _exceeds(np.abs(alone - found[some]), 0.0, np.maximum(np.abs(alone), np.abs(found[some]))).any():
        yield LossFault("of", "the loss of a step changes with the other steps that it is computed beside")
    worst = loss.worst(tally.rows, tally.domains)
    if _exceeds(found, worst, np.abs(found)).any():
        yield LossFault("worst", f"a loss is {found.max():g}, and the worst is said to be {worst:g}")


class _Staircases(NamedTuple):
    """The steps of every node, and the order of the nodes."""

    levels: Ints
    """(nodes, attributes)"""
    k: list[Ints]
    loss: list[Floats]
    above: Ints
    """(pairs, 2): the numbers of a node and of a node above it."""

    @classmethod
    def of(cls, tally: Tally, loss: Floats) -> "_Staircases":
        first = np.flatnonzero(tally.suppressed == 0)
        levels = tally.levels[first]
        covered = (levels[np.newaxis] >= levels[:, np.newaxis]).all(axis=2) & ~np.eye(len(first), dtype=bool)
        return cls(levels, np.split(tally.k, first[1:]), np.split(loss, first[1:]), np.argwhere(covered))

    @property
    def unsuppressed(self) -> Floats:
        """The loss of every node without suppression."""
        return np.array([steps[0] for steps in self.loss])


def _facts(loss: Loss, tally: Tally, found: _Staircases, attributes: tuple[str, ...]) -> Iterator[LossFault]:
    facts = loss.facts

    def named(node: int) -> str:
        levels = found.levels[node].tolist()
        return ", ".join(f"{name} {level}" for name, level in zip(attributes, levels, strict=True))

    if facts.additive:
        yield from _additive(cast("AdditiveLoss", loss), tally, found, named)
    if facts.monotone:
        yield from _monotone(found, named)
    if facts.bounded_by_unsuppressed:
        yield from _bounded(found, named)
    if facts.surcharge_falls:
        yield from _surcharge(found, named)


def _additive(loss: AdditiveLoss, tally: Tally, found: _Staircases, named: _Named) -> Iterator[LossFault]:
    tables = loss.per_level(tally.rows, tally.domains)
    lengths = [domain.hierarchy.height + 1 for domain in tally.domains]
    if [len(table) for table in tables] != lengths:
        yield LossFault("additive", f"per_level must have {lengths} entries; it has {[len(table) for table in tables]}")
        return
    sums = sum((table[found.levels[:, j]] for j, table in enumerate(tables)), np.zeros(len(found.levels)))
    own = found.unsuppressed
    wrong = np.flatnonzero(_exceeds(np.abs(own - sums), 0.0, np.maximum(np.abs(own), np.abs(sums))))
    if len(wrong):
        node = int(wrong[0])
        yield LossFault("additive", f"the loss is {own[node]:g}, per_level adds up to {sums[node]:g} at {named(node)}")


def _monotone(found: _Staircases, named: _Named) -> Iterator[LossFault]:
    own = found.unsuppressed
    below, above = own[found.above[:, 0]], own[found.above[:, 1]]
    wrong = np.flatnonzero(_exceeds(below, above, np.abs(below)))
    if len(wrong):
        low, high = found.above[wrong[0]].tolist()
        yield LossFault(
            "monotone",
            f"without suppression the loss falls from {own[low]:g} at {named(low)} to {own[high]:g} at "
            f"{named(high)}, which lies above",
        )


def _bounded(found: _Staircases, named: _Named) -> Iterator[LossFault]:
    for node, (k, loss) in enumerate(zip(found.k, found.loss, strict=True)):
        wrong = np.flatnonzero(_exceeds(loss[0], loss, np.abs(loss[0])))
        if len(wrong):
            step = int(wrong[0])
            yield LossFault(
                "bounded_by_unsuppressed",
                f"at {named(node)} it is {loss[0]:g}, and less with suppression for k = {k[step]}: {loss[step]:g}",
            )
            return


def _surcharge(found: _Staircases, named: _Named) -> Iterator[LossFault]:
    """Check the surcharge upwards at the same k, and along each staircase: searches rely on both."""
    for node, (k, loss) in enumerate(zip(found.k, found.loss, strict=True)):
        wrong = np.flatnonzero(_exceeds(loss[:-1], loss[1:], np.abs(loss[:-1])))
        if len(wrong):
            step = int(wrong[0])
            yield LossFault(
                "surcharge_falls",
                f"at {named(node)} suppression adds less for k = {k[step + 1]} than for k = {k[step]}, which "
                "suppresses fewer rows",
            )
            return
    for low, high in found.above.tolist():
        reaching = np.searchsorted(found.k[high], found.k[low])
        pays, paid = found.loss[high][reaching] - found.loss[high][0], found.loss[low] - found.loss[low][0]
        wrong = np.flatnonzero(_exceeds(pays, paid, np.maximum(found.loss[high][reaching], found.loss[low])))
        if len(wrong):
            step = int(wrong[0])
            yield LossFault(
                "surcharge_falls",
                f"for k = {found.k[low][step]} suppression adds {paid[step]:g} at {named(low)}, and {pays[step]:g} at "
                f"{named(high)}, which lies above",
            )
            return


def _exceeds(a: Any, b: Any, scale: Any) -> Truths:
    """Return whether numbers are larger than others by more than the rounding of losses of that size."""
    return np.asarray(a - b > TOLERANCE * scale)
