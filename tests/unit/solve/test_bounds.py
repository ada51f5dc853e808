"""Lower bounds, on tables that are worked out by hand."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput, Unattainable
from paranym.results.bound import SCALE
from paranym.solve.bounds import bounds_so_far

PETS = pa.table({"pet": ["cat", "dog", "dog", "owl"]})
TREE = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"], ["hen", "feathers", "*"]]


def pets() -> pn.Problem:
    return pn.Problem(PETS, quasi_identifiers={"pet": TREE})


def people(rows: int = 40, *, seed: int = 0) -> pn.Problem:
    """Two numbers, one of them with missing values, and a category."""
    rng = np.random.default_rng(seed)
    ages = [None if each == 30 else int(each) for each in rng.integers(20, 31, rows)]
    table = pa.table({"age": ages, "hours": rng.integers(0, 8, rows), "pet": rng.choice(["cat", "dog", "owl"], rows)})
    return pn.Problem(table, quasi_identifiers={"age": None, "hours": None, "pet": TREE})


def test_pets_cost_what_the_best_groups_cost() -> None:
    """Cat and one dog are fur (2 of 4 leaves); dog and owl have only the top in common. Two dogs cost nothing.

    The best groups at k = 2: all four together cost 4; {dog, dog} and {cat, owl} cost 2; {cat, dog} and {dog, owl} cost
    2 x 1/2 + 2 = 3. In the proof, dogs are worth 0, the cat at most 1, what two rows of fur cost, and the owl 1.
    """
    bound = pn.lower_bound(pets(), k=2)

    assert bound.ncp == pytest.approx(2, abs=1e-6)
    assert bound.ncp <= 2
    assert bound.values.tolist() == pytest.approx([SCALE, 0, SCALE], rel=1e-6)


def test_no_row_is_worth_more_than_its_suppression() -> None:
    """The owl shares nothing with the others. In a group with them it costs all of them, suppressed only itself."""
    table = pa.table({"pet": ["cat", "cat", "cat", "owl"]})
    bound = pn.lower_bound(pn.Problem(table, quasi_identifiers={"pet": TREE}), k=2)

    assert bound.ncp == pytest.approx(1, abs=1e-6)  # suppressing the owl costs exactly that


def test_weights_count() -> None:
    table = pa.table({"age": [20, 40], "pet": ["cat", "dog"]})
    problem = pn.Problem(table, quasi_identifiers={"age": None, "pet": TREE}, weights={"age": 3})
    bound = pn.lower_bound(problem, k=2)

    assert bound.weight == 4
    assert bound.ncp == pytest.approx(2 * (3 * 1 + 1 / 2), abs=1e-6)


def test_every_step_is_valid_and_none_is_lower() -> None:
    problem = people()
    steps = list(bounds_so_far(problem, 5))

    assert steps[0].ncp == 0
    assert [step.ncp for step in steps] == sorted(step.ncp for step in steps)
    assert all(pn.verify_bound(step, problem).holds for step in steps)
    assert steps[-1].ncp > 0


def test_a_search_that_may_not_take_long_still_ends_with_a_bound() -> None:
    problem = people()
    told: list[pn.LowerBound] = []
    bound = pn.lower_bound(problem, 5, seconds=1e-9, tell=told.append)

    assert bound.passes == 0
    assert told[-1] is bound
    assert pn.lower_bound(problem, 5, passes=1).passes == 1


def test_local_recodings_lie_above_the_bound() -> None:
    problem = people(200)
    for bound in pn.lower_bound(problem, [2, 5, 20]):
        for method in ("top-down", "bottom-up", "mondrian"):
            assert pn.recode_locally(problem, bound.k, method=method).assessment.ncp_fraction >= bound.ncp_fraction


def test_the_required_k_is_what_counts() -> None:
    problem = pn.Problem(PETS, quasi_identifiers={"pet": TREE}, privacy={"k": 2})

    assert pn.lower_bound(problem, 1).k == 2


@pytest.mark.parametrize(
    ("k", "options", "message"),
    [(0, {}, "k is a whole number"), (2, {"passes": 0}, "passes is"), (2, {"seconds": 0.0}, "seconds is")],
)
def test_what_makes_no_sense_is_refused(k: int, options: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        pn.lower_bound(pets(), k, **options)  # type: ignore[call-overload]


def test_more_rows_than_there_are_cannot_be_required() -> None:
    with pytest.raises(Unattainable, match="4 rows"):
        pn.lower_bound(pets(), 5)


def test_forged_bounds_are_rejected() -> None:
    problem = people()
    bound = pn.lower_bound(problem, 4)
    forgeries = {
        "exceeds the cost": replace(bound, values=np.full_like(bound.values, SCALE + 1)),
        "negative": replace(bound, values=bound.values - SCALE),
        "other combinations": replace(bound, values=bound.values[1:]),
        "other rows": replace(bound, counts=bound.counts + 1),
        "rows of weight": replace(bound, weight=bound.weight * 2),
        "no k": replace(bound, k=0),
        "whole numbers": replace(bound, values=bound.values / 1.0),  # type: ignore[arg-type]
        "largest values of a box": replace(bound, values=np.full_like(bound.values, SCALE)),
    }

    for why, forged in forgeries.items():
        verdict = pn.verify_bound(forged, problem)
        assert not verdict.holds
        assert any(why in fault for fault in verdict.faults)


def test_a_slightly_raised_bound_is_rejected() -> None:
    """One box of all rows: every value is 1, and one part more is one too many."""
    table = pa.table({"age": [20, 40, 60]})
    problem = pn.Problem(table, quasi_identifiers={"age": None})
    exact = replace(pn.lower_bound(problem, 3), values=np.full(3, SCALE))

    assert pn.verify_bound(exact, problem).holds
    half = replace(pn.lower_bound(problem, 2), values=np.array([SCALE // 2, SCALE // 2, SCALE // 2]))
    assert pn.verify_bound(half, problem).holds
    for place in range(3):
        forged = half.values.copy()
        forged[place] += 1
        assert not pn.verify_bound(replace(half, values=forged), problem).holds


def test_a_bound_for_json_has_its_certificate_on_request() -> None:
    bound = pn.lower_bound(pets(), 2)

    assert "values" not in bound.as_dict()
    assert bound.as_dict(certificate=True)["values"] == bound.values.tolist()
    assert bound.as_dict()["bound_fraction"] == bound.ncp_fraction
