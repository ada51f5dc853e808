"""What other tools get wrong from end to end, on a table that has all their stumbling blocks at once.

Faults of a single formula are tested beside it: in the tests of audits, privacy models, losses and builders.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import paranym as pn
from paranym.errors import OutsideHierarchy, Unattainable
from paranym.solve.local import LOCAL_METHODS

AGES = [20, 25, 20, 24, 31, 39, 38, None, None, 90]
TOWNS = ["Rome", "Rome", "Pisa", "Rome", "Pisa", "Pisa", "Pisa", "Rome", "Rome", "Elba"]
QUASI_IDENTIFIERS: dict[str, Any] = {
    "age": {"intervals": [5, 20]},
    "town": [["Rome", "*"], ["Pisa", "*"], ["Elba", "*"]],
}


@pytest.fixture
def people() -> pd.DataFrame:
    """Missing values, a row that is alone, index labels that are no positions and repeat."""
    frame = pd.DataFrame({"age": AGES, "town": TOWNS, "note": [f"note {i}" for i in range(10)]})
    return frame.set_index(pd.Index([3, 1, 1, 0, 7, 7, 9, 2, 2, 4]))


def released(people: pd.DataFrame, k: int, **options: Any) -> pd.DataFrame:
    problem = pn.Problem(people, quasi_identifiers=QUASI_IDENTIFIERS, keep=["note"], suppression_rows=1, **options)
    frame: pd.DataFrame = pn.release(problem, pn.ask(pn.frontier(problem), min_k=k).point, index="keep").table
    return frame


def test_rows_with_missing_values_stay_and_only_what_must_go_goes(people: pd.DataFrame) -> None:
    """The row that is alone is dropped; all others are not generalized away for its sake."""
    frame = released(people, 2)

    assert sorted(frame["note"]) == [f"note {i}" for i in range(9)]
    assert list(frame.loc[frame["note"].isin(["note 7", "note 8"]), "town"]) == ["Rome", "Rome"]
    assert set(frame["age"]) != {"*"}


def test_every_published_class_has_k_rows(people: pd.DataFrame) -> None:
    assert released(people, 2).groupby(["age", "town"], dropna=False).size().min() >= 2


def test_no_column_and_no_order_is_added_that_links_to_the_original(people: pd.DataFrame, tmp_path: Path) -> None:
    people.reset_index(drop=True).to_csv(tmp_path / "people.csv", index=False)
    source = tmp_path / "people.csv"
    problem = pn.Problem(source, quasi_identifiers=QUASI_IDENTIFIERS, keep=["note"], suppression_rows=1)
    point = pn.ask(pn.frontier(problem), min_k=2).point
    orders = set()
    for attempt in range(4):  # nine rows in four orders that are the same by chance: once in 10^16
        pn.release(problem, point, tmp_path / f"{attempt}.csv")
        written = pd.read_csv(tmp_path / f"{attempt}.csv")
        assert list(written.columns) == ["age", "town", "note"]
        orders.add(tuple(written["note"]))
    assert len(orders) > 1


def test_what_was_released_can_be_released_again(people: pd.DataFrame) -> None:
    once = released(people, 2)
    problem = pn.Problem(once, quasi_identifiers=["age", "town"], keep=["note"])
    twice = pn.release(problem, pn.point_at(problem, {}), index="keep").table

    pd.testing.assert_frame_equal(twice, once)


def test_table_and_hierarchies_of_the_caller_are_not_changed(people: pd.DataFrame) -> None:
    before, spoken = people.copy(deep=True), repr(QUASI_IDENTIFIERS)
    released(people, 2)

    pd.testing.assert_frame_equal(people, before)
    assert repr(QUASI_IDENTIFIERS) == spoken


def test_twenty_begins_an_interval_and_the_greatest_value_has_one(people: pd.DataFrame) -> None:
    problem = pn.Problem(people, quasi_identifiers=QUASI_IDENTIFIERS)
    first = {row[0]: row[1] for row in problem.hierarchies[0].rows()}

    assert first["20"] == first["24"] == "20-24"
    assert first["90"] == "90-94"


def test_a_value_outside_its_hierarchy_is_named_with_the_remedy(people: pd.DataFrame) -> None:
    with pytest.raises(OutsideHierarchy, match=r"'town'.*'Elba'.*Add a line"):
        pn.Problem(people, quasi_identifiers={"town": [["Rome", "*"], ["Pisa", "*"]]})
    with pytest.raises(OutsideHierarchy, match=r"'age'.*Add a line"):
        pn.Problem(people, quasi_identifiers={"age": [["young", "*"], ["old", "*"]]})


def test_an_unattainable_k_is_refused_and_nothing_is_published(people: pd.DataFrame) -> None:
    with pytest.raises(Unattainable, match="10"):
        released(people, 11)


@pytest.mark.parametrize("method", LOCAL_METHODS)
def test_groups_have_k_rows_and_the_same_seed_gives_the_same_ones(people: pd.DataFrame, method: str) -> None:
    problem = pn.Problem(people, quasi_identifiers=QUASI_IDENTIFIERS)
    first, again = (pn.recode_locally(problem, k=3, method=method, seed=5) for _ in range(2))

    assert first.recoding.class_sizes.min() >= 3
    assert first.recoding.class_sizes.sum() == len(people)
    assert first.recoding.groups.tolist() == again.recoding.groups.tolist()
