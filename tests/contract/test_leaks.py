"""Nothing of suppressed rows and of columns that are not published leaves: releases of every kind, byte by byte."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import paranym as pn
from leaking import MARKERS, PEOPLE, ROWS, chosen, found_in, found_in_frame, problem_of

MODELS = ["levels", "cuts", "local"]
FILES = ["out.csv", "out.csv.gz", "out.parquet", "out.duckdb"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that everything goes to but the original: releases, temporary files, what is kept per user."""
    folder = tmp_path / "place"
    for name in ("out", "temp", "home"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "temp"))
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home" / "state"))
    monkeypatch.chdir(folder / "out")
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    return folder


def dictionaries(table: pa.Table) -> pa.Table:
    """The table with dictionaries for text, and with notes on itself and its columns."""
    fields, columns = [], []
    for name in table.column_names:
        column = table[name].dictionary_encode() if pa.types.is_string(table[name].type) else table[name]
        fields.append(pa.field(name, column.type, metadata={"seen": MARKERS[0]}))
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata={"seen": MARKERS[1]}))


def categories(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas().astype({"town": "category", "illness": "category"})
    frame.attrs["seen"] = MARKERS[0].decode()
    frame.columns.name = MARKERS[1].decode()
    return frame


def enums(table: pa.Table) -> pl.DataFrame:
    frame: Any = pl.from_arrow(table)
    kinds = {name: pl.Enum(frame[name].unique(maintain_order=True)) for name in ("town", "illness")}
    return frame.with_columns(frame[name].cast(kind) for name, kind in kinds.items())  # type: ignore[no-any-return]


def runs(table: pa.Table) -> pa.Table:
    """The table with text as runs of equal cells."""
    for place, name in enumerate(table.column_names):
        if name == "illness":
            table = table.set_column(place, name, pc.run_end_encode(table[name]))
    return table


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "Arrow": lambda table: table,
    "Arrow dictionaries": dictionaries,
    "Arrow runs": runs,
    "pandas": lambda table: table.to_pandas(),
    "pandas categories": categories,
    "pandas Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars enums": enums,
    "polars categoricals": lambda table: enums(table).with_columns(pl.col("town", "illness").cast(pl.Categorical)),
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", FILES)
def test_files_and_all_that_is_left_in_folders_hold_no_planted_value(place: Path, name: str, model: str) -> None:
    problem = problem_of(place.parent / "people.parquet")
    released = pn.release(problem, chosen(problem, model), place / "out" / name)

    assert released.promise.published == ROWS - 6
    assert found_in(place) == set()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", FRAMES)
def test_frames_hold_no_planted_value(place: Path, kind: str, model: str) -> None:
    problem = problem_of(FRAMES[kind](PEOPLE))
    released = pn.release(problem, chosen(problem, model))

    assert released.promise.published == ROWS - 6
    assert found_in_frame(released.table) == set()
    assert found_in(place) == set()


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_that_keep_suppressed_rows_hold_no_planted_value(kind: str) -> None:
    problem = problem_of(FRAMES[kind](PEOPLE))
    released = pn.release(problem, chosen(problem, "levels"), keep_suppressed=True)

    assert found_in_frame(released.table) == set()


@pytest.mark.parametrize("name", FILES)
def test_files_that_keep_suppressed_rows_hold_no_planted_value(place: Path, name: str) -> None:
    problem = problem_of(FRAMES["pandas categories"](PEOPLE))
    pn.release(problem, chosen(problem, "levels"), place / "out" / name, keep_suppressed=True)

    assert found_in(place) == set()


@pytest.mark.parametrize("name", FILES)
def test_a_release_in_place_of_the_original_leaves_nothing_of_it(place: Path, name: str) -> None:
    """Somebody published too much before: a release that overwrites it takes it away."""
    problem = problem_of(place.parent / "people.parquet")
    to = place / "out" / name
    others = ["illness", "age", "name", "account"]
    everything = pn.Problem(place.parent / "people.parquet", quasi_identifiers=["town"], sensitive=others)
    pn.release(everything, pn.point_at(everything, {}), to, accept=["free-text:name", "free-text:illness"])
    assert found_in(place) != set()

    pn.release(problem, chosen(problem, "levels"), to, overwrite=True)

    assert found_in(place) == set()


def test_a_recoding_applied_to_another_table_leaves_nothing(place: Path) -> None:
    problem = problem_of(place.parent / "people.parquet")
    pn.release(problem, chosen(problem, "levels"), place / "out" / "may.csv")
    for name in FILES:
        pn.apply(place / "out" / "may.csv.recoding.json", place.parent / "people.parquet", place / "out" / name)
    applied = pn.apply(place / "out" / "may.csv.recoding.json", enums(PEOPLE))

    assert found_in_frame(applied.table) == set()
    assert found_in(place) == set()


def test_planted_values_are_found_where_they_are(tmp_path: Path) -> None:
    """The search itself can fail: it finds every planted value in every kind of file and frame."""
    pq.write_table(PEOPLE, tmp_path / "a.parquet")
    PEOPLE.to_pandas().to_csv(tmp_path / "a.csv.gz", index=False)
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.register("people", PEOPLE)
        database.execute("CREATE TABLE release AS FROM people")

    for name in ("a.parquet", "a.duckdb"):
        assert {marker for file, marker in found_in(tmp_path) if file == name} >= set(MARKERS[:4])
    assert {marker for file, marker in found_in(tmp_path) if file == "a.csv.gz"} >= set(MARKERS[:5])
    for make in FRAMES.values():
        assert found_in_frame(make(PEOPLE)) >= set(MARKERS[:4])
