"""A schema that cannot be right cannot be built."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from paranym.errors import BadInput, SeveralFaults, UnknownAttribute
from paranym.model.schema import Attribute, Role, Schema

AGE = Attribute("age", Role.QUASI_IDENTIFIER)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf"), "2", True, None, [1.0]])
def test_a_weight_is_a_positive_number(weight: Any) -> None:
    with pytest.raises(BadInput, match=r"The weight of 'age' must be a positive number; got"):
        Attribute("age", Role.QUASI_IDENTIFIER, weight)


@pytest.mark.parametrize("weight", [2, 2.0, np.int8(2), np.float32(2), Decimal(2)])
def test_a_weight_may_be_a_number_of_any_kind(weight: Any) -> None:
    kept = Attribute("age", Role.QUASI_IDENTIFIER, weight).weight

    assert (kept, type(kept)) == (2.0, float)


def test_a_column_has_one_role() -> None:
    with pytest.raises(BadInput, match=r"^Column 'age' is given more than one role\.$"):
        Schema((AGE, Attribute("age", Role.SENSITIVE)))


def test_only_one_column_is_the_label() -> None:
    with pytest.raises(BadInput, match=r"^Only one column can be the label; got 'x', 'y'\.$"):
        Schema((AGE, Attribute("x", Role.LABEL), Attribute("y", Role.LABEL)))


def test_without_quasi_identifier_there_is_nothing_to_do() -> None:
    with pytest.raises(BadInput, match="No column is a quasi-identifier"):
        Schema((Attribute("age", Role.KEEP),))


def test_all_faults_are_reported_at_once() -> None:
    with pytest.raises(SeveralFaults) as caught:
        Schema((Attribute("x", Role.LABEL), Attribute("y", Role.LABEL), Attribute("x", Role.KEEP)))

    assert len(caught.value.faults) == 3


def test_names_that_differ_in_case_only_are_two_columns() -> None:
    schema = Schema((AGE, Attribute("Age", Role.SENSITIVE)))

    schema.check(("Age", "age"))

    assert schema.names == ("age", "Age")


def test_a_column_that_the_table_lacks_is_named_with_a_near_one() -> None:
    with pytest.raises(UnknownAttribute, match=r"^No column 'age'; the table has 'Age', 'sex'\. Did you mean 'Age'\?$"):
        Schema((AGE,)).check(("Age", "sex"))


def test_all_columns_that_the_table_lacks_are_reported_at_once() -> None:
    with pytest.raises(SeveralFaults) as caught:
        Schema((AGE, Attribute("zip", Role.DROP))).check(("sex",))

    assert [fault.args[0] for fault in caught.value.faults] == ["age", "zip"]


def test_of_many_columns_only_some_are_listed() -> None:
    with pytest.raises(UnknownAttribute, match="'c19' and 80 more"):
        Schema((AGE,)).check(tuple(f"c{number}" for number in range(100)))


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan"), 10**400])
def test_a_weight_is_a_positive_number_that_a_float_holds(weight: float) -> None:
    with pytest.raises(BadInput, match="must be a positive number"):
        Attribute("age", Role.QUASI_IDENTIFIER, weight)
