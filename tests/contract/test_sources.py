"""One table is the same table through every source; what cannot be read is said without showing what is in it."""

import csv
import datetime as dt
import gzip
import io
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.errors import (
    AmbiguousColumns,
    BadInput,
    EmptyTable,
    OutsideHierarchy,
    SeveralFaults,
    UnknownAttribute,
    UnreadableSource,
)
from paranym.hierarchies.build import HierarchySpec

Cells = tuple[str | None, ...]

PEOPLE = pa.table({
    "age": pa.array([39, 30, None, 39, 41, 30], pa.int16()),
    "zip": ["001", "1e5", "NA", "001", None, "1e5"],
    "height": [1.5, 1.75, 2.0, 1.5, None, 1.75],
    "born": [dt.date(1985, 1, 31), None, dt.date(1990, 2, 1), dt.date(1985, 1, 31), dt.date(1983, 3, 2), None],
    "member": [True, False, None, True, True, False],
    "note": ["a,b", 'say "c"', "d\ne", "f;g", "ü€", ""],
})  # fmt: skip
ASKED: Mapping[str, HierarchySpec] = {
    "age": {"intervals": [5, 10]},
    "zip": None,
    "height": [["1.50", "small", "*"], ["1.75", "tall", "*"], ["2.0", "tall", "*"]],
    "born": None,
    "member": [["true", "*"], ["false", "*"]],
    "note": None,
}
COUNTED: dict[Cells, int] = {
    ("39", "001", "1.5", "1985-01-31", "true", "a,b"): 1,
    ("39", "001", "1.5", "1985-01-31", "true", "f;g"): 1,
    ("30", "1e5", "1.75", None, "false", 'say "c"'): 1,
    ("30", "1e5", "1.75", None, "false", None): 1,
    (None, "NA", "2", "1990-02-01", None, "d\ne"): 1,
    ("41", None, None, "1983-03-02", "true", "ü€"): 1,
}


def tally(problem: pn.Problem) -> dict[Cells, int]:
    """How many rows have each combination of leaves; numbers in their shortest form."""
    counts: Counter[Cells] = Counter()
    for codes, count in zip(problem.frequency.codes.tolist(), problem.frequency.counts.tolist(), strict=True):
        leaves = (hierarchy.leaves[code] for hierarchy, code in zip(problem.hierarchies, codes, strict=True))
        counts[tuple({"1.50": "1.5", "2.0": "2"}.get(leaf or "", leaf) for leaf in leaves)] += count
    return dict(counts)


def count(data: object, *columns: str, **options: object) -> dict[Cells, int]:
    return tally(pn.Problem(data, quasi_identifiers=columns or ("a",), **options))  # type: ignore[arg-type]


def write_csv(
    path: Path, *, separator: str = ",", quote: str = '"', encoding: str = "utf-8", line_end: str = "\n"
) -> Path:
    rows = PEOPLE.to_pylist()
    text = io.StringIO()
    writer = csv.writer(text, csv.unix_dialect, delimiter=separator, quotechar=quote, lineterminator=line_end)
    writer.writerow(PEOPLE.column_names)
    for row in rows:
        writer.writerow([str(cell).lower() if isinstance(cell, bool) else cell for cell in row.values()])
    content = text.getvalue().encode(encoding)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def write_parquet(folder: Path) -> Path:
    pq.write_table(PEOPLE, folder / "people.parquet")
    return folder / "people.parquet"


def write_duckdb(folder: Path) -> Path:
    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as database:
        database.register("people", PEOPLE)
        database.execute("CREATE TABLE people AS FROM people")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a file `x.csv`."""

    def write(content: str | bytes, name: str = "x.csv") -> Path:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    return write


Write = Callable[..., Path]

SOURCES: dict[str, Callable[[Path], object]] = {
    "pyarrow": lambda _: PEOPLE,
    "pyarrow batch": lambda _: PEOPLE.to_batches()[0],
    "pyarrow dictionary": lambda _: PEOPLE.set_column(1, "zip", PEOPLE["zip"].dictionary_encode()),
    "pandas": lambda _: PEOPLE.to_pandas(),
    "pandas of objects": lambda _: pd.DataFrame(PEOPLE.to_pylist(), dtype=object),
    "pandas of categories": lambda _: PEOPLE.to_pandas().astype({"zip": "category", "age": "category"}),
    "polars": lambda _: pl.from_arrow(PEOPLE),
    "lazy polars": lambda _: pl.from_arrow(PEOPLE).lazy(),  # type: ignore[union-attr]
    "Parquet": write_parquet,
    "DuckDB": write_duckdb,
    "CSV": lambda folder: write_csv(folder / "x.csv"),
    "CSV in text form": lambda folder: str(write_csv(folder / "x.csv")),
    "CSV with semicolons": lambda folder: write_csv(folder / "x.csv", separator=";"),
    "CSV with tabs": lambda folder: write_csv(folder / "x.tsv", separator="\t"),
    "CSV with bars": lambda folder: write_csv(folder / "x.txt", separator="|"),
    "CSV with CR LF": lambda folder: write_csv(folder / "x.csv", line_end="\r\n"),
    "CSV with CR": lambda folder: write_csv(folder / "x.csv", line_end="\r"),
    "CSV with byte order mark": lambda folder: write_csv(folder / "x.csv", encoding="utf-8-sig"),
    "CSV in UTF-16": lambda folder: write_csv(folder / "x.csv", encoding="utf-16"),
    "CSV in UTF-32": lambda folder: write_csv(folder / "x.csv", encoding="utf-32"),
    "CSV in cp1252": lambda folder: write_csv(folder / "x.csv", encoding="cp1252"),
    "CSV in gzip": lambda folder: write_csv(folder / "x.csv.gz"),
    "CSV in UTF-16 in gzip": lambda folder: write_csv(folder / "x.csv.gz", encoding="utf-16"),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_table_is_counted_alike_through_every_source(tmp_path: Path, source: Callable[[Path], object]) -> None:
    problem = pn.Problem(source(tmp_path), quasi_identifiers=ASKED)

    assert tally(problem) == COUNTED


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_the_frequency_set_is_identical_through_every_source(tmp_path: Path, source: Callable[[Path], object]) -> None:
    expected = pn.Problem(PEOPLE, quasi_identifiers=ASKED)

    problem = pn.Problem(source(tmp_path), quasi_identifiers=ASKED)

    np.testing.assert_array_equal(problem.frequency.words, expected.frequency.words)
    np.testing.assert_array_equal(problem.frequency.counts, expected.frequency.counts)


@pytest.mark.parametrize(
    ("dialect", "options"),
    [
        (pn.CsvDialect(separator="~"), {"separator": "~"}),
        (pn.CsvDialect(separator=" "), {"separator": " "}),
        (pn.CsvDialect(quote="'"), {"quote": "'"}),
        (pn.CsvDialect(encoding="utf-8"), {"encoding": "utf-8-sig"}),
        (pn.CsvDialect(encoding="utf-16-le"), {"encoding": "utf-16-le"}),
        (pn.CsvDialect(";", "'", "cp1250"), {"separator": ";", "quote": "'", "encoding": "cp1250"}),
    ],
)
def test_what_is_said_about_a_csv_file_is_believed(
    tmp_path: Path, dialect: pn.CsvDialect, options: dict[str, str]
) -> None:
    source = write_csv(tmp_path / "x.csv", **options)

    assert tally(pn.Problem(source, quasi_identifiers=ASKED, dialect=dialect)) == COUNTED


@pytest.mark.parametrize(
    "text", ["NA", "001", "1e5", "nan", "inf", "TRUE", "null", "None", " x", "#x", "x\\", "5' 3\"", "\\N"]
)
def test_text_of_a_csv_file_stays_text(file: Write, text: str) -> None:
    assert count(file(f"a,b\n{text},1\n")) == {(text,): 1}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('"a,b"', "a,b"),
        ('"a""b"', 'a"b'),
        ('"a\nb"', "a\nb"),
        ('"a\r\nb"', "a\r\nb"),
        ('"\n"', "\n"),
        ('"""a"""', '"a"'),
    ],
)
def test_quoted_text_of_a_csv_file_is_taken_out_of_its_quotes(file: Write, line: str, text: str) -> None:
    assert count(file(f"a,b\n{line},1\n")) == {(text,): 1}


@pytest.mark.parametrize("content", ["a\n39.0\n39\n39.00\n", "a\r\n39.0\r\n39\r\n39.00\r\n"])
def test_numbers_of_a_csv_file_find_their_leaf_by_value(file: Write, content: str) -> None:
    problem = pn.Problem(file(content), quasi_identifiers={"a": [[39, "*"], [40, "*"]]})

    assert tally(problem) == {("39",): 3}


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 2), pa.decimal256(50, 2), pa.string()),
    ],
    ids=str,
)
@pytest.mark.parametrize("leaf", ["39", "39.0", 39, 39.0, Decimal("39.00"), np.int8(39)], ids=repr)
def test_numeric_leaves_match_columns_of_every_type(kind: pa.DataType, leaf: object) -> None:
    numbers: list[object] = ["39", "40"] if kind == pa.string() else [Decimal(39), Decimal(40)]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = [np.float16(39), np.float16(40)] if kind == pa.float16() else [39, 40]

    rows: list[list[object]] = [[leaf, "*"], ["40", "*"]]
    problem = pn.Problem(pa.table({"a": pa.array(numbers, kind)}), quasi_identifiers={"a": rows})

    assert problem.frequency.counts.tolist() == [1, 1]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_every_precision_has_the_digits_that_were_written(kind: type[np.floating]) -> None:
    table = pa.table({"a": pa.array([kind(0.1), kind(0.2), None, kind("nan")])})

    problem = pn.Problem(table, quasi_identifiers={"a": [["0.1", "*"], ["0.2", "*"]]})

    assert tally(problem) == {("0.1",): 1, ("0.2",): 1, (None,): 2}


def test_both_zeros_are_one_value() -> None:
    assert count(pa.table({"a": [0.0, -0.0, 1.0]})) == {("0",): 2, ("1",): 1}


@pytest.mark.parametrize(
    ("values", "leaf"),
    [
        (pa.array([dt.datetime(2024, 1, 31, 8, 30)], pa.timestamp("ns")), "2024-01-31 08:30:00"),  # noqa: DTZ001
        (pa.array([dt.datetime(2024, 1, 31)], pa.timestamp("s")), "2024-01-31"),  # noqa: DTZ001
        (pa.array([0], pa.timestamp("us", "Europe/Berlin")), "1970-01-01 01:00:00+01:00"),
        (pa.array([dt.time(8, 30)], pa.time64("ns")), "08:30:00"),
        (pa.array([2**64 - 1], pa.uint64()), "18446744073709551615"),
        (pa.array([None], pa.null()), None),
        (pa.array(["x"], pa.string_view()), "x"),
        (pa.array(["x"], pa.large_string()), "x"),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_values_of_every_arrow_type_become_leaves(values: pa.Array, leaf: str | None) -> None:
    assert count(pa.table({"a": values})) == {(leaf,): 1}


@pytest.mark.parametrize(
    ("kind", "leaves"),
    [
        (
            pa.timestamp("ns"),
            [
                "1970-01-01",
                "1970-01-01 00:00:00.000000001",
                "1970-01-01 00:00:00.000000002",
                "1970-01-01 00:00:00.000005",
                "1970-01-01 00:00:00.500000",
            ],
        ),
        (
            pa.time64("ns"),
            ["00:00:00", "00:00:00.000000001", "00:00:00.000000002", "00:00:00.000005", "00:00:00.500000"],
        ),
    ],
    ids=str,
)
def test_values_a_nanosecond_apart_are_two(kind: pa.DataType, leaves: list[str]) -> None:
    table = pa.table({"a": pa.array([0, 1, 2, 5_000, 500_000_000], kind)})

    assert count(table) == {(leaf,): 1 for leaf in leaves}


def test_coarser_times_are_written_alike_in_every_unit() -> None:
    times = [dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 8, 30, 0, 120_000)]  # noqa: DTZ001

    counted = [count(pa.table({"a": pa.array(times, pa.timestamp(unit))})) for unit in ("ms", "us", "ns")]

    assert counted == [{("2024-01-31",): 1, ("2024-01-31 08:30:00.120000",): 1}] * 3


@pytest.mark.parametrize(
    ("frame", "leaf"),
    [
        (pd.DataFrame({"a": [2**70]}, dtype=object), "1180591620717411303424"),
        (pd.DataFrame({"a": pd.cut(pd.Series([7]), [0, 5, 10])}), "(5, 10]"),
        (pd.DataFrame({"a": pd.period_range("2024", periods=1, freq="Y")}), "2024"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([3])}), "3"),
        (pd.DataFrame({"a": [Decimal("39.0")]}), "39"),
        (pl.DataFrame({"a": [39]}, schema={"a": pl.Int128}), "39"),
        (pl.DataFrame({"a": ["x"]}, schema={"a": pl.Enum(["x", "y"])}), "x"),
        (pl.DataFrame({"a": ["x"]}, schema={"a": pl.Categorical}), "x"),
        (pl.DataFrame({"a": [dt.time(8, 30)]}), "08:30:00"),
    ],
    ids=["large", "cut", "period", "sparse", "decimal", "128 bit", "enumeration", "category", "time"],
)
def test_values_of_rare_types_of_data_frames_become_leaves(frame: object, leaf: str) -> None:
    assert count(frame) == {(leaf,): 1}


def test_a_pandas_column_of_mixed_types_becomes_text() -> None:
    frame = pd.DataFrame({"a": [1, "x", 39.0, True, None, pd.NA, pd.NaT, float("nan")]}, dtype=object)

    assert count(frame) == {("1",): 1, ("x",): 1, ("39",): 1, ("true",): 1, (None,): 4}


@pytest.mark.parametrize(
    "kind", ["UUID", "JSON", "TIMETZ", "HUGEINT", "TIMESTAMP_NS", "TIMESTAMPTZ", "ENUM('10:00:00')"]
)
def test_types_of_duckdb_that_arrow_lacks_are_counted(tmp_path: Path, kind: str) -> None:
    written = {"UUID": "'0190163d-8694-739b-aea5-966c26f8ad91'", "JSON": "'{}'", "HUGEINT": "12"}
    times = "'2024-01-31 10:00:00'" if kind.startswith("TIMESTAMP") else "'10:00:00'"
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute(f"CREATE TABLE t AS SELECT CAST({written.get(kind, times)} AS {kind}) AS a FROM range(3)")

    assert list(count(tmp_path / "x.duckdb").values()) == [3]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (pa.array([[1]]), "BIGINT[]"),
        (pa.array([{"x": 1}]), "STRUCT(x BIGINT)"),
        (pa.array([b"x"]), "BLOB"),
        (pa.array([1], pa.duration("s")), "INTERVAL"),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_a_quasi_identifier_holds_single_values(values: pa.Array, shown: str) -> None:
    with pytest.raises(BadInput) as caught:
        count(pa.table({"a": values}))

    assert str(caught.value) == (
        f"Column 'a' has type {shown}; a quasi-identifier, sensitive attribute or label holds text, "
        "numbers, dates or truth values."
    )


def test_columns_that_play_no_role_may_have_any_type() -> None:
    table = pa.table({"a": ["x"], "list": [[1]], "bytes": [b"x"], "half": pa.array([np.float16(1)])})

    assert count(table) == {("x",): 1}


def test_dates_beyond_the_calendar_are_reported_with_their_column(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TABLE t AS SELECT 'infinity'::DATE AS a")

    with pytest.raises(BadInput, match=r"^Column 'a' has dates outside the years 1 to 9999\.$"):
        count(tmp_path / "x.duckdb")


# missing values


@pytest.mark.parametrize(
    "data",
    [
        pa.table({"a": [30, 30, 30, None]}),
        pd.DataFrame({"a": [30, 30, 30, None]}),
        pd.DataFrame({"a": pd.array([30, 30, 30, None], dtype="Int64")}),
        pd.DataFrame({"a": [30, 30, 30, ""]}, dtype=object),
        pl.DataFrame({"a": [30.0, 30.0, 30.0, float("nan")]}),
        pa.table({"a": ["30", "30", "30", ""]}),
    ],
    ids=["null", "nan", "NA", "empty object", "polars nan", "empty text"],
)
@pytest.mark.parametrize("hierarchy", [None, {"intervals": [5]}, [["30", "30-39", "*"]]], ids=str)
def test_a_missing_value_among_equal_ones_is_alone(data: object, hierarchy: HierarchySpec) -> None:
    front = pn.frontier(pn.Problem(data, quasi_identifiers={"a": hierarchy}))

    assert [point.k for point in front] == [4, 1]


def test_a_missing_value_may_have_a_place_in_its_hierarchy() -> None:
    rows = [["30", "any age", "*"], ["", "any age", "*"]]

    front = pn.frontier(pn.Problem(pa.table({"a": [30, 30, 30, None]}), quasi_identifiers={"a": rows}))

    assert [(point.k, point.levels["a"]) for point in front] == [(4, 1), (1, 0)]


def test_no_row_is_lost_where_columns_are_missing_together() -> None:
    table = pa.table({"a": ["x", None, None, "x"], "b": [None, 1, None, 1]})

    assert count(table, "a", "b") == {("x", None): 1, (None, "1"): 1, (None, None): 1, ("x", "1"): 1}


@pytest.mark.parametrize("hierarchy", [None, {"intervals": [5]}, [["30", "*"]]], ids=str)
@pytest.mark.parametrize("kind", [pa.null(), pa.int8(), pa.string()], ids=str)
def test_a_column_without_any_value_is_one_class(kind: pa.DataType, hierarchy: HierarchySpec) -> None:
    problem = pn.Problem(pa.table({"a": pa.nulls(3, kind)}), quasi_identifiers={"a": hierarchy})

    assert tally(problem) == {(None,): 3}


@pytest.mark.parametrize("blank", ["\n\n", '\n""\n', "\r\n\r\n"])
def test_an_empty_line_of_a_one_column_file_is_a_row_with_a_missing_value(file: Write, blank: str) -> None:
    end = "\r\n" if "\r" in blank else "\n"

    assert count(file(f"a{end}x{blank}y{end}")) == {("x",): 1, (None,): 1, ("y",): 1}


def test_tokens_may_mean_missing(file: Write) -> None:
    assert count(file("a,b\n?,1\nx,2\n,3\n'n/a',4\n"), missing=["?", "'n/a'"]) == {("x",): 1, (None,): 3}


@pytest.mark.parametrize(
    "values",
    [
        pa.array([-999, 1], pa.int16()),
        pa.array([-999.0, 1.0]),
        pa.array([Decimal(-999), Decimal(1)]),
        pa.array([dt.date(1900, 1, 1), dt.date(2000, 1, 1)]),
        pa.array([dt.datetime(1900, 1, 1), dt.datetime(2000, 1, 1)]),  # noqa: DTZ001
        pa.array([dt.datetime(1900, 1, 1), dt.datetime(2000, 1, 1)], pa.timestamp("ns")),  # noqa: DTZ001
        pa.array(["-999", "1"]),
    ],
    ids=lambda values: str(values.type),
)
def test_tokens_that_mean_missing_are_recognized_in_columns_of_every_type(values: pa.Array) -> None:
    counted = count(pa.table({"a": values}), missing=["?", "-999", "1900-01-01", "9" * 50])

    assert counted.pop((None,)) == 1
    assert len(counted) == 1


@pytest.mark.parametrize("token", [-999, -999.0, np.int16(-999), "-999"], ids=repr)
def test_a_token_may_be_given_as_a_number(token: object) -> None:
    assert count(pa.table({"a": [-999, 1]}), missing=[token, None]) == {("1",): 1, (None,): 1}


def test_a_token_that_is_a_leaf_follows_its_hierarchy(file: Write) -> None:
    table, hierarchy = file("a\n?\n39\n\n"), file("39;adult;*\n?;unknown;*\n", "a.csv")

    problem = pn.Problem(table, quasi_identifiers={"a": hierarchy}, missing=["?"])

    assert tally(problem) == {("39",): 1, (None,): 2}
    assert problem.hierarchies[0].rows() == [("39", "adult", "*"), (None, "unknown", "*")]


def test_a_token_leaves_unsigned_numbers_alone() -> None:
    assert count(pa.table({"a": pa.array([1, 2], pa.uint8())}), missing=["-999"]) == {("1",): 1, ("2",): 1}


def test_tokens_are_named_in_the_recipe(tmp_path: Path, file: Write) -> None:
    file("a\n?\nx\n")
    recipe = pn.Recipe.parse(
        {"data": {"source": "x.csv", "missing": ["?"]}, "attributes": {"a": {"role": "quasi-identifier"}}},
        folder=tmp_path,
    )

    assert tally(pn.Problem.from_recipe(recipe)) == {("x",): 1, (None,): 1}


# names

ODD = [
    *("a b", "a,b", 'say "a"', "it's", "a\nb", "größe", "漢", "", "1", "*", "Age", "age"),
    *("select", "value", "c0", "c1", "paranym_rows"),
]


@pytest.mark.parametrize("source", ["pyarrow", "pandas", "polars", "CSV", "Parquet"])
def test_columns_may_have_any_name(tmp_path: Path, source: str) -> None:
    table = pa.table([[str(position)] for position in range(len(ODD))], names=ODD)
    text = io.StringIO()
    csv.writer(text).writerows([ODD, [str(position) for position in range(len(ODD))]])
    (tmp_path / "x.csv").write_bytes(text.getvalue().encode())
    pq.write_table(table, tmp_path / "x.parquet")
    data = {
        "pyarrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.DataFrame(table.to_pydict()),
        "CSV": tmp_path / "x.csv",
        "Parquet": tmp_path / "x.parquet",
    }[source]

    assert count(data, *reversed(ODD)) == {tuple(str(position) for position in reversed(range(len(ODD)))): 1}


def test_columns_of_a_duckdb_table_may_have_any_name_that_duckdb_takes(tmp_path: Path) -> None:
    names = [name for name in ODD if name not in ("", "Age")]
    quoted = ", ".join(f'{position} AS "{name.replace(chr(34), chr(34) * 2)}"' for position, name in enumerate(names))
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute(f"CREATE TABLE t AS SELECT {quoted}")

    assert count(tmp_path / "x.duckdb", *names) == {tuple(str(position) for position in range(len(names))): 1}


@pytest.mark.parametrize("names", [("0", "1"), (0, 1)], ids=str)
def test_numbered_columns_of_a_data_frame_are_asked_for_by_number_or_text(names: Any) -> None:
    assert count(pd.DataFrame([["x", "y"]]), *names) == {("x", "y"): 1}


def test_a_numbered_column_may_have_any_role() -> None:
    frame = pd.DataFrame([["x", "y", "z", "yes", 5]])
    roles: Any = {"quasi_identifiers": {0: None}, "sensitive": [1], "identifiers": [2], "label": 3, "others": [4]}
    details: Any = {"weights": {0: 2.0}, "categorical": [0]}

    problem = pn.Problem(frame, **roles, **details)

    assert problem.schema.names == ("0", "1", "3", "2", "4")
    assert problem.schema.quasi_identifiers[0].weight == 2.0


def test_a_numbered_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownAttribute, match=r"^No column '7'; the table has '0', '1'\.$"):
        count(pd.DataFrame([["x", "y"]]), 7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        pa.table([[1], [2]], names=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, 2, 3]], columns=["b", "1", 1]),
    ],
    ids=["pyarrow", "pandas", "pandas, text and number"],
)
def test_two_columns_of_one_name_are_refused(data: object) -> None:
    with pytest.raises(
        AmbiguousColumns, match=r"^the table has more than one column named '[a1]'\. Rename the columns"
    ):
        count(data)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_two_columns_of_one_name_in_a_file_are_refused(tmp_path: Path, suffix: str) -> None:
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("a,b,a\n1,2,3\n", encoding="utf-8")

    with pytest.raises(AmbiguousColumns, match=rf"^x\.{suffix} has more than one column named 'a'\."):
        count(tmp_path / f"x.{suffix}")


def test_columns_that_are_not_there_are_reported_at_once() -> None:
    with pytest.raises(SeveralFaults, match=r"No column 'agee'.*Did you mean 'age'\?\nNo column 'zip'"):
        count(pa.table({"age": [1]}), "agee", "zip")


@pytest.mark.parametrize(
    "name", ["d[1].csv", "d*.csv", "d?.csv", "it's.csv", "a b.csv", "{d}.csv", "~d.csv", "year=2024.csv"]
)
def test_a_file_is_read_whatever_its_name(file: Write, name: str) -> None:
    file("a,b\nwrong,1\n", "d1.csv")

    assert count(file("a,b\nright,1\n", name)) == {("right",): 1}


def test_the_folder_of_a_file_adds_no_columns(tmp_path: Path) -> None:
    folder = tmp_path / "year=2024" / "d[1]"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1], "year": [7]}), folder / "x.parquet")

    assert count(folder / "x.parquet", "a", "year") == {("1", "7"): 1}


# tables of a DuckDB file


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as connection:
        for schema, table in (("main", "t"), ("s", "t"), ("my schema", 'select "x"; --')):
            home, name = (part.replace('"', '""') for part in (schema, table))
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{home}"')
            connection.execute(f'CREATE TABLE "{home}"."{name}" AS SELECT \'{home}\' AS a')
        connection.execute("CREATE VIEW v AS SELECT 'view' AS a")
    return path


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("main.t", "main"),
        ("s.t", "s"),
        ('select "x"; --', "my schema"),
        ('my schema.select "x"; --', "my schema"),
        ("v", "view"),
    ],
)
def test_a_table_is_found_by_its_name_or_by_schema_and_name(database: Path, table: str, found: str) -> None:
    assert count(database, table=table, views=table == "v") == {(found,): 1}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("u", "there is no table 'u'; the file has main.t, my schema."),
        (
            "t",
            "several tables could be meant: name one (table under [data], or --name); the file has main.t, my schema.",
        ),
        (
            None,
            "several tables could be meant: name one (table under [data], or --name); the file has main.t, my schema.",
        ),
    ],
)
def test_a_table_that_cannot_be_told_is_asked_for(database: Path, table: str | None, message: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        count(database, table=table)

    assert str(caught.value).startswith(f"Cannot read x.duckdb: {message}")


def test_a_file_without_tables_has_nothing_to_read(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "x.duckdb")).close()

    with pytest.raises(UnreadableSource, match="there is nothing to read; the file has no tables"):
        count(tmp_path / "x.duckdb")


def test_a_file_that_is_open_elsewhere_says_so(database: Path) -> None:
    with duckdb.connect(str(database)), pytest.raises(UnreadableSource, match="it is open elsewhere"):
        count(database, table="v")


# what cannot be read

SUPPORTED = "Give a CSV file (plain or in gzip), a Parquet file, a DuckDB file or an Excel workbook."


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("a,b\nx,1\nsecret,2,3\n", 3, "the number of fields is 3 where the first line has 2"),
        ("a,b\nx,1\nsecret\ny,2\n", 3, "the number of fields is 1 where the first line has 2"),
        ("a,b\n" + 3000 * "secret,1\n" + "secret\n", 3002, "the number of fields is 1 where the first line has 2"),
        ('a,b\nx,1\n"secret,2\ny,3\n', 3, "a quoted value does not end where it should"),
        ('a,b\n"secret"y,1\n', 2, "a quoted value does not end where it should"),
        ("a,b\n" + "secret" * 3_000_000 + ",1\n", 2, "the line is too long"),
        (b"a,b\n" + b"secret,1\n" * 200_000 + b"\xff,1\n", 200_002, "the text is not written in UTF-8"),
    ],
    ids=["more", "fewer", "far", "open quote", "after quote", "long", "encoding"],
)
def test_a_line_that_cannot_be_read_is_named_but_not_shown(
    file: Write, content: str | bytes, line: int, reason: str
) -> None:
    with pytest.raises(UnreadableSource) as caught:
        count(file(content))

    assert str(caught.value) == (
        f"Cannot read x.csv: line {line}: {reason}. "
        "Set separator, quote or encoding (under [data] in a recipe) if the file is written in another way."
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty."),
        ("\n\n", "the file is empty."),
        ('"a,b\nsecret,1\n', "its first line cannot be split into names (unexpected end of data)."),
        (
            b"a,b\n\x81,1\n",
            "it is not written in cp1252. Name its encoding, for example encoding = 'latin-1' under [data].",
        ),
        (gzip.compress(b"a,b\nsecret,1\n")[:-9], "it is a damaged gzip file."),
        (b"\x1f\x8bsecret", "it is a damaged gzip file."),
        (b"PAR1secret", "it is a damaged Parquet file."),
        (b"PK\x03\x04secret", f"it is a ZIP archive. {SUPPORTED}"),
        (b"\xd0\xcf\x11\xe0secret", "it is a damaged workbook."),
        (b"SQLite format 3\x00secret", f"it is an SQLite file. {SUPPORTED}"),
        (b"ARROW1\x00\x00secret", f"it is an Arrow file. {SUPPORTED}"),
        ('[{"a": "secret"}]\n', f"it is a JSON file. {SUPPORTED}"),
        ('\ufeff{\n  "a": "secret"\n}\n', f"it is a JSON file. {SUPPORTED}"),
        ('[["a"], ["secret"]]\n', f"it is a JSON file. {SUPPORTED}"),
    ],
    ids=[
        *("empty", "blank", "header", "encoding", "cut gzip", "no gzip", "parquet"),
        *("xlsx", "xls", "sqlite", "arrow", "json list", "json object", "json rows"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(file: Write, content: str | bytes, message: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        count(file(content))

    assert str(caught.value) == f"Cannot read x.csv: {message}"


@pytest.mark.parametrize(
    "content",
    [
        "a,b\r\nsecret,1\ny,2\r\n",
        "a,b\nsecret,1\r\ny,2\n",
        "a,b\nsecret,1\ny,2\r\n",
        "a,b\r\nsecret,1\ny,2\n",
        "a,b\rsecret,1\ny,2\n",
        "a\r\nsecret\ny\n",
        "\r\na,b\nsecret,1\ny,2\n",
        "a,b\nsec\rret,1\n",
    ],
    ids=repr,
)
def test_a_file_whose_lines_end_in_different_ways_is_refused(file: Write, content: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        count(file(content))

    assert str(caught.value) == (
        "Cannot read x.csv: its lines do not all end in the same way (LF or CR LF). "
        "Write them all with the same line end."
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("quoted", ["\n", "\r\n", "\r"], ids=repr)
def test_line_ends_within_quotes_are_not_those_of_the_file(file: Write, line_end: str, quoted: str) -> None:
    content = line_end.join([f'"a{quoted}x",b', f'"p{quoted}q",1', "r,2", ""])

    assert count(file(content), f"a{quoted}x") == {(f"p{quoted}q",): 1, ("r",): 1}


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        (pn.CsvDialect(encoding="utf-99"), "there is no encoding 'utf-99'"),
        (pn.CsvDialect(encoding="base64"), "there is no encoding 'base64'"),
        (pn.CsvDialect(encoding="utf-16"), "it is not written in utf-16"),
        (pn.CsvDialect(separator="||"), '"delimiter" must be a 1-character string'),
        (pn.CsvDialect(separator=",", quote=","), "QUOTE must not appear in the DELIMITER"),
    ],
    ids=["unknown", "no text", "other encoding", "separator", "quote"],
)
def test_what_is_said_about_a_csv_file_must_fit(file: Write, dialect: pn.CsvDialect, message: str) -> None:
    with pytest.raises(UnreadableSource, match=message):
        count(file("a,b\nx,1\n"), dialect=dialect)


def test_a_damaged_duckdb_file_is_bad_input(file: Write) -> None:
    with pytest.raises(UnreadableSource, match=r"Cannot read x\.duckdb: "):
        count(file(b"12345678DUCK" + b"x" * 9000, "x.duckdb"))


@pytest.mark.parametrize("name", ["/dev/zero", "pipe.csv"])
def test_a_device_or_a_pipe_is_no_file_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")

    with pytest.raises(UnreadableSource, match="it is a device or a pipe"):
        pn.audit(name, quasi_identifiers=["age"])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"^Cannot read gone\.csv: there is no file '.*gone\.csv'\.$"):
        count(tmp_path / "gone.csv")


def test_a_folder_without_parquet_files_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "_temporary").mkdir()
    pq.write_table(PEOPLE, tmp_path / "_temporary" / "half.parquet")

    with pytest.raises(UnreadableSource, match="a folder without Parquet files"):
        pn.Problem(tmp_path, quasi_identifiers=["a"])


@pytest.mark.parametrize("source", ["people", "people/*.parquet", "people/**/*.parquet", "people/[12].parquet"])
def test_parquet_files_in_a_folder_or_of_a_pattern_are_one_table(tmp_path: Path, source: str) -> None:
    (tmp_path / "people").mkdir()
    pq.write_table(PEOPLE.slice(0, 2), tmp_path / "people" / "1.parquet")
    pq.write_table(PEOPLE.slice(2), tmp_path / "people" / "2.parquet")

    assert tally(pn.Problem(tmp_path / source, quasi_identifiers=ASKED)) == COUNTED


def test_files_of_one_table_have_the_same_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [1]}), tmp_path / "2.parquet")

    with pytest.raises(UnreadableSource, match=r"2\.parquet: its columns are not those of '1\.parquet'"):
        pn.Problem(tmp_path, quasi_identifiers=["a"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("*.parquet", "no file matches"),
        ("*.csv", "a pattern stands for Parquet files"),
        ("s3://bucket/x.parquet", "engine = 'spark'"),
    ],
)
def test_what_a_pattern_cannot_stand_for_is_said(file: Write, source: str, message: str) -> None:
    place = source if ":" in source else file("a\n1\n").with_name(source)

    with pytest.raises(UnreadableSource, match=message):
        pn.Problem(place, quasi_identifiers=["a"])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"a": [1]}, "dict"),
        ([{"a": 1}], "list"),
        (np.array([[1]]), r"numpy\.ndarray"),
        (pd.Series([1], name="a"), r"pandas.*\.Series"),
        (pl.Series("a", [1]), r"polars.*\.Series"),
        (None, "NoneType"),
    ],
    ids=["dict", "list", "numpy", "pandas", "polars", "nothing"],
)
def test_what_is_no_table_is_refused(data: object, kind: str) -> None:
    with pytest.raises(UnreadableSource, match=rf"^Cannot read the table: a {kind} is not a table\. Pass a path"):
        count(data)


def test_text_that_is_no_unicode_is_reported_with_its_column() -> None:
    with pytest.raises(UnreadableSource, match="column 'a' has text that is not valid Unicode"):
        count(pd.DataFrame({"a": pd.Series(["\ud800"], dtype=object)}))


@pytest.mark.parametrize("name", ["{a}", "[a]", "PK"])
def test_a_name_that_begins_like_another_kind_of_file_is_a_name(file: Write, name: str) -> None:
    assert count(file(f"{name},b\nx,1\n"), name) == {("x",): 1}


# small tables


@pytest.mark.parametrize(
    "data",
    [pa.table({"a": pa.array([], pa.int8())}), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})],
    ids=lambda d: type(d).__module__,
)
def test_a_table_without_rows_is_refused(data: object) -> None:
    with pytest.raises(EmptyTable, match=r"^the table has no rows: there is nothing to anonymize\.$"):
        count(data)


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a\n"])
def test_a_file_with_nothing_but_names_has_no_rows(file: Write, content: str) -> None:
    with pytest.raises(EmptyTable, match=r"^x\.csv has no rows"):
        count(file(content))


@pytest.mark.parametrize("data", [pa.table({}), pd.DataFrame(), pl.DataFrame()], ids=lambda data: type(data).__module__)
def test_a_table_without_columns_is_refused(data: object) -> None:
    with pytest.raises(UnreadableSource, match=r"^Cannot read the table: it has no columns\.$"):
        count(data)


def test_a_table_of_one_row_has_k_1() -> None:
    front = pn.frontier(pn.Problem(pa.table({"a": ["x"]}), quasi_identifiers=["a"]))

    assert [point.k for point in front] == [1]


@pytest.mark.parametrize("content", ["\n\na,b\nx,1\n", "\r\na,b\r\nx,1\r\n"])
def test_empty_lines_before_the_names_are_skipped(file: Write, content: str) -> None:
    assert count(file(content), "a", "b") == {("x", "1"): 1}


@pytest.mark.parametrize("content", ["a,b\nx,1\n\ny,2\n", "a,b\nx,1\ny,2\n\n\n", "a,b\nx,1\ny,2"])
def test_empty_lines_of_a_file_with_several_columns_are_no_rows(file: Write, content: str) -> None:
    assert count(file(content)) == {("x",): 1, ("y",): 1}


# values outside their hierarchies


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["cat", "cow"], "'cow'"),
        ([1, 2], "'1', '2'"),
        ([1.5, 2.5], "'1.5', '2.5'"),
        ([True, True], "'true'"),
        ([dt.date(2024, 1, 31)] * 2, "'2024-01-31'"),
    ],
)
def test_values_outside_a_hierarchy_are_named_with_their_column(values: list[object], shown: str) -> None:
    with pytest.raises(OutsideHierarchy) as caught:
        pn.Problem(pa.table({"pet": values}), quasi_identifiers={"pet": [["cat", "*"], ["dog", "*"]]})

    assert str(caught.value).startswith("Column 'pet' has ")
    assert f"that its hierarchy does not place: {shown}. Add a line for each to the hierarchy" in str(caught.value)


def test_faults_of_all_columns_are_reported_at_once() -> None:
    table = pa.table({"a": ["x"], "b": ["y"], "c": ["z"]})

    with pytest.raises(SeveralFaults) as caught:
        pn.Problem(table, quasi_identifiers={"a": [["p", "*"]], "b": [["q", "*"]], "c": None})

    assert [fault.args[0] for fault in caught.value.faults] == ["a", "b"]


def test_faults_of_all_hierarchies_are_reported_at_once(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"], "b": ["y"], "c": ["z"]})

    with pytest.raises(SeveralFaults) as caught:
        pn.Problem(table, quasi_identifiers={"a": tmp_path / "gone.csv", "b": {"intervals": [5]}, "c": None})

    assert [fault.args[0] for fault in caught.value.faults] == ["a", "b"]


# what belongs to the caller


@pytest.mark.parametrize("index", [[3, 1, 2, 0], [7, 7, 7, 7], list("dbca")], ids=str)
def test_the_index_of_a_data_frame_does_not_matter(index: Iterable[object]) -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", None], "b": [1, 1, 2, 2]})

    assert count(frame.set_axis(list(index)), "a", "b") == count(frame, "a", "b")


def test_the_callers_table_is_not_changed() -> None:
    frame = pd.DataFrame({"a": [39, "x", None], "b": pd.Categorical(["p", "q", "p"])}, index=[5, 5, 1])
    before = frame.copy(deep=True)

    count(frame, "a", "b", missing=["x"])

    pd.testing.assert_frame_equal(frame, before)


def test_the_callers_hierarchies_are_not_changed() -> None:
    rows = [["x", "*"], ["y", "*"]]
    levels = {1: ["*", "*"], 0: ["p", "q"]}
    own = pn.Hierarchy.suppression(["u"], attribute="mine")

    pn.Problem(
        pa.table({"a": ["x", None], "b": ["p", None], "c": ["u", None]}),
        quasi_identifiers={"a": rows, "b": levels, "c": own},
    )

    assert (rows, levels) == ([["x", "*"], ["y", "*"]], {1: ["*", "*"], 0: ["p", "q"]})
    assert (own.attribute, own.rows()) == ("mine", [("u", "*")])


LATE = [dt.datetime(2024, 1, 31, 23, 30, tzinfo=dt.UTC), dt.datetime(2024, 7, 31, 22, 30, tzinfo=dt.UTC)]
"""In Berlin these are the first days of the next months, in winter and in summer time."""


def _moments(library: str, zone: str, folder: Path) -> object:
    table = pa.table({"seen": pa.array(LATE, pa.timestamp("us", zone))})
    match library:
        case "pandas":
            return table.to_pandas()
        case "polars":
            return pl.from_arrow(table)
        case "parquet":
            pq.write_table(table, folder / "seen.parquet")
            return folder / "seen.parquet"
        case "csv":
            lines = [moment.astimezone(ZoneInfo(zone)).isoformat(sep=" ") for moment in LATE]
            (folder / "seen.csv").write_text("\n".join(["seen", *lines]), encoding="utf-8")
            return folder / "seen.csv"
    return table


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", ["2024-01-31", "2024-07-31"]),
        ("Europe/Berlin", ["2024-02-01", "2024-08-01"]),
        ("America/New_York", ["2024-01-31", "2024-07-31"]),
        ("Asia/Tokyo", ["2024-02-01", "2024-08-01"]),
    ],
)
@pytest.mark.parametrize("library", ["arrow", "pandas", "polars", "parquet", "csv"])
def test_a_moment_belongs_to_the_day_that_it_is_in_its_time_zone(
    library: str, zone: str, days: list[str], tmp_path: Path
) -> None:
    problem = pn.Problem(_moments(library, zone, tmp_path), quasi_identifiers={"seen": {"dates": ["day", "year"]}})

    assert sorted(map(str, problem.hierarchies[0].labels[1])) == days


@pytest.mark.parametrize("zone", ["+02:00", "-03:30"])
def test_a_zone_may_be_an_offset(zone: str) -> None:
    table = pa.table({"seen": pa.array(LATE[:1], pa.timestamp("us", zone))})

    problem = pn.Problem(table, quasi_identifiers={"seen": {"dates": ["day"]}})

    assert problem.hierarchies[0].labels[1] == ({"+02:00": "2024-02-01", "-03:30": "2024-01-31"}[zone],)


def test_a_table_without_zones_is_cut_in_utc_wherever_the_machine_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with duckdb.connect(str(tmp_path / "seen.duckdb")) as database:
        database.execute("CREATE TABLE seen AS SELECT TIMESTAMPTZ '2024-01-31 23:30:00+00' AS seen")
    script = (
        "import paranym as pn, sys; p = pn.Problem(sys.argv[1], quasi_identifiers={'seen': {'dates': ['day']}}); "
        "print(p.hierarchies[0].labels[1][0])"
    )
    monkeypatch.setenv("TZ", "Asia/Tokyo")

    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "seen.duckdb")], capture_output=True, text=True, check=True
    )

    assert told.stdout.strip() == "2024-01-31"


@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb"])
def test_moments_with_a_zone_are_released_and_verified_as_they_are(tmp_path: Path, ending: str) -> None:
    moments = [LATE[0], LATE[0], LATE[1], LATE[1]]
    table = pa.table({"seen": pa.array(moments, pa.timestamp("us", "Europe/Berlin"))})
    problem = pn.Problem(table, quasi_identifiers={"seen": {"dates": ["day", "year"]}})
    point = next(each for each in pn.frontier(problem) if each.k == 2)

    made = pn.release(problem, point, tmp_path / f"out.{ending}", table="t" if ending == "duckdb" else None)

    assert made.verification.holds
    assert pn.release(problem, point).table.schema.field("seen").type == table.schema.field("seen").type
