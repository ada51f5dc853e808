"""A check of a front over cuts: its solutions are measured again, and its division of all cuts is followed.

This module uses no code of the search: splits, costs and bounds are computed here from their definitions, in whole
numbers. For every k that the certificate names, the cuts that achieve it are divided by splits that are made or
excluded. Every step of a division is confirmed:

- a part is divided into the cuts that make a split and those that do not, and both are there;
- a split that is excluded in a part would suppress more rows than the limit allows;
- a split that is made in a part must be made by every cut that loses less than the best one;
- in a part that is not divided any further, no cut loses less than the best one.

The bounds use that a further split never makes an equivalence class larger. Let S(u) be the rows that are suppressed if
the split u is made in addition to those of the part. Cuts that make the splits U suppress at least all S(u); a row of
several S(u) is charged to each with an equal share, rounded down. With any price of suppressed rows, what U saves is at
most the price of all rows that may still be suppressed, and the positive parts of what each split saves minus the price
of its rows.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.evaluation.cuts import CutEvaluator
from paranym.measures.base import CellLoss
from paranym.model.cuts import AttributeCuts, Bits, CutSpace
from paranym.model.hierarchy import Hierarchy
from paranym.problem import Problem
from paranym.results.assessment import TOLERANCE
from paranym.results.division import CutCertificate, Division
from paranym.results.front import Front, Point

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_ENUMERATED = 1_000_000
"""Most cuts that are all evaluated as well, if everything is to be recounted."""
FEW = 2_000
"""Cuts that are always evaluated as well."""
_MOST = 2**50
"""Most savings of all rows together, so that sums fit a word."""
_SHARES = 5040
"""Parts of a row."""


def check_cuts(front: Front, problem: Problem, *, everything: bool) -> list[str]:
    """Return the faults of a complete front of cuts; evaluate all cuts as well if there are few, or `everything`."""
    certificate = front.cut_certificate
    if certificate is None:
        return ["it has no certificate, which a saved file does not contain"]
    space = CutSpace.of(
        problem.hierarchies, unconstrained=certificate.unconstrained, granularity=certificate.granularity
    )
    faults = _check_account(front, problem, space)
    if faults:
        return faults
    table = _Table(problem, space)
    faults = [*_check_intervals(table), *_check_points(front, problem, table)]
    if not faults:
        faults = _check_divisions(front, problem, table, certificate)
    if not faults and space.size <= (MOST_ENUMERATED if everything else FEW):
        faults = _enumerate(front, problem, space)
    return faults


def _check_intervals(table: "_Table") -> list[str]:
    """Check that separations of an order save no more together than each of them alone.

    It is enough that this holds for intervals that lose one unit on each side: the inequalities add up.
    """
    return [
        f"several separations of {cuts.hierarchy.attribute!r} may save more together than alone"
        for j, cuts in enumerate(table.space.attributes)
        if not cuts.constrained
        and any(
            table.savings(j, begin + 1, end) + table.savings(j, begin, end - 1)
            < table.savings(j, begin + 1, end - 1) + table.savings(j, begin, end)
            for begin in range(cuts.units)
            for end in range(begin + 3, cuts.units + 1)
        )
    ]


def _check_account(front: Front, problem: Problem, space: CutSpace) -> list[str]:
    """Check the claims of the front about the problem, before anything is measured."""
    if not front.complete:
        return ["it does not claim to be complete"]
    if problem.suppression.limit(problem.rows) and problem.suppression.use.value != "needed":
        return ["nothing is proved about cuts that suppress all that the limit allows"]
    if not problem.objectives.are_plain or problem.demands.requirements:
        return ["nothing is proved about cuts with further objectives or requirements"]
    true = {
        "rows": problem.rows,
        "metric": problem.loss.name,
        "suppression_use": problem.suppression.use.value,
        "suppression_limit": problem.suppression.limit(problem.rows),
        "objectives": problem.objectives.names,
        "demands": str(problem.demands) if problem.demands.are_made else None,
        "lattice_nodes": space.size,
        "decided_nodes": space.size,
    }
    said = [
        f"it says {name} = {getattr(front, name)!r}, where the problem has {value!r}"
        for name, value in true.items()
        if getattr(front, name) != value
    ]
    pairs = list(itertools.pairwise(front.points))
    if not front.points or not all(point.solutions for point in front):
        said.append("it lists a point without a solution")
    elif any(one.k <= other.k or one.loss <= other.loss for one, other in pairs):
        said.append("its points are not sorted by k, or one dominates another")
    return said


@dataclass(frozen=True, slots=True)
class _Split:
    """One split: the units that it divides, and the parts that it makes of them."""

    attribute: int
    parent: int
    begin: int
    end: int
    parts: tuple[tuple[int, int], ...]


class _Table:
    """The counted table, its splits, and what published values save, all of them as whole numbers."""

    def __init__(self, problem: Problem, space: CutSpace) -> None:
        self.space = space
        self.limit = problem.suppression.limit(problem.rows)
        self.rows = problem.rows
        leaves = problem.frequency.codes
        self.codes = np.column_stack(
            [each.hierarchy.codes[each.granularity][leaves[:, j]] for j, each in enumerate(space.attributes)]
        ).astype(np.int64)
        self.counts = np.array(problem.frequency.counts, np.int64)
        self.weights = [Fraction(each.weight) for each in problem.schema.quasi_identifiers]
        self.metric = problem.loss.name
        self._known: dict[tuple[int, int, int], int] = {}

    @cached_property
    def splits(self) -> list[_Split]:
        """All splits: the inner values of each tree in depth-first order, the separations of each order."""
        found: list[_Split] = []
        for j, cuts in enumerate(self.space.attributes):
            first = len(found)
            if cuts.constrained:
                found += [
                    _Split(j, -1 if each.parent < 0 else each.parent + first, each.begin, each.end, each.parts)
                    for each in cuts.inner_values()
                ]
            else:
                found += [_Split(j, -1, x, x + 2, ((x, x + 1), (x + 1, x + 2))) for x in range(cuts.length)]
        return found

    @cached_property
    def scale(self) -> int:
        """A factor that makes the cost of every value a whole number."""
        denominators = [
            (weight * _cost(self.metric, cuts.hierarchy, *_leaves(cuts, begin, end))).denominator
            for cuts, weight in zip(self.space.attributes, self.weights, strict=True)
            for begin, end in _blocks(cuts)
        ]
        scale = math.lcm(*denominators, *(weight.denominator for weight in self.weights))
        if scale * self.rows * sum(self.weights) > _MOST:
            raise BadInput("The costs of this table are too fine to check cuts in whole numbers.")
        return scale

    def savings(self, attribute: int, begin: int, end: int) -> int:
        """Savings of one row that is published with these units, compared with suppressing it."""
        key = (attribute, begin, end)
        if key not in self._known:
            cuts, weight = self.space.attributes[attribute], self.weights[attribute]
            saved = weight * (1 - _cost(self.metric, cuts.hierarchy, *_leaves(cuts, begin, end))) * self.scale
            self._known[key] = int(saved)
        return self._known[key]

    def blocks(self, attribute: int, chosen: Flags) -> tuple[Ints, Ints]:
        """For every unit, the first unit of its block, and the savings of a row in it."""
        cuts = self.space.attributes[attribute]
        begin = np.zeros(cuts.units, np.int64)
        for number, split in enumerate(self.splits):
            if split.attribute != attribute or not chosen[number]:
                continue
            if cuts.constrained:
                for first, last in split.parts:
                    begin[first:last] = first
            else:
                begin[split.begin + 1 :] = split.begin + 1
        edges = [*np.unique(begin).tolist(), cuts.units]
        saves = np.empty(cuts.units, np.int64)
        for first, last in itertools.pairwise(edges):
            saves[first:last] = self.savings(attribute, first, last)
        return begin, saves

    def chosen(self, bits: Bits) -> Flags:
        """The splits that a bit string makes."""
        chosen = np.zeros(len(self.splits), bool)
        for number, split in enumerate(self.splits):
            field = self.space.fields[split.attribute]
            above = split.parent < 0 or chosen[split.parent]
            chosen[number] = above and all(bits[field][first - 1] for first, _ in split.parts[1:])
        return chosen


def _blocks(cuts: AttributeCuts) -> Iterator[tuple[int, int]]:
    """The units of every value that a cut may publish."""
    if not cuts.constrained:
        yield from ((begin, end) for begin in range(cuts.units) for end in range(begin + 1, cuts.units + 1))
        return
    yield 0, cuts.units
    for value in cuts.inner_values():
        yield from value.parts


def _leaves(cuts: AttributeCuts, begin: int, end: int) -> tuple[int, int]:
    """The leaves of some units."""
    unit_of_leaf = cuts.hierarchy.codes[cuts.granularity]
    return int((unit_of_leaf < begin).sum()), int((unit_of_leaf < end).sum())


def _cost(metric: str, hierarchy: Hierarchy, begin: int, end: int) -> Fraction:
    """The cost of a cell that is published as the leaves from `begin` to before `end`, by definition."""
    under, leaves = end - begin, len(hierarchy.leaves)
    if metric == "glm":
        return Fraction(under - 1, leaves - 1) if leaves > 1 else Fraction(0)
    if metric != "ncp":
        raise BadInput(f"There is no definition of the loss {metric!r} to check cuts by.")
    by_leaves = Fraction(under, leaves) if under > 1 else Fraction(0)
    numbers = hierarchy.numbers
    known = [] if numbers is None else sorted({Fraction(each) for each in numbers if each is not None})
    if numbers is None or len(known) == 1:
        return by_leaves
    here = [Fraction(each) for each in numbers[begin:end] if each is not None]
    extent = (max(here) - min(here)) / (known[-1] - known[0]) if here else Fraction(0)
    return max(extent, by_leaves) if len(here) < under else extent


def _number(columns: list[Ints]) -> Ints:
    """Number the rows of some columns: equal numbers for equal rows."""
    numbers = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        numbers = np.unique(numbers * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    return numbers


def _check_points(front: Front, problem: Problem, table: _Table) -> list[str]:
    """Check k, suppressed rows, loss and weighted k of every solution."""
    worst = sum(table.weights) * table.rows
    faults = []
    for point in front:
        for solution in point.solutions:
            if solution.cuts is None:
                return ["a solution has no cuts"]
            bits = table.space.parse({name: cut.bits for name, cut in solution.cuts.items()})
            sizes, savings = _measured(table, table.chosen(bits), point.k)
            suppressed = int(sizes[sizes < point.k].sum())
            loss = float(worst - Fraction(savings, table.scale))
            k = int(sizes[sizes >= point.k].min(initial=table.rows))
            weighted = int((sizes * sizes).sum()) / table.rows
            said = (point.k, solution.suppressed)
            near = np.allclose((point.loss, solution.weighted_k), (loss, weighted), rtol=TOLERANCE, atol=1e-12)
            fraction = point.loss / float(worst) if worst else 0.0
            if (
                said != (k, suppressed)
                or not near
                or not math.isclose(point.loss_fraction, fraction, rel_tol=TOLERANCE)
            ):
                faults.append(f"the solution with k = {point.k} does not have the values that are listed")
            if suppressed > table.limit or point.k < problem.demands.least_k:
                faults.append(f"the solution with k = {point.k} does not meet the requirements")
    return faults


def _measured(table: _Table, chosen: Flags, k: int) -> tuple[Ints, int]:
    """The sizes of the classes of a cut, and its savings if classes smaller than k are suppressed."""
    columns, own = [], np.zeros(len(table.counts), np.int64)
    for j in range(table.codes.shape[1]):
        begin, saves = table.blocks(j, chosen)
        columns.append(begin[table.codes[:, j]])
        own += saves[table.codes[:, j]]
    member = _number(columns)
    sizes = np.bincount(member, weights=table.counts).astype(np.int64)
    kept = sizes[member] >= k
    return sizes, int((own * table.counts)[kept].sum())


def _check_divisions(front: Front, problem: Problem, table: _Table, certificate: CutCertificate) -> list[str]:
    """Check that every k is covered, and that the division of each confirms the best cut."""
    divisions = certificate.divisions
    asked = [division.k for division in divisions]
    if asked != sorted(set(asked)) or asked[:1] != [problem.demands.least_k]:
        return ["its certificate does not cover every k from the least that is required"]
    for division, following in zip(divisions, [*asked[1:], problem.rows + 1], strict=True):
        best = _best(front, division.k)
        until = _best(front, min(following - 1, problem.rows))
        if best is None or until is None or until.loss > best.loss * (1 + TOLERANCE):
            return [f"its certificate does not cover every k between {division.k} and {following}"]
        bits = table.space.parse({name: cut.bits for name, cut in (best.cuts or {}).items()})
        goal = _measured(table, table.chosen(bits), best.k)[1]
        fault = _follow(table, division, goal)
        if fault is not None:
            return [f"for k = {division.k}, {fault}"]
    return []


def _best(front: Front, k: int) -> Point | None:
    """The point of least loss with at least this k."""
    return min((point for point in front if point.k >= k), key=lambda point: point.loss, default=None)


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The state of a part: the splits that are made and excluded, and the combinations that matter."""

    made: Flags
    excluded: Flags
    codes: Ints
    counts: Ints
    room: int


def _follow(table: _Table, division: Division, goal: int) -> str | None:
    """Follow a division from all cuts to its last parts; return a fault, if there is one."""
    total = len(table.splits)
    children: list[list[int]] = [[] for _ in range(len(division))]
    for part, parent in enumerate(division.parent):
        if (parent < 0) != (part == 0) or parent >= part:
            return "a part belongs to no other"
        if part:
            children[parent].append(part)
    if not children:
        return "nothing is divided"
    nothing = np.zeros(total, bool)
    states = {0: _State(nothing, nothing, table.codes, table.counts, table.limit)}
    waiting = [0]
    while waiting:
        part = waiting.pop()
        begun = states.pop(part)
        made, excluded = division.sets_of(part, total)
        state = _confirm(table, begun, made, division.k, goal)
        if state is None:
            continue  # no cut of this part is better, whatever it is divided into
        if not (made <= state.made).all() or not (excluded <= state.excluded).all():
            return f"a split of part {part} is made or excluded without a reason"
        if not children[part]:
            return f"part {part} may have a better cut"
        fault = _divide(division, children[part], state, states)
        if fault is not None:
            return fault
        waiting += children[part]
    return None


def _divide(division: Division, children: list[int], state: _State, states: dict[int, _State]) -> str | None:
    """Give both children of a part their states; return a fault unless they have all its cuts."""
    split = division.split[children[0]]
    sides = sorted(division.is_made[child] for child in children)
    if sides != [False, True] or any(division.split[child] != split for child in children):
        return f"part {division.parent[children[0]]} is not divided into all its cuts"
    if not 0 <= split < len(state.made):
        return f"there is no split {split}"
    for child in children:
        made, excluded = state.made.copy(), state.excluded.copy()
        (made if division.is_made[child] else excluded)[split] = True
        states[child] = _State(made, excluded, state.codes, state.counts, state.room)
    return None


def _confirm(table: _Table, state: _State, made: Flags, k: int, goal: int) -> _State | None:
    """Derive which splits must and cannot be made; None if no cut of the part saves more than the goal.

    Splits that must be made are taken only if the certificate says so: the bounds are then those of the search.
    """
    while True:
        probed = _probe(table, state, k, goal)
        if probed is None:
            return None
        after, forced = probed
        taken = forced & made & ~after.made
        if not taken.any():
            return after
        state = _State(after.made | taken, after.excluded, after.codes, after.counts, after.room)


def _probe(table: _Table, state: _State, k: int, goal: int) -> tuple[_State, Flags] | None:
    """Make every free split in turn; return what remains, and the splits that must be made. None if nothing is better.

    Excluded splits exclude those below them, made ones need those above them.
    """
    splits, made, excluded = table.splits, state.made.copy(), state.excluded.copy()
    for number, split in enumerate(splits):
        excluded[number] |= split.parent >= 0 and excluded[split.parent]
    for number in range(len(splits) - 1, -1, -1):
        if made[number] and splits[number].parent >= 0:
            made[splits[number].parent] = True
    if (made & excluded).any():
        return None
    attributes = range(table.codes.shape[1])
    now = [table.blocks(j, made) for j in attributes]
    finest = [table.blocks(j, ~excluded) for j in attributes]
    _, first, merged = np.unique(
        _number([finest[j][0][state.codes[:, j]] for j in attributes]), return_index=True, return_inverse=True
    )
    counts = np.bincount(merged.reshape(-1), weights=state.counts).astype(np.int64)
    codes = state.codes[first]
    classes = _number([now[j][0][codes[:, j]] for j in attributes])
    kept = np.bincount(classes, weights=counts)[classes] >= k
    room = state.room - int(counts[~kept].sum())
    if room < 0:
        return None
    codes, counts, classes = codes[kept], counts[kept], classes[kept]
    own = sum((now[j][1][codes[:, j]] for j in attributes), np.zeros(len(counts), np.int64))
    savings = int((own * counts).sum())
    part = _State(made, excluded, codes, counts, room)
    probes = _Probes(table, part, classes, k, now)
    limit = savings + probes.most_gain(own, [finest[j][1] for j in attributes])
    if limit <= goal:
        return None
    return part, probes.forced(limit, goal)


class _Probes:
    """Effects of making each free split of a part."""

    def __init__(self, table: _Table, part: _State, classes: Ints, k: int, now: list[tuple[Ints, Ints]]) -> None:
        self._table, self._part, self._now = table, part, now
        self._lists: dict[int, Ints] = {}
        self._saved: dict[int, int] = {}
        self._worth: dict[int, int] = {}
        self._shares: list[int] = []
        self._caps: list[int] = []
        self._times = np.zeros(len(part.counts), np.int64)
        for number, split in enumerate(table.splits):
            part.excluded[number] |= split.parent >= 0 and part.excluded[split.parent]
            if not part.made[number] and not part.excluded[number]:
                self._make(number, split, classes, k)

    def _make(self, number: int, split: _Split, classes: Ints, k: int) -> None:
        """Make one split with those above it: note its savings and what becomes suppressed, or exclude it."""
        table, part, j = self._table, self._part, split.attribute
        chosen, above = part.made.copy(), number
        while above >= 0:
            chosen[above] = True
            above = table.splits[above].parent
        begin, saves = self._now[j]
        new_begin, new_saves = table.blocks(j, chosen)
        touched = np.flatnonzero(begin[part.codes[:, j]] == begin[split.begin])
        units = part.codes[touched, j]
        inside = _number([classes[touched], new_begin[units]])
        gone = np.bincount(inside, weights=part.counts[touched])[inside] < k if len(touched) else np.zeros(0, bool)
        if int(part.counts[touched[gone]].sum()) > part.room:
            part.excluded[number] = True
            return
        gain = new_saves - saves
        if table.space.attributes[j].constrained:  # what the splits above it save is counted there
            own = np.arange(len(gain))
            gain = np.where((own >= split.begin) & (own < split.end), new_saves - self._whole(split), 0)
        stays = touched[~gone]
        self._saved[number] = int((part.counts[stays] * gain[part.codes[stays, j]]).sum())
        self._lists[number] = touched[gone]
        self._times[touched[gone]] += 1

    def _whole(self, split: _Split) -> int:
        return self._table.savings(split.attribute, split.begin, split.end)

    def most_gain(self, own: Ints, finest: list[Ints]) -> int:
        """The most that free splits save in addition."""
        part, table = self._part, self._table
        weight, effect = {}, {}
        for number, gone in self._lists.items():
            weight[number] = int((part.counts[gone] * _SHARES // self._times[gone]).sum())
            effect[number] = self._saved[number] - int((part.counts[gone] * own[gone] // self._times[gone]).sum())
        room = part.room * _SHARES
        price = _price(effect, weight, room)
        self._worth = {number: max(effect[number] - price * weight[number], 0) for number in effect}
        self._shares = [0] * part.codes.shape[1]
        for number, worth in self._worth.items():
            self._shares[table.splits[number].attribute] += worth
        self._caps = [
            int((part.counts * (finest[j][part.codes[:, j]] - self._now[j][1][part.codes[:, j]])).sum())
            for j in range(part.codes.shape[1])
        ]
        return price * room + sum(map(min, self._shares, self._caps))

    def forced(self, limit: int, goal: int) -> Flags:
        """The splits without which, and without those below them, the goal cannot be exceeded."""
        below = dict(self._worth)
        for number in sorted(below, reverse=True):
            parent = self._table.splits[number].parent
            if parent in below:
                below[parent] += below[number]
        forced = np.zeros(len(self._table.splits), bool)
        for number, lost in below.items():
            share, cap = (each[self._table.splits[number].attribute] for each in (self._shares, self._caps))
            forced[number] = limit - min(share, cap) + min(share - lost, cap) <= goal
        return forced


def _price(effect: dict[int, int], weight: dict[int, int], room: int) -> int:
    """A price of suppressed rows; any price gives a bound, and this one a low one."""
    ratio = {
        number: Fraction(effect[number], weight[number]) for number in effect if min(effect[number], weight[number]) > 0
    }
    for number in sorted(ratio, key=lambda each: (-ratio[each], each)):
        if weight[number] > room:
            return int(ratio[number])
        room -= weight[number]
    return 0


def _enumerate(front: Front, problem: Problem, space: CutSpace) -> list[str]:
    """Evaluate all cuts, and compare the front with theirs."""
    evaluator = CutEvaluator(
        problem.frequency,
        space,
        cast("CellLoss", problem.loss),
        problem.suppression,
        weights=[each.weight for each in problem.schema.quasi_identifiers],
        requirements=problem.demands,
    )
    found = evaluator.assess(np.array(list(space.each()), bool)).solutions.non_dominated()
    true = {k: float(found.loss[found.k == k].min()) for k in found.k.tolist()}
    listed = {point.k: point.loss for point in front}
    if list(true) != list(listed) or not np.allclose(
        list(true.values()), list(listed.values()), rtol=TOLERANCE, atol=0
    ):
        return ["the evaluation of all cuts gives another front"]
    return []
