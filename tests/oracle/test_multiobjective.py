"""The multi-objective paper's example, table T with T1 and T2; and evolved points against the rows they are about."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import paranym as pn
from paranym.datasets import adult

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


def reached(table: pa.Table, point: pn.Point, leaves: dict[str, list[str]], sensitive: str | None) -> dict[str, float]:
    """All that is told of a point, from the rows of the raw table and the bit strings alone."""
    value, cost = {}, {}
    for name, cut in (point.cuts or {}).items():
        numbers = np.cumsum([0, *(bit == "1" for bit in cut.bits)]).tolist()
        value[name] = dict(zip(leaves[name], numbers, strict=True))
        under = Counter(numbers)
        cost[name] = {number: Fraction(under[number] - 1, len(leaves[name]) - 1) for number in under}
    columns = {name: [value[name][str(cell)] for cell in table[name].to_pylist()] for name in value}
    rows = list(zip(*columns.values(), strict=True))
    sizes = Counter(rows)
    secrets: dict[tuple[int, ...], Counter[str]] = defaultdict(Counter)
    for row, secret in zip(rows, table[sensitive].to_pylist() if sensitive else [], strict=False):
        secrets[row][secret] += 1
    diverse = {row: sizes[row] // max(secrets[row].values()) for row in secrets}
    published = [row for row in sizes if sizes[row] >= point.k and keeps(point, sizes[row], diverse.get(row, 0))]
    cells = sum(sizes[row] * sum(cost[n][v] for n, v in zip(columns, row, strict=True)) for row in published)
    gone = len(rows) - sum(sizes[row] for row in published)
    return {
        "k": min(sizes[row] for row in published),
        "suppressed": gone,
        "loss": float(cells + gone * len(columns)),
        "gl": float(cells) / len(rows) / len(columns),
        "weighted_k": sum(size * size for size in sizes.values()) / len(rows),
        "l": min((diverse[row] for row in published), default=0) if sensitive else 0,
    }


def keeps(point: pn.Point, size: int, diverse: int) -> bool:
    """Whether problem 4 keeps a class, l desired more: by size, then by l."""
    return "d1" not in point.values or (size, diverse) >= (point.values["d1"], point.values["d2"])


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_evolved_points_are_what_the_raw_rows_say(number: int) -> None:
    sensitive = "occupation" if number == 4 else None
    objectives = ("k", "l", "loss") if number == 4 else ("k", "loss")
    recipe = pn.Recipe.read(adult())
    table = csv.read_csv(recipe.path(str(recipe.data.source)))
    names = [name for name, each in recipe.attributes.items() if each.role == "quasi-identifier"]
    problem = pn.Problem(
        table,
        quasi_identifiers={name: recipe.hierarchy(name) for name in names if name != sensitive},
        sensitive=[sensitive] if sensitive else [],
        suppression=0.1,
        objectives=objectives,
    )
    leaves = {each.attribute: [str(leaf) for leaf in each.leaves] for each in problem.hierarchies}

    front = pn.evolve(problem, number, population=40, generations=10, seed=number)

    for point in front.points[:: max(len(front) // 5, 1)]:
        found = reached(table, point, leaves, sensitive)
        assert (found["k"], found["suppressed"]) == (point.k, point.suppressed)
        assert (found["loss"], found["gl"]) == pytest.approx((point.loss, point.values["gl"]))
        assert found["weighted_k"] == pytest.approx(point.weighted_k)
        assert found["l"] == point.values.get("l", 0)
