"""The publication of a node or of cuts: labels of all values, suppressed equivalence classes, and the claims."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Replacement, Rewriting, Table
from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.frequency import FrequencySet
from paranym.hierarchies.build import BUILDERS
from paranym.measures.base import Domain
from paranym.measures.privacy.base import Classes, Reference
from paranym.measures.requirements import PrivacyRequirements, See
from paranym.measures.suppression_sets import EFFORTS, SuppressionSets, sets_at, suppression_sets
from paranym.measures.tallies import loss_of_published
from paranym.measures.utility.queries import Boxes, boxes_of_labels
from paranym.model.axis import Axis
from paranym.model.cuts import Cut
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.packing import Packing
from paranym.model.recoding import AttributeRecoding, Recoding
from paranym.model.schema import Role
from paranym.problem import Problem
from paranym.publishing.labels import published_columns
from paranym.results.audit import ClassSizes
from paranym.results.front import Point, Solution
from paranym.results.published import PublishedColumn
from paranym.results.release import MARK, Claims

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The publication of a node, or of cuts of the hierarchies."""

    problem: Problem
    recoding: Recoding
    claims: Claims
    columns: tuple[PublishedColumn, ...]
    """The quasi-identifiers, with the labels that are published."""
    classes: FrequencySet = field(repr=False)
    """All equivalence classes, before suppression; codes are the numbers of labels."""
    kept: Truths = field(repr=False)
    """Per class: True if it is published."""

    @property
    def published(self) -> FrequencySet:
        """The published equivalence classes."""
        classes, kept = self.classes, self.kept
        return FrequencySet(classes.levels, classes.packing, classes.words[kept], classes.counts[kept])

    @property
    def suppressed(self) -> Ints:
        """(classes, attributes): numbers of the labels of the suppressed classes."""
        return self.classes.codes[~self.kept]

    @property
    def class_sizes(self) -> Ints:
        """Rows of each published equivalence class."""
        return self.classes.counts[self.kept]

    @property
    def original_rows(self) -> dict[str, dict[Label, int]]:
        """Per quasi-identifier: rows of the original table under each label, if the loss depends on them."""
        if not self.problem.loss.facts.needs_spread:
            return {}
        found = {}
        for attribute, rows in zip(self.recoding.attributes, self.problem.rows_per_leaf, strict=True):
            amounts = np.bincount(attribute.codes, weights=rows, minlength=len(attribute.labels)).astype(np.int64)
            found[attribute.attribute] = dict(zip(attribute.labels, amounts.tolist(), strict=True))
        return found

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns that are not published."""
        return self.recoding.unpublished

    @property
    def warnings(self) -> tuple[str, ...]:
        """No warnings: nodes and cuts publish values of the hierarchies only."""
        return ()

    def boxes(self, axes: Sequence[Axis]) -> Boxes:
        """Return the published equivalence classes as boxes on axes."""
        labelled = [np.array(attribute.codes) for attribute in self.recoding.attributes]
        kept = self.published
        return boxes_of_labels(axes, labelled, kept.codes, kept.counts)

    def described(self, columns: Sequence[PublishedColumn]) -> dict[str, Any]:
        """Return the levels for a manifest; the columns are given as the file has them."""
        return {
            "levels": {each.name: each.level for each in columns},
            "heights": {each.name: each.height for each in columns},
        }

    def rewriting(self, table: Table, *, keep_suppressed: bool = False, neutralize: bool = False) -> Rewriting:
        """Return the instructions for an engine that has the table open to rewrite its rows."""
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
            dropped=self.unpublished,
            suppressed=packed(self.suppressed, [len(each.labels) for each in self.recoding.attributes]),
            mark=MARK if keep_suppressed else None,
            neutralize=neutralize,
        )


def packed(codes: Ints, sizes: list[int]) -> Ints:
    """Return the label numbers of classes as an engine packs them."""
    return Packing.of(tuple(sizes)).pack(codes)


def plan_release(problem: Problem, point: Point) -> Plan:
    """Return the labels of all values, and the equivalence classes that are kept."""
    recoding = recoding_of(problem, point.solutions[0])
    classes = problem.classes(recoding)
    kept = _kept(classes, problem, point, recoding)
    if int(classes.counts[~kept].sum()) != point.suppressed or classes.sizes[kept].min(initial=point.k) < point.k:
        raise BadInput(
            f"This solution (k = {point.k:,}) does not belong to this problem. Was it computed from other data?"
        )
    limit = problem.suppression.limit(problem.rows)
    if point.suppressed > limit:
        raise Unattainable(
            f"This choice suppresses {point.suppressed:,} of {problem.rows:,} rows; the limit is {limit:,}."
        )
    if not kept.any():
        raise Unattainable("All rows would be suppressed: nothing would remain to be released.")
    claims = Claims(
        rows=problem.rows,
        k=point.k,
        suppressed=point.suppressed,
        metric=problem.loss.name,
        loss=point.loss,
        loss_fraction=point.loss_fraction,
        weighted_k=ClassSizes.of(classes.counts[kept]).weighted_k,
        unit=problem.unit.value,
    )
    columns = published_columns(
        recoding, problem.hierarchies, classes, kept, with_penalties=problem.loss.facts.charges_ranges
    )
    return Plan(problem, recoding, claims, columns, classes, kept)


def class_sizes(problem: Problem, solution: Solution) -> Ints:
    """Return the sizes of the equivalence classes of a solution before suppression, in ascending order.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> class_sizes(problem, Solution({"age": 1, "sex": 0}, 0, 1.5)).tolist()
    [1, 1, 2]
    """
    return np.sort(problem.classes(recoding_of(problem, solution)).sizes)


def recoding_of(problem: Problem, solution: Solution) -> Recoding:
    """Return the recoding of a node, or of cuts of the hierarchies."""
    schema, label = problem.schema, problem.schema.label
    return Recoding(
        attributes=tuple(
            _recoding(solution, hierarchy, attribute.weight, problem.specs.get(attribute.name))
            for attribute, hierarchy in zip(schema.quasi_identifiers, problem.hierarchies, strict=True)
        ),
        sensitive=tuple(each.name for each in schema.having(Role.SENSITIVE)),
        label=None if label is None else label.name,
        identifiers=tuple(each.name for each in schema.having(Role.IDENTIFIER)),
        keep=tuple(each.name for each in schema.having(Role.KEEP)),
        drop=tuple(each.name for each in schema.having(Role.DROP)),
        missing=problem.source.missing,
    )


def _recoding(solution: Solution, hierarchy: Hierarchy, weight: float, spec: object) -> AttributeRecoding:
    name = hierarchy.attribute
    if solution.cuts is not None and name in solution.cuts:
        return _recoding_of_cut(solution.cuts[name], hierarchy, weight)
    if not 0 <= solution.levels.get(name, -1) <= hierarchy.height:
        raise BadInput("This solution does not belong to this problem: its quasi-identifiers or hierarchies differ.")
    return AttributeRecoding.at(hierarchy, solution.levels[name], weight=weight, builder=_rebuildable(spec))


def _recoding_of_cut(cut: Cut, hierarchy: Hierarchy, weight: float) -> AttributeRecoding:
    """Return the recoding of a cut: runs of adjacent values of one level, recognized by its number of values."""
    units = next((codes for codes in hierarchy.codes if codes[-1] == len(cut.bits)), None)
    if units is None or cut.bits.count("1") != len(cut.values) - 1:
        raise BadInput("This solution does not belong to this problem: its quasi-identifiers or hierarchies differ.")
    run = np.cumsum([0, *(bit == "1" for bit in cut.bits)])
    return AttributeRecoding(
        attribute=hierarchy.attribute,
        leaves=hierarchy.leaves,
        labels=cut.values,
        codes=tuple(run[units].tolist()),
        level=None if len(cut.values) > 1 else 2,
        height=2,
        top=str(hierarchy.distinct_labels[-1][0] if len(cut.values) > 1 else cut.values[0]),
        weight=weight,
        categorical=hierarchy.categorical,
    )


def point_at(problem: Problem, levels: Mapping[str, int], k: int | None = None) -> Point:
    """Return the point of a given node: with at least the requested k, or else with the largest possible k.

    Rows are suppressed within the limit of the problem, and no more than this k needs.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> point_at(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}), {"age": 2}).k
    2
    """
    node = _check_levels(problem, levels)
    evaluator = problem.evaluator(cores=1)
    steps = evaluator(np.array([node], np.int64)).solutions
    sufficient = np.flatnonzero(steps.k >= (1 if k is None else k))
    if not len(sufficient):
        most = int(steps.k.max(initial=0))
        rows = problem.suppression.limit(problem.rows)
        fault = f"the largest k at these levels is {most}" if most else "these levels break the privacy requirements"
        raise Unattainable(f"With at most {rows:,} of {problem.rows:,} rows suppressed, {fault}.")
    step = int(sufficient[-1] if k is None else sufficient[0])
    loss, worst = float(steps.loss[step]), evaluator.worst
    solution = Solution(
        dict(zip(problem.attributes, node, strict=True)), int(steps.suppressed[step]), float(steps.weighted_k[step])
    )
    return Point(int(steps.k[step]), loss, loss / worst if worst else 0.0, (solution,))


def _check_levels(problem: Problem, levels: Mapping[str, int]) -> tuple[int, ...]:
    """Return the node; attributes that are not named stay at level 0."""
    for name, level in levels.items():
        if name not in problem.attributes:
            raise BadInput(f"There is no quasi-identifier {name!r}.{did_you_mean(name, problem.attributes)}")
        height = problem.lattice.heights[problem.attributes.index(name)]
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= height:
            raise BadInput(f"The level of {name!r} is a whole number from 0 to {height}; got {level!r}.")
    return tuple(levels.get(name, 0) for name in problem.attributes)


def _kept(classes: FrequencySet, problem: Problem, point: Point, recoding: Recoding) -> Truths:
    """Return which classes are published: those of at least k rows that meet the privacy requirements."""
    requirements, limit = problem.demands, problem.suppression.limit(problem.rows)
    if point.cuts is not None and "l" in point.values:
        return _diverse(classes, problem, point)
    if not requirements.requirements or requirements.are_local(limit):
        return publishable(classes, requirements, point.k, limit, problem.counted)
    return _chosen(classes, problem, point, recoding)


def _chosen(classes: FrequencySet, problem: Problem, point: Point, recoding: Recoding) -> Truths:
    """Find the set of classes that the search chose: the one of its k, its suppressed rows and its loss."""
    limit, sizes = problem.suppression.limit(problem.rows), classes.counts
    rows_per_leaf = leaves_of(problem)
    domains = [Domain(each.hierarchy, rows_per_leaf[each.attribute], each.weight) for each in recoding.attributes]
    levels = [each.place for each in recoding.attributes]
    label = None if problem.schema.label is None else problem.schema.label.name
    see = _seeing(classes, problem.counted)

    def fitting(sets: SuppressionSets) -> list[Truths]:
        ks = [int(sizes[one].min(initial=problem.rows)) for one in sets.published]
        pairs = zip(ks, sets.published, strict=True)
        return [one for k, one in pairs if k == point.k and int(sizes[~one].sum()) == point.suppressed]

    def difference(published: Truths) -> float:
        found = loss_of_published(problem.loss, classes, published, domains=domains, levels=levels, label=label)
        return abs(found - point.loss)

    found = fitting(suppression_sets(problem.demands, see, sizes, limit))
    for tries in EFFORTS:
        found += fitting(sets_at(problem.demands, see, sizes, limit, k=point.k, tries=tries))
    if not found:
        return publishable(classes, problem.demands, point.k, limit, problem.counted)
    return min(found, key=difference)


def _diverse(classes: FrequencySet, problem: Problem, point: Point) -> Truths:
    """Return the classes that an evolutionary search kept: those with enough l, or with k and l in either order."""
    measured = next((measured for measured in problem.measured_models if measured.model.facts.is_diversity), None)
    if measured is None or measured.attribute is None:
        raise BadInput("The point was found for an l: give the problem the same objectives, such as k, l and loss.")
    diversity = np.floor(measured.model.of(Classes.of(classes, measured.attribute)) * (1 + _ROUNDING))
    sizes, least, values = classes.counts, point.values["l"], point.values
    ways = [diversity >= least]
    if "d1" in values:
        ways += [
            (sizes > values["d1"]) | ((sizes == values["d1"]) & (diversity >= values["d2"])),
            (diversity > values["d2"]) | ((diversity == values["d2"]) & (sizes >= values["d1"])),
        ]
    fitting = (kept for kept in ways if int(sizes[~kept].sum()) == point.suppressed)
    return next(fitting, ways[0])


def publishable(
    classes: FrequencySet, requirements: PrivacyRequirements, k: int, limit: int, original: FrequencySet
) -> Truths:
    """Return the classes of at least k rows, or people if these are counted, that meet the privacy requirements.

    Suppressing a class may change the distribution that the other classes are compared with.
    """
    large: Truths = classes.sizes >= k
    if not requirements.requirements:
        return large
    see = _seeing(classes, original)
    if requirements.are_local(limit):
        return large & requirements.met_by(see)
    sets = sets_at(requirements, see, classes.counts, limit, k=k).published
    return max(sets, key=lambda one: int(classes.counts[one].sum()), default=requirements.settle(see, large))


def _seeing(classes: FrequencySet, original: FrequencySet) -> See:
    """Return a cached view of the classes, per sensitive attribute and reference, for privacy requirements."""

    @cache
    def see(name: str | None, reference: Reference) -> Classes:
        compared = _reference(original, name) if name is not None and reference is Reference.ORIGINAL else None
        return Classes.of(classes, name, reference=compared)

    return see


def _reference(frequency: FrequencySet, name: str) -> Ints:
    """Count the rows of the whole table with each value of a sensitive attribute."""
    classes = Classes.of(frequency, name)
    width = len(frequency.histogram.blocks[name])
    return np.bincount(classes.columns, weights=classes.amounts, minlength=width).astype(np.int64)


def _rebuildable(spec: object) -> Mapping[str, Any] | None:
    """Return the builder of a hierarchy, if it needs only the values to build it again, and can be saved as JSON."""
    if not isinstance(spec, Mapping) or not all(isinstance(key, str) for key in spec):
        return None
    if any(builder.needs_counts for key, builder in BUILDERS.items() if key in spec):
        return None
    try:
        saved: dict[str, Any] = json.loads(json.dumps(dict(spec)))
    except (TypeError, ValueError):
        return None
    return saved if set(saved) & (set(BUILDERS) | {"bottom", "top"}) else None


def leaves_of(problem: Problem) -> dict[str, Ints]:
    """Count the rows under each leaf of each quasi-identifier."""
    return dict(zip(problem.attributes, problem.rows_per_leaf, strict=True))
