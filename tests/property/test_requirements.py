"""Requirements on classes: searches find what the definitions, read once more and slowly, say."""

import itertools
from collections import Counter
from collections.abc import Callable
from math import exp, log
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput, RecipeFault, Unattainable
from reference import Levels, Release, Row, Sample, Solution, loss_of, nodes, non_dominated
from samples import SHARES, samples

Meets = Callable[[list[Row], list[Row], list[Row]], bool]
"""Whether a class meets a requirement, given the released rows and all rows."""


def shares(rows: list[Row]) -> dict[str, float]:
    return {illness: count / len(rows) for illness, count in Counter(row.illness for row in rows).items()}


def distance(group: list[Row], reference: list[Row]) -> float:
    mine, theirs = shares(group), shares(reference)
    return sum(abs(mine.get(value, 0) - theirs.get(value, 0)) for value in {*mine, *theirs}) / 2


DEMANDS: dict[str, tuple[dict[str, Any], Meets]] = {
    "distinct": ({"l": {"value": 2, "kind": "distinct"}}, lambda group, *_: len(shares(group)) >= 2),
    "frequency": ({"l": 1.5}, lambda group, *_: 1 / max(shares(group).values()) >= 1.5 - 1e-9),
    "entropy": (
        {"l": {"value": 1.5, "kind": "entropy"}},
        lambda group, *_: exp(-sum(p * log(p) for p in shares(group).values())) >= 1.5 - 1e-9,
    ),
    "closeness to the original": (
        {"t": {"value": 0.3, "reference": "original"}},
        lambda group, _, original: distance(group, original) <= 0.3 + 1e-9,
    ),
    "closeness to the release": ({"t": 0.3}, lambda group, released, _: distance(group, released) <= 0.3 + 1e-9),
    "k": ({"k": 2}, lambda *_: True),
    "both references": (
        {"t": [{"value": 0.5}, {"value": 0.4, "reference": "original"}], "p": 1},
        lambda group, released, original: (
            distance(group, released) <= 0.5 + 1e-9 and distance(group, original) <= 0.4 + 1e-9
        ),
    ),
}


def solutions(sample: Sample, node: Levels, demand: str, limit: int, *, only_highest: bool) -> list[Solution]:
    """Every set of classes that may be suppressed so that the others meet the requirement, and none in vain."""
    meets = DEMANDS[demand][1]
    classes = sample.classes(node)
    weighted_k = sum(len(group) ** 2 for group in classes) / len(sample.rows)
    allowed: list[tuple[frozenset[int], Release]] = []
    for number in range(len(classes) + 1):
        for gone in map(frozenset, itertools.combinations(range(len(classes)), number)):
            kept = tuple(group for place, group in enumerate(classes) if place not in gone)
            released = [row for group in kept for row in group]
            k = min(map(len, kept), default=len(sample.rows))
            suppressed = tuple(row for place in gone for row in classes[place])
            if len(suppressed) > limit or k < (2 if demand == "k" else 1):
                continue
            if any(fewer < gone and k <= other.k for fewer, other in allowed):
                continue  # some class is suppressed in vain
            if all(meets(group, released, list(sample.rows)) for group in kept):
                allowed.append((gone, Release(sample, node, k, kept, suppressed)))
    highest = max((release.k for _, release in allowed), default=0)
    found = {
        Solution(node, release.k, len(release.gone), loss_of(release, "glm"), weighted_k)
        for _, release in allowed
        if not only_highest or release.k == highest
    }
    return list(found)


def problem_of(sample: Sample, demand: str, share: float, use: str) -> pn.Problem:
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    return pn.Problem(
        pa.table({**columns, "illness": [row.illness for row in sample.rows]}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        sensitive=["illness"],
        suppression=share,
        suppression_use=use,
        privacy=DEMANDS[demand][0],
    )


def points(front: pn.Front) -> list[tuple[int, list[tuple[Levels, int]]]]:
    return [
        (point.k, sorted((tuple(each.levels.values()), each.suppressed) for each in point.solutions)) for point in front
    ]


@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("demand", DEMANDS)
@settings(max_examples=12)
@given(sample=samples(most_attributes=2, most_rows=9), share=SHARES)
def test_searches_find_what_the_definitions_say(demand: str, use: str, sample: Sample, share: float) -> None:
    problem = problem_of(sample, demand, share, use)
    limit = problem.suppression.limit(len(sample.rows))
    every = [
        one
        for node in nodes(sample.heights)
        for one in solutions(sample, node, demand, limit, only_highest=use == "all")
    ]
    best = non_dominated(every)
    expected = [
        (k, sorted({(one.node, one.suppressed) for one in best if one.k == k}))
        for k in sorted({one.k for one in best}, reverse=True)
    ]
    if not expected:
        with pytest.raises(Unattainable):
            pn.frontier(problem, method="exhaustive", cores=1)
        with pytest.raises(Unattainable):
            pn.frontier(problem, cores=1)
        return

    front = pn.frontier(problem, cores=1)

    assert points(pn.frontier(problem, method="exhaustive", cores=1)) == expected
    assert points(front) == expected
    assert pn.verify_front(front, problem).faults == ()


def points_in_k_and_loss(**arguments: Any) -> list[tuple[int, float]]:
    found = {}
    for method in ("exact", "exhaustive"):
        problem = pn.Problem(
            pa.table({"q": arguments["q"], "s": arguments["s"]}),
            quasi_identifiers=["q"],
            sensitive=["s"],
            metric="dcn",
            suppression_rows=arguments["rows"],
            privacy={"t": {"value": arguments["t"], "reference": arguments["reference"]}},
        )
        front = pn.frontier(problem, method=method)
        assert front.complete
        assert front.suppression_searched == (arguments["reference"] == "released")
        assert ("sets of suppressed classes" in front.summary()) == front.suppression_searched
        assert pn.verify_front(front, problem).holds
        found[method] = [(point.k, point.loss) for point in front]
    assert found["exact"] == found["exhaustive"]
    return found["exact"]


@pytest.mark.parametrize(
    ("reference", "rows", "expected"),
    [
        ("released", 4, [(8, 64.0), (4, 48.0), (3, 33.0)]),
        ("released", 5, [(8, 64.0), (4, 48.0), (3, 33.0)]),
        ("original", 4, [(8, 64.0)]),
        ("original", 5, [(8, 64.0), (3, 49.0)]),
    ],
)
def test_a_larger_limit_takes_no_solution_away(reference: str, rows: int, expected: list[tuple[int, float]]) -> None:
    found = points_in_k_and_loss(q=list("aaabcccc"), s=list("vuuuuvvu"), t=0.1, rows=rows, reference=reference)

    assert found == expected


@pytest.mark.parametrize(
    ("reference", "expected"), [("released", [(10, 100.0), (2, 44.0)]), ("original", [(10, 100.0)])]
)
def test_one_suppressed_class_may_let_the_others_meet_the_requirement(
    reference: str, expected: list[tuple[int, float]]
) -> None:
    """All but class a break the requirement; without d, the released rows are such that none does."""
    found = points_in_k_and_loss(q=list("bcdaa") * 2, s=list("vvuuv") * 2, t=0.25, rows=4, reference=reference)

    assert found == expected


@pytest.mark.parametrize(("method", "metric"), [("poka", "dcn"), ("exhaustive", "c-avg")])
def test_sets_of_classes_are_called_optimal_only_if_the_front_is_complete(method: str, metric: str) -> None:
    """POkA proves nothing, and suppressing class c, which no requirement asks for, would lower C_AVG."""
    problem = pn.Problem(
        pa.table({"q": list("aabb" + "c" * 9), "s": list("uvuvuvuvuvuvu")}),
        quasi_identifiers=["q"],
        sensitive=["s"],
        metric=metric,
        suppression_rows=9,
        privacy={"t": 1.0},
    )

    front = pn.frontier(problem, method=method)

    assert front.suppression_searched
    assert not front.complete
    assert front.possible is None
    assert "; not proved optimal over all sets of suppressed classes" in front.summary()
    if metric == "c-avg":
        assert "Not every set of classes that could be suppressed was tried" in str(pn.ask(front, min_k=2).sentences())


@pytest.mark.parametrize("objectives", [("k", "loss"), ("k", "suppression", "loss")])
@pytest.mark.parametrize("metric", ["dcn", "glm"])
def test_sets_of_classes_that_give_the_same_solution_are_listed_once(metric: str, objectives: tuple[str, ...]) -> None:
    """Publish a and b, or c and d: either way two classes of two rows are left."""
    problem = pn.Problem(
        pa.table({"q": list("aabbccdd"), "s": list("uwuwwvvw")}),
        quasi_identifiers=["q"],
        sensitive=["s"],
        metric=metric,
        suppression_rows=4,
        privacy={"t": 0.2},
        objectives=objectives,
    )

    for method in ("exact", "exhaustive"):
        front = pn.frontier(problem, method=method)

        assert front.complete
        assert [(point.k, point.suppressed, len(point.solutions)) for point in front] == [(8, 0, 1), (2, 4, 1)]
        assert pn.verify_front(front, problem, recount="all").faults == ()


@pytest.mark.parametrize("order", ["ABCD", "ADCB", "CBAD", "DACB"])
def test_of_sets_of_as_many_rows_the_one_that_loses_least_counts(order: str) -> None:
    """Two pairs of classes can be published; the labels of one pair stand for more leaves."""
    leaves = {"A": ["a", "a"], "B": ["b1", "b2"], "C": ["c", "c"], "D": ["d1", "d2"]}
    tree = [(leaf, leaf[0].upper(), "*") for leaf in ("a", "b1", "b2", "c", "d1", "d2", "d3")]
    problem = pn.Problem(
        pa.table({"q": [leaf for label in order for leaf in leaves[label]], "s": list("uwuwwvvw")}),
        quasi_identifiers={"q": tree},
        sensitive=["s"],
        suppression_rows=4,
        privacy={"t": 0.2, "k": 2},
    )
    costs = {"A": 0, "B": 2 / 6, "C": 0, "D": 2 * 2 / 6}
    least = 4 + min(costs[order[0]] + costs[order[1]], costs[order[2]] + costs[order[3]])

    front = pn.frontier(problem)

    assert front.complete
    assert [(point.k, point.loss) for point in front] == [(8, 8.0), (2, pytest.approx(least))]
    assert pn.verify_front(front, problem, recount="all").faults == ()


@pytest.mark.parametrize("demand", DEMANDS)
@settings(max_examples=10)
@given(sample=samples(most_attributes=2, most_rows=9), rows=st.integers(0, 8))
def test_a_front_never_gets_worse_when_the_limit_grows(demand: str, sample: Sample, rows: int) -> None:
    def front(limit: int) -> list[pn.Point]:
        try:
            return list(pn.frontier(problem_of(sample, demand, 0, "needed").with_suppression(rows=limit), cores=1))
        except Unattainable:
            return []

    smaller, larger = front(min(rows, len(sample.rows))), front(min(rows + 1, len(sample.rows)))

    for point in smaller:
        assert any(one.k >= point.k and one.loss <= point.loss * (1 + 1e-9) for one in larger)


@pytest.mark.parametrize(
    ("privacy", "message"),
    [
        ({"l": 0}, "privacy.l.0.value"),
        ({"l": {"value": 2, "kind": "entropic"}}, "privacy.l.0.kind"),
        ({"l": {"value": 2, "sort": "entropy"}}, "known here are value, attribute, kind, c"),
        ({"k": 0}, "privacy.k"),
        ({"l": {"value": 2, "c": 3}}, "only the kind 'recursive' has a c"),
        ({"suppression": 0.1}, "arguments of its own"),
        ({"q": 3}, "unknown key"),
    ],
)
def test_a_senseless_demand_names_its_place(privacy: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeFault, match=message):
        small(privacy=privacy)


@pytest.mark.parametrize(
    ("privacy", "sensitive", "message"),
    [
        ({"l": 2}, [], "no column has the role 'sensitive'"),
        ({"l": {"value": 2, "attribute": "age"}}, ["illness"], "not have the role 'sensitive'"),
        ({"t": {"value": 0.2, "distance": "ordered"}}, ["illness"], "text, which has no order"),
        ({"t": {"value": 0.2, "distance": "hierarchical"}}, ["illness"], "needs a hierarchy"),
        ({"t": 0.2}, {"illness": [["flu", "*"], ["cold", "*"]]}, "is not used"),
        ({"alpha": {"value": 0.5, "only": "gout"}}, ["illness"], "has no value"),
    ],
)
def test_a_demand_that_the_table_cannot_answer_says_why(privacy: Any, sensitive: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        small(privacy=privacy, sensitive=sensitive)


def small(**changes: Any) -> pn.Problem:
    table = pa.table({"age": [1, 1, 2, 2], "illness": ["flu", "cold", "flu", "flu"]})
    return pn.Problem(table, **({"quasi_identifiers": ["age"], "sensitive": ["illness"]} | changes))


def test_alpha_of_one_value_lets_others_be_frequent() -> None:
    allowed = pn.frontier(small(privacy={"alpha": {"value": 0.5, "only": "cold"}}))
    refused = pn.frontier(small(privacy={"alpha": {"value": 0.75}}))

    assert [point.levels["age"] for point in allowed] == [1, 0]
    assert [point.levels["age"] for point in refused] == [1]


def test_what_cannot_be_met_says_so() -> None:
    with pytest.raises(Unattainable, match="frequency l-diversity of 'illness' at least 3 by suppressing at most 0 of"):
        pn.frontier(small(privacy={"l": 3}))


def test_poka_meets_demands() -> None:
    folder = adult().parent
    problem = pn.Problem(
        folder / "adult.csv",
        quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in ("age", "education", "race")},
        sensitive=["occupation"],
        suppression=0.01,
        privacy={"k": 5, "l": {"value": 3, "kind": "entropy"}},
    )
    every = pn.frontier(problem, method="exhaustive")

    found = pn.frontier(problem, method="poka", depth=2)

    assert all(point.k >= 5 for point in found)
    assert all(any(best.k >= point.k and best.loss <= point.loss for best in every) for point in found)


@pytest.mark.parametrize("reference", ["released", "original"])
@pytest.mark.parametrize("use", ["needed", "all"])
def test_one_class_of_all_rows_that_meets_a_requirement_is_not_suppressed(use: str, reference: str) -> None:
    problem = pn.Problem(
        pa.table({"q": ["a", "a", "a"], "illness": ["flu", "cold", "cold"]}),
        quasi_identifiers={"q": [["a", "g", "*"]]},
        sensitive=["illness"],
        metric="height",
        suppression=1.0,
        suppression_use=use,
        privacy={"t": {"value": 0.1, "reference": reference}},
    )

    for front in (pn.frontier(problem), pn.frontier(problem, method="exhaustive")):
        assert [(point.k, point.suppressed, len(point.solutions)) for point in front] == [(3, 0, 1)]
        assert pn.verify_front(front, problem).faults == ()
