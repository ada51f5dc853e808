"""A frame from which rows were taken holds nothing of them: searched for in all bytes that it is sent as."""

import io
import pickle
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from paranym.engines.frames.conversion import index_of, republish

MARKER = "ZZMARKERZZ that is too long for a view to hold it"
SHORT = "ZZMARKERZZ"
ROWS = 40
KEPT = np.arange(ROWS) != 7


def planted(value: Any, others: Any) -> list[Any]:
    return [value if row == 7 else others for row in range(ROWS)]


TEXTS = planted(MARKER, "another text that is too long for a view")
LISTS = [[text] for text in TEXTS]
STRUCTS = [{"a": text} for text in TEXTS]
DICTIONARY = pa.dictionary(pa.int8(), pa.string())

ARROW: dict[str, pa.Array] = {
    "text": pa.array(TEXTS),
    "view": pa.array(TEXTS, pa.string_view()),
    "bytes": pa.array([text.encode() for text in TEXTS], pa.binary_view()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "dictionary of views": pa.DictionaryArray.from_arrays(planted(1, 0), pa.array(["a", MARKER], pa.string_view())),
    "chunks": pa.chunked_array([pa.array(part).dictionary_encode() for part in (TEXTS[:5], TEXTS[5:])]),
    "list": pa.array(LISTS),
    "list of dictionaries": pa.array(LISTS, pa.list_(DICTIONARY)),
    "list of views": pa.array(LISTS, pa.large_list(pa.string_view())),
    "view of lists": pa.array(LISTS, pa.list_view(pa.string())),
    "fixed list": pa.array(LISTS, pa.list_(pa.string(), 1)),
    "struct": pa.array(STRUCTS, pa.struct([pa.field("a", DICTIONARY, metadata={"seen": MARKER})])),
    "map": pa.array([[("a", text)] for text in TEXTS], pa.map_(pa.string(), DICTIONARY)),
}  # fmt: skip

POLARS: dict[str, pl.Series] = {
    "text": pl.Series(TEXTS),
    "bytes": pl.Series([text.encode() for text in TEXTS]),
    "enum": pl.Series(TEXTS, dtype=pl.Enum(["first", *dict.fromkeys(TEXTS), "last"])),
    "categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "list": pl.Series(LISTS),
    "list of enums": pl.Series(LISTS, dtype=pl.List(pl.Enum(sorted(set(TEXTS))))),
    "array": pl.Series(LISTS, dtype=pl.Array(pl.String, 1)),
    "struct": pl.Series(STRUCTS, dtype=pl.Struct({"a": pl.Enum(sorted(set(TEXTS)))})),
}  # fmt: skip

PANDAS: dict[str, Any] = {
    "object": pd.Series(TEXTS, dtype=object),
    "string": pd.Series(TEXTS, dtype="string"),
    "category": pd.Series(pd.Categorical(TEXTS, ["first", *dict.fromkeys(TEXTS)], ordered=True)),
    "dictionary": pd.Series(pa.array(TEXTS).dictionary_encode().to_pylist(), dtype=pd.ArrowDtype(DICTIONARY)),
    "whole numbers": pd.Series(planted(0x5A5A4D41524B5A5A, 1), dtype="Int64"),
}  # fmt: skip


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("kind", ARROW)
def test_an_arrow_table_holds_only_its_cells(kind: str, blank: bool) -> None:  # noqa: FBT001
    table = pa.table({"a": ARROW[kind], "b": TEXTS}).replace_schema_metadata({"seen": MARKER})
    made: Any = republish(table, {}, KEPT, dropped=[1], blank=blank)

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, made.schema) as stream:
        stream.write_table(made)
    assert found_in(sink.getvalue(), pickle.dumps(made)) == 0
    assert made["a"].to_pylist() == expected(table["a"].to_pylist(), blank=blank)


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("kind", POLARS)
def test_a_polars_frame_holds_only_its_cells(kind: str, blank: bool) -> None:  # noqa: FBT001
    frame = pl.DataFrame({"a": POLARS[kind], "b": TEXTS})
    made: Any = republish(frame, {}, KEPT, dropped=[1], blank=blank)

    file = io.BytesIO()
    made.write_ipc(file, compat_level=pl.CompatLevel.newest())
    assert found_in(file.getvalue(), pickle.dumps(made), repr(made.schema).encode()) == 0
    assert made["a"].to_list() == expected(frame["a"].to_list(), blank=blank)


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("kind", PANDAS)
def test_a_pandas_frame_holds_only_its_cells(kind: str, blank: bool) -> None:  # noqa: FBT001
    frame = pd.DataFrame({"a": PANDAS[kind], "b": TEXTS})
    frame.attrs["seen"] = MARKER
    made: Any = republish(frame, {}, KEPT, dropped=[1], blank=blank)

    assert made.attrs == {}
    assert found_in(pickle.dumps(made), pickle.dumps(pa.Table.from_pandas(made))) == 0
    assert list(made["a"].dropna()) == [cell for cell, stays in zip(frame["a"], KEPT, strict=True) if stays]
    assert made["a"].dtype.name == frame["a"].dtype.name


def test_categories_keep_their_order() -> None:
    sizes = ["small", "medium", "large", "huge"]
    kept = np.array([True, False, True, False])
    frame = pd.DataFrame({"size": pd.Categorical(["large", "huge", "small", None], sizes, ordered=True)})
    made: Any = republish(frame, {}, kept, dropped=[], blank=False)
    assert list(made["size"].cat.categories) == ["small", "large"]
    assert made["size"].cat.ordered

    series = pl.Series("size", ["large", "huge", "small", None], dtype=pl.Enum(sizes))
    assert republish(pl.DataFrame(series), {}, kept, dropped=[], blank=False)["size"].dtype == pl.Enum(  # type: ignore[index]
        ["small", "large"]
    )

    cells = pa.DictionaryArray.from_arrays(pa.array([2, 3, 0, None]), pa.array(sizes), ordered=True)
    table: Any = republish(pa.table({"size": cells}), {}, kept, dropped=[], blank=False)
    assert table["size"].chunk(0).dictionary.to_pylist() == ["small", "large"]
    assert table.schema.field("size").type.ordered


def test_names_of_dropped_columns_go_from_pandas() -> None:
    frame = pd.DataFrame([[1, 2]] * ROWS, columns=pd.MultiIndex.from_tuples([("a", "b"), (SHORT, SHORT)]))
    made: Any = republish(frame, {}, KEPT, dropped=[1], blank=False)
    assert found_in(pickle.dumps(made)) == 0

    frame = pd.DataFrame([[1, 2]] * ROWS, columns=pd.CategoricalIndex(["a", SHORT]))
    made = republish(frame, {}, KEPT, dropped=[1], blank=False)
    assert found_in(pickle.dumps(made)) == 0


@pytest.mark.parametrize(
    "make", [pd.CategoricalIndex, lambda texts: pd.MultiIndex.from_arrays([texts, texts], names=["x", "y"])]
)
def test_an_index_that_is_kept_loses_what_it_does_not_use(make: Callable[[list[str]], Any]) -> None:
    frame = pd.DataFrame({"a": range(ROWS)}, index=make(TEXTS))
    made: Any = republish(frame, {}, KEPT, dropped=[], blank=False)
    assert found_in(pickle.dumps(made)) == 0
    assert list(made.index) == list(frame.index[KEPT])


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.RangeIndex(ROWS), ()),
        (pd.RangeIndex(5, 5 + 2 * ROWS, 2), ()),
        (pd.RangeIndex(ROWS, name="person"), ("person",)),
        (pd.Index(list(range(1, ROWS + 1))), ("index",)),
        (pd.Index([f"p{n}" for n in range(ROWS)], name="person"), ("person",)),
        (pd.Index([date(2024, 1, 1)] * ROWS), ("index",)),
        (pd.MultiIndex.from_arrays([range(ROWS), range(ROWS)], names=["house", None]), ("house", "level_1")),
    ],
)
def test_any_index_but_a_plain_range_is_a_column(index: Any, names: tuple[str, ...]) -> None:
    assert index_of(pd.DataFrame({"a": range(ROWS)}, index=index)) == names


def expected(cells: list[Any], *, blank: bool) -> list[Any]:
    kept = zip(cells, KEPT, strict=True)
    return [cell if stays else None for cell, stays in kept if stays or blank]


def found_in(*places: bytes) -> int:
    """How often the planted values occur, as text and as the bytes of the planted number."""
    number = (0x5A5A4D41524B5A5A).to_bytes(8, "little")
    return sum(place.count(SHORT.encode()) + place.count(number) for place in places)
