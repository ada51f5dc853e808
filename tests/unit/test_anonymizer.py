"""The transformer: what it learns, what it does to other tables, and what scikit-learn asks of its own."""

import pickle
import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator

import paranym as pn
from paranym.anonymizer import NotFitted
from paranym.errors import BadInput, Unattainable

PEOPLE = pd.DataFrame(
    {"age": [31, 34, 38, 52, 55, 58, 90], "sex": ["F", "M", "F", "M", "F", "M", "F"], "pay": range(7)},
    index=range(10, 17),
)
AGES = {"age": {"intervals": [10, 20]}}
OTHERS = ["sex", "pay"]


@pytest.mark.parametrize(
    ("parameters", "all_checks"),
    [({"levels": {}, "suppress": "none"}, True), ({"k": 2, "suppress": "none"}, False)],
    ids=["values stay", "values become text"],  # which the checks that subtract results cannot do with
)
def test_it_is_an_estimator_to_scikit_learn(parameters: dict[str, Any], all_checks: bool) -> None:  # noqa: FBT001
    failed = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what scikit-learn says about its own checks
        for estimator, check in estimator_checks_generator(pn.Anonymizer(**parameters), legacy=all_checks):
            try:
                check(estimator)
            except SkipTest:
                continue
            except Exception as error:  # noqa: BLE001 - any will do
                failed.add((getattr(check, "func", check).__name__, str(error)[:100]))

    assert failed == set()


def test_a_frame_is_generalized_as_far_as_k_needs() -> None:
    made = pn.Anonymizer(AGES, k=3, suppression=0.15, keep=OTHERS).fit_transform(PEOPLE)

    assert list(made["age"]) == ["30-39"] * 3 + ["50-59"] * 3 + ["*"]
    assert list(made.index) == list(PEOPLE.index)
    assert list(made["sex"].iloc[:6]) == list(PEOPLE["sex"].iloc[:6])
    assert made[["sex", "pay"]].iloc[6].isna().all()


def test_rows_in_small_classes_may_be_dropped_or_stay() -> None:
    dropped = pn.Anonymizer(AGES, k=3, suppression=0.15, suppress="drop", keep=OTHERS).fit_transform(PEOPLE)
    staying = pn.Anonymizer(AGES, k=3, suppression=0.15, suppress="none", keep=OTHERS).fit_transform(PEOPLE)

    assert list(dropped.index) == [*range(10, 16)]
    assert list(staying["age"])[-1] == "90-99"
    assert staying["pay"].dtype == PEOPLE["pay"].dtype


def test_a_loss_or_levels_may_be_given_instead() -> None:
    assert pn.Anonymizer(AGES, max_loss=0.0, keep=OTHERS).fit(PEOPLE).point_.k == 1
    fitted = pn.Anonymizer(AGES, levels={"age": 3}, keep=OTHERS).fit(PEOPLE)
    assert set(fitted.transform(PEOPLE)["age"]) == {"*"}
    with pytest.raises(Unattainable):
        pn.Anonymizer(AGES, k=8, keep=OTHERS).fit(PEOPLE)


def test_other_tables_are_judged() -> None:
    fitted = pn.Anonymizer(AGES, k=3, suppression=0.15, keep=OTHERS).fit(PEOPLE)
    judged = fitted.judge(PEOPLE.iloc[:4])

    assert (judged.holds, judged.to_suppress) == (False, 1)
    assert fitted.judge(PEOPLE.iloc[:3]).holds


@pytest.mark.parametrize("make", [pl.DataFrame, pa.Table.from_pandas])
def test_other_libraries_get_back_what_they_gave(make: Any) -> None:
    table = make(PEOPLE.reset_index(drop=True))
    made = pn.Anonymizer(AGES, k=3, suppression=0.15, suppress="drop", keep=OTHERS).fit_transform(table)

    assert type(made) is type(table)
    assert made["age"].to_pylist() if isinstance(made, pa.Table) else list(made["age"]) == ["30-39"] * 3 + ["50-59"] * 3


def test_it_works_in_a_pipeline() -> None:
    model = make_pipeline(
        pn.Anonymizer(AGES, k=3, suppression=0.15, suppress="none", keep=["sex"]),
        OneHotEncoder(handle_unknown="ignore"),
        RandomForestClassifier(random_state=0),
    )
    model.fit(PEOPLE[["age", "sex"]], [0, 0, 0, 1, 1, 1, 1])

    assert list(model.predict(pd.DataFrame({"age": [33, 57, 12], "sex": ["F", "M", "X"]})))[:2] == [0, 1]


def test_it_can_be_cloned_changed_pickled_and_asked() -> None:
    anonymizer = pn.Anonymizer(AGES, k=3, suppression=0.15, keep=OTHERS)
    fitted = clone(anonymizer).set_params(k=2).fit(PEOPLE)

    told = "k=3, keep=['sex', 'pay'], quasi_identifiers={'age': {'intervals': [10, 20]}}, suppression=0.15"
    assert repr(anonymizer) == f"Anonymizer({told})"
    assert pickle.loads(pickle.dumps(fitted)).transform(PEOPLE).equals(fitted.transform(PEOPLE))  # noqa: S301
    assert list(fitted.get_feature_names_out()) == ["age", "sex", "pay"]
    assert fitted.n_features_in_ == 3
    with pytest.raises(ValueError, match="no parameter 'kk'"):
        anonymizer.set_params(kk=1)


def test_identifiers_are_dropped() -> None:
    named = PEOPLE.assign(name=[*"ABCDEFG"])
    fitted = pn.Anonymizer(AGES, k=3, suppression=0.15, identifiers=["name"], keep=OTHERS).fit(named)

    assert list(fitted.transform(named).columns) == list(fitted.get_feature_names_out()) == ["age", "sex", "pay"]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "Give a k, a max_loss or levels"),
        ({"levels": {}, "max_loss": 0.1}, "Give either levels or max_loss"),
        ({"k": 2, "suppress": "hide"}, "suppress is 'star'"),
        ({"k": 2, "unknown": "skip"}, "unknown is 'error'"),
    ],
)
def test_requests_that_make_no_sense(parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        pn.Anonymizer(AGES, keep=OTHERS, **parameters).fit(PEOPLE)


def test_it_must_be_fitted_and_the_columns_must_be_the_same() -> None:
    with pytest.raises(NotFitted):
        pn.Anonymizer(AGES, k=2, keep=OTHERS).transform(PEOPLE)
    fitted = pn.Anonymizer(AGES, k=2, suppression=0.5, keep=OTHERS).fit(PEOPLE)
    with pytest.raises(BadInput, match="expecting 3 features"):
        fitted.transform(PEOPLE[["age"]])
    with pytest.raises(BadInput, match="feature names should match"):
        fitted.transform(PEOPLE[["sex", "age", "pay"]])
    with pytest.raises(BadInput, match="Expected 2D array"):
        fitted.transform(np.array([1, 2, 3]))
