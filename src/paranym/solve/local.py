"""From a problem to a local recoding: groups of rows with published values of their own, and their loss."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.kernels.local.groups import boxes_of
from paranym.measures.local import certainty_penalty, classes_of, general_loss, reference_of
from paranym.measures.privacy.base import Classes, Reference
from paranym.model.axis import Axis, scale_of
from paranym.model.local import LocalRecoding, OpenEnds, Style
from paranym.model.values import is_whole, to_number, to_text
from paranym.problem import Problem
from paranym.results.local_front import LocalFront
from paranym.results.local_result import LocalAssessment, LocalResult
from paranym.search.local.base import EVERYWHERE, LocalStep, LocalSteps, Partition, Truths, Tuples, mend
from paranym.search.local.best import best
from paranym.search.local.bottom_up import bottom_up
from paranym.search.local.mondrian import mondrian
from paranym.search.local.outliers import suppressing
from paranym.search.local.refine import MOST_EXACT, NEAR, penalty, refine, usual_rounds
from paranym.search.local.top_down import top_down

Ints = NDArray[np.int64]
OnStep = Callable[[LocalStep], None]
"""Receives every step of an algorithm."""

LOCAL_METHODS = ("best", "top-down", "bottom-up", "mondrian", "mondrian-relaxed")
"""The algorithms, by the names that commands use."""
Bounds = tuple[float | str | None, float | str | None]
"""Numbers below the first and from the second on are published as open ranges; None keeps an end closed."""
CATEGORIES = ("tree", "codes")
"""Where Mondrian may cut categories."""
BEST = LOCAL_METHODS[0]
AGAIN = 2
"""Rounds of refinement after suppression, at most."""
_STYLES = tuple(each.value for each in Style)


def recode_locally(
    problem: Problem,
    k: int = 10,
    *,
    method: str = "best",
    style: str = "range",
    seed: int = 0,
    rounds: int | None = None,
    reach: int | None = None,
    categories: str | None = None,
    refine: int | None = None,
    seconds: float | None = None,
    suppress: bool = True,
    open_ends: bool | Mapping[str, Bounds] = False,
    tell: OnStep | None = None,
) -> LocalResult:
    """Anonymize by local recoding: partition the rows into groups of at least k, with little information loss.

    At the same k the loss is far lower than with full-domain generalization, as each group has published values of its
    own. `top-down` and `bottom-up` follow the utility-based paper, `mondrian` and `mondrian-relaxed` cut at medians;
    `best` runs those that pay for the size of the table, and takes the result with the least loss. The groups are then
    refined by at most `refine` rounds (0 for none; by default 2 to 6, fewer for a large table): rows move or change
    places between groups, and groups are dissolved or split, as long as that lowers the loss. The same seed gives the
    same groups, unless `seconds` limits the time.

    Outliers are suppressed if that lowers the normalized certainty penalty (NCP), in which a suppressed row counts in
    full: at most as many rows as the problem allows, none unless `suppress`. Every group also meets the other privacy
    requirements of the problem; the rows of one combination then stay together. `style` is the published form of a
    group: range, label, set, mean or median. With `open_ends`, ranges do not end at numbers that fewer than k rows
    reach: they are published as `under 20` or `90 and over`; the bounds may be given, such as `{"age": (20, 90)}`.

    `rounds` is how often a split looks for more distant seeds, `reach` the number of groups (for bottom-up: leaves of
    its index) that are considered for a merger; by default as many as are useful. `categories` are cut by Mondrian
    between the branches of their `tree`, or as `codes` anywhere in its order.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32], "zip": [53712, 53711, 53711, 53711, 53712, 53713]})
    >>> problem = Problem(table, quasi_identifiers=["age", "zip"])
    >>> recoding = recode_locally(problem, k=3).recoding
    >>> sorted(zip(*recoding.published, recoding.rows.tolist()))
    [('24-32', '53712-53713', 3), ('25-30', '53711', 3)]
    """
    form = Style(_known("style", style, _STYLES))
    options = LocalOptions(method, form, seed, rounds, reach, categories, refine, seconds)
    if open_ends and style != Style.RANGE.value:
        raise BadInput(f"Only ranges have ends to be left open; the style is {style!r}.")
    if not (is_whole(k) and k >= 1):
        raise BadInput(f"k is a whole number from 1 on; got {k!r}.")
    return LocalTable(problem).best_recoding(k, options, suppress=suppress, open_ends=open_ends, tell=tell)[0]


def local_front(
    problem: Problem,
    k: Sequence[int],
    *,
    method: str = BEST,
    style: str = "range",
    seed: int = 0,
    refine: int | None = None,
    suppress: bool = True,
    open_ends: bool | Mapping[str, Bounds] = False,
    tell: OnStep | None = None,
) -> LocalFront:
    """Anonymize by local recoding for several k, from the smallest to the largest.

    The groups for each k, merged up to the next one, are one of the starts of the method `best`, beside those of its
    algorithms. A recoding for a larger k that loses less also serves the smaller k. See `recode_locally` for the
    options.

    >>> import pyarrow as pa
    >>> problem = Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers=["age"])
    >>> [each.assessment.classes for each in local_front(problem, [2, 3, 6])]
    [3, 2, 1]
    """
    if not k or not all(is_whole(each) and each >= 1 for each in k):
        raise BadInput(f"k must be a list of whole numbers from 1 on, such as [2, 5, 10]; got {k!r}.")
    options = LocalOptions(method, Style(_known("style", style, _STYLES)), seed, refine=refine)
    if open_ends and style != Style.RANGE.value:
        raise BadInput(f"Only ranges have ends to be left open; the style is {style!r}.")
    table, results = LocalTable(problem), list[LocalResult]()
    groups: Partition | None = None
    for each in sorted(set(k)):
        starts = () if groups is None or method != BEST else (table.merged(groups, each),)
        found, groups = table.best_recoding(
            each, options, suppress=suppress, open_ends=open_ends, starts=starts, tell=tell
        )
        results.append(found)
    for place in range(len(results) - 2, -1, -1):
        if results[place + 1].assessment.ncp < results[place].assessment.ncp:
            larger, asked = results[place + 1], results[place].assessment.asked_k
            results[place] = replace(larger, assessment=replace(larger.assessment, asked_k=asked))
    return LocalFront(tuple(results))


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """Checked options of a local recoding algorithm."""

    method: str = "best"
    style: Style = Style.RANGE
    """The form in which the values of a group are published."""
    seed: int = 0
    rounds: int | None = None
    reach: int | None = None
    categories: str | None = None
    refine: int | None = None
    """Most rounds of refinement; None for as many as are worth their time."""
    seconds: float | None = None
    """When refinement ends at the latest; the result then depends on the machine."""

    def __post_init__(self) -> None:
        _known("method", self.method, LOCAL_METHODS)
        if self.categories is not None:
            _known("way to cut categories", self.categories, CATEGORIES)
            if not self.is_mondrian:
                raise BadInput(f"Only Mondrian cuts categories; the method is {self.method!r}.")
        for name in ("rounds", "reach"):
            if getattr(self, name) is not None and self.method not in ("top-down", "bottom-up"):
                raise BadInput(f"The method {self.method!r} has no {name}; only 'top-down' and 'bottom-up' do.")
        if self.refine is not None and not (is_whole(self.refine) and self.refine >= 0):
            raise BadInput(f"refine is a whole number of rounds from 0 on; got {self.refine!r}.")
        if self.seconds is not None and not self.seconds > 0:
            raise BadInput(f"seconds is a number above 0; got {self.seconds!r}.")

    @property
    def is_mondrian(self) -> bool:
        """Whether groups are cut at medians."""
        return self.method.startswith("mondrian")


class LocalRun(NamedTuple):
    """One run of an algorithm, for the assessment of its result."""

    options: LocalOptions
    k: int
    seconds: float
    start: str = ""
    """The algorithm whose groups were refined."""


class LocalTable:
    """A problem as local recoding algorithms see it."""

    axes: tuple[Axis, ...]
    tuples: Tuples

    def __init__(self, problem: Problem) -> None:
        """Lay the combinations of the problem out on axes."""
        problem.must_count_rows("Local recoding")
        self._problem = problem
        weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
        self.axes = tuple(Axis(*pair) for pair in zip(problem.hierarchies, weights, strict=True))
        codes = problem.frequency.codes
        columns = [axis.positions[codes[:, j]] for j, axis in enumerate(self.axes)]
        has_requirements = bool(problem.demands.requirements)
        self.tuples = Tuples(
            np.ascontiguousarray(np.column_stack(columns), np.int32),
            problem.frequency.counts,
            scale_of(self.axes),
            tuple(len(axis.leaves) for axis in self.axes),
            divisible=not has_requirements,
            judge=self._judge if has_requirements else None,
        )
        self._reference = cache(partial(reference_of, problem.frequency))

    def best_recoding(
        self,
        k: int,
        options: LocalOptions,
        *,
        suppress: bool = True,
        open_ends: bool | Mapping[str, Bounds] = False,
        starts: Sequence[Partition] = (),
        tell: OnStep | None = None,
    ) -> tuple[LocalResult, Partition]:
        """Return the recoding with the least NCP, with or without suppression, and the groups of all rows."""
        begun = time.perf_counter()
        deadline = None if options.seconds is None else begun + options.seconds
        if options.refine is None:
            options = replace(options, refine=usual_rounds(self.tuples))
        least = max(k, self._problem.demands.least_k)
        last: LocalStep | None = None
        for last in self.refined_steps(least, options, deadline, starts):
            if tell is not None:
                tell(last)
        if last is None or last.partition is None:
            raise AssertionError("an algorithm ended without a result")
        ends = self.open_ends(open_ends, least)
        recodings = [self.recoding(last.partition, options.style, ends)]
        limit = self.suppression_limit if suppress else 0
        for kept, suppressed in self._suppressing(last.partition, least, limit, options, deadline):
            recodings.append(self.recoding(kept, options.style, ends, suppressed))
        run = LocalRun(options, k, time.perf_counter() - begun, last.start or options.method)
        return min(self.assessed(recodings, run), key=lambda result: result.assessment.ncp), last.partition

    def merged(self, partition: Partition, k: int) -> Partition:
        """Return the groups, of which those that are too small for a larger k merge with their nearest."""
        least = max(k, self._problem.demands.least_k)
        if least > self.tuples.rows:
            return partition  # the method says that this k is impossible
        *_, last = mend(self.tuples, partition, least, EVERYWHERE if len(partition) <= MOST_EXACT else NEAR)
        return partition if last.partition is None else last.partition

    def refined_steps(
        self, k: int, options: LocalOptions, deadline: float | None, starts: Sequence[Partition] = ()
    ) -> LocalSteps:
        """Run the algorithm of that name, and refine its groups."""
        rounds = usual_rounds(self.tuples) if options.refine is None else options.refine
        if options.method == BEST:
            yield from best(self.tuples, k, seed=options.seed, rounds=rounds, deadline=deadline, starts=tuple(starts))
            return
        last: LocalStep | None = None
        for last in self.steps(k, options):
            yield last
        if rounds and last is not None and last.partition is not None:
            yield from refine(self.tuples, last.partition, k, seed=options.seed, rounds=rounds, deadline=deadline)

    def _suppressing(
        self, partition: Partition, k: int, limit: int, options: LocalOptions, deadline: float | None
    ) -> Iterator[tuple[Partition, Ints]]:
        """Return ways to suppress outliers; the last one is the best of the others, refined for lower counts."""
        if not limit:
            return
        ways = [way for way in suppressing(self.tuples, partition, k, limit) if way[1].any()]
        yield from ways
        if ways and options.refine:
            worst = float(self.tuples.scale.ceiling.sum())
            kept, suppressed = min(ways, key=lambda way: penalty(self.tuples, way[0]) + worst * way[1].sum())
            left = replace(self.tuples, counts=self.tuples.counts - suppressed)
            rounds = min(options.refine, AGAIN)
            *_, last = refine(left, kept, k, seed=options.seed, rounds=rounds, deadline=deadline)
            if last.partition is not None:
                yield last.partition, suppressed

    def steps(self, k: int, options: LocalOptions) -> LocalSteps:
        """Run the algorithm of that name, without refinement."""
        if options.is_mondrian:
            by_tree, relaxed = options.categories != "codes", options.method == "mondrian-relaxed"
            return mondrian(self.tuples, k, seed=options.seed, relaxed=relaxed, by_tree=by_tree)
        algorithm = top_down if options.method == "top-down" else bottom_up
        if options.rounds is None:
            return algorithm(self.tuples, k, seed=options.seed, reach=options.reach)
        return algorithm(self.tuples, k, seed=options.seed, rounds=options.rounds, reach=options.reach)

    @property
    def suppression_limit(self) -> int:
        """Most rows that may be suppressed; 0 if a requirement compares groups with the released rows."""
        moving = [
            each
            for each in self._problem.demands.requirements
            if each.model.facts.needs_reference and each.reference is Reference.RELEASED
        ]
        return 0 if moving else self._problem.suppression.limit(self._problem.rows)

    def open_ends(self, given: bool | Mapping[str, Bounds], k: int) -> dict[str, OpenEnds]:  # noqa: FBT001 - an argument of users
        """Return where ranges of numeric attributes are published with an open end."""
        numeric = {name: axis for name, axis in zip(self._problem.attributes, self.axes, strict=True) if axis.numeric}
        if not isinstance(given, Mapping):
            rows = dict(zip(self._problem.attributes, self._rows_per_position(), strict=True))
            return {name: _rare_ends(axis, rows[name], k) for name, axis in numeric.items()} if given else {}
        for name in given:
            if name not in numeric:
                raise BadInput(f"Only numeric quasi-identifiers can have open ends; {name!r} is not one.")
        return {name: _given_ends(numeric[name], bounds, name) for name, bounds in given.items()}

    def _rows_per_position(self) -> list[Ints]:
        tuples = self.tuples
        return [
            np.bincount(tuples.positions[:, j], tuples.counts, size).astype(np.int64)
            for j, size in enumerate(tuples.sizes)
        ]

    def recoding(
        self,
        partition: Partition,
        style: Style,
        open_ends: Mapping[str, OpenEnds] | None = None,
        suppressed: Ints | None = None,
    ) -> LocalRecoding:
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
            suppressed=suppressed,
            open_ends=open_ends or {},
        )

    def assessed(self, recodings: Sequence[LocalRecoding], run: LocalRun) -> Iterator[LocalResult]:
        """Assess recodings; the first one must meet the requirements, others are skipped if they do not."""
        for place, recoding in enumerate(recodings):
            try:
                yield LocalResult(recoding, self.assess(recoding, run))
            except Unattainable:
                if place == 0:
                    raise

    def assess(self, recoding: LocalRecoding, run: LocalRun) -> LocalAssessment:
        """Compute the measures of a recoding."""
        sizes, rows, suppressed = recoding.class_sizes, self._problem.rows, recoding.left_out
        weights = np.array([axis.weight for axis in self.axes])
        penalty, general = certainty_penalty(recoding) + suppressed, general_loss(recoding) + suppressed
        worst = rows * float(weights.sum())
        squares = float(sizes @ sizes) + rows * suppressed
        return LocalAssessment(
            method=run.options.method,
            asked_k=run.k,
            seed=run.options.seed,
            start=run.start or run.options.method,
            refine=run.options.refine or 0,
            seconds_limit=run.options.seconds,
            style=recoding.style,
            rows=rows,
            k=int(sizes.min()),
            suppressed=suppressed,
            groups=len(recoding),
            classes=len(sizes),
            largest=int(sizes.max()),
            ncp=float(weights @ penalty),
            ncp_fraction=float(weights @ penalty) / worst if worst else 0.0,
            glm=float(weights @ general),
            glm_fraction=float(weights @ general) / worst if worst else 0.0,
            dcn=squares,
            dcn_fraction=squares / rows**2,
            c_avg=(rows - suppressed) / (len(sizes) * int(sizes.min())),
            per_attribute=dict(zip(recoding.attributes, (penalty / rows).tolist(), strict=True)),
            labels=recoding.label_use,
            privacy=self._privacy(recoding),
            seconds=run.seconds,
        )

    def _privacy(self, recoding: LocalRecoding) -> dict[str, float]:
        """Return the values of the required models that the published classes achieve; raise if one is not met."""
        requirements = self._problem.demands.requirements
        if not requirements:
            return {}
        class_of = np.full(len(self.tuples), -1, np.int64)
        class_of[recoding.combinations] = recoding.classes[recoding.groups]
        achieved: dict[str, float] = {}
        for requirement in requirements:
            classes = self._classes(class_of, recoding.class_sizes, requirement.attribute)
            if not requirement.is_met(classes):
                raise Unattainable(f"Merging groups did not lead to {requirement}. Ask for less, or another method.")
            achieved[str(requirement)] = requirement.model.achieved(classes)
        return achieved

    def _judge(self, partition: Partition) -> Truths:
        group_of = np.full(len(self.tuples), -1, np.int64)
        group_of[partition.tuples] = partition.owners
        meets, sizes = np.ones(len(partition), bool), partition.rows
        for requirement in self._problem.demands.requirements:
            meets &= requirement.met_by(self._classes(group_of, sizes, requirement.attribute))
        return meets

    def _classes(self, class_of: Ints, sizes: Ints, attribute: str | None) -> Classes:
        """Classes of whole combinations, compared with the whole table: that is what was, or what is released."""
        return classes_of(self._problem.frequency, class_of, sizes, attribute, self._reference(attribute))


def _rare_ends(axis: Axis, rows: Ints, k: int) -> OpenEnds:
    """Open where the outermost value has fewer than k rows, from a round number on that at least k rows reach."""
    occurring, known = rows[: axis.known], [to_number(label) or Decimal(0) for label in axis.labels[: axis.known]]
    places = np.flatnonzero(occurring)
    upto, since = np.cumsum(occurring), np.cumsum(occurring[::-1])[::-1]
    if not len(places) or upto[-1] < k:
        return OpenEnds(under=axis.known - 1, over=0)
    step = _round_step(known[-1] - known[0])
    below = above = None
    if occurring[places[0]] < k:
        below = _floor(known[int(np.argmax(upto >= k))], step) + step
    if occurring[places[-1]] < k:
        above = _floor(known[int(np.flatnonzero(since >= k)[-1])], step)
    if below is not None and above is not None and below > above:
        return OpenEnds(under=axis.known - 1, over=0)
    return _given_ends(axis, (to_text(below), to_text(above)), axis.hierarchy.attribute)


def _round_step(extent: Decimal) -> Decimal:
    """The largest of 1, 5, 10, 50, ... and 0.5, 0.1, ... that is at most a tenth of an extent."""
    exponent = (extent / 10).adjusted()
    step = Decimal(10) ** exponent
    return 5 * step if 50 * step <= extent else step


def _floor(number: Decimal, step: Decimal) -> Decimal:
    """The largest multiple that is not larger; the division of decimals rounds towards zero."""
    quotient = number // step
    return (quotient if quotient * step <= number else quotient - 1) * step


def _given_ends(axis: Axis, bounds: Bounds, name: str) -> OpenEnds:
    """Open below the first bound and from the second one on."""
    below, above = (None if bound is None else to_number(bound) for bound in bounds)
    if (below is None) != (bounds[0] is None) or (above is None) != (bounds[1] is None):
        raise BadInput(
            f"The open ends of {name!r} are two numbers, such as (20, 90), or None for an end that is closed."
        )
    if below is not None and above is not None and below > above:
        raise BadInput(f"The open ends of {name!r} overlap: {below} is more than {above}.")
    numbers = [to_number(label) or Decimal(0) for label in axis.labels[: axis.known]]
    under = -1 if below is None else sum(number < below for number in numbers) - 1
    first = axis.known if above is None else sum(number < above for number in numbers)
    return OpenEnds(under, first if first < axis.known else -1, to_text(below), to_text(above))


def _known(what: str, name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise BadInput(f"There is no {what} {name!r}; known are {', '.join(known)}.{did_you_mean(name, known)}")
    return name
