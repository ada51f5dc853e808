"""POkA on the Adult table evaluates and finds what was measured with an independent prototype."""

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput
from paranym.model.lattice import Node
from paranym.search.base import Space
from paranym.search.lattice.poka import poka
from samples import adult_problem


def points(front: pn.Front) -> set[tuple[int, float]]:
    return {(point.k, round(point.loss, 6)) for point in front if point.k >= 2}


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return adult_problem("glm", 0.01, "all")


@pytest.fixture(scope="module")
def optima(problem: pn.Problem) -> set[tuple[int, float]]:
    return points(pn.frontier(problem, method="exact"))


@pytest.mark.parametrize(("depth", "evaluated", "found"), [(1, 0.037, 28), (2, 0.136, 40), (3, 0.304, 43)])
def test_deeper_searches_evaluate_more_and_find_more(
    problem: pn.Problem, optima: set[tuple[int, float]], depth: int, evaluated: float, found: int
) -> None:
    front = pn.frontier(problem, method="poka", depth=depth)

    assert len(optima) == 43
    assert front.evaluated_nodes / front.lattice_nodes == pytest.approx(evaluated, abs=0.0005)
    assert len(points(front) & optima) == found
    assert not front.complete


def test_the_average_depth_is_3_and_the_default(problem: pn.Problem) -> None:
    default = pn.frontier(problem, method="poka")

    assert default.evaluated_nodes == pn.frontier(problem, method="poka", depth=3).evaluated_nodes


def test_a_plateau_of_classification_error_is_crossed() -> None:
    problem = adult_problem("ce", 0.01, "all")
    optima = points(pn.frontier(problem, method="exact"))

    front = pn.frontier(problem, method="poka", depth=3)

    assert len(optima) == 8
    assert points(front) == optima
    assert front.evaluated_nodes / front.lattice_nodes == pytest.approx(0.25, abs=0.005)


def test_a_walk_from_a_lower_node_finds_no_larger_k(problem: pn.Problem) -> None:
    start = Node((4, 2, 2, 2, 1, 0, 3, 0))
    evaluator = problem.evaluator()
    space = Space(problem.lattice, problem.rows, one_step=True, surcharge_falls=True, per_level=evaluator.per_level())

    first, *_, last = poka(space, evaluator, depth=2, start=start)

    assert first.found.levels.tolist() == [list(start.levels)]
    assert last.found.k.max() <= first.found.k.max()
    assert last.found.k.min() <= 2


@pytest.mark.parametrize("depth", ["best", "worst"])
def test_the_depths_of_section_4_3_go_by_name(depth: str) -> None:
    folder = adult().parent
    small = ("age", "sex", "race")
    problem = pn.Problem(
        folder / "adult.csv",
        quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in small},
        suppression=0.01,
        suppression_use="all",
    )

    front = pn.frontier(problem, method="poka", depth=depth)  # type: ignore[arg-type]

    assert points(front) == points(pn.frontier(problem, method="exact"))


def test_only_poka_has_a_depth(problem: pn.Problem) -> None:
    with pytest.raises(BadInput, match="Only the method 'poka'"):
        pn.frontier(problem, method="exact", depth=2)


@pytest.mark.parametrize("depth", [0, -3, 1.5])
def test_a_senseless_depth_is_refused(problem: pn.Problem, depth: int) -> None:
    with pytest.raises(BadInput, match="A depth is a positive whole number"):
        pn.frontier(problem, method="poka", depth=depth)


@pytest.mark.parametrize("use", ["needed", "all"])
def test_every_solution_of_a_point_has_its_loss(use: str) -> None:
    problem = pn.Problem(
        pa.table({"q": ["a", "a"]}),
        quasi_identifiers={"q": [["a", "g", "*"]]},
        suppression=1.0,
        suppression_use=use,
    )

    [point] = pn.frontier(problem, method="poka")

    assert (point.k, point.loss) == (2, 0.0)
    assert [(tuple(each.levels.values()), each.suppressed) for each in point.solutions] == [((2,), 0)]


def test_dominated_steps_of_the_node_that_a_walk_starts_from_are_no_results() -> None:
    """The normalized class size may fall when rows are suppressed, so a step may dominate one of its own node."""
    table = pa.table({"q": [*"aaa", *"bb", "c"]})
    lines = [["a", "*"], ["b", "*"], ["c", "*"]]
    problem = pn.Problem(table, quasi_identifiers={"q": lines}, metric="c-avg", suppression=1.0)
    evaluator = problem.evaluator(cores=1)
    space = Space(problem.lattice, problem.rows, one_step=False, surcharge_falls=False)

    first = next(poka(space, evaluator, start=Node((0,))))

    everything = evaluator(np.array([[0]], np.int64)).solutions
    assert len(first.found) < len(everything)
    assert list(zip(first.found.k.tolist(), first.found.loss.tolist(), strict=True)) == [(6, 6.0), (3, 1.0)]
