"""Local recodings are released, read back and verified like nodes and cuts."""

import csv
import json
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.errors import BadInput
from paranym.model.local import Style
from paranym.model.local_labels import LocalLabels
from paranym.results.local_result import LocalResult
from paranym.search.local.base import Partition
from paranym.solve.local import LOCAL_METHODS, LocalOptions, LocalRun, LocalTable

PEOPLE = pa.table(
    {
        "name": [f"R{n}" for n in range(1, 7)],
        "age": [24, 25, 30, 30, 32, 32],
        "zip": [53712, 53711, 53711, 53711, 53712, 53713],
        "illness": ["flu", "cold", "flu", "cold", "flu", "cold"],
    }
)
"""Figure 1 of the utility-based paper, with an identifier and an illness."""


def ask_for(data: object = PEOPLE, **terms: object) -> pn.Problem:
    return pn.Problem(data, quasi_identifiers=["age", "zip"], identifiers=["name"], sensitive=["illness"], **terms)  # type: ignore[arg-type]


def locally(problem: pn.Problem, style: Style = Style.RANGE) -> LocalResult:
    """Figure 1(c): R1 to R3, and R4 to R6, though R3 and R4 are alike."""
    cells = [(row["age"], row["zip"]) for row in PEOPLE.to_pylist()]
    leaves = [hierarchy.leaves for hierarchy in problem.hierarchies]
    codes = [tuple(leaves[j].index(str(cell)) for j, cell in enumerate(row)) for row in cells]
    known = [tuple(row) for row in problem.frequency.codes.tolist()]
    tuples = np.array([known.index(row) for row in codes])
    table = LocalTable(problem)
    recoding = table.recoding(Partition(tuples, np.ones(6, np.int64), np.array([0, 3, 6])), style)
    return LocalResult(recoding, table.assess(recoding, LocalRun(LocalOptions(), 3, 0.0)))


def read(path: Path) -> list[dict[str, object]]:
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as database:
            return list(database.sql("FROM release").to_arrow_table().to_pylist())
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_figure_1_is_released_with_identical_rows_in_different_groups() -> None:
    problem = ask_for()
    released = pn.release(problem, locally(problem)).table.to_pydict()

    assert released["age"] == ["24-30"] * 3 + ["30-32"] * 3
    assert released["zip"] == ["53711-53712"] * 3 + ["53711-53713"] * 3
    assert released["illness"] == PEOPLE.column("illness").to_pylist()
    assert "name" not in released


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "duckdb"])
def test_every_format_holds_the_same_and_is_verified(tmp_path: Path, ending: str) -> None:
    problem, path = ask_for(), tmp_path / f"out.{ending}"
    released = pn.release(problem, locally(problem), path)
    verified = pn.verify_release(path)

    assert verified.holds
    checks = {check.what: check for check in verified.checks}
    assert (checks["k"].found, checks["rows"].found) == (3, 6)
    assert checks["loss (ncp)"].found == pytest.approx(released.promise.loss)
    if ending != "csv.gz":
        found = Counter((row["age"], row["zip"]) for row in read(path))
        assert found == {("24-30", "53711-53712"): 3, ("30-32", "53711-53713"): 3}
    manifest = json.loads((tmp_path / next(tmp_path.glob("*.manifest.json")).name).read_text(encoding="utf-8"))
    assert manifest["model"]["model"] == "local"
    assert manifest["values"] == {"age": 2, "zip": 2}
    assert not {"24", "53711"} & set(json.dumps(manifest).replace('"', " ").split())
    assert manifest["columns"]["age"]["labels"][0] == {"label": "24-30", "level": None, "leaves": 3, "penalty": 0.75}


@pytest.mark.parametrize(
    ("style", "age", "kind"),
    [
        ("set", ["{24, 25, 30}"] * 3 + ["{30, 32}"] * 3, pa.string()),
        ("mean", [26.333333] * 3 + [31.333333] * 3, pa.float64()),
        ("median", [25] * 3 + [32] * 3, pa.int64()),
    ],
)
def test_numbers_stay_numbers(tmp_path: Path, style: str, age: list[object], kind: pa.DataType) -> None:
    problem = ask_for()
    result = locally(problem, Style(style))
    made = pn.release(problem, result).table
    pn.release(problem, result, tmp_path / "out.parquet")
    pn.release(problem, result, tmp_path / "out.csv")
    written = pq.read_table(tmp_path / "out.parquet")

    assert made.column("age").to_pylist() == age
    assert made.schema.field("age").type == written.schema.field("age").type == kind
    assert sorted(written.column("age").to_pylist()) == sorted(age)  # type: ignore[type-var]
    assert sorted(str(row["age"]) for row in read(tmp_path / "out.csv")) == sorted(map(str, age))


def test_means_do_not_tell_how_wide_their_groups_are(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 3, 0, 4, 10, 20], "sex": ["F", "F", "M", "M", "M", "M"]})
    problem = pn.Problem(table, quasi_identifiers=["age", "sex"])
    result = pn.recode_locally(problem, 2, style="mean")
    assert sorted(result.recoding.published[0]) == ["15", "2", "2"]  # type: ignore[type-var]
    pn.release(problem, result, tmp_path / "out.csv")
    [loss] = [check for check in pn.verify_release(tmp_path / "out.csv").checks if check.what == "loss (ncp)"]

    assert loss.holds is None
    assert "not published" in loss.note


def test_columns_that_need_no_recoding_keep_their_type() -> None:
    table = pa.table({"age": [30, 30, 40, 40], "born": pa.array([1, 1, 2, None], pa.int8())})
    problem = pn.Problem(table, quasi_identifiers=["age", "born"])
    made = pn.release(problem, pn.recode_locally(problem, 2)).table

    assert made.schema.field("age").type == pa.int64()
    assert made.to_pydict() == {"age": [30, 30, 40, 40], "born": ["1", "1", "*", "*"]}


def test_pandas_frames_keep_index_and_order() -> None:
    frame = PEOPLE.to_pandas().set_index("name", drop=False)[::-1]
    problem = ask_for(frame)
    made = pn.release(problem, pn.recode_locally(problem, 3), index="keep").table

    assert isinstance(made, pd.DataFrame)
    assert list(made.index) == list(frame.index)
    assert list(made["illness"]) == list(frame["illness"])
    for label, age in zip(made["age"], frame["age"], strict=True):
        low, high = map(int, label.split("-"))
        assert low <= age <= high


@pytest.mark.parametrize("method", LOCAL_METHODS)
def test_demands_hold_in_the_file(tmp_path: Path, method: str) -> None:
    rng = np.random.default_rng(5)
    table = pa.table(
        {
            "age": rng.integers(20, 60, 200),
            "zip": rng.choice(["53711", "53712", "53713"], 200),
            "name": np.arange(200).astype(str),
            "illness": rng.choice(["flu", "cold", "cough"], 200),
        }
    )
    problem = ask_for(table, privacy={"l": 2.0, "t": 0.3})
    released = pn.release(problem, pn.recode_locally(problem, 4, method=method), tmp_path / "out.csv")
    audit = pn.audit(tmp_path / "out.csv", quasi_identifiers=["age", "zip"], sensitive=["illness"])

    assert audit.k == released.promise.k >= 4
    held = [check.what for check in pn.verify_release(tmp_path / "out.csv").checks if check.holds]
    assert "l-diversity" in " ".join(held)
    assert "t-closeness" in " ".join(held)


def test_a_file_that_was_changed_is_found_out(tmp_path: Path) -> None:
    problem, path = ask_for(), tmp_path / "out.csv"
    pn.release(problem, locally(problem), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("24-30", "30-32", 1), encoding="utf-8")

    assert {"k", "loss (ncp)"} <= {fault.split(" is ")[0] for fault in pn.verify_release(path).faults}
    path.write_text(text.replace("24-30", "24-31"), encoding="utf-8")
    assert "loss (ncp)" in " ".join(pn.verify_release(path).faults)


def test_what_is_kept_can_be_read_again() -> None:
    table = pa.table({"age": [30, 31, None, None, 40, 44], "pet": ["a, b", "c", 'say "x"', "{", "c", "no value"]})
    problem = pn.Problem(table, quasi_identifiers={"age": {"intervals": [10]}, "pet": None})
    kept = LocalLabels.of(pn.recode_locally(problem, 3, style="set").recoding)
    again = LocalLabels.from_dict(json.loads(json.dumps(kept.as_dict())))

    assert [each.spans for each in again.attributes] == [each.spans for each in kept.attributes]
    assert [each.hierarchy.rows() for each in again.attributes] == [each.hierarchy.rows() for each in kept.attributes]


def test_values_that_could_be_taken_for_several_stand_in_quotes() -> None:
    table = pa.table({"pet": ["a, b", "c"]})
    problem = pn.Problem(table, quasi_identifiers=["pet"])

    assert pn.recode_locally(problem, 2, style="set").recoding.published == (('{"a, b", c}',),)


def test_a_local_recoding_says_nothing_about_other_tables(tmp_path: Path) -> None:
    problem = ask_for()
    pn.release(problem, locally(problem), tmp_path / "out.csv")
    with pytest.raises(BadInput, match="rows of one table"):
        pn.apply(tmp_path / "out.csv.recoding.json", PEOPLE)


def test_only_its_own_table_is_released() -> None:
    problem = ask_for()
    with pytest.raises(BadInput, match="does not belong to this problem"):
        pn.release(ask_for(PEOPLE.slice(0, 5)), locally(problem))


AMBIGUOUS = [["a", "b", "*"], ["c", "b", "*"], ["b", "d", "*"], ["e", "d", "*"]]
"""The text of a leaf is also that of an inner value above others."""


def test_an_inner_label_is_not_published_as_if_it_were_the_leaf_of_that_name(tmp_path: Path) -> None:
    problem = pn.Problem(pa.table({"q": [*"aacc", *"bbbb"]}), quasi_identifiers={"q": AMBIGUOUS})
    recoding = pn.recode_locally(problem, k=4).recoding
    assert sorted(recoding.published[0], key=str) == ["b", "b (level 1)"]

    made = pn.release(problem, pn.recode_locally(problem, k=4), tmp_path / "out.csv")

    assert Counter(row["q"] for row in read(tmp_path / "out.csv")) == {"b": 4, "b (level 1)": 4}
    assert made.verification.holds
    assert pn.verify_release(tmp_path / "out.csv").holds


def test_numbers_are_not_taken_for_the_label_of_their_interval() -> None:
    lines = [["20", "20", "*"], ["25", "20", "*"], ["30", "30", "*"], ["35", "30", "*"]]
    problem = pn.Problem(pa.table({"age": [20, 20, 25, 25, 30, 30, 30, 30]}), quasi_identifiers={"age": lines})

    [labels] = pn.recode_locally(problem, k=4, style="label").recoding.published

    assert sorted(labels, key=str) == ["20 (level 1)", "30"]


def test_a_set_is_not_published_as_if_it_were_the_leaf_that_reads_so() -> None:
    table = pa.table({"q": ["a", "b", "{a, b}", "{a, b}"]})
    lines = [["a", "g", "*"], ["b", "g", "*"], ["{a, b}", "h", "*"]]
    problem = pn.Problem(table, quasi_identifiers={"q": lines})

    [labels] = pn.recode_locally(problem, k=2, style="set").recoding.published

    assert sorted(labels, key=str) == ["{a, b}", "{a, b} (set)"]
