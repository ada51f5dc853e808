"""What a front answers, worked out by hand and against brute force over random fronts."""

import dataclasses
import itertools
import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paranym.choice import Answer, Question, ask, describe, knee, regions
from paranym.choice import answer as answer_to
from paranym.choice.points import anonymity, protection
from paranym.errors import BadInput, Unattainable
from paranym.model.cuts import Cut
from paranym.results.front import Corner, Front, Point, Solution

ROWS = 100


def point(k: int, fraction: float, *suppressed: int) -> Point:
    """A point whose solutions suppress so many rows."""
    solutions = tuple(
        Solution({"age": 2, "sex": number, "zip": 0}, rows, 9.0) for number, rows in enumerate(suppressed)
    )
    return Point(k, fraction * 1000, fraction, solutions or (Solution({"age": 2, "sex": 1, "zip": 0}, 0, 9.0),))


def front(*points: Point, limit: int = 10, use: str = "needed", possible: Sequence[Corner] | None = ()) -> Front:
    """Complete, unless it is said what else is possible."""
    return Front(
        method="exact",
        complete=possible == (),
        points=points,
        lattice_nodes=24,
        evaluated_nodes=20,
        decided_nodes=24 if possible == () else 21,
        rows=ROWS,
        metric="glm",
        suppression_use=use,
        suppression_limit=limit,
        heights={"age": 3, "sex": 1, "zip": 2},
        possible=None
        if possible is None
        else tuple(possible) or tuple(Corner(p.k, p.loss, p.loss_fraction) for p in points),
    )


WORKED = front(
    point(100, 1.0),
    point(40, 0.7, 3),
    point(16, 0.31, 4, 6),
    point(12, 0.30, 8),
    point(4, 0.25, 10),
    point(1, 0.0),
)  # fmt: skip


def told(answer: Answer) -> str:
    return " ".join(answer.sentences())


@pytest.mark.parametrize(
    ("limits", "k"),
    [
        ({"max_loss": 0.30}, 12),
        ({"max_loss": 0.2999}, 4),
        ({"max_loss": 1.0}, 100),
        ({"max_loss": 0.0}, 1),
        ({"min_k": 1}, 1),
        ({"min_k": 5}, 12),
        ({"min_k": 16}, 16),
        ({"min_k": 100}, 100),
        ({"max_loss": 0.30, "max_suppressed": 9}, 12),
        ({"max_loss": 0.30, "max_suppressed": 7}, 1),
        ({"min_k": 2, "max_suppressed": 4}, 16),
        ({"min_k": 2, "max_suppression": 0.03}, 40),
        ({"max_loss": 0.305, "min_k": 4}, 12),
    ],
    ids=str,
)
def test_the_choice_that_suits_a_question(limits: dict[str, float], k: int) -> None:
    assert ask(WORKED, **limits).point.k == k  # type: ignore[arg-type]


def test_neighbours_have_a_price() -> None:
    answer = ask(WORKED, max_loss=0.3)

    assert answer.better is not None
    assert answer.cheaper is not None
    assert (answer.better.point.k, answer.better.more_k) == (16, 4)
    assert answer.better.more_loss == pytest.approx(0.01)
    assert (answer.cheaper.point.k, answer.cheaper.more_k) == (4, -8)
    assert answer.cheaper.more_loss == pytest.approx(-0.05)
    assert answer.one_point_more == answer.better


def test_the_ends_have_one_neighbour() -> None:
    most, least = ask(WORKED, min_k=100), ask(WORKED, max_loss=0.1)

    assert (most.better, most.one_point_more, least.cheaper) == (None, None, None)
    assert "No solution has a larger k." in most.sentences()
    assert "No solution loses less." in least.sentences()
    assert "A limit of 11% would not allow a larger k." in least.sentences()


def test_one_point_more_than_the_limit_may_buy_more_than_the_next_choice() -> None:
    close = front(point(100, 1.0), point(30, 0.26), point(20, 0.255), point(10, 0.2), point(1, 0.0))

    assert "With a limit of 26%: k = 30 at 26.0%." in ask(close, max_loss=0.25).sentences()
    assert "With at most one point more loss" not in told(ask(close, min_k=20))
    assert ask(close, min_k=20).one_point_more == ask(close, min_k=20).better


def test_a_neighbour_leaves_out_no_more_rows_than_asked() -> None:
    answer = ask(WORKED, max_loss=0.1, max_suppressed=5)

    assert answer.better is not None
    assert (answer.better.point.k, answer.better.point.suppressed) == (16, 4)
    assert answer.better.point.alternatives == ()


def test_sentences_say_it_in_plain_words() -> None:
    assert ask(WORKED, max_loss=0.31).sentences() == (
        "With an information loss of at most 31%, the largest possible k is 16 with one level per column.",
        ("Information loss: 31.0% of the information (glm). 4 of 100 rows (4.0%) are suppressed; the limit is 10."),
        "Generalized to level: age 2 of 3. Unchanged: sex, zip. 1 other node ties with it.",
        "k = 40 costs 39.0 percentage points more (70.0%, 39.0 percentage points above your limit).",
        "A limit of 32% would not allow a larger k.",
        "k = 12 saves 1.0 percentage points (30.0%).",
        (
            "This is optimal with one level per column: all 24 nodes of the lattice were evaluated or proved to be "
            "dominated."
        ),
    )


def test_a_loss_just_above_the_limit_is_told_apart_from_it() -> None:
    close = front(point(100, 1.0), point(10, 0.25004), point(1, 0.0))

    assert "(25.004%, less than 0.01 percentage points above your limit)" in told(ask(close, max_loss=0.25))
    with pytest.raises(Unattainable, match=r"k = 10 at 25\.004%"):
        ask(close, max_loss=0.25, min_k=10)


def test_a_loss_that_differs_by_rounding_is_within_the_limit() -> None:
    assert ask(front(point(100, 1.0), point(10, 0.1 + 0.2)), max_loss=0.3).point.k == 10


def test_between_both_limits_the_one_that_gives_most_for_its_loss_is_taken() -> None:
    answer = ask(WORKED, max_loss=0.8, min_k=4)

    assert [choice.k for choice in answer.choices] == [40, 16, 12, 4]
    assert answer.point.k == 16
    assert answer.sentences()[:2] == (
        "Of 4 solutions within your limits, k = 16 is the best trade-off.",
        (
            "The solutions: k = 4 at 25.0%, 12 at 30.0%, 16 at 31.0%, 40 at 70.0%; compared by what doubling k costs "
            "on average over the whole front, 15.1 percentage points."
        ),
    )


def test_many_choices_between_both_limits_are_told_by_their_ends() -> None:
    many = front(*(point(k, k / 100) for k in range(30, 0, -1)))

    assert "k = 3 at 3.0% to k = 22 at 22.0%;" in told(ask(many, min_k=3, max_loss=0.22))


def test_more_than_asked_is_said() -> None:
    assert ask(WORKED, min_k=5).sentences()[0] == (
        "k = 5 is possible. The solution with one level per column with the least information loss achieves k = 12."
    )


def test_what_is_proved_of_cuts_is_not_said_of_levels_nor_of_all_recodings() -> None:
    cuts = {"age": Cut("1", ("1", "2"))}
    points = [
        dataclasses.replace(each, solutions=(dataclasses.replace(each.solutions[0], cuts=cuts),)) for each in WORKED
    ]
    answer = ask(dataclasses.replace(WORKED, points=tuple(points)), min_k=12)

    assert answer.sentences()[0].endswith("the least information loss of all with cuts of the hierarchies.")
    assert answer.sentences()[-1].startswith("This is optimal with cuts of the hierarchies: all 24 ")
    assert ask(WORKED, min_k=12).sentences()[0].endswith("the least information loss of all with one level per column.")


def test_no_protection_is_called_so() -> None:
    assert "no k above 1 is possible with one level per column" in ask(WORKED, max_loss=0.2).sentences()[0]
    assert "no protection" in ask(WORKED, min_k=1).sentences()[0]
    assert (protection(1), anonymity(1)) == ("k = 1 (no protection)", "protects nobody (k = 1)")
    assert (protection(2), anonymity(2)) == ("k = 2", "is k-anonymous with k = 2")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            {"min_k": 101},
            "k = 101 is impossible: the table has 100 rows. The largest is k = 100 at 100%.",
        ),
        (
            {"max_loss": 0.25, "min_k": 12},
            (
                "No solution achieves k = 12 with an information loss of at most 25%. "
                "The nearest are k = 12 at 30.0%, and k = 4 at 25.0%."
            ),
        ),
    ],
    ids=str,
)
def test_what_cannot_be_had_is_refused_with_the_nearest(limits: dict[str, float], message: str) -> None:
    with pytest.raises(Unattainable) as refused:
        ask(WORKED, **limits)  # type: ignore[arg-type]

    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_loss": 0.1}, "No solution loses at most 10%; the least is k = 5 at 20.0%."),
        ({"min_k": 60}, "No solution achieves k = 60. The largest is k = 50 at 90.0%."),
        ({"max_loss": 0.1, "min_k": 7}, "No solution loses at most 10%; the least is k = 5 at 20.0%."),
        (
            {"max_loss": 0.5, "max_suppressed": 5},
            (
                "No solution was found that suppresses at most 5 rows; the fewest is 6. "
                "The front was computed for at most 8 suppressed rows, not 5, so such a solution may exist."
            ),
        ),
        (
            {"max_loss": 0.5, "max_suppressed": 6, "min_k": 7},
            (
                "No solution was found that achieves k = 7 with an information loss of at most 50%. "
                "The nearest are k = 50 at 90.0%, and k = 5 at 20.0%."
            ),
        ),
    ],
    ids=str,
)
def test_a_front_without_the_usual_ends_is_refused_likewise(limits: dict[str, float], message: str) -> None:
    every = front(point(50, 0.9, 6), point(20, 0.4, 8), point(5, 0.2, 6), limit=8, use="all")

    with pytest.raises(Unattainable) as refused:
        ask(every, **limits)  # type: ignore[arg-type]

    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_suppressed": 3},
        {"max_loss": -0.1},
        {"max_loss": 1.1},
        {"max_loss": 25},
        {"max_loss": math.nan},
        {"max_loss": "25%"},
        {"max_loss": True},
        {"min_k": 0},
        {"min_k": -2},
        {"min_k": 2.5},
        {"min_k": "abc"},
        {"min_k": 2, "max_suppressed": -1},
        {"min_k": 2, "max_suppressed": 0.5},
        {"min_k": 2, "max_suppression": 5},
        {"min_k": 2, "max_suppression": 0.5, "max_suppressed": 5},
    ],
    ids=str,
)
def test_a_question_that_makes_no_sense_is_bad_input(limits: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        ask(WORKED, **limits)  # type: ignore[arg-type]


def test_an_empty_front_answers_nothing() -> None:
    for question in (lambda: ask(front(), max_loss=0.5), lambda: describe(front())):
        with pytest.raises(Unattainable):
            question()


def test_a_single_point_is_answered_and_described() -> None:
    single = front(point(1, 0.0))

    assert told(ask(single, min_k=1)).count("No solution") == 2
    assert ask(single, min_k=1, max_loss=1.0).sentences()[0] == (
        "One solution is within your limits: k = 1 (no protection)."
    )
    assert describe(single).sentences() == (
        "The Pareto front has one point: k = 1 (no protection) at 0%.",
        "At most 10 of 100 rows (10.0%) may be suppressed.",
        "The front is complete: every other solution with one level per column is dominated by one of its points.",
    )


def test_a_choice_that_leaves_out_all_rows_is_called_empty() -> None:
    nothing = front(point(ROWS, 1.0, ROWS), limit=ROWS)

    assert "All rows are suppressed: the published table is empty." in told(ask(nothing, min_k=2))


INCOMPLETE = front(
    point(100, 1.0), point(16, 0.31), point(4, 0.25), point(1, 0.0),
    possible=[Corner(100, 1000.0, 1.0), Corner(20, 200.0, 0.20), Corner(2, 10.0, 0.01), Corner(1, 0.0, 0.0)],
)  # fmt: skip


def test_an_incomplete_front_says_how_much_better_it_may_get() -> None:
    answer = ask(INCOMPLETE, max_loss=0.3)

    assert (answer.point.k, answer.best_possible_k, answer.least_possible_loss, answer.proved) == (4, 20, 0.20, False)
    assert (ask(INCOMPLETE, min_k=20).least_possible_loss, ask(INCOMPLETE, max_loss=0.2).best_possible_k) == (0.20, 20)
    assert answer.sentences()[-1] == (
        "Not every node was evaluated or proved to be dominated, so a better solution may exist, "
        "but none with k above 20 within 30% and none that loses less than 20.0% with k = 4."
    )
    assert "found" in ask(INCOMPLETE, min_k=16).sentences()[0]
    assert "found" in ask(INCOMPLETE, min_k=10).sentences()[0]


def test_the_k_that_may_be_possible_is_bounded_at_the_loss_of_the_answer() -> None:
    """The answer for k = 4 costs less than 30%, where at most k = 20 is possible; the largest k of all costs 100%."""
    answer = ask(INCOMPLETE, min_k=4)

    assert (answer.point.k, answer.best_possible_k) == (4, 20)


def test_an_incomplete_front_claims_no_more_than_what_was_found() -> None:
    unknown = dataclasses.replace(INCOMPLETE, points=INCOMPLETE.points[1:], possible=None)

    assert "no k above 1 was found" in ask(unknown, max_loss=0.2).sentences()[0]
    assert "No larger k was found for a limit of 21%." in ask(unknown, max_loss=0.2).sentences()
    assert "No solution that loses less was found." in ask(unknown, max_loss=0.2).sentences()
    assert "No solution with a larger k was found." in ask(unknown, min_k=16).sentences()
    with pytest.raises(Unattainable, match=r"No solution was found that achieves k = 20"):
        ask(unknown, min_k=20)


def test_an_incomplete_front_may_prove_an_answer_all_the_same() -> None:
    answer = ask(INCOMPLETE, min_k=50)

    assert (answer.proved, answer.least_possible_loss) == (True, 1.0)
    assert answer.sentences()[-1].endswith("but this solution is proved to be optimal with one level per column.")


def test_proved_ends_do_not_prove_what_lies_between() -> None:
    ends = front(
        point(100, 1.0), point(16, 0.31), point(10, 0.3), point(4, 0.25), point(1, 0.0),
        possible=[Corner(100, 1e3, 1.0), Corner(16, 310.0, 0.31), Corner(12, 260.0, 0.26), Corner(4, 250.0, 0.25)],
    )  # fmt: skip
    answer = ask(ends, max_loss=0.31, min_k=4)

    assert not answer.proved
    assert answer.sentences()[-1].endswith("but only between the first and the last of these.")


def test_a_front_that_proves_nothing_says_that_nothing_is_known() -> None:
    answer = ask(dataclasses.replace(INCOMPLETE, possible=None), max_loss=0.3)

    assert (answer.proved, answer.best_possible_k, answer.least_possible_loss) == (False, None, None)
    assert answer.sentences()[-1].endswith("how much better is not known.")


def test_a_refusal_is_final_only_where_it_is_proved() -> None:
    with pytest.raises(Unattainable, match="such a solution may exist"):
        ask(INCOMPLETE, max_loss=0.2, min_k=10)
    with pytest.raises(Unattainable) as final:
        ask(INCOMPLETE, max_loss=0.2, min_k=30)
    assert "may exist" not in str(final.value)
    with pytest.raises(Unattainable, match="such a solution may exist"):
        ask(dataclasses.replace(INCOMPLETE, possible=None), max_loss=0.2, min_k=30)
    with pytest.raises(Unattainable) as impossible:
        ask(dataclasses.replace(INCOMPLETE, possible=None), min_k=101)
    assert "may exist" not in str(impossible.value)


@pytest.mark.parametrize(("allowed", "use", "bound"), [(5, "needed", 12), (20, "needed", None), (5, "all", None)])
def test_another_suppression_limit_than_that_of_the_front_leaves_doubt(
    allowed: int, use: str, bound: int | None
) -> None:
    answer = ask(dataclasses.replace(WORKED, suppression_use=use), max_loss=0.3, max_suppressed=allowed)

    assert answer.best_possible_k == bound
    assert not answer.proved
    assert f"at most 10 suppressed rows, not {allowed}" in answer.sentences()[-1]


def test_the_knee_lies_farthest_below_the_line_between_the_ends() -> None:
    # on the line: k = 10 at 50%; below it: k = 31 at 40% rather than 74.6%
    bent = [point(100, 1.0), point(31, 0.4), point(10, 0.35), point(1, 0.0)]

    assert knee(bent) == bent[1]
    assert knee([point(100, 1.0), point(10, 0.5), point(1, 0.0)]) is None
    assert knee([point(100, 1.0), point(10, 0.9), point(1, 0.0)]) is None
    assert knee(bent[:2]) is None
    assert knee([]) is None


def test_flat_and_steep_stretches_are_named() -> None:
    # a doubling costs 10 points on average: 5 or less is flat, 20 or more is steep
    stretches = regions([
        point(1024, 1.0), point(512, 0.9), point(256, 0.4), point(64, 0.35), point(16, 0.31), point(15, 0.309),
        point(14, 0.2), point(7, 0.1), point(1, 0.0),
    ])  # fmt: skip

    assert [(region.kind, region.start.k, region.end.k) for region in stretches] == [
        ("flat", 1, 7),
        ("steep", 14, 15),
        ("flat", 15, 256),
        ("steep", 256, 512),
    ]
    assert stretches[-1].price == pytest.approx(0.5)


@pytest.mark.parametrize(("loss", "kinds"), [(0.16, ["flat"]), (0.17, []), (0.66, []), (0.67, ["steep"])])
def test_half_and_twice_the_average_price_are_the_bounds_of_flat_and_steep(loss: float, kinds: list[str]) -> None:
    # k doubles three times in all: a doubling costs a third of everything on average
    found = regions([point(8, 1.0), point(2, loss), point(1, 0.0)])

    assert [region.kind for region in found if region.start.k == 1] == kinds


def test_a_stretch_that_hardly_matters_is_not_told() -> None:
    assert regions([point(64, 1.0), point(4, 1 / 3), point(3, 0.33), point(1, 0.0)]) != ()
    assert [(r.start.k, r.end.k) for r in regions([point(64, 0.06), point(63, 0.0599), point(1, 0.0)])] == []


def test_a_front_is_described_in_plain_words() -> None:
    assert describe(WORKED).sentences() == (
        (
            "The Pareto front has 6 points: from an information loss of 0% of the information (glm) with k = 1 (no "
            "protection) to 100% with k = 100."
        ),
        "At most 10 of 100 rows (10.0%) may be suppressed.",
        "On average, doubling k costs 15.1 percentage points of information loss.",
        "Flat stretches, where a larger k costs little (from k to k, for percentage points of loss): 4 to 16 for 6.0.",
        (
            "The knee is k = 16 at 31.0%, 29.2 percentage points below the straight line between both ends (loss "
            "against the logarithm of k), farther than any other point."
        ),
        "The front is complete: every other solution with one level per column is dominated by one of its points.",
    )
    assert describe(INCOMPLETE).sentences()[-1].endswith("better solutions may exist.")


def test_answers_are_json() -> None:
    for answer in (ask(WORKED, max_loss=0.3), ask(INCOMPLETE, min_k=100), describe(WORKED), describe(INCOMPLETE)):
        document = answer.as_dict()

        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert (document["rows"], document["suppression_limit"], document["metric"]) == (ROWS, 10, "glm")


def test_a_filter_keeps_the_solutions_that_leave_out_few_enough_rows() -> None:
    [kept] = WORKED.within(max_suppressed=5, min_k=12, max_loss=0.5)

    assert (kept.k, len(kept.solutions)) == (16, 1)
    assert WORKED.within() == WORKED.points
    assert WORKED.within(min_k=101) == ()


@st.composite
def fronts(draw: st.DrawFn) -> Front:
    """Points that do not beat one another, with solutions that suppress some rows."""
    size = draw(st.integers(1, 8))
    ks = sorted(draw(st.sets(st.integers(1, ROWS), min_size=size, max_size=size)))
    losses = sorted(draw(st.sets(st.integers(0, 100), min_size=size, max_size=size)))
    rows = st.lists(st.integers(0, 10), min_size=1, max_size=3).map(sorted)
    return front(*(point(k, loss / 100, *draw(rows)) for k, loss in reversed(list(zip(ks, losses, strict=True)))))


fractions = st.integers(0, 100).map(lambda percents: percents / 100)


@given(fronts(), st.none() | fractions, st.none() | st.integers(1, ROWS + 5), st.none() | st.integers(0, 12))
def test_the_choices_are_those_that_meet_all_limits(
    some: Front, max_loss: float | None, min_k: int | None, allowed: int | None
) -> None:
    wanted = [
        each.k
        for each in some
        if (max_loss is None or each.loss_fraction <= max_loss)
        and (min_k is None or each.k >= min_k)
        and (allowed is None or min(solution.suppressed for solution in each.solutions) <= allowed)
    ]

    found = some.within(max_loss=max_loss, min_k=min_k, max_suppressed=allowed)

    assert [each.k for each in found] == wanted
    assert all(
        solution.suppressed <= (10 if allowed is None else allowed) for each in found for solution in each.solutions
    )


@given(fronts(), st.none() | fractions, st.none() | st.integers(1, ROWS + 5), st.none() | st.integers(0, 12))
def test_an_answer_is_the_best_there_is_and_a_refusal_is_right(
    some: Front, max_loss: float | None, min_k: int | None, allowed: int | None
) -> None:
    assume(max_loss is not None or min_k is not None)
    meets = some.within(max_loss=max_loss, min_k=min_k, max_suppressed=allowed)
    question = Question(max_loss=max_loss, min_k=min_k, max_suppressed=allowed)
    if not meets:
        with pytest.raises(Unattainable, match=r"."):
            answer_to(some, question)
        return
    answer = answer_to(some, question)

    assert answer.point in meets
    if min_k is None:
        assert answer.point.k == max(each.k for each in meets)
    if max_loss is None:
        assert answer.point.loss == min(each.loss for each in meets)
    assert answer.proved or allowed not in (None, some.suppression_limit)
    assert answer.as_dict()["sentences"]


@given(fronts(), st.integers(1, ROWS), st.none() | st.integers(0, 12))
def test_offers_are_the_nearest_points(some: Front, min_k: int, allowed: int | None) -> None:
    assume(some.within(min_k=min_k, max_suppressed=allowed))
    answer = ask(some, min_k=min_k, max_suppressed=allowed)
    ks = [each.k for each in some.within(max_suppressed=allowed)]
    more = [
        each.k
        for each in some.within(max_suppressed=allowed, max_loss=answer.point.loss_fraction + 0.01)
        if each.k > answer.point.k
    ]

    better, cheaper, one_more = (
        None if offer is None else offer.point.k for offer in (answer.better, answer.cheaper, answer.one_point_more)
    )

    assert better == min((k for k in ks if k > answer.point.k), default=None)
    assert cheaper == max((k for k in ks if k < answer.point.k), default=None)
    assert one_more == max(more, default=None)


@given(fronts(), st.floats(0.1, 10))
def test_the_knee_is_the_same_in_other_units(some: Front, scale: float) -> None:
    """Measured as the distance from a line on the page, however it is drawn."""
    found = knee(some)
    inner = some.points[1:-1]
    assume(inner)
    (x0, y0), (x1, y1) = ((scale * math.log10(end.k), 3 * end.loss_fraction) for end in (some[-1], some[0]))
    distance = {
        each.k: ((scale * math.log10(each.k) - x0) * (y1 - y0) - (3 * each.loss_fraction - y0) * (x1 - x0))
        / math.hypot(x1 - x0, y1 - y0)
        for each in inner
    }

    if found is None:
        assert max(distance.values()) < 1e-6
    else:
        assert distance[found.k] == pytest.approx(max(distance.values()))


@given(fronts())
def test_stretches_do_not_overlap_and_are_as_cheap_or_dear_as_they_are_called(some: Front) -> None:
    found = regions(some)
    assume(len(some) > 1)
    average = (some[0].loss_fraction - some[-1].loss_fraction) / math.log2(some[0].k / some[-1].k)

    assert all(first.end.k <= second.start.k for first, second in itertools.pairwise(found))
    for region in found:
        assert region.price <= average / 2 + 1e-12 if region.kind == "flat" else region.price >= 2 * average - 1e-12
    assert describe(some).sentences()


def test_a_share_is_taken_in_the_digits_that_were_given() -> None:
    assert Question(min_k=2, max_suppression=0.29).allowed_rows(100) == 29
    assert Question(min_k=2).allowed_rows(100) is None
