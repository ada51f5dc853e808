"""Data frames of other libraries as Arrow tables, without importing those libraries."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paranym.errors import UnreadableSource
from paranym.model.values import to_text


def to_arrow(data: object) -> pa.Table:
    """A pandas, polars or pyarrow table as an Arrow table. The caller's data are not changed.

    A pandas index is no column. Names that are no text become text; columns of mixed types become text.
    """
    frame: Any = data
    kinds = _kinds(data)
    if "pandas.DataFrame" in kinds:
        names = [str(name) for name in frame.columns]
        columns = [_from_pandas(frame.iloc[:, position]) for position in range(len(names))]
    elif kinds & {"polars.DataFrame", "polars.LazyFrame"}:
        frame = frame.collect() if "polars.LazyFrame" in kinds else frame
        names = frame.columns
        columns = [_from_polars(series) for series in frame.get_columns()]
    elif isinstance(data, pa.Table | pa.RecordBatch):
        names, columns = frame.schema.names, frame.columns
    else:
        kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
        raise UnreadableSource("the table", f"a {kind} is none. Pass a path, or a pandas, polars or pyarrow table.")
    if not names:
        raise UnreadableSource("the table", "it has no columns.")
    return pa.Table.from_arrays([_plain(column) for column in columns], names=names)


def _from_pandas(series: Any) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeError):
        return _as_text(series.name, series.array)
    # intervals and periods would come as the numbers that pandas keeps them as
    stored = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return _as_text(series.name, series.array) if isinstance(stored, pa.BaseExtensionType) else array


def _from_polars(series: Any) -> pa.Array:
    try:
        return series.to_arrow()
    except pa.ArrowException:  # 128-bit integers, which Arrow does not know
        return _as_text(series.name, series.to_list())


def _as_text(name: object, values: Iterable[object]) -> pa.Array:
    try:
        return pa.array([to_text(value) for value in values], pa.string())
    except UnicodeError as error:
        raise UnreadableSource("the table", f"column {str(name)!r} has text that is no valid Unicode.") from error


def _in_written_digits(halves: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Half floats as doubles, in the digits that half precision has: 0.1, not 0.0999755859375."""
    return pa.array(halves.to_numpy(zero_copy_only=False).astype(str).astype(np.float64), from_pandas=True)


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The column in a type that engines know: no dictionary, no half floats, no decimals beyond 38 digits."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_float16(column.type):
        return _in_written_digits(column)
    if pa.types.is_decimal256(column.type):
        return _as_text("", column.to_pylist())
    return column


def frame_digest(data: object) -> bytes:
    """A hash of the names, types and cells of a table, in their order."""
    frame = to_arrow(data).combine_chunks()
    found = hashlib.sha256(repr(frame.schema.names).encode())
    for batch in frame.to_batches():
        found.update(batch.serialize())
    return found.digest()


def republish(
    data: object,
    columns: Mapping[int, pa.ChunkedArray],
    kept: NDArray[np.bool_],
    *,
    dropped: Sequence[int],
    blank: bool,
) -> object:
    """The same kind of table with some columns replaced and others dropped; index and order stay.

    Rows that are not `kept` are left out, or, if `blank`, stay with nothing in the columns that are not replaced.
    """
    frame: Any = data
    kinds = _kinds(data)
    if "pandas.DataFrame" in kinds:
        return _pandas_like(frame, columns, kept, dropped, blank=blank)
    if kinds & {"polars.DataFrame", "polars.LazyFrame"}:
        lazy = "polars.LazyFrame" in kinds
        made = _polars_like(frame.collect() if lazy else frame, columns, kept, dropped, blank=blank)
        return made.lazy() if lazy else made
    table = pa.Table.from_batches([frame]) if isinstance(data, pa.RecordBatch) else frame
    return _arrow_like(table, columns, kept, dropped, blank=blank)


def _pandas_like(
    frame: Any, columns: Mapping[int, pa.ChunkedArray], kept: NDArray[np.bool_], dropped: Sequence[int], *, blank: bool
) -> Any:
    positions = [position for position in range(frame.shape[1]) if position not in dropped]
    rows = np.ones_like(kept) if blank else kept
    made = frame.iloc[rows, positions].copy()
    for place, position in enumerate(positions):
        if position in columns:
            values = columns[position].filter(pa.array(rows)).to_pandas()
            values.index = made.index
            made.isetitem(place, values)
        elif blank and not kept.all():
            made.isetitem(place, made.iloc[:, place].where(kept))
    return made


def _polars_like(
    frame: Any, columns: Mapping[int, pa.ChunkedArray], kept: NDArray[np.bool_], dropped: Sequence[int], *, blank: bool
) -> Any:
    made = frame
    for position, name in enumerate(frame.columns):
        if position in columns:
            made = made.with_columns(type(frame)(pa.table({name: columns[position]})).to_series())
        elif blank and not kept.all():
            emptied = _emptied(made[name].to_arrow(), kept)
            made = made.with_columns(type(frame)(pa.table({name: emptied})).to_series().cast(made[name].dtype))
    made = made.select([name for position, name in enumerate(frame.columns) if position not in dropped])
    return made if blank else made.filter(kept)


def _arrow_like(
    table: pa.Table,
    columns: Mapping[int, pa.ChunkedArray],
    kept: NDArray[np.bool_],
    dropped: Sequence[int],
    *,
    blank: bool,
) -> pa.Table:
    made = {
        name: columns[position]
        if position in columns
        else _emptied(table.column(position), kept)
        if blank
        else table.column(position)
        for position, name in enumerate(table.column_names)
        if position not in dropped
    }
    published = pa.table(made)
    return published if blank else published.filter(pa.array(kept))


def _emptied(column: pa.Array | pa.ChunkedArray, kept: NDArray[np.bool_]) -> pa.Array | pa.ChunkedArray:
    """The column with nothing in the rows that are not kept."""
    places = pa.array(np.arange(len(kept)), mask=~kept)
    return column.take(places)


def _kinds(data: object) -> set[str]:
    """The libraries and names of the classes that something belongs to."""
    return {f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
