"""The solution of a front that answers a question, with its neighbours and what is known about better ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from paranym.choice.bounds import ONE_POINT, corners_of, facts, fits, reason_to_doubt
from paranym.choice.overview import depth, price_of_doubling
from paranym.choice.points import columns, cost, price_tag, protection
from paranym.choice.question import Question
from paranym.choice.refusal import refusal
from paranym.errors import BadInput, Unattainable
from paranym.results.front import Front, Point
from paranym.wording.numbers import difference, limit, magnitude, percent

_MOST_LISTED = 14
"""Of a longer list only the first and the last are shown."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A point compared with another one: the difference in k and in information loss.

    >>> from paranym.results.front import Solution
    >>> here = Point(12, 30.0, 0.30, (Solution({"age": 2}, 0, 20.0),))
    >>> there = Point(15, 30.8, 0.308, (Solution({"age": 3}, 4, 25.0),))
    >>> Offer(there, than=here).more_k, Offer(there, than=here).sentence()
    (3, 'k = 15 costs 0.8 percentage points more (30.8%).')
    """

    point: Point
    than: Point

    @property
    def more_k(self) -> int:
        """Difference in k; negative if privacy is given up."""
        return self.point.k - self.than.k

    @property
    def more_loss(self) -> float:
        """Difference in loss, as a fraction; negative if loss is saved."""
        return self.point.loss_fraction - self.than.loss_fraction

    def sentence(self, max_loss: float = 1.0) -> str:
        """Return the offer as a sentence; also by how much it exceeds a limit, if it does."""
        lost = self.point.loss_fraction
        lost_share = percent(lost, max_loss)
        if not fits(lost, max_loss):
            lost_share += f", {difference(lost - max_loss)} above your limit"
        verb, more = ("costs", "more") if self.more_loss > 0 else ("saves", "")
        return (
            f"{protection(self.point.k)} {verb} {difference(abs(self.more_loss))}{more and ' '}{more} ({lost_share})."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the offer as a dictionary for JSON."""
        return {"more_k": self.more_k, "more_loss_fraction": self.more_loss, **self.point.as_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The solution that answers a question best, with its neighbours on the front.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> answer = pn.ask(pn.frontier(pn.Problem.from_recipe(adult())), max_loss=0.25)
    >>> answer.point.k, answer.better.point.k, answer.cheaper.point.k, answer.proved
    (3, 4, 2, True)
    """

    question: Question
    front: Front = field(repr=False)
    point: Point
    choices: tuple[Point, ...] = field(repr=False)
    """Every point that meets all limits, best k first."""

    @property
    def allowed_rows(self) -> int:
        """Number of rows that may be suppressed, from the question or else from the front."""
        return self.question.allowed_in(self.front)

    @property
    def better(self) -> Offer | None:
        """The next larger k and its cost; None if k is the largest."""
        return self._offer([point for point in self._allowed if point.k > self.point.k][-1:])

    @property
    def cheaper(self) -> Offer | None:
        """The next smaller loss and its k; None if the loss is the smallest."""
        return self._offer([point for point in self._allowed if point.k < self.point.k][:1])

    @property
    def one_point_more(self) -> Offer | None:
        """The best k for one percentage point more loss than the limit, or than the choice if no limit was given."""
        most = self._most_loss(self.point) + ONE_POINT
        within = [point for point in self._allowed if fits(point.loss_fraction, most)]
        return self._offer([point for point in within if point.k > self.point.k][:1])

    @property
    def best_possible_k(self) -> int | None:
        """Upper bound on the k of any solution within the loss, found or not; None if no bound is known."""
        corners, most = corners_of(self.front, self.allowed_rows), self._most_loss(self._best)
        return max((corner.k for corner in corners or () if fits(corner.loss_fraction, most)), default=None)

    @property
    def least_possible_loss(self) -> float | None:
        """Lower bound on the loss of any solution with at least the k, found or not; None if no bound is known."""
        corners, least_k = corners_of(self.front, self.allowed_rows), self._least_k(self._cheapest)
        return min((corner.loss_fraction for corner in corners or () if corner.k >= least_k), default=None)

    @property
    def proved(self) -> bool:
        """True if it is proved that no better solution exists for the question, even if the front is incomplete."""
        corners = corners_of(self.front, self.allowed_rows)
        most, least = self._most_loss(self.point), self._least_k(self.point)
        return corners is not None and all(
            any(choice.k >= corner.k and fits(choice.loss_fraction, corner.loss_fraction) for choice in self.choices)
            for corner in corners
            if corner.k >= least and fits(corner.loss_fraction, most)
        )

    def sentences(self) -> tuple[str, ...]:
        """Return the answer in plain words."""
        others = len(self.point.alternatives)
        ties = f" {others:,} other {'node ties' if others == 1 else 'nodes tie'} with it." if others else ""
        return (
            self._headline(),
            *self._compared(),
            cost(self.point, self.front, self.allowed_rows),
            columns(self.point, self.front) + ties,
            *self._offers(),
            self._certainty(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as a dictionary for JSON."""
        question = self.question
        offers = {"better": self.better, "cheaper": self.cheaper, "one_point_more": self.one_point_more}
        return {
            "question": {
                "max_loss": question.max_loss,
                "min_k": question.min_k,
                "max_suppressed": self.allowed_rows,
            },
            **facts(self.front),
            "point": self.point.as_dict(),
            **{name: offer and offer.as_dict() for name, offer in offers.items()},
            "choices": [point.as_dict() for point in self.choices],
            "proved": self.proved,
            "best_possible_k": self.best_possible_k,
            "least_possible_loss_fraction": self.least_possible_loss,
            "sentences": list(self.sentences()),
        }

    @property
    def _allowed(self) -> tuple[Point, ...]:
        """All points within the suppression limit."""
        return self.front.within(max_suppressed=self.allowed_rows)

    @property
    def _best(self) -> Point:
        """The largest k found for the question."""
        return self.point if self.question.max_loss is None else self.choices[0]

    @property
    def _cheapest(self) -> Point:
        """The least loss found for the question."""
        return self.point if self.question.min_k is None else self.choices[-1]

    def _most_loss(self, found: Point) -> float:
        return found.loss_fraction if self.question.max_loss is None else self.question.max_loss

    def _least_k(self, found: Point) -> int:
        return found.k if self.question.min_k is None else self.question.min_k

    def _offer(self, points: Sequence[Point]) -> Offer | None:
        return Offer(points[0], than=self.point) if points else None

    def _headline(self) -> str:
        most, least, point = self.question.max_loss, self.question.min_k, self.point
        if most is not None and least is not None:
            if len(self.choices) == 1:
                return f"One solution is within your limits: {protection(point.k)}."
            return f"Of {len(self.choices)} solutions within your limits, {protection(point.k)} is the best trade-off."
        if most is not None and point.k == 1:
            impossible = f"no k above 1 is possible with {self.front.recodings}"
            what = impossible if self.proved else "no k above 1 was found"
            return f"With an information loss of at most {limit(most)}, {what}: unique records remain."
        if most is not None:
            best = "the largest possible k is" if self.proved else "the largest k found is"
            scope = f" with {self.front.recodings}" if self.proved else ""
            return f"With an information loss of at most {limit(most)}, {best} {point.k:,}{scope}."
        if least == 1:
            return "k = 1 asks for no protection. This solution has the least information loss."
        if point.k == least:
            which = f" of all with {self.front.recodings}" if self.proved else " found"
            return f"k = {point.k:,} is possible. This solution has the least information loss{which}."
        which = f" with {self.front.recodings}" if self.proved else " found"
        return (
            f"k = {least or 1:,} is possible. The solution{which} with the least information loss achieves "
            f"{protection(point.k)}."
        )

    def _compared(self) -> Iterator[str]:
        """The solutions between both limits (if many, the first and the last), and how they were compared."""
        if self.question.max_loss is None or self.question.min_k is None or len(self.choices) == 1:
            return
        if self.front[-1].k == self.front[0].k:
            return  # no point has twice the k of another
        cheapest, *others = self.choices[::-1]
        listed = "".join(f", {point.k:,} at {percent(point.loss_fraction)}" for point in others)
        further = listed if len(others) < _MOST_LISTED else f" to {price_tag(others[-1])}"
        price = difference(price_of_doubling(self.front[-1], self.front[0]))
        yield (
            f"The solutions: {price_tag(cheapest)}{further}; compared by what doubling k costs on average over the "
            f"whole front, {price}."
        )

    def _offers(self) -> Iterator[str]:
        """The neighbours on the front, and what one more percentage point would give."""
        most, sure = self.question.max_loss, reason_to_doubt(self.front, self.allowed_rows) is None
        if self.better is None:
            yield "No solution has a larger k." if sure else "No solution with a larger k was found."
        else:
            yield self.better.sentence(1.0 if most is None else most)
            yield from self._stretch(sure=sure)
        if self.cheaper is None:
            yield "No solution loses less." if sure else "No solution that loses less was found."
        else:
            yield self.cheaper.sentence()

    def _stretch(self, *, sure: bool) -> Iterator[str]:
        """The best k for one more percentage point, unless that is the neighbour."""
        most = self.question.max_loss
        if self.one_point_more is None and most is not None:
            wider = limit(most + ONE_POINT)
            yield (
                f"A limit of {wider} would not allow a larger k."
                if sure
                else f"No larger k was found for a limit of {wider}."
            )
        if self.one_point_more is not None and self.one_point_more != self.better:
            extended = "at most one more percentage point" if most is None else f"a limit of {limit(most + ONE_POINT)}"
            yield f"With {extended}: {price_tag(self.one_point_more.point)}."

    def _remaining_bounds(self) -> list[str]:
        """Bounds on how much better a solution could still be."""
        most_k, least = self.best_possible_k, self.least_possible_loss
        bounds = []
        if most_k is not None and most_k > self._best.k:
            most = self.question.max_loss
            within = percent(self._best.loss_fraction) if most is None else limit(most)
            bounds.append(f"none with k above {most_k:,} within {within}")
        if least is not None and not fits(self._cheapest.loss_fraction, least):
            bounds.append(
                f"none that loses less than {percent(least)} with {protection(self._least_k(self._cheapest))}"
            )
        return bounds

    def _certainty(self) -> str:
        """Return whether a better solution may exist, and how much better it could be."""
        doubt = reason_to_doubt(self.front, self.allowed_rows)
        if doubt is None:
            nodes = self.front.lattice_nodes
            every = (
                f"all {magnitude(nodes)} cuts were evaluated or proved to be no better"
                if self.front.is_private
                else f"all {nodes:,} nodes of the lattice were evaluated or proved to be dominated"
            )
            return f"This is optimal with {self.front.recodings}: {every}."
        if self.proved:
            return f"{doubt}, but this solution is proved to be optimal with {self.front.recodings}."
        if self.best_possible_k is None:
            return f"{doubt}, so a better solution may exist; how much better is not known."
        bounds = " and ".join(self._remaining_bounds()) or "only between the first and the last of these"
        return f"{doubt}, so a better solution may exist, but {bounds}."


def ask(
    front: Front,
    *,
    max_loss: float | None = None,
    min_k: int | None = None,
    max_suppressed: int | None = None,
    max_suppression: float | None = None,
) -> Answer:
    """Return the best solution of a front: the largest k within a loss, the least loss for a k, or between both limits.

    Between both limits it is the best trade-off, compared by what doubling k costs on average over the whole front: the
    point farthest below the line that defines the knee. Losses are fractions. A suppression limit, in rows or as a
    share, only filters the points of this front: the front of `Problem.with_suppression` may hold better ones, and the
    answer says so. Raises `Unattainable`, which names the nearest solutions, if no point meets all limits.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> for sentence in ask(pn.frontier(problem), max_loss=0.6).sentences():
    ...     print(sentence)
    With an information loss of at most 60%, the largest possible k is 3 with one level per column.
    Information loss: 50.0% of the information (glm). No rows are suppressed; the limit is 0.
    Fully generalized (*): age. Unchanged: sex.
    k = 6 costs 50.0 percentage points more (100%, 40.0 percentage points above your limit).
    A limit of 61% would not allow a larger k.
    k = 1 (no protection) saves 50.0 percentage points (0%).
    This is optimal with one level per column: all 8 nodes of the lattice were evaluated or proved to be dominated.
    """
    question = Question(max_loss=max_loss, min_k=min_k, max_suppressed=max_suppressed, max_suppression=max_suppression)
    return answer(front, question)


def answer(front: Front, question: Question) -> Answer:
    """Answer a question that is given as a value; see `ask`."""
    if question.is_open:
        raise BadInput("Give a largest loss, a smallest k, or both; `describe` gives an overview of the whole front.")
    allowed = question.allowed_in(front)
    choices = front.within(max_loss=question.max_loss, min_k=question.min_k, max_suppressed=allowed)
    if not choices:
        raise Unattainable(" ".join(refusal(front, question)))
    if question.max_loss is not None and question.min_k is not None:
        point = max(choices, key=lambda choice: depth(choice, front[0], front[-1]))
    else:
        point = choices[0] if question.min_k is None else choices[-1]
    return Answer(question=question, front=front, point=point, choices=choices)
