"""Forged certificates of fronts of cuts are rejected."""

from copy import deepcopy
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.proof import cuts
from paranym.results.division import Division
from paranym.results.front import Front


@pytest.fixture(autouse=True)
def _without_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate alone has to show what is wrong."""
    monkeypatch.setattr(cuts, "FEW", 0)


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    rows = range(160)
    table = pa.table({
        "age": [20 + (7 * i + i * i // 11) % 40 for i in rows],
        "region": [("north", "south", "east", "west", "centre")[(i * i // 3) % 5] for i in rows],
        "sex": ["F" if (i * i + i // 3) % 5 < 2 else "M" for i in rows],
    })  # fmt: skip
    regions = [["north", "cold", "*"], ["east", "cold", "*"], ["south", "warm", "*"], ["west", "warm", "*"]]
    trees = {"age": {"intervals": [5, 10, 20]}, "region": [*regions, ["centre", "centre", "*"]], "sex": None}
    return pn.Problem(table, quasi_identifiers=trees, suppression_rows=8)


@pytest.fixture(scope="module")
def proved(problem: pn.Problem) -> Front:
    return pn.frontier(problem, recoding="cuts", unconstrained=[])


def forged(front: Front, divided: Division) -> Front:
    """The front with another division in place of the one for the same k."""
    assert front.cut_certificate is not None
    divisions = tuple(divided if each.k == divided.k else each for each in front.cut_certificate.divisions)
    return replace(front, cut_certificate=replace(front.cut_certificate, divisions=divisions))


def longest(front: Front) -> Division:
    assert front.cut_certificate is not None
    return deepcopy(max(front.cut_certificate.divisions, key=len))


def test_the_proof_of_the_search_holds(problem: pn.Problem, proved: Front) -> None:
    assert pn.verify_front(proved, problem).faults == ()
    with patch.object(cuts, "FEW", 10**6):
        assert pn.verify_front(proved, problem).holds
    assert pn.verify_front(proved, problem, recount="all").holds


def test_a_part_that_is_missing_is_noticed(problem: pn.Problem, proved: Front) -> None:
    division = longest(proved)
    assert len(division) > 2
    for column in (division.parent, division.split, division.is_made, division.made, division.excluded):
        column.pop()

    verdict = pn.verify_front(forged(proved, division), problem)

    assert "is not divided into all its cuts" in verdict.faults[0]


def test_a_division_that_ends_too_early_is_noticed(problem: pn.Problem, proved: Front) -> None:
    whole = longest(proved)
    division = Division(
        whole.k, whole.parent[:1], whole.split[:1], whole.is_made[:1], whole.made[:1], whole.excluded[:1]
    )

    verdict = pn.verify_front(forged(proved, division), problem)

    assert "part 0 may have a better cut" in verdict.faults[0]


def test_a_split_that_is_forced_without_reason_is_noticed(problem: pn.Problem, proved: Front) -> None:
    division = longest(proved)
    total = 8 * len(division.made[0])
    made, excluded = division.sets_of(0, total)
    free = np.flatnonzero(~made & ~excluded)
    made[free[0]] = True
    division.made[0] = np.packbits(made).tobytes()

    verdict = pn.verify_front(forged(proved, division), problem)

    assert "is made or excluded without a reason" in verdict.faults[0]


def test_a_bound_that_is_too_high_is_noticed(problem: pn.Problem, proved: Front) -> None:
    """Without a point, the certificate would have to show that nothing loses less than the next point."""
    for missing in range(len(proved)):
        points = tuple(point for number, point in enumerate(proved) if number != missing)
        assert pn.verify_front(replace(proved, points=points), problem).faults


def test_a_k_that_is_not_asked_for_is_noticed(problem: pn.Problem, proved: Front) -> None:
    certificate = proved.cut_certificate
    assert certificate is not None
    for missing in range(len(certificate.divisions)):
        divisions = tuple(each for number, each in enumerate(certificate.divisions) if number != missing)
        front = replace(proved, cut_certificate=replace(certificate, divisions=divisions))
        assert "does not cover every k" in pn.verify_front(front, problem).faults[0]


def test_values_that_are_not_those_of_the_cut_are_noticed(problem: pn.Problem, proved: Front) -> None:
    first, *rest = proved.points
    better = replace(first, loss=first.loss * 0.99, loss_fraction=first.loss_fraction * 0.99)

    assert "does not have the values" in pn.verify_front(replace(proved, points=(better, *rest)), problem).faults[0]


def test_a_front_without_its_certificate_is_not_confirmed(problem: pn.Problem, proved: Front) -> None:
    assert "has no certificate" in pn.verify_front(replace(proved, cut_certificate=None), problem).faults[0]


def test_a_front_of_another_table_is_rejected(problem: pn.Problem, proved: Front) -> None:
    assert not pn.verify_front(proved, problem.with_suppression(rows=3)).holds
