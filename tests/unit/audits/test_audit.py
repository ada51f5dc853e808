"""Audits: what is counted, what is warned of, and the faults of other tools that must not be ours."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.errors import BadInput, EmptyTable, OutsideHierarchy, SeveralFaults, UnknownAttribute

WARD = pa.table(
    {
        "zip": ["476", "476", "476", "479", "479", "479"],
        "illness": ["flu", "flu", "cold", "cancer", "flu", "cold"],
        "salary": [3, 4, 5, 6, 8, 11],
    }
)


def audit(table: object, *keys: str, sensitive: str = "", **options: Any) -> pn.Audit:
    return pn.audit(table, quasi_identifiers=keys, sensitive=[sensitive] if sensitive else [], **options)


def kinds(found: pn.Audit) -> list[str]:
    return [concern.kind for concern in found.concerns]


def test_an_example_by_hand() -> None:
    found = pn.audit(WARD, quasi_identifiers=["zip"], sensitive=["illness", "salary"])

    assert (found.k, found.rows, found.unique, found.sizes.count) == (3, 6, 0, 2)
    illness = {name: found.reached(name, "illness") for name in found.models["illness"]}
    assert (illness["frequency-l"], illness["distinct-l"]) == (1.5, 2)
    assert illness["entropy-l"] == pytest.approx(3 / 2 ** (2 / 3))
    assert illness["recursive-c"] == 2
    assert illness["equal-t"] == pytest.approx(1 / 6)
    assert illness["alpha"] == pytest.approx(2 / 3)
    assert illness["basic-beta"] == pytest.approx(1)
    assert illness["delta-disclosure"] == float("inf")
    assert (illness["ordered-t"], illness["hierarchical-t"]) == (None, None)
    assert found.reached("ordered-t", "salary") == pytest.approx((1 + 2 + 3 + 2 + 1) / 6 / 5)
    assert found.reached("distinct-l") == 2  # the worse of the two attributes
    assert found.reached("equal-t") == pytest.approx(0.5)
    assert found.reached("k") == 3


def test_a_hierarchy_gives_hierarchical_closeness() -> None:
    lines = [["flu", "airways", "*"], ["cold", "airways", "*"], ["cancer", "other", "*"]]
    found = audit(WARD, "zip", sensitive="illness", hierarchies={"illness": lines})

    assert found.reached("hierarchical-t", "illness") == pytest.approx((1 / 6 + 1 / 6) / 2)


def test_a_value_outside_its_hierarchy_is_named_with_the_remedy() -> None:
    with pytest.raises(OutsideHierarchy, match=r"'illness'.*'cold'.*Add a line"):
        audit(WARD, "zip", sensitive="illness", hierarchies={"illness": [["flu", "*"], ["cancer", "*"]]})


def test_risks_by_hand() -> None:
    found = audit(pa.table({"q": [1, 2, 2, 3, 3, 3, 3, 3, 3, 3]}), "q", threshold=0.2)
    prosecutor = found.risk.prosecutor

    assert (prosecutor.highest, prosecutor.lowest) == (1, 1 / 7)
    assert prosecutor.average == pytest.approx(0.3)
    assert (prosecutor.rows_at_risk, prosecutor.share_at_risk) == (3, 0.3)
    assert found.risk.journalist == prosecutor
    assert found.risk.marketer == pytest.approx(0.3)
    assert found.sizes.as_dict()["distribution"] == [{"size": size, "classes": 1, "rows": size} for size in (1, 2, 7)]
    assert (found.sizes.median, found.sizes.mean, found.sizes.weighted_k) == (7, 10 / 3, 5.4)


def test_five_alike_are_not_above_a_risk_of_a_fifth() -> None:
    found = audit(pa.table({"q": [1] * 5 + [2] * 4}), "q", threshold=0.2)

    assert found.risk.prosecutor.rows_at_risk == 4


def test_distinction_and_separation_by_hand() -> None:
    found = audit(pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, None]}), "a", "b")

    assert (found.columns["a"].distinction, found.columns["b"].different) == (0.5, 3)
    assert found.columns["a"].separation == pytest.approx(4 / 6)
    assert found.columns["b"].separation == pytest.approx(5 / 6)
    assert (found.together.distinction, found.together.separation) == (1, 1)
    assert audit(pa.table({"a": [1]}), "a").together.separation is None


def test_a_population_lowers_the_risk_of_a_journalist() -> None:
    people = pa.table({"zip": ["476"] * 10 + ["479"] * 4 + ["999"] * 3})
    found = audit(WARD, "zip", population=people)

    assert found.risk.prosecutor.highest == pytest.approx(1 / 3)
    assert found.risk.journalist.highest == 1 / 4
    assert found.risk.marketer == pytest.approx((3 / 10 + 3 / 4) / 6)
    assert found.risk.population == 17
    reached = {name: found.reached(name) for name in found.against_population}
    assert reached == {"k-map": 4, "presence-least": 0, "presence-most": 0.75}
    inside = audit(WARD, "zip", population=people.slice(0, 14))
    assert inside.reached("presence-least") == 0.3
    assert "outside-population" not in kinds(inside)


def test_a_population_may_write_numbers_as_numbers_and_lacks_nobody_unnoticed() -> None:
    table = pa.table({"age": ["30", "30", "41", None], "sex": ["F", "F", "M", "M"]})
    people = pl.DataFrame({"sex": ["F"] * 5 + ["M"], "age": [30.0] * 5 + [None], "more": [1] * 6})
    found = audit(table, "age", "sex", population=people)

    assert found.reached("k-map") == 1
    assert found.risk.journalist.average == pytest.approx((2 / 5 + 1 + 1) / 4)
    assert kinds(found) == ["outside-population"]
    assert found.concerns[0].says.startswith("1 row")
    with pytest.raises(UnknownAttribute, match="'sex'"):
        audit(table, "age", "sex", population=people.drop("sex"))


def test_wide_tables_match_a_population_too() -> None:
    names = [f"q{i}" for i in range(12)]
    table = pa.table({name: [f"{name}{i % 97}" for i in range(200)] for name in names})  # two words of bits
    found = audit(table, *names, population=pa.concat_tables([table, table]))

    assert found.reached("k-map") == 2 * found.k
    assert found.reached("presence-least") == 0.5


# faults of other tools


def test_index_labels_are_no_positions() -> None:
    frame = pd.DataFrame({"q": list("aabb"), "s": list("xxyy")}, index=[0, 2, 1, 3])
    found = audit(frame, "q", sensitive="s")

    assert (found.reached("distinct-l"), found.reached("equal-t")) == (1, 0.5)


@pytest.mark.parametrize("index", [[0, 0, 0, 0], ["a", "b", "a", "b"]], ids=["all the same", "some the same"])
def test_duplicate_index_labels_change_nothing(index: list[object]) -> None:
    frame = pd.DataFrame({"q": list("aabb"), "s": list("xyxy")}, index=index)

    assert audit(frame, "q", sensitive="s").reached("distinct-l") == 2


@pytest.mark.parametrize("values", range(2, 30))
def test_entropy_is_not_truncated(values: int) -> None:
    found = audit(pa.table({"q": [1] * values, "s": list(range(values))}), "q", sensitive="s")

    assert found.reached("entropy-l") == values


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_quasi_identifier_is_a_value_of_its_own(missing: float | None) -> None:
    found = audit(pd.DataFrame({"q": [30, 30, 30, missing]}), "q")

    assert (found.k, found.rows, found.missing) == (1, 4, {"q": 1})


def test_a_missing_sensitive_value_is_a_value_of_its_own() -> None:
    found = audit(pa.table({"q": [1, 1, 2, 2], "s": ["x", None, None, None]}), "q", sensitive="s")

    assert found.reached("distinct-l") == 1
    assert found.reached("equal-t") == pytest.approx(0.25)
    assert found.as_dict()["missing"] == {"treated_as": "a value of its own", "rows": {"q": 0, "s": 3}}


def test_a_missing_number_comes_after_all_others() -> None:
    found = audit(pa.table({"q": [1, 1, 2, 2], "s": [10, 9, 9, None]}), "q", sensitive="s")

    assert found.reached("ordered-t") == pytest.approx(0.125)  # of 9, 10, missing; with it first, 0.25


@pytest.mark.parametrize("value", [7, 7.5, "x", None])
def test_a_constant_sensitive_attribute_divides_nothing_by_zero(value: object) -> None:
    found = audit(pa.table({"q": [1, 2, 2], "s": pa.array([value] * 3)}), "q", sensitive="s")

    values = {name: found.reached(name, "s") for name in ("equal-t", "basic-beta", "delta-disclosure", "alpha")}
    assert values == {"equal-t": 0, "basic-beta": 0, "delta-disclosure": 0, "alpha": 1}
    assert found.reached("ordered-t") in (0, None)
    assert "constant" in kinds(found)


def test_json_has_no_infinity_and_says_why() -> None:
    found = audit(WARD, "zip", sensitive="illness").as_dict()
    text = json.dumps(found, allow_nan=False)

    assert found["models"]["illness"]["delta-disclosure"] == {
        "value": None,
        "better": "smaller",
        "rows": 3,
        "reason": "infinite: a class lacks a value that others have",
    }
    assert "flu" not in text  # no cell
    assert "476" not in text


def test_the_caller_s_table_is_not_changed() -> None:
    frame = pd.DataFrame({"q": [1, None], "s": ["x", "y"]}, index=[5, 3])
    before = frame.copy(deep=True)

    audit(frame, "q", sensitive="s")

    pd.testing.assert_frame_equal(frame, before)


def test_a_class_smaller_than_promised_is_found() -> None:
    """Audit what is written, not what was planned."""
    assert audit(pa.table({"q": ["[20-30)"] * 10 + ["[30-40)"]}), "q").k == 1


def test_the_same_table_gives_the_same_audit() -> None:
    rows = np.random.default_rng(0).integers(0, 9, (500, 3))
    frame = pd.DataFrame(rows, columns=["a", "b", "s"])

    first = audit(frame, "a", "b", sensitive="s").as_dict()
    assert audit(frame.sample(frac=1, random_state=1), "b", "a", sensitive="s").as_dict()["models"] == first["models"]
    assert audit(frame, "a", "b", sensitive="s").as_dict() == first


# warnings


def test_a_column_that_tells_rows_apart_is_warned_of() -> None:
    table = pa.table({"q": [1] * 100, "weight": range(100), "half": [i // 3 for i in range(100)], "s": [1, 2] * 50})
    found = audit(table, "q", sensitive="s")

    assert [concern.columns for concern in found.concerns if concern.kind == "nearly-unique"] == [("weight",)]
    assert "weight has 100 distinct values in 100 rows" in repr(found)


def test_an_identifier_that_repeats_makes_k_count_rows() -> None:
    table = pa.table({"person": [1, 1, 1, 2, 3, 4, None, None], "q": [1, 1, 1, 1, 2, 2, 2, 2]})
    found = audit(table, "q", identifiers=["person"])

    assert found.k == 4
    assert kinds(found) == ["repeated-identifier"]
    assert "8 rows describe 6 people" in found.concerns[0].says
    assert "Counted in people, k = 2, not 4." in found.concerns[0].says


def test_an_identifier_that_names_everyone_once_should_go() -> None:
    assert kinds(audit(pa.table({"id": [1, 2], "q": [1, 1]}), "q", identifiers=["id"])) == ["identifier"]


def test_columns_that_are_mostly_missing_or_mean_it_are_warned_of() -> None:
    table = pa.table({"q": [None, None, 3], "r": ["?", "x", "x"]})

    assert kinds(audit(table, "q", "r")) == ["mostly-missing", "token"]
    assert kinds(audit(table, "q", "r", missing=["?"])) == ["mostly-missing"]


# edges


def test_one_row_and_more_values_than_rows() -> None:
    one = audit(pa.table({"q": [1], "s": ["x"]}), "q", sensitive="s")

    assert (one.k, one.reached("distinct-l"), one.reached("equal-t")) == (1, 1, 0)
    assert repr(one).startswith("1 row forms 1 equivalence class by q.")
    many = audit(pa.table({"q": [1, 1, 2], "s": ["x", "y", "z"]}), "q", sensitive="s")
    assert many.reached("entropy-l", "s") == 1
    assert many.reached("equal-t") == pytest.approx(2 / 3)


def test_text_that_is_numbers_has_an_order_and_other_text_has_none() -> None:
    table = pa.table({"q": [1, 1, 2], "n": ["9", "10", "8"], "t": ["9", "10", "x"]})
    found = pn.audit(table, quasi_identifiers=["q"], sensitive=["n", "t"])

    assert found.reached("ordered-t", "n") == pytest.approx(0.5)  # 8 against 8, 9, 10
    assert found.reached("ordered-t", "t") is None
    assert found.models["t"]["ordered-t"].reason
    assert found.reached("ordered-t") is None


def test_dates_have_an_order(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": [1, 1, 2], "s": pd.to_datetime(["2020-01-01", "2021-01-01", "2019-01-01"])})
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet")

    for source in (frame, tmp_path / "t.parquet"):
        assert audit(source, "q", sensitive="s").reached("ordered-t") == pytest.approx(0.5)


def test_without_sensitive_attributes_classes_and_risks_are_told() -> None:
    found = audit(WARD, "zip")

    assert (found.k, found.models, found.as_dict()["all_sensitive"]) == (3, {}, {})
    with pytest.raises(BadInput, match="no column is declared sensitive"):
        found.reached("entropy-l")


def test_questions_that_an_audit_cannot_answer() -> None:
    found = audit(WARD, "zip", sensitive="illness")

    with pytest.raises(BadInput, match=r"nothing on 'entropy'.*Did you mean 'entropy-l'"):
        found.reached("entropy", "illness")
    with pytest.raises(BadInput, match=r"nothing on 'ilness'.*Did you mean 'illness'"):
        found.reached("entropy-l", "ilness")


@pytest.mark.parametrize(
    ("options", "fault", "said"),
    [
        ({"quasi_identifiers": ["zipp"]}, UnknownAttribute, "Did you mean 'zip'"),
        ({"quasi_identifiers": ["zipp"], "sensitive": ["ilness"]}, SeveralFaults, "'illness'"),
        ({"quasi_identifiers": []}, BadInput, "No column is a quasi-identifier"),
        ({"quasi_identifiers": "zip"}, BadInput, r"takes a list, such as \['zip'\]"),
        ({"quasi_identifiers": ["zip"], "sensitive": ["zip"]}, BadInput, "more than one role"),
        ({"quasi_identifiers": ["zip"], "threshold": 2}, BadInput, "between 0 and 1; got 2"),
        ({"quasi_identifiers": ["zip"], "memory": "lots"}, BadInput, "such as '4GB' or '512MiB'; got 'lots'"),
        ({"quasi_identifiers": ["zip"], "hierarchies": {"zip": None}}, BadInput, "sensitive attributes only"),
    ],
)
def test_requests_that_cannot_be_right(options: dict[str, Any], fault: type[BadInput], said: str) -> None:
    with pytest.raises(fault, match=said):
        pn.audit(WARD, **options)


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(EmptyTable):
        audit(WARD.slice(0, 0), "zip")


def test_classes_may_come_in_any_number_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 5, (3000, 4))
    table = pa.table({name: rows[:, i] for i, name in enumerate("abcs")})
    whole = audit(table, "a", "b", "c", sensitive="s", population=table).as_dict()

    monkeypatch.setattr("paranym.engines.sql.table.PART", 64)

    assert audit(table, "a", "b", "c", sensitive="s", population=table).as_dict() == whole


def test_every_key_and_every_warning_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "privacy.md").read_text(encoding="utf-8")
    source = (Path(pn.__file__).parent / "audits" / "findings.py").read_text(encoding="utf-8")
    kinds_of_concern = re.findall(r'Concern\(\s*"([a-z-]+)"', source)

    assert len(kinds_of_concern) == 7
    assert [key for key in (*audit(WARD, "zip").as_dict(), *kinds_of_concern) if f"`{key}`" not in page] == []
