"""The multi-objective paper's example: table T and its 2-anonymous generalizations T1 and T2."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn

AGES = [15, 17, 20, 26, 28, 30, 30]
STATUS = ["Never Married", "Never Married", "Civ-Spouse", "AF-Spouse", "AF-Spouse", "Civ-Spouse", "AF-Spouse"]
MARITAL = [
    ["Never Married", "Not Married", "*"],
    ["Civ-Spouse", "Married", "*"],
    ["AF-Spouse", "Married", "*"],
]


def decades(age: int, *, coarse: bool) -> str:
    if age < 20:
        return "10-19"
    return "20-39" if coarse else f"{age // 10 * 10}-{age // 10 * 10 + 9}"


@pytest.mark.parametrize(("coarse", "expected"), [(True, Fraction(29, 7)), (False, Fraction(17, 7))])
def test_weighted_k_is_that_of_the_paper(coarse: bool, expected: Fraction) -> None:  # noqa: FBT001
    ages = [[age, decades(age, coarse=coarse), "*"] for age in sorted(set(AGES))]
    table = pa.table({"age": AGES, "status": STATUS})
    problem = pn.Problem(table, quasi_identifiers={"age": ages, "status": MARITAL})

    solutions = problem.evaluator()(np.array([[1, 1]]))

    assert solutions.k.tolist() == [2]
    assert solutions.weighted_k.tolist() == [float(expected)]


@pytest.mark.parametrize("coarse", [True, False], ids=["T1", "T2"])
def test_neither_table_is_2_diverse(coarse: bool) -> None:  # noqa: FBT001
    """The paper calls T1 2-diverse, but tuples 1 and 2 form a class of one status."""
    published = ["Not Married" if status == "Never Married" else "Married" for status in STATUS]
    table = pa.table({"age": [decades(age, coarse=coarse) for age in AGES], "married": published, "status": STATUS})
    found = pn.audit(table, quasi_identifiers=["age", "married"], sensitive=["status"])

    assert found.as_dict()["combinations"]["status"]["(k,l)-safe"] == {"k": 2, "l": 1}
    assert found.models["status"]["frequency-l"].rows == 2
