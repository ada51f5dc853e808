"""What a release will be, before anything is written: labels for all values, classes to leave out, and the promise."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Replacement, Rewriting, Table
from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.frequency import FrequencySet
from paranym.hierarchies.build import BUILDERS
from paranym.measures.demands import Demands, See
from paranym.measures.privacy.base import Classes, Reference
from paranym.model.cuts import Cut
from paranym.model.front import Point, Solution
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.model.recoding import AttributeRecoding, Recoding
from paranym.model.release import MARK, Promise
from paranym.model.schema import Role
from paranym.problem import Problem

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How the rows of a problem's table become its release, and what that promises."""

    problem: Problem
    recoding: Recoding
    promise: Promise
    suppressed: Ints
    """(classes, attributes): the labels, by number, of the classes that are left out."""

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Dropped."""
        return self.recoding.identifiers

    @property
    def described(self) -> dict[str, Any]:
        """What a manifest says about the recoding."""
        attributes = self.recoding.attributes
        return {
            "levels": self.recoding.levels,
            "values": {each.attribute: len(each.labels) for each in attributes},
            "heights": {each.attribute: each.height for each in attributes},
        }

    def rewriting(self, table: Table, *, keep_suppressed: bool = False, neutralize: bool = False) -> Rewriting:
        """The same in the terms of an engine that has the table open."""
        columns = table.profile(self.recoding.names).columns
        keeps = not (keep_suppressed and len(self.suppressed))
        replaced = []
        for column, attribute, hierarchy in zip(
            columns, self.recoding.attributes, self.problem.hierarchies, strict=True
        ):
            leaves = hierarchy.place(column.values)
            missing = attribute.codes[hierarchy.leaves.index(None)] if column.missing else None
            codes = np.array(attribute.codes, np.int32)[leaves]
            coding = Coding(column, codes, missing, len(attribute.labels))
            replaced.append(Replacement(coding, attribute.labels, keeps and attribute.keeps_values))
        return Rewriting(
            replaced=tuple(replaced),
            dropped=self.recoding.identifiers,
            suppressed=packed(self.suppressed, [len(each.labels) for each in self.recoding.attributes]),
            mark=MARK if keep_suppressed else None,
            neutralize=neutralize,
        )


def packed(codes: Ints, sizes: list[int]) -> Ints:
    """The labels of classes, by number, as an engine packs them."""
    return Packing.of(tuple(sizes)).pack(codes)


def plan_release(problem: Problem, point: Point) -> Plan:
    """Which labels the values get, and which classes are left out."""
    recoding = recoding_of(problem, point.solutions[0])
    classes = problem.classes(recoding)
    kept = _kept(classes, problem, point)
    if int(classes.counts[~kept].sum()) != point.suppressed or classes.counts[kept].min(initial=point.k) < point.k:
        raise BadInput(f"The point with k = {point.k} is none of this problem. Was it found with other data?")
    limit = problem.suppression.limit(problem.rows)
    if point.suppressed > limit:
        raise Unattainable(
            f"This choice leaves out {point.suppressed:,} of {problem.rows:,} rows; at most {limit:,} may be."
        )
    if not kept.any():
        raise Unattainable("All rows would be left out: nothing would remain to be released.")
    promise = Promise(
        rows=problem.rows,
        k=point.k,
        suppressed=point.suppressed,
        metric=problem.loss.name,
        loss=point.loss,
        loss_fraction=point.loss_fraction,
        weighted_k=point.weighted_k,
    )
    return Plan(problem, recoding, promise, classes.codes[~kept])


def class_sizes(problem: Problem, solution: Solution) -> Ints:
    """How many rows each class of a solution has, before anything is suppressed, in ascending order.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> class_sizes(problem, Solution({"age": 1, "sex": 0}, 0, 1.5)).tolist()
    [1, 1, 2]
    """
    return np.sort(problem.classes(recoding_of(problem, solution)).counts)


def recoding_of(problem: Problem, solution: Solution) -> Recoding:
    """The recoding of a node, or of cuts of the hierarchies."""
    schema, label = problem.schema, problem.schema.label
    return Recoding(
        attributes=tuple(
            _recoding(solution, hierarchy, attribute.weight, problem.specs.get(attribute.name))
            for attribute, hierarchy in zip(schema.quasi_identifiers, problem.hierarchies, strict=True)
        ),
        sensitive=tuple(each.name for each in schema.having(Role.SENSITIVE)),
        label=None if label is None else label.name,
        identifiers=tuple(each.name for each in schema.having(Role.IDENTIFIER)),
        missing=problem.source.missing,
    )


def _recoding(solution: Solution, hierarchy: Hierarchy, weight: float, spec: object) -> AttributeRecoding:
    name = hierarchy.attribute
    if solution.cuts is not None and name in solution.cuts:
        return _recoding_of_cut(solution.cuts[name], hierarchy, weight)
    if not 0 <= solution.levels.get(name, -1) <= hierarchy.height:
        raise BadInput("The point is none of this problem: it has other quasi-identifiers or hierarchies.")
    return AttributeRecoding.at(hierarchy, solution.levels[name], weight=weight, builder=_rebuildable(spec))


def _recoding_of_cut(cut: Cut, hierarchy: Hierarchy, weight: float) -> AttributeRecoding:
    """A cut divides the values of a level, which is known by how many there are, into runs of neighbours."""
    units = next((codes for codes in hierarchy.codes if codes[-1] == len(cut.bits)), None)
    if units is None or cut.bits.count("1") != len(cut.values) - 1:
        raise BadInput("The point is none of this problem: it has other quasi-identifiers or hierarchies.")
    run = np.cumsum([0, *(bit == "1" for bit in cut.bits)])
    return AttributeRecoding(
        attribute=hierarchy.attribute,
        leaves=hierarchy.leaves,
        labels=cut.values,
        codes=tuple(run[units].tolist()),
        level=None if len(cut.values) > 1 else 2,
        height=2,
        top=str(hierarchy.labels[-1][0] if len(cut.values) > 1 else cut.values[0]),
        weight=weight,
        categorical=hierarchy.categorical,
    )


def point_at(problem: Problem, levels: Mapping[str, int], k: int | None = None) -> Point:
    """The point of a node that somebody chose: with the k that is asked for, or else the largest that may be had.

    Rows are left out as the suppression limit of the problem allows, and no more than the k needs.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> point_at(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}), {"age": 2}).k
    2
    """
    node = _check_levels(problem, levels)
    evaluator = problem.evaluator(cores=1)
    steps = evaluator(np.array([node], np.int64)).solutions
    reached = np.flatnonzero(steps.k >= (1 if k is None else k))
    if not len(reached):
        most = int(steps.k.max(initial=0))
        rows = problem.suppression.limit(problem.rows)
        said = f"the largest k at these levels is {most}" if most else "these levels do not meet what is demanded"
        raise Unattainable(f"With at most {rows:,} of {problem.rows:,} rows left out, {said}.")
    step = int(reached[-1] if k is None else reached[0])
    loss, worst = float(steps.loss[step]), evaluator.worst
    solution = Solution(
        dict(zip(problem.attributes, node, strict=True)), int(steps.suppressed[step]), float(steps.weighted_k[step])
    )
    return Point(int(steps.k[step]), loss, loss / worst if worst else 0.0, (solution,))


def _check_levels(problem: Problem, levels: Mapping[str, int]) -> tuple[int, ...]:
    """The node; attributes that are not named stay as they are."""
    for name, level in levels.items():
        if name not in problem.attributes:
            raise BadInput(f"There is no quasi-identifier {name!r}.{did_you_mean(name, problem.attributes)}")
        height = problem.lattice.heights[problem.attributes.index(name)]
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= height:
            raise BadInput(f"The level of {name!r} is a whole number from 0 to {height}; got {level!r}.")
    return tuple(levels.get(name, 0) for name in problem.attributes)


def _kept(classes: FrequencySet, problem: Problem, point: Point) -> Truths:
    """Which classes are published: those of at least k rows that meet what is demanded."""
    demands, limit = problem.demands, problem.suppression.limit(problem.rows)
    if point.cuts is not None and "l" in point.values:
        return _diverse(classes, problem, point)
    if not demands.requirements or demands.are_local(limit):
        return publishable(classes, demands, point.k, limit, problem.counted)
    see = _seeing(classes, problem.counted)
    for size in np.unique(classes.counts[classes.counts <= point.k]).tolist():
        kept = demands.settle(see, classes.counts >= size)
        if int(classes.counts[~kept].sum()) == point.suppressed:
            return kept
    return publishable(classes, demands, point.k, limit, problem.counted)


def _diverse(classes: FrequencySet, problem: Problem, point: Point) -> Truths:
    """Which classes evolution has spared for their diversity: by l, or by k and l in one order or the other."""
    gauge = next((gauge for gauge in problem.gauges if gauge.model.name.endswith("-l")), None)
    if gauge is None or gauge.attribute is None:
        raise BadInput("The point was found for an l: give the problem the same objectives, such as k, l and loss.")
    diversity = np.floor(gauge.model.of(Classes.of(classes, gauge.attribute)) * (1 + _ROUNDING))
    sizes, least, values = classes.counts, point.values["l"], point.values
    ways = [diversity >= least]
    if "d1" in values:
        ways += [
            (sizes > values["d1"]) | ((sizes == values["d1"]) & (diversity >= values["d2"])),
            (diversity > values["d2"]) | ((diversity == values["d2"]) & (sizes >= values["d1"])),
        ]
    fitting = (kept for kept in ways if int(sizes[~kept].sum()) == point.suppressed)
    return next(fitting, ways[0])


def publishable(classes: FrequencySet, demands: Demands, k: int, limit: int, original: FrequencySet) -> Truths:
    """The classes of at least k rows that meet what is demanded; what goes may change what others are compared with."""
    large: Truths = classes.counts >= k
    if not demands.requirements:
        return large
    see = _seeing(classes, original)
    return large & demands.met_by(see) if demands.are_local(limit) else demands.settle(see, large)


def _seeing(classes: FrequencySet, original: FrequencySet) -> See:
    """The classes as requirements look at them."""

    @cache
    def see(name: str | None, reference: Reference) -> Classes:
        compared = _reference(original, name) if name is not None and reference is Reference.ORIGINAL else None
        return Classes.of(classes, name, reference=compared)

    return see


def _reference(frequency: FrequencySet, name: str) -> Ints:
    """How many rows of the whole table have each value of a sensitive attribute."""
    classes = Classes.of(frequency, name)
    width = len(frequency.histogram.blocks[name])
    return np.bincount(classes.columns, weights=classes.amounts, minlength=width).astype(np.int64)


def _rebuildable(spec: object) -> Mapping[str, Any] | None:
    """What a hierarchy was built by, if it takes nothing but the values to build it again, and can be written down."""
    if not isinstance(spec, Mapping) or not all(isinstance(key, str) for key in spec):
        return None
    if any(builder.needs_counts for key, builder in BUILDERS.items() if key in spec):
        return None
    try:
        told: dict[str, Any] = json.loads(json.dumps(dict(spec)))
    except (TypeError, ValueError):
        return None
    return told if set(told) & (set(BUILDERS) | {"bottom", "top"}) else None


def leaves_of(problem: Problem) -> dict[str, Ints]:
    """How the rows spread over the leaves of each quasi-identifier."""
    return dict(zip(problem.attributes, problem.rows_per_leaf, strict=True))
