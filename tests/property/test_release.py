"""What is written is what was promised: for random tables, nodes and formats, counted by plain Python."""

import csv
import datetime as dt
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import Unattainable
from paranym.measures.loss import LOSSES
from reference import Cell, Levels, Sample
from samples import SHARES, nodes_of, samples

FEW = settings(max_examples=max(settings().max_examples // 5, 1))
"""Files take their time; `make soak` takes more."""
TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "=1+1",
            "-5",
            "'=x",
            "@a",
            "<script>",
            'say "x"',
            "a,b",
            "a;b",
            "a\nb",
            "a\r\nb",
            "\r",
            "\t",
            "ü€𝄞",
            "NULL",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
EARLY, LATE = (dt.datetime.fromisoformat(day) for day in ("1900-01-01", "2100-01-01"))
OTHERS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "select": (pa.int16(), st.one_of(st.none(), st.integers(-30000, 30000))),
    'the "real"': (pa.float64(), st.one_of(st.none(), st.floats(allow_nan=False))),
    "from\n": (pa.date32(), st.one_of(st.none(), st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)))),
    "when": (pa.timestamp("us"), st.one_of(st.none(), st.datetimes(EARLY, LATE))),
    "=yes": (pa.bool_(), st.one_of(st.none(), st.booleans())),
    "c0": (pa.decimal128(12, 3), st.one_of(st.none(), st.decimals(-1000, 1000, places=3))),
    "größe": (pa.binary(), st.one_of(st.none(), st.binary(max_size=4))),
    "text": (pa.string(), st.one_of(st.none(), TEXTS)),
}
"""Columns that are not touched, whatever they hold and are called."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[Sample, pa.Table]:
    """A sample as a table that has other columns too."""
    sample = draw(samples(most_rows=8, repeats=(1, 2, 5)))
    names = draw(st.lists(st.sampled_from(list(OTHERS)), unique=True, max_size=3))
    rows = len(sample.rows)
    columns: dict[str, Any] = {
        f"q{j}": pa.array([row.cells[j] for row in sample.rows], pa.string()) for j in range(len(sample.trees))
    }
    columns["label"] = [row.label for row in sample.rows]
    columns["name"] = [f"person {n}" for n in range(rows)]
    for name in names:
        kind, values = OTHERS[name]
        columns[name] = pa.array(draw(st.lists(values, min_size=rows, max_size=rows)), kind)
    return sample, pa.table(columns)


def others_of(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if name in OTHERS]


def ask_for(sample: Sample, data: object, metric: str, share: float, others: Sequence[str]) -> pn.Problem:
    return pn.Problem(
        data,
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        label="label",
        identifiers=["name"],
        keep=others,
        metric=metric,
        suppression=share,
    )


def expected(sample: Sample, table: pa.Table, node: Levels, k: int) -> Counter[tuple[object, ...]]:
    """The rows that must be published, as a multiset."""
    sizes = Counter(sample.published(row, node) for row in sample.rows)
    others = [name for name in table.column_names if name not in ("name", *(f"q{j}" for j in range(len(node))))]
    cells = table.select(others).to_pylist()
    published: list[tuple[Cell, ...]] = [sample.published(row, node) for row in sample.rows]
    return Counter(
        (*labels, *(row[name] for name in others))
        for labels, row in zip(published, cells, strict=True)
        if sizes[labels] >= k
    )


def rows_of(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    return names, rows


def as_text(table: pa.Table) -> pa.Table:
    """How the engine writes the cells, nothing for a missing one."""
    with duckdb.connect() as database:
        database.register("typed", table)
        return database.sql("SELECT COALESCE(CAST(COLUMNS(*) AS VARCHAR), '') FROM typed").to_arrow_table()


@FEW
@given(tables(), st.data(), SHARES, st.sampled_from(list(LOSSES)), st.sampled_from(["file", "frame"]))
def test_a_parquet_release_is_what_was_promised_and_all_else_is_untouched(
    drawn: tuple[Sample, pa.Table], data: st.DataObject, share: float, metric: str, kind: str
) -> None:
    sample, table = drawn
    node = data.draw(nodes_of(sample))
    with tempfile.TemporaryDirectory() as folder:
        source: object = table
        if kind == "file":
            source = Path(folder) / "source.parquet"
            pq.write_table(table, source)
        problem = ask_for(sample, source, metric, share, others_of(table))
        point = point_of(problem, node)
        if point is None:
            return
        released = pn.release(problem, point, Path(folder) / "out.parquet")
        found = pq.read_table(Path(folder) / "out.parquet")

        assert released.verification.holds
        assert rows_of(found) == expected(sample, table, node, point.k)
        untouched = [name for name in found.column_names if name in OTHERS]
        assert [found.schema.field(name).type for name in untouched] == [OTHERS[name][0] for name in untouched]
        assert found.column_names == [name for name in table.column_names if name != "name"]
        assert pn.verify_release(Path(folder) / "out.parquet").holds


@FEW
@given(tables(), st.data(), SHARES)
def test_a_csv_release_is_what_was_promised_and_all_else_is_written_as_it_is(
    drawn: tuple[Sample, pa.Table], data: st.DataObject, share: float
) -> None:
    sample, table = drawn
    node = data.draw(nodes_of(sample))
    with tempfile.TemporaryDirectory() as folder:
        problem = ask_for(sample, table, "glm", share, others_of(table))
        point = point_of(problem, node)
        if point is None:
            return
        released = pn.release(problem, point, Path(folder) / "out.csv")
        names, rows = read_csv(Path(folder) / "out.csv")

    assert released.verification.holds
    assert names == [name for name in table.column_names if name != "name"]
    written = expected(sample, as_text(table), node, point.k)
    assert Counter(map(tuple, rows)) == Counter({tuple(cell or "" for cell in row): n for row, n in written.items()})


@FEW
@given(tables(), st.data(), SHARES)
def test_a_duckdb_release_is_what_was_promised(
    drawn: tuple[Sample, pa.Table], data: st.DataObject, share: float
) -> None:
    sample, table = drawn
    node = data.draw(nodes_of(sample))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.duckdb"
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE kept AS SELECT 1 AS one")
        problem = ask_for(sample, table, "dcn", share, others_of(table))
        point = point_of(problem, node)
        if point is None:
            return
        pn.release(problem, point, path, table="people 'n' \"things\"")
        with duckdb.connect(str(path), read_only=True) as database:
            found = database.sql('SELECT * FROM "people \'n\' ""things"""').to_arrow_table()
            tables = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}

    assert rows_of(found) == expected(sample, table, node, point.k)
    assert tables == {"kept", "people 'n' \"things\""}


FRAMES: dict[str, tuple[Callable[[pa.Table], Any], Callable[[Any], pa.Table]]] = {
    "pyarrow": (lambda table: table, lambda frame: frame),
    "polars": (pl.DataFrame, lambda frame: frame.to_arrow()),
}


@FEW
@given(tables(), st.data(), SHARES, st.sampled_from(list(FRAMES)))
def test_a_frame_is_released_in_order(
    drawn: tuple[Sample, pa.Table], data: st.DataObject, share: float, kind: str
) -> None:
    sample, table = drawn
    node = data.draw(nodes_of(sample))
    make, back = FRAMES[kind]
    problem = ask_for(sample, make(table), "glm", share, others_of(table))
    point = point_of(problem, node)
    if point is None:
        return
    released = back(pn.release(problem, point).table)

    sizes = Counter(sample.published(row, node) for row in sample.rows)
    kept = [row for row in sample.rows if sizes[sample.published(row, node)] >= point.k]
    for j in range(len(node)):
        assert released[f"q{j}"].to_pylist() == [sample.published(row, node)[j] for row in kept]
    assert rows_of(released) == expected(sample, table, node, point.k)


@FEW
@given(tables(), st.data(), SHARES)
def test_suppressed_rows_can_be_kept_as_stars(
    drawn: tuple[Sample, pa.Table], data: st.DataObject, share: float
) -> None:
    sample, table = drawn
    node = data.draw(nodes_of(sample))
    problem = ask_for(sample, table, "glm", share, others_of(table))
    point = point_of(problem, node)
    if point is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        pn.release(problem, point, Path(folder) / "out.parquet", keep_suppressed=True)
        found = pq.read_table(Path(folder) / "out.parquet")
        assert pn.verify_release(Path(folder) / "out.parquet").holds

    blank = (*["*"] * len(node), *[None] * (len(found.column_names) - len(node)))
    assert len(found) == len(table)
    assert rows_of(found) == expected(sample, table, node, point.k) + Counter({blank: point.suppressed})


def point_of(problem: pn.Problem, node: Levels) -> pn.Point | None:
    """The point of a node, unless it would leave out every row."""
    try:
        point = pn.point_at(problem, dict(zip(problem.attributes, node, strict=True)))
    except Unattainable:
        return None
    return None if point.suppressed == problem.rows else point
