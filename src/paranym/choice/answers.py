"""The choice that suits a question, with its neighbours and what is known about better ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from paranym.choice.known import ONE_POINT, corners_of, facts, fits, reason_to_doubt
from paranym.choice.question import Question
from paranym.choice.refusal import refusal
from paranym.choice.shape import depth, price_of_doubling
from paranym.choice.wording import alike, columns, cost, difference, limit, percent, price_tag
from paranym.errors import BadInput, Unattainable
from paranym.model.front import Front, Point

_MOST_TOLD = 14
"""More choices than these are told by their ends."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A point, seen from another one: what it gives more or less, and at what price.

    >>> from paranym.model.front import Solution
    >>> here = Point(12, 30.0, 0.30, (Solution({"age": 2}, 0, 20.0),))
    >>> there = Point(15, 30.8, 0.308, (Solution({"age": 3}, 4, 25.0),))
    >>> Offer(there, than=here).more_k, Offer(there, than=here).sentence()
    (3, 'For 0.80 points more loss (30.80%): at least 15 alike.')
    """

    point: Point
    than: Point

    @property
    def more_k(self) -> int:
        """Negative if it gives up privacy."""
        return self.point.k - self.than.k

    @property
    def more_loss(self) -> float:
        """As a fraction; negative if it saves loss."""
        return self.point.loss_fraction - self.than.loss_fraction

    def sentence(self, max_loss: float = 1.0) -> str:
        """In plain words; also by how much it exceeds a limit, if it does."""
        lost = self.point.loss_fraction
        told = percent(lost, max_loss)
        if not fits(lost, max_loss):
            told += f", {difference(lost - max_loss)} above your limit"
        more = "more" if self.more_loss > 0 else "less"
        return f"For {difference(abs(self.more_loss))} {more} loss ({told}): {alike(self.point.k)}."

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"more_k": self.more_k, "more_loss_fraction": self.more_loss, **self.point.as_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The choice that suits a question best, with its neighbours.

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
        """How many rows may be left out: what was asked, else what the front was computed with."""
        return self.question.allowed_in(self.front)

    @property
    def better(self) -> Offer | None:
        """The next larger k, and what it costs; None if there is none."""
        return self._offer([point for point in self._allowed if point.k > self.point.k][-1:])

    @property
    def cheaper(self) -> Offer | None:
        """The next smaller loss, and what k it gives up; None if there is none."""
        return self._offer([point for point in self._allowed if point.k < self.point.k][:1])

    @property
    def one_point_more(self) -> Offer | None:
        """The best k for one percentage point more loss than the limit, or than the choice if no limit was given."""
        most = self._most_loss(self.point) + ONE_POINT
        within = [point for point in self._allowed if fits(point.loss_fraction, most)]
        return self._offer([point for point in within if point.k > self.point.k][:1])

    @property
    def best_possible_k(self) -> int | None:
        """No solution within the loss has a larger k, found or not; None if that is not known."""
        corners, most = corners_of(self.front, self.allowed_rows), self._most_loss(self._best)
        return max((corner.k for corner in corners or () if fits(corner.loss_fraction, most)), default=None)

    @property
    def least_possible_loss(self) -> float | None:
        """No solution of at least the k loses a smaller fraction, found or not; None if that is not known."""
        corners, least_k = corners_of(self.front, self.allowed_rows), self._least_k(self._cheapest)
        return min((corner.loss_fraction for corner in corners or () if corner.k >= least_k), default=None)

    @property
    def proved(self) -> bool:
        """Whether it is known that nothing better exists for the question, be the front complete or not."""
        corners = corners_of(self.front, self.allowed_rows)
        most, least = self._most_loss(self.point), self._least_k(self.point)
        return corners is not None and all(
            any(choice.k >= corner.k and fits(choice.loss_fraction, corner.loss_fraction) for choice in self.choices)
            for corner in corners
            if corner.k >= least and fits(corner.loss_fraction, most)
        )

    def sentences(self) -> tuple[str, ...]:
        """The answer in plain words."""
        others = len(self.point.alternatives)
        ties = f" {others:,} other {'way reaches' if others == 1 else 'ways reach'} the same." if others else ""
        return (
            self._headline(),
            *self._compared(),
            cost(self.point, self.front, self.allowed_rows),
            columns(self.point, self.front) + ties,
            *self._offers(),
            self._certainty(),
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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
        """Every point that leaves out no more rows than may be."""
        return self.front.within(max_suppressed=self.allowed_rows)

    @property
    def _best(self) -> Point:
        """The best k that was found for the question."""
        return self.point if self.question.max_loss is None else self.choices[0]

    @property
    def _cheapest(self) -> Point:
        """The least loss that was found for the question."""
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
                return f"One choice is within your limits: {alike(point.k)}."
            return f"Of {len(self.choices)} choices within your limits, {alike(point.k)} gives most for its loss."
        if most is not None and point.k == 1:
            what = "nobody can be protected" if self.proved else "no way to protect anybody was found"
            return f"At a loss of at most {limit(most)} {what}: someone stays one of a kind (k = 1)."
        if most is not None:
            return (
                f"At a loss of at most {limit(most)}, everyone in the published table can be one of {alike(point.k)}."
            )
        if least == 1:
            return "A k of 1 asks for no protection at all. This way loses least."
        if point.k == least:
            way = "This way loses least." if self.proved else "Of the ways found, this one loses least."
        else:
            way = f"The way {'' if self.proved else 'found '}that loses least gives {alike(point.k)}."
        return f"Everyone in the published table can be one of {alike(least or 1)}. {way}"

    def _compared(self) -> Iterator[str]:
        """The choices between both limits, of many the ends, and by what one of them was taken."""
        if self.question.max_loss is None or self.question.min_k is None or len(self.choices) == 1:
            return
        cheapest, *others = self.choices[::-1]
        listed = "".join(f", {point.k:,} at {percent(point.loss_fraction)}" for point in others)
        told = listed if len(others) < _MOST_TOLD else f" to {price_tag(others[-1])}"
        price = difference(price_of_doubling(self.front[-1], self.front[0]))
        yield (
            f"The choices: {price_tag(cheapest)}{told}; compared at what twice as many alike cost on average over the "
            f"whole front, {price}."
        )

    def _offers(self) -> Iterator[str]:
        """What the neighbours cost, and what one point more would buy."""
        most, sure = self.question.max_loss, reason_to_doubt(self.front, self.allowed_rows) is None
        if self.better is None:
            yield "No choice protects more." if sure else "No choice that protects more was found."
        else:
            yield self.better.sentence(1.0 if most is None else most)
            yield from self._stretch(sure=sure)
        if self.cheaper is None:
            yield "No choice loses less." if sure else "No choice that loses less was found."
        else:
            yield self.cheaper.sentence()

    def _stretch(self, *, sure: bool) -> Iterator[str]:
        """What one point more would buy, unless that is the next choice."""
        most = self.question.max_loss
        if self.one_point_more is None and most is not None:
            wider = limit(most + ONE_POINT)
            yield (
                f"A limit of {wider} would buy nothing more."
                if sure
                else f"Nothing more was found for a limit of {wider}."
            )
        if self.one_point_more is not None and self.one_point_more != self.better:
            asked = "at most one point more loss" if most is None else f"a limit of {limit(most + ONE_POINT)}"
            yield f"With {asked}: {price_tag(self.one_point_more.point)}."

    def _hopes(self) -> list[str]:
        """How much better a solution could still be, as far as something is known."""
        most_k, least = self.best_possible_k, self.least_possible_loss
        hopes = []
        if most_k is not None and most_k > self._best.k:
            most = self.question.max_loss
            within = percent(self._best.loss_fraction) if most is None else limit(most)
            hopes.append(f"none with more than {most_k:,} alike within {within}")
        if least is not None and not fits(self._cheapest.loss_fraction, least):
            hopes.append(f"none that loses less than {percent(least)} for {alike(self._least_k(self._cheapest))}")
        return hopes

    def _certainty(self) -> str:
        """Whether something better may exist, and how much better at most."""
        doubt = reason_to_doubt(self.front, self.allowed_rows)
        if doubt is None:
            return f"Nothing does better: all {self.front.lattice_nodes:,} generalizations were tried or proved worse."
        if self.proved:
            return f"{doubt}, but it is proved that nothing does better here."
        if self.best_possible_k is None:
            return f"{doubt}, so that a better choice may exist, and how much better is not known."
        bounds = " and ".join(self._hopes()) or "only between the first and the last of these"
        return f"{doubt}, so that a better choice may exist, but {bounds}."


def ask(
    front: Front,
    *,
    max_loss: float | None = None,
    min_k: int | None = None,
    max_suppressed: int | None = None,
    max_suppression: float | None = None,
) -> Answer:
    """The choice that suits best: the best k within a loss, the least loss for a k, or between both limits.

    Between both limits it is the one that gives most for its loss, compared at what a doubling of k costs on average
    over the whole front: the one farthest below the line that defines the knee. Losses are fractions. A suppression
    limit, in rows or as a share, only filters the points of this front: the front of `Problem.with_suppression` may
    hold better ones, and the answer says so. Raises `Unattainable`, which names the nearest that can be had, if no
    point meets all limits.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> for sentence in ask(pn.frontier(problem), max_loss=0.6).sentences():
    ...     print(sentence)
    At a loss of at most 60%, everyone in the published table can be one of at least 3 alike.
    This loses 50.00% of the information (measured by glm). No row is left out, and none may be.
    Replaced by *: age. Kept as it is: sex.
    For 50.00 points more loss (100%, 40.00 points above your limit): at least 6 alike.
    A limit of 61% would buy nothing more.
    For 50.00 points less loss (0%): no protection (k = 1).
    Nothing does better: all 8 generalizations were tried or proved worse.
    """
    question = Question(max_loss=max_loss, min_k=min_k, max_suppressed=max_suppressed, max_suppression=max_suppression)
    return answer(front, question)


def answer(front: Front, question: Question) -> Answer:
    """The same for a question that was put together before."""
    if question.is_open:
        raise BadInput("Ask with a largest loss, a least k, or both; `describe` tells what a whole front looks like.")
    allowed = question.allowed_in(front)
    choices = front.within(max_loss=question.max_loss, min_k=question.min_k, max_suppressed=allowed)
    if not choices:
        raise Unattainable(" ".join(refusal(front, question)))
    if question.max_loss is not None and question.min_k is not None:
        point = max(choices, key=lambda choice: depth(choice, front[0], front[-1]))
    else:
        point = choices[0] if question.min_k is None else choices[-1]
    return Answer(question=question, front=front, point=point, choices=choices)
