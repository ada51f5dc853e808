"""Requirements on classes: searches find what the definitions, read once more and slowly, say."""

from collections import Counter
from collections.abc import Callable
from math import exp, log
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput, RecipeFault, Unattainable
from reference import Levels, Release, Row, Sample, Solution, loss_of, nodes, unbeaten
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
    """For every class size: the classes of at least that size, less those that break the requirement."""
    meets = DEMANDS[demand][1]
    classes = sample.classes(node)
    told: dict[int, Release] = {}
    for size in [*sorted({len(group) for group in classes}), len(sample.rows) + 1]:
        kept = [group for group in classes if len(group) >= size]
        while True:
            released = [row for group in kept for row in group]
            good = [group for group in kept if meets(group, released, list(sample.rows))]
            if len(good) == len(kept):
                break
            kept = good
        gone = tuple(row for group in classes if group not in kept for row in group)
        k = min((len(group) for group in kept), default=len(sample.rows))
        if len(gone) <= limit:
            told.setdefault(len(gone), Release(sample, node, k, tuple(kept), gone))
    releases = [told[lost] for lost in sorted(told)]
    weighted_k = sum(len(group) ** 2 for group in classes) / len(sample.rows)
    return [
        Solution(node, release.k, len(release.gone), loss_of(release, "glm"), weighted_k)
        for release in (releases[-1:] if only_highest else releases)
        if release.k >= (2 if demand == "k" else 1)
    ]


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
@given(sample=samples(), share=SHARES)
def test_searches_find_what_the_definitions_say(demand: str, use: str, sample: Sample, share: float) -> None:
    problem = problem_of(sample, demand, share, use)
    limit = problem.suppression.limit(len(sample.rows))
    every = [
        one
        for node in nodes(sample.heights)
        for one in solutions(sample, node, demand, limit, only_highest=use == "all")
    ]
    best = unbeaten(every)
    expected = [
        (k, sorted((one.node, one.suppressed) for one in best if one.k == k))
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


@pytest.mark.parametrize(
    ("privacy", "message"),
    [
        ({"l": 0}, "privacy.l.0.value"),
        ({"l": {"value": 2, "kind": "entropic"}}, "privacy.l.0.kind"),
        ({"l": {"value": 2, "sort": "entropy"}}, "known here are value, attribute, kind, c"),
        ({"k": 0}, "privacy.k"),
        ({"l": {"value": 2, "c": 3}}, "only recursive"),
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
        ({"l": {"value": 2, "attribute": "age"}}, ["illness"], "not the role 'sensitive'"),
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
