"""A recoding applied to other tables: where new values belong, and whether the guarantee holds."""

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.engines.base import Column
from paranym.engines.spark.session import SparkSource
from paranym.errors import BadInput, BrokenPromise, GuaranteeLost, UnknownAttribute
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.recoding import AttributeRecoding
from paranym.releases.placing import Unknown, place

MAY = pa.table({"age": [31, 34, 38, 52, 55, 58], "job": ["cook", "smith", "cook", "smith", "cook", "smith"]})


@pytest.fixture
def recoding(tmp_path: Path) -> Path:
    """The recoding of a release in which ages are tens and jobs are hidden."""
    problem = pn.Problem(MAY, quasi_identifiers={"age": {"intervals": [10, 20]}, "job": None}, suppression=0.2)
    pn.release(problem, pn.point_at(problem, {"age": 1, "job": 1}), tmp_path / "may.csv")
    return tmp_path / "may.csv.recoding.json"


def june(ages: list[Any], **others: list[Any]) -> pa.Table:
    return pa.table({"age": ages, "job": ["nurse"] * len(ages), **others})


def test_new_values_are_placed_and_the_guarantee_is_judged(recoding: Path) -> None:
    done = pn.apply(recoding, june([41, 42, 47, 30, 31, 32]))

    assert done.table["age"].to_pylist() == ["40-49"] * 3 + ["30-39"] * 3
    assert done.judgement.holds
    assert done.judgement.new_values == {"age": 5, "job": 1}
    assert "The guarantee (k = 3) holds" in done.judgement.sentences()[0]


def test_rows_that_break_the_guarantee_are_left_out_as_far_as_they_may_be(recoding: Path) -> None:
    done = pn.apply(recoding, june([41, 42, 47, 30, 31, 32, 70]), list_rows=True)

    assert done.table["age"].to_pylist() == ["40-49"] * 3 + ["30-39"] * 3
    assert (done.judgement.holds, done.judgement.can_hold, done.judgement.suppressed_rows) == (False, True, (6,))
    assert "1 of 7 rows (14.3%)" in done.judgement.sentences()[0]


def test_a_table_that_the_recoding_does_not_suit_is_refused(recoding: Path, tmp_path: Path) -> None:
    with pytest.raises(GuaranteeLost, match=r"nothing was written\. Only 0 may be suppressed") as lost:
        pn.apply(recoding, june([41, 42, 60]), tmp_path / "june.csv", list_rows=True)

    assert lost.value.judgement.suppressed_rows == (0, 1, 2)
    assert not (tmp_path / "june.csv").exists()
    assert pn.apply(recoding, june([41] * 3 + [60]), max_suppression=0.25).judgement.to_suppress == 1


@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb"])
def test_files_become_files(recoding: Path, tmp_path: Path, ending: str) -> None:
    pq.write_table(june([41, 42, 47, 30, 31, 32], note=[*"abcdef"]), tmp_path / "june.parquet")
    done = pn.apply(recoding, tmp_path / "june.parquet", tmp_path / f"out.{ending}", undeclared="drop")

    assert done.path == tmp_path / f"out.{ending}"
    audit = pn.audit(done.path, quasi_identifiers=["age", "job"])
    assert (audit.k, audit.rows) == (3, 6)
    with pytest.raises(BadInput, match="there already"):
        pn.apply(recoding, tmp_path / "june.parquet", tmp_path / f"out.{ending}", undeclared="drop")


def test_only_the_judgement_of_a_file_may_be_asked(recoding: Path, tmp_path: Path) -> None:
    path = tmp_path / "june.duckdb"
    with duckdb.connect(str(path)) as database:
        database.register("june", june([41, 42, 60]))
        database.execute("CREATE TABLE a AS FROM june")
        database.execute("CREATE TABLE b AS FROM june")
    done = pn.apply(recoding, path, table="a")

    assert (done.table, done.path, done.judgement.can_hold) == (None, None, False)


def test_a_writer_that_errs_is_found_out(recoding: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_wrongly(*arguments: Any) -> None:
        pq.write_table(pa.table({"age": ["40-49"] * 5, "job": ["*"] * 5}), arguments[-1].path)

    monkeypatch.setattr("paranym.engines.duckdb.writing.write_parquet", write_wrongly)
    with pytest.raises(BrokenPromise):
        pn.apply(recoding, june([41] * 6), tmp_path / "june.parquet")
    assert not (tmp_path / "june.parquet").exists()


def test_columns_that_are_missing_and_files_that_are_none(recoding: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownAttribute, match="No column 'job'"):
        pn.apply(recoding, pa.table({"age": [1]}))
    for content in ("", "{}", '{"format": "paranym recoding 1"}', "[]"):
        (tmp_path / "x.json").write_text(content, encoding="utf-8")
        with pytest.raises(BadInput, match=r"x\.json"):
            pn.apply(tmp_path / "x.json", MAY)


def test_unknown_categories_are_an_error_or_go_to_the_top(tmp_path: Path) -> None:
    problem = pn.Problem(
        MAY, quasi_identifiers={"job": [["cook", "craft", "*"], ["smith", "craft", "*"]]}, keep=["age"]
    )
    pn.release(problem, pn.point_at(problem, {"job": 1}), tmp_path / "may.csv")
    saved = tmp_path / "may.csv.recoding.json"
    new = pd.DataFrame({"job": ["cook"] * 6 + ["nurse"] * 6, "age": range(12)}, index=range(12, 24))

    with pytest.raises(BadInput, match=r"'nurse'.*--unknown top"):
        pn.apply(saved, new)
    done = pn.apply(saved, new, unknown="top")
    assert list(done.table["job"]) == ["craft"] * 6 + ["*"] * 6
    assert list(done.table.index) == list(range(12, 24))
    assert "1 of them published as the top" in done.judgement.sentences()[1]


def labels(attribute: AttributeRecoding, *values: object, unknown: Unknown = "top") -> list[Label]:
    made = place(attribute, Column(attribute.attribute, values, 0), unknown=unknown).replacement
    return [made.labels[code] for code in made.coding.codes.tolist()]


def rows_of(labelled: dict[str, str]) -> Hierarchy:
    return Hierarchy.from_rows([(leaf, label, "*") for leaf, label in labelled.items()], attribute="x")


def test_labels_that_are_ranges_say_what_they_cover() -> None:
    ages = AttributeRecoding.at(rows_of({"17": "15-19", "21": "20-24", "33": "30-34"}), 1)
    open_ended = AttributeRecoding.at(rows_of({"17": "<18", "20": "18-64", "70": ">=65"}), 1)
    halves = AttributeRecoding.at(rows_of({"1.5": "[1.5, 2)", "2.25": "[2, 2.5)"}), 1)
    below_zero = AttributeRecoding.at(rows_of({"-8": "-10 to -6", "-5": "-5 to -1", "7": "7"}), 1)

    assert labels(ages, 15, "19", 24, 19.5, 26, 35) == ["15-19", "15-19", "20-24", "15-19", "*", "*"]
    assert labels(open_ended, -3, 18, 64.5, 65, 200) == ["<18", "18-64", "18-64", ">=65", ">=65"]
    assert labels(halves, "1.75", 2, 2.5) == ["[1.5, 2)", "[2, 2.5)", "*"]
    assert labels(below_zero, -10, -6, -1, 7, 8) == ["-10 to -6", "-10 to -6", "-5 to -1", "7", "*"]


def test_labels_that_are_names_reach_to_the_next_one() -> None:
    ages = AttributeRecoding.at(rows_of({"17": "young", "25": "young", "40": "old", "70": "old"}), 1)
    days = AttributeRecoding.at(
        rows_of({"2024-01-01": "January", "2024-02-01": "February", "2024-02-20": "February"}), 1
    )

    assert labels(ages, 17.5, 39, 40, 69, 16, 71) == ["young", "young", "old", "old", "*", "*"]
    assert labels(days, "2024-01-31", "2024-02-02", "2024-03-01") == ["January", "February", "*"]


def test_ranges_that_do_not_fit_their_leaves_are_names() -> None:
    wrong = AttributeRecoding.at(rows_of({"10": "20-24", "20": "25-29"}), 1)

    assert labels(wrong, 12) == ["20-24"]


def test_what_has_no_order_has_no_breakpoints() -> None:
    mixed = AttributeRecoding.at(rows_of({"1": "odd", "2": "even", "3": "odd"}), 1)
    codes = AttributeRecoding.at(
        Hierarchy.from_rows([("10", "1*", "*"), ("19", "1*", "*")], attribute="zip", categorical=True), 1
    )
    pets = AttributeRecoding.at(rows_of({"cat": "fur", "owl": "feathers"}), 1)

    assert labels(mixed, 5) == ["*"]
    assert labels(codes, "15") == ["*"]
    assert labels(pets, "dog") == ["*"]
    with pytest.raises(BadInput, match="does not place: 'dog'"):
        labels(pets, "dog", unknown="error")


def test_values_that_are_published_as_they_are_stay_so_if_they_have_an_order() -> None:
    ages = AttributeRecoding.at(rows_of({"17": "young", "70": "old"}), 0)
    pets = AttributeRecoding.at(rows_of({"cat": "fur", "owl": "feathers"}), 0)

    assert labels(ages, 17, 18) == ["17", "18"]
    assert labels(pets, "cat", "dog") == ["cat", "*"]


def test_at_the_top_every_value_is_known() -> None:
    pets = AttributeRecoding.at(rows_of({"cat": "fur", "owl": "feathers"}), 2)

    assert labels(pets, "dog", unknown="error") == ["*"]


def test_builders_make_labels_for_new_values() -> None:
    def built(spec: dict[str, Any], values: list[Any], level: int, *new: object) -> list[Label]:
        problem = pn.Problem(pa.table({"x": values}), quasi_identifiers={"x": spec})
        plan = pn.release(problem, pn.point_at(problem, {"x": level})).recoding
        assert isinstance(plan, pn.Recoding)
        return labels(plan.attributes[0], *new)

    assert built({"intervals": [10, 20]}, [31, 52], 1, 45, -3, "old") == ["40-49", "-10 to -1", "*"]
    assert built({"breaks": [18, 65]}, [10, 70], 1, 18, 64) == ["18-64", "18-64"]
    assert built({"intervals": [10]}, [31, 52], 1, 33.5) == ["30-39"]  # which the builder would call [30, 40)
    assert built({"quantiles": [2]}, [1, 2, 3, 4], 1, 2, 99)[1] is not None


def test_missing_values_that_are_new_are_missing_values(recoding: Path) -> None:
    done = pn.apply(recoding, pa.table({"age": [None] * 3 + [30] * 3, "job": [None, *"abcde"]}))

    assert done.table["age"].to_pylist() == [None] * 3 + ["30-39"] * 3
    assert done.table["job"].to_pylist() == ["*"] * 6


def test_demands_are_asked_of_the_new_table_too(tmp_path: Path) -> None:
    table = pa.table({"age": [30] * 4, "illness": ["flu", "cold", "flu", "cold"]})
    problem = pn.Problem(table, quasi_identifiers=["age"], sensitive=["illness"], privacy={"l": 2.0})
    pn.release(problem, pn.point_at(problem, {}), tmp_path / "x.csv")

    with pytest.raises(GuaranteeLost):
        pn.apply(tmp_path / "x.csv.recoding.json", pa.table({"age": [30] * 4, "illness": ["flu"] * 4}))
    assert pn.apply(tmp_path / "x.csv.recoding.json", table).judgement.holds


def test_rows_in_spark_are_not_listed_before_anything_is_started(recoding: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"rows of june\.parquet have no order"):
        pn.apply(recoding, SparkSource(path="june.parquet"), tmp_path / "out.parquet", list_rows=True)


@pytest.mark.parametrize("ending", ["csv", "duckdb"])
def test_a_recoding_survives_being_applied_onto_its_own_release(tmp_path: Path, ending: str) -> None:
    problem = pn.Problem(MAY, quasi_identifiers={"age": {"intervals": [10, 20]}, "job": None})
    to, beside = tmp_path / f"may.{ending}", f"may.{ending}{'.release' if ending == 'duckdb' else ''}"
    pn.release(problem, pn.point_at(problem, {"age": 1, "job": 1}), to)
    own = tmp_path / f"{beside}.recoding.json"

    pq.write_table(june([41, 42, 47]), tmp_path / "june.parquet")
    pn.apply(own, tmp_path / "june.parquet", to, overwrite=True)

    assert own.exists()
    assert not (tmp_path / f"{beside}.manifest.json").exists()
