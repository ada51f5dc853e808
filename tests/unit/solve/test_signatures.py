"""All ways to run one search take the same arguments, and searching loads no plotting library."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput
from paranym.solve.fixed_k.search import FixedSearch
from paranym.solve.fronts import LatticeSearch

LATTICE = {"problem": ..., "method": "exact", "depth": None, "budget": None, "seed": 0, "cores": None}
FRONT = {
    "problem": ...,
    "recoding": "levels",
    "method": "exact",
    "depth": None,
    "unconstrained": None,
    "granularity": None,
    "budget": None,
    "seed": 0,
    "cores": None,
}
FIXED = {
    "problem": ...,
    "k": None,
    "algorithm": "incognito-partial",
    "by": None,
    "priorities": (),
    "levels": None,
    "forbidden": None,
    "memory": 2_000_000_000,
    "cores": None,
}
EVOLUTION = {
    "problem": ...,
    "number": 2,
    "algorithm": "nsga2",
    "population": None,
    "generations": 250,
    "crossover": 0.9,
    "mutation": 0.1,
    "patience": None,
    "unconstrained": None,
    "granularity": None,
    "preferred": "l",
    "max_loss": 1.0,
    "start": "both",
    "greedy": False,
    "budget": None,
    "seed": 0,
    "cores": None,
}
LOADS = """
import sys
import pyarrow as pa
import paranym as pn
people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
print(len(pn.frontier(problem, cores=1)))
print([name for name in ("altair", "vl_convert", "matplotlib", "paranym.plots") if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (pn.frontier, FRONT),
        (pn.approach, FRONT),
        (LatticeSearch, LATTICE),
        (pn.generalize, FIXED),
        (FixedSearch, FIXED),
        (pn.evolve, EVOLUTION),
        (pn.Evolving, EVOLUTION),
    ],
    ids=["frontier", "approach", "LatticeSearch", "generalize", "FixedSearch", "evolve", "Evolving"],
)
def test_a_search_states_all_its_arguments(search: Callable[..., Any], expected: dict[str, Any]) -> None:
    parameters = inspect.signature(search).parameters

    found = {name: ... if each.default is each.empty else each.default for name, each in parameters.items()}

    assert found == expected
    positional = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional == [name for name in expected if name in ("problem", "number")]


def test_an_unknown_argument_is_refused() -> None:
    problem = pn.Problem(pa.table({"age": [31, 34]}), quasi_identifiers=["age"])

    with pytest.raises(TypeError, match="methods"):
        pn.frontier(problem, methods="exact")  # type: ignore[call-arg]


def test_a_request_that_cannot_be_searched_is_refused_before_the_first_front() -> None:
    problem = pn.Problem(pa.table({"age": [31, 34]}), quasi_identifiers=["age"])

    with pytest.raises(BadInput, match="There is no method 'fast'"):
        pn.approach(problem, method="fast")


def test_a_front_is_computed_without_a_plotting_library() -> None:
    done = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["3", "[]"]
