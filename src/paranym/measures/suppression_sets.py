"""The equivalence classes to suppress if a requirement compares classes with the released rows.

Suppressing a class changes the distribution of the released rows, and with it the value of every class that is left.
The requirement alone does not determine the classes to suppress: they are a choice, and the best one needs a search.
For a given k it has to suppress all smaller classes; beyond them only *minimal* sets of classes are worth looking at,
those from which no class can be taken back, since suppressing more never lowers the loss of a provable measure.

The search is a branch and bound over sets of classes. A class that breaks a requirement even in the best case of the
remaining suppression has to be suppressed. If such classes are all there are, the set is unique and found
without branching. Otherwise some class is suppressed in one branch and published in the other. The work is limited by a
number of tries, not by time, so that the same table gives the same answer on every machine. Branches that were not
searched to the end are returned as well: what they suppress already is a lower bound on what any solution in them
suppresses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.measures.privacy.base import Truths
from paranym.measures.requirements import PrivacyRequirements, See

Ints = NDArray[np.int64]

TRIES = 16
"""Sets of classes that are judged for one k of one node at first."""
MANY_TRIES = 2048
"""Sets that are judged if a front depends on the result. Larger numbers prove more and take longer."""
EFFORTS = tuple(TRIES * 2**doubled for doubled in range(8))
"""From `TRIES` to `MANY_TRIES`: the more values of k a front depends on, the fewer tries each of them gets."""
_ALL_TRIES = 32 * MANY_TRIES

_RETURNS = 32
"""Suppressed classes that are tentatively published again, if the search did not prove a set minimal."""


@dataclass(frozen=True, slots=True, eq=False)
class SuppressionSets:
    """The sets of classes that a node may publish, as flags of the published ones.

    Every set that meets the requirements within the limit, and suppresses no class needlessly, is in `published`,
    or suppresses a superset of what some member of `unresolved` suppresses.
    """

    published: tuple[Truths, ...]
    unresolved: tuple[Truths, ...] = ()


def suppression_sets(
    requirements: PrivacyRequirements,
    see: See,
    sizes: Ints,
    limit: int,
    *,
    tries: int = TRIES,
    ks: Sequence[int] | None = None,
) -> SuppressionSets:
    """Return the minimal suppression sets with at most `limit` rows.

    For every k from `requirements.least_k` on, or only for those in `ks`.
    """
    found: list[Truths] = []
    unresolved: list[Truths] = []
    for k in _class_sizes(sizes, requirements.least_k, limit) if ks is None else ks:
        of_k = sets_at(requirements, see, sizes, limit, k=k, tries=tries)
        found += of_k.published
        unresolved += of_k.unresolved
    return SuppressionSets(tuple(_non_dominated(found, sizes)), tuple(_distinct(unresolved)))


def tries_for(questions: int) -> int:
    """Tries for each of this many values of k that a front depends on; all together take a bounded time.

    >>> tries_for(1), tries_for(200), tries_for(100_000)
    (2048, 256, 16)
    """
    return max([tries for tries in EFFORTS if tries * questions <= _ALL_TRIES], default=TRIES)


def sets_of_largest_k(requirements: PrivacyRequirements, see: See, sizes: Ints, limit: int) -> SuppressionSets:
    """Return the sets of the largest possible k, and the unresolved ones that might give a larger k."""
    if len(sizes) == 1:  # a class of all rows has the k of a release without rows, and suppresses nothing
        return suppression_sets(requirements, see, sizes, limit)
    unresolved: list[Truths] = []
    for k in reversed(list(_class_sizes(sizes, requirements.least_k, limit))):
        of_k = sets_at(requirements, see, sizes, limit, k=k, tries=MANY_TRIES)
        unresolved += of_k.unresolved
        if of_k.published:
            return SuppressionSets(tuple(_non_dominated(list(of_k.published), sizes)), tuple(_distinct(unresolved)))
    return SuppressionSets((), tuple(_distinct(unresolved)))


def sets_at(
    requirements: PrivacyRequirements, see: See, sizes: Ints, limit: int, *, k: int, tries: int = TRIES
) -> SuppressionSets:
    """Return the sets for one `k`: no class of fewer rows is published."""
    return _Search(requirements, see, sizes, limit).run(sizes >= k, tries)


def _class_sizes(sizes: Ints, least_k: int, limit: int) -> Iterator[int]:
    """Every k that the limit allows; the last is that of a release without rows."""
    largest = int(sizes.max())
    for size in np.unique(np.maximum([*sizes.tolist(), largest + 1], least_k)).tolist():
        if int(sizes[sizes < size].sum()) > limit:
            return
        if size <= largest or least_k <= int(sizes.sum()):
            yield size


@dataclass(frozen=True, slots=True, eq=False)
class _Branch:
    """Sets that publish some of `published`, and all of `fixed`."""

    published: Truths
    fixed: Truths


class _Search:
    """Branch and bound over the classes of one node."""

    def __init__(self, requirements: PrivacyRequirements, see: See, sizes: Ints, limit: int) -> None:
        self._requirements, self._see, self._sizes, self._limit = requirements, see, sizes, limit

    def run(self, published: Truths, tries: int) -> SuppressionSets:
        """Search all subsets of the `published` classes, suppression first."""
        stack = [_Branch(published, np.zeros_like(published))]
        found: list[Truths] = []
        while stack and tries > 0:
            branch = stack.pop()
            if any(_includes(one, branch.published) for one in found):
                continue  # suppresses a superset of what a solution suppresses
            tries, settled, breaking = self._settle(branch, tries)
            if settled is None:
                continue
            if not breaking.any():
                found.append(settled.published)
            elif tries > 0:
                stack += self._divide(settled, breaking)
            else:
                stack.append(settled)
        unresolved = [one for one in _maximal([branch.published for branch in stack]) if not _covered(one, found)]
        if unresolved:
            found += self._fallback(published, found)
        return SuppressionSets(tuple(found), tuple(unresolved))

    def _settle(self, branch: _Branch, tries: int) -> tuple[int, _Branch | None, Truths]:
        """Suppress classes that must be; return the tries left, the rest of the branch, and the classes that break."""
        published, fixed = branch.published, branch.fixed
        while True:
            tries -= 1
            spare = self._limit - self._rows(~published)
            meets, may_meet = self._judge(published, self._spare(published, fixed, spare))
            failing = published & ~may_meet
            if spare < 0 or (failing & fixed).any():
                return tries, None, failing
            if not failing.any():
                return tries, _Branch(published, fixed), published & ~meets
            published = published & ~failing
            if self._rows(~published) > self._limit:
                return tries, None, failing

    def _spare(self, published: Truths, fixed: Truths, spare: int) -> int:
        """Rows that may still be suppressed: those of undecided classes that are not too large."""
        free = published & ~fixed & (self._sizes <= spare)
        return max(min(spare, self._rows(free)), 0)

    def _divide(self, branch: _Branch, breaking: Truths) -> list[_Branch]:
        """Publish one class in the first branch, suppress it in the second, which is searched first.

        That class is the smallest that breaks a requirement, or, if those are all fixed, the largest that may go.
        """
        spare = self._limit - self._rows(~branch.published)
        free = branch.published & ~branch.fixed & (self._sizes <= spare)
        candidates = np.flatnonzero(free & breaking)
        if len(candidates):
            chosen = candidates[np.argmin(self._sizes[candidates])]
        elif (breaking & ~branch.fixed).any():
            chosen = np.flatnonzero(breaking & ~branch.fixed)[0]  # too large to be suppressed
        else:
            candidates = np.flatnonzero(free)
            if not len(candidates):
                return []
            chosen = candidates[np.argmax(self._sizes[candidates])]
        one = np.zeros_like(branch.fixed)
        one[chosen] = True
        kept = _Branch(branch.published, branch.fixed | one)
        return [kept, _Branch(branch.published & ~one, branch.fixed)] if free[chosen] else [kept]

    def _judge(self, published: Truths, spare: int) -> tuple[Truths, Truths]:
        """Return which classes meet the requirements, and which may once at most `spare` more rows are suppressed."""
        meets, may_meet = np.ones_like(published), np.ones_like(published)
        if not published.any():
            return meets, may_meet
        for requirement in self._requirements.requirements:
            classes = self._see(requirement.attribute, requirement.reference).kept(published)
            meets[published], may_meet[published] = (
                flags & before
                for flags, before in zip(
                    requirement.judge(classes, spare), (meets[published], may_meet[published]), strict=True
                )
            )
        return meets, may_meet

    def _fallback(self, published: Truths, found: list[Truths]) -> list[Truths]:
        """Suppress breaking classes until none is left, then publish again what can be; no set beyond the limit."""
        kept = self._requirements.settle(self._see, published)
        for one in np.flatnonzero(published & ~kept)[np.argsort(-self._sizes[published & ~kept])][:_RETURNS]:
            trial = kept.copy()
            trial[one] = True
            kept = trial if self._judge(trial, 0)[0].all() else kept
        fits = self._rows(~kept) <= self._limit and not any(_includes(one, kept) for one in found)
        return [kept] if fits else []

    def _rows(self, classes: Truths) -> int:
        return int(self._sizes[classes].sum())


def _includes(one: Truths, other: Truths) -> bool:
    """Whether `one` publishes all that the `other` publishes."""
    return bool((one | ~other).all())


def _covered(unresolved: Truths, found: list[Truths]) -> bool:
    """Whether no set in a branch can be better than a set that was found."""
    return any(_includes(one, unresolved) for one in found)


def _maximal(sets: list[Truths]) -> list[Truths]:
    """Return the sets that are not a subset of another one, each once."""
    ordered = sorted(_distinct(sets), key=lambda one: -int(np.count_nonzero(one)))
    kept: list[Truths] = []
    for one in ordered:
        if not any(_includes(other, one) for other in kept):
            kept.append(one)
    return kept


def _distinct(sets: list[Truths]) -> list[Truths]:
    return list({one.tobytes(): one for one in sets}.values())


def _non_dominated(sets: list[Truths], sizes: Ints) -> list[Truths]:
    """Return the sets that no other set dominates in rows and k; the one that suppresses nothing comes first."""
    rows = int(sizes.sum())
    ks = [int(sizes[one].min(initial=rows)) for one in sets]
    pairs = sorted(zip(ks, sets, strict=True), key=lambda pair: (-int(np.count_nonzero(pair[1])), -pair[0]))
    kept: list[tuple[int, Truths]] = []
    for k, one in pairs:
        if not any(other_k >= k and _includes(other, one) for other_k, other in kept):
            kept.append((k, one))
    return [one for _, one in kept]
