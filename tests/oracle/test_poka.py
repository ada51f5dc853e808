"""The POkA paper (CIKM 2009): its example, and the Adult table with hierarchies of the heights of its Table 2."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.datasets import adult
from samples import adult_problem


@pytest.fixture
def people() -> pn.Problem:
    """Table 1, left."""
    table = pa.table(
        {
            "zip": ["12345", "12346", "12345", "12355", "12355", "12356"],
            "sex": ["M", "M", "F", "F", "M", "M"],
            "salary": ["<50K", "<50K", "<50K", ">=50K", ">=50K", ">=50K"],
        }
    )
    zips = [[code, code[:4] + "*", code[:3] + "**", "*"] for code in ("12345", "12346", "12355", "12356")]
    return pn.Problem(table, quasi_identifiers={"zip": zips, "sex": None, "salary": None})


def test_the_node_of_table_1_is_3_anonymous(people: pn.Problem) -> None:
    solutions = people.evaluator()(np.array([[1, 1, 0]]))

    assert solutions.k.tolist() == [3]
    assert solutions.weighted_k.tolist() == [3.0]
    # a zip costs (2 - 1) / (4 - 1) in each of 6 rows, sex 1 in each, salary nothing
    assert solutions.loss.tolist() == [6 / 3 + 6]


def test_table_1_is_on_its_front(people: pn.Problem) -> None:
    front = pn.frontier(people)

    assert {"zip": 1, "sex": 1, "salary": 0} in [point.levels for point in front if point.k == 3]


@pytest.mark.parametrize(
    ("metric", "use", "points"),
    [("glm", "all", 44), ("glm", "needed", 52), ("dcn", "all", 29), ("dcn", "needed", 46)],
)
def test_the_exhaustive_front_of_adult_has_as_many_points_as_known(metric: str, use: str, points: int) -> None:
    problem = adult_problem(metric, 0.01, use)

    front = pn.frontier(problem, method="exhaustive")

    assert (front.lattice_nodes, front.evaluated_nodes, front.complete) == (17920, 17920, True)
    assert len(front) == points


@pytest.mark.parametrize(("use", "points"), [("all", 9), ("needed", 20)])
def test_the_front_of_classification_error_has_as_many_points_as_known(use: str, points: int) -> None:
    problem = adult_problem("ce", 0.01, use)

    front = pn.frontier(problem, method="exhaustive")

    assert front.lattice_nodes == 8960
    assert len(front) == points


def test_the_shipped_table_and_hierarchies_are_those_of_the_measurements(shared: Path) -> None:
    folder = adult().parent

    assert (folder / "adult.csv").read_bytes() == (shared / "data" / "adult_30162.csv").read_bytes()
    for path in (folder / "hierarchies").iterdir():
        original = shared / "data" / "hierarchies" / "poka" / f"adult_hierarchy_{path.name}"
        assert path.read_bytes() == original.read_bytes()
