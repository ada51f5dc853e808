"""A problem is frozen: changes give another problem over the same counts, and it travels to other processes."""

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import csv

import paranym as pn
from paranym.errors import BadInput, UnsuitableLoss
from paranym.measures.privacy.diversity import DistinctDiversity
from paranym.problem.counts import Counts

PEOPLE = pa.table(
    {
        "age": [31, 34, 38, 52, 55, 59, 61, 67],
        "sex": ["F", "M", "F", "M", "F", "M", "F", "F"],
        "ill": ["flu", "cold", "flu", "cold", "flu", "flu", "cold", "cold"],
        "income": ["high", "low", "low", "low", "high", "high", "low", "high"],
    }
)
ROLES: dict[str, Any] = {
    "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "sex": None},
    "sensitive": ["ill"],
    "label": "income",
}
SEARCH = """
import pickle, sys
import paranym as pn
problem = pickle.load(open(sys.argv[1], "rb"))
print([(point.k, point.loss) for point in pn.frontier(problem, cores=1)])
"""


def problem(data: object = PEOPLE, **options: Any) -> pn.Problem:
    return pn.Problem(data, **ROLES | options)


def front(of: pn.Problem) -> list[tuple[int, float]]:
    return [(point.k, point.loss) for point in pn.frontier(of, cores=1)]


@pytest.fixture
def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no table can be opened."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the table is read again")

    monkeypatch.setattr("paranym.engines.source.open_table", refuse)


@pytest.mark.parametrize("name", ["loss", "suppression", "demands", "counted", "request", "anything"])
def test_a_problem_cannot_be_changed(name: str) -> None:
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        setattr(problem(), name, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"metric": "dcn"},
        {"metric": "ce"},
        {"suppression": 0.3, "suppression_use": "all"},
        {"suppression_rows": 2},
        {"privacy": {"k": 2, "l": 2}},
        {"privacy": {"l": {"value": 1.5, "kind": "entropy"}}},
        {"k": 2},
        {"objectives": ["k", "l", "loss"]},
    ],
    ids=str,
)
def test_a_replaced_problem_has_the_front_of_one_that_is_made_with_the_change(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    required = {"privacy": {"k": changes["k"]}} if "k" in changes else {}
    made = problem(**{"metric": "glm", **{key: value for key, value in changes.items() if key != "k"}, **required})
    original = problem(metric="ce", privacy={"l": 1.2})
    counts: list[Counts] = []
    monkeypatch.setattr("paranym.problem.problem.read_and_count", counts.append)

    replaced = original.replace(**{"metric": "glm", "privacy": {}, **changes})

    assert front(replaced) == front(made)
    assert str(replaced.demands) == str(made.demands)
    assert replaced.counts is original.counts
    assert counts == []
    assert (original.loss.name, original.privacy) == ("ce", {"l": [{"value": 1.2}]})


def test_one_thing_is_changed_and_the_others_stay() -> None:
    first = problem(suppression=0.25, suppression_use="all", privacy={"k": 2}, gate={"unique": 0.5})

    other = first.with_metric("dcn").with_suppression(rows=1)

    assert (other.loss.name, other.suppression.rows, other.suppression.use) == ("dcn", 1, "all")
    assert (other.demands.least_k, other.gate.unique) == (2, 0.5)
    assert other.with_suppression().suppression.limit(other.rows) == 0
    assert other.with_privacy({}).demands.least_k == 1


@pytest.mark.usefixtures("no_reading")
def test_the_fixture_notices_a_table_that_is_read() -> None:
    with pytest.raises(AssertionError, match="read again"):
        problem()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"metric": "ce"}, UnsuitableLoss, "needs the values of 'income', which were not counted"),
        ({"privacy": {"l": 2}}, BadInput, "The values of 'ill' were not counted"),
        ({"objectives": ["t", "loss"]}, BadInput, "The values of 'ill' were not counted"),
        ({"metric": "none"}, BadInput, "There is no loss 'none'"),
        ({"suppression": 2.0}, BadInput, "The suppression limit is a share"),
        ({"suppression": 0.5, "suppression_rows": 1}, BadInput, "not both"),
    ],
    ids=str,
)
def test_a_change_that_needs_other_counts_is_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        problem().replace(**changes)


def test_another_k_leaves_the_other_requirements() -> None:
    class Own(DistinctDiversity):
        name: ClassVar[str] = "own-l"

    first = problem(privacy={Own(): 2})

    assert str(first.replace(k=3).demands) == f"k of at least 3 and {first.demands}"
    with pytest.raises(BadInput, match="k is a whole number from 1 on; got 0"):
        first.replace(k=0)


def test_a_requirement_of_every_sensitive_attribute_needs_all_of_them_counted() -> None:
    two = pn.Problem(
        PEOPLE, quasi_identifiers=["age"], sensitive=["ill", "income"], privacy={"l": {"value": 2, "attribute": "ill"}}
    )

    with pytest.raises(BadInput, match="The values of 'income' were not counted"):
        two.with_privacy({"l": 2})


def test_a_hierarchy_of_a_sensitive_attribute_is_not_read_again(tmp_path: Path) -> None:
    tree = tmp_path / "ill.csv"
    tree.write_text("flu;respiratory;*\ncold;respiratory;*\n")
    distant = {"t": {"value": 0.9, "distance": "hierarchical"}}
    first = problem(sensitive={"ill": tree}, privacy=distant)
    tree.unlink()

    assert str(first.with_suppression(0.5).demands) == str(first.demands)
    assert first.with_privacy({"k": 2}).demands.least_k == 2


@pytest.mark.parametrize("kind", ["csv", "arrow", "pandas", "polars"])
def test_another_process_searches_a_problem_without_the_table(kind: str, tmp_path: Path) -> None:
    source, pickled = tmp_path / "people.csv", tmp_path / "problem.pickle"
    csv.write_csv(PEOPLE, source)
    data = {"csv": source, "arrow": PEOPLE, "pandas": PEOPLE.to_pandas(), "polars": pl.from_arrow(PEOPLE)}[kind]
    sent = problem(data, metric="ce", suppression=0.2, privacy={"l": 1.2})
    pickled.write_bytes(pickle.dumps(sent))
    source.unlink()

    done = subprocess.run([sys.executable, "-c", SEARCH, str(pickled)], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(front(sent))


def test_a_pickled_problem_is_the_same_and_its_arrays_are_read_only() -> None:
    sent = problem(metric="ce", suppression=0.2, privacy={"l": 1.2, "k": 2}, objectives=["k", "l", "loss"])

    received: pn.Problem = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own bytes

    assert repr(received) == repr(sent)
    assert str(received.demands) == str(sent.demands)
    assert received.objectives == sent.objectives
    counted = received.counted
    arrays: list[NDArray[np.generic]] = [
        counted.words,
        counted.counts,
        counted.histogram.amounts,
        received.hierarchies[0].codes,
    ]
    assert not any(array.flags.writeable for array in arrays)


def test_a_pickled_problem_below_a_floor_counts_in_the_engine() -> None:
    rows = pa.table({"c": [place // 64 % 2 for place in range(512)], "a": [place % 64 for place in range(512)]})
    asked = {"c": None, "a": {"intervals": [2, 4, 8, 16, 32]}}
    sent = pn.Problem(rows, quasi_identifiers=asked, memory=12_600)

    received: pn.Problem = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own bytes

    assert sent.floor is not None
    assert received.floor == sent.floor
    assert front(received) == front(pn.Problem(rows, quasi_identifiers=asked))
