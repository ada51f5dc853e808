"""The best cut for every k, by branch and bound on splits.

For one k, the search space is divided by splits that are made or excluded (`kernels.cut_bounds` has the bounds). The
front is found by increasing k: if the best cut for some k achieves a larger one, the next k to ask for is one more. A
bound at some k is valid at every larger k as well, because fewer cuts achieve that.
"""

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.cut_bounds import CLOSED, INFEASIBLE, OPEN, Probing, Splits, bound_part, find_blocks
from paranym.results.division import Division

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

FIRST_PARTS = 400
"""Parts that are bounded for every k before any k gets more."""
_CHUNK = 40
"""Parts that are bounded between two steps."""
_STORED = 32_000_000
"""Most codes that are stored with open parts; other parts begin from the whole table again."""
_DIVE = 0.3
"""A dive ends where the bound has fallen by this share of the gap."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutTable:
    """A table to search: combinations with their counts, splits, and the rows that may be suppressed."""

    splits: Splits
    codes: Codes
    """(attributes, combinations)"""
    counts: Ints
    limit: int
    made: Flags
    """Splits that every cut must make."""
    excluded: Flags
    """Splits that no cut may make."""

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    def sizes(self, made: Flags) -> Ints:
        """The sizes of the equivalence classes of a cut."""
        splits = self.splits
        begin, unused = np.empty(splits.unit_start[-1], np.int64), np.empty(splits.unit_start[-1], np.int64)
        find_blocks(splits, made, begin, unused)
        member = np.zeros(len(self.counts), np.int64)
        for units, start, codes in zip(splits.units.tolist(), splits.unit_start.tolist(), self.codes, strict=False):
            member = np.unique(member * units + begin[start + codes], return_inverse=True)[1].reshape(-1)
        return np.bincount(member, weights=self.counts).astype(np.int64)

    def achieved(self, made: Flags, k: int) -> int | None:
        """The least size of the classes that are published if k is required; None if too many rows are suppressed."""
        sizes = self.sizes(made)
        if int(sizes[sizes < k].sum()) > self.limit:
            return None
        return int(sizes[sizes >= k].min(initial=self.rows))


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The combinations that matter in a part, and the rows that may still be suppressed."""

    codes: Codes
    counts: Ints
    room: int

    def copy(self) -> "_Counted":
        """Return a copy, for the kernel to change."""
        return _Counted(self.codes.copy(), self.counts.copy(), self.room)

    def left(self, outcome: Probing) -> "_Counted":
        """Return what the kernel has left."""
        n = outcome.combinations
        return _Counted(np.ascontiguousarray(self.codes[:, :n]), self.counts[:n].copy(), outcome.room)


@dataclass(slots=True, eq=False)
class _Part:
    """An open part of the search space."""

    bound: int
    number: int
    made: Flags
    excluded: Flags
    scores: Ints
    counted: _Counted | None

    @property
    def size(self) -> int:
        """The codes that are stored."""
        return 0 if self.counted is None else self.counted.codes.size


class BranchAndBound:
    """The search for the best cut that achieves one k."""

    def __init__(self, table: CutTable, k: int, starts: Sequence[Flags] = ()) -> None:
        self.k = k
        self.division = Division(k)
        self.evaluated = 0
        self.savings = -1
        self.best: Flags | None = None
        self._table = table
        self._numbers = itertools.count()
        self._open: list[tuple[int, int, _Part]] = []
        self._stored = 0
        for start in starts:
            self._climb(start)
        whole = self._bound(None, -1, is_made=False)
        self._root = whole
        if whole is not None:
            self._push(whole)

    @property
    def is_closed(self) -> bool:
        """Whether the best cut is proved to be the best."""
        self._drop()
        return not self._open

    @property
    def bound(self) -> int:
        """Most savings of any cut that achieves k."""
        self._drop()
        return max(self.savings, -self._open[0][0]) if self._open else self.savings

    def advance(self, parts: int) -> None:
        """Bound about this many further parts."""
        while parts > 0 and not self.is_closed:
            part: _Part | None = self._pop()
            while part is not None and parts > 0:
                first, second = self._divide(part)
                parts -= 2
                part = first
                if second is not None:
                    self._push(second)
                if part is not None and self._open and self._has_fallen(part):
                    break
            if part is not None:
                self._push(part)

    def _has_fallen(self, part: _Part) -> bool:
        top = -self._open[0][0]
        return top - part.bound > _DIVE * (top - self.savings)

    def _divide(self, part: _Part) -> tuple[_Part | None, _Part | None]:
        """Return the open ones of the two parts with and without the split that matters most, the better one first."""
        split = int(np.argmax(part.scores))
        found = [self._bound(part, split, is_made=True), self._bound(part, split, is_made=False)]
        still = sorted((each for each in found if each is not None), key=lambda each: -each.bound)
        first, second = [*still, None, None][:2]
        return first, second

    def _bound(self, parent: _Part | None, split: int, *, is_made: bool) -> _Part | None:
        """Bound one part, and record it; return it if it is open."""
        if parent is None:
            made, excluded, number = self._table.made.copy(), self._table.excluded.copy(), -1
        else:
            made, excluded, number = parent.made.copy(), parent.excluded.copy(), parent.number
            (made if is_made else excluded)[split] = True
        counted = self._beginning(parent)
        outcome, scores, _ = self._measure(made, excluded, counted, goal=self.savings)
        here = self.division.add(number, split, is_made=is_made, made=made, excluded=excluded)
        if outcome.status != OPEN:
            return None
        bound = outcome.bound if parent is None else min(outcome.bound, parent.bound)
        return _Part(bound, here, made, excluded, scores, counted.left(outcome))

    def _beginning(self, parent: _Part | None) -> _Counted:
        """The combinations that a part begins with: copies of those of its parent, or of the whole table."""
        if parent is not None and parent.counted is not None:
            return parent.counted.copy()
        if parent is not None and self._root is not None and self._root.counted is not None:
            return self._root.counted.copy()
        return _Counted(self._table.codes, self._table.counts, self._table.limit).copy()

    def _measure(self, made: Flags, excluded: Flags, counted: "_Counted", *, goal: int) -> tuple[Probing, Ints, Ints]:
        """Run the kernel, and keep the best cut that it met; return scores and gains of splits as well."""
        scores, gains = np.empty(len(made), np.int64), np.empty(len(made), np.int64)
        best = np.zeros(len(made), bool)
        splits, room = self._table.splits, counted.room
        outcome = Probing(
            *bound_part(splits, self.k, goal, made, excluded, counted.codes, counted.counts, room, gains, scores, best)
        )
        self.evaluated += outcome.evaluated
        if outcome.best > self.savings:
            self.savings, self.best = outcome.best, best
        return outcome, scores, gains

    def _climb(self, start: Flags) -> None:
        """Make the splits of `start` that can be made, then others, always the one that saves most."""
        table = self._table
        made = table.made.copy()
        for allowed in (start | made, np.ones_like(made)):
            excluded = table.excluded | ~allowed
            counted = self._beginning(None)
            while True:
                outcome, _, gains = self._measure(made, excluded, counted, goal=-1)
                if outcome.status == INFEASIBLE:
                    return
                if outcome.status == CLOSED or gains.max(initial=-1) <= 0:
                    break
                counted = counted.left(outcome)
                made[int(np.argmax(gains))] = True

    def _push(self, part: _Part) -> None:
        if part is not self._root and self._stored + part.size > _STORED:
            part.counted = None
        self._stored += part.size
        heapq.heappush(self._open, (-part.bound, next(self._numbers), part))

    def _pop(self) -> _Part:
        part = heapq.heappop(self._open)[2]
        self._stored -= part.size
        return part

    def _drop(self) -> None:
        """Forget open parts that cannot have a better cut."""
        while self._open and -self._open[0][0] <= self.savings:
            self._pop()


@dataclass(frozen=True, slots=True, eq=False)
class SweepStep:
    """How far the search for the front has come."""

    answers: tuple["BestCut", ...]
    """By increasing k; together they cover all k."""
    evaluated: int
    complete: bool


@dataclass(frozen=True, slots=True, eq=False)
class BestCut:
    """The best cut known for `k`, and a bound on the savings of every cut that achieves `k`."""

    k: int
    last: int
    """The k before that of the next answer."""
    made: Flags
    savings: int
    bound: int
    division: Division

    @property
    def is_proved(self) -> bool:
        return self.bound <= self.savings


class Sweep:
    """The search for the front: one question for every k that could have a point of its own."""

    def __init__(self, table: CutTable, *, least_k: int = 1, divides: bool = True) -> None:
        self._table = table
        self._most_k = table.rows
        self._divides = divides
        self._least_k = least_k
        self._questions: dict[int, BranchAndBound] = {}
        self._achieved: dict[int, tuple[int, int]] = {}

    def steps(self, starts: Sequence[tuple[int, Flags]] = ()) -> Iterator[SweepStep]:
        """Run until every question is closed. `starts` are cuts that are known, with a k that each achieves.

        If the search space is not divided, every k gets the cut that greedy specialization finds, and one bound.
        """
        k: int | None = self._least_k
        while k is not None:
            question = self._ask(k, starts)
            yield from self._advance(question, FIRST_PARTS)
            k = self._next()
        while self._divides and (left := [each for each in self._questions.values() if not each.is_closed]):
            yield from self._advance(max(left, key=lambda each: each.bound - each.savings), FIRST_PARTS)
            while (k := self._next()) is not None:
                yield from self._advance(self._ask(k, starts), FIRST_PARTS)
        yield self.stage()

    def _advance(self, question: BranchAndBound, parts: int) -> Iterator[SweepStep]:
        yield self.stage()
        while self._divides and parts > 0 and not question.is_closed:
            question.advance(min(_CHUNK, parts))
            parts -= _CHUNK
            yield self.stage()

    def _ask(self, k: int, starts: Sequence[tuple[int, Flags]]) -> BranchAndBound:
        """Begin with the best cuts for the next smaller and for the next larger k."""
        near = [made for _, made in sorted(((at, made) for at, made in starts if at >= k), key=lambda each: each[0])]
        smaller = max((at for at in self._questions if at < k), default=None)
        before = None if smaller is None else self._questions[smaller].best
        chosen = [*near[:1], *([] if before is None else [before])]
        self._questions[k] = BranchAndBound(self._table, k, chosen or [~self._table.excluded])
        return self._questions[k]

    def _next(self) -> int | None:
        """The least k that no question covers; None if all are covered."""
        asked = sorted(self._questions)
        for k, following in zip(asked, [*asked[1:], self._most_k + 1], strict=True):
            last = self._last(k)
            if last + 1 < following:
                return last + 1
        return None

    def _last(self, k: int) -> int:
        """The k that the best cut for `k` achieves."""
        question = self._questions[k]
        known = self._achieved.get(k)
        if known is None or known[0] != question.savings:
            achieved = k if question.best is None else self._table.achieved(question.best, k)
            known = self._achieved[k] = (question.savings, k if achieved is None else achieved)
        return known[1]

    def stage(self) -> SweepStep:
        """Return the answers so far."""
        asked, answers, bound = sorted(self._questions), [], None
        for k, following in zip(asked, [*asked[1:], self._most_k + 1], strict=True):
            question = self._questions[k]
            bound = question.bound if bound is None else min(bound, question.bound)
            if question.best is not None:
                most = max(bound, question.savings)
                answers.append(BestCut(k, following - 1, question.best, question.savings, most, question.division))
        complete = all(each.is_closed for each in self._questions.values()) and self._next() is None
        return SweepStep(tuple(answers), sum(each.evaluated for each in self._questions.values()), complete)
