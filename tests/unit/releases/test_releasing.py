"""Releases: what is written, what is not, and that nothing else than what was promised ever appears."""

import csv
import json
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.engines.duckdb import writing
from paranym.errors import BadInput, BrokenPromise, Unattainable
from paranym.measures.loss import LOSSES
from paranym.model.cuts import Cut
from paranym.releases.inspection import inspect

AGES = [31, 34, 38, 39, 52, 55, 58, 90]
PEOPLE = pa.table({
    "name": [f"Person {letter}" for letter in "ABCDEFGH"],
    "age": AGES,
    "sex": ["F", "M", "F", "M", "M", "F", "M", "F"],
    "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "asthma"],
    "weight": pa.array([61.5, None, 70.25, 80.0, 55.0, 99.9, 62.0, 71.0], pa.float32()),
})  # fmt: skip
FORMATS = ["csv", "csv.gz", "parquet", "duckdb"]


def ask_for(data: object = PEOPLE, **options: Any) -> pn.Problem:
    asked: dict[str, Any] = {
        "suppression_rows": 1,
        "identifiers": ["name"],
        "sensitive": ["illness"],
        "keep": ["weight"],
    }
    return pn.Problem(data, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None}, **asked | options)


def point_of(problem: pn.Problem, **levels: int) -> pn.Point:
    return pn.point_at(problem, levels or {"age": 1, "sex": 1})


def read(path: Path) -> pa.Table:
    if path.name.endswith("parquet"):
        return pq.read_table(path)
    with duckdb.connect() as database:
        if path.name.endswith("duckdb"):
            database.execute(f"ATTACH '{path}' AS f (READ_ONLY)")
            return database.sql("FROM f.main.release").to_arrow_table()
        return database.sql(f"FROM read_csv('{path}', all_varchar = true, header = true)").to_arrow_table()


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("ending", FORMATS)
def test_a_release_is_written_verified_and_described(tmp_path: Path, ending: str) -> None:
    released = pn.release(ask_for(), point_of(ask_for()), tmp_path / f"out.{ending}")

    found = read(tmp_path / f"out.{ending}")
    assert Counter(zip(found["age"].to_pylist(), found["sex"].to_pylist(), strict=True)) == {
        ("30-39", "*"): 4,
        ("50-59", "*"): 3,
    }
    assert found.column_names == ["age", "sex", "illness", "weight"]
    assert (released.promise.k, released.promise.suppressed) == (3, 1)
    assert released.verification.holds
    table = ".release" if ending == "duckdb" else ""
    beside = {f"out.{ending}{table}.{what}.json" for what in ("manifest", "recoding")}
    assert names_in(tmp_path) == {f"out.{ending}", *beside}


def test_types_stay_where_the_format_has_them(tmp_path: Path) -> None:
    problem = ask_for()
    pn.release(problem, point_of(problem, sex=1), tmp_path / "out.parquet")
    pn.release(problem, point_of(problem, sex=1), tmp_path / "out.duckdb")

    for path in ("out.parquet", "out.duckdb"):
        found = read(tmp_path / path)
        assert found.schema.field("weight").type == pa.float32()
        assert found.schema.field("age").type == pa.int64()
        assert found.schema.field("sex").type == pa.string()


@pytest.mark.parametrize("ending", FORMATS)
def test_nothing_is_overwritten_unless_that_is_asked_for(tmp_path: Path, ending: str) -> None:
    problem, path = ask_for(), tmp_path / f"out.{ending}"
    pn.release(problem, point_of(problem), path)
    before = read(path)

    with pytest.raises(BadInput, match="there already"):
        pn.release(problem, point_of(problem, age=3, sex=1), path)
    assert read(path).equals(before)

    pn.release(problem, point_of(problem, age=3, sex=1), path, overwrite=True)
    assert set(read(path)["age"].to_pylist()) == {"*"}
    assert pn.verify_release(path).holds


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect_slowly(*arguments: Any, **options: Any) -> Any:
        (tmp_path / "out.csv").write_text("mine", encoding="utf-8")
        return inspect(*arguments, **options)

    monkeypatch.setattr("paranym.releases.made.inspect", inspect_slowly)
    with pytest.raises(BadInput, match="there already"):
        pn.release(ask_for(), point_of(ask_for()), tmp_path / "out.csv")

    assert names_in(tmp_path) == {"out.csv"}
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "mine"


def test_rows_are_shuffled_anew_each_time(tmp_path: Path) -> None:
    table = pa.table({"age": [30] * 500, "n": range(500)})
    problem = pn.Problem(table, quasi_identifiers=["age"], keep=["n"])
    for ending in FORMATS:
        orders = []
        for turn in range(2):
            path = tmp_path / f"out{turn}.{ending}"
            pn.release(problem, pn.point_at(problem, {}), path)
            orders.append([int(cell) for cell in read(path)["n"].to_pylist()])
        assert sorted(orders[0]) == sorted(orders[1]) == list(range(500))
        assert orders[0] != orders[1] != list(range(500)) != orders[0]


Sabotage = Callable[[pa.Table], pa.Table]
SABOTAGE: dict[str, Sabotage] = {
    "a row is lost": lambda table: table.slice(1),
    "a row is there twice": lambda table: pa.concat_tables([table, table.slice(0, 1)]),
    "a label is wrong": lambda table: _with(table, "age", 0, "50-59"),
    "a label belongs to nothing": lambda table: _with(table, "age", 0, "31"),
    "a value was not generalized": lambda table: _with(table, "sex", 0, "F"),
    "two rows swapped labels": lambda table: _with(_with(table, "age", 0, "30-39"), "age", 1, "30-39"),
    "a column is missing": lambda table: table.drop_columns(["illness"]),
    "identifiers are there": lambda table: table.append_column("name", pa.array(["Person A"] * len(table))),
    "nothing is there": lambda table: table.slice(0, 0),
}


def _with(table: pa.Table, name: str, row: int, value: str) -> pa.Table:
    values = table.sort_by("age")[name].to_pylist()
    values[row] = value
    return table.sort_by("age").set_column(table.column_names.index(name), name, pa.array(values, pa.string()))


@pytest.mark.parametrize("what", [name for name in SABOTAGE if name != "two rows swapped labels"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_writer_that_writes_something_else_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, ending: str
) -> None:
    def write_wrongly(database: Any, query: Any, names: Any, target: Any) -> None:
        write(database, query, names, target)
        spoilt = SABOTAGE[what](read(target.path))
        with duckdb.connect() as spoiler:
            spoiler.register("spoilt", spoilt)
            spoiler.execute(f"COPY spoilt TO '{target.path}' (FORMAT {ending})")

    write = getattr(writing, f"write_{ending}")
    monkeypatch.setattr(writing, f"write_{ending}", write_wrongly)
    (tmp_path / f"out.{ending}").write_text("what was there before", encoding="utf-8")

    with pytest.raises(BrokenPromise, match="does not match its claims"):
        pn.release(ask_for(), point_of(ask_for()), tmp_path / f"out.{ending}", overwrite=True)

    assert names_in(tmp_path) == {f"out.{ending}"}
    assert (tmp_path / f"out.{ending}").read_text(encoding="utf-8") == "what was there before"


@pytest.mark.parametrize("exists", [False, True])
def test_a_wrong_table_in_a_duckdb_file_is_found_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exists: bool,  # noqa: FBT001
) -> None:
    def write_wrongly(database: Any, query: Any, names: Any, target: Any) -> None:
        write(database, query, names, target)
        with duckdb.connect(str(target.path)) as spoiler:
            spoiler.execute(f"UPDATE \"{target.table}\" SET age = '50-59'")

    path = tmp_path / "out.duckdb"
    if exists:
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE release AS SELECT 'old' AS age")
    write = writing.write_table
    monkeypatch.setattr(writing, "write_table", write_wrongly)

    with pytest.raises(BrokenPromise):
        pn.release(ask_for(), point_of(ask_for()), path, overwrite=True)

    assert names_in(tmp_path) == ({"out.duckdb"} if exists else set())
    if exists:
        with duckdb.connect(str(path), read_only=True) as database:
            assert database.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("release",)]
            assert database.execute("FROM release").fetchall() == [("old",)]


def test_the_manifest_holds_no_cell_but_published_labels_and_the_recoding_is_private(tmp_path: Path) -> None:
    problem = ask_for(privacy={"alpha": [{"value": 0.9, "only": "flu"}]})
    pn.release(problem, point_of(problem), tmp_path / "out.csv")

    manifest = (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    cells = {str(cell) for column in PEOPLE.columns for cell in column.to_pylist() if len(str(cell)) > 2}
    unpublished = {"20-39", "90-99", "80-99"}
    assert [cell for cell in cells | unpublished if cell in manifest] == []
    labels = [label["label"] for label in json.loads(manifest)["columns"]["age"]["labels"]]
    assert labels == ["30-39", "50-59"]  # and none that only the suppressed row has
    private = tmp_path / "out.csv.recoding.json"
    assert "30-39" in private.read_text(encoding="utf-8")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_the_manifest_says_what_a_reader_needs(tmp_path: Path) -> None:
    problem = ask_for()
    released = pn.release(problem, point_of(problem), tmp_path / "out.parquet", chosen={"k": 3})
    manifest = json.loads(
        (tmp_path / "out.parquet.manifest.json").read_text(encoding="utf-8"), parse_constant=pytest.fail
    )

    assert manifest == json.loads(json.dumps(dict(released.manifest or {})))
    assert manifest["chosen"] == {"k": 3}
    assert manifest["levels"] == {"age": 1, "sex": 1}
    assert manifest["assessment"]["k"] == 3
    assert manifest["data"]["rows"] == 8
    assert manifest["verification"]["holds"]
    assert manifest["verification"]["audit"]["k"] == 3
    assert manifest["recipe"]["attributes"]["age"]["hierarchy"] == {"height": 3, "leaves": 8, "kind": "intervals"}
    assert manifest["columns"]["age"] == {
        "role": "quasi-identifier",
        "weight": 1.0,
        "height": 3,
        "leaves": 8,
        "level": 1,
        "loss": pytest.approx((4 * 3 + 3 * 2) / (7 * 7)),
        "labels": [{"label": "30-39", "level": 1, "leaves": 4}, {"label": "50-59", "level": 1, "leaves": 3}],
    }
    assert manifest["columns"]["illness"] == {"role": "sensitive"}


def test_a_second_release_of_the_same_table_warns(tmp_path: Path) -> None:
    file = tmp_path / "people.parquet"
    pq.write_table(PEOPLE, file)
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    first = pn.release(ask_for(file), point_of(ask_for(file)), tmp_path / "there" / "first.csv")
    same = pn.release(ask_for(file), point_of(ask_for(file)), tmp_path / "there" / "first.csv", overwrite=True)
    second = pn.release(ask_for(file), point_of(ask_for(file), age=2), tmp_path / "there" / "second.parquet")
    third = pn.release(
        ask_for(file), point_of(ask_for(file)), tmp_path / "here" / "x.csv", earlier=[tmp_path / "there"]
    )
    pq.write_table(PEOPLE.slice(1), file)
    other = pn.release(ask_for(file), point_of(ask_for(file), age=3, sex=1), tmp_path / "there" / "other.csv")

    with pytest.raises(BadInput, match="no earlier release"):
        pn.release(ask_for(file), point_of(ask_for(file)), tmp_path / "y.csv", earlier=[tmp_path / "nowhere"])
    assert not [warning for each in (first, same, other) for warning in each.warnings if "before" in warning]
    assert "released before: first.csv." in second.warnings[-1]
    assert "first.csv, second.parquet" in third.warnings[-1]
    marks = {dict(each.manifest or {})["data"]["fingerprint"] for each in (same, second, third)}
    assert len(marks) == 3  # nobody can tell from manifests alone that the table is the same, or guess what is in it


def test_k_of_one_warns(tmp_path: Path) -> None:
    problem = ask_for(suppression_rows=0)
    released = pn.release(problem, point_of(problem, age=0), tmp_path / "out.csv")

    assert "k = 1 protects nobody" in released.warnings[0]


def test_formulas_are_counted_and_neutralized_on_request(tmp_path: Path) -> None:
    cells = ["=cmd|x", "+1", "-3", "@a", "\tb", "'=x", "plain", None]
    table = pa.table({"age": AGES, "=note": cells, "zip": ["=1", "=1", "'=1", "'=1", "'=1", "x", "x", "x"]})
    problem = pn.Problem(table, quasi_identifiers={"zip": None}, keep=["age", "=note"], suppression_rows=2)
    point = pn.point_at(problem, {}, 3)
    plain = pn.release(problem, point, tmp_path / "plain.csv")
    safe = pn.release(problem, point, tmp_path / "safe.csv", neutralize_formulas=True)

    with (tmp_path / "safe.csv").open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    assert names == ["age", "'=note", "zip"]
    assert Counter(row[2] for row in rows) == {"''=1": 3, "x": 3}
    assert {row[1] for row in rows} <= {"'=cmd|x", "+1", "-3", "'@a", "'\tb", "''=x", "plain", ""}
    assert dict(plain.manifest or {})["release"]["formulas"] == {"found": 6, "neutralized": False}
    assert "6 cells begin like a formula" in plain.warnings[-1]
    assert safe.verification.holds
    assert pn.verify_release(tmp_path / "safe.csv").holds
    with pytest.raises(BadInput, match="CSV"):
        pn.release(problem, point, tmp_path / "x.parquet", neutralize_formulas=True)


def test_suppressed_rows_are_kept_as_stars_if_asked(tmp_path: Path) -> None:
    problem = ask_for()
    pn.release(problem, point_of(problem), tmp_path / "out.parquet", keep_suppressed=True)

    [star] = [row for row in read(tmp_path / "out.parquet").to_pylist() if row["age"] == "*"]
    assert star == {"age": "*", "sex": "*", "illness": None, "weight": None}
    assert pn.verify_release(tmp_path / "out.parquet").holds


def test_stars_that_mean_something_else_are_not_mixed_up(tmp_path: Path) -> None:
    table = pa.table({"a": ["*", "*", "x"]})
    problem = pn.Problem(table, quasi_identifiers=["a"], suppression_rows=1)
    with pytest.raises(BadInput, match="cannot be kept"):
        pn.release(problem, pn.point_at(problem, {}), tmp_path / "out.csv", keep_suppressed=True)


@pytest.mark.parametrize(
    ("to", "says"),
    [
        ("out.xlsx", "End the name in .csv"),
        ("out", "End the name in"),
        ("nowhere/out.csv", "there is no folder"),
        ("people.parquet", "original table"),
    ],
)
def test_places_where_nothing_can_be_written(tmp_path: Path, to: str, says: str) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    problem = ask_for(tmp_path / "people.parquet")
    with pytest.raises(BadInput, match=says):
        pn.release(problem, point_of(problem), tmp_path / to, overwrite=True)
    assert names_in(tmp_path) == {"people.parquet"}


def test_a_file_needs_a_place_and_only_duckdb_has_tables(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    problem = ask_for(tmp_path / "people.parquet")
    with pytest.raises(BadInput, match="into which file"):
        pn.release(problem, point_of(problem))
    with pytest.raises(BadInput, match="Only a DuckDB file has tables"):
        pn.release(problem, point_of(problem), tmp_path / "x.csv", table="t")


def test_points_of_other_problems_and_empty_releases_are_refused(tmp_path: Path) -> None:
    problem, other = ask_for(), ask_for(PEOPLE.slice(0, 7))
    with pytest.raises(BadInput, match="does not belong to this problem"):
        pn.release(problem, point_of(other), tmp_path / "x.csv")
    with pytest.raises(BadInput, match="quasi-identifiers or hierarchies differ"):
        pn.release(problem, pn.Point(3, 1.0, 0.1, (pn.Solution({"zip": 1}, 0, 3.0),)), tmp_path / "x.csv")
    everything = ask_for(suppression=1.0, suppression_rows=None)
    nothing = next(point for point in pn.frontier(everything) if point.k == 8)
    if nothing.suppressed == 8:
        with pytest.raises(Unattainable, match="nothing would remain"):
            pn.release(everything, nothing, tmp_path / "x.csv")


def test_levels_that_are_none() -> None:
    problem = ask_for()
    with pytest.raises(BadInput, match=r"no quasi-identifier 'agee'\. Did you mean 'age'"):
        pn.point_at(problem, {"agee": 1})
    with pytest.raises(BadInput, match="from 0 to 3"):
        pn.point_at(problem, {"age": 4})
    with pytest.raises(Unattainable, match="the largest k at these levels is 3"):
        pn.point_at(problem, {"age": 1, "sex": 1}, 5)
    assert pn.point_at(problem, {"age": 1, "sex": 1}, 2).k == 3


@pytest.mark.parametrize("metric", LOSSES)
def test_every_loss_is_confirmed_from_the_file(tmp_path: Path, metric: str) -> None:
    problem = ask_for(metric=metric, label="illness", sensitive=[])
    released = pn.release(problem, point_of(problem, age=1), tmp_path / "out.csv")
    later = {check.what: check.holds for check in pn.verify_release(tmp_path / "out.csv").checks}

    assert [check.holds for check in released.verification.checks] == [True] * 5
    assert later[f"loss ({metric})"] is (None if metric == "entropy" else True)


DEMANDS: dict[str, dict[str, object]] = {
    "l": {"l": [{"value": 2.0, "kind": "distinct"}]},
    "t": {"t": [{"value": 0.6}]},
    "t of the original": {"t": [{"value": 0.6, "reference": "original"}]},
}


@pytest.mark.parametrize("what", DEMANDS)
def test_what_is_demanded_is_confirmed_from_the_file(tmp_path: Path, what: str) -> None:
    problem = ask_for(privacy=DEMANDS[what], suppression_rows=4)
    point = pn.frontier(problem)[-1]
    released = pn.release(problem, point, tmp_path / "out.parquet")

    held = [check.holds for check in released.verification.checks]
    assert len(held) == 6
    assert held[4] is (None if "original" in what else True)
    assert pn.verify_release(tmp_path / "out.parquet").holds


def test_cuts_are_released_like_nodes(tmp_path: Path) -> None:
    problem = ask_for()
    cuts = {"age": Cut("1110000", ("31", "34", "38", "39-90")), "sex": Cut("0", ("*",))}
    cells = 5 * (5 - 1) / 7 + 8  # five of eight ages share a value, and all sexes do
    wrong = pn.Point(5, cells, cells / 16, (pn.Solution({}, 3, 3.5, cuts),))
    with pytest.raises(Unattainable, match="suppresses 3 of 8 rows; the limit is 1"):
        pn.release(problem, wrong, tmp_path / "out.csv")
    whole = ask_for(suppression_rows=3)
    point = pn.Point(5, 5 * 4 / 7 + 5 + 3 * 2, (5 * 4 / 7 + 11) / 16, (pn.Solution({}, 3, 3.5, cuts),))
    released = pn.release(whole, point, tmp_path / "out.parquet")

    assert isinstance(released.recoding, pn.Recoding)
    assert released.recoding.levels == {"age": None, "sex": 2}
    assert set(read(tmp_path / "out.parquet")["age"].to_pylist()) == {"39-90"}
    assert pn.verify_release(tmp_path / "out.parquet").holds
    assert pn.apply(tmp_path / "out.parquet.recoding.json", PEOPLE).table.num_rows == 5


def test_pandas_frames_keep_index_order_and_types() -> None:
    frame = pd.DataFrame({
        1: pd.Categorical(["x", "y", "x", "x"]),
        "age": pd.array([31, None, 38, 52], "Int16"),
        "sex": ["F", "M", "F", "M"],
        "when": pd.to_datetime(["2024-01-01", "2024-01-02", "NaT", "2024-01-03"]).tz_localize("UTC"),
    }, index=["b", "a", "a", "c"])  # fmt: skip
    before = frame.copy(deep=True)
    problem = pn.Problem(frame, quasi_identifiers={"sex": None, "1": None}, keep=["age", "when"], suppression_rows=1)
    released = pn.release(problem, pn.point_at(problem, {"sex": 1}, 3), index="keep").table

    assert list(released.index) == ["b", "a", "c"]
    assert list(released.columns) == [1, "age", "sex", "when"]
    assert list(released["sex"]) == ["*"] * 3
    assert released["age"].dtype == "Int16"
    assert released[1].dtype == "category"
    assert released["when"].dtype == frame["when"].dtype
    pd.testing.assert_frame_equal(frame, before)
    again = pn.Problem(released, quasi_identifiers={"sex": None, "1": None}, keep=["age", "when"])
    assert pn.release(again, pn.point_at(again, {}), index="drop").verification.holds


def test_frames_can_keep_suppressed_rows() -> None:
    frame = pd.DataFrame({"q": ["a", "a", "b"], "n": [1, 2, 3]}, index=range(7, 10))
    for data in (frame, pl.DataFrame(frame), pl.LazyFrame(frame), pa.table({"q": ["a", "a", "b"], "n": [1, 2, 3]})):
        problem = pn.Problem(data, quasi_identifiers=["q"], keep=["n"], suppression_rows=1)
        made = pn.release(problem, pn.point_at(problem, {}, 2), keep_suppressed=True).table
        table = made.collect() if isinstance(data, pl.LazyFrame) else made
        assert list(table["q"]) == ["a", "a", "*"] or table["q"].to_pylist() == ["a", "a", "*"]
        rest = [None if cell is None or cell != cell else int(cell) for cell in np.array(table["n"]).tolist()]  # noqa: PLR0124
        assert rest == [1, 2, None]


def test_text_that_means_the_same_is_published_alike() -> None:
    """39 and 39.0 are one leaf: published as they are, they would be two classes."""
    frame = pa.table({"age": ["39", "39.0", "39", "40"]})
    problem = pn.Problem(frame, quasi_identifiers={"age": {"intervals": [10]}}, suppression_rows=1)
    released = pn.release(problem, pn.point_at(problem, {}, 3))

    assert released.table["age"].to_pylist() == ["39", "39", "39"]


def test_tokens_that_mean_missing_are_published_as_missing(tmp_path: Path) -> None:
    frame = pa.table({"age": [30, 30, -1, -1], "note": ["?", "-1", "x", "?"]})
    problem = pn.Problem(frame, quasi_identifiers=["age"], keep=["note"], missing=["?", "-1"])
    point = pn.point_at(problem, {})

    assert pn.release(problem, point).table["age"].to_pylist() == [30, 30, None, None]
    pn.release(problem, point, tmp_path / "x.parquet")
    found = pq.read_table(tmp_path / "x.parquet")
    assert Counter(found["age"].to_pylist()) == {30: 2, None: 2}
    assert Counter(found["note"].to_pylist()) == {"?": 2, "-1": 1, "x": 1}  # not a quasi-identifier: untouched


HOSTILE = {
    "select": ["a", "a"],
    "": ["<script>alert(1)</script>", "'; DROP TABLE x; --"],
    'a"b': ["x" * 2**20, '"' * 2**20],
    "A\nb": ["line\nline", "\r\n"],
    "a\nb": ["\x00", "\u202e\U0001f600"],
    "c0": ["{1}", "%s"],
    "paranym_rows": ["=HYPERLINK(1)", "NULL"],
}


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_hostile_content_is_only_content(tmp_path: Path, ending: str) -> None:
    asked = {"select": [["a", "</td>'\"--"], ["b", "</td>'\"--"]]}
    problem = pn.Problem(pa.table(HOSTILE), quasi_identifiers=asked, keep=[*HOSTILE][1:])
    pn.release(problem, pn.point_at(problem, {"select": 1}), tmp_path / f"out.{ending}")

    assert pn.verify_release(tmp_path / f"out.{ending}").holds
    if ending == "parquet":
        found = pq.read_table(tmp_path / "out.parquet")
        assert found.column_names == list(HOSTILE)
        rows = sorted(map(str, found.select([*HOSTILE][1:]).to_pylist()))
        assert rows == sorted(map(str, pa.table(HOSTILE).select([*HOSTILE][1:]).to_pylist()))
        assert set(found["select"].to_pylist()) == {"</td>'\"--"}


def test_duckdb_tables_that_cannot_be_named_are_refused(tmp_path: Path) -> None:
    problem = pn.Problem(pa.table({"a": ["x", "x"], "A": [1, 2]}), quasi_identifiers=["a"], keep=["A"])
    with pytest.raises(BadInput, match="differ in more than upper and lower case"):
        pn.release(problem, pn.point_at(problem, {}), tmp_path / "out.duckdb")
    assert names_in(tmp_path) == set()


def test_what_parquet_cannot_hold_is_written_as_text(tmp_path: Path) -> None:
    source = tmp_path / "in.duckdb"
    with duckdb.connect(str(source)) as database:
        database.execute("CREATE TABLE t AS SELECT 'x' AS q, 170141183460469231731687303715884105727::HUGEINT AS big")
    problem = pn.Problem(source, quasi_identifiers=["q"], keep=["big"])
    pn.release(problem, pn.point_at(problem, {}), tmp_path / "out.parquet")

    assert pq.read_table(tmp_path / "out.parquet")["big"].to_pylist() == ["170141183460469231731687303715884105727"]


def test_a_release_says_what_it_is() -> None:
    problem = ask_for()

    assert repr(pn.release(problem, point_of(problem))) == (
        "Release(a table: 7 rows, k = 3, loss 72.3%, 1 row suppressed, verified)"
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb"])
def test_a_disk_that_is_full_is_said_to_be(tmp_path: Path, ending: str) -> None:
    script = f"""
import resource
import pyarrow as pa
import paranym as pn
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
problem = pn.Problem(pa.table({{"a": ["x"] * 50_000, "n": range(50_000)}}), quasi_identifiers=["a"], keep=["n"])
point = pn.Point(50_000, 0.0, 0.0, (pn.Solution({{"a": 0}}, 0, 5e4),))
try:
    pn.release(problem, point, {str(tmp_path / "out")!r} + ".{ending}")
except pn.ParanymError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == f"Cannot write 'out.{ending}': File too large.\n"
    assert names_in(tmp_path) == set()


def test_an_interrupt_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_draw", stop)
    with pytest.raises(KeyboardInterrupt):
        pn.release(ask_for(), point_of(ask_for()), tmp_path / "out.csv")
    assert names_in(tmp_path) == set()
