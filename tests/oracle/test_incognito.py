"""The Patients table of the Incognito paper (SIGMOD 2005, Figure 1) and the searches of its Figure 5."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn

PATIENTS = pa.table(
    {
        "birthdate": ["1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"],
        "sex": ["Male", "Female", "Male", "Male", "Female", "Female"],
        "zipcode": ["53715", "53715", "53703", "53703", "53706", "53706"],
    }
)
HIERARCHIES = {
    "birthdate": None,
    "sex": None,
    # Figure 2 (b): 53715 under 5371*, 53703 and 53706 under 5370*, all under 537**
    "zipcode": [[code, code[:4] + "*", "537**"] for code in ("53715", "53703", "53706")],
}
ANONYMOUS = {
    ("sex", "zipcode"): {(1, 0), (1, 1), (1, 2), (0, 2)},
    ("birthdate", "zipcode"): {(1, 0), (1, 1), (1, 2), (0, 2)},
    ("birthdate", "sex"): {(1, 0), (0, 1), (1, 1)},
}


@pytest.mark.parametrize("pair", ANONYMOUS)
def test_the_2_anonymous_generalizations_of_every_pair_are_those_of_figure_5(pair: tuple[str, str]) -> None:
    problem = pn.Problem(PATIENTS, quasi_identifiers={name: HIERARCHIES[name] for name in pair})
    nodes = list(product(*(range(height + 1) for height in problem.lattice.heights)))

    solutions = problem.evaluator()(np.array(nodes))

    assert {node for node, k in zip(nodes, solutions.k.tolist(), strict=True) if k >= 2} == ANONYMOUS[pair]


@pytest.mark.parametrize("name", HIERARCHIES)
def test_every_single_attribute_is_2_anonymous_as_example_3_1_says(name: str) -> None:
    problem = pn.Problem(PATIENTS, quasi_identifiers={name: HIERARCHIES[name]})

    assert problem.evaluator()(np.array([[0]])).k.min() >= 2
